#include "flow/context/memory_section.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/strings.h"
#include "flow/compaction/failure.h"
#include "flow/context/assembly.h"
#include "flow/context/fence.h"
#include "flow/recall/corrections.h"
#include "flow/recall/query.h"
#include "model/rows.h"
#include "text/cues.h"
#include "text/small_talk.h"
#include "text/token_counter.h"
#include "text/typed_words.h"
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

// Memories recalled for the input.

namespace {

constexpr std::size_t kHitsForEach = 4;  // search hits per memory that the prompt may hold: many hits repeat the prompt

std::string query_of(const Assembly& assembly) {
  std::string input;
  for (auto turn = assembly.turns.rbegin(); turn != assembly.turns.rend() && input.empty(); ++turn) {
    const Message& first = turn->messages.front()->message;
    if (first.role == Role::kUser) input = typed_words(first.content);
  }
  return memory_query(input, assembly.input.task);
}

class Chooser {
 public:
  Chooser(Assembly& assembly, const MemoryCandidates& candidates, std::int64_t room, Language language)
      : assembly_(assembly),
        candidates_(candidates),
        language_(language),
        room_(room),
        most_(static_cast<std::size_t>(assembly.ports.config.recall.auto_top)),
        most_events_(static_cast<std::size_t>(assembly.ports.config.cognitive_query.auto_top_k)),
        most_of_tools_(static_cast<std::size_t>(assembly.ports.config.context.tool_memories)) {
    for (const EarlierMemory& one : assembly.earlier) {
      const WovenMemory& memory = assembly.input.earlier_memories.at(one.place);
      stands_.insert(memory.items.begin(), memory.items.end());
      for (const std::string& source : memory.sources) assembly.visible.add_source(source);
    }
    if (assembly.input.compacted) stands_.insert("compaction:" + assembly.input.compacted->id);
  }

  /// Facts that the profile holds, and messages that say nothing beside such a fact, have their place there.
  void leave_to_profile(const SearchResult& found) {
    const std::string& profile = assembly_.background.text;
    const std::string& preferences = assembly_.preferences.text;
    for (const Hit& hit : found.hits) {
      const auto& event = hit.item.event;
      if (!event || event->quote.empty() || event->new_info.empty()) continue;
      std::string_view told = event->new_info;
      while (told.ends_with('.') || told.ends_with("。")) told.remove_suffix(told.ends_with('.') ? 1 : 3);
      const bool preferred =
          event->attribute.starts_with("wish:") && preferences.find(event->quote) != std::string::npos;
      if (!preferred && profile.find(told) == std::string::npos) continue;
      in_profile_.insert(hit.item.id.str());
      // "I'm scared of moths, never put one in the story" says more than the profile does.
      if (4 * told.size() >= 3 * event->quote.size()) quotes_.push_back(event->quote);
    }
  }

  void refuse() {
    for (const auto& [hit, why] : candidates_.refused()) report(hit->item, hit->score, 0, false, why);
  }

  /// Takes the candidates into the block as long as they fit, the best first.
  void fill() {
    std::vector<const MemoryCandidate*> candidates;
    for (const MemoryCandidate& one : candidates_.ordered()) candidates.push_back(&one);
    std::vector<const MemoryCandidate*> waiting = take(candidates);
    if (!waiting.empty()) {
      // The estimate of a line counts half a heading; lines of one day share theirs, so the block is smaller.
      in_reading_order(kept_);
      tokens_ = assembly_.count(fence_memories(lines(), language_));
      waiting = take(waiting);
    }
    for (const MemoryCandidate* one : waiting)
      if (one->hit != nullptr) report(*one->item, one->hit->score, line_tokens(*one->item), false, "over budget");
  }

  /// In the order in which it happened: that is how people and models read.
  WovenMemory block() {
    WovenMemory block;
    in_reading_order(kept_);
    leave_out_open_questions();
    for (;;) {
      in_reading_order(kept_);
      block = {fence_memories(lines(), language_), {}, {}};
      if (kept_.empty() || assembly_.count(block.text) <= room_) break;
      let_go_of_the_last();
    }
    for (const Item* item : kept_) {
      block.items.push_back(item->id.str());
      for (const MessageId& id : item->sources) block.sources.push_back(source_key(item->session, id));
    }
    return block;
  }

