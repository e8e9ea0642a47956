// A clause can end an activity ("no longer drink coffee", 不喝咖啡了) or the possession of a thing ("sold my car",
// 把车卖了). It is then compared with the known facts of the speaker. A thing that shares only some words with a fact
// ends it only if its noun is the same.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/told_changes.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;
using Stems = std::set<std::string>;

// What a clause says is over.
struct Ending {
  enum class What { kDoing, kThing, kWork, kCouple, kWedding, kLack } what = What::kThing;
  std::string verb;  // of a doing; of a lack that is over, "can", "have" or what is done again
  std::string object;  // words of what is done or had; of a lack that is over, what was lacking; may be empty
  bool given = false;  // a thing that is one's own no more, rather than one that is not done any more
  bool lacking = false;  // … and nothing but that: who has no coffee left drinks it all the same
  bool of_old = false;   // a divorce or a wedding of years ago
};

constexpr std::size_t kHanSize = 3;  // bytes of a character
constexpr const char* kRetired = "retired";

std::string stem_of(View word) {
  const auto stems = index_words(word);
  return stems.empty() ? std::string() : stems.front();
}

Stems stems_of(View text) {
  const auto words = index_words(text);
  return {words.begin(), words.end()};
}

bool is_within(const Stems& part, const Stems& whole) {
  return std::all_of(part.begin(), part.end(), [&](const std::string& one) { return whole.contains(one); });
}

// What is known of the speaker alone, in the words behind their name: "plays the cello.", 's car is a Volvo.
View own_words(const KnownMatter& known, const std::string& subject) {
  const bool chinese = language_of(known.text) == Language::kChinese;
  const View who = !subject.empty() ? View(subject) : name_of_speaker(chinese ? "用户" : "user");
  return known.text.starts_with(who) ? known.text.substr(who.size()) : View();
}

bool is_denied(const KnownMatter& known) {
  const auto statements = read_statements(known.text);
  return std::any_of(statements.begin(), statements.end(),
                     [](const ProfileStatement& one) { return one.polarity != Polarity::kYes; });
}

bool is_of_work(const KnownMatter& known) {
  if (known.text.find(" has a job ") != View::npos) return true;
  return known.attribute == "employer" || known.attribute == "workplace" || known.attribute == "works in" ||
         known.attribute == "start of work" || known.attribute == "end of work";
}

// "Eats meat again" of a vegetarian, 又吃肉了 of 吃素.
bool abstained(View list, View own, const Ending& now) {
  const std::string row = lower_words(own);
  for (const auto& [kind, foods] : lexicon_pairs(list, "abstains from")) {
    if (row.find(kind) == std::string::npos) continue;
    const auto all = split_list(foods, '|');
    if (std::find(all.begin(), all.end(), now.object) != all.end()) return true;
  }
  return false;
}

// ---- English

std::vector<View> english_clauses(View sentence) {
  std::vector<View> clauses;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < sentence.size(); ++at)
    for (const View mark : {", and ", ", but ", ", so ", "; ", ", ", " and ", " but ", " so "}) {
      if (!sentence.substr(at).starts_with(mark)) continue;
      clauses.push_back(sentence.substr(begin, at - begin));
      begin = at + mark.size();
      at = begin - 1;
      break;
    }
  clauses.push_back(sentence.substr(begin));
  return clauses;
}

std::string row_of(View text) { return spaced_words(lower_words(text), ".,;:!?\"()"); }

const SpacedPhrases& phrases(View list) {
  static std::map<View, SpacedPhrases> all = [] {
    std::map<View, SpacedPhrases> made;
    for (const View name : {"gives up", "gives up doing", "gives away", "is gone", "leaves work", "for now"})
      made.emplace(name, SpacedPhrases(lexicon("en/changes", name)));
    return made;
  }();
  return all.at(list);
}

// The words of a thing, up to what says where, when or why: "the gym membership at FitX last week".
std::string thing_in(View words) {
  static const LexiconWords little = lexicon_words("en/changes", "says little");
  static const LexiconWords stops = {"at",      "in",     "on",    "for",    "to",    "because", "every", "each",
                                     "daily",   "twice",  "since", "when",   "after", "from",    "with",  "last",
                                     "this",    "who",    "which", "that",   "as",    "by",      "due",   "ago",
                                     "anymore", "before", "until", "during", "while", "than",    "over"};
  std::string thing;
  for (const View word : words_in(without_time_at_end(words))) {
    const std::string plain = lower_words(trim_words(word));
    if (!thing.empty() && stops.contains(plain)) break;
    if (thing.empty() && (stops.contains(plain) && plain != "that" && plain != "this")) return {};
    if (!little.contains(plain) && !(plain.ends_with("ly") && is_mid_adverb(plain))) append_word(thing, plain);
  }
  return thing;
}

// "Smoking", "playing the cello": a doing; else a thing.
Ending given_up(View words) {
  Ending made;
  const auto all = words_in(words);
  const std::string first = all.empty() ? std::string() : lower_words(trim_words(all.front()));
  constexpr std::size_t kShortest = 5;
  if (first.size() > kShortest && first.ends_with("ing") && first != "evening" && first != "morning") {
    made.what = Ending::What::kDoing;
    made.verb = stem_of(first);
    made.object =
        thing_in(words.substr(static_cast<std::size_t>(all.front().data() + all.front().size() - words.data())));
    return made;
  }
  made.object = thing_in(words);
  return made;
}

