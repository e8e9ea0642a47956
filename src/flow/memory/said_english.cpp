// A clause in the first person is put into the third and handed to the grammar of profiles: what that understands is a
// fact, all else is left.
#include <algorithm>
#include <array>
#include <list>
#include <set>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

bool is_first_person(View word) {
  static const std::set<std::string> words{"i",  "i'm", "im", "i've",  "ive",   "i'll",
                                           "my", "our", "we", "we're", "we've", "we'll"};
  return words.contains(lower_words(trim_words(word, " ,.;:!")));
}

// Said before the clause proper.
bool is_opening(View word) {
  static const std::set<std::string> words{
      "by",       "the",       "way",       "btw",     "oh",         "well",     "so",        "and",      "but",
      "also",     "actually",  "fyi",       "just",    "yes",        "yeah",     "no",        "ok",       "okay",
      "hi",       "hey",       "hello",     "update",  "news",       "good",     "quick",     "big",      "remember",
      "that",     "note",      "you",       "should",  "know",       "for",      "record",    "guess",    "what",
      "finally",  "as",        "of",        "today",   "correction", "sorry",    "anyway",    "now",      "these",
      "days",     "currently", "yesterday", "please",  "to",         "because",  "since",     "great",    "sad",
      "wow",      "ah",        "hmm",       "right",   "true",       "again",    "then",      "in",       "fact",
      "honestly", "i",         "wanted",    "mention", "say",        "let",      "me",        "happy",    "glad",
      "proud",    "pleased",   "share",     "doctor",  "told",       "says",     "said",      "i'm",      "tell",
      "think",    "have",      "change",    "plans",   "thanks",     "recently", "meanwhile", "besides",  "plus",
      "small",    "little",    "heads-up",  "heads",   "up",         "one",      "thing",     "more",     "was",
      "wrong",    "mistake",   "not",       "wait",    "scratch",    "hold",     "on",        "misspoke", "about",
      "myself",   "important", "it",        "turns",   "out"};
  return words.contains(lower_words(trim_words(word, " ,.;:!-–—")));
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
        timed && words_in(timed->before).size() <= 2 &&
        std::all_of(words.begin(), words.begin() + std::min<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(at)),
                    [](View word) { return !is_base_verb(lower_words(word)); });
    if (!opening && !time) return std::nullopt;
    // "I wanted to mention that I moved": the inner one counts.
    const auto inner = std::find_if(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end(), is_first_person);
    const bool frame =
        inner != words.end() && std::all_of(words.begin() + static_cast<std::ptrdiff_t>(at), inner, is_opening);
    if (!frame) return at;
  }
  return std::nullopt;
}

