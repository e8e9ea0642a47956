#include "growth/promotion_gate.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "growth/growth_files.h"
#include "growth/rule_words.h"
#include "model/growth_records.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kLongestTask = 300;  // bytes that are compared

std::string joined(const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) text += (text.empty() ? "" : ", ") + id;
  return text;
}

std::string tasks(std::size_t count) { return std::to_string(count) + (count == 1 ? " past task" : " past tasks"); }

// Those whose outcome is known, the newest first, each task once.
std::vector<TaskReport> known_tasks(const std::string& owner, std::span<const TaskReport> reports) {
  std::vector<TaskReport> known;
  for (const TaskReport& report : reports) {
    const bool own = report.owner == owner && report.provenance == Provenance::kOwnRun && report.learn;
    if (own && !report.run.empty() && !report.task.empty() && witnessed_outcome(report) != Outcome::kUnknown)
      known.push_back(report);
  }
  std::stable_sort(known.begin(), known.end(),
                   [](const TaskReport& a, const TaskReport& b) { return a.ended.ms > b.ended.ms; });
  std::set<std::string> seen;
  std::erase_if(known, [&](const TaskReport& report) { return !seen.insert(lowered(report.task)).second; });
  return known;
}

}  // namespace

PromotionGate gate_of(const GateKeeper& keeper, const std::string& owner, std::int64_t version, const Clock& clock) {
  if (!keeper) return {};
  PromotionGate gate = keeper(owner);
  gate.version = version;
  gate.time = clock.now();
  return gate;
}

bool is_waiting(const PromotionGate& gate, std::int64_t version) {
  return gate.stage == GateStage::kWaiting && gate.version == version;
}

bool is_held_back(const PromotionGate& gate, std::int64_t version) {
  return gate.stage == GateStage::kHeldBack && gate.version == version;
}

std::vector<TaskReport> tasks_to_replay(const GateCandidate& candidate, std::span<const TaskReport> reports,
                                        const Likeness& likeness, double related) {
  std::vector<TaskReport> by_outcome[2];
  std::vector<std::string> matters;
  for (const std::string& matter : candidate.matters) matters.push_back(preview(matter, kLongestTask));
  if (matters.empty()) return {};
  for (TaskReport& report : known_tasks(candidate.owner, reports)) {
    const auto alike = likeness.to_all(preview(report.task, kLongestTask), matters);
    if (std::none_of(alike.begin(), alike.end(), [related](double one) { return one >= related; })) continue;
    by_outcome[witnessed_outcome(report) == Outcome::kSuccess ? 0 : 1].push_back(std::move(report));
  }
  std::vector<TaskReport> ordered;
  for (std::size_t i = 0; i < std::max(by_outcome[0].size(), by_outcome[1].size()); ++i)
    for (auto& of : by_outcome)
      if (i < of.size()) ordered.push_back(std::move(of[i]));
  return ordered;
}

PromotionGate gate_after(std::span<const ReplayPair> pairs, std::int64_t allowed, std::int64_t version, Time now) {
  PromotionGate gate;
  gate.version = version;
  gate.time = now;
  std::string open;
  for (const ReplayPair& pair : pairs) {
    if (!pair.is_judged()) {
      if (open.empty()) open = pair.why;
      continue;
    }
    ++gate.replayed;
    if (pair.with == pair.without) continue;
    (pair.with == Outcome::kSuccess ? gate.repaired : gate.broken).push_back(pair.run);
  }
  if (gate.replayed == 0) {
    gate.stage = GateStage::kNotReplayed;
    gate.why = open.empty() ? "there is no past task like it that can be played again" : open;
    return gate;
  }
  const bool fine = static_cast<std::int64_t>(gate.broken.size()) <= allowed;
  gate.stage = fine ? GateStage::kPassed : GateStage::kHeldBack;
  if (!fine)
    gate.why = "with it " + joined(gate.broken) +
               (gate.broken.size() == 1 ? " fails, which succeeds" : " fail, which succeed") + " without it";
  return gate;
}

