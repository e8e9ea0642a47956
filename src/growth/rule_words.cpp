#include "growth/rule_words.h"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/plain_words.h"
#include "text/words.h"

namespace weft {
namespace {

using Words = std::vector<PlainWord>;
using Span = std::span<const PlainWord>;

constexpr std::size_t kReach = 8;  // words between a verb and what it is done to
constexpr Moods kNegations{Mood::kForbids, Mood::kNotTo,    Mood::kNotToDo, Mood::kUnasked, Mood::kDoesNot,
                           Mood::kNegates, Mood::kHoldsOff, Mood::kCanNot,  Mood::kNotOver};
constexpr Moods kSigns = kNegations | Moods(Mood::kNoNegation, Mood::kNoRule);

struct Found {
  std::size_t at = 0, words = 0;
};

const PhraseTable& table(const char* list) {
  static const auto tables = [] {
    std::vector<std::pair<std::string, PhraseTable>> made;
    for (const char* name : {"lifts", "guards", "asking", "unless", "no need", "grants", "gives away", "secrets",
                             "leaves out", "conditions", "condition ends"})
      made.emplace_back(name, phrase_table("safety", name));
    return made;
  }();
  return std::find_if(tables.begin(), tables.end(), [list](const auto& one) { return one.first == list; })->second;
}

std::vector<Found> all_of(const Words& words, const PhraseTable& phrases) {
  std::vector<Found> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto match = phrases.longest(words, i);
    if (match.words == 0) continue;
    found.push_back({i, match.words});
    i += match.words - 1;
  }
  return found;
}

std::vector<Found> negations_in(const Words& words) {
  std::vector<Found> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Modal modal = modal_at(words, i, kSigns);
    if (modal.words == 0) continue;
    if (!modal.moods.has(Mood::kNoNegation) && !modal.moods.has(Mood::kNoRule)) found.push_back({i, modal.words});
    i += modal.words - 1;
  }
  return found;
}

std::string words_of(const Words& words, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) {
    if (!text.empty() && words[i].kind != WordKind::kHan) text += ' ';
    text += words[i].text;
  }
  return text;
}

bool breaks(const PlainWord& word, bool at_commas) {
  return word.kind == WordKind::kStop || word.kind == WordKind::kQuestion ||
         (at_commas && word.kind == WordKind::kComma);
}

std::vector<Words> clauses_of(std::string_view text, bool at_commas) {
  std::vector<Words> clauses(1);
  for (PlainWord& word : plain_words(text)) {
    if (!breaks(word, at_commas))
      clauses.back().push_back(std::move(word));
    else if (!clauses.back().empty())
      clauses.emplace_back();
  }
  if (clauses.back().empty()) clauses.pop_back();
  return clauses;
}

// Negations right before a place, an odd number of them.
bool negated(const Words& words, const std::vector<Found>& negations, std::size_t at) {
  std::size_t count = 0;
  for (const Found& one : negations) {
    const std::size_t end = one.at + one.words;
    const bool breaks_between = std::any_of(words.begin() + static_cast<std::ptrdiff_t>(std::min(end, at)),
                                            words.begin() + static_cast<std::ptrdiff_t>(at),
                                            [](const PlainWord& word) { return word.kind == WordKind::kComma; });
    const bool covers = one.at < at && end > at;  // "do not send" is one phrase
    count += covers || (end <= at && at - end <= 3 && !breaks_between);
  }
  return count % 2 == 1;
}

// A verb and what it is done to, near each other, unless the verb is negated.
std::optional<std::string> done_to(const Words& words, const std::vector<Found>& negations, const char* verbs,
                                   const char* objects) {
  const auto things = all_of(words, table(objects));
  for (const Found& verb : all_of(words, table(verbs))) {
    if (negated(words, negations, verb.at)) continue;
    for (const Found& thing : things) {
      const std::size_t from = std::min(verb.at, thing.at);
      const std::size_t to = std::max(verb.at + verb.words, thing.at + thing.words);
      if (to - from <= kReach + verb.words + thing.words) return words_of(words, from, to);
    }
  }
  return std::nullopt;
}

// "Without asking", "no need to confirm": an odd number of negations, where "never … without" makes two, as does
// "without permission never …".
std::optional<std::string> without_asking(const Words& words, const std::vector<Found>& negations) {
  const auto lifted = all_of(words, table("no need")), turns = all_of(words, table("unless"));
  for (const Found& asking : all_of(words, table("asking"))) {
    std::set<std::size_t> signs;
    bool near = false;
    std::size_t first = asking.at;
    for (const auto* list : {&lifted, &turns})
      for (const Found& one : *list) {
        if (one.at >= asking.at || asking.at - one.at > 2 * kReach) continue;
        signs.insert(one.at);
        near |= list == &lifted && asking.at - (one.at + one.words) <= 4;
        first = std::min(first, one.at);
      }
    const bool turned = std::any_of(negations.begin(), negations.end(), [&](const Found& one) {
      return one.at >= asking.at + asking.words && one.at - asking.at <= kReach;
    });
    if (near && !turned && signs.size() % 2 == 1) return words_of(words, first, asking.at + asking.words);
  }
  return std::nullopt;
}

