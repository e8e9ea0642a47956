#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "surface/imports/foreign_chats.h"

/// Readers of the single forms that `read_foreign_file` knows, and what they share.
namespace weft {

/// Under which names metadata keeps a text (Chroma's own, mem0's, LangChain's and LlamaIndex's), its time, its owner.
inline constexpr std::array<const char*, 4> kForeignTexts = {"chroma:document", "data", "page_content", "text"};
inline constexpr std::array<const char*, 5> kForeignTimes = {"updated_at", "created_at", "timestamp", "time", "date"};
inline constexpr std::array<const char*, 3> kForeignOwners = {"user_id", "agent_id", "run_id"};

/// Seconds or milliseconds since 1970, as a number or as its digits; a written time; "June 19, 2024 3:45pm" and
/// "2024-06-19@15h45m30s", which are taken as UTC. 0 for anything else.
Time foreign_time(std::string_view text);
Time foreign_time_of(const nlohmann::json& value);

/// The list that an object has under a name; an empty one where there is none.
const nlohmann::json& list_in(const nlohmann::json& object, const char* name);

/// Notes what could not be read; of very many the first.
void complain(ForeignFile& file, std::string what);

/// Counts one of a kind in a list of tallies.
void tally(std::vector<ForeignTally>& tallies, std::string_view kind, const std::string& where, std::size_t count = 1);

/// How the messages of a list follow each other.
enum class ChatOrder { kAsGiven, kByTime };

/// Reads the messages of one conversation into `chat` and counts what it leaves out.
class ChatReader {
 public:
  /// `number` is the conversation's place in the file, from 1.
  ChatReader(ForeignFile& file, std::size_t number, ForeignChat chat);

  /// How problems and tallies name the conversation.
  const std::string& where() const { return where_; }
  void complain(const std::string& what) { weft::complain(file_, where_ + ": " + what); }
  void leave_out(std::string_view kind, std::string_view name = {});
  /// Adds a message that says something.
  void add(ForeignMessage message);
  /// Puts the conversation into the file: messages in order, each with an id and, where it can be told, a time. One
  /// without messages is counted.
  void finish(ChatOrder order);

 private:
  void fill_times();
  void give_ids();

  ForeignFile& file_;
  ForeignChat chat_;
  std::string where_;
};

/// A text that was handed over as a file, quoted, so that nobody takes what it says for the speaker's own words.
std::string quoted_file(std::string_view name, std::string_view text);

/// Adds one text behind another, in a paragraph of its own.
void append_part(std::string& text, std::string_view part);

/// One element of an export of ChatGPT: a conversation, as a tree or a list.
void read_chatgpt(const nlohmann::json& conversation, std::size_t number, ForeignFile& file);
/// One element of an export of Claude: a conversation as a list or a tree, a project, or what it remembers.
void read_claude(const nlohmann::json& element, std::size_t number, ForeignFile& file);

/// Whether the first line of a file is that of a chat of SillyTavern, and the chat.
bool is_sillytavern(const nlohmann::json& first_line);
ForeignFile read_sillytavern(std::string_view text, std::string_view name);

}  // namespace weft
