#pragma once

#include <jinja/lexer.h>

#include <string>
#include <string_view>

namespace weft::templates {

/// The line of a byte, from 1.
std::size_t line_of(std::string_view source, std::size_t at);

/// Throws Fault for what the engine's parser would fail on without saying where, or by running out of stack: statements
/// that are not known or would read files, blocks that are not closed, and nesting without end.
void check_tokens(const jinja::lexer_result& read);

/// Where the parser fails: the first tag that is wrong by itself; Fault::kNowhere where each is right.
std::size_t find_broken_tag(const jinja::lexer_result& read);

}  // namespace weft::templates
