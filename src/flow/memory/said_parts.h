#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"

namespace weft {

/// What both languages share in reading what was said; see `read_said`.

/// Adds what a sentence in the third person states of `subject` and of those who belong to them, one fact a statement's
/// sentence; nothing where it states nothing that is worth keeping. True where something was added.
bool add_facts(const std::string& text, std::string_view quote, const std::string& subject,
               std::vector<SaidFact>& facts);

/// Whether a fact gives the measure of something that it does not name: a budget of a bare number; where what it is of
/// is left `open` by the words around it, any budget, limit or deadline.
bool lacks_matter(const SaidFact& fact, bool open);

/// Whether the line of a fact belongs in a profile, which holds what is always to be known. `read` is what the grammar
/// of profiles reads in the line: it must find the attribute again. Single events, appointments, what holds on one day,
/// and budgets and prices do not last.
bool lasts_in_profile(std::string_view line, std::string_view attribute, std::span<const ProfileStatement> read);

/// A fact that the grammar of profiles does not know, kept as it was told.
SaidFact told_fact(std::string text, std::string_view quote);

}  // namespace weft
