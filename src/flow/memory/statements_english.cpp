// English is read by words: a verb phrase from a table with the subject before it and the value behind it.
#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"

namespace weft {
namespace {

constexpr std::size_t kMaxSubjectWords = 4;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t\r\n", at)) != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// Words of the sentence that begin with a capital or are numbers: what names and values look like.
using NamesAndNumbers = std::set<std::string, std::less<>>;

NamesAndNumbers names_and_numbers(std::string_view as_said) {
  NamesAndNumbers named;
  bool first = true;
  for (const std::string_view word : words_of(as_said)) {
    const std::string_view bare = trim_words(word);
    const bool digit = std::any_of(bare.begin(), bare.end(), [](char c) { return is_digit(c); });
    const bool name = !bare.empty() && (is_upper(bare.front()) || static_cast<unsigned char>(bare.front()) >= 0x80);
    if (digit || (name && !first)) {
      named.insert(lowered(bare));
    }
    first = false;
  }
  return named;
}

bool is_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c); });
}

// A phrase that was found: its words are [begin, end).
struct Match {
  std::size_t begin = 0, end = 0;
  Phrase phrase;
  std::string owned_attribute;  // "favourite colour", whose name is not in the table
  std::size_t subject_end = 0;  // words before it name the subject
};

// Whether the words from `at` on are those of a phrase, which has one blank between its words.
bool same_words(const std::vector<std::string_view>& words, std::size_t at, std::string_view phrase) {
  for (; !phrase.empty(); ++at) {
    const std::size_t end = std::min(phrase.find(' '), phrase.size());
    if (at >= words.size() || words[at] != phrase.substr(0, end)) return false;
    phrase.remove_prefix(std::min(end + 1, phrase.size()));
  }
  return true;
}

// How many words from `at` on a phrase takes up, with adverbs of degree within: "is severely allergic to"; 0: it is not
// there.
std::size_t words_of_phrase(const std::vector<std::string_view>& words, std::size_t at, std::string_view phrase) {
  const std::size_t begin = at;
  const std::string_view whole = phrase;
  for (; !phrase.empty(); ++at) {
    const std::size_t end = std::min(phrase.find(' '), phrase.size());
    // "Is really interested in" tells what the talk is about.
    const bool talk = whole.ends_with("interested in") || whole.ends_with("into");
    const auto is_degree = [&](std::string_view word) {
      return !talk && word != phrase.substr(0, end) &&
             (is_adverb_english(word) || (word.size() > 5 && word.ends_with("ly")));
    };
    while (at > begin && at < words.size() && is_degree(words[at])) ++at;
    if (at >= words.size() || words[at] != phrase.substr(0, end)) return 0;
    phrase.remove_prefix(std::min(end + 1, phrase.size()));
  }
  return at - begin;
}

std::size_t count_words(std::string_view phrase) {
  return static_cast<std::size_t>(std::count(phrase.begin(), phrase.end(), ' ')) + 1;
}

std::optional<Match> match_verb(const std::vector<std::string_view>& words, std::size_t at) {
  std::optional<Match> best;
  for (const EnglishPhrase& entry : english_phrases(words[at])) {
    const std::size_t size = words_of_phrase(words, at, entry.words);
    if (size == 0 || (best && best->end - best->begin >= size)) continue;
    best = Match{at, at + size, entry.phrase, {}, at};
  }
  return best;
}

std::string join(const std::vector<std::string_view>& words, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += (text.empty() ? "" : " ") + std::string(words[i]);
  return text;
}

// What stands between a thing and its value.
constexpr std::array<std::string_view, 22> kBetween{{"is called",
                                                     "are called",
                                                     "is named",
                                                     "is now",
                                                     "are now",
                                                     "has changed to",
                                                     "was changed to",
                                                     "got changed to",
                                                     "changed to",
                                                     "has moved to",
                                                     "was moved to",
                                                     "got moved to",
                                                     "moved to",
                                                     "will be",
                                                     "is going to be",
                                                     "starts at",
                                                     "costs",
                                                     "has become",
                                                     "became",
                                                     "was postponed to",
                                                     "is",
                                                     "are"}};

std::size_t words_between(const std::vector<std::string_view>& words, std::size_t at) {
  for (const std::string_view phrase : kBetween)
    if (same_words(words, at, phrase)) return count_words(phrase);
  return 0;
}

