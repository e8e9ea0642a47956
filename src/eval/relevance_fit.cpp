#include "eval/relevance_fit.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "text/json.h"
#include "text/weight_file.h"

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

std::string source_of(const std::array<FittedCurve, 2>& curves) {
  ValueObject entries;
  for (const bool vectors : {false, true}) {
    const FittedCurve& curve = curves[vectors ? 1 : 0];
    const std::string by = vectors ? "vectors." : "words.";
    entries.emplace_back(by + "bias", rounded(curve.bias, 2));
    for (std::size_t i = 0; i < curve.weights.size(); ++i)
      entries.emplace_back(by + std::string(relevance_curves().weights[i].name), rounded(curve.weights[i], 2));
  }
  return WeightFile("known", std::move(entries)).source();
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
  result.source = source_of(result.curves);
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
