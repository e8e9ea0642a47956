#include "flow/memory/said_facts.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"

namespace weft {
namespace {

// Classes of English words that tell whether a clause in the first person lasts; all in lower case, from
// lexicon/en/lasting.txt.
using VerbWords = LexiconWords;

// Verbs whose simple present tells what goes on in somebody's head, or of the talk itself.
const VerbWords& inner_verbs() {
  static const VerbWords words = lexicon_words("en/lasting", "inner verbs");
  return words;
}

// What begins an intention that outlasts the talk.
const VerbWords& life_verbs() {
  static const VerbWords words = lexicon_words("en/lasting", "life verbs");
  return words;
}

// What one "will" do in one's life; much else is promised to the talk.
const VerbWords& coming_events() {
  static const VerbWords words = lexicon_words("en/lasting", "coming events");
  return words;
}

// What is intended within the talk: "I'll check them out".
const VerbWords& talk_verbs() {
  static const VerbWords words = lexicon_words("en/lasting", "talk verbs");
  return words;
}

// What has happened once and stays so, or is told of oneself years later.
const VerbWords& events() {
  static const VerbWords words = lexicon_words("en/lasting", "events");
  return words;
}

// Doing these goes on for longer than the talk.
const VerbWords& pursuits() {
  static const VerbWords words = lexicon_words("en/lasting", "pursuits");
  return words;
}

// Doing these is over with the talk, or says nothing of it: "thinking", "looking".
const VerbWords& passing_pursuits() {
  static const VerbWords words = lexicon_words("en/lasting", "passing pursuits");
  return words;
}

// After "am": what does not pass with the day.
const VerbWords& lasting_states() {
  static const VerbWords words = lexicon_words("en/lasting", "lasting states");
  return words;
}

// Abstract things that one "has" in a talk.
const VerbWords& had_in_talks() {
  static const VerbWords words = lexicon_words("en/lasting", "had in talks");
  return words;
}

// Things of one's own whose value is worth knowing.
const VerbWords& telling_things() {
  static const VerbWords words = lexicon_words("en/lasting", "telling things");
  return words;
}

// What one can or cannot do.
const VerbWords& skills() {
  static const VerbWords words = lexicon_words("en/lasting", "skills");
  return words;
}

// Their simple present tells what is so, not what happens now.
const VerbWords& standing_verbs() {
  static const VerbWords words = lexicon_words("en/lasting", "standing verbs");
  return words;
}

using View = std::string_view;
using Words = VerbWords;

std::string lower(View word) {
  std::string out = lowered(trim_words(word, " ,.;:!?()\"“”"));
  for (auto at = out.find("’"); at != std::string::npos; at = out.find("’")) out.replace(at, 3, "'");
  return out;
}

std::string base_of(const std::string& verb) {
  if (verb == "goes" || verb == "does") return verb.substr(0, 2);
  if (verb.ends_with("ies")) return verb.substr(0, verb.size() - 3) + "y";
  return verb.ends_with('s') ? verb.substr(0, verb.size() - 1) : std::string();
}

// "A nurse", "a big fan of jazz", "an only child".
bool names_person(std::span<const std::string> words) {
  constexpr std::size_t kReach = 4;
  for (const std::string& word : words.first(std::min(words.size(), kReach))) {
    static const Words people{"fan",     "lover",    "mom",     "dad",   "mother",  "father",  "student",
                              "veteran", "child",    "girl",    "guy",   "woman",   "man",     "person",
                              "parent",  "native",   "member",  "owl",   "citizen", "twin",    "virgin",
                              "vegan",   "believer", "morning", "widow", "orphan",  "freshman"};
    static const Words talk{"bit", "little", "lot", "few", "while", "loss", "bad", "sucker"};
    if (talk.contains(word)) return false;
    if (people.contains(word) || is_occupation_english("a " + word) || !kind_of_person(word).empty()) return true;
    for (const View end : {"er", "or", "ist", "ian", "ian", "man", "ess"})
      if (word.size() > 4 && word.ends_with(end) && word != "number" && word != "matter" && word != "whether")
        return true;
  }
  return false;
}

// "Every Sunday", "twice a week", "all the time".
bool is_regular(const std::vector<std::string>& words, std::size_t from) {
  static const Words often{"every",   "daily",     "weekly",     "monthly",   "usually",   "often",
                           "always",  "sometimes", "rarely",     "twice",     "regularly", "mostly",
                           "each",    "mornings",  "nights",     "evenings",  "weekends",  "sundays",
                           "mondays", "tuesdays",  "wednesdays", "thursdays", "fridays",   "saturdays"};
  for (std::size_t i = 0; i < words.size(); ++i)
    if (often.contains(words[i]) || (words[i] == "all" && i >= from && i < from + 12)) return true;
  return false;
}

// The words of a clause behind its subject, in lower case, and whether they deny.
class Predicate {
 public:
  explicit Predicate(std::vector<std::string> words) : words_(std::move(words)) {}

