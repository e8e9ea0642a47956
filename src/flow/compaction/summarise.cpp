#include "flow/compaction/summarise.h"

#include <algorithm>

namespace weft {
namespace {

constexpr std::int64_t kLineTokens = 3;      // "- " and the line's end
constexpr std::int64_t kHeadingTokens = 55;  // of all headings together, with the first line
constexpr double kMustShare = 0.6;           // of the budget, for what must stand, before anything else had its turn
constexpr double kLeastFacts = 0.12, kMostFacts = 0.5;  // of the budget, kept free for key facts
constexpr std::size_t kFactLine = 200;       // bytes
constexpr double kLongStatement = 160;       // tokens at which a statement counts half
constexpr double kRecency = 0.35;

// Shares of the budget that a list may take while others still wait.
constexpr std::array<double, kSummaryLists> kListShares = {0.35, 0.3, 0.25, 0.3, 0.5, 0.25, 0.25};

class Filler {
 public:
  Filler(const Material& material, const FactSet& elsewhere, std::int64_t budget, const TokenCounter& tokens)
      : material_(material),
        elsewhere_(elsewhere),
        tokens_(tokens),
        budget_(std::max<std::int64_t>(budget - kHeadingTokens, 0)) {
    cost_.reserve(material.pieces.size());
    for (const SummaryPiece& piece : material.pieces) cost_.push_back(tokens.count(piece.text) + kLineTokens);
    taken_.assign(material.pieces.size(), false);
  }

  void fill(Summary& into) {
    const auto ranked = rank();
    take_pieces(ranked, kMustShare * whole(), true, true);
    take_pieces(ranked, whole() - reserved_for_facts(), false, true);
    take_facts();
    take_pieces(ranked, whole(), false, false);
    write(into);
    while (rendered_tokens(into, tokens_) > budget_ + kHeadingTokens && drop_least(ranked)) write(into);
  }

 private:
  double whole() const { return static_cast<double>(budget_); }

  std::vector<std::size_t> rank() const {
    std::vector<std::size_t> ranked(material_.pieces.size());
    std::vector<double> score(material_.pieces.size());
    const double end = material_.pieces.empty() ? 1 : static_cast<double>(material_.pieces.back().order + 1);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      ranked[i] = i;
      const SummaryPiece& piece = material_.pieces[i];
      score[i] = (piece.weight + kRecency * static_cast<double>(piece.order) / end) /
                 (1 + static_cast<double>(cost_[i]) / kLongStatement);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
    return ranked;
  }

  void take_pieces(const std::vector<std::size_t>& ranked, double limit, bool must, bool shares) {
    for (const std::size_t i : ranked) {
      const SummaryPiece& piece = material_.pieces[i];
      if (taken_[i] || (must && !piece.must)) continue;
      std::int64_t& used = used_by_[static_cast<std::size_t>(piece.list)];
      if (static_cast<double>(used_ + cost_[i]) > limit) continue;
      const double share = kListShares[static_cast<std::size_t>(piece.list)] * whole();
      if (shares && used > 0 && static_cast<double>(used + cost_[i]) > share) continue;
      taken_[i] = true;
      used_ += cost_[i];
      used += cost_[i];
      order_taken_.push_back(i);
      here_.add(piece.text);
    }
  }

  bool stands(const RankedFact& fact) const { return elsewhere_.holds(fact.text) || here_.holds(fact.text); }

  // Room for the key facts that somebody said, as far as they are not in what must stand.
  double reserved_for_facts() const {
    std::int64_t needed = 0;
    const auto most = static_cast<std::int64_t>(kMostFacts * whole());
    for (const RankedFact& fact : material_.facts) {
      if (needed >= most) break;
      if (!stands(fact)) needed += (fact.said ? 1 : 0) * (tokens_.count(fact.text) + 1);
    }
    return std::max(std::min(static_cast<double>(needed), kMostFacts * whole()), kLeastFacts * whole());
  }

  void take_facts() {
    for (const RankedFact& fact : material_.facts) {
      if (used_ >= budget_) break;
      if (stands(fact)) continue;
      const std::int64_t cost = tokens_.count(fact.text) + (fact.name.empty() ? 0 : tokens_.count(fact.name) + 1) + 2;
      if (used_ + cost > budget_) continue;
      used_ += cost;
      facts_.push_back(&fact);
      here_.add({fact.text, fact.kind});
    }
  }

  bool drop_least(const std::vector<std::size_t>& ranked) {
    // The estimate was too low: a twentieth at a time goes, the least first; facts when no statement is left.
    const std::size_t part = std::max<std::size_t>(1, order_taken_.size() / 20);
    std::size_t dropped = 0;
    for (std::size_t r = ranked.size(); r-- > 0 && dropped < part;) {
      if (!taken_[ranked[r]] || material_.pieces[ranked[r]].must) continue;
      taken_[ranked[r]] = false;
      ++dropped;
    }
    if (dropped == 0 && !facts_.empty()) {
      facts_.resize(facts_.size() - std::max<std::size_t>(1, facts_.size() / 10));
      ++dropped;
    }
    for (std::size_t r = ranked.size(); r-- > 0 && dropped == 0;) {
      if (!taken_[ranked[r]]) continue;
      taken_[ranked[r]] = false;
      ++dropped;
    }
    return dropped > 0;
  }

  void write(Summary& into) const {
    for (std::size_t list = 0; list < kSummaryLists; ++list) list_of(into, static_cast<SummaryList>(list)).clear();
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (taken_[i]) list_of(into, material_.pieces[i].list).push_back(material_.pieces[i].text);
    }
    for (std::string& line : fact_lines(facts_)) into.facts.push_back(std::move(line));
  }

  const Material& material_;
  const FactSet& elsewhere_;
  const TokenCounter& tokens_;
  std::int64_t budget_, used_ = 0;
  std::array<std::int64_t, kSummaryLists> used_by_{};
  std::vector<std::int64_t> cost_;
  std::vector<bool> taken_;
  std::vector<std::size_t> order_taken_;
  std::vector<const RankedFact*> facts_;
  FactSet here_;
};

}  // namespace

void summarise(const Material& material, const FactSet& elsewhere, std::int64_t budget, const TokenCounter& tokens,
               Summary& into) {
  into.by = MadeBy::kFloor;
  Filler(material, elsewhere, budget, tokens).fill(into);
}

std::vector<std::string> fact_lines(std::vector<const RankedFact*> facts) {
  std::stable_sort(facts.begin(), facts.end(),
                   [](const RankedFact* a, const RankedFact* b) { return a->order < b->order; });
  std::vector<std::string> lines;
  for (const RankedFact* fact : facts) {
    const std::string text = fact->name.empty() ? fact->text : fact->name + ": " + fact->text;
    if (lines.empty() || lines.back().size() + text.size() + 2 > kFactLine)
      lines.push_back(text);
    else
      lines.back() += ", " + text;
  }
  return lines;
}

std::int64_t rendered_tokens(const Summary& summary, const TokenCounter& tokens) {
  return tokens.count(render_summary(summary));
}

}  // namespace weft