 private:
  // Adds the candidates that fit and returns those that do not.
  std::vector<const MemoryCandidate*> take(const std::vector<const MemoryCandidate*>& candidates) {
    std::vector<const MemoryCandidate*> waiting;
    for (const MemoryCandidate* candidate : candidates) {
      const MemoryCandidate& one = *candidate;
      std::string why = why_not(one);
      const bool of_tool = one.item->who == "tool";
      if (why.empty() && of_tool && of_tools_ >= most_of_tools_) why = "enough from tools";
      const bool event = one.item->kind == ItemKind::kEvent;
      if (why.empty() && event && events_ >= most_events_) why = "enough events";
      if (why.empty() && one.hit != nullptr && hits_ >= most_) why = "enough memories";
      if (!why.empty()) {
        if (one.hit != nullptr) report(*one.item, one.hit->score, 0, false, why);
        continue;
      }
      std::vector<const Item*> group{one.item};
      for (const Item* newer : one.newer)
        if (!assembly_.visible.shows_source_of(*newer) && !is_kept(*newer) && !is_said_in(group, *newer))
          group.push_back(newer);
      std::int64_t tokens = 0;
      for (const Item* item : group) tokens += line_tokens(*item);
      if (tokens_ + tokens > room_) {
        waiting.push_back(candidate);
        continue;
      }
      for (const Item* item : group) keep(*item);
      if (one.outdated) outdated_.emplace(one.item, *one.outdated);
      hits_ += one.hit != nullptr ? 1 : 0;
      of_tools_ += of_tool ? 1 : 0;
      events_ += event ? 1 : 0;
      tokens_ += tokens;
      const std::string because = is_suspect(*one.item) ? std::string(kSuspectWhy)
                                  : one.hit != nullptr  ? "recalled"
                                                        : "said beside it";
      report(*one.item, one.hit != nullptr ? one.hit->score : 0, tokens, true, because);
      for (std::size_t i = 1; i < group.size(); ++i) report(*group[i], 0, 0, true, "holds instead");
    }
    return waiting;
  }

  // What says what the prompt says already, in whatever form.
  std::string why_not(const MemoryCandidate& one) const {
    const Item& item = *one.item;
    if (stands_.contains(item.id.str()) || is_kept(item)) return "stands in the prompt already";
    if (in_profile_.contains(item.id.str()) || says_what_the_profile_says(item)) return "stands in the profile";
    if (assembly_.visible.shows_source_of(item)) return "its source is in the prompt already";
    if (item.kind == ItemKind::kMessage && assembly_.visible.shows_text(item.text)) return "stands in the history";
    if (assembly_.visible.repeats_memory(item.text)) return "said by a better hit";
    if (one.empty_talk && !answers_kept_question(item)) return "says nothing";
    if (trimmed(memory_body(item)).empty()) return "says nothing";
    if (item.who == "tool" && item.kind == ItemKind::kMessage) {
      if (is_receipt(item.text)) return "says only that it was done";
      if (!failure_in(item.text).empty()) return "a call that failed";
    }
    if (item.who == "assistant" && item.kind == ItemKind::kMessage && knows_no_answer(item.text))
      return "says that nothing is known";
    if (calls_in_vain(item)) return "a call that failed";
    return stands_elsewhere(item) ? "its source stands in the history" : std::string();
  }

  // The message, its event and its fact are one source.
  static bool is_said_in(const std::vector<const Item*>& group, const Item& item) {
    return std::any_of(group.begin(), group.end(), [&](const Item* one) {
      return one->session == item.session && std::any_of(one->sources.begin(), one->sources.end(), [&](const auto& id) {
               return std::find(item.sources.begin(), item.sources.end(), id) != item.sources.end();
             });
    });
  }

  bool is_kept(const Item& item) const {
    return std::any_of(kept_.begin(), kept_.end(), [&](const Item* one) { return one->id == item.id; });
  }

  bool answers_kept_question(const Item& item) const {
    return std::any_of(kept_.begin(), kept_.end(),
                       [&](const Item* one) { return candidates_.follows(*one, item) && is_bare_question(one->text); });
  }

  // A call whose output, read beside it, is a failure.
  bool calls_in_vain(const Item& item) const {
    if (item.who != "assistant" || item.kind != ItemKind::kMessage || !item.text.ends_with('}')) return false;
    return std::any_of(candidates_.ordered().begin(), candidates_.ordered().end(), [&](const MemoryCandidate& one) {
      return one.item->who == "tool" && candidates_.follows(item, *one.item) && !failure_in(one.item->text).empty();
    });
  }

  // Takes out questions that nobody answered, and answers which say that nothing is known.
  void leave_out_open_questions() {
    std::vector<const Item*> open;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const Item& item = *kept_[i];
      if (item.kind != ItemKind::kMessage || !only_asks(item.text)) continue;
      const Item* next = i + 1 < kept_.size() && candidates_.follows(item, *kept_[i + 1]) ? kept_[i + 1] : nullptr;
      const bool answered = next != nullptr && !only_asks(next->text) && !knows_no_answer(next->text);
      if (answered) continue;
      open.push_back(&item);
      if (next != nullptr && knows_no_answer(next->text)) open.push_back(next);
    }
    for (const Item* item : open) let_go_of(item, "a question without an answer");
  }