  // Of the speaker; `third` of somebody who belongs to them.
  bool lasts(bool third) {
    skip_adverbs();
    const std::string verb = take();
    if (verb.empty()) return false;
    if (verb == "am" || verb == "are" || verb == "is") return state();
    if (verb == "was" || verb == "were") return past_state();
    if (verb == "have" || verb == "has") return having();
    if (verb == "had") return among({"baby", "surgery", "operation", "accident", "appointment", "miscarriage"}, 3);
    if (verb == "do" && next() == "have") return ++at_, having();
    if (verb == "took" && next() == "up") return rest() > 1;
    if (verb == "do" || verb == "does" || verb == "did" || verb == "don't" || verb == "doesn't" || verb == "didn't" ||
        verb == "dont" || verb == "didnt")
      return denied(verb);
    if (verb == "can" || verb == "can't" || verb == "cannot" || verb == "cant") return skill();
    if (verb == "gonna") return intention(life_verbs());
    if (verb == "will") return intention(coming_events());
    if (verb == "used")
      return next() == "to" && rest() > 1 && (at(at_ + 1) == "be" || !inner_verbs().contains(at(at_ + 1)));
    if (is_modal(verb)) return false;
    if (verb == "got") return acquired();
    if (verb == "went") return went();
    if (verb == "took") return next() == "a" || next() == "an" || next() == "my";
    if (verb == "started" || verb == "began")
      return has_object() && !passing_pursuits().contains(next()) && next() != "moving";
    if (verb == "passed" || verb == "failed")
      return among({"exam", "exams", "test", "interview", "interviews", "course", "class"}, 6);
    if (verb == "hurt" || verb == "quit") return has_object();
    if (events().contains(verb)) return has_object();
    if (is_past_form(verb)) return verb == "decided" && next() == "to" && rest() > 1;
    return present(third ? base_of(verb) : verb);
  }

 private:
  const std::string& at(std::size_t place) const {
    static const std::string none;
    return place < words_.size() ? words_[place] : none;
  }
  const std::string& next() const { return at(at_); }
  std::size_t rest() const { return words_.size() > at_ ? words_.size() - at_ : 0; }
  std::string take() { return at_ < words_.size() ? words_[at_++] : std::string(); }

  void skip_adverbs() {
    while (at_ < words_.size() &&
           (is_mid_adverb(words_[at_]) || is_adverb_english(words_[at_]) || words_[at_] == "not" ||
            words_[at_] == "never" || words_[at_] == "longer" || (words_[at_] == "no" && at(at_ + 1) == "longer")))
      ++at_;
  }

  bool among(const Words& words, std::size_t reach) const {
    for (std::size_t i = at_; i < words_.size() && i < at_ + reach; ++i)
      if (words.contains(words_[i])) return true;
    return false;
  }

  // A thing, not "it" or "so".
  bool has_object() const {
    static const Words vague{"it",  "this", "that", "them", "so",  "how", "what", "when", "too",    "much",
                             "one", "em",   "some", "more", "why", "if",  "well", "out",  "better", "something"};
    return at_ < words_.size() && !vague.contains(next());
  }

