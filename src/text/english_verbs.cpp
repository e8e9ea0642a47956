#include "text/english_verbs.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace weft {
namespace {

using Words = std::unordered_set<std::string_view>;

// Base, past and participle of the irregular verbs where they differ from the base form.
const Words& irregular_past() {
  static const Words words = {
      "was",     "were",   "had",    "did",     "went",       "got",      "made",     "took",      "came",    "saw",
      "knew",    "gave",   "found",  "told",    "felt",       "left",     "kept",     "began",     "brought", "wrote",
      "stood",   "heard",  "meant",  "met",     "ran",        "paid",     "sat",      "spoke",     "led",     "grew",
      "lost",    "fell",   "sent",   "built",   "understood", "drew",     "broke",    "spent",     "rose",    "drove",
      "bought",  "wore",   "chose",  "ate",     "drank",      "sang",     "swam",     "slept",     "won",     "taught",
      "caught",  "fought", "sought", "thought", "forgot",     "forgave",  "froze",    "hid",       "held",    "laid",
      "lent",    "lit",    "rode",   "rang",    "sold",       "shook",    "shone",    "shot",      "showed",  "sank",
      "stole",   "stuck",  "swore",  "tore",    "threw",      "woke",     "wound",    "became",    "beaten",  "bent",
      "bit",     "blew",   "bred",   "crept",   "dealt",      "dug",      "dreamt",   "fed",       "fled",    "flew",
      "hung",    "knelt",  "leapt",  "learnt",  "proved",     "said",     "shrank",   "slid",      "spun",    "spelt",
      "sprang",  "struck", "stung",  "swept",   "swung",      "withdrew", "overcame", "undertook", "wept",    "wasn't",
      "weren't", "didn't", "hadn't", "been",    "gone",       "done",     "seen",     "used"};
  return words;
}

const Words& irregular_participles() {
  static const Words words = {
      "been",  "gone",   "done",  "seen",   "had",   "got",    "gotten", "made",   "known",     "taken",     "given",
      "come",  "become", "found", "told",   "felt",  "left",   "kept",   "begun",  "brought",   "written",   "stood",
      "heard", "meant",  "met",   "run",    "paid",  "sat",    "spoken", "led",    "grown",     "lost",      "fallen",
      "sent",  "built",  "drawn", "broken", "spent", "risen",  "driven", "bought", "worn",      "chosen",    "eaten",
      "drunk", "sung",   "swum",  "slept",  "won",   "taught", "caught", "fought", "thought",   "forgotten", "held",
      "put",   "read",   "said",  "sold",   "shown", "stolen", "thrown", "woken",  "understood"};
  return words;
}

const Words& base_verbs() {
  static const Words words = {
      "accept",   "achieve",    "act",        "add",       "admire",    "admit",     "adopt",   "advise",
      "afford",   "agree",      "aim",        "allow",     "apologize", "appear",    "apply",   "appreciate",
      "argue",    "arrange",    "arrive",     "ask",       "assume",    "attend",    "avoid",   "bake",
      "be",       "become",     "begin",      "believe",   "belong",    "bet",       "blame",   "book",
      "borrow",   "break",      "bring",      "build",     "buy",       "call",      "can",     "care",
      "carry",    "catch",      "celebrate",  "change",    "check",     "choose",    "clean",   "climb",
      "close",    "collect",    "come",       "compare",   "complain",  "consider",  "contact", "continue",
      "cook",     "cope",       "count",      "create",    "cry",       "deal",      "decide",  "deliver",
      "demand",   "depend",     "describe",   "deserve",   "design",    "develop",   "die",     "disagree",
      "discover", "discuss",    "do",         "doubt",     "drag",      "draw",      "dream",   "drink",
      "drive",    "earn",       "eat",        "encourage", "enjoy",     "ensure",    "enter",   "excel",
      "exist",    "expect",     "experience", "explain",   "explore",   "express",   "face",    "fail",
      "fall",     "fear",       "feel",       "figure",    "fill",      "find",      "finish",  "fix",
      "fly",      "focus",      "follow",     "forget",    "forgive",   "gain",      "gather",  "get",
      "give",     "go",         "grow",       "guess",     "handle",    "hang",      "happen",  "hate",
      "have",     "hear",       "help",       "hide",      "hike",      "hold",      "hope",    "hug",
      "hurt",     "imagine",    "improve",    "include",   "increase",  "inspire",   "intend",  "introduce",
      "invest",   "invite",     "join",       "journal",   "keep",      "know",      "lack",    "laugh",
      "launch",   "lead",       "learn",      "leave",     "lend",      "let",       "lie",     "like",
      "listen",   "live",       "look",       "lose",      "love",      "maintain",  "make",    "manage",
      "matter",   "mean",       "meet",       "mention",   "mind",      "miss",      "move",    "need",
      "notice",   "offer",      "open",       "order",     "organize",  "own",       "paint",   "pay",
      "perform",  "pick",       "plan",       "play",      "prefer",    "prepare",   "pretend", "promise",
      "protect",  "prove",      "provide",    "pull",      "push",      "put",       "reach",   "read",
      "realize",  "receive",    "recommend",  "refer",     "refuse",    "relate",    "relax",   "rely",
      "remain",   "remember",   "remind",     "replace",   "reply",     "represent", "respect", "return",
      "run",      "save",       "say",        "search",    "see",       "seem",      "sell",    "send",
      "serve",    "set",        "share",      "show",      "sing",      "sit",       "sleep",   "smile",
      "sound",    "speak",      "spend",      "stand",     "start",     "stay",      "stick",   "stop",
      "strive",   "struggle",   "study",      "succeed",   "suffer",    "suggest",   "support", "suppose",
      "swear",    "swim",       "take",       "talk",      "teach",     "tell",      "tend",    "thank",
      "think",    "throw",      "train",      "travel",    "treasure",  "treat",     "trust",   "try",
      "turn",     "understand", "use",        "value",     "visit",     "volunteer", "wait",    "wake",
      "walk",     "want",       "watch",      "wear",      "win",       "wish",      "wonder",  "work",
      "worry",    "write",      "gonna",      "wanna",     "gotta",     "bike",      "camp",    "cherish",
      "connect",  "dance",      "donate",     "expand",    "hit",       "host",      "promote", "require",
      "schedule", "sign",       "unwind",     "update",    "upload",    "download",  "install", "delete",
      "deploy",   "test",       "run",        "merge"};
  return words;
}

const std::unordered_map<std::string_view, std::string_view>& irregular_third() {
  static const std::unordered_map<std::string_view, std::string_view> forms = {{"be", "is"},
                                                                               {"am", "is"},
                                                                               {"are", "is"},
                                                                               {"aren't", "isn't"},
                                                                               {"have", "has"},
                                                                               {"haven't", "hasn't"},
                                                                               {"do", "does"},
                                                                               {"don't", "doesn't"},
                                                                               {"dont", "doesn't"},
                                                                               {"go", "goes"},
                                                                               {"were", "was"},
                                                                               {"weren't", "wasn't"},
                                                                               {"gonna", "is going to"},
                                                                               {"wanna", "wants to"},
                                                                               {"gotta", "has to"},
                                                                               {"ain't", "isn't"},
                                                                               {"havent", "hasn't"},
                                                                               {"arent", "isn't"},
                                                                               {"cannot", "cannot"}};
  return forms;
}

bool is_vowel(char c) { return std::string_view("aeiou").find(c) != std::string_view::npos; }
bool ends_with(std::string_view word, std::string_view end) {
  return word.size() >= end.size() && word.substr(word.size() - end.size()) == end;
}

}  // namespace