// A name, a number or a time is what a thing can be; "my boss is annoying" tells of no value.
bool can_be_value(const std::vector<std::string_view>& words, std::size_t at, const NamesAndNumbers& named) {
  static const std::set<std::string_view> before{"at", "on", "in", "about", "around", "the", "a", "an", "now", "only"};
  std::size_t first = at;
  while (first < words.size() && before.contains(words[first])) ++first;
  if (first < words.size() && named.contains(trim_words(words[first]))) return true;
  const std::string rest = join(words, at, words.size());
  const auto timed = split_at_time(rest);
  return timed && timed->before.empty();
}

bool is_time_or_number(const std::vector<std::string_view>& words, std::size_t at) {
  if (at >= words.size()) return false;
  const std::string rest = join(words, at, words.size());
  const auto timed = split_at_time(rest);
  return is_digit(words[at].front()) || (timed && timed->before.empty());
}

// "ann's favourite colour is green": owner, noun, copula.
std::optional<Match> match_owned(const std::vector<std::string_view>& words, std::size_t at,
                                 const NamesAndNumbers& named) {
  if (!words[at].ends_with("'s") && !words[at].ends_with("s'")) return std::nullopt;
  constexpr std::size_t kLongestNoun = 5;
  for (std::size_t is = at + 2; is < words.size() && is <= at + 1 + kLongestNoun; ++is) {
    const std::size_t between = words_between(words, is);
    if (between == 0) continue;
    const std::string noun = join(words, at + 1, is);
    // "Ann's sister moved to Rome" tells of the sister.
    const bool moved = words[is + between - 1] == "to" && words[is + between - 2] == "moved";
    if (moved && !is_time_or_number(words, is + between)) return std::nullopt;
    const bool known =
        has_value_english(noun) || is_occupation_english(trim_words(join(words, is + between, words.size())));
    if (!known && !can_be_value(words, is + between, named)) return std::nullopt;
    Match match{at, is + between, {{}, true, Polarity::kYes}, owned_attribute(noun), at + 1};
    if (match.owned_attribute.empty()) match.owned_attribute = thing_key_english(noun);
    if (same_words(words, is + 1, "no longer")) {
      match.phrase.polarity = Polarity::kNoLonger;
      match.end += 2;
    } else if (same_words(words, is + 1, "not")) {
      match.phrase.polarity = Polarity::kNo;
      match.end += 1;
    }
    return match;
  }
  return std::nullopt;
}

// "is vegan", "is 34", "became a teacher": what somebody is.
std::optional<Match> match_kind(const std::vector<std::string_view>& words, std::size_t at) {
  // "Has been vegan since 2019"
  const bool since = same_words(words, at, "has been") &&
                     std::any_of(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(),
                                 [](std::string_view word) { return word == "since" || word == "for"; });
  if (words[at] != "is" && words[at] != "became" && words[at] != "turned" && words[at] != "went" &&
      !same_words(words, at, "has become") && !since)
    return std::nullopt;
  std::size_t next = at + (words[at] == "has" ? 2 : 1);
  Polarity polarity = Polarity::kYes;
  for (; next < words.size(); ++next) {
    const bool over = same_words(words, next, "no longer");
    if (over || words[next] == "not") {
      polarity = over ? Polarity::kNoLonger : Polarity::kNo;
      next += over ? 1 : 0;
    } else if (!is_adverb_english(words[next])) {
      break;
    }
  }
  if (next >= words.size()) return std::nullopt;
  const std::string_view word = trim_words(words[next]);
  // "Lactose intolerant"
  const std::string two = next + 1 < words.size() ? join(words, next, next + 2) : std::string();
  for (const std::string_view one : {std::string_view(trim_words(two)), word})
    if (const auto kind = kind_of_person(one); !kind.empty())
      return Match{at, next, {std::string(kind), kind != "allergies", polarity}, {}, at};
  if (since && (word == "a" || word == "an")) return Match{at, next, {"is", false, polarity}, {}, at};
  const bool years = next + 1 >= words.size() || same_words(words, next + 1, "years old") ||
                     words[next].ends_with(',') ||
                     (next + 2 >= words.size() && is_adverb_english(trim_words(words[next + 1])));
  if (is_number(word) && word.size() <= 3 && years) return Match{at, next, {"age", true, polarity}, {}, at};
  const bool article = word == "a" || word == "an" || word == "the";
  if (words[at] == "became" && article) return Match{at, next, {"is", false, polarity}, {}, at};
  return std::nullopt;
}