  bool state() {
    skip_adverbs();
    const std::string& word = next();
    if (word.empty()) return false;
    if (word == "going" || word == "gonna") return going();
    if (word == "trying") return aim();
    if (word == "planning" && at(at_ + 1) == "to") return at_ += 2, intention(life_verbs());
    if (word == "getting") {
      static const Words changes{"married", "divorced", "a", "an", "my", "promoted"};
      return changes.contains(at(at_ + 1)) && at(at_ + 2) != "bit" && at(at_ + 2) != "little";
    }
    if (word == "taking")
      return at(at_ + 1) == "a" || at(at_ + 1) == "an" || among({"classes", "lessons", "course"}, 4);
    static const Words day{"doing", "listening", "using", "following", "eating", "enjoying", "watching"};
    if (pursuits().contains(word)) return rest() > 1 && !day.contains(word);
    if (word == "a" || word == "an" || word == "the")
      return names_person(std::span(words_).subspan(std::min(words_.size(), at_ + 1)));
    if (word == "in") return place();
    if (word == "on") return among({"diet", "medication", "insulin", "antibiotics"}, 4);
    if (word == "good" || word == "bad" || word == "terrible") return at(at_ + 1) == "at";
    if (word == "interested") return at(at_ + 1) == "in" && !at(at_ + 2).ends_with("ing") && at(at_ + 2) != "the";
    if (word == "age") return true;
    if (is_count(word))
      return rest() == 1 || at(at_ + 1) == "years" || at(at_ + 1) == "now" || among({"tall", "old"}, 4);
    return lasting_states().contains(word) || !kind_of_person(word).empty();
  }

  bool going() {
    if (next() == "gonna") return ++at_, intention(life_verbs());
    if (at(at_ + 1) != "to") return false;
    at_ += 2;
    if (is_base_verb(next()) && next() != "school" && next() != "work") return intention(life_verbs());
    return rest() > 0;
  }

  bool aim() {
    static const Words aims{"lose",   "quit", "stop",     "reduce",  "save",  "learn", "cut",  "gain",
                            "become", "eat",  "conceive", "improve", "break", "build", "grow", "get pregnant"};
    return at(at_ + 1) == "to" && aims.contains(at(at_ + 2)) && at(at_ + 3) != "more";
  }

  // "In colorado", "in my thirties", not "in a hurry".
  bool place() const {
    static const Words states{"need",   "love", "mood",  "hurry", "trouble", "market", "process", "middle",
                              "charge", "bed",  "pain",  "favor", "touch",   "luck",   "shape",   "agreement",
                              "awe",    "fact", "shock", "here",  "search",  "the",    "a",       "this"};
    const std::string& word = at(at_ + 1);
    return !word.empty() && !states.contains(word) && rest() <= 6;
  }

  bool past_state() {
    skip_adverbs();
    static const Words turns{"born",    "raised",   "diagnosed", "promoted", "fired",   "hired",   "accepted",
                             "elected", "married",  "divorced",  "laid",     "adopted", "awarded", "named",
                             "chosen",  "selected", "appointed", "drafted",  "invited", "robbed"};
    const std::string& word = next();
    if (turns.contains(word)) return true;
    if (word == "a" || word == "an") return names_person(std::span(words_).subspan(std::min(words_.size(), at_ + 1)));
    return false;
  }

  bool having() {
    skip_adverbs();
    if (next() == "been") {
      ++at_;
      skip_adverbs();
      const std::string& word = next();
      if (word == "to" || word == "in" || word == "married" || word == "a" || word == "an" || word == "with")
        return rest() > 1;
      if (word == "trying") return aim();
      return word.ends_with("ing") && !passing_pursuits().contains(word) && rest() > 1;
    }
    if (next() == "got" || next() == "gotten") return ++at_, thing();
    if (is_participle(next()) && !among({"a", "an"}, 1)) {
      static const Words besides{"known", "owned", "been", "grown", "gained", "outgrown", "driven", "written", "taken"};
      const std::string word = take();
      if (word == "decided") return next() == "to" && rest() > 1;
      if (word == "had") return among({"since", "for"}, 6) && has_object();
      return (events().contains(word) || besides.contains(word)) && has_object();
    }
    return thing();
  }

  // What somebody has: a thing among others, or what one has for long; "some chicken" is for the stew of today.
  bool thing() const {
    static const Words lasting{"asthma",    "diabetes", "insomnia",   "migraines", "allergies",    "adhd",
                               "arthritis", "anxiety",  "depression", "kids",      "children",     "dogs",
                               "cats",      "siblings", "sisters",    "brothers",  "high",         "low",
                               "chronic",   "twins",    "pets",       "horses",    "grandchildren"};
    if (rest() == 0 || among(had_in_talks(), 3)) return false;
    const std::string& word = next();
    const bool one = word == "a" || word == "an" || word == "my" || word == "only" || is_count(word);
    return (one && rest() > 1) || lasting.contains(word);
  }

