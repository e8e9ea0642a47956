// A clause in the first person is put into the third and handed to the grammar of profiles: what that understands is a
// fact, all else is left.
#include <algorithm>
#include <array>
#include <set>

#include "base/lowered.h"
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
  static const std::set<std::string> words{"i", "i'm", "im", "i've", "ive", "my", "our", "we", "we're", "we've"};
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
std::string verb_of(View word) {
  const std::string verb = lower(word);
  if (verb == "am" || verb == "are") return "is";
  if (verb == "were") return "was";
  if (is_modal(verb) || is_past_form(verb) || verb == "was") return verb;
  return third_person(verb);
}

bool is_between(View word) {
  const std::string plain = lower(trim_words(word, " ,"));
  return is_mid_adverb(plain) || is_adverb_english(plain) || plain == "no" || plain == "longer";
}

void append(std::string& text, View word) { text += (text.empty() ? "" : " ") + std::string(word); }

// Pronouns of the speaker behind the verb.
std::string named(View word, const std::string& subject) {
  const std::string plain = lower(word);
  const View bare = trim_words(plain, ".,;:!");
  const std::string tail(
      word.substr(std::min(word.size(), static_cast<std::size_t>(bare.data() - plain.data()) + bare.size())));
  if (bare == "my" || bare == "our") return subject + "'s" + tail;
  if (bare == "me" || bare == "us") return subject + tail;
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
    } else {
      for (; next < words.size() && is_between(words[next]); ++next) append(text, words[next]);
      if (next < words.size()) {
        const View word = words[next];
        const View bare = trim_words(word, ",.;:!");
        append(text, verb_of(bare) + std::string(word.substr(bare.size())));
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
    for (const View mark : {", and ", ", but ", ", so ", "; ", " and ", " but ", ", ", " – ", " — ", " because "}) {
      if (!rest.starts_with(mark) || at <= begin) continue;
      const auto next = words_of(rest.substr(mark.size()));
      std::size_t verb = 0;
      while (verb < next.size() && is_between(next[verb])) ++verb;
      const bool own =
          !next.empty() &&
          std::any_of(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(next.size(), 3)),
                      is_first_person);
      const std::string word = verb < next.size() ? lower(trim_words(next[verb], " ,.;:!")) : std::string();
      const bool bare = is_base_verb(word) || is_past_form(word) || word == "am" || word == "are" || word == "have";
      if (!own && !bare) break;
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

}  // namespace

std::vector<SaidFact> english_facts(std::string_view sentence, const std::string& name) {
  const std::string subject = name.empty() ? "The user" : name;
  std::vector<SaidFact> facts;
  bool speaks = false;  // the clause before was the speaker's own
  bool is_state = false;  // … and said what they are: "I'm vegan and allergic to nuts"
  for (const Clause& clause : clauses_of(trim_words(sentence, " \t\r\n"))) {
    std::vector<View> words = words_of(clause.text);
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
    speaks = at.has_value();
    if (!at || is_of_the_moment(words)) continue;
    const std::string first = lower(words[*at]);
    is_state = first == "i'm" || (first == "i" && *at + 1 < words.size() && lower(words[*at + 1]) == "am");
    const std::string text = with_stop(in_third_person(words, *at, subject));
    add_facts(text, whole, subject, facts);
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
    } else if (plain == "i" || plain == "we") {
      append(text, inner);
      for (; at + 1 < words.size() && is_between(words[at + 1]); ++at) append(text, words[at + 1]);
      if (at + 1 == words.size()) break;
      const View word = words[++at];
      const View bare = trim_words(word, ",.;:!");
      append(text, verb_of(bare) + std::string(word.substr(bare.size())));
    } else {
      append(text, named(words[at], inner));
    }
  }
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return with_stop(std::move(text));
}

}  // namespace weft