// "Does not", "no longer" before a verb: how many words they are, and what they say of it.
std::pair<std::size_t, Polarity> denial_at(const std::vector<std::string_view>& words, std::size_t at) {
  for (const std::string_view no : {"does not", "doesn't", "do not"})
    if (same_words(words, at, no)) return {count_words(no), Polarity::kNo};
  if (same_words(words, at, "no longer")) return {2, Polarity::kNoLonger};
  return {0, Polarity::kYes};
}

// "Has type 1 diabetes", "suffers from bad migraines".
std::optional<Match> match_ailment(const std::vector<std::string_view>& words, std::size_t at) {
  auto [skipped, polarity] = denial_at(words, at);
  std::size_t next = at + skipped;
  std::size_t size = 0;
  for (const std::string_view has :
       {"has", "has got", "gets", "is prone to", "suffers from", "was diagnosed with", "has been diagnosed with",
        "got diagnosed with", "is diagnosed with", "lives with"})
    if (same_words(words, next, has)) size = std::max(size, count_words(has));
  if (size == 0 && skipped > 0 && next < words.size() && words[next] == "have") size = 1;
  if (size == 0) return std::nullopt;
  next += size;
  static const LexiconWords ailments = lexicon_words("en/profile", "ailments"),
                            which = lexicon_words("en/profile", "which ailment");
  for (std::size_t noun = next; noun < words.size() && noun < next + 4; ++noun) {
    const std::string_view word = trim_words(words[noun]);
    const std::string two = noun + 1 < words.size() ? join(words, noun, noun + 2) : std::string();
    if (ailments.contains(word) || ailments.contains(trim_words(two)))
      return Match{at, next, {"conditions", false, polarity}, {}, at};
    if (!which.contains(word) && !is_count(word)) return std::nullopt;
  }
  return std::nullopt;
}

bool is_medicine(std::string_view word) {
  static const LexiconWords medicines = lexicon_words("en/profile", "medicines");
  const auto ends = lexicon("en/profile", "endings of medicines");
  constexpr std::size_t kShortest = 7;
  return medicines.contains(word) ||
         (word.size() >= kShortest &&
          std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return word.ends_with(end); }));
}

// "Takes 500 mg of metformin twice a day": of each medicine one dose at a time.
std::optional<Match> match_medicine(const std::vector<std::string_view>& words, std::size_t at) {
  auto [skipped, polarity] = denial_at(words, at);
  std::size_t next = at + skipped;
  std::size_t size = 0;
  for (const std::string_view takes :
       {"takes", "is taking", "is on", "injects", "uses", "was prescribed", "started taking"})
    if (same_words(words, next, takes)) size = count_words(takes);
  if (size == 0 && skipped > 0 && next < words.size() && words[next] == "take") size = 1;
  if (size == 0) return std::nullopt;
  next += size;
  constexpr std::size_t kFar = 6;
  static const std::set<std::string_view> doses{
      "mg",    "ml",     "mcg",     "g",  "of",    "a",    "an",     "the",      "units",      "unit",      "pill",
      "pills", "tablet", "tablets", "my", "daily", "some", "user's", "low-dose", "micrograms", "milligrams"};
  for (std::size_t noun = next; noun < words.size() && noun < next + kFar; ++noun) {
    const std::string_view word = trim_words(words[noun]);
    if (is_medicine(word)) return Match{at, next, {"medicine " + value_key(word), true, polarity}, {}, at};
    if (!doses.contains(word) && !is_digit(word.empty() ? 'x' : word.front()) && !is_count(word)) return std::nullopt;
  }
  return std::nullopt;
}

// "Smokes", "no longer drinks": what is done, whatever is smoked.
std::optional<Match> match_alone(const std::vector<std::string_view>& words, std::size_t at) {
  auto [skipped, polarity] = denial_at(words, at);
  const std::size_t verb = at + skipped;
  if (verb >= words.size()) return std::nullopt;
  const std::string_view word = trim_words(words[verb]);
  if (word != "smokes" && !(skipped > 0 && word == "smoke")) return std::nullopt;
  const bool ends = verb + 1 == words.size() || words[verb] != word || is_adverb_english(trim_words(words[verb + 1])) ||
                    words[verb + 1].starts_with("any");
  if (!ends) return std::nullopt;
  if (polarity == Polarity::kNo && verb + 1 < words.size() && words[verb + 1].starts_with("any"))
    polarity = Polarity::kNoLonger;
  return Match{at, verb, {"smokes", false, polarity}, {}, at};
}

