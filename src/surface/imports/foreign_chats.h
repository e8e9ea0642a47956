#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/record.h"
#include "weft/message.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// One thing that another system remembered, without the conversation it came from.
struct ForeignNote {
  std::string text;
  Time time;          ///< when it was kept; 0: not told
  std::string place;  ///< the other system's id of whom or what it belongs to
};
WEFT_DESCRIBED(ForeignNote);

/// One message of a conversation that was had elsewhere.
struct ForeignMessage {
  std::string role, name, text;
  Time time;  ///< 0: not told
};
WEFT_DESCRIBED(ForeignMessage);

/// One such conversation.
struct ForeignChat {
  std::string id, title;
  std::vector<ForeignMessage> messages;  ///< oldest first
};
WEFT_DESCRIBED(ForeignChat);

/// What stands in a file that another system wrote.
struct ForeignFile {
  std::string source;  ///< "chatgpt", "claude", "mem0", "chroma", "qdrant", "sillytavern"
  std::vector<ForeignChat> chats;
  std::vector<ForeignNote> notes;
  std::vector<std::string> problems;  ///< what could not be read, and where
};
WEFT_DESCRIBED(ForeignFile);

/// Reads it; whose it is shows in its form:
///
///   chatgpt      conversations.json of a data export: of each conversation the branch that was shown last
///   claude       conversations.json of a data export
///   mem0         what its `get_all` gives: {"results": [{"memory", "user_id", "created_at"}]}, or the list alone
///   chroma       what a collection's `get` gives: {"ids", "documents", "metadatas"}
///   sillytavern  a chat, JSON Lines: {"name", "is_user", "mes", "send_date"}
///
/// Parts that are no text (images, tool calls, thoughts) are left out. `file` names the text in errors.
/// kInvalidArgument where nothing in it is known.
Result<ForeignFile> read_foreign_file(std::string_view text, std::string_view file);

}  // namespace weft
