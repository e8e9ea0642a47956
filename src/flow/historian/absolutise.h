#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/time.h"

namespace weft {

/// Somebody who takes part in a conversation.
struct Person {
  std::string id;
  std::string name;  ///< as it is to be written; where it is empty the id is
};

/// A message that was said before, for what "it" and "she" refer to.
struct EarlierMessage {
  std::string speaker;  ///< a name
  std::string text;
};

/// The circumstances of a text: what its pronouns, times and places mean.
struct Speech {
  Person sender;
  std::optional<Person> addressee;
  std::vector<Person> participants;  ///< with or without sender and addressee
  std::vector<Person> mentions;      ///< whom the message names by @
  std::optional<Person> reply_to;    ///< whose message it answers
  Time time;                         ///< 0: not known, then times are left
  std::string place;                 ///< where the message was sent from; empty: not known
  std::string speaker_place;         ///< where the speaker is known to be
  std::vector<EarlierMessage> earlier;  ///< oldest first; the last few are read
  bool avoid_listed_characters = false;  ///< for the literal gate: also 其他 → 其余, 自我 → 自身
  bool name_speakers = true;  ///< false: I and you stay, only what refers to something said before is resolved
};

enum class ChangeKind { kPerson, kThing, kTime, kPlace };

/// One word or phrase that was put in words that need no circumstances.
struct Change {
  std::size_t begin = 0, end = 0;  ///< bytes of the original text
  ChangeKind kind = ChangeKind::kPerson;
  std::string what;                     ///< as it stood
  std::string by;                       ///< what stands there now; empty: left out
  bool sure = true;                     ///< false: the candidates are named, or nothing is known
  std::vector<std::string> candidates;  ///< who or what may be meant, where it is not sure
};

struct Absolute {
  std::string text;
  std::vector<Change> changes;  ///< in the order of the text; changed verb forms are not listed
};

/// Rewrites a text so that it still means the same to a stranger in a year: pronouns become names, relative times
/// dates, relative places places. Chinese, English and mixed. Names the candidates where it is uncertain who or what is
/// meant, never invents a place. Quotations, titles, names, code, addresses and numbers outside of times stay as they
/// are. Deterministic, linear in the text. Broken UTF-8 is passed on as it is. Safe from any thread.
Absolute absolutise(std::string_view text, const Speech& speech);

}  // namespace weft