// "Can't drive", "works nights", "wears hearing aids": a verb with one of a list.
std::optional<Match> match_of_list(const std::vector<std::string_view>& words, std::size_t at) {
  struct Kind {
    std::string_view verb, list;
    const char* attribute;
    bool single;
  };
  static constexpr std::array<Kind, 7> kKinds{{{"can't", "abilities", "cannot", false},
                                               {"cannot", "abilities", "cannot", false},
                                               {"doesn't", "abilities", "cannot", false},
                                               {"does not", "abilities", "cannot", false},
                                               {"works", "working hours", "working hours", true},
                                               {"wears", "worn always", "wears", false},
                                               {"has", "worn always", "wears", false}}};
  for (const Kind& kind : kKinds) {
    if (!same_words(words, at, kind.verb)) continue;
    std::size_t next = at + count_words(kind.verb);
    while (next < words.size() && (words[next] == "a" || words[next] == "an")) ++next;
    for (const std::string_view one : lexicon("en/profile", kind.list)) {
      const std::size_t end = next + count_words(one);
      if (end > words.size() || trim_words(join(words, next, end)) != one) continue;
      // "Doesn't drive to work", "wears glasses when reading"
      const bool ends = end == words.size() || words[end - 1] != trim_words(words[end - 1]) || kind.list != "abilities";
      if (ends) return Match{at, next, {kind.attribute, kind.single, Polarity::kYes}, {}, at};
    }
  }
  return std::nullopt;
}

// "Runs a small hair salon in Bristol".
std::optional<Match> match_business(const std::vector<std::string_view>& words, std::size_t at) {
  static const LexiconWords businesses = lexicon_words("en/profile", "businesses");
  if (words[at] != "runs" && words[at] != "owns" && words[at] != "manages") return std::nullopt;
  static const std::set<std::string_view> behind{"in",  "at",     "on", "with", "for", "near",
                                                 "and", "called", "by", "of",   "from"};
  constexpr std::size_t kFar = 6;
  for (std::size_t noun = at + 2; noun < words.size() && noun <= at + kFar; ++noun) {
    const bool ends =
        noun + 1 == words.size() || words[noun] != trim_words(words[noun]) || behind.contains(words[noun + 1]);
    if (ends && businesses.contains(trim_words(words[noun])))
      return Match{at, at + 1, {"business", true, Polarity::kYes}, {}, at};
    if (ends) return std::nullopt;
  }
  return std::nullopt;
}

// "Has worked for Hargreaves" may be over, unless it says since when.
bool is_past_work(const std::vector<std::string_view>& words, const Match& match) {
  if (words[match.begin] != "has" || match.begin + 1 >= words.size() || words[match.begin + 1] != "worked")
    return false;
  return std::none_of(words.begin() + static_cast<std::ptrdiff_t>(match.begin), words.end(), [](std::string_view word) {
    const std::string_view bare = trim_words(word);
    return bare == "since" || bare == "years" || bare == "months" || bare == "year";
  });
}

// "Has choir practice every thursday at 7": of each thing that comes again there is one time.
std::optional<Match> match_habit(const std::vector<std::string_view>& words, std::size_t at) {
  constexpr std::size_t kFar = 6;
  const std::string_view verb = words[at];
  if (at == 0 || at + 2 >= words.size() || !verb.ends_with('s')) return std::nullopt;
  const bool known = verb == "has" || is_base_verb(verb.substr(0, verb.size() - 1)) ||
                     (verb.ends_with("es") && is_base_verb(verb.substr(0, verb.size() - 2)));
  if (!known) return std::nullopt;
  for (std::size_t time = at + 2; time < words.size() && time <= at + kFar; ++time) {
    if (words[time] != "every" && words[time] != "each" && words[time] != "on") continue;
    const std::string rest = join(words, time, words.size());
    const std::size_t size = begins_again(rest);
    constexpr std::size_t kLongestRest = 24;  // bytes; more would be told beside it
    if (size == 0 || rest.size() - size > kLongestRest) continue;
    return Match{at, time, {{}, true, Polarity::kYes}, "habit " + join(words, at + 1, time), at};
  }
  return std::nullopt;
}

