#include "flow/memory/state_answer.h"

#include <algorithm>

#include "base/strings.h"
#include "text/value.h"

namespace weft {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::string_view kFence = "```";

// One operation alone is a list of one.
Value list_of(Value read) {
  ValueList* list = read.list();
  if (list != nullptr && !list->empty() && list->front().text() != nullptr) return ValueList{std::move(read)};
  return read;
}

void add(std::vector<AnswerOperations>& all, std::string state, std::string_view body) {
  auto at = std::find_if(all.begin(), all.end(), [&](const AnswerOperations& one) { return one.state == state; });
  if (at == all.end()) at = all.insert(all.end(), {std::move(state), "[]", ""});
  if (!at->problem.empty()) return;
  auto read = parse_value(body, {.max_bytes = kMostBytes}, "the state block");
  if (!read.ok() || read->list() == nullptr) {
    at->problem = read.ok() ? "the state block is no JSON array of operations" : read.error().message;
    at->operations.clear();
    return;
  }
  Value known = parse_value(at->operations, {.max_bytes = at->operations.size() + 1}, "operations").value_or(Value());
  Value more = list_of(std::move(*read));
  for (Value& one : *more.list()) known.list()->push_back(std::move(one));
  at->operations = to_json(known);
}

}  // namespace

std::vector<AnswerOperations> operations_in_answer(std::string_view answer, std::string_view usual) {
  std::vector<AnswerOperations> all;
  bool inside = false, ours = false;
  std::string state, body;
  for (const std::string_view line : lines_of(answer)) {
    const std::string_view said = trimmed(line);
    if (!said.starts_with(kFence)) {
      if (ours) body.append(line).append("\n");
      continue;
    }
    if (inside) {
      if (ours) add(all, state, body);
      inside = ours = false;
      continue;
    }
    inside = true;
    std::string_view info = trimmed(said.substr(kFence.size()));
    const std::string_view word = info.substr(0, info.find(' '));
    ours = word == "state";
    info.remove_prefix(word.size());
    state = trimmed(info).empty() ? std::string(usual) : std::string(trimmed(info));
    body.clear();
  }
  if (ours) add(all, state, body);
  return all;
}

std::string without_state_blocks(std::string_view answer) {
  std::string text;
  bool inside = false, ours = false;
  for (const std::string_view line : lines_of(answer)) {
    const std::string_view said = trimmed(line);
    const bool fence = said.starts_with(kFence);
    if (fence && !inside) {
      const std::string_view info = trimmed(said.substr(kFence.size()));
      ours = info.substr(0, info.find(' ')) == "state";
    }
    if (!ours) text.append(line).append("\n");
    if (!fence) continue;
    if (inside) ours = false;
    inside = !inside;
  }
  if (!answer.ends_with('\n') && text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace weft
