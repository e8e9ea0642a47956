#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/// Macros of World Info: names in braces ({{user}}, {{char}}, {{random::a::b}}, {{// a comment}}), and <USER>, <BOT>.
/// Other programs fill them in as a prompt is made. Here they are filled in as an entry is taken in, so that none
/// stands in a prompt; one whose value is not known reads as words that hold for any value, or is left out, and is
/// counted.
///
/// Braces around what is no name stay as they are.
class LoreMacros {
 public:
  /// Of the card that the entries came with; empty: not known.
  std::string character;
  /// <USER> and its like are macros; in Markdown they are placeholders of other kinds.
  bool in_angles = false;

  /// The text without macros. Takes time linear in its length.
  std::string expanded(std::string_view text);

  /// A key without macros, its value escaped in a pattern; nothing where a macro of it has no value here, which is not
  /// counted.
  std::optional<std::string> expanded_key(std::string_view key) const;

  /// Macros whose value is not known: "{{user}}" → how often, and what stands there now.
  struct Unknown {
    std::size_t times = 0;
    std::string reads;
  };
  const std::map<std::string, Unknown>& unknown() const { return unknown_; }
  std::size_t unknown_times() const { return unknown_times_; }

 private:
  std::string value_of(std::string_view macro, bool chinese, bool& known);
  std::string without_angles(std::string text, bool chinese);
  std::string note(std::string_view name, std::string reads);

  std::map<std::string, Unknown> unknown_;
  std::size_t unknown_times_ = 0;
};

}  // namespace weft