std::string gate_text(const PromotionGate& gate) {
  switch (gate.stage) {
    case GateStage::kNone: return {};
    case GateStage::kWaiting: return "waits to be tried on past tasks" + (gate.why.empty() ? "" : ": " + gate.why);
    case GateStage::kNotReplayed: return "not replayed: " + gate.why;
    case GateStage::kPassed:
    case GateStage::kHeldBack: break;
  }
  std::string text = std::string(gate.stage == GateStage::kPassed ? "tried" : "held back, tried") + " on " +
                     tasks(static_cast<std::size_t>(gate.replayed));
  if (!gate.repaired.empty()) text += ", mends " + joined(gate.repaired);
  if (!gate.broken.empty()) text += ", breaks " + joined(gate.broken);
  return text;
}

namespace {

std::string id_of(const ReplayLine& line) {
  return line.candidate + "@" + std::to_string(line.version) + "/" + line.pair.run;
}

}  // namespace

template <>
const Record<ReplayPair>& record<ReplayPair>() {
  static const auto made = Record<ReplayPair>("ReplayPair", "A past task, played again both ways.", RecordUse::kBoth)
                               .field("run", &ReplayPair::run, "its id")
                               .field("with", &ReplayPair::with, "how it went with the candidate")
                               .field("without", &ReplayPair::without, "how it went without it")
                               .field("why", &ReplayPair::why, "nobody can tell", {.sparse = true});
  return made;
}

template <>
const Record<ReplayLine>& record<ReplayLine>() {
  static const auto made = Record<ReplayLine>("ReplayLine", "", RecordUse::kBoth)
                               .field("time", &ReplayLine::time, "when")
                               .field("candidate", &ReplayLine::candidate, "its id")
                               .field("owner", &ReplayLine::owner, "whose it is")
                               .field("version", &ReplayLine::version, "of the candidate")
                               .spread(&ReplayLine::pair, record<ReplayPair>());
  return made;
}

// The task of a line that cannot be read is replayed again.
Status ReplayLog::take_former_log(FileSystem& files, const std::filesystem::path& path) {
  std::map<std::pair<std::string, std::string>, ReplayLine> lines;  // by owner and id
  const auto take = [&](std::string_view text) {
    auto line = parse_record<ReplayLine>(text, "line");
    if (line.ok()) lines.try_emplace({line->owner, id_of(*line)}, std::move(line).value());
    return line.ok();
  };
  return weft::take_former_log(files, path, take, [&]() -> Status {
    WriteBatch batch;
    for (const auto& [key, line] : lines) {
      WEFT_TRY(const auto known, lines_.find(ScopeKey(key.first), key.second));
      if (!known) put(line, batch);
    }
    return batch.empty() ? Status() : store_.write(batch);
  });
}

void ReplayLog::put(const ReplayLine& line, WriteBatch& batch) const {
  lines_.put(ScopeKey(line.owner), id_of(line), line, 0, line.time, batch);
}

Result<std::vector<ReplayPair>> ReplayLog::of(const GateCandidate& candidate) {
  WEFT_TRY(const auto lines, lines_.latest(ScopeKey(candidate.owner)));
  std::vector<ReplayPair> pairs;
  for (const auto& [line, id, version] : lines)
    if (line.candidate == candidate.id && line.version == candidate.version) pairs.push_back(line.pair);
  return pairs;
}

Status ReplayLog::add(const GateCandidate& candidate, const ReplayPair& pair) {
  WriteBatch batch;
  put({clock_.now(), candidate.id, candidate.owner, candidate.version, pair}, batch);
  return store_.write(batch);
}

Status ReplayLog::erase(const std::string& owner) {
  WriteBatch batch;
  lines_.remove_all(ScopeKey(owner), batch);
  return store_.write(batch);
}

}  // namespace weft
