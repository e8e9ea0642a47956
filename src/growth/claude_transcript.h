#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/// What the person typed of a prompt as Claude Code hands it on (see text/typed_words.h); nothing of a bare "/clear".
std::string typed_prompt(std::string_view prompt);

/// Reads a session file of Claude Code, JSON Lines. Its lines are a tree by `uuid` and `parentUuid`: a rewind begins a
/// new branch, and the branch that was left stays in the file. Most lines nobody said. For the hook, the import and the
/// follower, so that all three read the same. Not safe from several threads.
///
/// The branch that counts is that of the newest line of each `sessionId`; a line beside it counts as well (outputs of
/// calls that were made at once stand there), unless a prompt that was left leads to it. A parent that is not in the
/// text is taken for the place where the text begins, so that a part of a file can be read.
class ClaudeTranscript {
 public:
  /// `lines`: the file, or a part of it. Lines of other kinds and lines that cannot be read are passed over.
  explicit ClaudeTranscript(std::string_view lines);
  ~ClaudeTranscript();
  ClaudeTranscript(ClaudeTranscript&&) noexcept;
  ClaudeTranscript& operator=(ClaudeTranscript&&) noexcept;

  /// The line, its message with nothing but what the person typed, what the model thought, said and called, and what
  /// tools gave. What was typed while the model was at work becomes a line of the user. Nothing where nobody said
  /// anything, and for a line whose `uuid` was read before.
  std::optional<nlohmann::ordered_json> said(const nlohmann::ordered_json& line);

  /// Lines and parts that were left out, by kind.
  const std::map<std::string, std::size_t>& left_out() const { return left_out_; }

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
  std::map<std::string, std::size_t> left_out_;
};

}  // namespace weft
