#include "flow/memory/speech.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "flow/memory/chinese_requests.h"
#include "text/lexicon.h"
#include "text/utf8.h"

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

// The longest entry that begins the text; 0 where none does.
std::size_t size_at(View text, List list) {
  std::size_t size = 0;
  for (const View one : list)
    if (text.starts_with(one)) size = std::max(size, one.size());
  return size;
}

View without_all(View text, List list) {
  for (std::size_t size = size_at(text, list); size > 0; size = size_at(text, list)) text.remove_prefix(size);
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

double likeness_to_speech(View message) {
  constexpr std::size_t kShortest = 40;  // characters
  constexpr double kUsual = 4, kMost = 2;  // of such words in a hundred characters
  const List fillers = words("fillers"), audience = words("audience");
  std::size_t characters = 0, marks = 0;
  View first;
  bool several = false;  // kinds of fillers: one may be a habit of writing
  for (std::size_t at = 0; at < message.size();) {
    const View rest = message.substr(at);
    const std::size_t filler = size_at(rest, fillers), size = std::max(filler, size_at(rest, audience));
    if (size > 0) ++marks;
    if (filler > 0 && first.empty()) first = rest.substr(0, filler);
    several = several || (filler > 0 && first != rest.substr(0, filler));
    const std::size_t end = at + size;
    do {
      if (is_cjk(next_code_point(message, at))) ++characters;
    } while (at < end);
  }
  if (characters < kShortest || !several) return 0;
  return std::min(kMost, static_cast<double>(marks) * 100 / static_cast<double>(characters) / kUsual);
}

bool tells_who_speaks(View sentence) {
  for (std::size_t at = sentence.find(kI); at != View::npos; at = sentence.find(kI, at + kI.size())) {
    const View rest = sentence.substr(at + kI.size());
    if (rest.starts_with("们") || sentence.substr(0, at).ends_with("自")) continue;
    const View plain = without_all(rest, words("before what one is"));
    const std::size_t verb = size_at(plain, words("what one is"));
    if (verb > 0 && !begins_with_one(plain.substr(verb), words("no being"))) return true;
  }
  return false;
}

bool is_said_by_others(View sentence) {
  const Told told = by_quotes(sentence);
  const bool own = told.outside.find(kI) != std::string::npos;
  return (!own && told.inside.find(kI) != std::string::npos && has_one(told.outside, words("saying"))) ||
         tells_story(sentence);
}

}  // namespace weft
