#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"

namespace weft {

/// How somebody wants to be answered from now on, as far as a small grammar of both languages sees it: "Keep answers
/// short", 以后都用中文回答, "please don't use emojis".

/// The wishes of a sentence that hold for every later answer, in its own words. What belongs to one task only ("Use
/// metric for this recipe") is none. `alone`: the message asks for nothing else, so that what says no time for itself
/// is not about that. Linear; safe from any thread.
std::vector<std::string> standing_wishes(std::string_view sentence, bool alone);

/// The same by the grammar of clauses alone, without what `is_general_wish` takes as a whole.
std::vector<std::string> clause_wishes(std::string_view sentence, bool alone);

/// What a wish is about, whatever it applies to: "length", "units", "language", "emoji", …
std::string wish_aspect(std::string_view wish);

/// The attribute of a wish, "wish:length"; another wish of the same takes its place. Where the speaker says when it
/// applies, that belongs to it: "wish:length when i ask about code".
std::string wish_attribute(std::string_view wish);

/// A wish as a fact about who wishes it, without what leads to it and what is told behind it: of "ok last: metric
/// please, you did miles before" the words "metric please".
SaidFact wish_fact(std::string_view subject, std::string wish);

/// A wish as a line of a profile: "Ann asks: Keep answers short", 用户要求：以后都用中文回答.
std::string wish_line(std::string_view subject, std::string_view wish);

/// Reads such a line; nothing for any other sentence.
std::optional<ProfileStatement> read_wish_line(std::string_view line);

/// Whether a whole sentence tells how its speaker wants to be answered from now on, in whatever words: it asks
/// something of the one who answers (an instruction, a liking, a request), and says or implies that it holds for all
/// answers ("from here on", "whatever you send me", "with me"; 往后, 凡是, 跟我说话). Not what is asked once, told of
/// others, of former times or of the speaker, or merely supposed. Finds what the grammar of clauses misses, with less
/// precision. Both languages; linear; safe from any thread.
bool is_general_wish(std::string_view sentence);

/// Whether a sentence speaks of what answers are like, or says that something holds on, at all: what does neither is no
/// wish, whatever its meaning is like. Cheap.
bool may_hold_on(std::string_view sentence);

}  // namespace weft
