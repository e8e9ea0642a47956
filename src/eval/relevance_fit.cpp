#include "eval/relevance_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

/// Fits on all cases but those of some sets.
FittedCurve fit_without(std::vector<KnownCase>& cases, const std::set<std::string>& without, bool vectors,
                        double refused) {
  for (KnownCase& one : cases) one.held_out = without.contains(one.set);
  return fit_relevance(cases, vectors, refused);
}

KnownTally tally_of(std::vector<KnownCase> cases, const std::string& set, const FittedCurve* curve, double threshold) {
  std::vector<const KnownCase*> own;
  for (KnownCase& one : cases) {
    if (one.set != set) continue;
    if (curve != nullptr) one.relevance = 0;
    for (const RelevanceFeatures& hit : one.hits)
      if (curve != nullptr) one.relevance = std::max(one.relevance, relevance_by(*curve, hit));
    own.push_back(&one);
  }
  return tally(own, threshold);
}

const char* name_of(RelevanceWeight::Sign sign) {
  switch (sign) {
    case RelevanceWeight::Sign::kAny: return "kAny";
    case RelevanceWeight::Sign::kFor: return "kFor";
    case RelevanceWeight::Sign::kChosen: return "kChosen";
  }
  return "";
}

std::string source_of(const FittedCurve& words, const FittedCurve& vectors) {
  std::string rows;
  const auto& weights = relevance_curves().weights;
  for (std::size_t i = 0; i < weights.size(); ++i)
    rows += fmt::format("{}{{\"{}\", &F::{}, {:.2f}, {:.2f}, {}}}",
                        i == 0 ? "" : ",\n                                             ", weights[i].name,
                        weights[i].name, words.weights[i], vectors.weights[i], name_of(weights[i].sign));
  return fmt::format(R"(#include "flow/recall/relevance.h"

namespace weft {{

// Written by `weft fit known`; docs/quality.md says on what. The weight of `excess` is chosen: whether a long text has
// to do with something is not told by shares of its words, and what ranking finds for it is better than nothing.
const RelevanceCurves& relevance_curves() {{
  using F = RelevanceFeatures;
  using enum RelevanceWeight::Sign;
  // clang-format off
  static constexpr RelevanceCurves kCurves{{{:.2f},
                                           {:.2f},
                                           {{{{{}}}}}}};
  // clang-format on
  return kCurves;
}}

}}  // namespace weft
)",
                     words.bias, vectors.bias, rows);
}

Json json_of(const KnownTally& tally) {
  const auto share = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  return {{"own", tally.own},
          {"foreign", tally.foreign},
          {"auc", tally.auc},
          {"own_refused", share(tally.own_refused)},
          {"near_accepted", share(tally.near_accepted)},
          {"far_accepted", share(tally.far_accepted)}};
}

}  // namespace

Result<FittedRelevance> fit_known(const Config& config, const RelevanceFitOptions& options, Embedder& embedder,
                                  const LanguageMeans& means) {
  FittedRelevance result;
  const std::set<std::string> kept_out(options.keep_out.begin(), options.keep_out.end());
  const double threshold = config.recall.known_threshold;
  for (const bool vectors : {false, true}) {
    WEFT_TRY(auto cases, ask_known(config, options.sets, options.questions, vectors ? &embedder : nullptr, means));
    FittedCurve& curve = result.curves[vectors ? 1 : 0];
    curve = fit_without(cases, kept_out, vectors, options.refused);
    std::set<std::string> names;
    for (const KnownCase& one : cases) names.insert(one.set);
    for (const std::string& name : names) {
      FittedKnownSet& set = result.sets[vectors ? 1 : 0][name];
      std::set<std::string> without = kept_out;
      set.kept_out = !without.insert(name).second;
      const FittedCurve others = fit_without(cases, without, vectors, options.refused);
      set.left_out = tally_of(cases, name, &others, threshold);
      set.fitted = tally_of(cases, name, &curve, threshold);
      set.shipped = tally_of(cases, name, nullptr, threshold);
    }
  }
  result.source = source_of(result.curves[0], result.curves[1]);
  return result;
}

std::string to_json(const FittedRelevance& fitted) {
  Json json;
  for (const bool vectors : {true, false}) {
    for (const auto& [name, set] : fitted.sets[vectors ? 1 : 0])
      json[vectors ? "vectors" : "words"][name] = {{"left_out", json_of(set.left_out)},
                                                   {"fitted", json_of(set.fitted)},
                                                   {"shipped", json_of(set.shipped)},
                                                   {"kept_out", set.kept_out}};
  }
  return write_json(json);
}

}  // namespace weft
