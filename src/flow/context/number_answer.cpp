#include "flow/context/number_answer.h"

#include "text/stat_words.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kNameCharacters = 60;

std::string number_text(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

// The name of an entity in the language, where it has one.
const std::string& name_in(const StateEntity& entity, Language language) {
  if (!entity.name.empty() && language_of(entity.name) == language) return entity.name;
  for (const std::string& alias : entity.aliases) {
    if (!alias.empty() && language_of(alias) == language) return alias;
  }
  return entity.name.empty() ? entity.anchor : entity.name;
}

std::string list_text(const NumberDoubt& doubt, bool chinese) {
  std::string text;
  for (const NumberDoubt::Number& one : doubt.numbers) {
    text += text.empty() ? "" : chinese ? "、" : ", ";
    text += preview(one.of, kNameCharacters) +
            (one.of.empty() ? ""
             : chinese      ? "的"
                            : " ") +
            one.field + " (" + number_text(one.value) + ")";
  }
  return text;
}

std::string english_notice(const NumberDoubt& doubt, const std::string& what, const std::string& numbers) {
  const std::string kept = " Nothing was changed.";
  switch (doubt.why) {
    case NumberDoubt::kUnknown: return "The state has no number called \"" + what + "\"." + kept;
    case NumberDoubt::kAmbiguous: return "\"" + what + "\" may mean " + numbers + "." + kept + " Whose is meant?";
    case NumberDoubt::kBelowLeast:
      return numbers + " would fall to " + number_text(doubt.wanted) + ", below " + number_text(doubt.bound) + "." +
             kept;
    case NumberDoubt::kAboveMost:
      return numbers + " would rise to " + number_text(doubt.wanted) + ", above its maximum of " +
             number_text(doubt.bound) + "." + kept;
    case NumberDoubt::kNotWhole: return numbers + " counts whole things." + kept;
  }
  return {};
}

std::string chinese_notice(const NumberDoubt& doubt, const std::string& what, const std::string& numbers) {
  const std::string kept = "没有做任何改动。";
  switch (doubt.why) {
    case NumberDoubt::kUnknown: return "状态里没有名为“" + what + "”的数值。" + kept;
    case NumberDoubt::kAmbiguous: return "“" + what + "”可能指" + numbers + "。" + kept + "请说明是谁的。";
    case NumberDoubt::kBelowLeast:
      return numbers + "会降到 " + number_text(doubt.wanted) + "，低于 " + number_text(doubt.bound) + "。" + kept;
    case NumberDoubt::kAboveMost:
      return numbers + "会升到 " + number_text(doubt.wanted) + "，超过上限 " + number_text(doubt.bound) + "。" + kept;
    case NumberDoubt::kNotWhole: return numbers + "只能是整数。" + kept;
  }
  return {};
}

}  // namespace

std::string answer_text(const std::vector<NumberChange>& changes, const StateIndex& state, Language language) {
  const bool chinese = language == Language::kChinese;
  std::string text;
  for (const NumberChange& change : changes) {
    const bool count = is_count_field(name_key(change.field));
    const std::string field = !count ? change.called : chinese ? "数量" : "count";
    const std::string before = number_text(change.before), after = number_text(change.after);
    const std::string& name = name_in(state.entities()[change.entity], language);
    if (chinese) {
      text += (name.empty() ? "" : name + "的") + field + "从 " + before + " 变为 " + after + "。";
    } else {
      text += (text.empty() ? "" : " ") + (name.empty() ? "" : name + ": ") + field + " changed from " + before +
              " to " + after + ".";
    }
  }
  return text;
}

std::string notice_text(const NumberDoubt& doubt, Language language) {
  const std::string what = preview(doubt.what, kNameCharacters);
  const bool chinese = language == Language::kChinese;
  const std::string numbers = list_text(doubt, chinese);
  return chinese ? chinese_notice(doubt, what, numbers) : english_notice(doubt, what, numbers);
}

std::string refusal_text(std::string_view reason, Language language) {
  return std::string(language == Language::kChinese ? "没有做任何改动：" : "Nothing was changed: ").append(reason);
}

}  // namespace weft
