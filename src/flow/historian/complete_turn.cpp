#include "flow/historian/complete_turn.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "text/english_verbs.h"
#include "text/references.h"
#include "text/sentences.h"

namespace weft {
namespace {

using Words = std::unordered_set<std::string_view>;

constexpr std::size_t kEarlierRead = 8;  // messages

// Nouns that are always those of something: where nothing is named, of what the talk is about.
bool is_attribute(std::string_view word) {
  static const Words words = {"address",  "number",  "postcode",    "range",  "price",    "type",
                              "location", "area",    "phone",       "code",   "zip",      "hours",
                              "menu",     "website", "cost",        "rating", "distance", "telephone",
                              "cuisine",  "details", "information", "name",   "post"};
  return words.contains(word);
}

bool is_function(std::string_view word) {
  static const Words words = {"i",
                              "you",
                              "we",
                              "they",
                              "it",
                              "he",
                              "she",
                              "there",
                              "here",
                              "what",
                              "which",
                              "who",
                              "how",
                              "where",
                              "when",
                              "why",
                              "yes",
                              "no",
                              "ok",
                              "okay",
                              "sorry",
                              "do",
                              "does",
                              "did",
                              "would",
                              "can",
                              "could",
                              "thank",
                              "thanks",
                              "that",
                              "this",
                              "these",
                              "those",
                              "if",
                              "for",
                              "in",
                              "on",
                              "at",
                              "to",
                              "and",
                              "or",
                              "but",
                              "sure",
                              "would",
                              "please",
                              "both",
                              "i'm",
                              "i've",
                              "their",
                              "its",
                              "my",
                              "your",
                              "our",
                              "his",
                              "her",
                              "any",
                              "some",
                              "not",
                              "unfortunately",
                              "are",
                              "is",
                              "there's",
                              "what's"};
  return words.contains(word);
}

bool is_stop(std::string_view word) {
  return word == "." || word == "," || word == "?" || word == "!" || word == ";" || word == ":";
}

// Verbs behind which a subject ends: "Nandos is", "galleria serves".
bool ends_subject(std::string_view word) {
  static const Words words = {"is",     "serves", "offers", "has",   "provides", "would",
                              "sounds", "fits",   "was",    "looks", "located"};
  return words.contains(word);
}

// The subject of a statement, where it can be a name or a thing with one: at most five words, no attribute.
std::optional<std::string> subject_of(std::string_view sentence) {
  constexpr std::size_t kLongest = 6;
  const LatinWords words = read_latin_words(sentence, {});
  for (std::size_t i = 0; i < words.size() && i <= kLongest; ++i) {
    const std::string& word = words[i].lower;
    if (ends_subject(word)) {
      if (i == 0 || is_attribute(words[i - 1].lower)) return std::nullopt;
      if (sentence.back() == '?') return std::nullopt;
      return std::string(sentence.substr(words[0].begin, words[i - 1].end - words[0].begin));
    }
    if (!words[i].is_word || (is_function(word) && (i == 0 || (word != "and" && word != "in" && word != "on" &&
                                                               word != "at" && word != "to"))))
      return std::nullopt;
  }
  return std::nullopt;
}

// "I recommend X", "I found X.": a name with capitals behind a verb of showing.
std::optional<std::string> shown_in(std::string_view sentence) {
  const LatinWords words = read_latin_words(sentence, {});
  static const Words kShow = {"recommend", "suggest", "try", "called", "named", "have", "found", "choose", "pick"};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (!kShow.contains(words[i].lower)) continue;
    std::size_t end = i + 1;
    while (end < words.size() && words[end].is_word && words[end].capital && words[end].lower != "i") ++end;
    if (end > i + 1) return std::string(sentence.substr(words[i + 1].begin, words[end - 1].end - words[i + 1].begin));
  }
  return std::nullopt;
}

// What the talk is about: the nearest subject of a statement.
std::optional<std::string> topic_of(const std::vector<EarlierMessage>& earlier) {
  const std::size_t read = std::min(earlier.size(), kEarlierRead);
  for (std::size_t back = 1; back <= read; ++back) {
    const auto parts = sentences(earlier[earlier.size() - back].text);
    for (const std::string_view sentence : parts) {
      if (auto subject = subject_of(sentence)) return subject;
      if (auto shown = shown_in(sentence)) return shown;
    }
  }
  return std::nullopt;
}

// What the last question asked for: "What price range would you like?" → "price range".
std::optional<std::string> asked_for(const std::vector<EarlierMessage>& earlier) {
  if (earlier.empty()) return std::nullopt;
  std::optional<std::string> asked;
  for (const std::string_view sentence : sentences(earlier.back().text)) {
    if (sentence.back() != '?') continue;
    const LatinWords words = read_latin_words(sentence, {});
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      const std::string& word = words[i].lower;
      const bool opens = word == "what" || word == "which" ||
                         (word == "a" && i > 0 && (words[i - 1].lower == "have" || words[i - 1].lower == "prefer"));
      if (!opens) continue;
      std::size_t end = i + 1;
      while (end < words.size() && end < i + 5 && words[end].is_word &&
             (!is_function(words[end].lower) || words[end].lower == "of") && !is_modal(words[end].lower) &&
             words[end].lower != "preference" && words[end].lower != "preferred" && words[end].lower != "are")
        ++end;
      if (end > i + 1)
        asked = std::string(sentence.substr(words[i + 1].begin, words[end - 1].end - words[i + 1].begin));
      break;
    }
  }
  return asked;
}