  // The message itself, and answers that only repeat it.
  bool says_what_the_profile_says(const Item& item) const {
    return item.kind == ItemKind::kMessage &&
           std::any_of(quotes_.begin(), quotes_.end(), [&](const std::string& quote) {
             return 4 * quote.size() >= 3 * item.text.size() && item.text.find(quote) != std::string::npos;
           });
  }

  // Conversations with a common beginning keep it each on its own: the same words under other ids.
  bool stands_elsewhere(const Item& item) const {
    if (item.session == assembly_.input.session || item.kind == ItemKind::kMessage || !assembly_.ports.originals)
      return false;
    const std::vector<std::string> originals = assembly_.ports.originals(item.session, item.sources);
    return std::any_of(originals.begin(), originals.end(),
                       [&](const std::string& text) { return assembly_.visible.shows_text(text); });
  }

  void keep(const Item& item) {
    kept_.push_back(&item);
    taken_.push_back(&item);
    assembly_.visible.add(item);
  }

  // A line of its own, and of a heading half: days that several lines share have one.
  std::int64_t line_tokens(const Item& item) {
    const std::string alone =
        fence_memories(std::vector<MemoryLine>{{&item, false, is_suspect(item), {}, true}}, language_);
    if (frame_ == 0)
      frame_ =
          assembly_.count(fence_memories(std::vector<MemoryLine>{{&nothing_, false, false, {}, false}}, language_));
    return std::max<std::int64_t>(assembly_.count(alone) - frame_, 0) + kHeadingTokens;
  }

  std::vector<MemoryLine> lines() {
    std::vector<MemoryLine> lines;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const Item& item = *kept_[i];
      const auto outdated = outdated_.find(&item);
      lines.push_back({&item, i > 0 && candidates_.follows(*kept_[i - 1], item), is_suspect(item),
                       outdated == outdated_.end() ? std::nullopt : std::optional(outdated->second),
                       is_replaced(item)});
    }
    return lines;
  }

  bool is_replaced(const Item& item) const {
    return std::any_of(item.over.begin(), item.over.end(), [](const OverPart& part) { return !part.newer.empty(); });
  }

  // Each text is read for it once, however often the block is tried.
  bool is_suspect(const Item& item) {
    if (item.who != "tool") return false;
    const auto known = suspect_.find(&item);
    if (known != suspect_.end()) return known->second;
    return suspect_[&item] = weft::is_suspect(item);
  }

  // The one that was taken last; what the line costs is estimated before all lines are known.
  void let_go_of_the_last() { let_go_of(taken_.back(), "over budget"); }

  void let_go_of(const Item* item, const std::string& why) {
    std::erase(taken_, item);
    std::erase(kept_, item);
    ReportSection& section = assembly_.report.sections.back();
    const auto reported = std::find_if(section.items.rbegin(), section.items.rend(),
                                       [&](const ReportItem& one) { return one.kept && one.id == item->id.str(); });
    if (reported == section.items.rend()) return;
    section.tokens -= reported->tokens;
    reported->kept = false;
    reported->why = why;
  }

  void report(const Item& item, double score, std::int64_t tokens, bool kept, const std::string& why) {
    report_item(assembly_, item.id.str(), std::string(to_string(item.kind)), score, tokens, kept, why, item.text);
  }

  static constexpr std::int64_t kHeadingTokens = 3;

  Assembly& assembly_;
  const MemoryCandidates& candidates_;
  Language language_;
  std::int64_t room_, tokens_ = 0, frame_ = 0;
  std::size_t most_, most_events_, most_of_tools_, hits_ = 0, events_ = 0, of_tools_ = 0;
  std::vector<const Item*> kept_;  ///< in reading order once the block is made
  std::vector<const Item*> taken_;  ///< in the order in which they were taken
  std::map<const Item*, Time> outdated_;  ///< statements that were corrected since
  std::map<const Item*, bool> suspect_;  ///< of tools' items that were looked at
  std::set<std::string> in_profile_;  ///< facts that the profile holds
  std::vector<std::string> quotes_;  ///< the words that say them
  std::set<std::string> stands_;  ///< items that are in the prompt in another section
  Item nothing_;
};

// What the history left, at most `context.memory_tokens`, and in small windows a quarter of what is usable.
std::int64_t room_for_memories(const Assembly& assembly) {
  const ContextSettings& settings = assembly.ports.config.context;
  std::int64_t room = assembly.room();
  if (assembly.left_out_tokens() != 0) room = std::min(room, assembly.budget.of(settings.memory_share));
  if (settings.memory_tokens > 0) room = std::min({room, settings.memory_tokens, assembly.budget.usable / 4});
  return room;
}

}  // namespace

