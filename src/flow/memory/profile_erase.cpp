#include <algorithm>
#include <set>
#include <utility>

#include "flow/memory/profile_body.h"
#include "flow/memory/profile_merge.h"
#include "flow/memory/profile_merger.h"
#include "flow/memory/profile_reader.h"

namespace weft {
namespace {

using Ids = std::set<std::string>;
using Lines = std::vector<ProfileLine>;

// Whether a line has nothing left to stand on. Takes the erased events off it else.
bool takes_away(ProfileLine& line, const Ids& gone) {
  const auto before = line.sources.size();
  std::erase_if(line.sources, [&](const auto& id) { return gone.contains(id); });
  return line.sources.size() < before && (line.mixed || line.sources.empty());
}

// Takes back what erased events had brought to an end. True if the line as a whole holds again.
bool revives(ProfileLine& line, const Ids& gone) {
  const bool whole = line.section == ProfileSection::kEarlier;
  auto ended = line.ended_by;
  bool revived = false;
  if (whole && !ended.empty()) {
    revived = gone.contains(ended.back());
    ended.pop_back();
  }
  // Marks of people stand before ours; the last ones belong to the events.
  const auto marks = marks_of(line.content);
  const std::size_t ours = std::min(marks.size(), ended.size());
  for (std::size_t i = ours; i > 0; --i) {
    if (!gone.contains(ended[ended.size() - ours + i - 1])) continue;
    const OverMark& mark = marks[marks.size() - ours + i - 1];
    line.content.erase(mark.begin, mark.end - mark.begin);
  }
  std::erase_if(line.ended_by, [&](const auto& id) { return gone.contains(id); });
  if (revived) line.content = std::string(without_date(line.content));
  return revived;
}

}  // namespace

RemovedSources remove_sources(std::string_view body, const std::vector<std::string>& event_ids,
                              const ProfileSubject& subject) {
  const Ids gone(event_ids.begin(), event_ids.end());
  Lines left, revived;
  RemovedSources removed;
  bool touched = false;
  for (auto& line : read_lines(body)) {
    const auto named = [&](const auto& id) { return gone.contains(id); };
    if (std::none_of(line.sources.begin(), line.sources.end(), named) &&
        std::none_of(line.ended_by.begin(), line.ended_by.end(), named)) {
      left.push_back(std::move(line));
      continue;
    }
    touched = true;
    if (takes_away(line, gone)) {
      removed.lines.push_back(std::move(line.content));
      continue;
    }
    ++removed.kept;
    const bool again = revives(line, gone);
    if (!again) render(line);
    (again ? revived : left).push_back(std::move(line));
  }
  if (!touched) return {std::string(body), {}, 0};
  const ProfileReader reader(subject);
  const ProfileInfo nothing;
  ProfileMerger merge(join_lines(left), nothing, reader);
  for (auto& line : revived) merge.restore(std::move(line));
  removed.body = merge.result().body;
  return removed;
}

}  // namespace weft
