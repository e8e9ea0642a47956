#include "flow/recall/corrections.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "text/changes.h"
#include "text/english_verbs.h"
#include "text/plain_words.h"
#include "text/question.h"
#include "text/sentences.h"

namespace weft {
namespace {

constexpr std::size_t kLeastShared = 2;  // words of a correction and of what it corrects

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

// The word that names what a text is about: the first that is no word of change or of speech.
Term first_word(std::string_view text) {
  static const std::set<Term> changes = listed_terms("changes", "change");
  for (const Term term : index_terms(text))
    if (!changes.contains(term) && !reporting().contains(term)) return term;
  return 0;
}

std::size_t count_shared(const std::set<Term>& a, const std::set<Term>& b) {
  return static_cast<std::size_t>(std::count_if(a.begin(), a.end(), [&](Term term) { return b.contains(term); }));
}

// "We went to the lake", 我们去了湖边: a past form that is no part of "is planned" or "has moved", 了 behind a verb, or
// a day of the past.
bool tells_what_happened(std::string_view text) {
  static const PhraseTable days = phrase_table("changes", "happened");
  const std::vector<PlainWord> words = plain_words(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool past = is_past_form(words[i].text) || is_base_and_past(words[i].text);  // "put on a play" may be either
    if (past && (i == 0 || !is_auxiliary(words[i - 1].text))) return true;
    if (words[i].text == "了" && i + 1 < words.size() && words[i + 1].kind == WordKind::kHan) return true;
  }
  return days.any_in(words);
}

// The later one may speak of what the earlier one says: of the same speaker, or said to what an assistant said.
bool may_replace(const Item& newer, const Item& older) {
  if (newer.who == "assistant" || newer.who == "tool" || older.who == "tool") return false;
  if (!older.who.empty() && !newer.who.empty() && older.who != newer.who && older.who != "assistant") return false;
  return std::pair(newer.time.ms, newer.position) > std::pair(older.time.ms, older.position);
}

}  // namespace

std::set<Term> terms_of_matter(const Item& item) { return terms_but(said_text(item), reporting()); }

void Statements::add(const Item& item, const std::set<Term>& terms) {
  for (const Term term : terms) holders_[term].push_back(statements_.size());
  statements_.push_back({&item, &terms, {}});
}

std::vector<std::size_t> Statements::shared_with(std::size_t place) const {
  std::vector<std::size_t> shared(statements_.size());
  for (const Term term : *statements_[place].terms)
    for (const std::size_t holder : holders_.at(term)) ++shared[holder];
  return shared;
}

const Statements::Reading& Statements::reading(std::size_t place) const {
  constexpr std::size_t kMostTerms = 40;  // longer texts say more than one thing
  const Statement& one = statements_[place];
  if (!one.reading) {
    const std::string text = said_text(*one.item);
    one.reading.emplace();
    one.reading->states = one.terms->size() <= kMostTerms && !only_asks(text);
    one.reading->figures = text.find_first_of("0123456789") != std::string::npos;
    one.reading->happened = tells_what_happened(text);
    one.reading->first = first_word(text);
    one.reading->changes = one.reading->states && tells_of_change(text);
    for (const std::string_view sentence : sentences(text))
      if (one.reading->changes && tells_of_change(sentence))
        one.reading->changing.push_back({terms_but(sentence, reporting()), first_word(sentence)});
  }
  return *one.reading;
}

bool Statements::proves(const Reading& now, std::size_t older) const {
  const Reading& then = reading(older);
  const std::set<Term>& words = *statements_[older].terms;
  return !then.happened && std::any_of(now.changing.begin(), now.changing.end(), [&](const auto& sentence) {
    const std::size_t shared = count_shared(words, sentence.terms);
    return shared >= kLeastShared && shared < words.size() &&
           shared * 2 >= std::max(words.size(), sentence.terms.size()) && sentence.terms.contains(then.first) &&
           words.contains(sentence.first);
  });
}

std::optional<Statements::Newer> Statements::newer_than(std::size_t place) const {
  constexpr double kLeast = 0.5, kLeastWithChange = 0.25, kNearly = 0.75;
  const std::size_t words = statements_[place].terms->size();
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
    const Reading &now = reading(i), &then = reading(place);
    if (!now.states || !then.states) continue;
    if (now.changes && now.figures == then.figures && shared[i] >= kLeastShared && share >= kLeast &&
        shared[i] < words) {
      take_later(correction, i);
      if (proves(now, place)) take_later(proven, i);
    }
    const bool repeats = shared[i] == words && statements_[i].terms->size() == words;
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
    for (const QueryText::Word& word : question.words) asked_.insert(word.term);
    const std::size_t compared = std::min(hits.size(), kCompared);
    terms_.reserve(compared);  // the statements refer to them
    Statements statements;
    for (std::size_t i = 0; i < compared; ++i)
      statements.add(hits[i].item, terms_.emplace_back(terms_of_matter(hits[i].item)));
    for (std::size_t older = 0; older < compared; ++older) {
      const auto newer = statements.newer_than(older);
      if (!newer || share_a_source(hits[newer->place].item, hits[older].item)) continue;
      if (newer->certainty != Statements::Certainty::kSeems || equally_relevant(newer->place, older))
        pairs_.emplace_back(hits[older].item.id, hits[newer->place].item.id);
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
  bool equally_relevant(std::size_t newer, std::size_t older) const {
    constexpr std::size_t kReach = 2;  // places
    constexpr double kRelevance = 0.5, kOfNewer = 0.25;
    if (newer > older + kReach || hits_[newer].relevance < kRelevance * hits_[older].relevance) return false;
    std::vector<Term> shared;
    std::set_intersection(terms_[older].begin(), terms_[older].end(), terms_[newer].begin(), terms_[newer].end(),
                          std::back_inserter(shared));
    return std::any_of(shared.begin(), shared.end(), [&](Term term) { return asked_.contains(term); }) &&
           static_cast<double>(shared.size()) >= kOfNewer * static_cast<double>(terms_[newer].size());
  }

  const std::vector<Hit>& hits_;
  std::set<Term> asked_;
  std::vector<std::set<Term>> terms_;  ///< of the first hits
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
