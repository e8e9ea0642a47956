// Myers' greedy algorithm (An O(ND) Difference Algorithm and Its Variations, 1986) between the common beginning and
// end.
#include "text/line_diff.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Lines = std::vector<std::string_view>;
using Kind = DiffLine::Kind;

constexpr int kMaxDifferences = 1000;  // of which the way back takes up to 4 MB

// The furthest points reached with d differences, one row for each d: row[k + d] is x on diagonal k.
using Rows = std::vector<std::vector<int>>;

int best_start(const std::vector<int>& row, int k, int d) {
  const auto at = [&](int diagonal) { return row[static_cast<std::size_t>(diagonal + d - 1)]; };
  if (k == -d) return at(k + 1);
  if (k == d) return at(k - 1) + 1;
  return at(k - 1) < at(k + 1) ? at(k + 1) : at(k - 1) + 1;
}

// The row in which the end is reached is the last; empty rows if it takes too many differences.
Rows search(const Lines& before, const Lines& after) {
  const int n = static_cast<int>(before.size()), m = static_cast<int>(after.size());
  Rows rows;
  for (int d = 0; d <= kMaxDifferences; ++d) {
    std::vector<int> row(static_cast<std::size_t>(2 * d + 1));
    bool done = false;
    for (int k = -d; k <= d; k += 2) {
      int x = d == 0 ? 0 : best_start(rows.back(), k, d);
      while (x < n && x - k < m && x - k >= 0 &&
             before[static_cast<std::size_t>(x)] == after[static_cast<std::size_t>(x - k)]) {
        ++x;
      }
      row[static_cast<std::size_t>(k + d)] = x;
      done = done || (x >= n && x - k >= m);
    }
    // Every other place is of the other parity; it takes the value of nobody.
    rows.push_back(std::move(row));
    if (done) return rows;
  }
  return {};
}

void walk_back(const Lines& before, const Lines& after, const Rows& rows, std::vector<DiffLine>& out) {
  std::vector<DiffLine> backwards;
  int x = static_cast<int>(before.size()), y = static_cast<int>(after.size());
  for (int d = static_cast<int>(rows.size()) - 1; d >= 0; --d) {
    const int k = x - y;
    const int start = d == 0 ? 0 : best_start(rows[static_cast<std::size_t>(d - 1)], k, d);
    for (; x > start && y > 0; --x, --y) backwards.push_back({Kind::kSame, before[static_cast<std::size_t>(x - 1)]});
    if (d == 0) break;
    const auto& row = rows[static_cast<std::size_t>(d - 1)];
    const auto at = [&](int diagonal) { return row[static_cast<std::size_t>(diagonal + d - 1)]; };
    const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
    if (down) {
      backwards.push_back({Kind::kAdded, after[static_cast<std::size_t>(--y)]});
    } else {
      backwards.push_back({Kind::kRemoved, before[static_cast<std::size_t>(--x)]});
    }
  }
  out.insert(out.end(), backwards.rbegin(), backwards.rend());
}

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

std::vector<DiffLine> line_diff(std::string_view before, std::string_view after) {
  const Lines old_lines = lines_of(before), new_lines = lines_of(after);
  const auto shorter = std::min(old_lines.size(), new_lines.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && old_lines[head] == new_lines[head]) ++head;
  while (tail < shorter - head && old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail])
    ++tail;
  const auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(head), lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  const Lines removed = middle(old_lines), added = middle(new_lines);
  std::vector<DiffLine> diff;
  for (std::size_t i = 0; i < head; ++i) diff.push_back({Kind::kSame, old_lines[i]});
  if (const Rows rows = search(removed, added); !rows.empty()) {
    walk_back(removed, added, rows, diff);
  } else {
    for (const auto line : removed) diff.push_back({Kind::kRemoved, line});
    for (const auto line : added) diff.push_back({Kind::kAdded, line});
  }
  for (std::size_t i = old_lines.size() - tail; i < old_lines.size(); ++i) diff.push_back({Kind::kSame, old_lines[i]});
  return diff;
}

std::string show_diff(const std::vector<DiffLine>& diff, std::size_t context) {
  std::string out;
  std::size_t old_line = 1, new_line = 1, shown_to = 0;
  std::size_t next = 0;  // the next line that differs, at or behind i
  for (std::size_t i = 0; i < diff.size(); ++i) {
    if (next < i || (next == 0 && i == 0)) next = i;
    while (next < diff.size() && diff[next].kind == Kind::kSame) ++next;
    const DiffLine& line = diff[i];
    const bool near = line.kind != Kind::kSame || (next < diff.size() && next - i <= context) || i < shown_to;
    if (line.kind != Kind::kSame) shown_to = i + 1 + context;
    if (near) {
      const bool begins = i == 0 || out.empty() || out.back() == '\0';
      if (!out.empty() && out.back() == '\0') out.pop_back();
      if (begins) out += "@@ -" + std::to_string(old_line) + " +" + std::to_string(new_line) + " @@\n";
      out += line.kind == Kind::kSame ? ' ' : line.kind == Kind::kAdded ? '+' : '-';
      out += std::string(line.text) + "\n";
    } else if (!out.empty() && out.back() != '\0') {
      out += '\0';  // a gap: the next line that is shown begins a part
    }
    old_line += line.kind != Kind::kAdded;
    new_line += line.kind != Kind::kRemoved;
  }
  if (!out.empty() && out.back() == '\0') out.pop_back();
  return out;
}

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

std::string with_line_breaks_as(std::string_view by, std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const bool breaks = (c >= 0x0A && c <= 0x0D) || c == 0x85 || c == 0x2028 || c == 0x2029;
    out += breaks ? by : text.substr(begin, at - begin);
  }
  return out;
}

}  // namespace weft
