#include "flow/memory/told_changes.h"

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "text/cues.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kLongestSentence = 300;

bool asks(std::string_view sentence) {
  return sentence.ends_with('?') || sentence.ends_with("？") || sentence.ends_with("吗");
}

// "This week yoga is on Friday": what comes again is otherwise once.
bool is_for_once(std::string_view sentence, const KnownMatter& known) {
  static const PhraseTable again = phrase_table("changes", "comes again"), once = phrase_table("changes", "for once"),
                           from = phrase_table("changes", "from then on");
  const bool habit = known.attribute.starts_with("habit ");
  if (!habit && !again.any_in(plain_words(known.text))) return false;
  const auto words = plain_words(sentence);
  return once.any_in(words) && !from.any_in(words);
}

// Whether the sentence has a word of a list that the known sentence does not have.
bool brings(std::string_view list, std::string_view sentence, std::string_view known, bool chinese) {
  const std::string here = chinese ? std::string(sentence) : spaced_words(lowered(sentence), ".,;:!?\"()"),
                    there = chinese ? std::string(known) : spaced_words(lowered(known), ".,;:!?\"()");
  for (const std::string_view word : lexicon(chinese ? "zh/changes" : "en/changes", list)) {
    const std::string whole = chinese ? std::string(word) : " " + std::string(word) + " ";
    if (here.find(whole) != std::string::npos && there.find(whole) == std::string::npos) return true;
  }
  return false;
}

// A fact about somebody of the family changes only if the sentence names them.
bool is_of_kin(std::string_view sentence, const KnownMatter& known, bool chinese) {
  if (known.attribute == "residence" || known.attribute == "school" || known.attribute == "employer") return false;
  return brings("others", known.text, sentence, chinese);
}

// "20 mg of this and 5 mg of that", 早上打12单位，晚上打8单位: it is not certain which of them changed.
bool holds_several(std::string_view known) {
  for (const std::string_view join : {" and ", ", ", "、", "和", "，"})
    if (known.find(join) != std::string_view::npos) return true;
  return false;
}

// Whether the sentence is about the same people, the same times of day and more than once, and about all that is known.
bool is_certain(std::string_view sentence, const KnownMatter& known, bool chinese) {
  if (is_for_once(sentence, known) || holds_several(known.text)) return false;
  if (brings("others", sentence, known.text, chinese) || is_of_kin(sentence, known, chinese)) return false;
  return !brings("parts of a day", sentence, known.text, chinese) ||
         !brings("parts of a day", known.text, sentence, chinese);
}

// With its new value a sentence must still be read as before.
bool tells_of_same(std::string_view text, const KnownMatter& known) {
  const auto now = read_statements(text), before = read_statements(known.text);
  return now.size() == 1 && before.size() == 1 && now.front().attribute == before.front().attribute &&
         now.front().subject == before.front().subject;
}

}  // namespace

bool is_said_plainly(std::string_view sentence) {
  static const PhraseTable unsure = phrase_table("changes", "not plainly");
  return language_of(sentence) == Language::kChinese ? !brings("not plainly", sentence, "", true)
                                                     : !unsure.any_in(plain_words(sentence));
}

std::vector<ToldChange> told_changes(std::string_view message, std::span<const KnownMatter> known) {
  std::vector<ToldChange> changes;
  if (known.empty()) return changes;
  for (const std::string_view sentence : stating_sentences(message)) {
    if (sentence.size() > kLongestSentence || asks(sentence) || !tells_of_change(sentence)) continue;
    if (!is_said_plainly(sentence)) continue;
    const bool chinese = language_of(sentence) == Language::kChinese;
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (known[i].attribute == kSaidAttribute) continue;  // a whole sentence, of no attribute that could change
      auto value = chinese ? other_value_chinese(sentence, known[i]) : other_value_english(sentence, known[i]);
      if (!value || !is_certain(sentence, known[i], chinese)) continue;
      std::string text = value->empty() ? std::string()
                         : chinese      ? with_value_chinese(known[i], *value)
                                        : with_value_english(sentence, known[i], *value);
      if (!text.empty() && !tells_of_same(text, known[i])) text.clear();
      changes.push_back({i, std::string(sentence), std::move(*value), std::move(text)});
      break;
    }
  }
  return changes;
}

}  // namespace weft
