#pragma once

#include <cstddef>
#include <vector>

#include "text/time/grammar.h"
#include "text/time/lexer.h"
#include "text/time/render.h"

namespace weft::timex {

/// What a sentence tells of, by its verbs and particles.
struct Tense {
  bool past = false;    ///< and of nothing to come
  bool future = false;  ///< plans and what is arranged among it: "we booked 9 to 21 May"
  bool done = false;    ///< the clause itself says that it is done, as 二月结婚了
  bool either = false;  ///< nothing but a form that is present and past: "Quit on Monday"
  bool late = false;    ///< how late a night has ended: 凌晨三点才睡
};

/// The tense of the sentence around an expression; where it has none, that of the sentence before it.
Tense tense_of(const std::vector<Token>& tokens, const Node& node);

/// Whether what stands around speaks against a time: part of a number, a score, a house, a list of points.
bool is_disturbed(const std::vector<Token>& tokens, const Node& node);

/// Whether a word that is a time only among others ("may", "sat") is one here.
bool is_called_for(const std::vector<Token>& tokens, const Node& node);

/// How an English expression stands in its sentence.
Position position_of(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

}  // namespace weft::timex
