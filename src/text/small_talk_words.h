#pragma once

#include "text/plain_words.h"

namespace weft {

/// What a phrase of small talk may do.
enum class TalkPart {
  kGreeting,  ///< stands alone; a name may follow or precede: hello, thanks, goodbye, congratulations
  kAnswer,    ///< stands alone: confirmations, refusals, fillers that are whole utterances
  kPraise,    ///< stands alone and behind a frame: great, 不错
  kFrame,     ///< needs praise behind it: "that sounds"
  kNoun,      ///< only behind praise: "great idea"
  kGlue,      ///< may stand between all others: interjections, intensifiers, particles
  kAddress,   ///< whom one speaks to, behind anything: "guys", 各位
};

/// All phrases, their value a TalkPart. Built once.
const PhraseTable& talk_phrases();

}  // namespace weft