// "No longer drink coffee", "don't play tennis anymore".
std::optional<Ending> no_longer(View row) {
  std::size_t begin = View::npos;
  bool late = false;  // "anymore" must follow
  for (const auto& [words, open] :
       {std::pair<View, bool>{" no longer ", false}, {" don't ", true}, {" do not ", true}, {" don't even ", true}})
    if (row.starts_with(words)) begin = words.size() - 1, late = open;
  if (begin == View::npos) return std::nullopt;
  View rest = row.substr(begin);
  bool more = false;
  for (const View mark : {" anymore ", " any more ", " any longer ", " these days "})
    if (const auto at = rest.find(mark); at != View::npos) {
      more = true;
      rest = rest.substr(0, at + 1);
    }
  if (late && !more) return std::nullopt;
  const auto words = words_in(rest);
  static const LexiconWords having = {"have", "own"};
  if (words.size() > 1 && having.contains(words.front()) && words[1] != "to") {
    Ending made;
    made.object = thing_in(View(words[1].data(), static_cast<std::size_t>(rest.end() - words[1].begin())));
    made.given = true;
    return made;
  }
  if (words.empty() || is_auxiliary(words.front())) return std::nullopt;
  for (const View bound : {" with ", " on ", " for ", " during "})  // "on Mondays", "with Anna"
    if (rest.find(bound) != View::npos) return std::nullopt;
  static const LexiconWords inner = {"like",  "love", "want",    "need", "know",
                                     "think", "feel", "believe", "care", "mind"};
  if (inner.contains(words.front())) return std::nullopt;
  Ending made;
  made.what = Ending::What::kDoing;
  made.verb = stem_of(words.front());
  made.object = thing_in(
      words.size() > 1 ? View(words[1].data(), static_cast<std::size_t>(rest.end() - words[1].begin())) : View());
  return made;
}

// "Gave Miso away".
std::optional<Ending> given_away_around(View row) {
  static const auto pairs = lexicon("en/changes", "gives away around");
  for (const View pair : pairs) {
    const auto is = pair.find('=');
    const std::string before = " " + std::string(pair.substr(0, is)) + " ",
                      behind = " " + std::string(pair.substr(is + 1)) + " ";
    if (!row.starts_with(before)) continue;
    const auto end = row.find(behind, before.size());
    if (end == View::npos) continue;
    Ending made;
    made.object = thing_in(row.substr(before.size(), end - before.size()));
    made.given = true;
    return made;
  }
  return std::nullopt;
}

std::optional<Ending> own_thing_is_gone(View row) {
  const SpacedPhrases& gone = phrases("is gone");
  constexpr std::size_t kFar = 6;  // words of the thing
  std::size_t words = 0;
  for (auto at = row.find(' ', 1); at != View::npos && at + 1 < row.size() && words < kFar;
       at = row.find(' ', at + 1), ++words) {
    if (gone.begin_of(row.substr(at)).empty()) continue;
    Ending made;
    made.object = thing_in(row.substr(0, at + 1));
    made.given = true;
    return made;
  }
  return std::nullopt;
}

// "Rex died last night": only a name that is known ends by it.
std::optional<Ending> named_is_gone(View row, View name) {
  static const SpacedPhrases ends(lexicon("en/profile", "ends of pets"));
  const View rest = row.substr(static_cast<std::size_t>(name.data() + name.size() - row.data()));
  if (ends.begin_of(rest).empty()) return std::nullopt;
  Ending made;
  made.object = std::string(name);
  made.given = true;
  return made;
}

bool has_word(View row, std::initializer_list<View> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](View word) { return row.find(" " + std::string(word) + " ") != View::npos; });
}

// The words of a thing or a doing, without articles.
std::string plain_row(View row) {
  static const LexiconWords articles = {"a", "an", "any", "the"};
  std::string plain;
  for (const View word : words_in(row))
    if (!articles.contains(word)) append_word(plain, word);
  return plain;
}

// "Smoking cigars": what is done, in the form that all its forms share, and what it is done with.
std::optional<Ending> doing_again(View row) {
  const std::string plain = plain_row(row), verb = plain.substr(0, plain.find(' '));
  if (verb.empty()) return std::nullopt;
  return Ending{Ending::What::kLack, stem_of(verb), plain.substr(std::min(plain.size(), verb.size() + 1))};
}

