// Myers' greedy algorithm (An O(ND) Difference Algorithm and Its Variations, 1986) between the common beginning and
// end.
#include "text/line_diff.h"

#include <algorithm>

#include "base/strings.h"

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

}  // namespace weft
