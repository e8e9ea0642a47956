#include "eval/segment.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/log.h"
#include "eval/boosted_trees.h"
#include "eval/seen_dialogues.h"
#include "flow/stream/adsorber.h"
#include "flow/stream/topic_shift.h"
#include "text/json.h"
#include "text/weight_file.h"

namespace weft {
namespace {

using Json = nlohmann::json;

/// What is judged at once, and where it stands in the dialogue.
struct Unit {
  std::size_t at = 0;
  LogicalBlock block;
};

std::string speaker_of(const LabelledTurn& turn) { return turn.role == "unknown" ? std::string() : turn.role; }

Message message_of(const LabelledTurn& turn) {
  Message message;
  message.content = turn.text;
  message.name = speaker_of(turn);
  return message;
}

std::vector<Unit> turn_units(const LabelledDialogue& dialogue) {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < dialogue.turns.size(); ++i) {
    Unit unit;
    unit.at = i;
    unit.block.user_block = message_of(dialogue.turns[i]);
    units.push_back(std::move(unit));
  }
  return units;
}

std::vector<Unit> block_units(const LabelledDialogue& dialogue) {
  const auto& turns = dialogue.turns;
  const bool known = std::any_of(turns.begin(), turns.end(), [](const auto& turn) { return turn.role == "user"; });
  std::vector<Unit> units;
  for (std::size_t i = 0; i < turns.size();) {
    std::size_t end = i + 1;
    while (end < turns.size() && (known ? turns[end].role != "user" : end < i + 2)) ++end;
    Unit unit;
    unit.at = i;
    unit.block.user_block = message_of(turns[i]);
    unit.block.user_block->name = "user";
    std::string reply;
    for (std::size_t j = i + 1; j < end; ++j) reply += (reply.empty() ? "" : "\n") + turns[j].text;
    if (end > i + 1) {
      unit.block.response_block = Message();
      unit.block.response_block->content = std::move(reply);
    }
    units.push_back(std::move(unit));
    i = end;
  }
  return units;
}

/// Borders as running counts: `counts[i]` of them lie at flags before i.
std::vector<std::size_t> count_flags(std::size_t turns, const std::vector<std::size_t>& starts) {
  std::vector<std::size_t> counts(turns + 1, 0);
  for (const std::size_t start : starts) {
    if (start > 0 && start < turns) counts[start] = 1;  // the flag of turn start - 1, the last of its segment
  }
  for (std::size_t i = 1; i <= turns; ++i) counts[i] += counts[i - 1];
  return counts;
}

double f1_of(const std::vector<std::size_t>& gold, const std::vector<std::size_t>& predicted) {
  const auto borders = [](const auto& starts) {
    return std::count_if(starts.begin(), starts.end(), [](auto start) { return start > 0; });
  };
  const auto right = std::count_if(predicted.begin(), predicted.end(), [&](auto start) {
    return start > 0 && std::find(gold.begin(), gold.end(), start) != gold.end();
  });
  return right == 0 ? 0 : 2.0 * static_cast<double>(right) / static_cast<double>(borders(gold) + borders(predicted));
}

Result<LabelledDialogue> read_dialogue(const Json& json) {
  try {
    LabelledDialogue dialogue;
    dialogue.id = json.at("id").get<std::string>();
    for (const auto& turn : json.at("turns"))
      dialogue.turns.push_back({turn.value("role", "unknown"), turn.at("text").get<std::string>()});
    dialogue.starts = json.at("starts").get<std::vector<std::size_t>>();
    std::sort(dialogue.starts.begin(), dialogue.starts.end());
    if (dialogue.starts.empty() || dialogue.starts.front() != 0) dialogue.starts.insert(dialogue.starts.begin(), 0);
    if (dialogue.turns.empty() || dialogue.starts.back() >= dialogue.turns.size())
      return invalid_argument("a start that is no turn");
    return dialogue;
  } catch (const Json::exception& error) {
    return invalid_argument(error.what(), R"(each line needs "id", "turns" with "role" and "text", and "starts")");
  }
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

/// The vector of a text, or none where the text has no word or there is no embedder.
Result<Vector> embed_anchor(Embedder* embedder, const std::string& text) {
  if (embedder == nullptr || text.empty()) return Vector{};
  auto vector = embedder->embed(text, EmbedUse::kCompare, Deadline());
  if (!vector.ok() && vector.error().code == ErrorCode::kInvalidArgument) return Vector{};
  return vector;
}

}  // namespace

Result<std::vector<LabelledDialogue>> read_labelled_dialogues(const std::string& path) {
  std::ifstream file(path);
  if (!file) return not_found("cannot read " + path);
  std::vector<LabelledDialogue> dialogues;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const std::string where = path + ":" + std::to_string(number);
    WEFT_TRY(const Json json, read_json(line, JsonLimits{}, where));
    auto dialogue = read_dialogue(json);
    if (!dialogue.ok()) return invalid_argument(where + ": " + dialogue.error().message, dialogue.error().hint);
    dialogues.push_back(std::move(dialogue).value());
  }
  return dialogues;
}