// "Can drive now", "have a car again", "smoke again": a lack is over. Where nothing says that it was otherwise before,
// nothing is over.
std::optional<Ending> so_again(View predicate, View row) {
  struct Opening {
    View words, verb;
    bool turns = false;  // says by itself that it was otherwise
  };
  static constexpr std::array<Opening, 17> kOpenings{{{" have learned to ", "can", true},
                                                      {" have learnt to ", "can", true},
                                                      {" learned to ", "can", true},
                                                      {" learnt to ", "can", true},
                                                      {" am able to ", "can"},
                                                      {" can ", "can"},
                                                      {" have bought ", "have", true},
                                                      {" bought ", "have", true},
                                                      {" have got ", "have"},
                                                      {" got ", "have", true},
                                                      {" have started ", "", true},
                                                      {" started ", "", true},
                                                      {" took up ", "", true},
                                                      {" have ", "have"},
                                                      {" own ", "have"},
                                                      {" am ", ""},
                                                      {" ", ""}}};
  static const LexiconWords again = {"now", "again"};
  const bool turned = has_word(row, {"now", "again"});
  std::string rest = " ";
  for (const View word : words_in(predicate))
    if (!again.contains(word)) rest += std::string(word) + " ";
  for (const Opening& one : kOpenings) {
    if (!rest.starts_with(one.words)) continue;
    if ((!turned && !one.turns) || phrases("for now").any_in(rest)) return std::nullopt;
    const View behind = View(rest).substr(one.words.size() - 1);
    if (one.verb.empty()) return doing_again(behind);
    return Ending{Ending::What::kLack, std::string(one.verb), plain_row(behind)};
  }
  return std::nullopt;
}

// "Got divorced in 2015" may have been before what is known.
bool is_of_old(View row) {
  constexpr std::size_t kYear = 4;
  const auto words = words_in(row);
  return row.find(" years ago ") != View::npos || std::any_of(words.begin(), words.end(), [](View word) {
           return word.size() == kYear && std::all_of(word.begin(), word.end(), is_digit<char>);
         });
}

// `speaks`: the clause before was the speaker's.
std::optional<Ending> english_ending(View clause, bool& speaks) {
  static const LexiconWords unsettled = lexicon_words("en/changes", "unsettled");
  std::string row = row_of(clause);
  if (phrases("for now").any_in(row) &&
      (row.find(" don't ") != std::string::npos || row.find(" no longer ") != std::string::npos))
    return std::nullopt;
  for (const View word : words_in(row))
    if (unsettled.contains(word) || word == "haven't" || word == "didn't" || word == "never" || word == "not")
      return std::nullopt;
  auto words = words_in(row);
  std::size_t at = 0;
  static const LexiconWords openings = {"so",    "well", "finally", "actually", "unfortunately", "sadly", "update",
                                        "news",  "oh",   "also",    "and",      "but",           "last",  "yesterday",
                                        "today", "then", "now",     "btw",      "recently",      "as",    "of"};
  const auto end = end_of_time_in_front(row);
  while (at < words.size() &&
         (openings.contains(words[at]) || static_cast<std::size_t>(words[at].data() - row.data()) < end))
    ++at;
  if (at == words.size()) return std::nullopt;
  const View who = words[at];
  const bool my = who == "my" || who == "our";
  const bool own = who == "i" || who == "we" || who == "i've" || who == "we've" || who == "i'm";
  static const LexiconWords others = {"he",  "she",   "they", "it",   "you",  "his",
                                      "her", "their", "the",  "this", "that", "who"};
  if (!own && !my && (!speaks || others.contains(who))) return speaks = false, named_is_gone(row, who);
  if (my) {
    const View rest = View(row).substr(static_cast<std::size_t>(who.data() + who.size() - row.data()));
    speaks = true;
    return own_thing_is_gone(rest);
  }
  if (own) ++at;
  speaks = true;
  std::string rest = who == "i've" || who == "we've" ? " have" : who == "i'm" ? " am" : "";
  bool verb = false;
  for (; at < words.size(); ++at) {
    if (!verb && is_between(words[at]) && words[at] != "no" && words[at] != "longer") continue;
    verb = verb || words[at] != "have";
    rest += " " + std::string(words[at]);
  }
  rest += " ";
  static const LexiconWords not_yet = {"once", "before", "until", "after", "when", "soon"};
  if (not_yet.contains(words.front())) return std::nullopt;
  if (const View left = phrases("leaves work").begin_of(rest); !left.empty()) {
    // "Retired early to bed", "retired my old bike"
    const View behind = trim_words(View(rest).substr(left.size() + 1));
    if (left.ends_with("retired") && !behind.empty() && end_of_time_in_front(behind) < behind.size() &&
        !behind.starts_with("from work") && !behind.starts_with("last ") && !behind.starts_with("in "))
      return std::nullopt;
    return Ending{Ending::What::kWork, left.ends_with("retired") ? kRetired : "", {}, false};
  }
  static const std::array<View, 11> kParts{
      " broke up with ",     " split up with ",           " got divorced ", " divorced ", " have broken up with ",
      " have got divorced ", " broke off my engagement ", " broke up ",     " split up ", " have broken up ",
      " have split up "};
  for (const View part : kParts)
    if (rest.starts_with(part)) {
      Ending made{Ending::What::kCouple, {}, thing_in(View(rest).substr(part.size() - 1))};
      if (part.ends_with(" divorced ")) made.verb = "divorced";
      made.of_old = is_of_old(rest);
      return made;
    }
  for (const View wedding : {" got married ", " have got married "})
    if (rest.starts_with(wedding) && !is_of_old(rest)) return Ending{Ending::What::kWedding, {}, {}};
  if (auto ending = no_longer(rest)) return ending;
  if (auto ending = given_away_around(rest)) return ending;
  // "Quit smoking every new year", "gave up tea for Lent"
  const bool for_a_while =
      has_word(row, {"every", "once", "again"}) || (has_word(row, {"for"}) && !has_word(row, {"good"}));
  for (const auto& [list, given] :
       {std::pair<View, bool>{"gives up", false}, {"gives up doing", false}, {"gives away", true}}) {
    const View phrase = phrases(list).begin_of(rest);
    if (phrase.empty() || (!given && for_a_while) || has_word(row, {"tomorrow"})) continue;
    Ending made = given_up(View(rest).substr(phrase.size() + 1));
    if (list == View("gives up doing") && made.what != Ending::What::kDoing) return std::nullopt;
    made.given = given;
    return made;
  }
  return so_again(rest, row);
}

