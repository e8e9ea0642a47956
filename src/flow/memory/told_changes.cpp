#include "flow/memory/told_changes.h"

#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "text/changes.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kLongestSentence = 300;

bool asks(std::string_view sentence) {
  return sentence.ends_with('?') || sentence.ends_with("？") || sentence.ends_with("吗");
}

// With its new value a sentence must still be read as before.
bool tells_of_same(std::string_view text, const KnownMatter& known) {
  const auto now = read_statements(text), before = read_statements(known.text);
  return now.size() == 1 && before.size() == 1 && now.front().attribute == before.front().attribute &&
         now.front().subject == before.front().subject;
}

}  // namespace

std::vector<ToldChange> told_changes(std::string_view message, std::span<const KnownMatter> known) {
  std::vector<ToldChange> changes;
  if (known.empty()) return changes;
  for (const std::string_view sentence : stating_sentences(message)) {
    if (sentence.size() > kLongestSentence || asks(sentence) || !tells_of_change(sentence)) continue;
    const bool chinese = language_of(sentence) == Language::kChinese;
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (known[i].attribute == kSaidAttribute) continue;  // a whole sentence, of no attribute that could change
      auto value = chinese ? other_value_chinese(sentence, known[i]) : other_value_english(sentence, known[i]);
      if (!value) continue;
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
