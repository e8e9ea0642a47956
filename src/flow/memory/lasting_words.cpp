#include "flow/memory/lasting_words.h"

namespace weft {

const VerbWords& inner_verbs() {
  static const VerbWords words{
      "think",   "know",      "believe", "guess",      "hope",     "feel",    "see",       "understand", "agree",
      "need",    "wonder",    "mean",    "appreciate", "thank",    "ask",     "suppose",   "remember",   "forget",
      "imagine", "find",      "wish",    "bet",        "say",      "tell",    "get",       "notice",     "realize",
      "realise", "apologize", "promise", "doubt",      "care",     "worry",   "look",      "sound",      "seem",
      "expect",  "recommend", "suggest", "let",        "agreed",   "assume",  "consider",  "decide",     "mind",
      "try",     "come",      "take",    "make",       "give",     "want",    "plan",      "intend",     "be",
      "do",      "have",      "go",      "keep",       "hear",     "heard",   "admit",     "disagree",   "figure",
      "trust",   "regret",    "miss",    "learn",      "gather",   "reckon",  "prefer",    "request",    "require",
      "happen",  "start",     "stop",    "tend",       "struggle", "deserve", "matter",    "hate to",    "must",
      "put",     "show",      "send",    "call",       "leave",    "stand",   "concur",    "recall",     "swear",
      "pray",    "fear",      "pay",     "add",        "use to",   "turn",    "follow up", "talk",       "speak of"};
  return words;
}

const VerbWords& life_verbs() {
  static const VerbWords words{
      "be",       "become",   "buy",         "move",     "learn",  "travel",    "visit",     "start",  "own",
      "retire",   "marry",    "study",       "lose",     "quit",   "stop",      "reduce",    "save",   "cut",
      "gain",     "attend",   "join",        "run",      "write",  "build",     "open",      "launch", "sell",
      "adopt",    "train",    "apply",       "fly",      "drive",  "host",      "celebrate", "go",     "take",
      "finish",   "graduate", "work",        "live",     "play",   "volunteer", "renovate",  "grow",   "plant",
      "publish",  "organize", "organise",    "invite",   "switch", "return",    "leave",     "get",    "expand",
      "raise",    "compete",  "participate", "climb",    "hike",   "eat",       "cook",      "teach",  "record",
      "paint",    "exercise", "practice",    "practise", "swim",   "ride",      "race",      "enroll", "enrol",
      "register", "move in",  "see",         "meet",     "spend",  "replace",   "upgrade",   "have"};
  return words;
}

const VerbWords& coming_events() {
  static const VerbWords words{"be",   "move",   "visit",   "travel",    "graduate",  "retire", "marry",
                               "fly",  "attend", "host",    "celebrate", "turn",      "join",   "adopt",
                               "work", "teach",  "compete", "perform",   "volunteer", "study",  "leave"};
  return words;
}

const VerbWords& talk_verbs() {
  static const VerbWords words{"check",       "try",      "look",    "ask",     "let",     "see",      "give",
                               "consider",    "think",    "make",    "keep",    "use",     "read",     "do",
                               "need",        "follow",   "add",     "share",   "explore", "research", "implement",
                               "incorporate", "start by", "create",  "be able", "go with", "go ahead", "definitely",
                               "also",        "have to",  "get back"};
  return words;
}

const VerbWords& events() {
  static const VerbWords words{
      "moved",      "bought",    "purchased",  "sold",      "started",      "began",       "finished",   "completed",
      "graduated",  "won",       "lost",       "adopted",   "joined",       "quit",        "passed",     "failed",
      "broke",      "signed",    "attended",   "visited",   "participated", "volunteered", "met",        "married",
      "became",     "received",  "earned",     "switched",  "canceled",     "cancelled",   "subscribed", "booked",
      "upgraded",   "replaced",  "downloaded", "installed", "hiked",        "planted",     "harvested",  "enrolled",
      "registered", "applied",   "accepted",   "retired",   "divorced",     "built",       "painted",    "wrote",
      "published",  "launched",  "founded",    "opened",    "injured",      "sprained",    "fractured",  "recovered",
      "flew",       "traveled",  "travelled",  "hosted",    "organized",    "organised",   "celebrated", "invested",
      "saved",      "repaired",  "fixed",      "renovated", "redecorated",  "rearranged",  "returned",   "inherited",
      "competed",   "performed", "placed",     "ran",       "climbed",      "learned",     "learnt",     "buried",
      "hired",      "raised",    "donated",    "redeemed",  "ordered",      "submitted",   "defended",   "studied",
      "worked",     "lived",     "taught",     "served",    "grew",         "served",      "baked",      "knitted",
      "watched",    "ended",     "spent",      "tried",     "explored",     "camped",      "swam",       "skied",
      "set",        "scored",    "achieved"};
  return words;
}

const VerbWords& pursuits() {
  static const VerbWords words{"learning",    "studying",      "training",   "working",     "planning",   "saving",
                               "living",      "writing",       "building",   "moving",      "expecting",  "dating",
                               "seeing",      "volunteering",  "attending",  "teaching",    "taking",     "practicing",
                               "practising",  "renovating",    "remodeling", "selling",     "starting",   "launching",
                               "organizing",  "organising",    "hosting",    "recovering",  "raising",    "growing",
                               "collecting",  "playing",       "flying",     "traveling",   "travelling", "visiting",
                               "leaving",     "joining",       "buying",     "opening",     "applying",   "majoring",
                               "researching", "developing",    "designing",  "running",     "managing",   "leading",
                               "coaching",    "retiring",      "preparing",  "celebrating", "throwing",   "rebuilding",
                               "restoring",   "experimenting", "cooking",    "baking",      "knitting",   "painting",
                               "gardening",   "exercising",    "dieting",    "enjoying",    "listening",  "reading",
                               "watching",    "using",         "eating",     "following",   "doing",      "getting"};
  return words;
}

const VerbWords& passing_pursuits() {
  static const VerbWords words{"thinking",    "wondering", "looking", "having",   "meaning",  "struggling",
                               "considering", "feeling",   "wanting", "hearing",  "noticing", "asking",
                               "talking",     "being",     "hoping",  "getting",  "trying",   "searching",
                               "telling",     "saying",    "needing", "enjoying", "keeping",  "experimenting",
                               "dealing",     "going",     "seeing",  "coming"};
  return words;
}

const VerbWords& lasting_states() {
  static const VerbWords words{
      "allergic",  "vegan",         "vegetarian", "married",     "single",   "divorced",     "widowed",    "pregnant",
      "retired",   "unemployed",    "employed",   "diabetic",    "disabled", "deaf",         "blind",      "gay",
      "jewish",    "muslim",        "christian",  "buddhist",    "catholic", "hindu",        "atheist",    "adopted",
      "fluent",    "engaged",       "based",      "left-handed", "lactose",  "gluten-free",  "bilingual",  "asthmatic",
      "homeless",  "self-employed", "named",      "into",        "from",     "passionate",   "obsessed",   "afraid",
      "terrified", "addicted",      "new",        "colorblind",  "dyslexic", "colour-blind", "originally", "related"};
  return words;
}

const VerbWords& had_in_talks() {
  static const VerbWords words{
      "question", "questions", "idea",    "ideas",      "few",    "lot",         "bit",       "time",
      "fun",      "trouble",   "problem", "problems",   "issue",  "issues",      "concern",   "concerns",
      "doubt",    "doubts",    "thought", "thoughts",   "chance", "look",        "feeling",   "choice",
      "point",    "sense",     "hard",    "difficulty", "blast",  "preference",  "request",   "day",
      "option",   "options",   "right",   "reason",     "clue",   "opportunity", "example",   "list",
      "to",       "it",        "that",    "some",       "any",    "no",          "something", "nothing",
      "heard",    "most",      "all",     "everything", "better", "great",       "good",      "feelings"};
  return words;
}

const VerbWords& telling_things() {
  static const VerbWords words{"dream",     "goal",     "hobby",  "hobbies", "passion",  "favorite",    "favourite",
                               "birthday",  "weakness", "job",    "major",   "degree",   "car",         "house",
                               "apartment", "hometown", "school", "team",    "diet",     "bike",        "guitar",
                               "flat",      "family",   "kids",   "salary",  "commute",  "anniversary", "wedding",
                               "surname",   "budget",   "fare",   "name",    "company",  "business",    "knee",
                               "back",      "vacation", "trip",   "allergy", "allergies"};
  return words;
}

const VerbWords& skills() {
  static const VerbWords words{"speak",   "play", "swim",       "cook",  "drive",  "dance", "sing",
                               "program", "code", "ride",       "write", "eat",    "drink", "ski",
                               "skate",   "surf", "draw",       "paint", "juggle", "knit",  "sew",
                               "bake",    "fly",  "read music", "walk",  "run",    "type",  "afford"};
  return words;
}

const VerbWords& standing_verbs() {
  static const VerbWords words{"live",     "work",     "study",     "teach",    "play",   "own",    "drive",
                               "speak",    "collect",  "volunteer", "commute",  "suffer", "attend", "weigh",
                               "identify", "belong",   "manage",    "coach",    "smoke",  "drink",  "wear",
                               "use",      "practice", "practise",  "raise",    "breed",  "major",  "rent",
                               "share",    "worship",  "subscribe", "exercise", "swim"};
  return words;
}

}  // namespace weft
