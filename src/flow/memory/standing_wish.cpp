#include "flow/memory/standing_wish.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "flow/memory/general_wish.h"
#include "flow/memory/statement_readers.h"
#include "flow/memory/wish_matter.h"
#include "flow/memory/wish_words.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kLongestWish = 300;  // bytes
constexpr std::string_view kAsks = " asks: ", kAsksChinese = "要求：";

bool is_chinese(std::string_view text) { return language_of(text) == Language::kChinese; }

// Whose lines carry a wish.
std::string_view subject_before(std::string_view line, std::string_view mark) {
  constexpr std::size_t kLongestSubject = 80;
  const auto at = line.find(mark);
  if (at == std::string_view::npos || at == 0 || at > kLongestSubject) return {};
  return trim_words(line.substr(0, at));
}

bool has_number(std::string_view words) {
  for (std::size_t at = 1; at < words.size(); ++at)
    if (words[at - 1] == ' ' && words[at] >= '0' && words[at] <= '9' &&
        words.find("-hour", at) == std::string_view::npos)
      return true;
  return false;
}

// "Always keep receipts, says my accountant."
bool is_reported(std::string_view sentence) {
  for (const std::string_view word :
       {", says ", ", said ", " says:", " said:", " told me to ", "说：", "，他说", "，她说"})
    if (sentence.find(word) != std::string_view::npos) return true;
  return false;
}

bool is_standing_english(const WishWords& words, const std::string& aspect, bool alone) {
  if (words.empty() || words.has(WishSign::kOnce)) return false;
  const bool asks = words.begins(WishSign::kAsks), likes = words.begins(WishSign::kLikes);
  if (!asks && !likes) return false;
  const bool answers = words.has(WishSign::kAnswers);
  if (likes) return answers || aspect == "units" || aspect == "time format";
  if (words.has(WishSign::kAlways)) return !words.has(WishSign::kPiece);
  // "Convert 5 miles to kilometres" is about these miles.
  if (words.has(WishSign::kPiece) || has_number(words.text())) return false;
  if (!alone || words.has(WishSign::kPointing)) return false;
  if (is_standing_by_nature(aspect)) return true;
  if (words.begins(WishSign::kForbids) && words.has(WishSign::kBringsUp)) return true;
  if (names_matter(words.text())) return false;
  if (aspect == "language" && words.begins(WishSign::kSpeaks)) return true;
  return answers && !aspect.starts_with("of ");
}

bool is_standing_chinese(std::string_view text, const std::string& aspect, bool alone) {
  const ChineseWish wish = read_chinese_wish(text);
  if (wish.once || !wish.asks) return false;
  if (wish.always) return wish.speaks || !aspect.starts_with("of ");
  if (!alone || wish.pointing) return false;
  if (is_standing_by_nature(aspect)) return true;
  return wish.speaks && !aspect.starts_with("of ") && !names_matter(text);
}

}  // namespace

std::vector<std::string> clause_wishes(std::string_view sentence, bool alone) {
  std::vector<std::string> wishes;
  sentence = trim_words(sentence, " \t\r\n");
  if (sentence.size() > kLongestWish || sentence.empty()) return wishes;
  const bool chinese = is_chinese(sentence);
  if (is_reported(sentence)) return wishes;
  bool always = false;  // "From now on answer briefly and use metric" holds for both
  bool piece = false;  // "Write me a poem, always rhyming": what follows is about the poem
  const char* condition = nullptr;  // "Whenever you write code, use Python": where what belongs to the wish begins
  for (const std::string_view clause : wish_clauses(sentence, chinese)) {
    const std::string aspect = wish_aspect(clause);
    if (chinese) {
      const ChineseWish read = read_chinese_wish(clause);
      const bool goes_on = always && read.asks && !read.once && !aspect.starts_with("of ");
      if (!goes_on && !is_standing_chinese(clause, aspect, alone)) continue;
      always = always || read.always;
    } else {
      const WishWords words(clause);
      piece = piece || words.has(WishSign::kPiece);
      if (piece) continue;
      const bool goes_on = always && words.begins(WishSign::kAsks) && !words.has(WishSign::kOnce);
      if (!goes_on && !is_standing_english(words, aspect, alone)) {
        if (words.begins(WishSign::kWhen)) condition = clause.data(), always = true;
        continue;
      }
      always = always || words.has(WishSign::kAlways);
      if (const char* begin = std::exchange(condition, nullptr)) {
        wishes.emplace_back(trim_marks({begin, static_cast<std::size_t>(clause.data() + clause.size() - begin)}));
        continue;
      }
    }
    wishes.emplace_back(trim_marks(clause));
  }
  return wishes;
}

std::vector<std::string> standing_wishes(std::string_view sentence, bool alone) {
  std::vector<std::string> wishes = clause_wishes(sentence, alone);
  if (!wishes.empty()) return wishes;
  sentence = trim_words(sentence, " \t\r\n");
  if (sentence.size() <= kLongestWish && !is_reported(sentence) && is_general_wish(sentence))
    wishes.emplace_back(trim_marks(sentence));
  return wishes;
}

std::string wish_line(std::string_view subject, std::string_view wish) {
  const std::string_view mark = is_chinese(wish) ? kAsksChinese : kAsks;
  return std::string(subject) + std::string(mark) + std::string(wish);
}

std::optional<ProfileStatement> read_wish_line(std::string_view line) {
  for (const std::string_view mark : {kAsks, kAsksChinese}) {
    const std::string_view subject = subject_before(line, mark);
    if (subject.empty()) continue;
    const std::string_view wish = trim_words(line.substr(line.find(mark) + mark.size()));
    const std::string name = normalize(subject);
    return make_statement(name, {wish_attribute(wish), true, Polarity::kYes}, normalize(wish));
  }
  return std::nullopt;
}

}  // namespace weft
