#include "growth/replay_log.h"

#include "model/growth_records.h"

namespace weft {

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

// A line that cannot be read is somebody's edit: what it said is played again.
Status ReplayLog::open(bool make) {
  if (log_) return {};
  if (!make)
    if (const auto text = files_.read(places_.replays()); !text.ok() && text.error().code == ErrorCode::kNotFound)
      return {};
  lines_.clear();
  WEFT_TRY(log_, LineLog::open(files_, places_.replays(), [this](std::string_view line) {
             auto read = parse_record<ReplayLine>(line, "line");
             if (read.ok()) lines_.push_back(std::move(read).value());
           }));
  return {};
}

Result<std::vector<ReplayPair>> ReplayLog::of(const GateCandidate& candidate) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(open(false));
  std::vector<ReplayPair> pairs;
  for (const ReplayLine& line : lines_)
    if (line.candidate == candidate.id && line.owner == candidate.owner && line.version == candidate.version)
      pairs.push_back(line.pair);
  return pairs;
}

Status ReplayLog::add(const GateCandidate& candidate, const ReplayPair& pair) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(open(true));
  const ReplayLine line{clock_.now(), candidate.id, candidate.owner, candidate.version, pair};
  WEFT_CHECK(log_->append(to_json(line)));
  lines_.push_back(line);
  return {};
}

Status ReplayLog::erase(const std::string& owner) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(open(false));
  if (std::erase_if(lines_, [&](const ReplayLine& line) { return line.owner == owner; }) == 0) return {};
  std::string text;
  for (const ReplayLine& line : lines_) text += to_json(line) + "\n";
  log_ = nullptr;
  return write_file(files_, places_.replays(), text, true);
}

}  // namespace weft