// Within one turn (a loop of tool calls) the same block is sent again, so that the provider's cache of the prefix
// holds.
void add_memories(Assembly& assembly, const Deadline& deadline) {
  const std::int64_t room = room_for_memories(assembly);
  start_section(assembly, "memory", room, assembly.ports.config.context.memory_share);
  if (assembly.input.kept_memory) {
    Piece kept = assembly.piece("memory", assembly.input.kept_memory->text);
    if (kept.tokens <= room) {
      report_item(assembly, "memory", "memory", 0, kept.tokens, true, "as in the call before in this turn", kept.text);
      assembly.memory = std::move(kept);
      assembly.woven_memory = *assembly.input.kept_memory;
      return;
    }
  }
  const std::string query = query_of(assembly);
  if (query.empty() || room <= 0) return;
  SearchRequest request;
  request.query = query;
  request.top_k = static_cast<std::size_t>(assembly.ports.config.recall.auto_top) * kHitsForEach;
  request.around = static_cast<std::size_t>(assembly.ports.config.context.memory_around);
  const auto found = assembly.ports.recall(request, deadline);
  if (!found.ok()) {
    report_item(assembly, "recall", "memory", 0, 0, false, "recall failed: " + found.error().message, "");
    return;
  }
  assembly.report.by = found->by;
  const MemoryCandidates candidates(assembly.ports.config, query, *found);
  Chooser chooser(assembly, candidates, room - assembly.piece("", " ").tokens, language_of(query));
  chooser.leave_to_profile(*found);
  chooser.refuse();
  chooser.fill();
  assembly.woven_memory = chooser.block();
  if (!found->hits.empty() && !found->known)
    report_item(assembly, "recall", "memory", 0, 0, false,
                assembly.woven_memory.items.empty() ? "nothing relevant is known" : "not sure that this answers", "");
  assembly.memory = assembly.piece("memory", assembly.woven_memory.text);
  assembly.report.sections.back().tokens = assembly.memory.tokens;
}

// Memory blocks of earlier turns. A block that moved on with the input would change the history behind it at every
// turn; left where it stood, the provider's cache holds, and what it says need not be said again.

namespace {

// A block was woven when its sources were out of sight; where they are in sight again it would repeat them.
bool repeats(const Assembly& assembly, const WovenMemory& memory) {
  return std::any_of(memory.sources.begin(), memory.sources.end(),
                     [&](const std::string& source) { return assembly.visible.shows(source); });
}

// Of turns that are sent anyway; one that is left out takes its block with it.
std::vector<EarlierMemory> standing(const Assembly& assembly) {
  std::vector<EarlierMemory> found;
  for (std::size_t i = 0; i < assembly.input_turn(); ++i) {
    if (!assembly.is_sent(i)) continue;
    const HistoryMessage* const first = assembly.turns[i].messages.front();
    if (first->message.role != Role::kUser) continue;
    const auto place = static_cast<std::size_t>(first - assembly.input.history.data());
    const auto at = assembly.input.earlier_memories.find(place);
    if (at == assembly.input.earlier_memories.end() || at->second.text.empty()) continue;
    if (repeats(assembly, at->second)) continue;
    found.push_back({place, i, assembly.piece("memory", at->second.text)});
  }
  return found;
}

}  // namespace

void keep_earlier_memories(Assembly& assembly) {
  if (assembly.input.layout == PromptLayout::kSpec || assembly.input.earlier_memories.empty()) return;
  std::vector<EarlierMemory> found = standing(assembly);
  std::int64_t tokens = 0;
  for (const EarlierMemory& one : found) tokens += one.piece.tokens;
  // When they have grown too large half of them goes at once: one at each turn would break the prefix at each turn.
  const double share = assembly.ports.config.context.kept_memory_share;
  const std::int64_t ceiling = assembly.budget.of(share);
  std::size_t first = 0;
  const std::int64_t most = tokens > ceiling ? ceiling / 2 : ceiling;
  while (first < found.size() && tokens > most) tokens -= found[first++].piece.tokens;
  start_section(assembly, "earlier memories", ceiling, share);
  std::int64_t room = assembly.room();
  for (std::size_t i = found.size(); i-- > first;) {
    EarlierMemory& one = found[i];
    room -= one.piece.tokens;
    if (room < 0) break;
    assembly.turns[one.turn].tokens += one.piece.tokens;
    report_item(assembly, "memory", "memory", 0, one.piece.tokens, true, "stays where it stood", one.piece.text);
    assembly.earlier.insert(assembly.earlier.begin(), std::move(one));
  }
}

void drop_oldest_memory(Assembly& assembly) {
  const EarlierMemory& oldest = assembly.earlier.front();
  assembly.turns[oldest.turn].tokens -= oldest.piece.tokens;
  assembly.earlier.erase(assembly.earlier.begin());
}

}  // namespace weft
