// Formulas of social talk: greetings, thanks, apologies and backchannels as grammars and phrase books of both languages
// list them: lexicon/{en,zh}/small_talk.txt.
#include "text/small_talk_words.h"

#include <string>
#include <string_view>

#include "text/lexicon.h"

namespace weft {
namespace {

// Composed formulas: each that begins with each that ends one.
void add_composed(PhraseTable& table, std::string_view file, const std::string& name, std::string_view between) {
  for (const std::string_view head : lexicon(file, name + " begins"))
    for (const std::string_view tail : lexicon(file, name + " ends"))
      table.add(std::string(head) + std::string(between) + std::string(tail), static_cast<int>(TalkPart::kGreeting));
}

}  // namespace

const PhraseTable& talk_phrases() {
  static const PhraseTable table = [] {
    PhraseTable built;
    const auto add = [&](const char* list, TalkPart part) {
      for (const std::string_view file : {"en/small_talk", "zh/small_talk"})
        for (const std::string_view phrase : lexicon(file, list)) built.add(phrase, static_cast<int>(part));
    };
    add("greetings", TalkPart::kGreeting);
    add_composed(built, "en/small_talk", "thanks", " ");
    for (const char* name : {"thanks", "wishes", "agreement", "well said", "care"})
      add_composed(built, "zh/small_talk", name, "");
    add("wishes ends", TalkPart::kGreeting);  // 生日快乐 needs no 祝 before it
    add("answers", TalkPart::kAnswer);
    add("praise", TalkPart::kPraise);
    add("frames", TalkPart::kFrame);
    add("nouns", TalkPart::kNoun);
    add("glue", TalkPart::kGlue);
    add("address", TalkPart::kAddress);
    return built;
  }();
  return table;
}

}  // namespace weft
