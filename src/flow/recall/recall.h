#pragma once
#include <algorithm>
#include <optional>
#include <unordered_set>
#include "flow/recall/recipes.h"
#include "ports/index/scope_index.h"
#include "weft/memory.h"
namespace weft {
struct ScoredRow { std::int64_t row; double score; std::vector<Signal> signals; };
struct RecallQuery { std::string text; std::vector<float> vector; std::size_t top_k = 10; std::vector<ItemKind> kinds; std::optional<Time> from, to; std::optional<SessionId> session, not_session; };
inline Result<std::vector<ScoredRow>> recall(const ScopeIndex& index, const RecallQuery& query, const Recipe&) {
  std::vector<ScoredRow> out;
  const auto terms = index_terms(query.text);
  const std::unordered_set<Term> want(terms.begin(), terms.end());
  for (const auto& r : index.rows) {
    if (!r.active) continue;
    if (!query.kinds.empty() && std::find(query.kinds.begin(), query.kinds.end(), r.item.kind) == query.kinds.end()) continue;
    if (query.session && r.item.session != *query.session) continue;
    if (query.not_session && r.item.session == *query.not_session) continue;
    double s = 0;
    std::unordered_set<Term> have(r.terms.begin(), r.terms.end());
    for (Term t : want) s += have.contains(t) ? 0.1 : 0;
    if (query.vector.size() == r.vector.size()) for (std::size_t i = 0; i < r.vector.size(); ++i) s += static_cast<double>(query.vector[i] * r.vector[i]);
    if (s > 0) out.push_back({r.row, s, {}});
  }
  std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.score > b.score; });
  if (out.size() > query.top_k) out.resize(query.top_k);
  return out;
}
}  // namespace weft
