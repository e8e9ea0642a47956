#include "flow/context/memory_candidates.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "flow/context/visible.h"
#include "flow/recall/askings.h"
#include "flow/recall/query.h"
#include "text/changes.h"
#include "text/cues.h"
#include "text/question.h"
#include "text/says_nothing.h"
#include "text/words.h"

namespace weft {
namespace {

// How likely a hit is evidence falls with its rank and rises with its relevance, by itself and against the best: a
// logistic curve, fitted to the messages that answer questions about labelled talks. A neighbour gets a third of it, a
// neighbour's neighbour a sixth; such votes find as much as single messages do.
constexpr double kBias = -1, kByRank = -0.82, kByRelevance = 0.54, kByBest = -0.27;
constexpr double kNeighbourShare = 0.35;
// What is less likely to be evidence is not worth its tokens. What no search found has to be near what is likely.
constexpr double kLeastGain = 0.012, kLeastBeside = 0.02;
// Where nothing is surely known, what may have to do with a question of who asks for their own matters, whose answer
// stands nowhere else: so many hits, each of so much of the configured relevance.
constexpr std::size_t kUnsureHits = 3;
constexpr double kUnsureShare = 0.6, kUnsureByWords = 0.1;  // words alone judge a question in other words too low
constexpr std::string_view kAsksTheSame = "asks the same", kOnlyAsks = "only asks";

double logit(double share) {
  constexpr double kEdge = 1e-3;
  share = std::clamp(share, kEdge, 1 - kEdge);
  return std::log(share / (1 - share));
}

double gain_of(double relevance, double best, std::size_t rank) {
  const double sum =
      kBias + kByRank * std::log1p(static_cast<double>(rank)) + kByRelevance * logit(relevance) + kByBest * logit(best);
  return 1 / (1 + std::exp(-sum));
}

// Made by rules from messages that are there themselves: it says nothing that they do not say.
bool repeats_its_messages(const Item& item) {
  const bool fact = item.event && item.event->is_fact();
  const bool derived = item.kind == ItemKind::kEvent || item.kind == ItemKind::kNarrative;
  return derived && !fact && item.by == MadeBy::kFloor && !item.sources.empty();
}

// Said about saying: "You said: …" adds nothing to what was said.
const std::set<Term>& reporting() {
  static const std::set<Term> kTerms = listed_terms("cues", "reporting");
  return kTerms;
}

/// What a message says, for telling whether it says something anew.
struct Statement {
  MemoryCandidate* candidate = nullptr;
  std::set<Term> terms;
  bool states = false;   ///< one thing, and asks nothing
  bool changes = false;  ///< says that something has changed
  bool figures = false;
};

Statement statement_of(MemoryCandidate& candidate) {
  constexpr std::size_t kMostTerms = 40;  // longer texts say more than one thing
  const std::string& text = candidate.item->text;
  Statement made{&candidate, terms_but(text, reporting()), false, false, false};
  made.states = made.terms.size() <= kMostTerms && !only_asks(text);
  made.changes = made.states && tells_of_change(text);
  made.figures = text.find_first_of("0123456789") != std::string::npos;
  return made;
}

// Half of the words of the older one are the matter that both share; what it says beside them is its value. That two
// statements lie near each other by meaning is no proof: of what was told so in long talks half still held.
bool corrects(const Statement& newer, const Statement& older) {
  constexpr std::size_t kLeastShared = 2;
  const Item &now = *newer.candidate->item, &then = *older.candidate->item;
  if (!newer.changes || !older.states || newer.figures != older.figures || now.who == "assistant") return false;
  if (then.who != now.who && then.who != "assistant") return false;
  if (std::pair(now.time.ms, now.position) <= std::pair(then.time.ms, then.position)) return false;
  const auto shared = static_cast<std::size_t>(
      std::count_if(older.terms.begin(), older.terms.end(), [&](Term term) { return newer.terms.contains(term); }));
  return shared >= kLeastShared && 2 * shared >= older.terms.size() && shared < older.terms.size();
}

// Whether all words of one text stand in another.
bool says_no_more(std::string_view text, std::string_view than) {
  const std::set<Term> part = terms_but(text, reporting()), whole = terms_but(than, reporting());
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

// Whether what follows a question says more than it.
bool is_answered(const Hit& question) {
  return !question.after.empty() && !says_no_more(question.after.front().text, question.item.text);
}

}  // namespace

MemoryCandidates::MemoryCandidates(const Config& config, std::string_view query, const SearchResult& found)
    : config_(config), found_(found), sure_(true) {
  const Cues cues = find_cues(query);
  const bool personal = speaks_of_who_asks(query), question = cues.has(Cue::kQuestion) || cues.has(Cue::kWh);
  asks_ = personal || question;
  const double share = !personal || !question ? 1 : found.by == MadeBy::kFloor ? kUnsureByWords : kUnsureShare;
  least_ = share * config.recall.known_threshold;
  for (const Hit& hit : found.hits)
    if (hit.item.kind == ItemKind::kMessage)
      for (const MessageId& id : hit.item.sources) messages_[source_key(hit.item.session, id)].push_back(&hit);
  // The input itself, which may be kept already, is no sign that anything is known; that it was answered before is.
  double best = 0;
  for (const Hit& hit : found.hits)
    if (hit.relevance > best &&
        (hit.item.kind != ItemKind::kMessage || why_not(hit, query).empty() || is_answered(hit)))
      best = hit.relevance;
  sure_ = best >= config.recall.known_threshold;
  std::size_t rank = 0;
  for (const Hit& hit : found.hits) {
    std::string why = why_not(hit, query);
    const Hit* stands = &hit;
    if (why.empty() && config.context.memory_around > 0) stands = message_of(hit.item, &hit);
    if (stands != &hit && why_not(*stands, query).empty()) why = "its message stands for it";
    const double weight = gain_of(hit.relevance, best, rank);
    if (why.empty() || stands != &hit) {
      vote(*stands, weight);
      ++rank;
    } else if ((why == kAsksTheSame || why == kOnlyAsks) && is_answered(hit)) {
      vote_around(hit.item, hit.after, true, weight);
    }
    if (!why.empty()) refused_.emplace_back(&hit, std::move(why));
  }
  find_corrections();
  for (MemoryCandidate& one : ordered_)
    for (const Item*& newer : one.newer)
      if (const Hit* message = message_of(*newer, nullptr)) newer = &message->item;
  std::stable_sort(ordered_.begin(), ordered_.end(),
                   [](const MemoryCandidate& a, const MemoryCandidate& b) { return a.gain > b.gain; });
  if (config.context.memory_tokens > 0) leave_out_the_unlikely();
}

// Of several corrections the last one holds.
void MemoryCandidates::find_corrections() {
  std::vector<Statement> statements;
  for (MemoryCandidate& one : ordered_)
    if (one.hit != nullptr && one.item->kind == ItemKind::kMessage && one.item->who != "tool" && one.item->over.empty())
      statements.push_back(statement_of(one));
  for (const Statement& older : statements) {
    const Item* last = nullptr;
    for (const Statement& newer : statements)
      if (corrects(newer, older) && (last == nullptr || newer.candidate->item->time >= last->time))
        last = newer.candidate->item;
    if (last == nullptr) continue;
    older.candidate->newer.insert(older.candidate->newer.begin(), last);
    older.candidate->outdated = last->time;
  }
}

// The best hit stands whatever it weighs.
void MemoryCandidates::leave_out_the_unlikely() {
  if (ordered_.empty()) return;
  const auto likely = [](const MemoryCandidate& one) {
    return one.gain >= (one.hit != nullptr ? kLeastGain : kLeastBeside);
  };
  for (const MemoryCandidate& one : std::span(ordered_).subspan(1))
    if (one.hit != nullptr && !likely(one)) refused_.emplace_back(one.hit, "not likely to answer");
  ordered_.erase(std::stable_partition(ordered_.begin() + 1, ordered_.end(), likely), ordered_.end());
}

bool MemoryCandidates::follows(const Item& first, const Item& second) const {
  return follows_.contains({first.id.str(), second.id.str()});
}

std::string MemoryCandidates::why_not(const Hit& hit, std::string_view query) const {
  const Item& item = hit.item;
  if (!sure_ && (ordered_.size() >= kUnsureHits || hit.relevance < least_)) return "nothing relevant is known";
  if (!asks_ && hit.relevance < config_.recall.known_threshold) return "not surely relevant";
  if (config_.context.memory_around > 0 && repeats_its_messages(item)) return "its messages stand for it";
  if (item.kind != ItemKind::kMessage) return {};
  if (says_nothing(item.text)) return "says nothing";
  if (is_same_asking(item.text, asking_of(query, index_words(query)))) return std::string(kAsksTheSame);
  if (config_.context.memory_around > 0 && only_asks(item.text)) return std::string(kOnlyAsks);
  if (item.who != "assistant") return {};
  for (const Hit& better : found_.hits) {
    if (&better == &hit) break;
    if (better.item.who != "assistant" && says_no_more(item.text, better.item.text)) return "said by a better hit";
  }
  return {};
}

// Of the messages that were found, the one in which a fact was stated: it says all that the fact says, in its own
// words.
const Hit* MemoryCandidates::message_of(const Item& item, const Hit* otherwise) const {
  if (item.kind != ItemKind::kEvent || !item.event || !item.event->is_fact()) return otherwise;
  const std::string& quote = item.event->quote;
  if (quote.empty()) return otherwise;
  for (const MessageId& id : item.sources) {
    const auto found = messages_.find(source_key(item.session, id));
    if (found == messages_.end()) continue;
    for (const Hit* hit : found->second)
      if (hit->item.text.find(quote) != std::string::npos) return hit;
  }
  return otherwise;
}

MemoryCandidate& MemoryCandidates::candidate(const Item& item) {
  const auto [at, added] = places_.emplace(item.id.str(), ordered_.size());
  if (added) {
    ordered_.push_back({&item, nullptr, 0, {}, {}, false});
    ordered_.back().empty_talk = item.kind == ItemKind::kMessage && says_nothing(item.text);
  }
  return ordered_[at->second];
}

void MemoryCandidates::vote(const Hit& hit, double weight) {
  MemoryCandidate& own = candidate(hit.item);
  own.item = &hit.item;
  own.hit = &hit;
  own.gain += weight;
  for (const Item& newer : hit.newer) own.newer.push_back(&newer);
  if (!sure_ || !asks_) return;
  vote_around(hit.item, hit.before, false, weight);
  vote_around(hit.item, hit.after, true, weight);
}

// What has been replaced since stands only where it was found itself, with what replaced it.
void MemoryCandidates::vote_around(const Item& from, const std::vector<Item>& around, bool forward, double weight) {
  const Item* last = &from;
  double distance = 0;
  for (const Item& item : around) {
    ++distance;
    if (forward)
      follows_.emplace(last->id.str(), item.id.str());
    else
      follows_.emplace(item.id.str(), last->id.str());
    last = &item;
    if (item.over.empty() && item.who != "tool") candidate(item).gain += weight * kNeighbourShare / distance;
  }
}

}  // namespace weft
