#include "flow/recall/corrections.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

#include "text/cues.h"

namespace weft {
namespace {

constexpr double kSame = 0.8;  // of the words of both together, those that both have

TermSet terms_of(const QueryText& question) {
  std::vector<Term> terms;
  for (const QueryText::Word& word : question.words) terms.push_back(word.term);
  return TermSet(std::move(terms)).without(asking_terms());
}

// Where a request is put as one it has no question mark: "Tell me my gate."
bool asks(std::string_view text) {
  if (is_bare_question(text)) return true;
  const Cues cues = find_cues(text);
  return cues.has(Cue::kQuestion) || cues.has(Cue::kRequest) || cues.has(Cue::kWh);
}

bool in_the_same_words(const TermSet& told, const TermSet& asked) {
  if (asked.empty()) return false;
  const auto both = static_cast<double>(told.count_in(asked));
  const auto all = static_cast<double>(told.size() + asked.size()) - both;
  return both >= kSame * all;
}

}  // namespace

Asking asking_of(std::string_view question, const std::vector<std::string>& words) {
  std::vector<Term> terms;
  for (const std::string& word : words) terms.push_back(term_of(word));
  return {std::string(question), TermSet(std::move(terms)).without(asking_terms())};
}

bool is_same_asking(const Item& item, const ItemWords& words, const Asking& question) {
  return item.text == question.text ||
         (in_the_same_words(words.terms_without_asking(), question.terms) && asks(item.text));
}

void put_empty_last(std::vector<Hit>& hits, const QueryText& question) {
  const TermSet asked = terms_of(question);
  const auto first = std::stable_partition(hits.begin(), hits.end(), [&](const Hit& hit) {
    if (hit.item.kind != ItemKind::kMessage) return true;
    const auto words = words_of(hit.item);
    return !words->says_nothing() && (!in_the_same_words(words->terms_without_asking(), asked) || !asks(hit.item.text));
  });
  // Scores tell the order, so none behind may be above what stands before it.
  if (first == hits.begin()) return;
  for (auto hit = first; hit != hits.end(); ++hit) hit->score = std::min(hit->score, std::prev(hit)->score);
}

namespace {

constexpr std::size_t kLeastShared = 2;  // words of a correction and of what it corrects

// The later one may speak of what the earlier one says: of the same speaker, or said to what an assistant said.
bool may_replace(const Item& newer, const Item& older) {
  if (newer.who == "assistant" || newer.who == "tool" || older.who == "tool") return false;
  if (!older.who.empty() && !newer.who.empty() && older.who != newer.who && older.who != "assistant") return false;
  return std::pair(newer.time.ms, newer.position) > std::pair(older.time.ms, older.position);
}

}  // namespace

void Statements::add(const Item& item) {
  statements_.push_back({&item, words_of(item)});
  const std::size_t place = statements_.size() - 1;
  for (const Term term : terms(place)) holders_[term].push_back(place);
}

std::vector<std::size_t> Statements::shared_with(std::size_t place) const {
  std::vector<std::size_t> shared(statements_.size());
  for (const Term term : terms(place))
    for (const std::size_t holder : holders_.at(term)) ++shared[holder];
  return shared;
}

const StatementWords& Statements::reading(std::size_t place) const {
  return statements_[place].words->statement(item(place));
}

bool Statements::proves(const StatementWords& now, std::size_t older) const {
  const StatementWords& then = reading(older);
  const TermSet& words = terms(older);
  return !then.happened && std::any_of(now.changing.begin(), now.changing.end(), [&](const auto& sentence) {
    const std::size_t shared = words.count_in(sentence.terms);
    return shared >= kLeastShared && shared < words.size() &&
           shared * 2 >= std::max(words.size(), sentence.terms.size()) && sentence.terms.contains(then.first) &&
           words.contains(sentence.first);
  });
}

std::optional<Statements::Newer> Statements::newer_than(std::size_t place) const {
  constexpr double kLeast = 0.5, kLeastWithChange = 0.25, kNearly = 0.75;
  const std::size_t words = terms(place).size();
  const std::vector<std::size_t> shared = shared_with(place);
  std::optional<std::size_t> proven, correction, rival;
  const auto take_later = [this](std::optional<std::size_t>& last, std::size_t one) {
    if (!last || item(one).time >= item(*last).time) last = one;
  };
  std::vector<std::pair<std::size_t, double>> rivals;  // places, and the shares of the older words that they repeat
  double best = 0;
  for (std::size_t i = 0; i < statements_.size(); ++i) {
    const double share = shared[i] == 0 ? 0 : static_cast<double>(shared[i]) / static_cast<double>(words);
    if (share < kLeastWithChange || !may_replace(item(i), item(place))) continue;
    const StatementWords &now = reading(i), &then = reading(place);
    if (!now.states || !then.states) continue;
    if (now.changes && now.figures == then.figures && shared[i] >= kLeastShared && share >= kLeast &&
        shared[i] < words) {
      take_later(correction, i);
      if (proves(now, place)) take_later(proven, i);
    }
    const bool repeats = shared[i] == words && terms(i).size() == words;
    if (repeats || (!now.changes && share < kLeast)) continue;
    rivals.emplace_back(i, share);
    best = std::max(best, share);
  }
  if (proven) return Newer{*proven, Certainty::kProven};
  if (correction) return Newer{*correction, Certainty::kSaysSo};
  for (const auto& [i, share] : rivals)
    if (share >= kNearly * best) take_later(rival, i);
  return rival ? std::optional(Newer{*rival, Certainty::kSeems}) : std::nullopt;
}

namespace {

bool share_a_source(const Item& a, const Item& b) {
  return a.session == b.session && std::any_of(a.sources.begin(), a.sources.end(), [&](const MessageId& id) {
           return std::find(b.sources.begin(), b.sources.end(), id) != b.sources.end();
         });
}

// Whether a hit states what holds instead of a part of the item, by the facts that are known.
bool supersedes(const Item& newer, const Item& item) {
  if (item.event && !item.event->superseded_by.empty() && newer.id == item.event->superseded_by) return true;
  return std::any_of(item.over.begin(), item.over.end(), [&](const OverPart& part) {
    if (part.newer.empty()) return false;
    if (newer.id == part.newer) return true;
    return newer.kind == ItemKind::kMessage && newer.session == part.newer_session &&
           std::any_of(newer.sources.begin(), newer.sources.end(), [&](const MessageId& id) {
             return std::find(part.newer_sources.begin(), part.newer_sources.end(), id) != part.newer_sources.end();
           });
  });
}

/// Which hits state what replaced what others state.
class Successors {
 public:
  Successors(const std::vector<Hit>& hits, const QueryText& question) : hits_(hits) {
    constexpr std::size_t kCompared = 30;  // hits; those behind them are hardly looked at
    std::vector<Term> asked;
    for (const QueryText::Word& word : question.words) asked.push_back(word.term);
    asked_ = TermSet(std::move(asked));
    const std::size_t compared = std::min(hits.size(), kCompared);
    for (std::size_t i = 0; i < compared; ++i) statements_.add(hits[i].item);
    for (std::size_t older = 0; older < compared; ++older) {
      const auto newer = statements_.newer_than(older);
      if (!newer || share_a_source(hits[newer->place].item, hits[older].item)) continue;
      if (newer->certainty != Statements::Certainty::kSeems || equally_relevant(newer->place, older))
        newer_.emplace(hits[older].item.id.str(), hits[newer->place].item.id);
    }
  }