  bool denied(const std::string& verb) {
    if (verb == "did" && (next() == "a" || next() == "an")) return rest() > 1;
    if ((verb == "do" || verb == "does" || verb == "did") && next() != "not" && next() != "n't")
      return verb != "did" && rest() > 1 && !among({"it", "that", "so", "this", "you", "not"}, 2) && rest() <= 6 &&
             !is_base_verb(next());
    skip_adverbs();
    const std::string word = take();
    if (verb.starts_with("did")) return (word == "finish" || word == "graduate" || word == "go") && rest() > 0;
    static const Words denials{"own",   "drive",     "drink", "smoke", "eat",      "work",   "play",
                               "like",  "enjoy",     "speak", "live",  "watch",    "travel", "cook",
                               "go",    "listen",    "use",   "wear",  "exercise", "read",   "have",
                               "allow", "celebrate", "date",  "trust", "swim",     "gamble", "vote"};
    if (word == "have" && next() == "any") ++at_;
    if (word == "care") return next() == "for" && rest() > 1;
    if (word == "have") return rest() > 0 && !among(had_in_talks(), 3);
    if (word == "get") return next() == "to" && rest() > 1;
    return denials.contains(word) && !among({"it", "that", "this", "the", "them", "when"}, 1);
  }

  bool skill() {
    skip_adverbs();
    return skills().contains(next());
  }

  // "To buy a house", not "to check it out".
  bool intention(const Words& verbs) {
    skip_adverbs();
    if (next() == "to") ++at_;
    const std::string word = take();
    if (word == "be" && pursuits().contains(next())) return rest() > 1;
    if (!verbs.contains(word) || talk_verbs().contains(word) || talk_verbs().contains(word + " " + next()))
      return false;
    static const Words vague{"sure", "able", "honest", "back", "fine", "ok",
                             "okay", "it",   "that",   "them", "this", "careful"};
    return rest() > 0 && !vague.contains(next());
  }

  bool acquired() {
    static const Words what{"a",    "an",    "my",    "new",      "married",   "engaged", "promoted", "divorced",
                            "laid", "fired", "hired", "accepted", "diagnosed", "back",    "into",     "pre-approved",
                            "her",  "him",   "two",   "three",    "four",      "five"};
    return what.contains(next()) && rest() > 1 && at(at_ + 1) != "bit" && at(at_ + 1) != "lot" && at(at_ + 1) != "to";
  }

  bool went() const {
    static const Words errands{"store", "work", "bed", "sleep", "bathroom", "ahead", "gym", "home", "back"};
    return next() == "to" ? rest() > 1 && !among(errands, 4)
                          : next() == "on" && (at(at_ + 1) == "a" || at(at_ + 1) == "my");
  }

  bool present(const std::string& verb) {
    if (verb.empty() || next() == "around") return false;
    static const Words likes{"like", "love", "hate", "enjoy", "adore", "dislike", "prefer"};
    if (likes.contains(verb)) return liking();
    if (verb == "want" || verb == "plan" || verb == "intend") return wish();
    if (verb == "go")
      return next() == "to" && among({"every", "all", "each", "often", "college", "school", "church"}, 6);
    if (verb == "take") return among({"daily", "twice", "once", "mg", "pills", "medication", "insulin", "every"}, 5);
    if (verb == "feel" || verb == "have" || inner_verbs().contains(verb)) return false;
    return standing_verbs().contains(verb)
               ? has_object() || (verb == "work" && rest() > 0) || verb == "smoke" || verb == "drink"
               : is_base_verb(verb) && (is_regular(words_, at_) || tells_of_a_kind());
  }

  // "I ride horses" is so; "I draw my sword" happens.
  bool tells_of_a_kind() const {
    static const Words single{"the",    "a",       "an",     "my",      "his",  "her",  "our",  "their",
                              "one",    "some",    "down",   "up",      "off",  "out",  "over", "back",
                              "away",   "into",    "to",     "for",     "on",   "at",   "in",   "myself",
                              "around", "through", "toward", "towards", "with", "from", "and",  "by"};
    static const Words diets{"diet", "routine", "religion", "medication", "job", "business"};
    return has_object() && (!single.contains(next()) || among(diets, 4)) && !next().ends_with("ly");
  }

