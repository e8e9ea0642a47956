#include "flow/recall/askings.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "text/cues.h"
#include "text/question.h"
#include "text/says_nothing.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr double kSame = 0.8;  // of the words of both together, those that both have

// Words that ask.
const std::set<Term>& asking() {
  static const std::set<Term> terms = listed_terms("cues", "asking");
  return terms;
}

std::set<Term> terms_of(std::string_view text) { return terms_but(text, asking()); }

std::set<Term> terms_of(const QueryText& question) {
  std::set<Term> terms;
  for (const QueryText::Word& word : question.words)
    if (!asking().contains(word.term)) terms.insert(word.term);
  return terms;
}

// Where a request is put as one it has no question mark: "Tell me my gate."
bool asks(std::string_view text) {
  if (is_bare_question(text)) return true;
  const Cues cues = find_cues(text);
  return cues.has(Cue::kQuestion) || cues.has(Cue::kRequest) || cues.has(Cue::kWh);
}

bool in_the_same_words(std::string_view text, const std::set<Term>& asked) {
  if (asked.empty()) return false;
  const std::set<Term> terms = terms_of(text);
  const auto both = static_cast<double>(
      std::count_if(terms.begin(), terms.end(), [&asked](Term term) { return asked.contains(term); }));
  const auto all = static_cast<double>(terms.size() + asked.size()) - both;
  return both >= kSame * all;
}

}  // namespace

Asking asking_of(std::string_view question, const std::vector<std::string>& words) {
  Asking asked{std::string(question), {}};
  for (const std::string& word : words)
    if (const Term term = term_of(word); !asking().contains(term)) asked.terms.insert(term);
  return asked;
}

bool is_same_asking(std::string_view text, const Asking& question) {
  return text == question.text || (in_the_same_words(text, question.terms) && asks(text));
}

void put_empty_last(std::vector<Hit>& hits, const QueryText& question) {
  const std::set<Term> asked = terms_of(question);
  const auto first = std::stable_partition(hits.begin(), hits.end(), [&](const Hit& hit) {
    const std::string& text = hit.item.text;
    if (hit.item.kind != ItemKind::kMessage) return true;
    return !says_nothing(text) && (!in_the_same_words(text, asked) || !asks(text));
  });
  // Scores tell the order, so none behind may be above what stands before it.
  if (first == hits.begin()) return;
  for (auto hit = first; hit != hits.end(); ++hit) hit->score = std::min(hit->score, std::prev(hit)->score);
}

}  // namespace weft
