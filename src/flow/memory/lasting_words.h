#pragma once

#include "text/lexicon.h"

namespace weft {

/// Classes of English words that tell whether a clause in the first person lasts; all in lower case, from
/// lexicon/en/lasting.txt.
using VerbWords = LexiconWords;

/// Verbs whose simple present tells what goes on in somebody's head, or of the talk itself.
const VerbWords& inner_verbs();

/// What begins an intention that outlasts the talk.
const VerbWords& life_verbs();

/// What one "will" do in one's life; much else is promised to the talk.
const VerbWords& coming_events();

/// What is intended within the talk: "I'll check them out".
const VerbWords& talk_verbs();

/// What has happened once and stays so, or is told of oneself years later.
const VerbWords& events();

/// Doing these goes on for longer than the talk.
const VerbWords& pursuits();

/// Doing these is over with the talk, or says nothing of it: "thinking", "looking".
const VerbWords& passing_pursuits();

/// After "am": what does not pass with the day.
const VerbWords& lasting_states();

/// Abstract things that one "has" in a talk.
const VerbWords& had_in_talks();

/// Things of one's own whose value is worth knowing.
const VerbWords& telling_things();

/// What one can or cannot do.
const VerbWords& skills();

/// Their simple present tells what is so, not what happens now.
const VerbWords& standing_verbs();

}  // namespace weft
