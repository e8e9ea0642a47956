#include "text/goes_back.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "base/ascii.h"
#include "base/strings.h"
#include "text/lexicon.h"

namespace weft {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHead = 200;        // bytes in which it is said
constexpr std::size_t kLongestName = 90;  // bytes

// A filler of English is a whole word; sentences of nothing else ("Thanks!") are passed over, too.
std::string_view without_fillers(std::string_view text, std::string_view file) {
  const bool words = file == "en/cues";
  const auto skip = [&](std::string_view mark) {
    const bool there = text.starts_with(mark);
    if (there) text.remove_prefix(mark.size());
    return there;
  };
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view filler : lexicon(file, "before going back")) {
      const bool whole = !words || text.size() == filler.size() ||
                         (text.size() > filler.size() && " ,.!"sv.find(text[filler.size()]) != std::string_view::npos);
      if (!whole || !skip(filler)) continue;
      while (skip(" ") || skip(",") || skip(".") || skip("!") || skip("，") || skip("。") || skip("！")) {
      }
      again = true;
    }
  }
  return text;
}

// Up to the end of the clause.
std::string_view clause(std::string_view text) {
  std::size_t end = std::min(text.find_first_of(".,;:?!\n"), text.size());
  for (const std::string_view mark : {"，"sv, "。"sv, "："sv, "；"sv, "？"sv, "！"sv, "、"sv, "—"sv, " - "sv})
    end = std::min(end, text.find(mark));
  return text.substr(0, std::min(end, text.size()));
}

std::string name_of(std::string_view text) {
  std::string_view name = clause(text);
  if (name.size() > kLongestName) return {};
  for (const std::string_view article : {"the "sv, "that "sv, "our "sv, "my "sv, "your "sv, "those "sv, "these "sv})
    if (name.starts_with(article)) name.remove_prefix(article.size());
  return std::string(trimmed(name, " "));
}

std::optional<std::string> in_english(std::string_view text) {
  std::string words;
  for (const char c : text.substr(0, kHead)) words += c == '\n' ? '.' : to_lower(c);
  const std::string_view rest = without_fillers(words, "en/cues");
  for (const std::string_view phrase : lexicon("en/cues", "goes back to nothing"))
    if (rest.starts_with(phrase) && clause(rest).size() <= phrase.size() + 1) return std::string();
  for (const std::string_view phrase : lexicon("en/cues", "goes back"))
    if (rest.starts_with(phrase) && starts_at(rest, phrase.size(), " ")) return name_of(rest.substr(phrase.size() + 1));
  const std::string_view first = clause(rest);
  for (const std::string_view about : lexicon("en/cues", "about")) {
    if (!first.starts_with(about) || !starts_at(first, about.size(), " ")) continue;
    for (const std::string_view before : lexicon("en/cues", "spoken of before"))
      if (const auto at = first.find(" " + std::string(before)); at != std::string_view::npos && at > about.size() + 1)
        return name_of(first.substr(about.size() + 1, at - about.size() - 1));
  }
  return std::nullopt;
}

std::optional<std::string> in_chinese(std::string_view text) {
  const std::string_view rest = without_fillers(text, "zh/cues");
  for (const std::string_view phrase : lexicon("zh/cues", "goes back to nothing"))
    if (rest.starts_with(phrase)) return std::string();
  for (const std::string_view phrase : lexicon("zh/cues", "goes back")) {
    if (!rest.starts_with(phrase)) continue;
    std::string name = name_of(rest.substr(phrase.size()));
    for (const std::string_view empty : lexicon("zh/cues", "no name"))
      if (name == empty) name.clear();
    return name;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> goes_back_to(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  auto found = in_english(text);
  return found ? found : in_chinese(text);
}

bool changes_subject(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  std::string words;
  for (const char c : text.substr(0, kHead)) words += c == '\n' ? '.' : to_lower(c);
  const std::string_view english = without_fillers(words, "en/cues"), chinese = without_fillers(text, "zh/cues");
  const auto any = [](std::span<const std::string_view> phrases, const auto& test) {
    return std::any_of(phrases.begin(), phrases.end(), test);
  };
  const auto begins = [](std::string_view begun) {
    return [begun](std::string_view phrase) { return begun.starts_with(phrase); };
  };
  return any(lexicon("en/cues", "something else"), begins(english)) ||
         any(lexicon("en/cues", "something else alone"),
             [alone = clause(english)](std::string_view phrase) { return alone == phrase; }) ||
         any(lexicon("zh/cues", "something else"), begins(chinese));
}

}  // namespace weft