// "has two cats", "has a dog called rex".
std::optional<Match> match_having(const std::vector<std::string_view>& words, std::size_t at) {
  if (words[at] != "has" && words[at] != "got" && words[at] != "adopted") return std::nullopt;
  std::size_t next = at + 1;
  while (next < words.size() && (is_adverb_english(words[next]) || words[next] == "got")) ++next;
  if (next + 1 >= words.size()) return std::nullopt;
  constexpr std::size_t kAdjectives = 2;
  for (std::size_t noun = next + 1; noun < words.size() && noun <= next + 1 + kAdjectives; ++noun) {
    const std::string_view word = trim_words(words[noun]);
    if (!is_kept_thing_english(word)) continue;
    if (is_count(words[next]) && words[at] == "has")
      return Match{at, next, {"number of " + value_key(word), true, Polarity::kYes}, {}, at};
    const bool one = words[next] == "a" || words[next] == "an";
    if (one) return Match{at, next, {"has", false, Polarity::kYes}, {}, at};
  }
  return std::nullopt;
}

// "does not have a dog", "has no dogs", "no longer has a dog".
std::optional<Match> match_lacking(const std::vector<std::string_view>& words, std::size_t at) {
  static constexpr std::array<std::pair<std::string_view, Polarity>, 9> kLacks{
      {{"does not have", Polarity::kNo},
       {"doesn't have", Polarity::kNo},
       {"has not got", Polarity::kNo},
       {"hasn't got", Polarity::kNo},
       {"has no", Polarity::kNo},
       {"does not own", Polarity::kNo},
       {"doesn't own", Polarity::kNo},
       {"no longer has", Polarity::kNoLonger},
       {"no longer owns", Polarity::kNoLonger}}};
  constexpr std::size_t kAdjectives = 2;
  for (const auto& [phrase, polarity] : kLacks) {
    if (!same_words(words, at, phrase)) continue;
    std::size_t next = at + count_words(phrase);
    // "Has no longer a dog".
    const bool over = next < words.size() && words[next] == "longer";
    if (over) ++next;
    while (next < words.size() && (words[next] == "a" || words[next] == "an" || words[next] == "any")) ++next;
    for (std::size_t noun = next; noun < words.size() && noun <= next + kAdjectives; ++noun)
      if (is_kept_thing_english(trim_words(words[noun])))
        return Match{at, noun, {"has", false, over ? Polarity::kNoLonger : polarity}, {}, at};
  }
  return std::nullopt;
}

// "ann's dog died": she has no such dog any more.
std::optional<Match> match_lost_pet(const std::vector<std::string_view>& words, std::size_t at) {
  if (!words[at].ends_with("'s") || at + 2 >= words.size()) return std::nullopt;
  static const LexiconWords pets = lexicon_words("en/people", "animals");
  if (!pets.contains(words[at + 1])) return std::nullopt;
  constexpr std::size_t kFar = 4;  // "Ann's dog Rex finally died"
  for (std::size_t verb = at + 2; verb < words.size() && verb <= at + kFar; ++verb) {
    const std::string rest = join(words, verb, words.size());
    const std::string_view told = trim_words(rest);
    for (const std::string_view end : lexicon("en/profile", "ends of pets")) {
      const bool whole = told.starts_with(end) && (told.size() == end.size() || !is_letter(told[end.size()]));
      if (whole) return Match{at, at + 1, {"has", false, Polarity::kNoLonger}, {}, at + 1};
    }
  }
  return std::nullopt;
}

// "is flying to rome on 3 may": of each journey and appointment there is one moment at a time.
std::optional<Match> match_plan(const std::vector<std::string_view>& words, std::size_t at) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kPlans{
      {{"is flying to", "trip to "},
       {"is going to", "trip to "},
       {"is travelling to", "trip to "},
       {"is traveling to", "trip to "},
       {"is heading to", "trip to "},
       {"is driving to", "trip to "},
       {"is taking the train to", "trip to "},
       {"flies to", "trip to "},
       {"travels to", "trip to "},
       {"leaves for", "trip to "},
       {"is visiting", "trip to "},
       {"has an appointment with", "appointment with "},
       {"has an appointment at", "appointment with "},
       {"is meeting", "meeting with "},
       {"is getting", "getting "},
       {"is having", "having "}}};
  for (const auto& [phrase, key] : kPlans) {
    if (!same_words(words, at, phrase)) continue;
    const std::size_t begin = at + count_words(phrase);
    const std::string rest = join(words, begin, words.size());
    const auto timed = split_at_time(rest);
    if (!timed || timed->before.empty() || (key == "trip to " && is_base_verb(words[begin]))) return std::nullopt;
    const auto before = count_words(timed->before);
    return Match{at, begin + before, {{}, true, Polarity::kYes}, std::string(key) + value_key(timed->before), at};
  }
  return std::nullopt;
}

