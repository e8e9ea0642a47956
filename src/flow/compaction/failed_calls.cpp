#include "flow/compaction/failed_calls.h"

#include <algorithm>
#include <map>
#include <set>

#include "flow/compaction/failure.h"
#include "flow/compaction/key_facts.h"
#include "text/sentences.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kAhead = 40;      // calls that are looked at for one that worked
constexpr double kAlike = 0.34;         // share of the words of both that two calls have in common
constexpr std::size_t kArgument = 160;  // bytes of the changed arguments

struct Call {
  const ToolCall* call;
  std::size_t made, answered;  ///< places of the message that calls and of the output
  std::string failure;
};

std::vector<Call> calls_of(const std::vector<const Message*>& messages) {
  std::vector<Call> calls;
  std::map<std::string, std::pair<const ToolCall*, std::size_t>> open;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& message = *messages[i];
    for (const ToolCall& call : message.tool_calls) open[call.id] = {&call, i};
    if (message.role != Role::kTool) continue;
    const auto at = open.find(message.tool_call_id);
    const bool known = at != open.end();
    const ToolCall* call = known ? at->second.first : nullptr;
    calls.push_back({call, known ? at->second.second : i, i, failure_of(call, message)});
    if (known) open.erase(at);
  }
  return calls;
}

// Of the values: the names of arguments are the same in every call.
std::set<Term> terms_of(const ToolCall& call) {
  std::string values;
  for (const NamedValue& argument : json_scalars(call.arguments)) values += argument.value + "\n";
  const auto terms = index_terms(values.empty() ? call.arguments : values);
  return {terms.begin(), terms.end()};
}

// Of a tool that does one thing any later call is a like one where the arguments say little; of a shell only those that
// share words.
bool alike(const ToolCall& failed, const ToolCall& later) {
  if (failed.name != later.name) return false;
  const std::set<Term> a = terms_of(failed), b = terms_of(later);
  if (a.empty() || b.empty()) return true;
  const auto common = std::count_if(a.begin(), a.end(), [&b](Term term) { return b.contains(term); });
  return static_cast<double>(common) >= kAlike * static_cast<double>(std::min(a.size(), b.size()));
}

// The arguments that are other ones now; all where they are no object.
std::string changed_arguments(const ToolCall& failed, const ToolCall& later) {
  const auto before = json_scalars(failed.arguments);
  std::string changed;
  for (const NamedValue& now : json_scalars(later.arguments)) {
    const auto same = [&now](const NamedValue& one) { return one.name == now.name && one.value == now.value; };
    if (std::any_of(before.begin(), before.end(), same)) continue;
    if (changed.size() + now.value.size() > kArgument && !changed.empty()) break;
    changed +=
        (changed.empty() ? "" : ", ") + (now.name.empty() ? "" : now.name + "=") + now.value.substr(0, kArgument);
  }
  return changed;
}

std::string worked(const ToolCall& failed, const ToolCall& later) {
  if (failed.arguments == later.arguments) return "the same call worked later";
  const std::string changed = changed_arguments(failed, later);
  return later.name + (changed.empty() ? std::string() : " " + changed) + " worked";
}

// What the model said next, before the user spoke again.
std::string thought_after(const std::vector<const Message*>& messages, std::size_t output) {
  for (std::size_t i = output + 1; i < messages.size(); ++i) {
    const Message& message = *messages[i];
    if (message.role == Role::kUser) break;
    if (message.role != Role::kAssistant) continue;
    const std::string& text = message.content.empty() ? message.reasoning : message.content;
    const auto all = sentences(text);
    if (!all.empty()) return std::string(all.front());
  }
  return {};
}

}  // namespace

std::vector<FailedCall> failed_calls(const std::vector<const Message*>& messages) {
  const std::vector<Call> calls = calls_of(messages);
  std::vector<FailedCall> found;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Call& failed = calls[i];
    if (failed.failure.empty()) continue;
    FailedCall entry;
    entry.output = failed.answered;
    entry.reason = failed.failure;
    entry.tried =
        failed.call == nullptr ? messages[failed.answered]->name : failed.call->name + " " + failed.call->arguments;
    for (std::size_t j = i + 1; failed.call != nullptr && j < calls.size() && j <= i + kAhead; ++j) {
      if (calls[j].call == nullptr || !calls[j].failure.empty() || !alike(*failed.call, *calls[j].call)) continue;
      entry.handled = worked(*failed.call, *calls[j].call);
      break;
    }
    if (entry.handled.empty()) entry.handled = thought_after(messages, failed.answered);
    found.push_back(std::move(entry));
  }
  return found;
}

}  // namespace weft