// A known sentence in parts: its verb, its thing with the noun that it ends with, and names of that.
struct KnownParts {
  std::string verb, noun;
  Stems thing, named;
  bool has = false;
};

std::optional<KnownParts> parts_of(View own) {
  KnownParts parts;
  static const LexiconWords has = lexicon_words("en/changes", "has");
  static const LexiconWords joins = {"at", "for", "as", "in", "with", "to", "by", "on"};
  const bool thing_first = own.starts_with("'s ");
  auto words = words_in(own);
  if (thing_first) words.erase(words.begin());
  std::size_t at = 0;
  const auto plain = [&](std::size_t i) { return lower_words(trim_words(words[i])); };
  if (thing_first) {
    while (at < words.size() && !is_auxiliary(plain(at))) {
      parts.thing.insert(stem_of(plain(at)));
      parts.noun = stem_of(plain(at++));
    }
    if (at == words.size() || (plain(at) != "is" && plain(at) != "are")) return std::nullopt;
    std::string value;
    for (++at; at < words.size(); ++at) append_word(value, plain(at));
    parts.named = stems_of(thing_in(value));
    parts.has = true;
    return parts;
  }
  while (at < words.size() && is_between(words[at])) ++at;
  if (at == words.size()) return std::nullopt;
  std::string verb = plain(at++);
  parts.has = has.contains(verb);
  if (is_past_form(verb) && !parts.has) return std::nullopt;
  static const LexiconWords likes = {"is", "likes", "loves", "enjoys", "adores"};
  // "Is learning Japanese", "loves playing chess".
  if (likes.contains(verb) && at < words.size() && plain(at).ends_with("ing")) verb = plain(at++);
  if (verb == "is" && own.find(" member of ") == View::npos) return std::nullopt;
  if (verb == "is")
    while (at < words.size() && plain(at) != "of") ++at;
  if (verb == "is" && at < words.size()) ++at;
  parts.verb = stem_of(verb);
  while (at < words.size() && joins.contains(plain(at))) ++at;
  if (at < words.size()) {
    const View rest(words[at].data(), static_cast<std::size_t>(own.end() - words[at].begin()));
    std::string thing = thing_in(rest), name;
    for (const View call : {" called ", " named "})
      if (const auto called = thing.find(call); called != std::string::npos) {
        name = thing.substr(called + call.size());
        thing.resize(called);
      }
    parts.thing = stems_of(thing);
    parts.named = stems_of(name);
    parts.noun = words_in(thing).empty() ? std::string() : stem_of(words_in(thing).back());
  }
  return parts;
}

bool is_partner(const std::string& words) {
  static const LexiconWords partners = {"girlfriend", "boyfriend", "husband", "wife", "partner", "fiance", "fiancee"};
  return partners.contains(words);
}

// "Can't drive", "doesn't have a car any more", "quit smoking", "is not a smoker".
bool lacks_english(View own, const Ending& now) {
  std::string row = row_of(own);
  for (const View end : {" any more ", " anymore ", " any longer ", " yet ", " now "})
    if (row.ends_with(end)) row.resize(row.size() - end.size() + 1);
  const auto behind = [&](std::initializer_list<View> openings) {
    for (const View one : openings)
      if (row.starts_with(one)) return row.substr(one.size() - 1);
    return std::string();
  };
  if (const auto rest = behind({" can't ", " cannot ", " can not ", " can no longer ", " is not able to ",
                                " isn't able to ", " is unable to "});
      !rest.empty())
    return now.verb == "can" && plain_row(rest) == now.object;
  if (const auto rest = behind({" has no "}); !rest.empty()) return now.verb == "have" && plain_row(rest) == now.object;
  if (const auto denied = plain_row(behind({" is not ", " isn't ", " is no longer ", " is a non-"})); !denied.empty()) {
    // The one who smokes: "smoker".
    const View kind = trim_words(denied, "-"), verb = now.verb;
    const View root = verb.substr(0, verb.size() - (verb.ends_with('e') ? 1 : 0));
    return now.object.empty() && kind.starts_with(root) && kind.ends_with("er") && kind.size() <= root.size() + 3;
  }
  const auto left = behind({" doesn't ", " does not ", " never ", " no longer ", " has quit ", " quit ",
                            " has stopped ", " stopped ", " has given up ", " gave up "});
  if (now.verb == "can") return plain_row(left) == now.object;
  const auto doing = doing_again(left);
  if (!doing || doing->object != now.object) return false;
  return doing->verb == now.verb || (now.verb == "have" && has_word(left, {"has", "own", "owns"}));
}

