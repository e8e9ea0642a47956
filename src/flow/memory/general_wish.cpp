#include "flow/memory/general_wish.h"

#include <algorithm>
#include <string>

#include "flow/memory/standing_wish.h"
#include "flow/memory/wish_words.h"
#include "text/han_fold.h"
#include "text/lexicon.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

// Phrases of a list, with a blank around each.
class Phrases {
 public:
  Phrases(View file, View list) {
    for (const View one : lexicon(file, list)) all_.push_back(" " + std::string(one) + " ");
  }
  /// Whether one stands in a clause, as whole words.
  bool in(View padded) const {
    return std::any_of(all_.begin(), all_.end(), [&](const auto& one) { return padded.find(one) != View::npos; });
  }
  bool begin(View padded) const { return size_of_begin(padded) > 0; }
  /// Bytes of the first that begins a clause, with its blanks; 0 where none does.
  std::size_t size_of_begin(View padded) const {
    const auto one = std::find_if(all_.begin(), all_.end(), [&](const auto& all) { return padded.starts_with(all); });
    return one == all_.end() ? 0 : one->size();
  }
  /// Whether one stands anywhere, words or not.
  bool within(View text) const {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const auto& one) { return text.find(View(one).substr(1, one.size() - 2)) != View::npos; });
  }

 private:
  std::vector<std::string> all_;
};

struct EnglishSigns {
  Phrases lasting{"en/wishes", "lasting"}, with_me{"en/wishes", "with me"}, instructs{"en/wishes", "instructs"},
      likes{"en/wishes", "likes"}, requests{"en/wishes", "requests"}, speaks{"en/wishes", "speaks"},
      other{"en/wishes", "other"}, question{"en/wishes", "question"}, answers{"en/wishes", "answers"},
      said_to_me{"en/wishes", "said to me"};
};
const EnglishSigns& english() {
  static const EnglishSigns signs;
  return signs;
}

struct ChineseSigns {
  Phrases lasting{"zh/wishes", "lasting"}, with_me{"zh/wishes", "with me"}, instructs{"zh/wishes", "instructs"},
      other{"zh/wishes", "other"}, asks_kindly{"zh/wishes", "asks kindly"}, speaks{"zh/wishes", "speaks"},
      likes{"zh/wishes", "likes"}, answers{"zh/wishes", "answers"}, forbids{"zh/wishes", "forbids"};
};
const ChineseSigns& chinese() {
  static const ChineseSigns signs;
  return signs;
}

// Marks beyond ASCII as their kin in it.
std::string straight(std::string text) {
  for (const auto& [mark, by] : {std::pair<View, View>{"’", "'"}, {"–", ","}, {"—", ","}})
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.replace(at, mark.size(), by);
  return text;
}

// What politeness and time put before the clause proper.
const Phrases& openings() {
  static const Phrases all("en/wishes", "openings");
  return all;
}

// Lower case, one blank between words and around them; a comma ends a clause.
std::vector<std::string> clauses_of(View sentence) {
  std::vector<std::string> clauses(1, " ");
  for (const char byte : straight(normalize(sentence))) {
    if (std::string_view(",;:").find(byte) != View::npos && clauses.back().size() > 1) {
      clauses.emplace_back(" ");
      continue;
    }
    const bool mark = std::string_view("\t\r\n.!?\"()").find(byte) != View::npos;
    const char c = mark ? ' ' : byte;
    if (c != ' ' || clauses.back().back() != ' ') clauses.back() += c;
  }
  for (std::string& clause : clauses) {
    if (clause.back() != ' ') clause += ' ';
    for (std::size_t size = openings().size_of_begin(clause); size > 0 && size < clause.size();
         size = openings().size_of_begin(clause))
      clause.erase(0, size - 1);
  }
  std::erase_if(clauses, [](const std::string& clause) { return clause.size() < 3; });
  return clauses;
}

bool is_of_answers(View sentence) { return !wish_aspect(sentence).starts_with("of "); }

bool is_general_english(View sentence) {
  const EnglishSigns& signs = english();
  std::string all = " ";
  const auto clauses = clauses_of(sentence);
  for (const std::string& clause : clauses) all += clause.substr(1);
  if (clauses.empty() || signs.other.in(all)) return false;
  const bool requests = signs.requests.within(straight(normalize(sentence)));
  if (!requests && (sentence.ends_with('?') || signs.question.begin(all))) return false;
  const bool known = is_of_answers(sentence), speaks = signs.speaks.in(all);
  const bool likes = signs.likes.in(all) && (speaks || known);
  const bool instructs = requests || std::any_of(clauses.begin(), clauses.end(), [&](const auto& clause) {
                           return signs.instructs.begin(clause) && !only_adds(clause);
                         });
  if (!likes && !instructs) return false;
  if (signs.lasting.in(all)) return true;
  if (likes && known && signs.answers.in(all)) return true;
  return known && signs.with_me.in(all) && (likes || signs.said_to_me.in(all));
}

bool is_general_chinese(View sentence) {
  const ChineseSigns& signs = chinese();
  const std::string text = fold_han(sentence);
  if (signs.other.within(text) || text.starts_with("他") || text.starts_with("她")) return false;
  const bool asks_back = text.ends_with("吗") || text.ends_with("？") || text.ends_with("?");
  if ((asks_back && !signs.asks_kindly.within(text)) || !signs.instructs.within(text)) return false;
  const bool known = is_of_answers(sentence), with_me = signs.with_me.within(text);
  if (signs.lasting.within(text)) return known || with_me || signs.speaks.within(text);
  if (known && signs.likes.within(text) && signs.answers.within(text)) return true;
  return known && with_me && signs.forbids.within(text);
}

}  // namespace

bool is_general_wish(std::string_view sentence) {
  return language_of(sentence) == Language::kChinese ? is_general_chinese(sentence) : is_general_english(sentence);
}

bool may_hold_on(std::string_view sentence) {
  if (is_of_answers(sentence)) return true;
  if (language_of(sentence) == Language::kChinese) return chinese().lasting.within(fold_han(sentence));
  const auto clauses = clauses_of(sentence);
  return std::any_of(clauses.begin(), clauses.end(),
                     [](const std::string& clause) { return english().lasting.in(clause); });
}

}  // namespace weft
