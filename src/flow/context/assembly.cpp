#include "flow/context/assembly.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "flow/compaction/compact.h"
#include "model/message_reader.h"
#include "text/utf8.h"

namespace weft {

std::int64_t sent_tokens(const HistoryMessage& entry, const TokenCounter& tokens) {
  return entry.tokens > 0 ? entry.tokens : sent_tokens(entry.message, tokens);
}

std::vector<Turn> split_turns(const std::vector<HistoryMessage>& history, const TokenCounter& tokens) {
  std::vector<Turn> turns;
  for (const HistoryMessage& entry : history) {
    if (turns.empty() || entry.message.role == Role::kUser) turns.emplace_back();
    turns.back().messages.push_back(&entry);
    turns.back().tokens += sent_tokens(entry, tokens);
  }
  return turns;
}

std::vector<Turn> split_steps(const Turn& turn, const TokenCounter& tokens) {
  std::vector<Turn> steps;
  for (const HistoryMessage* entry : turn.messages) {
    const bool begins =
        entry->message.role != Role::kTool && !(steps.size() == 1 && entry->message.role == Role::kUser);
    if (steps.empty() || begins) steps.emplace_back();
    steps.back().messages.push_back(entry);
    steps.back().tokens += sent_tokens(*entry, tokens);
    steps.back().step = true;
  }
  if (steps.size() < 3) return {turn};
  return steps;
}

namespace {

constexpr std::size_t kLittleMore = 2;  // of a memory's text by which another may be longer and still repeat it

// A message that is longer than what is embedded at once is kept in parts, numbered behind its id.
bool is_part(const Item& item) {
  return item.kind == ItemKind::kMessage && item.id.str().find('#') != std::string::npos;
}

}  // namespace

std::string source_key(const SessionId& session, const MessageId& message) {
  return session.str() + "\n" + message.str();
}

void Visible::add(const Message& message, const MessageId& stored) {
  if (!stored.empty()) sources_.insert(source_key(session_, stored));
  if (!message.content.empty()) texts_.push_back(message.content);
}

void Visible::add(const Item& item) {
  auto& into = is_part(item) ? parts_ : sources_;
  for (const MessageId& id : item.sources) into.insert(source_key(item.session, id));
  memories_.emplace_back(trimmed(item.text));
}

bool Visible::shows_source_of(const Item& item) const {
  return std::any_of(item.sources.begin(), item.sources.end(), [&](const MessageId& id) {
    const std::string key = source_key(item.session, id);
    return sources_.contains(key) || (!is_part(item) && parts_.contains(key));
  });
}

bool Visible::shows_text(std::string_view text) const {
  const std::string_view wanted = trimmed(text);
  if (wanted.empty()) return false;
  return std::any_of(texts_.begin(), texts_.end(),
                     [&](std::string_view one) { return one.find(wanted) != std::string_view::npos; });
}

bool Visible::repeats_memory(std::string_view text) const {
  const std::string_view said = trimmed(text);
  return std::any_of(memories_.begin(), memories_.end(), [&](const std::string& one) {
    const bool within = one.find(said) != std::string::npos;
    // "You said: …" adds nothing worth a place of its own.
    return within || (said.size() <= one.size() + one.size() / kLittleMore && said.find(one) != std::string_view::npos);
  });
}

namespace {

constexpr std::size_t kPreview = 80;          // characters of an item in the report
constexpr std::int64_t kTokensAMessage = 4;   // role and separators in the common chat forms

}  // namespace

Piece Assembly::piece(std::string section, std::string text) const {
  const std::int64_t tokens = text.empty() ? 0 : count(text) + kTokensAMessage;
  return {std::move(section), std::move(text), tokens};
}

std::int64_t Assembly::total() const {
  std::int64_t tokens = system_tokens + block_tokens;
  for (const Piece* one :
       {&rules, &background, &preferences, &tools, &summary, &skeleton, &notice, &memory, &errors, &task})
    tokens += one->tokens;
  if (earlier_skeleton) tokens += earlier_skeleton->piece.tokens;
  return tokens + sent_tokens();
}

std::size_t Assembly::input_turn() const {
  for (std::size_t i = turns.size(); i-- > 0;)
    if (turns[i].messages.front()->message.role == Role::kUser) return i;
  return turns.empty() ? 0 : turns.size() - 1;
}

std::int64_t Assembly::sent_tokens() const {
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < turns.size(); ++i)
    if (is_sent(i)) tokens += turns[i].tokens;
  return tokens;
}