// "They changed my seat number to 12": who did it does not matter, my seat number is what it is.
std::string as_own_thing(View clause, const std::string& subject) {
  static const std::set<std::string> change{"changed", "moved",     "switched",   "renamed",
                                            "reset",   "postponed", "rescheduled"};
  const auto words = words_in(clause);
  for (std::size_t at = 0; at + 3 < words.size() && at < 4; ++at) {
    const std::string my = lower_words(words[at + 1]);
    if (!change.contains(lower_words(words[at])) || (my != "my" && my != "our")) continue;
    std::string text = subject + "'s";
    for (std::size_t next = at + 2; next < words.size(); ++next) {
      if (lower_words(words[next]) == "to" && text != subject + "'s") {
        text += " changed to";
        for (std::size_t rest = next + 1; rest < words.size(); ++rest) append_word(text, words[rest]);
        return text;
      }
      append_word(text, words[next]);
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
    // "All the yellow leaves" lie before the speaker, too.
    const bool all_the = i + 1 < words.size() && lower_words(words[i]) == "all" && lower_words(words[i + 1]) == "the";
    if (!all_the && !moment.contains(lower_words(trim_words(words[i], " ,.;:!")))) continue;
    const bool time = i + 1 < words.size() && times.contains(lower_words(trim_words(words[i + 1], " ,.;:!")));
    if (!time) return true;
  }
  return false;
}

// "…, he is 7", "… and it's old": whoever that is, the clause is not the speaker's.
bool is_of_other(const std::vector<View>& words) {
  static const LexiconWords others = lexicon_words("en/lasting", "others");
  static const LexiconWords owners = {"his", "her", "their", "its", "whose"};
  if (words.size() < 2) return false;
  const std::string first = lower_words(trim_words(words[0], " ,.;:!"));
  const std::string pronoun = first.substr(0, first.find('\''));
  if (owners.contains(pronoun) && words.size() > 3) {
    const auto is_be = [](View word) {
      return is_auxiliary(lower_words(trim_words(word))) || lower_words(trim_words(word)).ends_with('s');
    };
    return is_be(words[2]) || is_be(words[3]);
  }
  if (!others.contains(pronoun)) return false;
  if (pronoun.size() < first.size()) return true;
  std::size_t verb = 1;
  while (verb < words.size() && is_between(words[verb])) ++verb;
  const std::string next = verb < words.size() ? lower_words(trim_words(words[verb], " ,.;:!")) : std::string();
  return is_auxiliary(next) || is_past_form(next) || is_base_verb(next) ||
         (next.ends_with('s') && is_base_verb(next.substr(0, next.size() - 1)));
}

// "If it rains", "unless I am in Oslo", "when I travel": what the rest of the sentence says holds then only.
bool is_condition(const std::vector<View>& words) {
  static const LexiconWords always = lexicon_words("en/lasting", "conditions"),
                            at_times = lexicon_words("en/lasting", "conditions at times");
  std::size_t at = 0;
  while (at < words.size() && is_opening(words[at])) ++at;
  const std::string first = at < words.size() ? lower_words(trim_words(words[at], " ,")) : std::string();
  if (always.contains(first)) return true;
  static const LexiconWords who = {"i",   "we",   "you",   "he",     "she", "it", "they",
                                   "i'm", "it's", "we're", "you're", "my",  "the"};
  const bool clause =
      std::any_of(words.begin(), words.end(), [](View word) { return who.contains(lower_words(word)); });
  return at_times.contains(first) && clause && std::none_of(words.begin(), words.end(), [](View word) {
           const std::string plain = lower_words(trim_words(word, " ,.;:!"));
           return is_past_form(plain) || plain == "was" || plain == "were";
         });
}

bool denies(const std::vector<View>& words) {
  static const LexiconWords kNo = lexicon_words("en/lasting", "denying");
  return std::any_of(words.begin(), words.end(), [](View word) {
    const std::string plain = lower_words(trim_words(word, " ,.;:!"));
    return kNo.contains(plain) || plain.ends_with("n't");
  });
}

// "I don't drink coffee today": what is left for a day is not over.
bool is_for_now(View clause) {
  static const SpacedPhrases phrases(lexicon("en/changes", "for now"));
  return phrases.any_in(spaced_words(lower_words(clause), ".,;:!?\"()"));
}

// "I freaking love", "I LOOOVE": the verb of liking alone.
void take_off_degrees(std::vector<View>& words, std::list<std::string>& kept) {
  static const LexiconWords degrees = lexicon_words("en/lasting", "degrees"),
                            likings = lexicon_words("en/lasting", "likings");
  for (std::size_t at = 0; at < words.size(); ++at) {
    std::size_t verb = at;
    while (verb < words.size() && degrees.contains(lower_words(words[verb]))) ++verb;
    if (verb == words.size()) return;
    std::string plain = lower_words(trim_words(words[verb], " ,.;:!"));
    std::string once;  // "looove"
    for (const char c : plain)
      if (once.size() < 2 || once.back() != c || once[once.size() - 2] != c) once += c;
    for (std::size_t i = 1; once.size() < plain.size() && i < once.size(); ++i)
      if (once[i] == once[i - 1]) once.erase(i--, 1);
    if (!likings.contains(once)) continue;
    if (once.size() < plain.size()) words[verb] = kept.emplace_back(std::move(once));
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(at), words.begin() + static_cast<std::ptrdiff_t>(verb));
  }
}

// Clauses of a sentence that may each say something of the speaker. A verb alone behind "and" goes on with the subject
// before it.
struct Clause {
  View text;
  bool goes_on = false;
};

