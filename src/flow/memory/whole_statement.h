#pragma once

#include <cstddef>
#include <string_view>

#include "flow/memory/said_facts.h"

namespace weft {

/// The check that each statement passes before it is kept: it must mean the same to somebody who has not read the
/// message. Both languages; linear; safe from any thread.

/// Whether a statement about `subject` ("The user", 用户, a name) is a whole sentence about somebody certain: brackets
/// and quotation marks close, no connective hangs at either end, a verb is there, and outside of quotations no "I",
/// "you" or "here" is left, and no "she" or "it" but one that belongs to whom the sentence is about ("The user's sister
/// lives with her husband"). A budget or a limit says what of.
bool is_whole_statement(std::string_view text, std::string_view subject);

/// The same of a sentence that is kept as it was told, in which an open "he" may stand.
bool is_told_whole(std::string_view text);

/// Whether a standing wish says by itself whom and what it is about.
bool is_whole_wish(std::string_view wish);

/// Where the time ends that a clause begins with: of "so next year I live in Bern" behind "year", of 去年我住在成都
/// behind 去年; 0 where it begins with none. Lengths ("for two years") and repetitions ("on Mondays") are no such time.
std::size_t end_of_time_in_front(std::string_view clause);

/// Whether a clause begins with a time other than now and so does not say how things are: "Next year I live in Bern",
/// 2019年我在腾讯上班. "Since 2019 I live in Bern" does, and so does a change in the past: "Last month I moved to
/// Bern".
bool is_of_another_time(std::string_view clause);

/// The same of a time anywhere in a clause, 我们两周后搬家: what goes on behind the clause is so then.
bool is_at_another_time(std::string_view clause);

/// Whether a fact may be kept, by the check that its kind asks for.
bool may_be_kept(const SaidFact& fact, std::string_view subject);

}  // namespace weft
