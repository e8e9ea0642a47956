// A clause in the first person is put into the third and handed to the grammar of profiles: what that understands is a
// fact, all else is left.
#include <algorithm>
#include <array>
#include <set>

#include "base/lowered.h"
#include "flow/memory/lasting.h"
#include "flow/memory/profile_phrases.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/said_parts.h"
#include "flow/memory/statement_readers.h"
#include "text/english_verbs.h"

namespace weft {
namespace {

using View = std::string_view;

std::string lower(View text) {
  std::string out = lowered(text);
  for (auto at = out.find("’"); at != std::string::npos; at = out.find("’")) out.replace(at, 3, "'");
  return out;
}

std::vector<View> words_of(View text) {
  std::vector<View> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t\r\n", at)) != View::npos;) {
    const auto end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_first_person(View word) {
  static const std::set<std::string> words{"i",  "i'm", "im", "i've",  "ive",   "i'll",
                                           "my", "our", "we", "we're", "we've", "we'll"};
  return words.contains(lower(trim_words(word, " ,.;:!")));
}

// Said before the clause proper.
bool is_opening(View word) {
  static const std::set<std::string> words{
      "by",         "the",    "way",      "btw",      "oh",    "well",   "so",        "and",       "but",     "also",
      "actually",   "fyi",    "just",     "yes",      "yeah",  "no",     "ok",        "okay",      "hi",      "hey",
      "hello",      "update", "news",     "good",     "quick", "big",    "remember",  "that",      "note",    "you",
      "should",     "know",   "for",      "record",   "guess", "what",   "finally",   "as",        "of",      "today",
      "correction", "sorry",  "anyway",   "now",      "these", "days",   "currently", "yesterday", "please",  "to",
      "because",    "since",  "great",    "sad",      "wow",   "ah",     "hmm",       "right",     "true",    "again",
      "then",       "in",     "fact",     "honestly", "i",     "wanted", "mention",   "say",       "let",     "me",
      "happy",      "glad",   "proud",    "pleased",  "share", "doctor", "told",      "says",      "said",    "i'm",
      "tell",       "think",  "have",     "change",   "plans", "thanks", "recently",  "meanwhile", "besides", "plus",
      "small",      "little", "heads-up", "heads",    "up",    "one",    "thing",     "more"};
  return words.contains(lower(trim_words(word, " ,.;:!-–—")));
}

// Where the clause proper begins among the words; nothing where it is nobody's own.
std::optional<std::size_t> own_start(View clause, const std::vector<View>& words) {
  constexpr std::size_t kMostOpening = 9;
  for (std::size_t at = 0; at < words.size() && at <= kMostOpening; ++at) {
    if (!is_first_person(words[at])) continue;
    const bool opening = std::all_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at), is_opening);
    // "Last month I moved", "As of June my number is": only words for a time before it.
    const View before = clause.substr(0, static_cast<std::size_t>(words[at].data() - clause.data()));
    const auto timed = split_at_time(before);
    const bool time =
        timed && words_of(timed->before).size() <= 2 &&
        std::all_of(words.begin(), words.begin() + std::min<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(at)),
                    [](View word) { return !is_base_verb(lower(word)); });
    if (!opening && !time) return std::nullopt;
    // "I wanted to mention that I moved": the inner one counts.
    const auto inner = std::find_if(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end(), is_first_person);
    const bool frame =
        inner != words.end() && std::all_of(words.begin() + static_cast<std::ptrdiff_t>(at), inner, is_opening);
    if (!frame) return at;
  }
  return std::nullopt;
}

// The verb of "I": its form for one who is spoken of.
std::string verb_of(View word, bool past) {
  const std::string verb = lower(word);
  static const std::set<std::string> same{"quit", "hurt", "cut", "put",  "set", "hit",
                                          "shut", "let",  "bet", "cost", "read"};
  if (past && same.contains(verb)) return verb;
  if (verb == "am" || verb == "are") return "is";
  if (verb == "were") return "was";
  if (is_modal(verb) || is_past_form(verb) || verb == "was") return verb;
  return third_person(verb);
}

bool is_between(View word) {
  const std::string plain = lower(trim_words(word, " ,"));
  return is_mid_adverb(plain) || is_adverb_english(plain) || plain == "no" || plain == "longer";
}

// "… two years ago": of the past, whatever its verb looks like.
bool tells_of_past(const std::vector<View>& words) {
  return std::any_of(words.begin(), words.end(), [](View word) {
    const std::string plain = lower(trim_words(word, " ,.;:!"));
    return plain == "ago" || plain == "last" || plain == "yesterday" || plain == "finally" || plain == "just" ||
           plain == "recently";
  });
}

