// What was tried and failed stays in sight, so that it is not tried again.
#include <algorithm>
#include <set>
#include <string>

#include "flow/compaction/call_outcome.h"
#include "flow/compaction/failed_calls.h"
#include "flow/context/assembly.h"
#include "flow/context/fence.h"

namespace weft {
namespace {

constexpr std::size_t kMostErrors = 12;  // the newest ones
constexpr std::size_t kBrief = 400;      // bytes of what was tried, and of why it failed

struct Failure {
  ErrorNote note;
  MessageId id;
};

// Failed calls in turns that are not sent: in those that are, the model sees them as they were. What was done about
// them may stand in either.
std::vector<Failure> failures_out_of_sight(const Assembly& assembly) {
  std::vector<const Message*> said;
  std::vector<bool> sent;
  for (std::size_t i = 0; i < assembly.turns.size(); ++i) {
    for (const HistoryMessage* entry : assembly.turns[i].messages) {
      said.push_back(&entry->message);
      sent.push_back(assembly.is_sent(i));
    }
  }
  std::vector<Failure> found;
  for (FailedCall& call : failed_calls(said)) {
    if (sent[call.output]) continue;
    found.push_back({{one_line(call.tried, kBrief), one_line(call.reason, kBrief), one_line(call.handled, kBrief)},
                     said[call.output]->id});
  }
  return found;
}

std::string line_of(const ErrorNote& note) {
  std::string line = "- tried: " + escape_text(note.tried) + "; failed: " + escape_text(note.reason);
  if (!note.handled.empty()) line += "; then: " + escape_text(note.handled);
  return line + "\n";
}

struct Line {
  std::string text;
  const Failure* failure;
  std::string why;  // empty: kept
};

// The newest first, since they are what would be tried again.
std::vector<Line> choose(const Assembly& assembly, const std::vector<Failure>& all, std::int64_t room, Piece& piece) {
  const std::string begin = "<errors>\nWhat was tried before and failed; do not repeat it unchanged.\n";
  const std::string end = "</errors>";
  std::vector<Line> lines;
  std::set<std::string> known;
  std::string text;
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    Line line{line_of(one->note), &*one, ""};
    if (known.contains(line.text))
      line.why = "the same again";
    else if (known.size() >= kMostErrors || assembly.piece("", begin + line.text + text + end).tokens > room)
      line.why = "over budget";
    if (line.why.empty()) {
      known.insert(line.text);
      text = line.text + text;
    }
    lines.push_back(std::move(line));
  }
  piece = text.empty() ? Piece() : assembly.piece("errors", begin + text + end);
  return lines;
}

std::vector<Failure> failures(const Assembly& assembly) {
  std::vector<Failure> all = failures_out_of_sight(assembly);
  for (const ErrorNote& note : assembly.input.errors) all.push_back({note, MessageId()});
  return all;
}

}  // namespace

void reserve_for_errors(Assembly& assembly) {
  const std::int64_t room = std::min(assembly.budget.of(assembly.ports.config.context.error_share), assembly.room());
  const std::vector<Failure> all = failures(assembly);
  choose(assembly, all, room, assembly.errors);
}

void add_errors(Assembly& assembly) {
  const std::int64_t room = assembly.errors.tokens;
  const std::vector<Failure> all = failures(assembly);
  if (all.empty()) {
    assembly.errors = Piece();
    return;
  }
  start_section(assembly, "errors", room, assembly.ports.config.context.error_share);
  for (const Line& line : choose(assembly, all, room, assembly.errors)) {
    report_item(assembly, line.failure->id.str(), "error", 0, assembly.count(line.text), line.why.empty(),
                line.why.empty() ? "failed before" : line.why, line.failure->note.tried);
  }
}

}  // namespace weft
