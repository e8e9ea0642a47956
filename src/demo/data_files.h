#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "weft/message.h"

namespace weft {

/// A folder for one evaluation, gone with it.
class ScratchWorkspace {
 public:
  /// Below `parent`; empty: where temporary files go.
  explicit ScratchWorkspace(const std::filesystem::path& parent = {});
  ~ScratchWorkspace();
  ScratchWorkspace(const ScratchWorkspace&) = delete;
  ScratchWorkspace& operator=(const ScratchWorkspace&) = delete;

  /// Empty where none could be made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The conversations of data/, whose README has their form: what the evaluation and the demonstration come with. They
// are checked by tests, so a file that is missing or broken is a defect of the program: std::logic_error, which names
// file and line.

/// The text of data/ID, without its ending: "demo/talk".
std::string_view data_file(std::string_view id);

/// The names of the folders of data/sessions, sorted.
std::vector<std::string> data_sessions();

/// The parts of a file of messages, which blank lines part.
std::vector<std::string_view> data_parts(std::string_view id);

/// The messages of JSON Lines; "{n}" in them is `number`. `what` is for errors.
std::vector<Message> data_messages(std::string_view lines, std::string_view what, std::size_t number = 0);

/// A file of data/, as the build put it into the library.
struct DataFile {
  std::string_view id, source;
};

/// The first of `data_file_count`, sorted by id. Written by cmake/weft_embed.cmake.
extern const DataFile data_file_list[];
extern const unsigned data_file_count;

}  // namespace weft