// "…, and in three years I live": a clause of the speaker's own that begins with a time.
bool is_own_behind_time(View clause) {
  const auto end = end_of_time_in_front(clause);
  const auto words = words_in(clause.substr(end));
  return end > 0 && !words.empty() && is_first_person(words.front());
}

// "Next year": a time and nothing behind it.
bool is_time_alone(View clause) {
  const auto end = end_of_time_in_front(clause);
  return end > 0 && trim_words(clause.substr(end)).empty();
}

// "I saw how talks", "those who accept": a verb alone behind it goes on with the others there, not with the speaker.
bool ends_within_subclause(View clause) {
  static const LexiconWords openers = {"how", "what", "who", "which", "where", "when", "why", "whether", "if"};
  const auto words = words_in(clause);
  for (std::size_t i = words.size(); i-- > 1;) {
    if (is_first_person(words[i])) return false;
    if (openers.contains(lower_words(words[i]))) return true;
  }
  return false;
}

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
      const auto next = words_in(rest.substr(mark.size()));
      std::size_t verb = 0;
      while (verb < next.size() && is_between(next[verb])) ++verb;
      const bool own =
          !next.empty() &&
          (std::any_of(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(next.size(), 3)),
                       is_first_person) ||
           is_own_behind_time(rest.substr(mark.size())));
      if (mark == ", " && is_time_alone(sentence.substr(begin, at - begin))) break;
      const std::string word = verb < next.size() ? lower_words(trim_words(next[verb], " ,.;:!")) : std::string();
      const bool bare = is_base_verb(word) || is_past_form(word) || word == "am" || word == "are" || word == "have";
      if (!own && is_of_other(next)) {
        clauses.push_back({sentence.substr(begin, at - begin), goes_on});
        begin = at + mark.size();
        at = begin;
        goes_on = false;
        break;
      }
      if (!own && ends_within_subclause(sentence.substr(begin, at - begin))) break;
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

// "Lost my job", "Just moved to Leeds", "Been to Rome": told without "I".
std::optional<std::vector<View>> with_subject(const std::vector<View>& words) {
  std::size_t at = 0;
  while (at < words.size() && at < 2 && (is_between(words[at]) || lower_words(words[at]) == "finally")) ++at;
  if (at + 2 > words.size() || words.empty()) return std::nullopt;
  const std::string verb = lower_words(words[at]), next = lower_words(words[at + 1]);
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
    if (verb >= words.size() || !verbs.contains(lower_words(trim_words(words[verb])))) continue;
    constexpr std::size_t kLongest = 5;
    for (std::size_t noun = i - 1; noun > 0 && i - noun < kLongest; --noun) {
      const std::string word = lower_words(words[noun - 1]);
      if (words[noun] == "-" || words[noun].ends_with(',')) break;
      if (!begins.contains(word) || words[noun - 1].ends_with(',')) continue;
      std::string text = "I";
      for (std::size_t k = i + 1; k <= verb; ++k) append_word(text, trim_words(words[k], ","));
      append_word(text, word == "that" || word == "this" ? "the" : word);
      for (std::size_t k = noun; k < i; ++k) append_word(text, words[k]);
      for (std::size_t k = verb + 1; k < words.size() && k < verb + kLongest; ++k) {
        if (lower_words(words[k]) == "to" || lower_words(words[k]) == "and" || is_auxiliary(lower_words(words[k])))
          break;
        append_word(text, words[k]);
        if (words[k].ends_with(',')) break;
      }
      return text;
    }
  }
  return {};
}

