#pragma once

#include <cstddef>
#include <vector>

#include "text/time/grammar.h"
#include "text/time/lexer.h"
#include "text/time/render.h"

namespace weft::timex {

/// Whether the sentence around these tokens tells of the past, by its verbs and particles.
bool tells_of_past(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

/// Whether what stands around speaks against a time: part of a number, a score, a house, a list of points.
bool is_disturbed(const std::vector<Token>& tokens, const Node& node);

/// Whether a word that is a time only among others ("may", "sat") is one here.
bool is_called_for(const std::vector<Token>& tokens, const Node& node);

/// How an English expression stands in its sentence.
Position position_of(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

}  // namespace weft::timex
