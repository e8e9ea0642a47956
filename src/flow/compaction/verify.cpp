#include "flow/compaction/verify.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/strings.h"
#include "flow/compaction/call_outcome.h"
#include "flow/compaction/material.h"
#include "flow/compaction/summarise.h"
#include "text/sentences.h"

namespace weft {
namespace {

constexpr std::size_t kMostChecked = 600;   // statements that must stand: a text of more rules is cut by its budget
constexpr double kSameContent = 0.8;         // of a statement's terms in another one that says the same
constexpr std::size_t kAnchor = 480;         // bytes of an anchor that is put back

// A statement in the form in which contents are compared.
struct Content {
  std::unordered_set<Term> terms;
  std::vector<std::string> numbers;
  bool negated = false;
};

bool has_digit(std::string_view word) { return std::any_of(word.begin(), word.end(), is_digit<char>); }

Content content_of(std::string_view text) {
  Content content;
  for (const Term term : index_terms(text)) content.terms.insert(term);
  const auto words = plain_words(text);
  for (const PlainWord& word : words) {
    if (has_digit(word.text)) content.numbers.push_back(word.text);
  }
  std::sort(content.numbers.begin(), content.numbers.end());
  content.negated = find_signs(words).negated;
  return content;
}

double share_in(const Content& part, const Content& whole) {
  if (part.terms.empty()) return 0;
  const auto found =
      std::count_if(part.terms.begin(), part.terms.end(), [&](Term term) { return whole.terms.contains(term); });
  return static_cast<double>(found) / static_cast<double>(part.terms.size());
}

bool says(const Content& whole, const Content& part) {
  return whole.negated == part.negated && share_in(part, whole) >= kSameContent &&
         std::includes(whole.numbers.begin(), whole.numbers.end(), part.numbers.begin(), part.numbers.end());
}

class Verifier {
 public:
  Verifier(const VerifyTerms& terms, Summary& summary)
      : terms_(terms), summary_(summary), tokens_(rendered_tokens(summary, terms.tokens)) {
    for (std::size_t i = 0; i < kSummaryLists; ++i) {
      for (const std::string& statement : list_of(summary_, static_cast<SummaryList>(i))) note(statement);
    }
    for (const std::string_view sentence : sentences(terms.sent_beside)) {
      if (sentence.size() <= kAnchor) beside_.insert(one_line(sentence, kAnchor));
    }
  }

  Verified run() {
    for (const std::string& anchor : terms_.anchors) {
      if (terms_.sent_beside.find(anchor) == std::string_view::npos)
        require(SummaryList::kConstraints, one_line(anchor, kAnchor));
    }
    for (const SummaryList list : {SummaryList::kConstraints, SummaryList::kOpen, SummaryList::kGoals}) {
      std::size_t checked = 0;
      for (const SummaryPiece& piece : terms_.material.pieces) {
        if (piece.must && piece.list == list && checked++ < kMostChecked) require(list, piece.text);
      }
    }
    require_facts();
    keep_budget();
    return std::move(result_);
  }

 private:
  void note(const std::string& statement) {
    statements_.insert(statement);
    contents_.push_back(content_of(statement));
    facts_.add(statement);
  }

  bool stands(const std::string& statement) const {
    if (statement.empty() || statements_.contains(statement)) return true;
    if (beside_.contains(statement)) return true;
    const Content content = content_of(statement);
    return std::any_of(contents_.begin(), contents_.end(), [&](const Content& other) { return says(other, content); });
  }

  void require(SummaryList list, const std::string& statement) {
    if (stands(statement)) return;
    const std::int64_t cost = terms_.tokens.count(statement) + 3 + (list_of(summary_, list).empty() ? 8 : 0);
    if (list == SummaryList::kConstraints && cost <= terms_.budget) make_room(cost);
    if (tokens_ + cost > terms_.budget) return result_.missing.push_back(statement);
    list_of(summary_, list).push_back(statement);
    tokens_ += cost;
    note(statement);
    result_.restored.push_back(statement);
  }

