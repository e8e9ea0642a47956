#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>

namespace weft {

/// Signs in a message's wording of how it relates to what was said before it. Both languages share them.
enum class Cue : std::uint8_t {
  kChange,       ///< says that something else follows: "by the way", "next topic", "换个话题"
  kAdds,         ///< begins by adding: "also", "now", "另外", "还有"
  kMore,         ///< asks for another one: "what about", "what else", "还想"
  kRequest,      ///< asks for help or a fact: "can you", "I'd like to", "帮我", "请问"
  kAsksYou,      ///< asks about the other person: "do you", "你喜欢"
  kContinues,    ///< begins as an answer or a remark on what was said: "yes", "that", "why", "那", "所以"
  kAnswers,      ///< begins as a bare answer: "no", "I do", "好的"
  kRefers,       ///< refers back in its first words: "it", "these", "这", "它"
  kRefersLater,  ///< refers back anywhere
  kThanks,
  kCloses,       ///< ends something: "bye", "you're welcome", "anything else", "不客气"
  kGreets,
  kNamesTopic,   ///< speaks about the talk itself: "topic", "question", "议题"
  kHandsOver,    ///< gives somebody the floor: "thank you for", "go ahead", "有请"
  kWh,           ///< begins as a question is begun; for Chinese: holds a word of asking
  kFirstPerson,  ///< begins with "I" or "我"
  kQuestion,     ///< holds a question mark
  kQuestionEnd,  ///< ends with one
  kCount
};

inline constexpr std::size_t kCueKinds = static_cast<std::size_t>(Cue::kCount);

/// The cues of one message.
struct Cues {
  std::bitset<kCueKinds> found;
  double words = 0;  ///< length in words; a Chinese character counts as 0.6

  bool has(Cue cue) const { return found.test(static_cast<std::size_t>(cue)); }
};

/// Finds the cues of both languages in a text: English by whole words, Chinese by characters, both near the beginning
/// except for thanks, farewells and question marks, which count anywhere. Pure; safe from any thread.
Cues find_cues(std::string_view text);

/// Whether a text says in so many words that something new begins, or begins as an addition or a request.
bool opens_topic(const Cues& cues);

/// Whether a text only makes sense after what was said before it: an answer, a remark, a reference, a command to go on.
bool continues_topic(const Cues& cues);

}  // namespace weft
