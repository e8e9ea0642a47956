#include "flow/context/skeleton_change.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "text/line_diff.h"

namespace weft {
namespace {

using Lines = std::vector<std::string_view>;
using Places = std::set<std::size_t>;

// A list item of so many lines is told whole: which one it is may stand in any of them.
constexpr std::size_t kShortItem = 8;

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::string_view body_of(std::string_view line) { return line.substr(indent_of(line)); }

bool opens_tag(std::string_view line) {
  const std::string_view body = body_of(line);
  return body.size() > 1 && body[0] == '<' && body[1] != '/' && body.find("</") == std::string_view::npos;
}

// The lines that `place` lies within: above it, each less indented than the one before.
std::vector<std::size_t> around(const Lines& lines, std::size_t place) {
  std::vector<std::size_t> found;
  std::size_t indent = indent_of(lines[place]);
  for (std::size_t i = place; i-- > 0 && indent > 0;) {
    if (lines[i].empty() || indent_of(lines[i]) >= indent || body_of(lines[i]).starts_with("</")) continue;
    indent = indent_of(lines[i]);
    found.push_back(i);
  }
  return found;
}

std::size_t end_of_block(const Lines& lines, std::size_t head) {
  std::size_t end = head + 1;
  while (end < lines.size() && (lines[end].empty() || indent_of(lines[end]) > indent_of(lines[head]))) ++end;
  return end;
}

// A line with what makes it readable on its own.
void keep(const Lines& lines, std::size_t place, Places& kept) {
  std::vector<std::size_t> heads = around(lines, place);
  heads.push_back(place);
  for (const std::size_t head : heads) {
    kept.insert(head);
    const std::size_t end = end_of_block(lines, head);
    if (opens_tag(lines[head]) && end < lines.size() && body_of(lines[end]).starts_with("</")) kept.insert(end);
    const bool item = body_of(lines[head]).starts_with("- ") && end - head <= kShortItem;
    for (std::size_t i = head; item && i < end; ++i) kept.insert(i);
  }
}

std::string text_of(const Lines& lines, const Places& kept) {
  std::string text;
  for (const std::size_t place : kept) text += std::string(lines[place]) + "\n";
  return text;
}

// What a line says something about: where only that is the same, the line reads differently and is not gone.
std::string_view subject_of(std::string_view line) {
  const auto end = line.find_first_of(body_of(line).starts_with("<") ? " >" : ":", indent_of(line) + 1);
  return end == std::string_view::npos ? std::string_view() : line.substr(0, end);
}

struct Change {
  Lines before, now;
  Places gone, told;
};

// One stretch of lines that differ.
void tell_stretch(Change& change, const std::vector<std::size_t>& removed, const std::vector<std::size_t>& added) {
  for (const std::size_t place : added) keep(change.now, place, change.told);
  for (const std::size_t place : removed) {
    const std::string_view subject = subject_of(change.before[place]);
    const bool differently = !subject.empty() && std::any_of(added.begin(), added.end(), [&](std::size_t other) {
      return subject_of(change.now[other]) == subject;
    });
    if (!differently && !body_of(change.before[place]).starts_with("</")) keep(change.before, place, change.gone);
  }
}

Change compare(std::string_view before, std::string_view now) {
  using Kind = DiffLine::Kind;
  const std::vector<DiffLine> diff = line_diff(before, now);
  Change change;
  for (const DiffLine& line : diff) {
    if (line.kind != Kind::kAdded) change.before.push_back(line.text);
    if (line.kind != Kind::kRemoved) change.now.push_back(line.text);
  }
  std::size_t of_before = 0, of_now = 0;
  std::vector<std::size_t> removed, added;
  for (const DiffLine& line : diff) {
    if (line.kind == Kind::kSame) tell_stretch(change, std::exchange(removed, {}), std::exchange(added, {}));
    if (line.kind == Kind::kRemoved) removed.push_back(of_before);
    if (line.kind == Kind::kAdded) added.push_back(of_now);
    of_before += line.kind != Kind::kAdded;
    of_now += line.kind != Kind::kRemoved;
  }
  tell_stretch(change, removed, added);
  return change;
}

}  // namespace

std::optional<std::string> skeleton_change(std::string_view before, std::string_view now) {
  if (before == now) return std::string();
  const Change change = compare(before, now);
  std::string text = "<changes since=\"the state above\">\n" + text_of(change.now, change.told);
  if (!change.gone.empty()) text += "<gone>\n" + text_of(change.before, change.gone) + "</gone>\n";
  text += "</changes>";
  if (text.size() * 3 > now.size() * 2) return std::nullopt;
  return text;
}

}  // namespace weft
