#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

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

/// Notes what could not be read; of very many the first.
void complain(ForeignFile& file, std::string what);

/// Adds a message that says something.
void add(ForeignChat& chat, ForeignMessage message);

/// Adds a conversation that has messages; without an id it is called by its number.
void keep(ForeignFile& file, ForeignChat chat, std::size_t number);

/// One conversation of the data export of ChatGPT, a tree, or of Claude, a list or a tree.
void read_chatgpt(const nlohmann::json& conversation, std::size_t number, ForeignFile& file);
void read_claude(const nlohmann::json& conversation, std::size_t number, ForeignFile& file);

/// Whether the first line of a file is that of a chat of SillyTavern, and the chat.
bool is_sillytavern(const nlohmann::json& first_line);
ForeignFile read_sillytavern(std::string_view text, std::string_view name);

}  // namespace weft
