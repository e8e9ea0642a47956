#pragma once

#include <filesystem>
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
  std::string id;  ///< as the export has it; where it has none, made from what the message says
  std::string role, name, text;
  Time time;  ///< 0: not known
};
WEFT_DESCRIBED(ForeignMessage);

/// One such conversation.
struct ForeignChat {
  std::string id, title;
  Time time;                             ///< when it began, where the export says so
  std::vector<ForeignMessage> messages;  ///< of the branch that was shown last, oldest first
};
WEFT_DESCRIBED(ForeignChat);

/// How many of a kind there are, and where the first of them are.
struct ForeignTally {
  std::string kind;
  std::size_t count = 0;
  std::vector<std::string> where;
};
WEFT_DESCRIBED(ForeignTally);

/// What a file that another system wrote holds.
struct ForeignFile {
  std::string source;  ///< "chatgpt", "claude", "mem0", "chroma", "qdrant", "sillytavern"
  std::vector<ForeignChat> chats;
  std::vector<ForeignNote> notes;
  std::vector<std::string> problems;    ///< what could not be read, and where
  std::vector<ForeignTally> left_out;   ///< what was read and is not taken in
  std::vector<ForeignTally> assumed;    ///< what the file does not say and was assumed, such as times
};
WEFT_DESCRIBED(ForeignFile);

/// Reads a file; its form shows which system wrote it:
///
///   chatgpt      conversations.json of a data export, and one conversation of it
///   claude       conversations.json, projects.json and memories.json of a data export, and one element of each
///   mem0         what its `get_all` gives: {"results": [{"memory", "user_id", "created_at"}]}, or the list alone
///   chroma       what a collection's `get` gives: {"ids", "documents", "metadatas"}
///   sillytavern  a chat, JSON Lines: {"name", "is_user", "mes", "send_date"}
///
/// Of each conversation the branch that was shown last is taken. Text is taken wherever people saw it: messages, texts
/// of attachments, canvases and artifacts; everything else is counted in `left_out`. A conversation that cannot be read
/// is a problem of its own and stops no other. `name` is that of the file, for errors and for chats without an id.
/// kNotFound where no form is known, kInvalidArgument where none of it can be read.
Result<ForeignFile> read_foreign_file(std::string_view text, std::string_view name);

/// Whether a path is an export as other systems send it: a ZIP, or the folder that it was unpacked to.
bool is_foreign_archive(const std::filesystem::path& path);

/// Reads all files of an export in it that are known, as if they were one; the others are counted in `left_out`.
/// kTooLarge for what no honest export holds.
Result<ForeignFile> read_foreign_archive(const std::filesystem::path& path);

}  // namespace weft