  bool liking() const {
    static const Words talk{"the",   "your", "how", "what", "when",  "that",    "it",  "this", "them",    "these",
                            "those", "em",   "you", "idea", "where", "to hear", "him", "her",  "where's", "all"};
    static const Words asked{"know",       "hear", "see",   "ask",     "get",   "find",   "learn",
                             "understand", "say",  "think", "add",     "try",   "thank",  "make",
                             "have",       "be",   "start", "explore", "share", "discuss"};
    if (next() == "to") return rest() > 1 && !asked.contains(at(at_ + 1));
    return rest() > 0 && !talk.contains(next());
  }

  bool wish() {
    if (next() != "to") return false;
    ++at_;
    static const Words aims{"be",    "become", "buy",    "move", "travel", "visit",  "own",     "retire",
                            "marry", "study",  "quit",   "save", "lose",   "launch", "open",    "sell",
                            "adopt", "apply",  "reduce", "join", "run",    "write",  "publish", "volunteer"};
    if (next() == "be" && at(at_ + 1) != "a" && at(at_ + 1) != "an") return false;
    return intention(aims);
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

// Of the family, a pet, or by what they do for one: "sister", "father-in-law", "dentist".
bool is_somebody(const std::string& word) {
  const std::string plain = word.substr(0, word.find("-in-law"));
  static const Words people{"mom",           "mum",         "dad",         "grandma",   "grandpa",   "friend",
                            "boss",          "partner",     "roommate",    "coworker",  "colleague", "girlfriend",
                            "boyfriend",     "fiance",      "fiancee",     "cousin",    "aunt",      "uncle",
                            "niece",         "nephew",      "neighbor",    "neighbour", "doctor",    "grandson",
                            "granddaughter", "grandmother", "grandfather", "twin",      "ex",        "teacher"};
  return people.contains(plain) || is_kept_thing_english(plain) || is_occupation_english("a " + plain);
}

// "My sister lives …", "my dream is …": whose verb stands within a few words.
bool own_thing_lasts(const std::vector<std::string>& words) {
  constexpr std::size_t kReach = 5;
  for (std::size_t i = 1; i < words.size() && i <= kReach; ++i) {
    const auto here = words.begin() + static_cast<std::ptrdiff_t>(i);
    const bool copula = words[i] == "is" || words[i] == "are" || words[i] == "was" || words[i] == "were";
    const bool verb = copula || words[i] == "has" || words[i] == "have" || is_modal(words[i]) ||
                      is_past_form(words[i]) ||
                      (words[i].ends_with('s') && is_base_verb(words[i].substr(0, words[i].size() - 1)));
    if (!verb || i < 2) continue;
    const auto whose = std::find_if(words.begin() + 1, here, [](const std::string& word) { return is_somebody(word); });
    if (whose == here && telling_things().contains(words[i - 1]))
      return (copula && i + 1 < words.size()) || words[i] == "broke" || words[i] == "died" || words[i] == "crashed";
    const bool thing =
        std::any_of(words.begin() + 1, here, [](const std::string& word) { return telling_things().contains(word); });
    if (thing && (words[i] == "takes" || words[i] == "costs" || words[i] == "starts")) return i + 1 < words.size();
    if (whose == here) return false;
    if (words[i] == "turned" || words[i] == "died" || (words[i] == "passed" && i + 1 < words.size())) return true;
    return Predicate({here, words.end()}).lasts(true);
  }
  return false;
}

bool tells_of_home(const std::vector<std::string>& words) {
  static const Words home{"married",  "wedding", "baby",        "child",   "kids",      "children", "dog",
                          "dogs",     "cat",     "cats",        "puppy",   "house",     "home",     "apartment",
                          "moved",    "moving",  "live",        "adopted", "honeymoon", "family",   "garden",
                          "vacation", "holiday", "anniversary", "trip",    "expecting"};
  return std::any_of(words.begin(), words.end(), [](const std::string& word) { return home.contains(word); });
}

}  // namespace

bool lasts_english(const std::vector<std::string_view>& words) {
  // Whom or what these mean only the talk tells.
  static const Words pointing{"it",  "them",  "they", "him",  "she",     "he", "her",
                              "his", "their", "its",  "it's", "they're", "em"};
  std::vector<std::string> plain;
  for (const View word : words) plain.push_back(lower(word));
  if (plain.size() < 2) return false;
  if (std::any_of(plain.begin(), plain.end(), [](const std::string& word) { return pointing.contains(word); }))
    return false;
  const std::string first = plain.front();
  if (first == "my" || first == "our") return own_thing_lasts(plain);
  // "We" is mostly a team or a firm; a household tells of home and family.
  if (first.starts_with("we") && !tells_of_home(plain)) return false;
  std::vector<std::string> behind(plain.begin() + 1, plain.end());
  if (first == "i'm" || first == "im" || first == "we're") behind.insert(behind.begin(), "am");
  if (first == "i'll" || first == "we'll") behind.insert(behind.begin(), "will");
  if (first == "i've" || first == "ive" || first == "we've") behind.insert(behind.begin(), "have");
  return Predicate(std::move(behind)).lasts(false);
}

std::size_t told_words_english(const std::vector<std::string_view>& words) {
  static const Words tails{"which", "because", "although", "though", "while", "whereas",   "considering",
                           "so",    "-",       "–",        "—",      "but",   "especially"};
  constexpr std::size_t kLeast = 3;
  for (std::size_t i = kLeast; i < words.size(); ++i) {
    const std::string word = lower(words[i]);
    const bool length = word == "while" && lower(words[i - 1]) == "a";  // "for a while"
    if (length) continue;
    if (tails.contains(word) || tails.contains(words[i]) || words[i].starts_with('(')) return i;
    static const Words others{"it", "it's", "that", "this", "they", "he", "she", "there"};
    if (word == "and" && i + 1 < words.size() && others.contains(lower(words[i + 1]))) return i;
    if (words[i - 1].ends_with(',') && (word == "and" || word == "where" || word == "who" || words[i] == "the"))
      return i;
  }
  return words.size();
}

namespace {

using List = std::span<const View>;

// What lexicon/zh/lasting.txt says; what each list is for stands there.
struct ChineseWords {
  List inner = lexicon("zh/lasting", "inner");
  List adverbs = lexicon("zh/lasting", "adverbs");
  List lasting = lexicon("zh/lasting", "lasting");
  List done = lexicon("zh/lasting", "done");
  List talk = lexicon("zh/lasting", "talk");
  List body = lexicon("zh/lasting", "body");
  List ails = lexicon("zh/lasting", "ails");
  List kin = lexicon("zh/lasting", "kin");
  List possessions = lexicon("zh/lasting", "possessions");
  List turns = lexicon("zh/lasting", "turns");
  List ever = lexicon("zh/lasting", "ever");
  List today = lexicon("zh/lasting", "today");
  List intentions = lexicon("zh/lasting", "intentions");
  List slight = lexicon("zh/lasting", "slight");
};

const ChineseWords& chinese_words() {
  static const ChineseWords all;
  return all;
}

View begins_with(View text, std::span<const View> words) {
  View best;
  for (const View word : words)
    if (text.starts_with(word) && word.size() > best.size()) best = word;
  return best;
}

bool has_any(View text, std::span<const View> words) {
  return std::any_of(words.begin(), words.end(), [&](View word) { return text.find(word) != View::npos; });
}

// "周末", "2月": when it is.
View without_time(View text) {
  const auto timed = split_at_time(text);
  if (!timed || !timed->before.empty()) return text;
  return text.substr(static_cast<std::size_t>(timed->time.data() - text.data()) + timed->time.size());
}

View without_adverbs(View text) {
  if (const View timeless = trim_words(without_time(text), " \t，,");
      timeless.size() < text.size() && !timeless.empty())
    text = timeless;
  for (View word = begins_with(text, chinese_words().adverbs); !word.empty();
       word = begins_with(text, chinese_words().adverbs)) {
    // 准备, 每天: what only begins like an adverb.
    if (begins_with(text, chinese_words().lasting).size() >= word.size()) break;
    text.remove_prefix(word.size());
    text = trim_words(text, " \t，,");
  }
  const View timeless = trim_words(without_time(text), " \t，,");
  return timeless.size() < text.size() && !timeless.empty() ? without_adverbs(timeless) : text;
}

// 在家做了, 和他约定了: with whom, where and by what stand before the verb.
bool has_preposition(View text) {
  return !begins_with(text, std::to_array<View>({"在", "从", "和", "跟", "与", "陪", "为", "把自己", "给", "用", "对",
                                                 "去", "出门", "一起"}))
              .empty();
}

bool marks_done(View behind, bool just) {
  if (behind.starts_with("不") || behind.starts_with("得")) return false;  // 去不了
  if (behind.starts_with("点") || behind.starts_with("了点") || behind.starts_with("了些")) return false;  // 买了点菜
  constexpr std::size_t kNear = 12;
  const View near = behind.substr(0, kNear);
  return just || near.find("了") != View::npos || near.find("过") != View::npos || near.find("完") != View::npos ||
         behind.ends_with("了");
}

// 买了, 参加过, 刚买: done.
bool is_done(View text, bool just) {
  const View verb = begins_with(text, chinese_words().done);
  if (!verb.empty()) return marks_done(text.substr(verb.size()), just);
  if (!has_preposition(text)) return false;
  for (const View one : chinese_words().done) {
    const auto at = text.find(one);
    if (at != View::npos && marks_done(text.substr(at + one.size()), false)) return true;
  }
  return false;
}

// 叫李雷: a name, and the clause is over.
bool is_called(View name) {
  return is_name_chinese(name) && begins_with(name, lexicon("zh/lasting", "called for")).empty() &&
         name.find("的") == View::npos;
}

bool has_thing(View text) {
  constexpr View kHave = "有";
  constexpr std::size_t kNear = 12;
  if (!text.starts_with(kHave)) return false;
  const View what = text.substr(kHave.size());
  // 有两套房, 有一个妹妹, 有锻炼习惯, 有高血压; not 有一句话需要翻译.
  if (text.find("需要") != View::npos || text.find("要") != View::npos) return false;
  const bool lasting =
      has_any(what, std::to_array<View>({"习惯", "经验", "病", "血压", "血糖", "过敏", "哮喘", "症", "孩子", "兄弟",
                                         "姐妹", "妹妹", "弟弟", "哥哥", "姐姐", "猫", "狗", "女儿", "儿子"}));
  const bool counted = has_any(
      what.substr(0, kNear), std::to_array<View>({"套", "辆", "台", "只", "条", "栋", "间", "家", "头", "把", "帐篷"}));
  return lasting || counted || has_any(what, std::to_array<View>({"帐篷", "车", "房"}));
}

// 没有车了, 没房子, 不再有驾照; not 没有车票, 没车来.
bool lacks_thing(View text) {
  for (const View lack : {"不再有", "没有了", "没有", "没"}) {
    if (!text.starts_with(lack)) continue;
    View what = text.substr(lack.size());
    for (const View one : {"自己的", "任何", "一辆", "一套", "一个"})
      if (what.starts_with(one)) what.remove_prefix(one.size());
    if (constexpr View kOver = "了"; what.ends_with(kOver)) what.remove_suffix(kOver.size());
    return std::find(chinese_words().possessions.begin(), chinese_words().possessions.end(), what) !=
           chinese_words().possessions.end();
  }
  return false;
}

// 是护士, 是ENTJ; not 是这样的.
bool is_something(View text) {
  for (const View is : {"是一名", "是一个", "是个", "是一位", "是", "作为"}) {
    if (!text.starts_with(is)) continue;
    const View what = text.substr(is.size());
    constexpr std::size_t kLongest = 36;
    for (const View no : {"想", "说", "这", "那", "的", "因为", "为了", "不", "在", "怎", "指", "通过", "用", "从"})
      if (what.starts_with(no)) return false;
    return !what.empty() && what.size() <= kLongest && !what.ends_with("的");
  }
  return false;
}

// 一天吃两次, 坐地铁上班, 跟奶奶住: again and again.
bool is_regular(View text) {
  const bool often = begins_with(text, std::to_array<View>({"一天", "一周", "一个月", "一年"})).size() > 0 &&
                     text.find("次") != View::npos;
  const bool way = begins_with(text, std::to_array<View>({"坐", "骑", "走路", "开车", "开一辆", "开的是"})).size() > 0;
  const bool goes = text.find("上班") != View::npos || text.find("上学") != View::npos || text.starts_with("开");
  return often || (way && goes) || (has_preposition(text) && text.find("住") != View::npos);
}

bool at_some_place(View text) {
  if (!text.starts_with("在")) return false;
  for (const View what : {"工作", "上班", "上学", "读书", "居住", "生活", "念书", "实习", "任职", "定居", "出差",
                          "旅行", "教", "打工", "开店", "当", "住", "长大"})
    if (text.find(what) != View::npos) return true;
  return false;
}

// 膝盖疼, 称重76.3kg; not 喉咙有点干
bool ails(View text) {
  constexpr std::size_t kFar = 24;
  const bool weighs = text.find("称重") != View::npos || text.find("身高") != View::npos;
  return (has_any(text.substr(0, kFar), chinese_words().body) || weighs) && has_any(text, chinese_words().ails) &&
         !has_any(text, chinese_words().slight);
}

}  // namespace

bool lasts_chinese(std::string_view rest, bool goes_on) {
  constexpr std::size_t kShortest = 9;  // three characters
  if (has_any(rest, chinese_words().talk)) return false;
  View text = trim_words(rest, " \t，,。！!");
  if (text.ends_with("时") || text.ends_with("时候") || text.ends_with("后")) return false;  // 做测试时
  for (const View both : {"俩", "两个人", "两个"})
    if (text.starts_with(both)) text.remove_prefix(both.size());
  if (!begins_with(text, chinese_words().kin).empty()) return kin_lasts(text);
  // 下午要启动…, 晚上计划看书
  if (has_any(text, chinese_words().today) && has_any(text, chinese_words().intentions)) return false;
  const bool just = text.starts_with("刚") || text.starts_with("终于") || text.find("刚刚") < kShortest;
  const bool ever = has_any(text.substr(0, kShortest * 2), chinese_words().ever);
  text = without_adverbs(text);
  if (text.size() < kShortest - 3 || text.starts_with("将") || text.starts_with("把")) return false;
  const View lasting = begins_with(text, chinese_words().lasting);
  // 养了一只猫，叫咪咪; 叫外卖的时候
  if (lasting == "叫" && (goes_on || !is_called(text.substr(lasting.size())))) return false;
  if (!lasting.empty() && lasting.size() >= begins_with(text, chinese_words().inner).size())
    return text.size() > lasting.size() + 3 && !text.substr(lasting.size()).starts_with("先");
  if (!begins_with(text, chinese_words().inner).empty()) return false;
  if (text.starts_with("有") && text.ends_with("习惯")) return true;
  if (ails(text) || is_done(text, just) || is_regular(text)) return true;
  if (goes_on) return !begins_with(text, chinese_words().turns).empty();  // 小王结婚了 is told of somebody else
  if (has_any(text, chinese_words().turns)) return true;
  return ever || has_thing(text) || lacks_thing(text) || is_something(text) || at_some_place(text) ||
         !kind_of_person(text).empty();
}

bool begins_with_kin(std::string_view clause) { return !begins_with(clause, chinese_words().kin).empty(); }

bool kin_lasts(std::string_view clause) {
  constexpr std::size_t kShortest = 6;
  const View kin = begins_with(clause, chinese_words().kin);
  if (kin.empty() || has_any(clause, chinese_words().talk)) return false;
  View text = clause.substr(kin.size());
  if (text.starts_with("的")) return ails(text.substr(std::string_view("的").size()));
  text = without_adverbs(text);
  if (text.size() < kShortest) return false;
  static constexpr auto kOfKin =
      std::to_array<View>({"退休", "年纪", "身体", "不是经常", "不常", "很少", "不太会", "一"});
  if (has_any(text, chinese_words().ails) && has_any(text, chinese_words().body)) return true;
  constexpr std::size_t kLongestPlace = 21;
  if (text.starts_with("在") && text.size() <= kLongestPlace) return true;
  if (text.starts_with("对") && (text.ends_with("感兴趣") || text.ends_with("过敏"))) return true;
  return is_something(text) || has_thing(text) || !begins_with(text, chinese_words().lasting).empty() ||
         is_done(text, false) || has_any(text, chinese_words().turns) || at_some_place(text) ||
         !begins_with(text, kOfKin).empty() || text.find("岁") != View::npos;
}

bool own_thing_lasts_chinese(std::string_view rest) {
  constexpr std::size_t kLongest = 48;
  return rest.size() <= kLongest && !has_any(rest, chinese_words().talk) &&
         has_any(rest, std::to_array<View>(
                           {"坏了", "丢了", "被偷", "去世", "过世", "病了", "住院", "结婚", "离婚", "毕业", "生了"}));
}

bool ails_chinese(std::string_view clause) {
  static constexpr auto kOthers = std::to_array<View>({"我", "他", "她", "它", "说", "咱"});
  if (has_any(clause, kOthers)) return false;
  return !has_any(clause, chinese_words().talk) && ails(without_adverbs(clause));
}

}  // namespace weft