bool ends_english(const Ending& ending, const KnownMatter& known, View own) {
  if (ending.what == Ending::What::kWork)
    return is_of_work(known) || (ending.verb == kRetired && known.attribute == "job");
  if (ending.what == Ending::What::kLack) return lacks_english(own, ending) || abstained("en/changes", own, ending);
  const std::string row = row_of(own);
  if (ending.what == Ending::What::kWedding)
    return known.attribute == "relationship" &&
           has_word(row, {"single", "divorced", "engaged", "separated", "widowed", "widow", "widower"});
  if (ending.what == Ending::What::kCouple && known.attribute == "relationship")
    return !ending.of_old && (has_word(row, {"engaged"}) || (ending.verb == "divorced" && has_word(row, {"married"})));
  // Of a list one thing is over: "drinks coffee and tea".
  if (own.find(" and ") != View::npos || own.find(", ") != View::npos) return false;
  for (const View no : {" not ", "n't ", " never ", " no ", " gave up ", " quit ", " stopped ", " sold "})
    if (own.find(no) != View::npos) return false;
  const auto parts = parts_of(own);
  const Stems object = stems_of(ending.object);
  if (ending.what == Ending::What::kCouple)
    return known.attribute == "partner" &&
           (object.empty() || is_within(object, stems_of(own)) || is_partner(ending.object));
  if (!parts) return false;
  if (ending.what == Ending::What::kDoing) {
    if (parts->verb != ending.verb) return false;
    return object.empty() ? parts->thing.empty() || ending.verb == stem_of("smoking") : is_within(object, parts->thing);
  }
  if (object.empty() || (ending.given && !parts->has)) return false;
  const auto words = words_in(ending.object);
  // "Gave one of my cats away": others are left.
  static const LexiconWords some = {"one", "some", "half", "another", "most", "few"};
  if (std::any_of(words.begin(), words.end(), [](View word) { return is_count(word) || some.contains(word); }))
    return false;
  const std::string noun = stem_of(words.back());
  const auto names = lexicon_pairs("en/changes", "names");
  const auto called = names.find(known.attribute);
  if (called != names.end() && object.size() == 1)
    for (const View name : split_list(called->second, '|'))
      if (stem_of(name) == noun && parts->has) return true;
  constexpr View kNumber = "number of ";
  if (known.attribute.starts_with(kNumber) && known.attribute.substr(kNumber.size()) == noun && object.size() == 1)
    return true;
  if (!parts->named.empty() && is_within(object, parts->named)) return true;
  // "Cancelled Netflix" of a Netflix subscription.
  static const LexiconWords contracts = {"subscript", "membership", "account", "contract", "pass"};
  if (ending.given && contracts.contains(parts->noun) && is_within(object, parts->thing)) return true;
  return parts->noun == noun && is_within(object, parts->thing);
}

// ---- Chinese

View trim_han(View text) { return trim_marks(trim_words(text)); }

// The clause without its speaker, its time and what changes nothing.
std::optional<View> own_clause(View clause, bool& speaks) {
  View text = trim_han(clause);
  bool own = false;
  for (bool cut = true; cut;) {
    cut = false;
    if (const auto end = end_of_time_in_front(text); end > 0 && end < text.size())
      text = trim_han(text.substr(end)), cut = true;
    for (const View who : {"我们家", "我们", "咱们", "我家", "我的", "我"})
      if (!own && text.starts_with(who)) text.remove_prefix(who.size()), own = cut = true;
    for (const View word : lexicon("zh/changes", "adverbs of ends"))
      if (word != "把" && text.starts_with(word) && text.size() > word.size())
        text = trim_han(text.substr(word.size())), cut = true;
    for (const View word : {"对了", "其实", "顺便", "更新一下", "坏消息", "好消息", "但是", "不过", "所以", "因为"})
      if (text.starts_with(word) && text.size() > word.size()) text = trim_han(text.substr(word.size())), cut = true;
  }
  for (const View who : lexicon("zh/lasting", "others"))
    if (!own && text.starts_with(who)) return speaks = false, std::nullopt;
  const bool bare = text.starts_with("把") || text.starts_with("不再") || text.starts_with("戒");
  // 旺财死了, 车被偷了
  bool gone = false;
  for (const auto& [file, list] : {std::pair<View, View>{"zh/changes", "is gone"}, {"zh/profile", "ends of pets"}})
    for (const View end : lexicon(file, list)) gone = gone || text.ends_with(end);
  if (!own && !speaks && !bare && !gone) return std::nullopt;
  speaks = speaks || own || bare;
  return text;
}

View without_owner(View thing) {
  for (const View own :
       {"我的", "我家的", "我们的", "自己的", "那辆", "那只", "那台", "那个", "那", "家里的", "旧", "老"})
    if (thing.starts_with(own) && thing.size() > own.size()) thing.remove_prefix(own.size());
  return thing;
}

// 一辆新车: 车.
View without_count(View thing) {
  static constexpr std::array<View, 12> kMeasures{"辆", "只", "条", "台", "套", "个",
                                                  "部", "栋", "间", "把", "张", "家"};
  for (const View count : lexicon("zh/profile", "counts"))
    for (const View measure : kMeasures)
      if (thing.starts_with(std::string(count) + std::string(measure)))
        thing.remove_prefix(count.size() + measure.size());
  for (const View which : {"自己的", "任何", "新的", "二手", "新", "旧"})
    if (thing.starts_with(which) && thing.size() > which.size()) thing.remove_prefix(which.size());
  return thing;
}

