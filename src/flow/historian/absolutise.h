#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"
#include "weft/memory.h"
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

/// How a text is put in words that need no circumstances.
enum class Style {
  kAnnotate,  ///< the words stay as said, what they mean is set beside them: "next Saturday [28 November 2026]",
              ///< 他[李雷]
  kReplace,   ///< what they mean takes their place; a word whose meaning is not certain stays
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
  Style style = Style::kAnnotate;
  std::vector<std::string> told_as;  ///< how a text in the third person calls who said it: no "he" there means them
  bool name_speakers =
      true;  ///< false: who I and you are is told beside the text; only what refers to others is resolved
};

enum class ChangeKind { kPerson, kThing, kTime, kPlace };

/// One word or phrase whose meaning was found.
struct Change {
  std::size_t begin = 0, end = 0;  ///< bytes of the original text
  ChangeKind kind = ChangeKind::kPerson;
  std::string what;  ///< as it stands there
  std::string by;    ///< what it means, as it was written
  bool sure = true;  ///< false: one of `candidates` is meant
  std::vector<std::string> candidates;
};

struct Absolute {
  std::string text;
  std::vector<Change> changes;  ///< in the order of the text
  /// Bytes of `text` that are not the original's, of Style::kAnnotate: without them it stands there byte for byte.
  std::vector<TextSpan> annotations;
};

/// Puts a text in words that still mean the same to a stranger in a year: whom its pronouns mean, which day its times
/// are, where its places are. Chinese, English and mixed. What is not certain gets its candidates, or nothing: nothing
/// is guessed, and nothing is said more exactly than it was. Quotations, titles, names, code, identifiers, addresses
/// and numbers with units are passed over. Deterministic, linear in the text. Broken UTF-8 is passed on as it is. Safe
/// from any thread.
Absolute absolutise(std::string_view text, const Speech& speech);

/// The text without some of its stretches, which are in order and do not overlap.
std::string without(std::string_view text, const std::vector<TextSpan>& spans);

/// The people of a conversation under the names that are written.
class People {
 public:
  /// Of what `speech` names; `text` may call somebody.
  People(const Speech& speech, std::string_view text);

  const std::string& sender() const { return sender_; }        ///< empty: not known
  const std::string& addressee() const { return addressee_; }  ///< empty: not certain
  const std::vector<std::string>& names() const { return names_; }

  /// Whom I, you and we mean, as candidates: one is certain, none is not known. `plural` becomes whether several are
  /// meant at once.
  std::vector<std::string> me() const;
  std::vector<std::string> you() const;
  std::vector<std::string> you_all(Language language, bool& plural) const;
  std::vector<std::string> us(Language language, bool inclusive) const;

 private:
  std::vector<std::string> others() const;

  std::string sender_, addressee_;
  std::vector<std::string> names_;
};

/// The name of a person as it is written.
std::string name_of(const Person& person);

}  // namespace weft