// A replacement of a few bytes of the turn.
struct Patch {
  std::size_t begin = 0, end = 0;
  std::string by;
};

std::string patched(std::string_view text, const std::vector<Patch>& patches) {
  std::string out;
  std::size_t at = 0;
  for (const Patch& patch : patches) {
    if (patch.begin < at) continue;
    out += text.substr(at, patch.begin - at);
    out += patch.by;
    at = patch.end;
  }
  return out + std::string(text.substr(at));
}

// Behind the nouns that begin at `i` and those they are joined with: "address and phone number".
std::size_t end_of_attributes(const LatinWords& words, std::size_t i) {
  std::size_t end = i;
  for (std::size_t k = i; k < words.size() && k < i + 14; ++k) {
    const std::string& word = words[k].lower;
    if (is_attribute(word)) {
      end = k + 1;
    } else if (word != "and" && word != "," && word != "the" && word != "food" && word != "their" && word != "its" &&
               word != "area") {
      break;
    }
  }
  return end;
}

// "its address and phone number" → "the address and phone number of Nandos"; "it" → "Nandos".
std::vector<Patch> resolve(const LatinWords& words, const std::string& topic) {
  std::vector<Patch> patches;
  for (const Reference& reference : find_english_references(words)) {
    if (reference.person != 3 || reference.kind == ReferenceKind::kPerson) continue;
    const std::string& word = words[reference.word].lower;
    if (word.find('\'') != std::string::npos) continue;
    if (reference.form != PronounForm::kDeterminer) {
      patches.push_back({reference.begin, reference.end, topic});
      continue;
    }
    const std::size_t end = end_of_attributes(words, reference.word + 1);
    if (end == reference.word + 1) {
      patches.push_back({reference.begin, reference.end, topic + "'s"});
      continue;
    }
    patches.push_back({reference.begin, reference.end, "the"});
    patches.push_back({words[end - 1].end, words[end - 1].end, " of " + topic});
  }
  return patches;
}

// "What is the address?" → "What is the address of Nandos?".
std::vector<Patch> supply(const LatinWords& words, const std::string& topic) {
  static const Words kAsks = {"what", "what's", "can",  "could", "may",  "need",    "give",
                              "get",  "have",   "like", "know",  "tell", "provide", "whats"};
  const bool asks =
      std::any_of(words.begin(), words.end(), [](const LatinWord& word) { return kAsks.contains(word.lower); });
  if (!asks) return {};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_attribute(words[i].lower)) continue;
    const std::size_t end = end_of_attributes(words, i);
    const std::string_view next = end < words.size() ? std::string_view(words[end].lower) : std::string_view();
    if (!next.empty() && !is_stop(next) && next != "please") return {};
    return {{words[end - 1].end, words[end - 1].end, " of " + topic}};
  }
  return {};
}

// "I don't care." → "I don't care about the price range.".
std::vector<Patch> say_about_what(const LatinWords& words, const std::string& asked) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].lower != "care" || i == 0 ||
        (words[i - 1].lower != "don't" && words[i - 1].lower != "not" && words[i - 1].lower != "dont"))
      continue;
    const bool about = i + 2 < words.size() && words[i + 1].lower == "about" &&
                       (words[i + 2].lower == "it" || words[i + 2].lower == "that");
    const std::size_t last = about ? i + 2 : i;
    if (last + 1 < words.size() && !is_stop(words[last + 1].lower)) return {};
    return {{words[i].end, words[last].end, " about the " + asked}};
  }
  return {};
}

}  // namespace

std::string complete_turn(std::string_view text, const std::vector<EarlierMessage>& earlier) {
  const LatinWords words = read_latin_words(text, protected_spans(text));
  if (const auto asked = asked_for(earlier)) {
    if (const auto patches = say_about_what(words, *asked); !patches.empty()) return patched(text, patches);
  }
  const auto topic = topic_of(earlier);
  if (!topic) return std::string(text);
  if (const auto patches = resolve(words, *topic); !patches.empty()) return patched(text, patches);
  return patched(text, supply(words, *topic));
}

}  // namespace weft
