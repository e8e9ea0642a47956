#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/plain_words.h"

namespace weft {

/// What the wording of a sentence says about its part in a conversation; bits that go together.
enum Sign : std::uint32_t {
  kSignMust = 1U << 0,        ///< obligation and prohibition without exception
  kSignShould = 1U << 1,      ///< instructions of a milder kind
  kSignLimit = 1U << 2,       ///< a bound; counts where a number stands with it
  kSignDecision = 1U << 3,    ///< something was chosen
  kSignDone = 1U << 4,        ///< something is finished
  kSignOpen = 1U << 5,        ///< something is still to be done
  kSignRisk = 1U << 6,        ///< something failed or may fail
  kSignPrefers = 1U << 7,     ///< a liking or habit of the speaker
  kSignLongTerm = 1U << 8,    ///< an aim beyond this conversation
  kSignSafety = 1U << 9,      ///< a rule about permission, secrecy or danger
  kSignSensitive = 1U << 10,  ///< something worth protecting: with an obligation it is a rule of safety
  kSignRemember = 1U << 11,   ///< the speaker asks to keep it in mind
  kSignRequest = 1U << 12,    ///< asks for something
};

struct Signs {
  std::uint32_t bits = 0;
  bool number = false;    ///< holds a number
  bool question = false;  ///< ends as a question
  bool negated = false;   ///< holds a negation

  bool any(std::uint32_t which) const { return (bits & which) != 0; }
  /// A rule that holds from now on: an obligation, a bound with its number, a rule of safety.
  bool constraint() const { return !question && any(kSignMust | kSignLimit | kSignSafety); }
};

/// The signs of a sentence, English and Chinese, by the moods of text/modality.h. Linear; safe from any thread.
Signs find_signs(const std::vector<PlainWord>& words);

}  // namespace weft
