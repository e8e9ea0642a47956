#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "flow/context/build_context.h"
#include "weft/ids.h"
#include "weft/memory.h"
#include "weft/message.h"

namespace weft {

/// A user's message with all that follows it up to the next one: the unit of trimming, so that a call never loses its
/// output.
struct Turn {
  std::vector<const HistoryMessage*> messages;
  std::int64_t tokens = 0;
  bool pinned = false;  ///< is sent whatever is trimmed around it
  bool step = false;    ///< a part of a turn that was split
};

/// Tokens that a message of the history takes in a prompt.
std::int64_t sent_tokens(const HistoryMessage& entry, const TokenCounter& tokens);

/// The history as turns; messages before the first user message are a turn of their own. The history must outlive them.
std::vector<Turn> split_turns(const std::vector<HistoryMessage>& history, const TokenCounter& tokens);

/// A turn in which tools were at work for long, as its steps: what was asked for, then one for each message of the
/// model with the outputs of its calls. One turn alone where there is only one step.
std::vector<Turn> split_steps(const Turn& turn, const TokenCounter& tokens);

/// The name of a message among all sessions of a scope: clients number their messages anew in each.
std::string source_key(const SessionId& session, const MessageId& message);

/// What a prompt shows: the messages that are sent, and the sources of the memories that were woven in. Belongs to one
/// assembly; the messages must outlive it.
class Visible {
 public:
  explicit Visible(SessionId session) : session_(std::move(session)) {}

  /// A message that is sent; `stored` is its id in the session, empty where it is not kept there.
  void add(const Message& message, const MessageId& stored);
  /// A memory that is woven in.
  void add(const Item& item);
  void add_source(const std::string& key) { sources_.insert(key); }

  /// Whether any source of the item is sent or woven in already: a source has one slot, in whatever form. Parts of one
  /// long message say different things and may stand beside each other.
  bool shows_source_of(const Item& item) const;
  bool shows(const std::string& source) const { return sources_.contains(source) || parts_.contains(source); }
  /// Whether a message that is sent holds this text. For memories whose sources stand in other sessions, and messages
  /// that are not kept.
  bool shows_text(std::string_view text) const;
  /// Whether a memory that is woven in says this text, or nearly all of it.
  bool repeats_memory(std::string_view text) const;

 private:
  SessionId session_;
  std::unordered_set<std::string> sources_;
  std::unordered_set<std::string> parts_;  ///< messages of which a part is woven in
  std::vector<std::string_view> texts_;
  std::vector<std::string> memories_;
};

/// One piece of text that the assembler puts into the prompt beside the caller's messages.
struct Piece {
  std::string section;
  std::string text;
  std::int64_t tokens = 0;

  bool empty() const { return text.empty(); }
};

/// A memory block of an earlier turn that stays where it stood.
struct EarlierMemory {
  std::size_t place = 0;  ///< of its user message in the input's history
  std::size_t turn = 0;
  Piece piece;
};

/// A skeleton of an earlier prompt that stays where it stood.
struct EarlierSkeleton {
  std::size_t place = 0;  ///< of its user message in the input's history
  std::size_t turn = 0;
  Piece piece;
};

/// What one assembly knows, handed from step to step. Belongs to one call.
struct Assembly {
  Assembly(const ContextPorts& with, const ContextInput& given, const Budget& within)
      : ports(with),
        input(given),
        budget(within),
        turns(split_turns(given.history, with.tokens)),
        first_kept(turns.size()),
        visible(given.session) {}

  const ContextPorts& ports;
  const ContextInput& input;
  const Budget budget;
  std::vector<Turn> turns;
  std::size_t first_kept;  ///< turns before it are not sent as they were said, but for pinned ones
  std::size_t must_keep = 0;  ///< so many at the end are never trimmed
  std::size_t input_turn() const;  ///< the turn of the input; behind it stand at most its own steps
  bool is_sent(std::size_t turn) const { return turn >= first_kept || turns[turn].pinned; }
  std::int64_t sent_tokens() const;  ///< of the turns that are sent
  std::int64_t left_out_tokens() const;  ///< of those that are not, loaded or not
  std::deque<HistoryMessage> shortened;  ///< messages of which only a part is sent

