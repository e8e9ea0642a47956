#include "text/speaker_prefix.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "base/strings.h"
#include "text/lexicon.h"

namespace weft {
namespace {

constexpr std::size_t kLongestLatin = 32, kLongestOther = 24;  // bytes; eight Chinese characters
constexpr std::size_t kMostWords = 3;
constexpr std::string_view kWideColon = "：";

struct Brackets {
  std::string_view open, close;
  bool needs_colon;
};
constexpr std::array<Brackets, 5> kBrackets{
    {{"[", "]", false}, {"<", ">", false}, {"【", "】", false}, {"**", "**", true}, {"*", "*", true}}};

bool is_letter_byte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || static_cast<unsigned char>(byte) >= 0x80;
}

bool labels_text(std::string_view name) {
  static const LexiconWords labels = lexicon_both_words("speech", "labels");
  static const LexiconWords work = lexicon_both_words("speech", "works on text");
  static const LexiconWords may_work = lexicon_both_words("speech", "may work on text");
  const std::string low = lowered(name);
  const std::string first = low.substr(0, low.find(' '));
  return labels.contains(low) || work.contains(low) || may_work.contains(low) || labels.contains(first) ||
         work.contains(first) || may_work.contains(first);
}

// No name holds the marks of a sentence.
bool has_wide_punctuation(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMarks{"，", "。", "！", "？", "、", "；",
                                                    "：", "“",  "”",  "（", "）", "…"};
  return std::any_of(kMarks.begin(), kMarks.end(),
                     [&](std::string_view mark) { return name.find(mark) != std::string_view::npos; });
}

bool may_be_name(std::string_view name, bool in_brackets) {
  if (name.empty() || name != trimmed(name) || !is_letter_byte(name.front())) return false;
  const bool latin = std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (name.size() > (latin ? kLongestLatin : kLongestOther) || has_wide_punctuation(name)) return false;
  const auto part = [](char c) {
    return is_letter_byte(c) || (c >= '0' && c <= '9') || c == ' ' || c == '-' || c == '_' || c == '\'' || c == '.';
  };
  if (!std::all_of(name.begin(), name.end(), part)) return false;
  if (static_cast<std::size_t>(std::count(name.begin(), name.end(), ' ')) >= kMostWords) return false;
  // A lower-case phrase in front of a colon is a clause; a login is one word.
  const bool lower = name.front() >= 'a' && name.front() <= 'z';
  if (lower && !in_brackets && name.find(' ') != std::string_view::npos) return false;
  return !labels_text(name);
}

// "张三(10001)" is 张三.
std::string_view without_number(std::string_view name) {
  for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>{"(", ")"}, {"（", "）"}}) {
    const std::size_t at = name.find(open);
    if (at == std::string_view::npos || at == 0 || !name.ends_with(close)) continue;
    const std::string_view inner = name.substr(at + open.size(), name.size() - at - open.size() - close.size());
    if (inner.empty() || inner.find_first_not_of("0123456789") != std::string_view::npos) continue;
    return trimmed(name.substr(0, at));
  }
  return name;
}

std::optional<std::string_view> behind_colon(std::string_view text) {
  if (text.starts_with(kWideColon)) return text.substr(kWideColon.size());
  if (text.starts_with(':') && !text.starts_with("://") && !text.starts_with("::")) return text.substr(1);
  return std::nullopt;
}

std::optional<SpeakerPrefix> made(std::string_view name, std::string_view rest, bool in_brackets) {
  name = without_number(name);
  rest = trimmed(rest);
  if (rest.empty() || !may_be_name(name, in_brackets)) return std::nullopt;
  return SpeakerPrefix{name, rest};
}

std::optional<SpeakerPrefix> in_brackets(std::string_view text, const Brackets& marks) {
  const std::size_t end = text.find(marks.close, marks.open.size());
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view name = text.substr(marks.open.size(), end - marks.open.size());
  const std::string_view rest = text.substr(end + marks.close.size());
  const auto spoken = behind_colon(rest);
  if (spoken) return made(name, *spoken, true);
  for (const std::string_view colon : {std::string_view(":"), kWideColon}) {
    if (!marks.needs_colon || !name.ends_with(colon)) continue;
    name.remove_suffix(colon.size());
    return made(name, rest, true);
  }
  // "[x](…)" is a link, and "<b>…" a tag: a name in brackets has a blank behind it, except in wide ones.
  const bool parted = marks.open.size() == 3 || rest.starts_with(' ') || rest.starts_with('\n');
  return marks.needs_colon || !parted ? std::nullopt : made(name, rest, true);
}

