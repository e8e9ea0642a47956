#include "growth/replay_log.h"

#include <map>

#include "growth/former_log.h"
#include "model/growth_records.h"

namespace weft {
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