// Where the value that ends before `end` really ends: at the last connection, if a new clause follows it. No connection
// means that the phrase at `end` is inside the value.
std::optional<std::size_t> clause_start(const std::vector<std::string_view>& words, std::size_t begin,
                                        std::size_t end) {
  for (std::size_t at = end; at > begin; --at) {
    const std::string_view word = words[at - 1];
    if (word == "and" || word == "but" || word.ends_with(',') || word.ends_with(';') || word.ends_with('.')) return at;
  }
  return std::nullopt;
}

std::optional<std::string> english_subject(const std::vector<std::string_view>& words, std::size_t begin,
                                           std::size_t end) {
  std::vector<std::string_view> kept;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string_view word = trim_words(words[i]);
    if (is_unsure_english(word)) return std::nullopt;
    if (!word.empty() && !is_adverb_english(word)) kept.push_back(word);
  }
  if (kept.size() > kMaxSubjectWords) return std::nullopt;
  std::string subject = join(kept, 0, kept.size());
  if (subject.ends_with("'s")) subject.resize(subject.size() - 2);
  return subject;
}

// Of what somebody has or has not any more, the thing alone: "dog" of "my dog died last month".
bool is_thing_alone(const Match& match) {
  return match.phrase.attribute == "has" && match.phrase.polarity != Polarity::kYes;
}

// The value up to what explains it.
std::string english_value(const std::vector<std::string_view>& words, std::size_t begin, std::size_t end,
                          Match& match) {
  std::size_t stop = begin;
  while (stop < end && !ends_value_english(trim_words(words[stop]))) {
    const bool last = words[stop].ends_with(';') || words[stop].ends_with('.') ||
                      (match.phrase.single && match.phrase.attribute != "birthday" && words[stop].ends_with(','));
    ++stop;
    static const LexiconWords titles = lexicon_words("en/abbreviations", "titles");
    const bool title = words[stop - 1].ends_with('.') && titles.contains(trim_words(words[stop - 1]));
    if (last && stop < end && !words[stop - 1].ends_with("st.") && !title) break;
  }
  while (stop > begin) {
    const auto word = trim_words(words[stop - 1]);
    if ((word == "anymore" || word == "longer" || word == "more") && match.phrase.polarity == Polarity::kNo) {
      match.phrase.polarity = Polarity::kNoLonger;
    } else if (!is_adverb_english(word) && word != "and" && word != "but" && word != "any" && word != "no") {
      break;
    }
    --stop;
  }
  if (is_thing_alone(match)) {
    for (std::size_t at = begin; at < stop; ++at)
      if (is_kept_thing_english(trim_words(words[at]))) return std::string(trim_words(words[at]));
  }
  return join(words, begin, stop);
}

// "drives to work", "uses to", "learns a ton", "works for 9 years": a preposition, an amount or a length of time where
// a thing should stand.
bool lacks_object(const std::vector<std::string_view>& words, const Match& match) {
  static const std::set<std::string_view> none{
      "to",      "in", "at",     "on",    "with", "by",   "for",  "from", "off",  "out",  "up",   "down", "over",
      "through", "as", "around", "about", "well", "hard", "fine", "it",   "this", "that", "them", "so"};
  static const std::set<std::string_view> before{"a", "quite", "too", "very"},
      amounts{"lot", "ton", "bunch", "lots", "tons", "loads", "heaps", "plenty", "much"};
  static const std::set<std::string_view> lengths{"years", "year", "months", "month", "weeks", "week", "days", "hours"};
  std::size_t at = match.end;
  if (at < words.size() && none.contains(trim_words(words[at]))) return true;
  while (at < words.size() && (before.contains(words[at]) || is_adverb_english(words[at]) || words[at] == "for")) ++at;
  if (at + 1 < words.size() && is_number(words[at]) && lengths.contains(trim_words(words[at + 1]))) return true;
  const bool amount = at < words.size() && amounts.contains(trim_words(words[at]));
  return amount && (at + 1 == words.size() || words[at + 1] != "of");
}