  /// The first hit in [begin, end) that replaces `older`.
  std::vector<Hit>::iterator first_after(const Item& older, std::vector<Hit>::iterator begin,
                                         std::vector<Hit>::iterator end) const {
    const auto found = newer_.find(older.id.str());
    return std::find_if(begin, end, [&](const Hit& hit) {
      return supersedes(hit.item, older) || (found != newer_.end() && found->second == hit.item.id);
    });
  }

 private:
  // Both stand close together, tell of what is asked, and the later one says little else; so hardly anything moves
  // besides the two.
  bool equally_relevant(std::size_t newer, std::size_t older) const {
    constexpr std::size_t kReach = 2;  // places
    constexpr double kRelevance = 0.5, kOfNewer = 0.25;
    if (newer > older + kReach || hits_[newer].relevance < kRelevance * hits_[older].relevance) return false;
    const TermSet &then = statements_.terms(older), &now = statements_.terms(newer);
    return std::any_of(then.begin(), then.end(),
                       [&](Term term) { return now.contains(term) && asked_.contains(term); }) &&
           static_cast<double>(then.count_in(now)) >= kOfNewer * static_cast<double>(now.size());
  }

  const std::vector<Hit>& hits_;
  TermSet asked_;
  Statements statements_;  ///< of the first hits
  std::unordered_map<std::string, ItemId> newer_;  ///< by the id of what it replaces
};

}  // namespace

void put_current_first(std::vector<Hit>& hits, const QueryText& question) {
  const Successors successors(hits, question);
  // Chains of replacements are short; each step moves one hit behind its successor.
  for (std::size_t moves = 0, i = 0; i < hits.size() && moves < hits.size() * hits.size(); ++i) {
    const auto at = hits.begin() + static_cast<std::ptrdiff_t>(i);
    const auto successor = successors.first_after(at->item, at + 1, hits.end());
    if (successor == hits.end()) continue;
    // The successor takes the better place and score.
    const double score = at->score;
    std::rotate(at, successor, successor + 1);
    hits[i].score = std::max(hits[i].score, score);
    ++moves;
    --i;  // what stands here now may itself be replaced
  }
}

}  // namespace weft