void append(std::string& text, View word) { text += (text.empty() ? "" : " ") + std::string(word); }

// Pronouns of the speaker behind the verb.
std::string named(View word, const std::string& subject) {
  const std::string plain = lower(word);
  const View bare = trim_words(plain, ".,;:!");
  const std::string tail(
      word.substr(std::min(word.size(), static_cast<std::size_t>(bare.data() - plain.data()) + bare.size())));
  if (bare == "my" || bare == "our") return subject + "'s" + tail;
  if (bare == "me" || bare == "us" || bare == "i") return subject + tail;
  return std::string(word);
}

// "I'm" → "The user is", "my" → "The user's", and the verb behind "I" in its other form.
std::string in_third_person(const std::vector<View>& words, std::size_t at, const std::string& subject) {
  const std::string first = lower(trim_words(words[at], " ,"));
  const std::string inner = subject == "The user" ? "the user" : subject;
  std::string text;
  std::size_t next = at + 1;
  if (first == "my" || first == "our") {
    text = subject + "'s";
  } else {
    text = subject;
    if (first == "i'm" || first == "im" || first == "we're") {
      append(text, "is");
    } else if (first == "i've" || first == "ive" || first == "we've") {
      append(text, "has");
    } else if (first == "i'll" || first == "we'll") {
      append(text, "will");
    } else {
      for (; next < words.size() && is_between(words[next]); ++next) append(text, words[next]);
      if (next < words.size()) {
        const View word = words[next];
        const View bare = trim_words(word, ",.;:!");
        append(text, verb_of(bare, tells_of_past(words)) + std::string(word.substr(bare.size())));
        ++next;
      }
    }
  }
  for (; next < words.size(); ++next) append(text, named(words[next], inner));
  return text;
}

// "They changed my seat number to 12": who did it does not matter, my seat number is what it is.
std::string as_own_thing(View clause, const std::string& subject) {
  static const std::set<std::string> change{"changed", "moved",     "switched",   "renamed",
                                            "reset",   "postponed", "rescheduled"};
  const auto words = words_of(clause);
  for (std::size_t at = 0; at + 3 < words.size() && at < 4; ++at) {
    const std::string my = lower(words[at + 1]);
    if (!change.contains(lower(words[at])) || (my != "my" && my != "our")) continue;
    std::string text = subject + "'s";
    for (std::size_t next = at + 2; next < words.size(); ++next) {
      if (lower(words[next]) == "to" && text != subject + "'s") {
        text += " changed to";
        for (std::size_t rest = next + 1; rest < words.size(); ++rest) append(text, words[rest]);
        return text;
      }
      append(text, words[next]);
    }
  }
  return {};
}

// Talk about the talk, and about what lies on the table.
bool is_of_the_moment(const std::vector<View>& words) {
  static const std::set<std::string> moment{"this", "these", "those", "your", "you", "here"};
  static const std::set<std::string> times{"days",    "week",     "month",  "year",   "morning", "afternoon",
                                           "evening", "summer",   "winter", "spring", "autumn",  "fall",
                                           "term",    "semester", "season", "time",   "weekend"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!moment.contains(lower(trim_words(words[i], " ,.;:!")))) continue;
    const bool time = i + 1 < words.size() && times.contains(lower(trim_words(words[i + 1], " ,.;:!")));
    if (!time) return true;
  }
  return false;
}

// Clauses of a sentence that may each say something of the speaker. A verb alone behind "and" goes on with the subject
// before it.
struct Clause {
  View text;
  bool goes_on = false;
};

std::vector<Clause> clauses_of(View sentence) {
  std::vector<Clause> clauses;
  std::size_t begin = 0;
  bool goes_on = false;
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    const View rest = sentence.substr(at);
    for (const View mark : {", and ", ", but ", ", so ", "; ", " and ", " but ", ", ", " – ", " — ", " because ",
                            " since ", " considering ", " though ", " although ", " as "}) {
      if (!rest.starts_with(mark) || at <= begin) continue;
      // "Since my teens" says when, "since I have a dog" why.
      if (mark == " since " && !rest.starts_with(" since I ") && !rest.starts_with(" since I'")) continue;
      if (mark == " since " && rest.starts_with(" since I was")) continue;
      const auto next = words_of(rest.substr(mark.size()));
      std::size_t verb = 0;
      while (verb < next.size() && is_between(next[verb])) ++verb;
      const bool own =
          !next.empty() &&
          std::any_of(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(next.size(), 3)),
                      is_first_person);
      const std::string word = verb < next.size() ? lower(trim_words(next[verb], " ,.;:!")) : std::string();
      const bool bare = is_base_verb(word) || is_past_form(word) || word == "am" || word == "are" || word == "have";
      if ((!own && !bare) || (!own && mark == ", " && word == "like") || word == "gotta") break;  // "…, like vases"
      clauses.push_back({sentence.substr(begin, at - begin), goes_on});
      begin = at + mark.size();
      at = begin;
      goes_on = !own;
      break;
    }
  }
  clauses.push_back({sentence.substr(begin), goes_on});
  return clauses;
}