std::int64_t Assembly::left_out_tokens() const {
  std::int64_t tokens = input.omitted.tokens;
  for (std::size_t i = 0; i < turns.size(); ++i)
    if (!is_sent(i)) tokens += turns[i].tokens;
  return tokens;
}

void start_section(Assembly& assembly, std::string name, std::int64_t budget, double share) {
  assembly.report.sections.push_back({std::move(name), budget, 0, share, {}});
}

void report_item(Assembly& assembly, std::string id, std::string source, double score, std::int64_t tokens, bool kept,
                 std::string why, std::string_view text) {
  report_item(assembly.report.sections.back(), std::move(id), std::move(source), score, tokens, kept, std::move(why),
              text);
}

void report_item(ReportSection& section, std::string id, std::string source, double score, std::int64_t tokens,
                 bool kept, std::string why, std::string_view text) {
  if (kept) section.tokens += tokens;
  section.items.push_back(
      {std::move(id), std::move(source), score, tokens, kept, std::move(why), preview(text, kPreview)});
}

// In which order a prompt stands. "cache": what never changes first, what changes with each turn right before the
// input, so that a provider's cache of the prefix holds. "spec": skeleton and curation in the system prompt, the nine
// sections in the order in which they are budgeted.

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

// The form that every chat template takes. Many refuse a system message that is not the first one, or a second one, and
// some want user and assistant to take turns: so ours go into the caller's own, and into the text of the user.

namespace {

bool is_ours(const Placed& one) {
  return one.section != "history" && one.section != "input" && one.section != "system";
}

std::string joined(std::string a, const std::string& b) { return a.empty() ? b : std::move(a) + "\n\n" + b; }

void add_before(Message& message, const std::string& text) {
  const char* const space = message.content.empty() ? "" : "\n\n";
  message = with_text_before(std::move(message), text + space);
}

void add_after(Message& message, const std::string& text) {
  const char* const space = message.content.empty() ? "" : "\n\n";
  message = with_text_after(std::move(message), space + text);
}

class Folder {
 public:
  std::vector<Message> fold(std::vector<Placed> placed) {
    std::size_t at = 0;
    for (; at < placed.size() && placed[at].message.role == Role::kSystem && !placed[at].moves; ++at)
      lead(std::move(placed[at]));
    for (; at < placed.size(); ++at) {
      if (is_ours(placed[at]) && placed[at].message.role != Role::kAssistant)
        waiting_ = joined(std::move(waiting_), placed[at].message.content);
      else
        put(std::move(placed[at].message));
    }
    end();
    return std::move(messages_);
  }

 private:
  void lead(Placed one) {
    if (messages_.empty())
      messages_.push_back(std::move(one.message));
    else
      add_after(messages_.front(), one.message.content);
  }
  void put(Message message) {
    if (message.role == Role::kUser && !waiting_.empty()) add_before(message, std::exchange(waiting_, {}));
    messages_.push_back(std::move(message));
  }
  // What no user's message follows stands at the end of the last output, else in the last thing the user said.
  void end() {
    if (waiting_.empty()) return;
    if (!messages_.empty() && messages_.back().role != Role::kAssistant) return add_after(messages_.back(), waiting_);
    for (auto one = messages_.rbegin(); one != messages_.rend(); ++one)
      if (one->role == Role::kUser) return add_before(*one, waiting_);
    if (messages_.empty() || messages_.front().role != Role::kSystem)
      messages_.insert(messages_.begin(), make_message(Role::kSystem, ""));
    add_after(messages_.front(), waiting_);
  }

  std::vector<Message> messages_;
  std::string waiting_;  // for the next message of the user
};

}  // namespace

std::vector<Message> fold(std::vector<Placed> placed, bool several_system_messages) {
  if (!several_system_messages) return Folder().fold(std::move(placed));
  std::vector<Message> messages;
  for (Placed& one : placed) messages.push_back(std::move(one.message));
  return messages;
}

}  // namespace weft
