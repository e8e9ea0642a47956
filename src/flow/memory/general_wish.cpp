#include "flow/memory/general_wish.h"

#include <algorithm>
#include <string>

#include "flow/memory/standing_wish.h"
#include "flow/memory/wish_matter.h"
#include "flow/memory/wish_words.h"
#include "text/han_fold.h"
#include "text/lexicon.h"
#include "text/spaced_words.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

SpacedPhrases english_list(View list) { return SpacedPhrases(lexicon("en/wishes", list)); }

struct EnglishSigns {
  SpacedPhrases lasting = english_list("lasting"), with_me = english_list("with me"),
                instructs = english_list("instructs"), likes = english_list("likes"), speaks = english_list("speaks"),
                other = english_list("other"), question = english_list("question"), answers = english_list("answers"),
                said_to_me = english_list("said to me");
};
const EnglishSigns& english() {
  static const EnglishSigns signs;
  return signs;
}

// Whether a phrase of a Chinese list stands in a sentence.
bool says(View sentence, View list) { return holds_any(sentence, lexicon("zh/wishes", list)); }

// Marks beyond ASCII as their kin in it.
std::string straight(std::string text) {
  for (const auto& [mark, by] : {std::pair<View, View>{"’", "'"}, {"–", ","}, {"—", ","}})
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.replace(at, mark.size(), by);
  return text;
}

// A clause as a row of words, without what politeness and time put before it.
std::string row_of(View clause) {
  static const SpacedPhrases openings = english_list("openings");
  std::string row = spaced_words(clause, ".!?\"()");
  for (View opening = openings.begin_of(row); !opening.empty() && opening.size() + 2 < row.size();
       opening = openings.begin_of(row))
    row.erase(1, opening.size() + 1);
  return row;
}

std::vector<std::string> clauses_of(View sentence) {
  const std::string text = straight(normalize(sentence));
  std::vector<std::string> clauses;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",;:", begin), text.size());
    if (std::string row = row_of(View(text).substr(begin, end - begin)); row.size() > 2)
      clauses.push_back(std::move(row));
    begin = end + 1;
  }
  return clauses;
}

bool is_of_answers(View sentence) { return !wish_aspect(sentence).starts_with("of "); }

bool is_general_english(View sentence) {
  const EnglishSigns& signs = english();
  std::string all = " ";
  const auto clauses = clauses_of(sentence);
  for (const std::string& clause : clauses) all += clause.substr(1);
  if (clauses.empty() || signs.other.any_in(all)) return false;
  const bool requests = holds_any(straight(normalize(sentence)), lexicon("en/wishes", "requests"));
  if (!requests && (sentence.ends_with('?') || !signs.question.begin_of(all).empty())) return false;
  const bool known = is_of_answers(sentence), speaks = signs.speaks.any_in(all);
  const bool likes = signs.likes.any_in(all) && (speaks || known);
  const bool instructs =
      requests || std::any_of(clauses.begin(), clauses.end(), [&](const auto& clause) {
        return !signs.instructs.begin_of(clause).empty() && !only_adds(clause) && !is_exclamation(clause);
      });
  if (!likes && !instructs) return false;
  // "I prefer British spelling, always" tells a taste.
  if (signs.lasting.any_in(all)) return instructs || speaks;
  if (likes && known && signs.answers.any_in(all)) return true;
  return known && signs.with_me.any_in(all) && (likes || signs.said_to_me.any_in(all));
}

bool is_general_chinese(View sentence) {
  const std::string text = fold_han(sentence);
  if (says(text, "other") || tells_habit(text) || tells_own_deed(View(text).substr(0, text.find("，"))) ||
      text.starts_with("他") || text.starts_with("她"))
    return false;
  const bool asks_back = text.ends_with("吗") || text.ends_with("？") || text.ends_with("?");
  if ((asks_back && !says(text, "asks kindly")) || !says(text, "instructs")) return false;
  const bool known = is_of_answers(sentence), with_me = says(text, "with me");
  // 我喜欢英式拼写，一直都是: a taste.
  const auto to_you = lexicon("zh/standing_wishes", "to you");
  if (says(text, "likes") && !holds_any(text, to_you)) return false;
  if (says(text, "lasting")) return known || with_me || says(text, "speaks");
  if (known && says(text, "likes") && says(text, "answers")) return true;
  return known && with_me && says(text, "forbids") && !names_matter(text);
}

}  // namespace

bool is_general_wish(std::string_view sentence) {
  return language_of(sentence) == Language::kChinese ? is_general_chinese(sentence) : is_general_english(sentence);
}

bool may_hold_on(std::string_view sentence) {
  const bool chinese = language_of(sentence) == Language::kChinese;
  const auto clauses = clauses_of(sentence);
  if (chinese ? tells_habit(sentence) : clauses.size() == 1 && is_exclamation(clauses.front())) return false;
  if (is_of_answers(sentence)) return true;
  if (chinese) return says(fold_han(sentence), "lasting");
  return std::any_of(clauses.begin(), clauses.end(),
                     [](const std::string& clause) { return english().lasting.any_in(clause); });
}

}  // namespace weft