std::vector<Match> english_matches(const std::vector<std::string_view>& words, const NamesAndNumbers& named) {
  std::vector<Match> matches;
  for (std::size_t at = 0; at < words.size();) {
    auto match = match_lost_pet(words, at);
    if (!match) match = match_owned(words, at, named);
    if (!match) match = match_plan(words, at);
    if (!match) match = match_ailment(words, at);
    if (!match) match = match_medicine(words, at);
    if (!match) match = match_alone(words, at);
    if (!match) match = match_lacking(words, at);
    if (!match) match = match_verb(words, at);
    if (match && match->owned_attribute.empty() && lacks_object(words, *match)) match.reset();
    if (const auto listed = match_of_list(words, at); listed && (!match || listed->begin <= match->begin))
      match = listed;
    if (match && is_past_work(words, *match)) match.reset();
    if (!match) match = match_business(words, at);
    if (!match) match = match_kind(words, at);
    if (!match) match = match_having(words, at);
    if (!match) match = match_habit(words, at);
    if (match) matches.push_back(*match);
    at = match ? std::max(match->end, at + 1) : at + 1;
  }
  return matches;
}

// Whether the value of an attribute is, or holds, a time.
bool is_timed(const Match& match) {
  static const std::set<std::string_view> timed{"birthday",      "waking time", "bedtime",
                                                "start of work", "end of work", "age"};
  return !match.owned_attribute.empty() || timed.contains(match.phrase.attribute);
}

// "switched from italian to swedish": one thing is over, another one is so.
void split_switch(std::vector<ProfileStatement>& statements) {
  ProfileStatement& made = statements.back();
  const auto to = made.value.find(" to ");
  if (made.attribute != kAnyAttribute || to == std::string::npos) return;
  const auto over =
      make_statement(made.subject, {made.attribute, made.single, made.polarity}, made.value.substr(0, to));
  const auto now = make_statement(made.subject, {"uses", false, Polarity::kYes}, made.value.substr(to + 4));
  if (!over || !now) return;
  made = *over;
  statements.push_back(*now);
}

// "is a nurse" tells of a job, "is a mother" does not.
void tell_job(ProfileStatement& made) {
  if (made.attribute != "is") return;
  // "Is a vegetarian"
  if (const auto kind = kind_of_person(made.value); !kind.empty() && kind != "job") {
    made.attribute = kind;
    made.single = kind != "conditions";
    return;
  }
  if (!is_occupation_english(made.value)) return;
  made.attribute = "job";
  made.single = true;
}

// "Moved to Berlin", "relocated to the coast".
bool tells_of_move(const std::vector<std::string_view>& words, const Match& match) {
  static const LexiconWords moves = {"moved", "relocated"};
  return match.phrase.attribute == "residence" && match.phrase.polarity == Polarity::kYes && match.end > match.begin &&
         words[match.end - 1] == "to" &&
         std::any_of(words.begin() + static_cast<std::ptrdiff_t>(match.begin),
                     words.begin() + static_cast<std::ptrdiff_t>(match.end),
                     [](std::string_view word) { return moves.contains(word); });
}

// The words behind a tool tell its use, its role, or the tool before it: "for everything", "as my notebook", "from
// Trello".
bool tells_of_use(std::string_view preposition, std::string_view behind) {
  static const LexiconWords uses = lexicon_words("en/profile", "is used for"),
                            tools = lexicon_words("en/profile", "tools"),
                            owners = {"my", "our", "his", "her", "their", "the"};
  if (preposition == "from") return tools.contains(behind);
  if (preposition == "as") return owners.contains(behind);
  return preposition == "for" && uses.contains(behind);
}

