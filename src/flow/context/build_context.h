#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "flow/context/fence.h"
#include "text/token_counter.h"
#include "weft/choices.h"
#include "weft/config.h"
#include "weft/context.h"
#include "weft/result.h"

namespace weft {

/// What a prompt may take of a model's window, in tokens.
struct Budget {
  std::int64_t window = 0;
  std::int64_t output = 0;   ///< kept for the answer
  std::int64_t safety = 0;   ///< kept as a margin
  std::int64_t other = 0;    ///< taken by what is sent beside the messages
  std::int64_t usable = 0;   ///< what is left for the prompt
  std::int64_t warn = 0;     ///< from so many tokens on a compaction is prepared
  std::int64_t compact = 0;  ///< from so many on it is done before the call

  /// Tokens of a share of the usable window, rounded down.
  std::int64_t of(double share) const;
};

/// Under the policy "reserve" all but output and margin is usable; "ratio" keeps to a share of the window less the
/// output as well. `output` tokens are kept for the answer where the call says how many (0: as configured), `other` are
/// taken by what is sent beside the messages. kTooLarge when nothing is left, saying how large the window would have to
/// be.
Result<Budget> make_budget(const Config& config, std::int64_t window, std::int64_t output = 0, std::int64_t other = 0);

/// One message of the history with its place in the stream.
struct HistoryMessage {
  Message message;
  std::int64_t seq = 0;  ///< 0 where the message is not in the store
  MessageId stored;  ///< its id there; empty likewise
  std::int64_t tokens = 0;  ///< that it takes in a prompt; 0: not counted yet
};

/// What a session holds between or before the messages of the history that were loaded.
struct Omitted {
  std::int64_t messages = 0;
  std::int64_t tokens = 0;
  std::int64_t before = 0;  ///< number of the first message behind it
};

/// A profile that stands in the prompt as a whole.
struct ProfileText {
  std::string id;  ///< "user:ID" or "group:ID"
  std::string text;  ///< without markers
  ProfileHead head = {};
};

/// A tool that was chosen, in short form.
struct ShownTool {
  std::string name, text;
  double score = 0;
};

/// What stands for turns that were compacted; they are not in the history any more.
struct CompactedPart {
  std::string id;
  std::string text;  ///< plain, not escaped
};

/// What is left for curation.
struct CurationRoom {
  std::int64_t tokens = 0;
  std::function<bool(const Item&)> shown = {};  ///< whether the prompt shows what an item was made from; may be absent
};

/// What curation chose, or why it did not.
struct Curated {
  std::vector<FloatingBlock> blocks;
  std::vector<ReportItem> items;
  MadeBy by = MadeBy::kFloor;
  std::vector<Item> shown = {};  ///< items of memory that stand in the blocks
};

/// A memory block that was woven right before a user message, with the items in it and the messages they come from.
struct WovenMemory {
  std::string text;
  std::vector<std::string> items;
  std::vector<std::string> sources;  ///< a key each: session and message, since ids are unique in a session only
};

/// A skeleton with the place in the history of the user message that it stands before.
struct StandingSkeleton {
  std::size_t place = 0;
  std::string text;
};

/// One text of a prompt under the name of its section, in the order in which the model reads them.
struct Placed {
  std::string section;
  Message message;
  bool moves = false;  ///< belongs to the turn it stands in, not to the head of the prompt
};

/// What a prompt is woven from.
struct ContextInput {
  std::vector<Message> system;  ///< the caller's own system messages at the head
  /// Ends with the input's message if that is part of it. System messages in it are the caller's own, in their places.
  std::vector<HistoryMessage> history;
  Omitted omitted;  ///< older messages of the session that were not loaded
  SessionId session;
  std::int64_t window = 0;
  std::int64_t output_tokens = 0;  ///< kept for the answer; 0: as configured
  std::int64_t other_tokens = 0;  ///< of what the call carries beside its messages
  bool several_system_messages = false;  ///< the model takes them anywhere; else there is one, at the head
  std::vector<ProfileText> profiles;
  std::vector<std::string> old_summaries;  ///< ends of turns of the mode without cognitive memory, oldest first
  std::string days;  ///< what today and yesterday were about, a line each
  std::vector<std::string> skills;  ///< procedures that fit the task, the best first
  std::string rules;  ///< what the workspace's own files ask of the assistant
  TaskState task;
  std::vector<Preference> preferences;
  std::vector<ErrorNote> errors;
  std::vector<ShownTool> tools;  ///< chosen ones, the best first
  std::vector<std::string> allowed_tools;  ///< of them those that fit this step; empty: all
  std::string skeleton;  ///< ready to be woven in
  std::string notice;  ///< what was to be changed and was not, for this turn alone; ready to be woven in
  std::optional<CompactedPart> compacted;
  PromptLayout layout = PromptLayout::kCache;
  std::optional<WovenMemory> kept_memory;  ///< the block woven for the same user message before: used again as it is
  /// Blocks of earlier turns, by the place of their user message in `history`. In the layout "cache" they stay where
  /// they stood, so that the history only grows; the oldest go when all together are too large.
  std::map<std::size_t, WovenMemory> earlier_memories;
  /// The skeleton that the last prompts stood on. In the layout "cache" it stays where it stood while telling what has
  /// changed since is shorter than telling all again.
  std::optional<StandingSkeleton> earlier_skeleton;
};

/// What context needs from outside.
struct ContextPorts {
  const Config& config;
  const TokenCounter& tokens;
  /// Searches the memory of the request's scope.
  std::function<Result<SearchResult>(const SearchRequest&, const Deadline&)> recall;
  /// The texts of messages of another session of that scope; may be absent.
  std::function<std::vector<std::string>(const SessionId&, std::span<const MessageId>)> originals;
  /// Short texts of what was said in this session before the message with that number, oldest first.
  std::function<std::vector<std::string>(std::int64_t before_seq)> summaries;
  /// What curation, which runs meanwhile, has chosen; null: there is none. Called once, after recall.
  std::function<Curated(const CurationRoom&)> curation;
  /// The skeleton in at most so many tokens, with what matters most; may be absent. Called where it is too large.
  std::function<std::string(std::int64_t tokens)> shorter_skeleton = {};
};

/// The prompt with its report and the memory block that was woven in.
struct BuiltContext {
  WovenContext woven;
  WovenMemory memory;
  std::set<std::size_t> earlier_memories;  ///< places in the history whose blocks were sent again
  std::optional<StandingSkeleton> skeleton;  ///< the one that the next prompt may stand on
  std::vector<Placed> placed;  ///< what the messages are made of, in their order
};

/// What must be sent, and all of the history, in tokens: what a compaction is decided by. Memories do not count, since
/// they give way.
Result<std::int64_t> tokens_wanted(const ContextPorts& ports, const ContextInput& input);

/// Weaves the prompt of the next model call:
/// budget → fixed zone → task anchor → what must stay → preferences → errors → tools → skeleton → history → memories →
/// curation → check and trim.
///
/// Promises  what is sent never exceeds the usable window; the caller's system prompt, the workspace's rules, the task
///        anchor, the last turns and the input are whole; tool calls stay with their outputs; no memory says what the
///        prompt shows already, and none says the same twice; all stored text is escaped and fenced; unless the model
///        takes several, there is one system message, at the head; the same input gives the same bytes.
/// Errors    kTooLarge, saying by how much, when what may never be trimmed does not fit.
/// Failure   recall that is late or broken leaves the memories out; the report says so.
Result<BuiltContext> build_context(const ContextPorts& ports, const Deadline& deadline, const ContextInput& input);

}  // namespace weft