// 喝咖啡 of 没喝咖啡, which was only not done; 打印机 is a thing.
bool is_deed(View words) {
  const auto things = lexicon("zh/lasting", "possessions");
  if (std::find(things.begin(), things.end(), words) != things.end()) return false;
  for (const View list : {"has", "takes in"})
    if (!longest_entry(lexicon("zh/changes", list), words).empty()) return true;
  return false;
}

// 希腊语我不学了, 网球我已经不打了, 健身卡我退了: the object comes first.
std::optional<Ending> ending_of_thing_in_front(View clause) {
  constexpr View kI = "我", kNo = "不", kOver = "了";
  constexpr std::size_t kLongestThing = 8 * kHanSize, kLongestVerb = 2 * kHanSize;
  const auto at = clause.find(kI);
  if (at == View::npos || at == 0 || at > kLongestThing || end_of_time_in_front(clause) >= at) return std::nullopt;
  if (holds_any(clause, lexicon("zh/changes", "unsettled")) || holds_any(clause, lexicon("zh/changes", "for now")))
    return std::nullopt;
  const View thing = trim_han(clause.substr(0, at));
  for (const View other : {"他", "她", "你", "的话", "所以", "因为", "如果", "但", "不过"})
    if (thing.find(other) != View::npos) return std::nullopt;
  View rest = trim_han(clause.substr(at + kI.size()));
  for (bool cut = true; cut;) {
    cut = false;
    for (const View adverb : lexicon("zh/changes", "adverbs of ends"))
      if (adverb != "把" && rest.starts_with(adverb)) rest.remove_prefix(adverb.size()), cut = true;
  }
  const auto away = lexicon("zh/changes", "gives away");
  if (std::find(away.begin(), away.end(), rest) != away.end() && rest.ends_with(kOver))
    return Ending{Ending::What::kThing, {}, std::string(thing), !rest.starts_with("戒") && !rest.starts_with("放弃")};
  if (!rest.starts_with(kNo) || !rest.ends_with(kOver) || rest.size() <= kNo.size() + kOver.size()) return std::nullopt;
  const View verb = rest.substr(kNo.size(), rest.size() - kNo.size() - kOver.size());
  if (verb.size() > kLongestVerb || !longest_entry(lexicon("zh/changes", "no doings"), verb).empty())
    return std::nullopt;
  return Ending{Ending::What::kDoing, {}, std::string(verb) + std::string(thing)};
}

std::optional<Ending> chinese_ending(View clause, bool& speaks) {
  using What = Ending::What;
  if (auto ending = ending_of_thing_in_front(clause)) return ending;
  const auto text = own_clause(clause, speaks);
  if (!text || holds_any(clause, lexicon("zh/changes", "unsettled"))) return std::nullopt;
  const bool for_now = holds_any(clause, lexicon("zh/changes", "for now"));
  View rest = *text;
  for (const View one : lexicon("zh/changes", "leaves work"))
    if (rest.find(one) != View::npos && !holds_any(rest.substr(0, rest.find(one)), lexicon("zh/lasting", "kin")))
      return Ending{What::kWork, {}, {}, false};
  for (const View one : lexicon("zh/changes", "parts"))
    if (const auto at = rest.find(one); at != View::npos) {
      View who = rest.substr(0, at);
      for (const View with : {"和", "跟", "与"})
        if (who.starts_with(with)) who.remove_prefix(with.size());
      return Ending{What::kCouple, {}, std::string(without_owner(who)), false};
    }
  constexpr View kTakes = "把", kOver = "了";
  const auto thing = [](View words, bool given) {
    words = without_owner(trim_han(words));
    constexpr std::size_t kLongest = 10 * kHanSize;
    return words.empty() || words.size() > kLongest
               ? std::nullopt
               : std::optional(Ending{What::kThing, {}, std::string(words), given});
  };
  if (rest.starts_with(kTakes)) {
    rest.remove_prefix(kTakes.size());
    for (const View away : lexicon("zh/changes", "takes away"))
      if (const auto at = rest.find(away); at != View::npos && at > 0) return thing(rest.substr(0, at), true);
    return std::nullopt;
  }
  if (const View lack = longest_entry(lexicon("zh/changes", "lacks"), rest); !lack.empty()) {
    View what = rest.substr(lack.size());
    if (what.ends_with(kOver)) what.remove_suffix(kOver.size());
    what = without_count(what);
    auto ending = for_now || is_deed(what) ? std::nullopt : thing(what, true);
    if (ending) ending->lacking = true;
    return ending;
  }
  if (const View gain = longest_entry(lexicon("zh/changes", "gains"), rest); !gain.empty()) {
    View what = rest.substr(gain.size());
    if (what.ends_with(kOver)) what.remove_suffix(kOver.size());
    what = without_count(what);
    constexpr std::size_t kLongest = 6 * kHanSize;
    if (!for_now && !what.empty() && what.size() <= kLongest) return Ending{What::kLack, {}, std::string(what), false};
  }
  for (const View no : {"再也不", "不再", "不"}) {
    if (!rest.starts_with(no)) continue;
    View doing = rest.substr(no.size());
    const bool over = doing.ends_with(kOver);
    if (over) doing.remove_suffix(kOver.size());
    if ((no == View("不") && !over) || for_now || !longest_entry(lexicon("zh/changes", "no doings"), doing).empty())
      return std::nullopt;
    if (doing.size() < 2 * kHanSize) return std::nullopt;
    return Ending{What::kDoing, {}, std::string(doing), false};
  }
  if (const View away = longest_entry(lexicon("zh/changes", "gives away"), rest); !away.empty()) {
    View what = rest.substr(away.size());
    // 戒烟三年了, 戒烟了
    if (const View timeless =
            without_time_at_end(what.ends_with(kOver) ? what.substr(0, what.size() - kOver.size()) : what);
        !timeless.empty())
      what = timeless;
    if (away == View("戒") && what.size() < kHanSize) return std::nullopt;
    if (away == View("放弃") && !rest.ends_with(kOver)) return std::nullopt;
    return thing(what, !away.starts_with("戒") && !away.starts_with("放弃"));
  }
  std::vector<View> ends(lexicon("zh/changes", "is gone").begin(), lexicon("zh/changes", "is gone").end());
  for (const View end : lexicon("zh/profile", "ends of pets")) ends.push_back(end);
  for (const View gone : ends)
    if (rest.ends_with(gone) && rest.size() > gone.size()) {
      View what = rest.substr(0, rest.size() - gone.size());
      for (const View adverb : {"昨天", "前天", "上周", "已经", "昨晚", "今天"})
        if (what.ends_with(adverb)) what.remove_suffix(adverb.size());
      return thing(what, true);
    }
  // 能吃辣了, 学会游泳了, 现在吃辣了, 又抽烟了
  const View can = longest_entry(lexicon("zh/changes", "can now"), rest);
  const bool turns = !can.empty() || clause.find("现在") != View::npos || clause.find("又") != View::npos;
  if (!turns || for_now || !rest.ends_with(kOver) || rest.size() < can.size() + 3 * kHanSize) return std::nullopt;
  const View doing = rest.substr(can.size(), rest.size() - can.size() - kOver.size());
  return Ending{What::kLack, can.empty() ? "能" : std::string(can), std::string(doing)};
}