// Whether somebody can live there: a name, or words of which the noun says so. "Slack for everything", "decaf", "the
// premium plan" and "Nettle & Sons" are no homes.
bool can_be_home(const std::vector<std::string_view>& words, std::size_t begin, std::size_t end,
                 const NamesAndNumbers& named) {
  static const LexiconWords homes = lexicon_words("en/profile", "homes"), cities = lexicon_words("en/places", "cities"),
                            tools = lexicon_words("en/profile", "tools"), firms = lexicon_words("en/profile", "firms"),
                            regions = lexicon_words("en/places", "regions");
  static const std::set<std::string_view> behind{"in",   "on",   "at",   "near", "by",  "with",  "for",
                                                 "from", "as",   "to",   "and",  "of",  "after", "where",
                                                 "two",  "last", "this", "next", "with"};
  std::size_t last = begin;  // behind the last word of the noun phrase
  while (last < end && !behind.contains(words[last])) {
    const std::string_view word = trim_words(words[last++]);
    if (tools.contains(word) || firms.contains(word)) return false;
    if (words[last - 1].ends_with(',')) break;
  }
  if (last == begin) return false;
  for (std::size_t at = last; at + 1 < end; ++at) {
    if (firms.contains(trim_words(words[at + 1])) && words[at] == "and") return false;
    if (tells_of_use(words[at], trim_words(words[at + 1]))) return false;
  }
  const auto is_place = [&](std::string_view word) {
    return named.contains(word) || homes.contains(word) || cities.contains(word) || regions.contains(word);
  };
  const std::string_view first = trim_words(words[begin]), noun = trim_words(words[last - 1]);
  static const LexiconWords determiners = lexicon_words("en/nouns", "determiners");
  if (named.contains(first) || is_place(noun)) return true;
  // "A flat share in Leeds", "los angeles last year"
  const std::string two = begin + 1 < end ? join(words, begin, begin + 2) : std::string();
  return cities.contains(trim_words(two)) || regions.contains(trim_words(two)) ||
         (!determiners.contains(first) && is_place(first));
}

// "Lives on Malta", "lives at 5 Elm Street", "lives at the seaside in Hull"; not "on rice", "at home" or "on 20 euros".
bool is_no_residence(const std::vector<std::string_view>& words, const Match& match, std::size_t end,
                     const NamesAndNumbers& named) {
  const std::string_view last = words[match.end - 1];
  if (match.phrase.attribute != "residence" || (last != "on" && last != "at")) return false;
  if (match.end >= end || words[match.end].starts_with("home")) return true;
  static const LexiconWords streets = lexicon_words("en/places", "streets"),
                            livelihoods = lexicon_words("en/profile", "livelihoods");
  const auto is_in = [&](const LexiconWords& list) {
    return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(match.end),
                       words.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](std::string_view word) { return list.contains(trim_words(word)); });
  };
  if (is_digit(words[match.end].front())) {
    const bool house = last == "at" && match.end + 1 < end && !is_digit(words[match.end + 1].front()) &&
                       named.contains(trim_words(words[match.end + 1]));
    return !house && !is_in(streets);
  }
  // "On Mondays", "on £20 a day"
  const std::string value = join(words, match.end - 1, end);
  for (const std::string_view money : {" $", " €", " £", " ¥"})
    if (value.find(money) != std::string::npos) return true;
  if (begins_again(value) > 0) return true;
  return is_in(livelihoods) || !can_be_home(words, match.end, end, named);
}

}  // namespace

std::vector<ProfileStatement> read_english(std::string_view text, std::string_view as_said) {
  const auto words = words_of(text);
  const NamesAndNumbers named_words = names_and_numbers(as_said);
  auto matches = english_matches(words, named_words);
  std::vector<ProfileStatement> statements;
  std::string subject;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    Match& match = matches[i];
    const auto named = english_subject(words, begin, match.subject_end);
    if (!named) return {};
    if (i == 0 || (!named->empty() && !is_pronoun_english(*named))) subject = *named;
    std::size_t end = words.size();
    std::size_t next = i + 1;
    for (; next < matches.size(); ++next) {
      const auto start = clause_start(words, match.end, matches[next].begin);
      if (!start) continue;
      end = begin = *start;
      break;
    }
    if ((tells_of_move(words, match) && !can_be_home(words, match.end, end, named_words)) ||
        is_no_residence(words, match, end, named_words)) {
      i = next - 1;
      continue;
    }
    if (!match.owned_attribute.empty()) match.phrase.attribute = match.owned_attribute;
    const std::string value = english_value(words, match.end, end, match);
    // A street alone may be in the town that is known.
    if (match.phrase.attribute == "residence" && words[match.end - 1] == "at" && !value.empty() &&
        is_digit(value.front()) && value.find(" in ") == std::string::npos && value.find(',') == std::string::npos)
      match.phrase.attribute = "address";
    if (is_no_name_english(subject)) return {};
    if (auto made = make_statement(subject, match.phrase, is_timed(match) ? value : without_time_at_end(value))) {
      tell_job(*made);
      statements.push_back(std::move(*made));
      split_switch(statements);
    }
    i = next - 1;
  }
  return statements;
}

}  // namespace weft