std::string with_stop(std::string text) {
  while (!text.empty() && std::string_view(" ,;.!").find(text.back()) != View::npos) text.pop_back();
  return text + ".";
}

// "Lost my job", "Just moved to Leeds", "Been to Rome": told without "I".
std::optional<std::vector<View>> with_subject(const std::vector<View>& words) {
  std::size_t at = 0;
  while (at < words.size() && at < 2 && (is_between(words[at]) || lower(words[at]) == "finally")) ++at;
  if (at + 2 > words.size() || words.empty()) return std::nullopt;
  const std::string verb = lower(words[at]), next = lower(words[at + 1]);
  static const std::set<std::string> objects{"a",  "an",  "my",  "our",  "to",      "back", "into", "some",
                                             "up", "the", "two", "from", "married", "new",  "in",   "off"};
  const bool been = verb == "been";
  if (!been && (!is_past_form(verb) || verb == "used" || verb == "based" || verb == "sounded")) return std::nullopt;
  if (!been && !objects.contains(next)) return std::nullopt;
  std::vector<View> all(words.begin(), words.end());
  all.insert(all.begin(), been ? "I've" : "I");
  return all;
}

// "The air fryer I got yesterday", "that book I just finished": put as a clause of its own; empty where there is none.
std::string relative_clause(const std::vector<View>& words) {
  static const std::set<std::string> begins{"the", "a", "an", "that", "this", "my"};
  static const std::set<std::string> verbs{"got",       "bought",   "purchased", "adopted", "attended",
                                           "visited",   "finished", "started",   "made",    "built",
                                           "completed", "joined",   "took",      "won"};
  for (std::size_t i = 2; i + 1 < words.size(); ++i) {
    if (words[i] != "I") continue;
    std::size_t verb = i + 1;
    while (verb < words.size() && is_between(words[verb])) ++verb;
    if (verb >= words.size() || !verbs.contains(lower(trim_words(words[verb])))) continue;
    constexpr std::size_t kLongest = 5;
    for (std::size_t noun = i - 1; noun > 0 && i - noun < kLongest; --noun) {
      const std::string word = lower(words[noun - 1]);
      if (words[noun] == "-" || words[noun].ends_with(',')) break;
      if (!begins.contains(word) || words[noun - 1].ends_with(',')) continue;
      std::string text = "I";
      for (std::size_t k = i + 1; k <= verb; ++k) append(text, trim_words(words[k], ","));
      append(text, word == "that" || word == "this" ? "the" : word);
      for (std::size_t k = noun; k < i; ++k) append(text, words[k]);
      for (std::size_t k = verb + 1; k < words.size() && k < verb + kLongest; ++k) {
        if (lower(words[k]) == "to" || lower(words[k]) == "and" || is_auxiliary(lower(words[k]))) break;
        append(text, words[k]);
        if (words[k].ends_with(',')) break;
      }
      return text;
    }
  }
  return {};
}

// "Paella is my favourite dish to cook": whose it is.
std::string favourite(View clause, const std::string& subject) {
  const auto words = words_of(clause);
  for (std::size_t i = 1; i + 2 < words.size() && i < 5; ++i) {
    const std::string copula = lower(words[i]);
    if ((copula != "is" && copula != "are") || lower(words[i + 1]) != "my") continue;
    const auto best = std::find_if(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(), [](View word) {
      return lower(trim_words(word, ",.!")) == "favorite" || lower(trim_words(word, ",.!")) == "favourite";
    });
    static const std::set<std::string> pointing{"it", "that", "this", "he", "she", "what", "which", "they"};
    if (best == words.end() || pointing.contains(lower(words[0]))) return {};
    const std::string whose = (subject == "The user" ? "the user" : subject) + "'s";
    std::string text;
    for (std::size_t k = 0; k < words.size(); ++k) append(text, k == i + 1 ? View(whose) : words[k]);
    return text;
  }
  return {};
}

