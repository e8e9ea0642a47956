#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
};

std::string_view to_string(ItemKind kind);
std::optional<ItemKind> parse_item_kind(std::string_view text);

/// One thing that is remembered.
struct Item {
  ItemId id;
  ItemKind kind = ItemKind::kMessage;
  SessionId session;
  TopicId topic;                   ///< empty for messages whose topic is still open
  BlockId block;
  std::string text;
  Time time;                       ///< when it happened
  std::int64_t position = 0;  ///< its place in the stream of its scope: the sequence number of its (first) message
  std::vector<MessageId> sources;  ///< the messages it was made from
  std::string by = "floor";  ///< "model" where a chat model wrote it
};

/// How one signal contributed to a hit's score.
struct Signal {
  std::string name;  ///< "words", "vector", "neighbours", "recency", "kind", …
  double value = 0;  ///< before weighting
  double share = 0;  ///< what it added to the score
};

/// One result of recall.
struct Hit {
  Item item;
  double score = 0;  ///< comparable within one search only
  std::vector<Signal> signals;
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
};

/// What was found, how, and how long it took.
struct SearchResult {
  std::vector<Hit> hits;
  std::string by;  ///< "model" when vectors took part, else "floor" (words alone)
  std::string recipe;
  double embed_ms = 0, search_ms = 0;
};

}  // namespace weft
