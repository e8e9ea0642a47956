#include "text/line_merge.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "text/line_diff.h"

namespace weft {
namespace {

using Lines = std::vector<std::string_view>;

// What became of each line of the base, and what stands before it; a last place is behind all.
struct Changes {
  explicit Changes(std::size_t lines) : removed(lines), added(lines + 1) {}
  std::vector<bool> removed;
  std::vector<Lines> added;
};

struct Run {
  std::size_t begin = 0, end = 0;  // lines of the base that were removed
  Lines added;
};

std::vector<Run> runs_of(std::string_view base, std::string_view changed) {
  std::vector<Run> runs;
  std::size_t at = 0;
  bool in_run = false;
  for (const DiffLine& line : line_diff(base, changed)) {
    if (line.kind == DiffLine::Kind::kSame) {
      in_run = false;
      ++at;
      continue;
    }
    if (!in_run) runs.push_back({at, at, {}});
    in_run = true;
    if (line.kind == DiffLine::Kind::kAdded)
      runs.back().added.push_back(line.text);
    else
      runs.back().end = ++at;
  }
  return runs;
}

Changes theirs(std::size_t lines, const std::vector<Run>& runs) {
  Changes changes(lines);
  for (const Run& run : runs) {
    for (std::size_t i = run.begin; i < run.end; ++i) changes.removed[i] = true;
    changes.added[run.end] = run.added;
  }
  return changes;
}

// Where lines were replaced one by one, a line that they changed or took out gets no new form.
Changes ours(const std::vector<Run>& runs, const Changes& theirs) {
  Changes changes(theirs.removed.size());
  for (const Run& run : runs) {
    const bool one_by_one = run.end - run.begin == run.added.size();
    for (std::size_t i = run.begin; i < run.end; ++i) changes.removed[i] = true;
    for (std::size_t i = 0; i < run.added.size(); ++i) {
      const Lines& known = theirs.added[run.end];
      const bool there = std::find(known.begin(), known.end(), run.added[i]) != known.end();
      if (!there && !(one_by_one && theirs.removed[run.begin + i])) changes.added[run.end].push_back(run.added[i]);
    }
  }
  return changes;
}

}  // namespace

std::string merge_lines(std::string_view base, std::string_view now, std::string_view wanted) {
  if (now == base) return std::string(wanted);
  if (wanted == base) return std::string(now);
  const Lines lines = lines_of(base);
  const Changes first = theirs(lines.size(), runs_of(base, now));
  const Changes second = ours(runs_of(base, wanted), first);
  std::string text;
  const auto add = [&](std::string_view line) { text.append(line).push_back('\n'); };
  for (std::size_t i = 0; i <= lines.size(); ++i) {
    for (const std::string_view line : first.added[i]) add(line);
    for (const std::string_view line : second.added[i]) add(line);
    if (i < lines.size() && !first.removed[i] && !second.removed[i]) add(lines[i]);
  }
  const bool ends = now.ends_with('\n') || (now.empty() && wanted.ends_with('\n'));
  if (!text.empty() && !ends) text.pop_back();
  return text;
}

}  // namespace weft