// "Paella is my favourite dish to cook": whose it is.
std::string favourite(View clause, const std::string& subject) {
  const auto words = words_in(clause);
  for (std::size_t i = 1; i + 2 < words.size() && i < 5; ++i) {
    const std::string copula = lower_words(words[i]);
    if ((copula != "is" && copula != "are") || lower_words(words[i + 1]) != "my") continue;
    const auto best = std::find_if(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(), [](View word) {
      return lower_words(trim_words(word, ",.!")) == "favorite" || lower_words(trim_words(word, ",.!")) == "favourite";
    });
    static const std::set<std::string> pointing{"it", "that", "this", "he", "she", "what", "which", "they"};
    if (best == words.end() || pointing.contains(lower_words(words[0])) || is_first_person(words[0])) return {};
    const std::string whose = (subject == "The user" ? "the user" : subject) + "'s";
    std::string text;
    for (std::size_t k = 0; k < words.size(); ++k) append_word(text, k == i + 1 ? View(whose) : words[k]);
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
    facts.push_back(told_fact(with_stop(words_in_third_person(words, 0, subject)), quote));
}

// "I don't eat meat so the rider will be fun", "my code is 4471 by the way": what is said of the speaker ends before
// it.
std::size_t told_end(const std::vector<View>& words, std::size_t at) {
  static const SpacedPhrases asides(lexicon("en/telling", "asides"));
  static const LexiconWords others = {"the", "it", "it's", "that", "this", "they", "he", "she", "there", "we", "you"};
  constexpr std::size_t kLeast = 3, kLeastBeforeComma = 2;  // "I'm vegan, so please …"
  std::size_t end = words.size();
  static const LexiconWords relative = {"which", "who",    "where", "though", "although",
                                        "don't", "please", "never", "ok",     "okay"};
  for (std::size_t i = at + kLeastBeforeComma; i + 1 < words.size() && end == words.size(); ++i) {
    const std::string word = lower_words(words[i]);
    const bool comma = words[i - 1].ends_with(',');
    if (!comma && i < at + kLeast) continue;
    static const LexiconWords wishes = {"please", "don't", "never", "no", "nothing"};
    const std::string next = lower_words(words[i + 1]);
    if (word == "so" && (comma || others.contains(next) || wishes.contains(next))) end = i;
    // "… and the neighbours are sensitive"
    const auto is_verb = [&](std::size_t k) { return k < words.size() && is_auxiliary(lower_words(words[k])); };
    if ((word == "and" || word == "but") &&
        (lower_words(words[i + 1]) == "i" || lower_words(words[i + 1]).starts_with("i'")))
      end = i;
    if ((word == "and" || word == "but") && others.contains(lower_words(words[i + 1])) &&
        (is_verb(i + 2) || is_verb(i + 3)))
      end = i;
    if (comma && relative.contains(word)) end = i;
  }
  for (std::size_t i = at + kLeast; i < end; ++i) {
    std::string rest = " ";
    for (std::size_t k = i; k < end; ++k) rest += lower_words(trim_words(words[k], " ,.;:!")) + " ";
    if (asides.begin_of(rest).size() + 2 == rest.size()) end = i;
  }
  return end;
}

// "My dad" of "My dad drove a bus"; empty where the speaker is the subject.
std::vector<View> own_subject(const std::vector<View>& words, std::size_t at) {
  const std::string first = lower_words(words[at]);
  if (first != "my" && first != "our") return {};
  constexpr std::size_t kLongest = 4;
  for (std::size_t i = at + 2; i < words.size() && i <= at + kLongest; ++i) {
    const std::string word = lower_words(trim_words(words[i]));
    const bool third = word.ends_with('s') && is_base_verb(word.substr(0, word.size() - 1));
    if (is_auxiliary(word) || is_past_form(word) || third)
      return {words.begin() + static_cast<std::ptrdiff_t>(at), words.begin() + static_cast<std::ptrdiff_t>(i)};
  }
  return {};
}

}  // namespace