  // Lets go of statements that weigh less than a rule, oldest first; what must stand stays.
  void make_room(std::int64_t cost) {
    for (const SummaryList list :
         {SummaryList::kDone, SummaryList::kRisks, SummaryList::kDecisions, SummaryList::kFacts}) {
      auto& statements = list_of(summary_, list);
      std::size_t gone = 0;
      while (gone < statements.size() && tokens_ + cost > terms_.budget)
        tokens_ -= terms_.tokens.count(statements[gone++]) + 3;
      statements.erase(statements.begin(), statements.begin() + static_cast<std::ptrdiff_t>(gone));
      evicted_ = evicted_ || gone > 0;
    }
  }

  void require_facts() {
    if (evicted_) reread();
    std::vector<const RankedFact*> missing;
    for (const RankedFact& fact : terms_.material.facts) {
      if (!fact.said || facts_.holds(fact.text) || terms_.elsewhere.holds(fact.text)) continue;
      const std::int64_t cost =
          terms_.tokens.count(fact.text) + (fact.name.empty() ? 0 : terms_.tokens.count(fact.name) + 1) + 2;
      if (tokens_ + cost > terms_.budget) {
        result_.missing.push_back(fact.text);
        continue;
      }
      tokens_ += cost;
      facts_.add({fact.text, fact.kind});
      missing.push_back(&fact);
      result_.restored.push_back(fact.text);
    }
    for (std::string& line : fact_lines(missing)) summary_.facts.push_back(std::move(line));
  }

  void reread() {
    facts_ = {};
    for (std::size_t i = 0; i < kSummaryLists; ++i) {
      for (const std::string& statement : list_of(summary_, static_cast<SummaryList>(i))) facts_.add(statement);
    }
  }

  // Costs were added up piece by piece; the whole is what counts.
  void keep_budget() {
    for (const SummaryList list :
         {SummaryList::kDone, SummaryList::kRisks, SummaryList::kDecisions, SummaryList::kFacts}) {
      auto& statements = list_of(summary_, list);
      while (!statements.empty() && rendered_tokens(summary_, terms_.tokens) > terms_.budget) {
        const std::size_t part = std::max<std::size_t>(1, statements.size() / 20);
        statements.erase(statements.begin(), statements.begin() + static_cast<std::ptrdiff_t>(part));
      }
    }
  }

  const VerifyTerms& terms_;
  Summary& summary_;
  std::int64_t tokens_;
  std::unordered_set<std::string> statements_, beside_;  // of the summary; sentences of what is sent beside it
  std::vector<Content> contents_;
  FactSet facts_;
  Verified result_;
  bool evicted_ = false;
};

}  // namespace

Verified verify(const VerifyTerms& terms, Summary& summary) { return Verifier(terms, summary).run(); }

std::vector<std::string> remove_untrue(const Material& material, const FactSet& known, Summary& summary) {
  std::vector<Content> rules;
  for (const SummaryPiece& piece : material.pieces) {
    if (piece.must && piece.list == SummaryList::kConstraints && rules.size() < kMostChecked)
      rules.push_back(content_of(piece.text));
  }
  std::vector<std::string> removed;
  const auto untrue = [&](const std::string& statement) {
    for (const KeyFact& fact : key_facts(statement)) {
      if (fact.kind != FactKind::kName && !known.holds(fact.text)) return true;
    }
    const Content content = content_of(statement);
    return std::any_of(rules.begin(), rules.end(), [&](const Content& rule) {
      return rule.terms.size() >= 2 && rule.negated != content.negated && share_in(rule, content) >= kSameContent &&
             share_in(content, rule) >= kSameContent;
    });
  };
  for (std::size_t i = 0; i < kSummaryLists; ++i) {
    auto& statements = list_of(summary, static_cast<SummaryList>(i));
    std::vector<std::string> kept;
    for (std::string& statement : statements) (untrue(statement) ? removed : kept).push_back(std::move(statement));
    statements = std::move(kept);
  }
  return removed;
}

}  // namespace weft
