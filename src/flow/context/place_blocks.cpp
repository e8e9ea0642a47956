#include "flow/context/place_blocks.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>

namespace weft {
namespace {

/// A block with the message before which it stands.
struct Placed {
  const FloatingBlock* block = nullptr;
  std::size_t before = 0;
};

std::size_t system_messages(const std::vector<Message>& messages) {
  std::size_t count = 0;
  while (count < messages.size() && messages[count].role == Role::kSystem) ++count;
  return count;
}

// The last message of the user; behind everything where there is none.
std::size_t input_of(const std::vector<Message>& messages, std::size_t head) {
  for (std::size_t i = messages.size(); i > head; --i)
    if (messages[i - 1].role == Role::kUser) return i - 1;
  return messages.size();
}

// For each place between messages the nearest one above (or itself) that parts no call from its outputs.
std::vector<std::size_t> safe_places(const std::vector<Message>& messages) {
  std::vector<std::size_t> safe(messages.size() + 1);
  for (std::size_t i = 0; i < safe.size(); ++i) safe[i] = i;
  std::unordered_map<std::string_view, std::size_t> callers;
  std::size_t last_caller = messages.size();
  std::vector<std::size_t> caller_of(messages.size(), messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!messages[i].tool_calls.empty()) last_caller = i;
    for (const ToolCall& call : messages[i].tool_calls) callers[call.id] = i;
    if (messages[i].role != Role::kTool) continue;
    const auto caller = callers.find(messages[i].tool_call_id);
    caller_of[i] = caller != callers.end() ? caller->second : last_caller;
  }
  // From behind: `reach` is the earliest call that an output further on belongs to.
  std::size_t reach = messages.size();
  for (std::size_t i = messages.size(); i > 0; --i) {
    const std::size_t place = i - 1;
    reach = std::min(reach, caller_of[place]);
    if (reach < place)
      safe[place] = reach;
    else
      reach = messages.size();
  }
  // A call that moves up to may itself stand between another call and its outputs.
  for (std::size_t i = 0; i < messages.size(); ++i) safe[i] = safe[safe[i]];
  return safe;
}

std::size_t wanted_place(const FloatingBlock& block, std::size_t head, std::size_t input) {
  switch (block.position) {
    case BlockPlace::kSystemEnd:
    case BlockPlace::kHistoryTop: return head;
    case BlockPlace::kBeforeInput: return input;
    case BlockPlace::kHistoryBottom: {
      const auto length = static_cast<std::int64_t>(input - head);
      return input - static_cast<std::size_t>(std::clamp<std::int64_t>(block.depth, 0, length));
    }
  }
  return head;
}

bool stands_before(const Placed& a, const Placed& b) {
  if (a.before != b.before) return a.before < b.before;
  if (a.block->position != b.block->position) return a.block->position < b.block->position;
  const bool deep = a.block->position == BlockPlace::kHistoryBottom;
  if (deep && a.block->depth != b.block->depth) return a.block->depth > b.block->depth;
  return a.block->priority < b.block->priority;
}

bool joins_system(const FloatingBlock& block) {
  return block.position == BlockPlace::kSystemEnd && (block.role == Role::kSystem || block.role == Role::kTool);
}

Message message_of(const FloatingBlock& block) {
  Message message;
  message.role = block.role == Role::kTool ? Role::kSystem : block.role;
  message.content = block.content;
  return message;
}

}  // namespace

std::vector<Message> place_blocks(std::vector<Message> messages, const std::vector<FloatingBlock>& blocks) {
  const std::size_t head = system_messages(messages);
  const std::size_t input = input_of(messages, head);
  const std::vector<std::size_t> safe = safe_places(messages);
  std::vector<Placed> placed;
  for (const FloatingBlock& block : blocks)
    if (!block.content.empty()) placed.push_back({&block, safe[wanted_place(block, head, input)]});
  std::stable_sort(placed.begin(), placed.end(), stands_before);
  std::vector<Message> woven;
  woven.reserve(messages.size() + placed.size());
  auto next = placed.begin();
  for (std::size_t i = 0; i <= messages.size(); ++i) {
    for (; next != placed.end() && next->before == i; ++next) {
      if (joins_system(*next->block) && !woven.empty() && woven.back().role == Role::kSystem && i == head) {
        woven.back().content += (woven.back().content.empty() ? "" : "\n\n") + next->block->content;
        woven.back().raw.clear();  // it is no longer what was read
      } else {
        woven.push_back(message_of(*next->block));
      }
    }
    if (i < messages.size()) woven.push_back(std::move(messages[i]));
  }
  return woven;
}

}  // namespace weft