bool is_condition(const Words& clause) {
  if (table("conditions").longest(clause, 0).words > 0) return true;
  for (std::size_t length = 1; length <= std::min<std::size_t>(2, clause.size()); ++length)
    if (table("condition ends").longest(clause, clause.size() - length).words == length) return true;
  return false;
}

// What a clause says to do, in a form in which two can be compared.
struct Advice {
  std::set<std::string> words, numbers;
  bool negative = false;
};

Advice advice_of(const Words& clause) {
  Advice advice;
  const auto negations = negations_in(clause), left_out = all_of(clause, table("leaves out"));
  advice.negative = (negations.size() + left_out.size()) % 2 == 1;
  const auto within = [](const std::vector<Found>& found, std::size_t at) {
    return std::any_of(found.begin(), found.end(),
                       [at](const Found& one) { return at >= one.at && at < one.at + one.words; });
  };
  std::string rest;
  for (std::size_t i = 0; i < clause.size(); ++i) {
    if (clause[i].kind == WordKind::kNumber) advice.numbers.insert(clause[i].text);
    if (clause[i].kind == WordKind::kNumber || within(negations, i) || within(left_out, i)) continue;
    if (clause[i].kind != WordKind::kHan || rest.ends_with(' ')) rest += ' ';
    rest += clause[i].text;
  }
  for (std::string& word : index_words(rest)) advice.words.insert(std::move(word));
  return advice;
}

double shared_part(const Advice& a, const Advice& b) {
  const std::size_t least = std::min(a.words.size(), b.words.size());
  if (least == 0) return 0;
  std::size_t both = 0;
  for (const std::string& word : a.words) both += b.words.count(word);
  return static_cast<double>(both) / static_cast<double>(least);
}

}  // namespace

std::optional<std::string> loosens_safety(std::string_view advice) {
  for (const Words& words : clauses_of(advice, false)) {
    const auto negations = negations_in(words);
    if (auto found = done_to(words, negations, "lifts", "guards")) return found;
    if (auto found = done_to(words, negations, "gives away", "secrets")) return found;
    for (const Found& grant : all_of(words, table("grants")))
      if (!negated(words, negations, grant.at)) return words_of(words, grant.at, grant.at + grant.words);
    if (auto found = without_asking(words, negations)) return found;
  }
  return std::nullopt;
}

bool only_restricts(std::string_view advice) {
  if (loosens_safety(advice)) return false;
  bool restricts = false;
  for (const Words& clause : clauses_of(advice, true)) {
    const bool forbids = negations_in(clause).size() % 2 == 1;
    const bool asks = !all_of(clause, table("asking")).empty();
    if (forbids || asks)
      restricts = true;
    else if (!is_condition(clause))
      return false;
  }
  return restricts;
}

std::string_view to_string(Conflict conflict) {
  switch (conflict) {
    case Conflict::kNone: return "none";
    case Conflict::kPolarity: return "polarity";
    case Conflict::kNumber: return "number";
  }
  return "none";
}

Conflict conflict_between(std::string_view a, std::string_view b) {
  constexpr double kOneMatter = 0.5, kSameWords = 0.8;
  double best = 0;
  Conflict conflict = Conflict::kNone;
  const auto theirs = clauses_of(b, true);
  for (const Words& clause : clauses_of(a, true)) {
    const Advice mine = advice_of(clause);
    for (const Words& other : theirs) {
      const Advice their = advice_of(other);
      const double shared = shared_part(mine, their);
      if (shared < kOneMatter || shared <= best || is_condition(clause) || is_condition(other)) continue;
      best = shared;
      const bool numbers = !mine.numbers.empty() && !their.numbers.empty() && mine.numbers != their.numbers;
      conflict = mine.negative != their.negative   ? Conflict::kPolarity
                 : numbers && shared >= kSameWords ? Conflict::kNumber
                                                   : Conflict::kNone;
    }
  }
  return conflict;
}

Outcome settled_outcome(const TaskReport& report) {
  if (report.outcome_by == Witness::kVerifier || report.outcome_by == Witness::kUser) return report.outcome;
  switch (report.reaction) {
    case UserReaction::kSatisfied: return Outcome::kSuccess;
    case UserReaction::kAskedAgain:
    case UserReaction::kComplained: return Outcome::kFailure;
    default: return report.outcome;
  }
}

Outcome witnessed_outcome(const TaskReport& report) {
  TaskReport others;
  others.reaction = report.reaction;
  others.outcome_by = report.outcome_by == Witness::kModel ? Witness::kNobody : report.outcome_by;
  if (report.outcome_by != Witness::kModel) others.outcome = report.outcome;
  return settled_outcome(others);
}

bool is_trusted(Provenance provenance) { return provenance == Provenance::kOwnRun || provenance == Provenance::kUser; }

}  // namespace weft
