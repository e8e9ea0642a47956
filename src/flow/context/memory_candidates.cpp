#include "flow/context/memory_candidates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include "flow/context/visible.h"
#include "flow/recall/corrections.h"
#include "flow/recall/query.h"
#include "text/cues.h"
#include "text/question.h"
#include "text/token_counter.h"
#include "text/utf8.h"

namespace weft {
namespace {

// How likely a hit is evidence falls with its rank and rises with its relevance, by itself and against the best: a
// logistic curve, fitted to the messages that answer questions about labelled talks. A neighbour gets a third of it, a
// neighbour's neighbour a sixth; such votes find as much as single messages do.
constexpr double kBias = -1, kByRank = -0.82, kByRelevance = 0.54, kByBest = -0.27;
constexpr double kNeighbourShare = 0.35;
// Candidates that are less likely to be evidence are left out. A neighbour that no search found needs more.
constexpr double kLeastGain = 0.005, kLeastBeside = 0.014;
// A long text uses up the room of several short ones, so candidates are ordered by gain / tokens^exponent. Exponent 1
// is the greedy order of a knapsack; long texts say more, so a smaller one holds more complete evidence on labelled
// talks.
constexpr double kCostExponent = 0.6, kLineTokens = 20;
constexpr double kSurest = 0.9;  // relevance that is enough in any case, unless more is configured
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

// Whether most of the first hits are in another language than the question.
bool is_across_languages(std::string_view query, const std::vector<Hit>& hits) {
  constexpr std::size_t kLookedAt = 10;
  const Language asked = language_of(query);
  const std::span<const Hit> first(hits.data(), std::min(hits.size(), kLookedAt));
  const auto other =
      std::count_if(first.begin(), first.end(), [&](const Hit& hit) { return language_of(hit.item.text) != asked; });
  return 2 * static_cast<std::size_t>(other) > first.size();
}

// Where nothing is surely known a question still gets a few hits. Words alone judge a question in other words too low,
// and vectors one in another language than the memories. The asker's own matters no other source can tell; but all
// talk of a person is near to them, so it takes more to be sure.
Doubtful doubtful_hits(bool personal, bool by_words, bool across) {
  if (by_words) return personal ? Doubtful{.best = 0.1, .each = 0.1, .most = 3} : Doubtful{};
  Doubtful some{.sure = personal ? 1.2 : 1, .best = 0.55, .each = 0.2, .most = 8};
  if (personal) some.best = 0.8;
  if (across) some.best = 0.4, some.each = 0.15, some.most = 12;
  return some;
}

// Made by rules from messages that are there themselves: it says nothing that they do not say.
bool repeats_its_messages(const Item& item) {
  const bool fact = item.event && item.event->is_fact();
  const bool derived = item.kind == ItemKind::kEvent || item.kind == ItemKind::kNarrative;
  return derived && !fact && item.by == MadeBy::kFloor && !item.sources.empty();
}

// Whether all words of one text stand in another.
bool says_no_more(const ItemWords& part, const ItemWords& whole) {
  const TermSet &some = part.matter(), &all = whole.matter();
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

}  // namespace

MemoryCandidates::MemoryCandidates(const Config& config, std::string_view query, const SearchResult& found)
    : config_(config), found_(found) {
  const Cues cues = find_cues(query);
  const bool personal = speaks_of_who_asks(query), question = cues.has(Cue::kQuestion) || cues.has(Cue::kWh);
  asks_ = personal || question;
  const bool by_words = found.by == MadeBy::kFloor;
  if (question) doubtful_ = doubtful_hits(personal, by_words, !by_words && is_across_languages(query, found.hits));
  read_hits(query);
  // The input itself, which may be kept already, is no sign that anything is known; that it was answered before is.
  double best = 0;
  for (std::size_t i = 0; i < found.hits.size(); ++i)
    if (found.hits[i].item.kind != ItemKind::kMessage || read_[i].why.empty() || is_answered(i))
      best = std::max(best, found.hits[i].relevance);
  sure_ = best >=
          std::max(config.recall.known_threshold, std::min(doubtful_.sure * config.recall.known_threshold, kSurest));
  if (best < doubtful_.best * config.recall.known_threshold) doubtful_.most = 0;
  std::size_t rank = 0;
  for (std::size_t i = 0; i < found.hits.size(); ++i) {
    const Hit& hit = found.hits[i];
    std::string why = why_not(i);
    const Hit* stands = &hit;
    if (why.empty() && config.context.memory_around > 0) stands = message_of(hit.item, &hit);
    if (stands != &hit && why_not(static_cast<std::size_t>(stands - found.hits.data())).empty())
      why = "its message stands for it";
    const double weight = gain_of(hit.relevance, best, rank);
    if (why.empty() || stands != &hit) {
      vote(*stands, weight);
      ++rank;
    } else if ((why == kAsksTheSame || why == kOnlyAsks) && is_answered(i)) {
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
  if (config.context.memory_tokens > 0) {
    leave_out_the_unlikely();
    order_by_cost();
  }
}

void MemoryCandidates::read_hits(std::string_view query) {
  const Asking asking = asking_of(query, index_words(query));
  for (const Hit& hit : found_.hits) {
    if (hit.item.kind == ItemKind::kMessage)
      for (const MessageId& id : hit.item.sources) messages_[source_key(hit.item.session, id)].push_back(&hit);
    if (config_.context.memory_around > 0 && repeats_its_messages(hit.item)) {
      read_.push_back({nullptr, "its messages stand for it"});
      continue;
    }
    auto words = words_of(hit.item);
    std::string why = why_of_text(hit.item, *words, asking);
    read_.push_back({std::move(words), std::move(why)});
  }
}

// What a hit says, compared with the question and with the hits before it.
std::string MemoryCandidates::why_of_text(const Item& item, const ItemWords& words, const Asking& asking) const {
  if (item.kind != ItemKind::kMessage) return {};
  if (words.says_nothing()) return "says nothing";
  if (is_same_asking(item, words, asking)) return std::string(kAsksTheSame);
  if (config_.context.memory_around > 0 && only_asks(item.text)) return std::string(kOnlyAsks);
  if (item.who != "assistant") return {};
  for (std::size_t i = 0; i < read_.size(); ++i) {
    const bool repeats =
        found_.hits[i].item.who != "assistant" && read_[i].words && says_no_more(words, *read_[i].words);
    if (repeats) return "said by a better hit";
  }
  return {};
}

std::string MemoryCandidates::why_not(std::size_t hit) const {
  const double relevance = found_.hits[hit].relevance;
  const double least = doubtful_.each * config_.recall.known_threshold;
  if (!sure_ && (ordered_.size() >= doubtful_.most || relevance < least)) return "nothing relevant is known";
  if (!asks_ && relevance < config_.recall.known_threshold) return "not surely relevant";
  return read_[hit].why;
}

// Whether what follows a question says more than it.
bool MemoryCandidates::is_answered(std::size_t hit) const {
  const std::vector<Item>& after = found_.hits[hit].after;
  return !after.empty() && !says_no_more(*words_of(after.front()), *words_of(found_.hits[hit].item));
}

// Whatever brings an old value brings what may hold instead, too.
void MemoryCandidates::find_corrections() {
  Statements statements;
  std::vector<MemoryCandidate*> candidates;
  for (MemoryCandidate& one : ordered_) {
    if (one.item->kind != ItemKind::kMessage || one.item->who == "tool" || !one.item->over.empty()) continue;
    statements.add(*one.item);
    candidates.push_back(&one);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto newer = statements.newer_than(i);
    if (!newer) continue;
    const Item& item = statements.item(newer->place);
    candidates[i]->newer.insert(candidates[i]->newer.begin(), &item);
    if (newer->certainty == Statements::Certainty::kProven) candidates[i]->outdated = item.time;
  }
}

// The best candidate stays, however unlikely it is.
void MemoryCandidates::leave_out_the_unlikely() {
  if (ordered_.empty()) return;
  const auto likely = [](const MemoryCandidate& one) {
    return one.gain >= (one.hit != nullptr ? kLeastGain : kLeastBeside);
  };
  for (const MemoryCandidate& one : std::span(ordered_).subspan(1))
    if (one.hit != nullptr && !likely(one)) refused_.emplace_back(one.hit, "not likely to answer");
  ordered_.erase(std::stable_partition(ordered_.begin() + 1, ordered_.end(), likely), ordered_.end());
}

void MemoryCandidates::order_by_cost() {
  std::map<const Item*, double> worth;
  for (const MemoryCandidate& one : ordered_) {
    const double tokens = kLineTokens + static_cast<double>(estimate_tokens(one.item->text, TokenMode::kScript));
    worth.emplace(one.item, one.gain / std::pow(tokens, kCostExponent));
  }
  std::stable_sort(ordered_.begin(), ordered_.end(), [&](const MemoryCandidate& a, const MemoryCandidate& b) {
    return worth.at(a.item) > worth.at(b.item);
  });
}

bool MemoryCandidates::follows(const Item& first, const Item& second) const {
  return follows_.contains({first.id.str(), second.id.str()});
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
    ordered_.back().empty_talk = item.kind == ItemKind::kMessage && words_of(item)->says_nothing();
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

// A neighbour that was replaced since is left out: only a hit may bring an old value, together with the new one.
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

namespace {

constexpr std::size_t kQueryBytes = 4096;  // of what memory is asked with

}  // namespace

std::string memory_query(std::string_view input, const TaskState& task) {
  std::string query(input);
  if (!task.description.empty()) query += (query.empty() ? "" : "\n") + task.description;
  if (!task.current.empty()) query += "\n" + task.current;
  return std::string(cut_bytes(query, kQueryBytes));
}

}  // namespace weft
