#include "flow/context/worth_weaving.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/strings.h"
#include "flow/context/memory_fence.h"
#include "flow/recall/askings.h"
#include "text/changes.h"
#include "text/question.h"
#include "text/says_nothing.h"

namespace weft {
namespace {

// Relevance from which on a hit is woven beside one that surely has to do with the question. On LoCoMo with words alone
// it costs half a point of the evidence, 0.5 instead 2.6 points.
constexpr double kItemFloor = 0.2;
// The same where it shares a word with the question that tells of its subject: questions of several parts, or in other
// words than the memory's, are judged low as a whole.
constexpr double kNamedFloor = 0.02;
constexpr std::size_t kShortestName = 3;  // bytes; of Chinese, a pair of characters
// Of a question about the asker's own life, whose answer stands nowhere but in memory: "Where do I live?" and "I moved
// to …" share no word, and a general model's idea of likeness is weak there.
constexpr std::size_t kPersonalMost = 3;
constexpr std::size_t kNewerReach = 2;  // ranks that a newer statement may lie behind the one it replaces
constexpr double kSameFrame = 0.6;  // of the shorter statement's words that the other has, too: one value differs
constexpr double kSameMatter = 0.5;  // likewise, where the newer one says that something has changed
constexpr double kSameAsked = 0.5;  // of the question's words in the older statement that the newer one has
constexpr std::size_t kSharedAsked = 2;  // words of the question that both statements have, where fewer are alike
// Cosine, without what the language shares, of two statements about the same matter. Of 90 changes told freely in both
// languages 78 lie above it. The nearest of fifty statements about other matters mostly does, too: that both answer the
// question tells the rest.
constexpr double kAlike = 0.33;
constexpr double kLittleAlike = 0.2;  // less is another matter, whatever words both have
constexpr double kAsAlike = 0.15;  // below the best: told again in the same words
constexpr std::size_t kStatementTerms = 40;  // longer texts say more than one thing

// Said about saying: "You said: …" adds nothing to what was said.
const std::set<Term>& reporting_terms() {
  static const std::set<Term> terms = listed_terms("cues", "reporting");
  return terms;
}

std::set<Term> terms_of(std::string_view text) { return terms_but(text, reporting_terms()); }

std::size_t shared(const std::set<Term>& a, const std::set<Term>& b) {
  return static_cast<std::size_t>(std::count_if(a.begin(), a.end(), [&b](Term term) { return b.contains(term); }));
}

bool is_part_of(const std::set<Term>& part, const std::set<Term>& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

std::string source_of(const Item& item, const MessageId& id) { return item.session.str() + "/" + id.str(); }

bool is_later(const Item& a, const Item& b) {
  return std::pair(a.time.ms, a.position) > std::pair(b.time.ms, b.position);
}

// A model may repeat what somebody said, but does not change it.
bool may_change(const Item& newer, const Item& older) {
  if (newer.who == "assistant" || newer.who == "tool") return false;
  if (older.event && older.event->is_fact()) return newer.sources != older.sources;
  return newer.who == older.who || older.who == "assistant" || older.who == "tool";
}

// What was said of an event, line by line, without the labels before it.
bool says_nothing_at_all(const Item& item) {
  if (item.kind == ItemKind::kMessage) return says_nothing(item.text);
  if (item.kind != ItemKind::kEvent || (item.event && item.event->is_fact())) return false;
  const std::string body = memory_body(item);
  for (std::string_view line : lines_of(body)) {
    for (const std::string_view colon : {": ", "："})
      if (const auto found = line.find(colon); found != std::string_view::npos) {
        line.remove_prefix(found + colon.size());
        break;
      }
    if (!says_nothing(line)) return false;
  }
  return true;
}

}  // namespace

WorthWeaving::WorthWeaving(const RecallSettings& settings, std::string_view query, const SearchResult& found)
    : settings_(settings),
      personal_(asks_about_oneself(query)),
      known_at_all_(found.known),
      chinese_(language_of(query) == Language::kChinese) {
  const std::vector<PlainWord> said = plain_words(query);
  past_ = asks_of_the_past(said);
  only_newest_ = !past_ && !asks_of_several(said);
  const std::vector<std::string> words = index_words(query);
  asked_ = asking_of(query, words);
  for (const std::string& word : words)
    if (const Term term = term_of(word); !reporting_terms().contains(term)) query_terms_.insert(term);
  for (const Hit& hit : found.hits) {
    known_.emplace(&hit.item, read(hit));
    order_.push_back(&hit);
    if (hit.item.event && !hit.item.event->superseded_by.empty())
      for (const MessageId& id : hit.item.sources) replaced_sources_.insert(source_of(hit.item, id));
  }
  find_names(words);
  anything_ = std::any_of(found.hits.begin(), found.hits.end(), [this](const Hit& hit) { return is_relevant(hit); });
  const auto rank = [this](const Hit* hit) { return known(hit->item).asks ? 2 : known(hit->item).derived ? 1 : 0; };
  std::stable_sort(order_.begin(), order_.end(), [&](const Hit* a, const Hit* b) { return rank(a) < rank(b); });
  if (only_newest_) put_newer_first();
}

// Words of the question that tell of its subject, but for those that most of what was found has.
void WorthWeaving::find_names(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const bool chinese = static_cast<unsigned char>(word.front()) >= 0xE0;
    const Term term = term_of(word);
    if (word.size() < (chinese ? 2 * kShortestName : kShortestName) || reporting_terms().contains(term)) continue;
    const auto with = std::count_if(order_.begin(), order_.end(),
                                    [&](const Hit* hit) { return known(hit->item).terms.contains(term); });
    if (2 * static_cast<std::size_t>(with) <= order_.size()) names_.insert(term);
  }
}

bool WorthWeaving::is_relevant(const Hit& hit) const {
  const double threshold = settings_.known_threshold;
  if (known_at_all_ && hit.relevance >= std::min(kItemFloor, threshold)) return true;
  return hit.relevance >= std::min(kNamedFloor, threshold) && shared(names_, known(hit.item).terms) > 0;
}

WorthWeaving::Known WorthWeaving::read(const Hit& hit) const {
  const Item& item = hit.item;
  Known known;
  known.terms = terms_of(item.text);
  known.relevance = hit.relevance;
  known.vector = hit.vector;
  const bool fact = item.event && item.event->is_fact();
  known.derived = item.kind != ItemKind::kMessage && !fact && item.by == MadeBy::kFloor;
  if (item.kind == ItemKind::kMessage) {
    known.asks = only_asks(item.text);
    known.figures = item.text.find_first_of("0123456789") != std::string::npos;
    known.changes = known.terms.size() <= kStatementTerms && tells_of_change(item.text);
  }
  return known;
}

bool WorthWeaving::is_covered(const Item& item) const {
  const Terms& terms = known(item).terms;
  return !terms.empty() && std::any_of(woven_.begin(), woven_.end(),
                                       [&](const Item* one) { return is_part_of(terms, known(*one).terms); });
}

bool WorthWeaving::stands_behind_replaced_event(const Item& item) const {
  return item.kind == ItemKind::kMessage && !item.sources.empty() &&
         std::all_of(item.sources.begin(), item.sources.end(),
                     [&](const MessageId& id) { return replaced_sources_.contains(source_of(item, id)); });
}

WorthWeaving::Replaces WorthWeaving::replaces(const Item& newer, const Item& older) const {
  if (older.event && older.event->superseded_by == newer.id) return Replaces::kSurely;
  if (newer.event && newer.event->supersedes != ItemId() && stands_behind_replaced_event(older) &&
      is_later(newer, older))
    return Replaces::kSurely;
  // What the floor made of a message says what the message says.
  const bool derived = known(older).derived, fact = older.event && older.event->is_fact();
  if (newer.kind != ItemKind::kMessage || (older.kind != ItemKind::kMessage && !derived && !fact)) return Replaces::kNo;
  if (!is_later(newer, older) || (!derived && !may_change(newer, older))) return Replaces::kNo;
  return replaces_by_words(known(newer), known(older));
}

// Both are about what is asked, and the newer one is about all of it that the older one is about.
WorthWeaving::Replaces WorthWeaving::replaces_by_words(const Known& newer, const Known& older) const {
  if (newer.asks || older.asks) return Replaces::kNo;
  if (std::max(newer.terms.size(), older.terms.size()) > kStatementTerms) return Replaces::kNo;
  std::size_t asked = 0, still = 0;  // words of the question in the older one; of them in the newer one, too
  bool named = false;  // … one of those that tell of its subject
  for (const Term term : older.terms) {
    if (!query_terms_.contains(term)) continue;
    ++asked;
    if (!newer.terms.contains(term)) continue;
    ++still;
    named = named || names_.contains(term);
  }
  if (asked == 0) return Replaces::kNo;
  // Pairs of Chinese characters reach over the borders of words, so some always differ; and who tells of a change often
  // does so with another verb ("listens on port …", "moved to port …").
  const bool all = still == asked;
  const bool most = static_cast<double>(still) >= kSameAsked * static_cast<double>(asked);
  if (!all && !(most && (chinese_ || newer.changes))) return Replaces::kNo;
  const auto both = static_cast<double>(shared(newer.terms, older.terms));
  const auto least = static_cast<double>(std::min(newer.terms.size(), older.terms.size()));
  // Where another figure stands now, one word of the matter is enough: "due on 4 March", "pushed back to 7 June".
  const bool figures = newer.figures && older.figures;
  const bool same_matter = both >= kSameMatter * least || still >= (figures ? 1U : kSharedAsked);
  if (newer.changes && !all && !chinese_) return same_matter || named ? Replaces::kPerhaps : Replaces::kNo;
  if (newer.changes) return all && same_matter ? Replaces::kSurely : Replaces::kPerhaps;
  const bool differ = !is_part_of(older.terms, newer.terms) && !is_part_of(newer.terms, older.terms);
  return differ && both >= kSameFrame * least ? Replaces::kPerhaps : Replaces::kNo;
}

// Cosine of two hits; nothing where one is not embedded.
std::optional<double> WorthWeaving::likeness(const Item& a, const Item& b) const {
  const auto x = known(a).vector, y = known(b).vector;
  if (x.empty() || x.size() != y.size()) return std::nullopt;
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

// Of two statements of a person that are alike and both answer the question, the later one counts, in whatever words.
// That is enough for saying that the one was said before the other, not for leaving it out.
bool WorthWeaving::tells_anew(const Item& newer, const Item& older) const {
  const auto alike = likeness(newer, older);
  if (!alike || *alike < kAlike || newer.kind != ItemKind::kMessage || !is_later(newer, older)) return false;
  if (newer.who == "assistant" || newer.who == "tool") return false;
  const Known &now = known(newer), &then = known(older);
  const std::size_t most = chinese_ ? 3 * kStatementTerms : kStatementTerms;  // characters and pairs of them
  return !now.asks && !then.asks && std::max(now.terms.size(), then.terms.size()) <= most &&
         std::min(now.relevance, then.relevance) >= kItemFloor;
}

bool WorthWeaving::may_be_over(const Item& newer, const Item& older) const {
  switch (replaces(newer, older)) {
    case Replaces::kSurely: return true;
    case Replaces::kPerhaps: return likeness(newer, older).value_or(1) >= kLittleAlike;
    case Replaces::kNo: break;
  }
  return older.kind == ItemKind::kMessage && newer.who == older.who && tells_anew(newer, older);
}

bool WorthWeaving::is_newer_than_told(const Item& item) const {
  return std::any_of(told_.begin(), told_.end(), [&](const Item* told) {
    const bool fact = told->event && told->event->is_fact() && !told->event->valid_until;
    return fact && told->sources != item.sources && tells_anew(item, *told);
  });
}

// What holds now is offered a place before what it replaced. What lies far behind it answers another question.
void WorthWeaving::put_newer_first() {
  std::size_t moves = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::size_t end = std::min(order_.size(), i + 1 + kNewerReach);
    for (std::size_t j = i + 1; j < end && moves < order_.size() * 4; ++j) {
      if (!may_be_over(order_[j]->item, order_[i]->item)) continue;
      const auto at = order_.begin();
      std::rotate(at + static_cast<std::ptrdiff_t>(i), at + static_cast<std::ptrdiff_t>(j),
                  at + static_cast<std::ptrdiff_t>(j) + 1);
      ++moves;
      j = i;  // what stands here now may itself be replaced by what comes later
    }
  }
}

std::string WorthWeaving::why_not(const Hit& hit) const {
  const Item& item = hit.item;
  const bool relevant = is_relevant(hit);
  const bool personal = personal_ && item.who != "assistant" && item.who != "tool" && woven_.size() < kPersonalMost;
  if (!relevant && !personal) return anything_ ? "not relevant enough" : "nothing relevant is known";
  if (known(item).asks && woven_.empty() && !past_) return "only asks";
  if (says_nothing_at_all(item)) return "says nothing";
  if (item.kind == ItemKind::kMessage && is_same_asking(item.text, asked_)) return "asks the same";
  if (is_covered(item)) return "said by a better hit";
  const bool replaced = only_newest_ && std::any_of(woven_.begin(), woven_.end(), [&](const Item* one) {
                          return replaces(*one, item) == Replaces::kSurely;
                        });
  // The reader cannot see when what stands elsewhere was said.
  const bool outdated = only_newest_ && std::any_of(told_.begin(), told_.end(), [&](const Item* one) {
                          return replaces(*one, item) != Replaces::kNo;
                        });
  return replaced || outdated ? "replaced by what is newer" : std::string();
}

void WorthWeaving::tell_elsewhere(const Hit& hit) { told_.push_back(&hit.item); }

void WorthWeaving::weave(const Hit& hit) { woven_.push_back(&hit.item); }

const Item* WorthWeaving::newer_than(const Item& item) const {
  double best = 0;
  std::vector<std::pair<const Item*, double>> newer;
  for (const Item* one : woven_) {
    if (one == &item || !may_be_over(*one, item)) continue;
    newer.emplace_back(one, likeness(*one, item).value_or(1));
    best = std::max(best, newer.back().second);
  }
  const Item* newest = nullptr;
  for (const auto& [one, alike] : newer)
    if (alike >= best - kAsAlike && (newest == nullptr || is_later(*one, *newest))) newest = one;
  return newest;
}

}  // namespace weft
