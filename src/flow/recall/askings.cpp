#include "flow/recall/askings.h"

#include <algorithm>
#include <iterator>

#include "text/cues.h"
#include "text/question.h"

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

}  // namespace weft