std::string third_person(std::string_view base) {
  if (const auto found = irregular_third().find(base); found != irregular_third().end())
    return std::string(found->second);
  if (is_modal(base)) return std::string(base);
  const std::string word(base);
  if (word.size() > 1 && word.back() == 'y' && !is_vowel(word[word.size() - 2]))
    return word.substr(0, word.size() - 1) + "ies";
  for (const std::string_view end : {"s", "x", "z", "ch", "sh", "o"}) {
    if (ends_with(word, end)) return word + "es";
  }
  return word + "s";
}

bool is_base_verb(std::string_view word) { return base_verbs().contains(word); }

bool is_past_form(std::string_view word) {
  if (irregular_past().contains(word)) return true;
  // Base forms that end as regular past forms do.
  static const Words kBase = {"need",  "feed",  "speed", "exceed", "proceed", "succeed", "bleed",
                              "breed", "embed", "shed",  "wed",    "heed",    "agreed"};
  return word.size() > 3 && ends_with(word, "ed") && (word == "agreed" || !kBase.contains(word));
}

bool is_participle(std::string_view word) { return irregular_participles().contains(word) || is_past_form(word); }

bool is_modal(std::string_view word) {
  static const Words words = {"can",     "could",    "will",      "would",    "shall",    "should",   "may",
                              "might",   "must",     "can't",     "couldn't", "won't",    "wouldn't", "shouldn't",
                              "mustn't", "mightn't", "cannot",    "cant",     "wont",     "needn't",  "ought",
                              "couldnt", "wouldnt",  "should've", "could've", "would've", "must've",  "might've"};
  return words.contains(word);
}

bool is_auxiliary(std::string_view word) {
  static const Words words = {"am",      "is",    "are",     "was",    "were",    "do",     "does",
                              "did",     "have",  "has",     "had",    "aren't",  "isn't",  "wasn't",
                              "weren't", "don't", "doesn't", "didn't", "haven't", "hasn't", "hadn't"};
  return words.contains(word) || is_modal(word);
}

bool is_mid_adverb(std::string_view word) {
  static const Words words = {"also",     "just",      "always",    "never",     "often",    "still",      "already",
                              "even",     "only",      "ever",      "sometimes", "usually",  "really",     "rather",
                              "almost",   "both",      "all",       "too",       "so",       "kinda",      "sorta",
                              "sure",     "then",      "now",       "once",      "first",    "soon",       "definitely",
                              "maybe",    "perhaps",   "currently", "mostly",    "actually", "personally", "totally",
                              "honestly", "certainly", "truly",     "probably",  "recently", "finally",    "truthfully",
                              "seldom",   "rarely",    "each",      "guys"};
  if (words.contains(word)) return true;
  static const Words kNot = {"rely",     "reply", "apply", "supply", "fly",   "family", "only",  "early",
                             "multiply", "july",  "italy", "bully",  "rally", "tally",  "imply", "comply"};
  return word.size() > 4 && ends_with(word, "ly") && !kNot.contains(word);
}

}  // namespace weft