// 用户喝咖啡, 用户每天喝两杯咖啡, 用户喜欢喝咖啡: the doing with its object, and the object ends the clause.
bool does_chinese(View own, View doing) {
  const View bare = trim_han(own);
  if (bare.find(doing) != View::npos) return true;
  for (const std::size_t verb : {kHanSize, 2 * kHanSize}) {
    if (doing.size() <= verb) break;
    const auto at = bare.find(doing.substr(0, verb));
    const View object = doing.substr(verb);
    if (at != View::npos && bare.ends_with(object) && bare.size() - object.size() >= at + verb) return true;
  }
  return false;
}

// 吃素, 是素食者: one kind in two words.
bool is_same_kind(View doing, const KnownMatter& known) {
  const View kind = kind_of_person(doing);
  if (kind.empty() || kind != known.attribute) return false;
  constexpr View kEmpty = "吃是全纯者主义";
  for (std::size_t at = 0; at + kHanSize <= doing.size(); at += kHanSize)
    if (const View one = doing.substr(at, kHanSize);
        kEmpty.find(one) == View::npos && known.text.find(one) != View::npos)
      return true;
  return false;
}

// 用户没有车了, 用户现在没车, 用户不吃辣.
bool lacks_chinese(View own, const Ending& now) {
  View lack = trim_han(own);
  for (bool cut = true; cut;) {
    cut = false;
    for (const View adverb : {"现在", "如今", "已经", "也", "还", "目前"})
      if (lack.starts_with(adverb)) lack.remove_prefix(adverb.size()), cut = true;
  }
  const View list = now.verb.empty() ? "lacks" : now.verb.find("会") != View::npos ? "cannot yet" : "does not";
  const View no = longest_entry(lexicon("zh/changes", list), lack);
  if (no.empty()) return false;
  lack.remove_prefix(no.size());
  if (constexpr View kOver = "了"; lack.ends_with(kOver)) lack.remove_suffix(kOver.size());
  // 戒烟, 又抽烟了
  if (no.starts_with("戒"))
    return !lack.empty() && now.object.size() == lack.size() + kHanSize && now.object.ends_with(lack);
  return (now.verb.empty() ? without_count(lack) : lack) == now.object;
}