// What the grammar of profiles does not understand may still tell something that lasts.
void add_told(std::vector<View> words, std::size_t at, View quote, const std::string& subject,
              std::vector<SaidFact>& facts) {
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  words.resize(told_words_english(words));
  if (lasts_english(words) && !is_of_the_moment(words))
    facts.push_back(told_fact(with_stop(in_third_person(words, 0, subject)), quote));
}

}  // namespace

std::vector<SaidFact> english_facts(std::string_view sentence, const std::string& name) {
  const std::string subject = name.empty() ? "The user" : name;
  std::vector<SaidFact> facts;
  bool speaks = false;  // the clause before was the speaker's own
  bool modal = false;     // … and said what they can or want to do
  const std::size_t before = facts.size();
  bool is_state = false;  // … and said what they are: "I'm vegan and allergic to nuts"
  for (const Clause& clause : clauses_of(trim_words(sentence, " \t\r\n"))) {
    const View said = trim_words(clause.text, " \t\r\n");
    std::vector<View> words = words_of(said);
    auto at = own_start(clause.text, words);
    const View whole = clause.text;
    if (const std::string thing = as_own_thing(clause.text, subject); !thing.empty() && !is_of_the_moment(words)) {
      speaks = add_facts(with_stop(thing), whole, subject, facts);
      continue;
    }
    if (!at && clause.goes_on && speaks) {
      words.insert(words.begin(), is_state && !words.empty() && !is_base_verb(lower(words.front())) ? "I'm" : "I");
      at = 0;
    }
    // Told without "I": the first word loses its capital, and "I" stands before it.
    std::string small;
    if (!at && !clause.goes_on && with_subject(words)) {
      small = lowered(said.substr(0, 1)) + std::string(said.substr(1));
      if (auto told = with_subject(words_of(small))) {
        words = std::move(*told);
        at = 0;
      }
    }
    if (const std::string relative = relative_clause(words); !relative.empty())
      add_told(words_of(relative), 0, whole, subject, facts);
    if (const std::string best = favourite(clause.text, subject); !best.empty() && !is_of_the_moment(words)) {
      facts.push_back(told_fact(with_stop(best), whole));
      speaks = false;
      continue;
    }
    speaks = at.has_value();
    if (!at) continue;
    // What goes on behind "can" or "want to" is not said to be so.
    const bool bound = clause.goes_on && (modal || facts.size() == before);
    modal = std::any_of(words.begin(), words.end(), [](View word) {
      const std::string plain = lower(trim_words(word, " ,.;:!"));
      return is_modal(plain) || plain == "to" || plain == "want";
    });
    if (is_of_the_moment(words)) {
      if (!bound) add_told(words, *at, whole, subject, facts);
      continue;
    }
    const std::string first = lower(words[*at]);
    is_state = first == "i'm" || (first == "i" && *at + 1 < words.size() && lower(words[*at + 1]) == "am");
    const std::string text = with_stop(in_third_person(words, *at, subject));
    if (add_facts(text, whole, subject, facts)) continue;
    if (!bound) add_told(words, *at, whole, subject, facts);
  }
  return facts;
}

std::string english_in_third_person(std::string_view sentence, const std::string& name) {
  const std::string inner = name.empty() ? "the user" : name;
  const auto words = words_of(trim_words(sentence, " \t\r\n"));
  std::string text;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string plain = lower(trim_words(words[at], " ,.;:!"));
    const bool have = plain == "i've" || plain == "ive" || plain == "we've";
    if (plain == "i'm" || plain == "im" || plain == "we're" || have) {
      append(text, inner + (have ? " has" : " is"));
    } else if (plain == "i'll" || plain == "we'll" || plain == "i'd" || plain == "we'd") {
      append(text, inner + (plain.ends_with("'ll") ? " will" : " would"));
    } else if (plain == "i" || plain == "we") {
      append(text, inner);
      for (; at + 1 < words.size() && is_between(words[at + 1]); ++at) append(text, words[at + 1]);
      if (at + 1 == words.size()) break;
      const View word = words[++at];
      const View bare = trim_words(word, ",.;:!");
      append(text, verb_of(bare, tells_of_past(words)) + std::string(word.substr(bare.size())));
    } else {
      append(text, named(words[at], inner));
    }
  }
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return with_stop(std::move(text));
}

}  // namespace weft
