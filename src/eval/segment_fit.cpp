#include "eval/segment_fit.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/log.h"
#include "eval/boosted_trees.h"
#include "eval/seen_dialogues.h"
#include "flow/stream/topic_shift.h"
#include "text/json.h"
#include "text/weight_file.h"

namespace weft {
namespace {

/// Chosen once for all families, on the left-out scores: of those that tie the one that cuts more rarely, since a false
/// cut tears a memory in two.
constexpr double kCutWithVectors = -0.7, kCutWithWords = -0.95;

struct Weights {
  std::vector<ShiftTree> vectors, words;
};

// ---- fitting

/// Which way a signal may push: what is near, shared or answered falls, what asks and changes rises.
Slope slope_of(std::string_view name) {
  static const std::set<std::string_view> kRising = {"change",        "adds",          "requests",
                                                     "question",      "question_end",  "greets",
                                                     "before_thanks", "before_closes", "words_new"};
  static const std::set<std::string_view> kFree = {"thanks", "closes"};
  if (kRising.contains(name)) return Slope::kRising;
  return kFree.contains(name) ? Slope::kFree : Slope::kFalling;
}

bool is_courtesy(std::string_view name) {
  for (const std::string_view one : {"greets", "thanks", "closes"})
    if (name.ends_with(one)) return true;
  return false;
}

BoostingOptions boosting(bool vectors, std::size_t rows) {
  BoostingOptions options;
  options.min_weight = std::min(options.min_weight, static_cast<double>(rows) / 50);
  for (const std::string_view name : shift_signal_names()) {
    const bool by_vector = name.starts_with("near_");
    const bool by_words = name == "words_last" || name == "words_eight" || name == "words_new";
    options.slopes.push_back((vectors ? by_words : by_vector) ? Slope::kUnused : slope_of(name));
  }
  return options;
}

void add_rows(const SeenGroup& group, bool courtesy, float weight, TrainingRows& rows) {
  const auto names = shift_signal_names();
  for (const SeenDialogue& dialogue : group.dialogues) {
    for (std::size_t i = 1; i < dialogue.signals.size(); ++i) {
      for (std::size_t c = 0; c < names.size(); ++c)
        rows.columns[c].push_back(!courtesy && is_courtesy(names[c]) ? 0 : static_cast<float>(dialogue.signals[i][c]));
      rows.border.push_back(std::binary_search(dialogue.starts.begin(), dialogue.starts.end(), i) ? 1 : 0);
      rows.weight.push_back(weight);
    }
  }
}

std::size_t rows_of(const SeenGroup& group) {
  std::size_t rows = 0;
  for (const SeenDialogue& dialogue : group.dialogues) rows += dialogue.signals.size() - 1;
  return rows;
}

/// Every row stands there twice, once without courtesies: joined talks would teach that topics begin with "Hi".
TrainingRows training_rows(const std::vector<SeenGroup>& groups, const std::set<std::string>& without) {
  std::vector<const SeenGroup*> chosen;
  for (const SeenGroup& group : groups)
    if (group.fits && !without.contains(group.family)) chosen.push_back(&group);
  std::size_t all = 0;
  for (const SeenGroup* group : chosen) all += rows_of(*group);
  TrainingRows rows;
  rows.columns.resize(shift_signal_names().size());
  for (const bool courtesy : {true, false})
    for (const SeenGroup* group : chosen)
      add_rows(*group, courtesy,
               static_cast<float>(static_cast<double>(all) /
                                  (static_cast<double>(chosen.size()) * static_cast<double>(rows_of(*group)))),
               rows);
  return rows;
}

Weights fit(const std::vector<SeenGroup>& groups, const std::set<std::string>& without) {
  const TrainingRows rows = training_rows(groups, without);
  const std::size_t count = rows.border.size();
  return {fit_trees(rows, boosting(true, count)), fit_trees(rows, boosting(false, count))};
}

// ---- measuring

/// The turns that begin a topic, by these trees; only at questions where `blocks` says so.
std::vector<std::size_t> borders(const SeenDialogue& dialogue, std::span<const ShiftTree> trees, double cut,
                                 bool blocks) {
  std::vector<std::size_t> starts{0};
  std::int64_t age = 1;
  BorderRate rate;
  for (std::size_t i = 1; i < dialogue.signals.size(); ++i, ++age) {
    const double logit = shift_logit(trees, dialogue.signals[i]);
    const bool cuts = logit + rate.shift() + shift_hazard(age) > cut;
    rate.take(logit);
    if (!cuts || (blocks && !dialogue.question[i])) continue;
    starts.push_back(i);
    age = 0;
  }
  return starts;
}

/// Turns as blocks: a block begins with a question.
std::vector<std::size_t> in_blocks(const SeenDialogue& dialogue, const std::vector<std::size_t>& starts) {
  std::vector<std::size_t> blocks;
  std::size_t block = 0;
  for (std::size_t i = 0; i < dialogue.question.size(); ++i) {
    if (i > 0 && dialogue.question[i]) ++block;
    if (std::binary_search(starts.begin(), starts.end(), i)) blocks.push_back(block);
  }
  return blocks;
}

template <class Find>
SegmentFigures measure(const SeenGroup& group, bool blocks, Find find) {
  SegmentFigures figures;
  double squares = 0;
  for (const SeenDialogue& dialogue : group.dialogues) {
    std::vector<std::size_t> gold = dialogue.starts, found = find(dialogue);
    std::size_t units = dialogue.signals.size();
    if (blocks) {
      gold = in_blocks(dialogue, gold);
      found = in_blocks(dialogue, found);
      units = static_cast<std::size_t>(std::count(dialogue.question.begin() + 1, dialogue.question.end(), true)) + 1;
    }
    const SegmentScore score = score_segments(units, gold, found);
    figures.f1 += score.f1;
    figures.pk += score.pk;
    figures.wd += score.wd;
    figures.found += found.size() - 1;
    figures.there += gold.size() - 1;
    const double all = score.f1 / 2 + (1 - score.pk) / 4 + (1 - score.wd) / 4;
    squares += all * all;
  }
  figures.dialogues = group.dialogues.size();
  const auto count = static_cast<double>(figures.dialogues);
  for (double* value : {&figures.f1, &figures.pk, &figures.wd}) *value /= count;
  figures.noise = std::sqrt(std::max(0.0, squares / count - figures.score() * figures.score()) / count);
  return figures;
}

auto by(const std::vector<ShiftTree>& trees, double cut, bool blocks = false) {
  return [&trees, cut, blocks](const SeenDialogue& dialogue) { return borders(dialogue, trees, cut, blocks); };
}

double cuts_in_twenty(const SeenGroup& group, const std::vector<ShiftTree>& trees) {
  double cuts = 0, turns = 0;
  for (const SeenDialogue& dialogue : group.dialogues) {
    cuts += static_cast<double>(borders(dialogue, trees, kCutWithVectors, true).size() - 1);
    turns += static_cast<double>(dialogue.signals.size());
  }
  return 20 * cuts / turns;
}

/// Whether the family's figures come from this group.
bool is_measured(const SeenGroup& group) {
  return is_talks(group.family) ? group.kind == "measured" : group.kind == "labelled";
}

// ---- what comes out

std::string source_of(const Weights& weights) {
  ValueList signals;
  for (const std::string_view name : shift_signal_names()) signals.emplace_back(std::string(name));
  return WeightFile("topics", {{"signals", std::move(signals)},
                               {"vectors.cut", kCutWithVectors},
                               {"vectors.trees", written(weights.vectors)},
                               {"words.cut", kCutWithWords},
                               {"words.trees", written(weights.words)}})
      .source();
}

nlohmann::ordered_json json_of(const SegmentFigures& figures) {
  return {{"score", figures.score()}, {"f1", figures.f1},       {"pk", figures.pk},      {"wd", figures.wd},
          {"found", figures.found},   {"there", figures.there}, {"noise", figures.noise}};
}

}  // namespace

Result<FittedSegments> fit_segments(const SegmentFitOptions& options, Embedder& embedder,
                                    const Similarity& similarity) {
  WEFT_TRY(const auto groups, gather_dialogues(options, embedder, similarity));
  FittedSegments result;
  for (const SeenGroup& group : groups) result.rows += group.fits ? rows_of(group) : 0;
  const Weights shipped = fit(groups, {});
  const Weights strict = fit(groups, {"talks_en", "talks_zh"});
  for (const SeenGroup& group : groups) {
    if (group.kind == "uncut") result.uncut[group.family.substr(6)] = cuts_in_twenty(group, strict.vectors);
    if (!is_measured(group)) continue;
    log_info("eval.fit", "without " + group.family);
    const bool talks = is_talks(group.family);
    const Weights others = fit(groups, {group.family});
    const Weights& left = talks ? strict : others;
    SegmentFamily& family = result.families[group.family];
    family.never = measure(group, false, [](const SeenDialogue&) { return std::vector<std::size_t>{0}; });
    family.left_out = measure(group, false, by(left.vectors, kCutWithVectors));
    family.one_out = measure(group, false, by(others.vectors, kCutWithVectors));
    family.words = measure(group, false, by(left.words, kCutWithWords));
    family.fitted = measure(group, false, by(shipped.vectors, kCutWithVectors));
    if (talks) result.blocks[group.family] = measure(group, true, by(strict.vectors, kCutWithVectors, true));
  }
  result.source = source_of(shipped);
  return result;
}

std::string to_json(const FittedSegments& fitted) {
  nlohmann::ordered_json json;
  double left_out = 0, one_out = 0, words = 0, never = 0;
  for (const auto& [name, family] : fitted.families) {
    json["families"][name] = {{"dialogues", family.never.dialogues},     {"left_out", json_of(family.left_out)},
                              {"one_out", json_of(family.one_out)},      {"fitted", json_of(family.fitted)},
                              {"words_left_out", json_of(family.words)}, {"never", json_of(family.never)}};
    left_out += family.left_out.score();
    one_out += family.one_out.score();
    words += family.words.score();
    never += family.never.score();
  }
  const auto count = static_cast<double>(fitted.families.size());
  json["macro"] = {{"left_out", left_out / count},
                   {"one_out", one_out / count},
                   {"words_left_out", words / count},
                   {"never", never / count}};
  for (const auto& [name, figures] : fitted.blocks) json["blocks_left_out"][name] = json_of(figures);
  for (const auto& [name, cuts] : fitted.uncut) json["cuts_in_twenty_turns"][name] = cuts;
  json["rows"] = fitted.rows;
  return write_json(json);
}

}  // namespace weft
