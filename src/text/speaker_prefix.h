#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// A name that a chat client wrote in front of a message: "Ann: …", "张三：…", "[Ann] …", "<Ann> …", "**Ann**: …",
/// "【张三】…", "张三(10001): …".
struct SpeakerPrefix {
  std::string_view name;  ///< without marks and without the number in brackets
  std::string_view rest;  ///< the text behind the prefix
};

/// The prefix by its form alone; none where the text in front of the mark cannot be a name, or labels a text ("Note",
/// "TODO", 注意) or asks for work on one ("Translate"). One message never proves a speaker, see `recurring_speakers`.
std::optional<SpeakerPrefix> speaker_prefix(std::string_view text);

/// The text without the prefix that repeats `name`; the same text where no prefix does. Empty only where `text` is.
std::string_view without_speaker(std::string_view text, std::string_view name);

/// One message of a conversation, in order.
struct PrefixedText {
  std::string_view text;
  bool assistant = false;
};

/// Names that the messages' prefixes prove to be speakers: at least two names recur, each in front of two different
/// texts, and stand on three quarters of all messages; or one first name or Chinese full name stands on nearly all
/// messages of one role, three at least.
std::vector<std::string> recurring_speakers(std::span<const PrefixedText> messages);

/// What a name says about who bears it.
enum class NameGender { kUnknown, kMale, kFemale };

/// Whether a word in lower case is a usual first name of English, and whose. Names of both give kUnknown.
bool is_first_name(std::string_view lower, NameGender& gender);

/// Whether a character is a frequent Chinese surname that is no other common word by itself (于, 和 and 从 are none).
bool is_chinese_surname(std::string_view character);

/// What the characters of a Chinese given name say: 芳 and 婷 are women's, 强 and 军 men's.
NameGender chinese_name_gender(std::string_view given);

}  // namespace weft
