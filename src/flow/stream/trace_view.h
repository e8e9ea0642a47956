#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/cues.h"
#include "text/words.h"

namespace weft {

/// What a turn shows without what was said before it.
struct SeenTurn {
  std::uint32_t cues = 0;  ///< a bit for each `Cue`
  bool is_short = false;
  std::vector<Term> terms;  ///< its words without function words, each once
};

SeenTurn see_turn(std::string_view text);

/// The cues that are signals: of the turn itself, and of the turn before it.
inline constexpr std::array kCuesOfTurn = {Cue::kChange, Cue::kAdds,     Cue::kRequest,     Cue::kRefersLater,
                                           Cue::kRefers, Cue::kQuestion, Cue::kQuestionEnd, Cue::kGreets,
                                           Cue::kThanks, Cue::kCloses,   Cue::kContinues,   Cue::kAnswers};
inline constexpr std::array kCuesBefore = {Cue::kRequest, Cue::kQuestion, Cue::kQuestionEnd, Cue::kMore,
                                           Cue::kGreets,  Cue::kThanks,   Cue::kCloses};

}  // namespace weft