SegmentScore score_segments(std::size_t turns, const std::vector<std::size_t>& gold,
                            const std::vector<std::size_t>& predicted) {
  SegmentScore score;
  score.f1 = f1_of(gold, predicted);
  const auto segments = static_cast<double>(std::max<std::size_t>(1, gold.size()));
  // Half to even, as the published protocol rounds.
  const auto window =
      static_cast<std::size_t>(std::max(2.0, std::nearbyint(static_cast<double>(turns) / segments / 2)));
  if (turns < window) return score;
  const auto there = count_flags(turns, gold);
  const auto found = count_flags(turns, predicted);
  std::size_t pk = 0;
  std::size_t wd = 0;
  const std::size_t windows = turns - window + 1;
  for (std::size_t i = 0; i < windows; ++i) {
    const std::size_t a = there[i + window] - there[i];
    const std::size_t b = found[i + window] - found[i];
    pk += (a > 0) != (b > 0) ? 1U : 0U;
    wd += a != b ? 1U : 0U;
  }
  score.pk = static_cast<double>(pk) / static_cast<double>(windows);
  score.wd = static_cast<double>(wd) / static_cast<double>(windows);
  return score;
}

Result<std::vector<std::size_t>> detect_topics(const LabelledDialogue& dialogue, const SegmentOptions& options,
                                               Embedder* embedder, const Similarity& similarity,
                                               std::vector<double>& times_ms) {
  const bool turns = options.unit == SegmentUnit::kTurn;
  const Adsorber adsorber(options.stream, std::make_shared<const Similarity>(similarity));
  std::vector<std::size_t> starts;
  OpenTopic topic;
  for (Unit& unit : turns ? turn_units(dialogue) : block_units(dialogue)) {
    const auto began = std::chrono::steady_clock::now();
    const std::string anchor = adsorber.anchor_text(topic.blocks.empty() ? nullptr : &topic, unit.block);
    WEFT_TRY(const Vector vector, embed_anchor(embedder, anchor));
    const bool first = topic.blocks.empty();
    const bool starts_topic = first || adsorber.judge(topic, unit.block, vector).verdict == Verdict::kDrift;
    WEFT_TRY(Vector reply, embed_anchor(embedder, adsorber.reply_text(unit.block)));
    const BlockVectors vectors{vector, std::move(reply)};
    if (starts_topic) {
      adsorber.start(topic, topic.row.trace, unit.block, vectors);
      starts.push_back(unit.at);
      topic.blocks.clear();
    } else {
      adsorber.adsorb(topic, unit.block, vectors);
    }
    topic.blocks.push_back(std::move(unit.block));
    times_ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
  }
  return starts;
}

Result<SegmentReport> eval_segments(const std::vector<std::string>& files, const SegmentOptions& options,
                                    Embedder* embedder, const Similarity& similarity) {
  SegmentReport report;
  std::vector<double> times_ms;
  std::ofstream predictions;
  if (!options.predictions.empty()) predictions.open(options.predictions);
  if (!options.predictions.empty() && !predictions) return unavailable("cannot write " + options.predictions);
  for (const auto& file : files) {
    WEFT_TRY(const auto dialogues, read_labelled_dialogues(file));
    for (const auto& dialogue : dialogues) {
      WEFT_TRY(const auto starts, detect_topics(dialogue, options, embedder, similarity, times_ms));
      const auto score = score_segments(dialogue.turns.size(), dialogue.starts, starts);
      report.pk += score.pk;
      report.wd += score.wd;
      report.f1 += score.f1;
      report.gold += static_cast<std::int64_t>(dialogue.starts.size()) - 1;
      report.predicted += static_cast<std::int64_t>(starts.size()) - 1;
      ++report.dialogues;
      if (predictions.is_open()) predictions << write_json(Json{{"id", dialogue.id}, {"starts", starts}}) << '\n';
    }
  }
  const double count = std::max(1.0, static_cast<double>(report.dialogues));
  for (double* value : {&report.pk, &report.wd, &report.f1}) *value /= count;
  report.p50_ms = percentile(times_ms, 0.50);
  report.p95_ms = percentile(times_ms, 0.95);
  return report;
}

std::string to_json(const SegmentReport& report) {
  nlohmann::ordered_json json;
  json["dialogues"] = report.dialogues;
  json["pk"] = report.pk;
  json["wd"] = report.wd;
  json["f1"] = report.f1;
  json["boundaries"] = {{"gold", report.gold}, {"predicted", report.predicted}};
  json["ms_per_turn"] = {{"p50", report.p50_ms}, {"p95", report.p95_ms}};
  return write_json(json);
}

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