bool is_personal_name(std::string_view name) {
  static const LexiconWords long_surnames = lexicon_words("zh/given_names", "surnames of two characters");
  const std::string low = lowered(name);
  NameGender gender = NameGender::kUnknown;
  if (is_first_name(std::string_view(low).substr(0, low.find(' ')), gender)) return true;
  constexpr std::size_t kHan = 3;  // bytes
  if (name.size() < 2 * kHan || name.size() > 4 * kHan || static_cast<unsigned char>(name[0]) < 0xE4) return false;
  if (long_surnames.contains(name.substr(0, 2 * kHan))) return name.size() > 2 * kHan;
  return name.size() <= 3 * kHan && is_chinese_surname(name.substr(0, kHan));
}

using Names = std::unordered_map<std::string_view, NameGender>;

void add(Names& names, std::string_view list, NameGender gender) {
  for (const std::string_view name : lexicon("en/given_names", list)) {
    const auto [at, added] = names.emplace(name, gender);
    if (!added && at->second != gender) at->second = NameGender::kUnknown;
  }
}

}  // namespace

std::optional<SpeakerPrefix> speaker_prefix(std::string_view text) {
  text = trimmed(text);
  for (const Brackets& marks : kBrackets)
    if (text.starts_with(marks.open)) return in_brackets(text, marks);
  const std::string_view head = text.substr(0, 2 * kLongestLatin);
  const std::size_t colon = std::min(head.find(':'), head.find(kWideColon));
  if (colon == std::string_view::npos) return std::nullopt;
  const auto rest = behind_colon(text.substr(colon));
  if (!rest) return std::nullopt;
  // "key:value" and "std:x" are no speech; behind a Chinese name the blank is often left out.
  const bool ascii = static_cast<unsigned char>(text[0]) < 0x80 && text[colon] == ':';
  if (ascii && !rest->starts_with(' ') && !rest->starts_with('\n')) return std::nullopt;
  return made(text.substr(0, colon), *rest, false);
}

std::string_view without_speaker(std::string_view text, std::string_view name) {
  if (name.empty()) return text;
  const auto prefix = speaker_prefix(text);
  return prefix && prefix->name == name ? prefix->rest : text;
}

std::vector<std::string> recurring_speakers(std::span<const PrefixedText> messages) {
  struct Seen {
    std::set<std::string_view> texts;
    std::array<std::size_t, 2> by_role{};
  };
  std::map<std::string_view, Seen> seen;
  std::array<std::size_t, 2> total{};
  for (const PrefixedText& message : messages) {
    ++total[message.assistant ? 1 : 0];
    const auto prefix = speaker_prefix(message.text);
    if (!prefix) continue;
    Seen& one = seen[prefix->name];
    one.texts.insert(prefix->rest);
    ++one.by_role[message.assistant ? 1 : 0];
  }
  std::vector<std::string> recurring, alone;
  std::array<std::size_t, 2> led{};
  for (const auto& [name, one] : seen) {
    if (one.texts.size() >= 2) {
      recurring.emplace_back(name);
      for (const std::size_t role : {0, 1}) led[role] += one.by_role[role];
    }
    // Nine of ten messages of a role.
    for (const std::size_t role : {0, 1})
      if (one.texts.size() >= 3 && one.by_role[role] * 10 >= total[role] * 9 && one.by_role[role] >= 3 &&
          is_personal_name(name))
        alone.emplace_back(name);
  }
  // A client writes names in front of all messages of a role, or of none.
  const auto share = [&](std::size_t role) { return led[role] == 0 || led[role] * 4 >= total[role] * 3; };
  if (recurring.size() >= 2 && share(0) && share(1)) return recurring;
  return alone;
}

bool is_first_name(std::string_view lower, NameGender& gender) {
  static const Names names = [] {
    Names made;
    add(made, "men", NameGender::kMale);
    add(made, "women", NameGender::kFemale);
    for (const std::string_view both : lexicon("en/given_names", "of either")) made[both] = NameGender::kUnknown;
    return made;
  }();
  const auto found = names.find(lower);
  gender = found == names.end() ? NameGender::kUnknown : found->second;
  return found != names.end();
}

bool is_chinese_surname(std::string_view character) {
  static const LexiconWords surnames = lexicon_words("zh/given_names", "surnames");
  return surnames.contains(character);
}

NameGender chinese_name_gender(std::string_view given) {
  static const LexiconWords women = lexicon_words("zh/given_names", "characters of women");
  static const LexiconWords men = lexicon_words("zh/given_names", "characters of men");
  NameGender gender = NameGender::kUnknown;
  constexpr std::size_t kHan = 3;
  for (std::size_t at = 0; at + kHan <= given.size(); at += kHan) {
    if (women.contains(given.substr(at, kHan))) return NameGender::kFemale;
    if (men.contains(given.substr(at, kHan))) gender = NameGender::kMale;
  }
  return gender;
}

}  // namespace weft
