#include "flow/memory/lore_macros.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"
#include "flow/memory/lore_keys.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostUnknown = 50;   // names that are counted
constexpr std::size_t kLongestName = 40;   // bytes

/// What a macro reads as where nothing is known of this prompt.
struct Words {
  std::string_view name, english, chinese;
};
constexpr std::array<Words, 12> kWords{{{"user", "the user", "用户"},
                                        {"persona", "the user", "用户"},
                                        {"char", "the character", "角色"},
                                        {"bot", "the character", "角色"},
                                        {"charifnotgroup", "the character", "角色"},
                                        {"group", "the group", "群组"},
                                        {"time", "the current time", "当前时间"},
                                        {"isotime", "the current time", "当前时间"},
                                        {"date", "today's date", "今天的日期"},
                                        {"isodate", "today's date", "今天的日期"},
                                        {"weekday", "the current weekday", "今天的星期"},
                                        {"idle_duration", "some time", "一段时间"}}};
constexpr std::array<std::string_view, 3> kCharacters{"char", "bot", "charifnotgroup"};
constexpr std::array<std::string_view, 2> kChoices{"random", "pick"};
// Macros that only lay out the text; each stands for this.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kLayout{
    {{"newline", "\n"}, {"space", " "}, {"noop", ""}, {"trim", ""}}};

template <class List>
bool among(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), to_lower<char>);
  return out;
}

// The name of a macro, in lower case; empty where the braces hold none.
std::string name_in(std::string_view macro) {
  if (macro.starts_with('#') || macro.starts_with('/')) macro.remove_prefix(1);
  const std::string_view name = macro.substr(0, macro.find_first_of(": \t\n"));
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  const bool letter = !name.empty() && (fine(name.front()) && !(name.front() >= '0' && name.front() <= '9'));
  if (!letter || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), fine)) return {};
  // "{{cite web|url=…}}" belongs to other programs: arguments of a macro follow a colon.
  const std::string_view rest = trimmed(macro.substr(name.size()));
  const bool pipe = rest.find('|') != std::string_view::npos && !rest.starts_with(':');
  return pipe ? std::string() : lower(name);
}

// The first of several choices: "{{random::a::b}}", "{{random:a,b}}".
std::string first_choice(std::string_view macro) {
  const auto colon = macro.find(':');
  if (colon == std::string_view::npos) return {};
  std::string_view rest = macro.substr(colon);
  const bool twice = rest.starts_with("::");
  rest.remove_prefix(twice ? 2 : 1);
  return std::string(trimmed(rest.substr(0, twice ? rest.find("::") : rest.find(','))));
}

}  // namespace

std::string LoreMacros::note(std::string_view name, std::string reads) {
  ++unknown_times_;
  if (unknown_.size() < kMostUnknown || unknown_.contains(std::string(name))) {
    Unknown& one = unknown_[std::string(name)];
    ++one.times;
    one.reads = reads;
  }
  return reads;
}

std::string LoreMacros::value_of(std::string_view macro, bool chinese, bool& known) {
  macro = trimmed(macro);
  known = true;
  if (macro.starts_with("//")) return {};
  const std::string name = name_in(macro);
  known = !name.empty();
  if (!known) return {};
  if (among(kCharacters, name) && !character.empty()) return character;
  for (const auto& [layout, text] : kLayout)
    if (layout == name) return std::string(text);
  const std::string shown = "{{" + name + "}}";
  if (among(kChoices, name)) return note(shown, first_choice(macro));
  for (const Words& one : kWords)
    if (one.name == name) return note(shown, std::string(chinese ? one.chinese : one.english));
  return note(shown, "");
}

std::string LoreMacros::without_angles(std::string text, bool chinese) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAngles{
      {{"<user>", "user"}, {"<bot>", "char"}, {"<char>", "char"}, {"<charifnotgroup>", "char"}}};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = std::min(text.find('<', at), text.size());
    out.append(text, at, begin - at);
    at = begin;
    if (at == text.size()) break;
    const std::string beginning = lower(std::string_view(text).substr(at, 16));
    const auto found =
        std::find_if(kAngles.begin(), kAngles.end(), [&](const auto& one) { return beginning.starts_with(one.first); });
    bool known = false;
    out += found == kAngles.end() ? "<" : value_of(found->second, chinese, known);
    at += found == kAngles.end() ? 1 : found->first.size();
  }
  return out;
}

// Inner macros first: "{{random::{{user}}::nobody}}".
std::string LoreMacros::expanded(std::string_view text) {
  if (text.find("{{") == std::string_view::npos && !(in_angles && text.find('<') != std::string_view::npos))
    return std::string(text);
  const bool chinese = language_of(text) == Language::kChinese;
  std::string out;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < text.size();) {
    if (starts_at(text, at, "{{")) {
      open.push_back(out.size());
      out += "{{";
      at += 2;
    } else if (starts_at(text, at, "}}") && !open.empty()) {
      const std::string macro = out.substr(open.back() + 2);
      bool known = false;
      const std::string value = value_of(macro, chinese, known);
      out.resize(open.back());
      out += known ? value : "{{" + macro + "}}";
      open.pop_back();
      at += 2;
    } else {
      out += text[at++];
    }
  }
  return in_angles ? without_angles(std::move(out), chinese) : out;
}

std::optional<std::string> LoreMacros::expanded_key(std::string_view key) const {
  LoreMacros own;
  own.in_angles = in_angles;
  own.character = is_lore_pattern(key) ? literal_pattern(character) : character;
  std::string word = own.expanded(key);
  return own.unknown_times() == 0 ? std::optional(std::move(word)) : std::nullopt;
}

}  // namespace weft
