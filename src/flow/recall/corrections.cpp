#include "flow/recall/corrections.h"

#include <algorithm>
#include <string>
#include <utility>

#include "text/changes.h"
#include "text/question.h"

namespace weft {
namespace {

// Words that only report speech: "You said: …" adds nothing to the quoted sentence.
const std::set<Term>& reporting() {
  static const std::set<Term> kTerms = listed_terms("cues", "reporting");
  return kTerms;
}

// The text as it was said: an event of a block begins with its day, and dates may be set beside its words.
std::string said_text(const Item& item) {
  std::string text = item.text;
  const auto& notes = item.writing.annotations;
  for (auto note = notes.rbegin(); note != notes.rend(); ++note)
    if (note->begin <= note->end && note->end <= text.size()) text.erase(note->begin, note->end - note->begin);
  if (item.kind == ItemKind::kEvent && text.starts_with('['))
    if (const auto end = text.find(']'); end != std::string::npos) text.erase(0, end + 1);
  return text;
}

std::size_t shared_terms(const StatedItem& a, const StatedItem& b) {
  return static_cast<std::size_t>(
      std::count_if(a.terms.begin(), a.terms.end(), [&](Term term) { return b.terms.contains(term); }));
}

// The later one may speak of what the earlier one says: of the same speaker, or said to what an assistant said.
bool may_replace(const StatedItem& newer, const StatedItem& older) {
  const Item &now = *newer.item, &then = *older.item;
  if (!newer.states || !older.states || now.who == "assistant" || now.who == "tool" || then.who == "tool") return false;
  if (!then.who.empty() && !now.who.empty() && then.who != now.who && then.who != "assistant") return false;
  return std::pair(now.time.ms, now.position) > std::pair(then.time.ms, then.position);
}

}  // namespace

std::set<Term> terms_of_matter(const Item& item) { return terms_but(said_text(item), reporting()); }

StatedItem read_stated(const Item& item, std::set<Term> terms) {
  constexpr std::size_t kMostTerms = 40;  // longer texts say more than one thing
  StatedItem made{&item, std::move(terms), false, false, false};
  const std::string text = said_text(item);
  made.states = made.terms.size() <= kMostTerms && !only_asks(text);
  made.changes = made.states && tells_of_change(text);
  made.figures = text.find_first_of("0123456789") != std::string::npos;
  return made;
}

bool corrects(const StatedItem& newer, const StatedItem& older) {
  constexpr std::size_t kLeastShared = 2;
  if (!newer.changes || newer.figures != older.figures || !may_replace(newer, older)) return false;
  const std::size_t shared = shared_terms(older, newer);
  return shared >= kLeastShared && 2 * shared >= older.terms.size() && shared < older.terms.size();
}

double rivalry(const StatedItem& newer, const StatedItem& older) {
  constexpr double kLeast = 0.5, kLeastWithChange = 0.25;
  if (older.terms.empty() || newer.terms == older.terms || !may_replace(newer, older)) return 0;
  const double share = static_cast<double>(shared_terms(older, newer)) / static_cast<double>(older.terms.size());
  return share >= (newer.changes ? kLeastWithChange : kLeast) ? share : 0;
}

const StatedItem* last_correction(const StatedItem& older, std::span<const StatedItem> statements) {
  const StatedItem* last = nullptr;
  for (const StatedItem& newer : statements)
    if (corrects(newer, older) && (last == nullptr || newer.item->time >= last->item->time)) last = &newer;
  return last;
}

const StatedItem* strongest_rival(const StatedItem& older, std::span<const StatedItem> statements) {
  constexpr double kNearly = 0.75;
  double best = 0;
  for (const StatedItem& newer : statements) best = std::max(best, rivalry(newer, older));
  if (best == 0) return nullptr;
  const StatedItem* last = nullptr;
  for (const StatedItem& newer : statements)
    if (rivalry(newer, older) >= kNearly * best && (last == nullptr || newer.item->time >= last->item->time))
      last = &newer;
  return last;
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

/// Which hits stand for what replaced which others.
class Successors {
 public:
  Successors(const std::vector<Hit>& hits, const QueryText& question) : hits_(hits) {
    constexpr std::size_t kCompared = 30;  // hits; those behind them are hardly looked at
    for (const QueryText::Word& word : question.words) asked_.insert(word.term);
    for (std::size_t i = 0; i < std::min(hits.size(), kCompared); ++i)
      statements_.push_back(read_stated(hits[i].item, terms_of_matter(hits[i].item)));
    for (const StatedItem& older : statements_) {
      const StatedItem* newer = last_correction(older, statements_);
      if (newer == nullptr) newer = strongest_rival(older, statements_);
      const bool taken = newer != nullptr && !share_a_source(*newer->item, *older.item) &&
                         (corrects(*newer, older) || equally_relevant(*newer, older));
      if (taken) pairs_.emplace_back(older.item->id, newer->item->id);
    }
  }

  bool replaces(const Item& newer, const Item& older) const {
    if (supersedes(newer, older)) return true;
    return std::any_of(pairs_.begin(), pairs_.end(),
                       [&](const auto& pair) { return pair.first == older.id && pair.second == newer.id; });
  }

 private:
  // Both stand close together, tell of what is asked, and the later one says little else; so hardly anything moves
  // besides the two.
  bool equally_relevant(const StatedItem& newer, const StatedItem& older) const {
    constexpr std::ptrdiff_t kReach = 2;  // places
    constexpr double kRelevance = 0.5, kOfNewer = 0.25;
    const auto place = [&](const StatedItem& one) { return &one - statements_.data(); };
    if (place(newer) - place(older) > kReach) return false;
    if (hit_of(newer).relevance < kRelevance * hit_of(older).relevance) return false;
    const bool of_the_question = std::any_of(older.terms.begin(), older.terms.end(), [&](Term term) {
      return asked_.contains(term) && newer.terms.contains(term);
    });
    return of_the_question &&
           static_cast<double>(shared_terms(older, newer)) >= kOfNewer * static_cast<double>(newer.terms.size());
  }

  const Hit& hit_of(const StatedItem& one) const { return hits_[static_cast<std::size_t>(&one - statements_.data())]; }

  const std::vector<Hit>& hits_;
  std::set<Term> asked_;
  std::vector<StatedItem> statements_;  ///< of the first hits, in their order
  std::vector<std::pair<ItemId, ItemId>> pairs_;  ///< older and newer
};

}  // namespace

void put_current_first(std::vector<Hit>& hits, const QueryText& question) {
  const Successors successors(hits, question);
  // Chains of replacements are short; each step moves one hit behind its successor.
  for (std::size_t moves = 0, i = 0; i < hits.size() && moves < hits.size() * hits.size(); ++i) {
    const auto at = hits.begin() + static_cast<std::ptrdiff_t>(i);
    const auto successor =
        std::find_if(at + 1, hits.end(), [&](const Hit& hit) { return successors.replaces(hit.item, at->item); });
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
