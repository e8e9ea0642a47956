#include "flow/memory/speech.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "flow/memory/chinese_requests.h"
#include "text/lexicon.h"
#include "text/longest_entry.h"

namespace weft {
namespace {

using View = std::string_view;
using List = std::span<const View>;

constexpr View kI = "我";

List words(View list) { return lexicon("zh/speech", list); }

bool begins_with_one(View text, List list) {
  return std::any_of(list.begin(), list.end(), [&](View one) { return text.starts_with(one); });
}

bool has_one(View text, List list) {
  return std::any_of(list.begin(), list.end(), [&](View one) { return text.find(one) != View::npos; });
}

View without_all(View text, List list) {
  for (View one = longest_entry(list, text); !one.empty(); one = longest_entry(list, text))
    text.remove_prefix(one.size());
  return text;
}

struct Quotes {
  View open, close;
};
constexpr std::array<Quotes, 3> kQuotes{{{"“", "”"}, {"「", "」"}, {"『", "』"}}};

// The sentence without what stands in quotation marks, and what does.
struct Told {
  std::string outside, inside;
};

Told by_quotes(View sentence) {
  Told told;
  View close;
  for (std::size_t at = 0; at < sentence.size();) {
    const View rest = sentence.substr(at);
    std::size_t size = 0;
    if (close.empty()) {
      for (const Quotes& marks : kQuotes)
        if (rest.starts_with(marks.open)) {
          close = marks.close;
          size = marks.open.size();
        }
    } else if (rest.starts_with(close)) {
      size = close.size();
      close = {};
    }
    if (size == 0) (close.empty() ? told.outside : told.inside) += sentence[at++];
    at += size;
  }
  return told;
}

// 小说里的主角…, 我写的故事讲…; not 我在游戏里认识了….
bool tells_story(View sentence) {
  const auto clauses = chinese_clauses(sentence);
  if (clauses.empty()) return false;
  const View first = without_all(clauses.front(), words("own stories"));
  if (first.find(kI) != View::npos) return false;
  const List stories = words("stories");
  return std::any_of(stories.begin(), stories.end(), [&](View story) {
    const auto at = first.find(story);
    return at != View::npos && begins_with_one(first.substr(at + story.size()), words("within stories"));
  });
}

}  // namespace

bool is_said_by_others(View sentence) {
  const Told told = by_quotes(sentence);
  const bool own = told.outside.find(kI) != std::string::npos;
  return (!own && told.inside.find(kI) != std::string::npos && has_one(told.outside, words("saying"))) ||
         tells_story(sentence);
}

}  // namespace weft