bool ends_chinese(const Ending& ending, const KnownMatter& known, View own) {
  using What = Ending::What;
  if (ending.what == What::kWork) return is_of_work(known);
  if (ending.what == What::kLack) return lacks_chinese(own, ending) || abstained("zh/changes", own, ending);
  for (const View no : {"不", "没", "戒", "以前", "曾", "卖", "、", "和", "，"})
    if (own.find(no) != View::npos && !(ending.what == What::kCouple)) return false;
  const View object = ending.object;
  if (ending.what == What::kCouple)
    return (known.attribute == "partner" &&
            (object.empty() || own.find(object) != View::npos || object.size() == 3 * kHanSize)) ||
           (!object.empty() && object.size() >= 2 * kHanSize && own.find(object) != View::npos &&
            known.attribute.starts_with("of "));
  if (ending.what == What::kDoing) {
    const bool post = known.attribute == "job" && (object.starts_with("当") || object.starts_with("做")) &&
                      object.size() > kHanSize && trim_han(own).ends_with(object.substr(kHanSize));
    return post || does_chinese(own, object) || is_same_kind(object, known);
  }
  constexpr View kOf = "的";
  View bare = trim_han(own);
  if (constexpr View kOver = "了"; bare.ends_with(kOver)) bare.remove_suffix(kOver.size());  // 又有车了
  // 用户的车是大众
  if (bare.starts_with(kOf)) {
    const View thing = bare.substr(kOf.size());
    for (const View is : {"是", "叫"})
      if (const auto at = thing.find(is); at != View::npos)
        return thing.substr(0, at).ends_with(object) || thing.substr(at + is.size()) == object;
    return false;
  }
  View doing = bare;
  for (const View word : {"每天", "平时", "经常", "一直", "在", "现在", "每周", "喜欢", "会", "又", "终于", "已经"})
    if (doing.starts_with(word)) doing.remove_prefix(word.size());
  if (!ending.given && does_chinese(own, object)) return true;  // 放弃学法语
  // 戒烟: what is taken in; else what is had or done.
  const bool taken = !ending.given && !longest_entry(lexicon("zh/changes", "takes in"), doing).empty();
  const bool had = !longest_entry(lexicon("zh/changes", ending.lacking ? "possesses" : "has"), doing).empty();
  if (!had && !taken) return false;
  // 骑自行车上班
  const View verb = longest_entry(lexicon("zh/changes", "has"), doing);
  if (bare.ends_with(object) || (ending.given && doing.substr(verb.size()).starts_with(object))) return true;
  const auto names = lexicon_pairs("zh/changes", "names");
  const auto called = names.find(known.attribute);
  if (called != names.end())
    for (const View name : split_list(called->second, '|'))
      if (name == object) return true;
  for (const View call : {"叫", "名叫", "："})
    if (const auto at = bare.find(call);
        at != View::npos && (bare.substr(0, at).ends_with(object) || bare.substr(at + call.size()) == object))
      return true;
  return false;
}

bool asks(View sentence) { return sentence.ends_with('?') || sentence.ends_with("？") || sentence.ends_with("吗"); }

std::vector<View> chinese_parts(View sentence) {
  std::vector<View> clauses;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < sentence.size(); ++at)
    for (const View mark : {"，", ",", "；", ";", "。", "！"})
      if (sentence.substr(at).starts_with(mark)) {
        clauses.push_back(sentence.substr(begin, at - begin));
        begin = at + mark.size();
        break;
      }
  if (begin < sentence.size()) clauses.push_back(sentence.substr(begin));
  return clauses;
}

// "Broke up, but we are back together", 戒烟了，今年又抽了; hearsay and dreams end nothing at all.
bool is_taken_back(View sentence, View clause, bool chinese) {
  if (!is_said_plainly(sentence)) return true;
  const View behind = sentence.substr(static_cast<std::size_t>(clause.data() + clause.size() - sentence.data()));
  if (chinese)
    return behind.find("又") != View::npos || clause.find("前女友") != View::npos ||
           clause.find("前男友") != View::npos;
  const std::string row = row_of(behind);
  return row.find(" again ") != std::string::npos || row.find(" back ") != std::string::npos ||
         row_of(sentence).find(" ex ") != std::string::npos;
}

template <class Wanted>
void each_ending(View message, const Wanted& wanted) {
  constexpr std::size_t kLongestSentence = 300;
  for (const View sentence : stating_sentences(message)) {
    if (sentence.size() > kLongestSentence || asks(sentence)) continue;
    const bool chinese = language_of(sentence) == Language::kChinese;
    bool speaks = false;
    for (const View clause : chinese ? chinese_parts(sentence) : english_clauses(sentence))
      if (const auto ending = chinese ? chinese_ending(clause, speaks) : english_ending(clause, speaks))
        wanted(*ending, clause, sentence, chinese);
  }
}

}  // namespace

bool may_tell_end(std::string_view message) {
  bool found = false;
  each_ending(message, [&](const Ending&, View, View, bool) { found = true; });
  return found;
}

std::vector<ToldEnd> told_ends(std::string_view message, std::span<const KnownMatter> known,
                               const std::string& subject) {
  std::vector<ToldEnd> ends;
  if (known.empty()) return ends;
  each_ending(message, [&](const Ending& ending, View clause, View sentence, bool chinese) {
    if (is_taken_back(sentence, clause, chinese)) return;
    ToldEnd end{{}, std::string(trim_marks(clause))};
    for (std::size_t i = 0; i < known.size(); ++i) {
      const View own = own_words(known[i], subject);
      if (own.empty() || (language_of(known[i].text) == Language::kChinese) != chinese) continue;
      if (ending.what != Ending::What::kLack && is_denied(known[i])) continue;
      if (chinese ? ends_chinese(ending, known[i], own) : ends_english(ending, known[i], own)) end.known.push_back(i);
    }
    if (!end.known.empty()) ends.push_back(std::move(end));
  });
  return ends;
}

}  // namespace weft
