#include "flow/historian/noun_words.h"

#include "text/english_verbs.h"

namespace weft {

const NounWords& place_nouns() {
  static const NounWords words = {"gym",     "park",    "beach",   "restaurant", "shelter",  "church",   "museum",
                                  "school",  "city",    "town",    "country",    "shop",     "store",    "studio",
                                  "cafe",    "café",    "hotel",   "house",      "office",   "library",  "center",
                                  "centre",  "market",  "station", "airport",    "lake",     "mountain", "mountains",
                                  "forest",  "theater", "theatre", "club",       "bar",      "hospital", "university",
                                  "college", "village", "garden",  "farm",       "campsite", "zoo",      "venue",
                                  "stadium", "island",  "clinic",  "room",       "village"};
  return words;
}

const NounWords& empty_heads() {
  static const NounWords words = {
      "lot",    "bit",     "way",    "thing",     "things", "time",    "times",      "day",       "days",    "week",
      "month",  "year",    "weeks",  "months",    "years",  "one",     "ones",       "kind",      "sort",    "couple",
      "few",    "bunch",   "ton",    "rest",      "end",    "start",   "most",       "same",      "other",   "others",
      "first",  "next",    "last",   "past",      "future", "morning", "evening",    "night",     "weekend", "while",
      "moment", "minute",  "hour",   "fact",      "reason", "best",    "chance",     "hope",      "guys",    "part",
      "second", "type",    "number", "afternoon", "point",  "case",    "middle",     "top",       "side",    "word",
      "ways",   "minutes", "hours",  "many",      "more",   "much",    "little",     "break",     "hand",    "hug",
      "help",   "support", "love",   "fun",       "world",  "life",    "everything", "something", "heart",   "mind",
      "luck",   "shot",    "job's"};
  return words;
}

const NounWords& no_nouns() {
  static const NounWords words = {
      "is",       "are",      "was",        "were",       "be",      "been",   "has",       "had",      "have",
      "do",       "does",     "did",        "and",        "or",      "but",    "so",        "to",       "of",
      "in",       "on",       "at",         "for",        "from",    "with",   "by",        "about",    "as",
      "than",     "that",     "which",      "who",        "when",    "where",  "while",     "if",       "because",
      "since",    "after",    "before",     "until",      "like",    "into",   "over",      "under",    "up",
      "out",      "off",      "down",       "through",    "near",    "around", "too",       "also",     "just",
      "now",      "then",     "there",      "here",       "not",     "really", "very",      "much",     "again",
      "back",     "together", "ago",        "yet",        "still",   "today",  "yesterday", "tomorrow", "tonight",
      "lately",   "recently", "soon",       "later",      "a",       "an",     "the",       "all",      "both",
      "this",     "these",    "those",      "what",       "how",     "why",    "gonna",     "can",      "will",
      "would",    "could",    "should",     "may",        "might",   "must",   "i",         "you",      "he",
      "she",      "it",       "we",         "they",       "me",      "him",    "her",       "us",       "them",
      "my",       "your",     "his",        "its",        "our",     "their",  "i'm",       "i've",     "it's",
      "'cause",   "cause",    "cuz",        "especially", "without", "during", "between",   "via",      "per",
      "please",   "that's",   "more",       "behind",     "above",   "below",  "beyond",    "among",    "across",
      "against",  "along",    "despite",    "toward",     "towards", "within", "upon",      "even",     "though",
      "although", "unless",   "whether",    "once",       "got",     "away",   "everyone",  "someone",  "anyone",
      "nothing",  "anything", "everything", "something",  "nice",    "great",  "amazing",   "cool",     "good"};
  return words;
}

const NounWords& determiners() {
  static const NounWords words = {"a",       "an",  "the",   "my",   "your", "this",    "that", "these", "those",
                                  "another", "two", "three", "four", "five", "several", "some", "our"};
  return words;
}

bool is_plural_noun(std::string_view word) {
  static const NounWords kPlural = {"people", "children", "men", "women", "folks", "police", "mice", "feet", "teeth"};
  static const NounWords kSingular = {"bus", "news", "series", "canvas", "christmas", "campus",  "tennis",
                                      "yes", "gas",  "focus",  "chess",  "virus",     "physics", "lens"};
  if (kPlural.contains(word)) return true;
  if (kSingular.contains(word) || word.size() < 3) return false;
  return word.back() == 's' && word[word.size() - 2] != 's' && word[word.size() - 2] != '\'';
}

bool is_verb_form(std::string_view word) {
  if (is_base_verb(word)) return true;
  if (word.size() > 3 && word.back() == 's') {
    if (is_base_verb(word.substr(0, word.size() - 1))) return true;
    if (word.substr(word.size() - 2) == "es" && is_base_verb(word.substr(0, word.size() - 2))) return true;
  }
  return is_past_form(word);
}

}  // namespace weft
