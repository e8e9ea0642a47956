#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"

namespace weft {

/// A turn of a conversation of the development data.
struct SaidTurn {
  std::string role;
  std::string name;  ///< empty for a plain user or assistant
  std::string text;
};

using SaidDialogue = std::vector<SaidTurn>;

/// Finds turns of conversations in files below a folder, each file read once. Files are JSON Lines: messages with their
/// "session", or dialogues with "turns" or "messages". For one thread.
class SaidDialogues {
 public:
  /// `data` is the folder that sources are below.
  explicit SaidDialogues(std::string data) : data_(std::move(data)) {}

  /// The dialogue that has the turn, counted from 0; valid as long as this lives. Errors name what is not there.
  Result<const SaidDialogue*> find(const std::string& source, const std::string& dialogue, std::size_t turn);

 private:
  std::string data_;
  std::map<std::string, std::map<std::string, SaidDialogue>> sources_;
};

/// The set that a source is of: "locomo" of "recall/locomo/conv-26.messages.jsonl".
std::string set_of_source(std::string_view source);

}  // namespace weft
