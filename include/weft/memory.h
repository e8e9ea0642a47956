#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/choices.h"
#include "weft/ids.h"
#include "weft/message.h"
#include "weft/scope.h"
#include "weft/time.h"

namespace weft {

/// What kinds of thing recall can find.
enum class ItemKind {
  kMessage,    ///< a message as it was said, or a part of a long one; there at once
  kEvent,      ///< what happened in one block, written by the historian
  kNarrative,  ///< one topic: title, span of time, summary
  kProfile,    ///< what is known of a user or a group over the long run; id "user:ID" or "group:ID"
  kLore,       ///< knowledge about a world that its author wrote; only searched where it is asked for
  kKnowledge,  ///< an entry of MEMORY.md
};

/// All kinds, in their order.
inline constexpr std::array kItemKinds{ItemKind::kMessage, ItemKind::kEvent, ItemKind::kNarrative,
                                       ItemKind::kProfile, ItemKind::kLore,  ItemKind::kKnowledge};

std::string_view to_string(ItemKind kind);
std::optional<ItemKind> parse_item_kind(std::string_view text);

/// What an event says about itself, beside its text. Schema "final_v1".
struct EventDetails {
  std::string request_id;
  std::int64_t end_seq =
      0;  ///< counts the ends of one request, or the facts of one message, from 1; 0: a block's event
  std::string timestamp_utc, timestamp_local;  ///< RFC 3339
  std::string timezone;  ///< as it was given, else the offset: "Asia/Shanghai", "+08:00"
  std::string location_abs;  ///< where it happened; empty: not known
  std::string request_type;  ///< "group" or "private"
  std::string user_id, group_id, sender_id;
  std::vector<MessageId> message_ids;
  bool has_new_info = false;
  std::string schema_version = "final_v1";

  std::string did_what, new_info;  ///< both absolute
  bool degraded = false;  ///< kept although words were left in it that need its circumstances
  std::string degraded_why;  ///< those words
  std::optional<Time>
      valid_until;  ///< since when it no longer holds, see `superseded_by`; it holds from the item's time on
  ItemId supersedes, superseded_by;  ///< the event whose fact this one replaced, and the one that replaced this
  std::string attribute;  ///< of a fact that was said in passing: what it tells of, such as "residence", "wish:length"
  std::string quote;  ///< of such a fact: the words that say it, as they stand in its message

  /// Told at the end of a turn or said as a fact; false: written for a block of the conversation.
  bool is_fact() const { return end_seq > 0; }
};

/// Something that an item says and that has ceased to hold since.
struct OverPart {
  std::string what;  ///< as a sentence of its own
  Time until;
  ItemId newer = {};  ///< the event whose fact holds instead; empty: it ended and nothing took its place
  SessionId newer_session = {};  ///< where that fact was stated,
  std::vector<MessageId> newer_sources = {};  ///< and by which messages
};

/// A stretch of a text in bytes, end exclusive.
struct TextSpan {
  std::size_t begin = 0, end = 0;

  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

/// How an event got its words.
struct Writing {
  /// What the deterministic way set beside the words as said, by its place in the item's text: " [28 November 2026]".
  /// Without these stretches the sources stand as they were said. Empty where a model chose the words.
  std::vector<TextSpan> annotations;
  std::string model;  ///< the chat model that chose the words; empty: none
  std::string prompt;  ///< what it was asked with, by name and version: "rewrite/en 2"; empty without a model

  friend bool operator==(const Writing&, const Writing&) = default;
};

/// One thing that is remembered.
struct Item {
  ItemId id;
  ItemKind kind = ItemKind::kMessage;
  SessionId session;
  TopicId topic;  ///< empty for messages whose topic is still open
  BlockId block;
  std::string text;
  std::string who;  ///< of messages, who said it: a name, else "user", "assistant" or "tool"
  UserId sender_id;  ///< of messages in a group: which member said it; empty: not known
  Time time;  ///< when it happened
  std::int64_t position = 0;  ///< its place in the stream of its scope: the sequence number of its (first) message
  std::vector<MessageId> sources;  ///< the messages it was made from
  MadeBy by = MadeBy::kFloor;  ///< kModel where a chat model wrote it
  std::optional<EventDetails> event;  ///< of events
  Writing writing;  ///< of events
  std::vector<OverPart> over;  ///< set by a search, not kept: what was replaced by something newer, oldest first
};

/// A message as it is kept, for showing originals.
struct StoredMessage {
  Message message;
  SessionId session;
  std::int64_t sequence = 0;  ///< grows by one a message in its workspace
  bool active = true;  ///< false: on a branch that was left
  std::int64_t tokens = 0;
};

/// How one signal contributed to a hit's score.
struct Signal {
  std::string name;  ///< "words", "vector", "days", "speaker", "question", …
  double value = 0;  ///< before weighting
  double share = 0;  ///< what it added to the score
};

/// One result of recall.
struct Hit {
  Item item;
  double score = 0;  ///< comparable within one search only
  double relevance = 0;  ///< 0 … 1, comparable between searches: how sure it is that this has to do with the question
  std::vector<Signal> signals;
  // Where `SearchRequest::around` asks for them.
  std::vector<Item> before = {}, after = {};  ///< messages of the same conversation next to it, the nearest first
  std::vector<Item> newer = {};  ///< events whose facts hold instead of what the hit says
};

/// Which events are looked for, by what they say about themselves; what is empty may be anything.
struct EventFilter {
  std::string request_id, request_type, user_id, group_id, sender_id;
  std::string location_abs;  ///< a part of it, whatever its case
  std::string timezone, schema_version;
  std::optional<MessageId> message;  ///< one of those it is from
  std::optional<std::int64_t> end_seq;
  std::optional<bool> has_new_info;

  bool empty() const;
  /// Whether an event passes; an item without details passes no filter that asks for something.
  bool passes(const Item& item) const;
};

/// A question to memory.
struct SearchRequest {
  std::string query;
  std::size_t top_k = 10;
  std::vector<ItemKind> kinds;  ///< empty: all
  std::optional<Time> from, to;  ///< bounds on the item's time, both inclusive
  std::optional<SessionId> session;  ///< only items of this session
  std::optional<SessionId>
      not_session;  ///< none of this session, such as the one whose history is in the prompt anyway
  std::string recipe;  ///< a named recipe; empty: the configured one
  std::optional<Time> as_of;  ///< what was known and held at that moment; empty: now
  std::optional<Time> asked;  ///< what "yesterday" in the query is counted from; empty: `as_of`, else now
  /// Give so many messages before and after each message among the best 40 hits, and what replaced a hit.
  std::size_t around = 0;
  EventFilter events;  ///< where it asks for something, only events that pass it are found
};

/// What was found, how, and how long it took.
struct SearchResult {
  std::vector<Hit> hits;
  bool known = false;  ///< at least one hit is relevant; false: nothing is remembered of it, whatever `hits` holds
  MadeBy by = MadeBy::kFloor;  ///< kModel where vectors took part, else words alone
  std::string recipe;
  double embed_ms = 0, search_ms = 0;
};

}  // namespace weft
