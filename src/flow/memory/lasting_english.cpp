#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "base/ascii.h"
#include "base/lowered.h"
#include "flow/memory/lasting.h"
#include "flow/memory/lasting_words.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/statement_readers.h"
#include "text/english_verbs.h"

namespace weft {
namespace {

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

}  // namespace weft
