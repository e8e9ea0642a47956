#include "eval/segment.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "flow/stream/topic_shift.h"
#include "text/json.h"

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

}  // namespace weft