std::vector<SaidFact> english_facts(std::string_view sentence, const std::string& name) {
  const std::string subject = name.empty() ? "The user" : name;
  std::vector<SaidFact> facts;
  bool speaks = false;  // the clause before was the speaker's own
  bool modal = false;     // … and said what they can or want to do, or what they do not
  bool supposed = false;  // … or when the rest holds
  std::list<std::string> kept;  // words that do not stand in the sentence
  const std::size_t before = facts.size();
  std::vector<View> owner;  // "My dad drove a bus and was diagnosed …": whom it goes on with
  bool elsewhen = false;  // "Next month we move to Leeds and live near the park"
  bool is_state = false;  // … and said what they are: "I'm vegan and allergic to nuts"
  sentence = trim_words(sentence, " \t\r\n");
  for (const Clause& clause : clauses_of(sentence)) {
    const View said = trim_words(clause.text, " \t\r\n");
    std::vector<View> words = words_in(said);
    supposed = supposed || is_condition(words);
    if (supposed) break;
    take_off_degrees(words, kept);
    auto at = own_start(clause.text, words);
    const View whole = clause.text;
    const bool in_context = speaks || clause.text.data() == sentence.data();
    if (const std::string thing = as_own_thing(clause.text, subject); !thing.empty() && !is_of_the_moment(words)) {
      speaks = add_facts(with_stop(thing), whole, subject, facts);
      continue;
    }
    if (!at && clause.goes_on && speaks && !owner.empty()) {
      words.insert(words.begin(), owner.begin(), owner.end());
      at = 0;
    }
    if (!at && clause.goes_on && speaks) {
      words.insert(words.begin(),
                   is_state && !words.empty() && !is_base_verb(lower_words(words.front())) ? "I'm" : "I");
      at = 0;
    }
    // Told without "I": the first word loses its capital, and "I" stands before it.
    std::string small;
    if (!at && !clause.goes_on && with_subject(words)) {
      small = lowered(said.substr(0, 1)) + std::string(said.substr(1));
      if (auto told = with_subject(words_in(small))) {
        words = std::move(*told);
        at = 0;
      }
    }
    if (const std::string relative = relative_clause(words); !relative.empty())
      add_told(words_in(relative), 0, whole, subject, facts);
    if (const std::string best = favourite(clause.text, subject); !best.empty() && !is_of_the_moment(words)) {
      facts.push_back(told_fact(with_stop(best), whole));
      speaks = false;
      continue;
    }
    speaks = at.has_value();
    if (!at) continue;
    owner = own_subject(words, *at);
    // What goes on behind "can" or "want to" is not said to be so.
    const bool bound = clause.goes_on && (modal || facts.size() == before);
    // "I don't drink and smoke", "I want to leave and live in Rome".
    const bool open = clause.goes_on && modal && words.size() > *at + 1 && is_base_verb(lower_words(words[*at + 1]));
    const std::size_t end = told_end(words, *at);
    const std::vector<View> told(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end));
    // "I work as a nurse, so please nothing noisy in the mornings": what is wished for that reason is not told of the
    // speaker.
    const bool reason = end < words.size() && lower_words(words[end]) == "so";
    const std::vector<View>& telling = reason ? told : words;
    modal = denies(telling) || std::any_of(telling.begin(), telling.end(), [](View word) {
              const std::string plain = lower_words(trim_words(word, " ,.;:!"));
              return is_modal(plain) || plain == "to" || plain == "want";
            });
    std::string row;
    for (const View word : telling) append_word(row, word);
    if (open || (denies(telling) && is_for_now(row))) continue;
    // What goes on, or is so "then", holds at the time of the clause before it.
    const bool then =
        std::any_of(words.begin(), words.end(), [](View word) { return lower_words(trim_words(word)) == "then"; });
    if (!clause.goes_on && !then) elsewhen = is_at_another_time(whole);
    if ((clause.goes_on || then) && elsewhen && end_of_time_in_front(whole) == 0) continue;
    if (is_of_the_moment(telling)) {
      if (!bound) add_told(words, *at, whole, subject, facts);
      continue;
    }
    const std::string first = lower_words(words[*at]);
    is_state = first == "i'm" || (first == "i" && *at + 1 < words.size() && lower_words(words[*at + 1]) == "am");
    const std::string text = with_stop(words_in_third_person(told, *at, subject));
    if (add_facts(text, whole, subject, facts)) {
      // "CI takes 14 minutes, our budget is 10": of what is said by what stands before it.
      // "We're 27" is a house, a class or a pair.
      const bool age_of_several = facts.back().attribute == "age" && first.starts_with("we");
      if (age_of_several || lacks_matter(facts.back(), first == "our" || !in_context)) facts.pop_back();
      continue;
    }
    if (!bound) add_told(words, *at, whole, subject, facts);
  }
  return facts;
}

}  // namespace weft
