// In which order a prompt stands. "cache": what never changes first, what changes with each turn right before the
// input, so that a provider's cache of the prefix holds. "spec": skeleton and curation in the system prompt, the nine
// sections in the order in which they are budgeted.
#include <algorithm>

#include "flow/context/assembly.h"
#include "model/make_message.h"

namespace weft {
namespace {

class Weaver {
 public:
  explicit Weaver(const Assembly& assembly) : assembly_(assembly) {}

  void put(const Piece& piece, bool moves = false) {
    if (!piece.empty()) put(make_message(Role::kSystem, piece.text), piece.section, moves);
  }
  void put(Message message, const std::string& section, bool moves = false) {
    placed_.push_back({section, std::move(message), moves});
  }
  void put_blocks(BlockPlace place) {
    std::vector<const FloatingBlock*> here;
    for (const FloatingBlock& block : assembly_.blocks)
      if (block.position == place) here.push_back(&block);
    // The higher the priority, the nearer to the input.
    std::stable_sort(here.begin(), here.end(),
                     [](const FloatingBlock* a, const FloatingBlock* b) { return a->priority < b->priority; });
    const bool moves = place == BlockPlace::kBeforeInput;
    for (const FloatingBlock* block : here) put(message_of(*block), "curation", moves);
  }
  void put_turn(std::size_t i) {
    if (!assembly_.is_sent(i)) return;
    const bool input = i >= assembly_.input_turn();
    for (const EarlierMemory& one : assembly_.earlier)
      if (one.turn == i) put(one.piece, true);
    if (assembly_.earlier_skeleton && assembly_.earlier_skeleton->turn == i && !input)
      put(assembly_.earlier_skeleton->piece, true);
    for (const HistoryMessage* entry : assembly_.turns[i].messages) put(entry->message, input ? "input" : "history");
  }
  /// Blocks that stand a number of messages before the end of the history, which is `first` to `end` here. None comes
  /// between a call and its output.
  void sink_blocks(std::size_t first, std::size_t end) {
    for (const FloatingBlock& block : assembly_.blocks) {
      if (block.position != BlockPlace::kHistoryBottom) continue;
      const auto depth = static_cast<std::size_t>(std::max<std::int64_t>(0, block.depth));
      std::size_t at = end;
      for (std::size_t left = depth; left > 0 && at > first;) left -= placed_[--at].section == "memory" ? 0 : 1;
      while (at > first && at < placed_.size() && placed_[at].message.role == Role::kTool) --at;
      placed_.insert(placed_.begin() + static_cast<std::ptrdiff_t>(at), {"curation", message_of(block), true});
      ++end;
    }
  }
  std::size_t size() const { return placed_.size(); }
  std::vector<Placed> take() { return std::move(placed_); }

 private:
  static Message message_of(const FloatingBlock& block) { return make_message(block.role, block.content); }

  const Assembly& assembly_;
  std::vector<Placed> placed_;
};

void put_system(const Assembly& assembly, Weaver& weaver) {
  for (const Message& message : assembly.input.system) weaver.put(message, "system");
  // What the caller asked for in the middle of turns that are not sent.
  for (std::size_t i = 0; i < assembly.turns.size(); ++i) {
    if (assembly.is_sent(i)) continue;
    for (const HistoryMessage* entry : assembly.turns[i].messages)
      if (entry->message.role == Role::kSystem) weaver.put(entry->message, "system");
  }
}

void put_history(const Assembly& assembly, Weaver& weaver) {
  weaver.put_blocks(BlockPlace::kHistoryTop);
  const std::size_t first = weaver.size();
  for (std::size_t i = 0; i < assembly.input_turn(); ++i) weaver.put_turn(i);
  weaver.sink_blocks(first, weaver.size());
}

void weave_for_cache(const Assembly& assembly, Weaver& weaver) {
  put_system(assembly, weaver);
  weaver.put(assembly.rules);
  weaver.put(assembly.background);
  weaver.put(assembly.preferences);
  weaver.put(assembly.tools);
  weaver.put_blocks(BlockPlace::kSystemEnd);
  weaver.put(assembly.summary);
  put_history(assembly, weaver);
  const bool at_work = is_at_work(assembly);
  const auto put_what_moves = [&] {
    weaver.put(assembly.skeleton, true);
    weaver.put(assembly.notice, true);
    weaver.put(assembly.errors, true);
    weaver.put(assembly.task, true);
    weaver.put_blocks(BlockPlace::kBeforeInput);
  };
  weaver.put(assembly.memory, true);
  if (assembly.earlier_skeleton && assembly.earlier_skeleton->turn == assembly.input_turn())
    weaver.put(assembly.earlier_skeleton->piece, true);
  if (!at_work) put_what_moves();
  for (std::size_t i = assembly.input_turn(); i < assembly.turns.size(); ++i) weaver.put_turn(i);
  if (at_work) put_what_moves();
}

void weave_as_specified(const Assembly& assembly, Weaver& weaver) {
  put_system(assembly, weaver);
  weaver.put(assembly.rules);
  weaver.put(assembly.task);
  weaver.put(assembly.background);
  weaver.put(assembly.preferences);
  weaver.put(assembly.memory);
  weaver.put(assembly.skeleton);
  weaver.put(assembly.notice);
  weaver.put_blocks(BlockPlace::kSystemEnd);
  weaver.put(assembly.summary);
  put_history(assembly, weaver);
  weaver.put(assembly.errors);
  weaver.put(assembly.tools);
  weaver.put_blocks(BlockPlace::kBeforeInput);
  for (std::size_t i = assembly.input_turn(); i < assembly.turns.size(); ++i) weaver.put_turn(i);
}

}  // namespace

std::vector<Placed> weave(const Assembly& assembly) {
  Weaver weaver(assembly);
  if (assembly.input.layout == PromptLayout::kSpec)
    weave_as_specified(assembly, weaver);
  else
    weave_for_cache(assembly, weaver);
  return weaver.take();
}

}  // namespace weft