  std::int64_t system_tokens = 0;
  // In the order in which they change, the most lasting first.
  Piece rules;  ///< what the workspace's own files ask for
  Piece background;  ///< profiles; summaries of the mode without cognitive memory
  Piece preferences;
  Piece tools;
  Piece summary;  ///< of turns that are not sent
  Piece skeleton;  ///< state, quests, guidance; or what has changed of them since `earlier_skeleton`
  std::optional<EarlierSkeleton> earlier_skeleton;
  Piece notice;  ///< what was to be changed and was not
  Piece memory;
  WovenMemory woven_memory;  ///< the same with its items
  std::vector<EarlierMemory> earlier;  ///< blocks of earlier turns, oldest first; their tokens are their turns'
  Piece errors;
  Piece task;
  std::vector<FloatingBlock> blocks;  ///< curated, each with its place
  std::int64_t block_tokens = 0;

  Visible visible;  ///< what the prompt shows, so that no memory repeats it
  ContextReport report;

  std::int64_t count(std::string_view text) const { return text.empty() ? 0 : ports.tokens.count(text); }
  /// Tokens of a piece as a message of its own.
  Piece piece(std::string section, std::string text) const;
  /// Tokens of all that is to be sent as things stand.
  std::int64_t total() const;
  std::int64_t room() const { return budget.usable - total(); }
};

/// Begins a section of the report.
void start_section(Assembly& assembly, std::string name, std::int64_t budget, double share = 0);

/// Adds an item to the section begun last.
void report_item(Assembly& assembly, std::string id, std::string source, double score, std::int64_t tokens, bool kept,
                 std::string why, std::string_view text);

/// The same in a section of its own choice.
void report_item(ReportSection& section, std::string id, std::string source, double score, std::int64_t tokens,
                 bool kept, std::string why, std::string_view text);

// The steps, each in a file of its own name; see build_context.cpp for their order.

/// The caller's system prompt, the workspace's rules, profiles. Nothing of the caller's is ever cut.
void add_fixed_zone(Assembly& assembly);
/// What is worked on; where it is too long its oldest steps are told in numbers.
void add_task_anchor(Assembly& assembly);
/// The summary of turns that were compacted.
void add_compaction(Assembly& assembly);
/// kTooLarge, saying by how much, when what may never be trimmed does not fit: system prompt, task anchor, last turns.
Status keep_what_must_stay(Assembly& assembly);
/// Preferences that are sure enough and have to do with the task.
void add_preferences(Assembly& assembly);
/// A profile without the lines that the preferences will say.
std::string without_preferences(const Assembly& assembly, std::string_view profile);
/// Keeps room for what was tried and failed, before it is known which turns will be sent.
void reserve_for_errors(Assembly& assembly);
/// Descriptions of the chosen tools.
void add_tools(Assembly& assembly);
/// The skeleton of state, quests and guidance, or what has changed of it since one that stands in the history.
void add_skeleton(Assembly& assembly);
/// Tells the skeleton in full where the turn that an earlier one stands in is not sent.
void settle_skeleton(Assembly& assembly);
/// Lets all of it go. False: there is none.
bool drop_skeleton(Assembly& assembly);
/// What the next prompt may stand on.
std::optional<StandingSkeleton> standing_skeleton(const Assembly& assembly);
/// While tools are at work what changes stands behind all that was said, where it costs no prefix.
bool is_at_work(const Assembly& assembly);
/// What curation chose.
void add_curation(Assembly& assembly);
/// The history, newest first, leaving its room to memories; what does not fit is told in short.
void fit_history(Assembly& assembly);
/// Memory blocks of earlier turns, the newest first, within their ceiling.
void keep_earlier_memories(Assembly& assembly);
/// Lets the oldest of them go; there must be one.
void drop_oldest_memory(Assembly& assembly);
/// Recalled memories, best first, within their ceiling; none that the prompt shows already.
void add_memories(Assembly& assembly, const Deadline& deadline);
/// Older turns in the room that memories did not need.
void fill_history(Assembly& assembly);
/// What was tried and failed: what the caller names, and failed calls in turns that are not sent.
void add_errors(Assembly& assembly);
/// Counts what is really sent, and trims: memories, then older turns, then tools.
Status check_and_trim(Assembly& assembly, std::vector<Placed>& placed);

/// The texts of the prompt in the order of the layout.
std::vector<Placed> weave(const Assembly& assembly);

/// The messages that the model gets: as they are placed where it takes several system messages; else the leading ones
/// are one, and each later one of ours stands in the user's message behind it, or at the end of the one before.
std::vector<Message> fold(std::vector<Placed> placed, bool several_system_messages);

}  // namespace weft
