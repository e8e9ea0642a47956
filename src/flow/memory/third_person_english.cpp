#include "flow/memory/third_person_english.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/strings.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/statement_readers.h"
#include "text/english_verbs.h"
#include "text/time_expressions.h"

namespace weft {
namespace {

using View = std::string_view;

// The verb of "I": its form for one who is spoken of.
std::string verb_of(View word, bool past) {
  const std::string verb = lower_words(word);
  if ((past || verb == "quit") && is_base_and_past(verb)) return verb;
  if (verb == "am" || verb == "are") return "is";
  if (verb == "were") return "was";
  if (is_modal(verb) || is_past_form(verb) || verb == "was") return verb;
  return third_person(verb);
}

// "… two years ago", "… on Monday": of the past, whatever its verb looks like.
bool tells_of_past(const std::vector<View>& words) {
  constexpr Time kSomeDay{1'772'700'000'000, 0};
  std::string text;
  for (const View word : words) text += (text.empty() ? "" : " ") + std::string(word);
  const auto times = find_time_expressions(text, kSomeDay);
  if (std::any_of(times.begin(), times.end(), [&](const TimeExpression& one) {
        return one.kind == TimeKind::kDate && one.from_ms && *one.from_ms < kSomeDay.ms;
      }))
    return true;
  return std::any_of(words.begin(), words.end(), [](View word) {
    const std::string plain = lower_words(trim_words(word, " ,.;:!"));
    return plain == "ago" || plain == "last" || plain == "yesterday" || plain == "finally" || plain == "just" ||
           plain == "recently";
  });
}

// Pronouns of the speaker behind the verb.
std::string named(View word, const std::string& subject) {
  const std::string plain = lower_words(word);
  const View bare = trim_words(plain, ".,;:!");
  const std::string tail(
      word.substr(std::min(word.size(), static_cast<std::size_t>(bare.data() - plain.data()) + bare.size())));
  const bool country = word.starts_with("US");
  if (bare == "my" || bare == "our" || bare == "mine" || bare == "ours") return subject + "'s" + tail;
  if (bare == "me" || (bare == "us" && !country) || bare == "i") return subject + tail;
  if (bare == "myself" || bare == "ourselves") return "themselves" + tail;
  return std::string(word);
}

// "Do I", "should I", "am I": the auxiliary stands before its subject and has its form, the verb behind it has none.
// Puts the auxiliary at the end of `text` into the third person; false where none is there.
bool turn_auxiliary(std::string& text) {
  const auto at = text.rfind(' ') + 1;  // 0 where there is one word
  const std::string word = lower_words(View(text).substr(at));
  if (word == "did" || word == "didn't" || (is_modal(word) && word != "need")) return true;
  static const std::array<std::pair<View, View>, 8> kForms{{{"do", "does"},
                                                            {"don't", "doesn't"},
                                                            {"have", "has"},
                                                            {"haven't", "hasn't"},
                                                            {"am", "is"},
                                                            {"are", "is"},
                                                            {"was", "was"},
                                                            {"were", "was"}}};
  for (const auto& [own, other] : kForms) {
    if (word != own) continue;
    const bool capital = text[at] >= 'A' && text[at] <= 'Z';
    text.replace(at, View::npos, other);
    if (capital) text[at] = static_cast<char>(text[at] - 'a' + 'A');
    return true;
  }
  return false;
}

}  // namespace

std::string lower_words(View text) {
  std::string out = lowered(text);
  for (auto at = out.find("’"); at != std::string::npos; at = out.find("’")) out.replace(at, 3, "'");
  return out;
}

std::vector<View> words_in(View text) {
  std::vector<View> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t\r\n", at)) != View::npos;) {
    const auto end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_between(View word) {
  const std::string plain = lower_words(trim_words(word, " ,"));
  return is_mid_adverb(plain) || is_adverb_english(plain) || plain == "no" || plain == "longer";
}

void append_word(std::string& text, View word) { text += (text.empty() ? "" : " ") + std::string(word); }

std::string with_stop(std::string text) {
  while (!text.empty() && std::string_view(" ,;.!").find(text.back()) != View::npos) text.pop_back();
  return text.ends_with('?') ? text : text + ".";
}

namespace {

// The words from `at` on, each pronoun of the speaker as `inner` and its verb in the other form. Words in quotation
// marks stay.
void append_told(std::string& text, const std::vector<View>& words, std::size_t at, const std::string& inner) {
  bool quoted = false;
  for (; at < words.size(); ++at) {
    const View said = words[at];
    const bool opens = said.find('"') != View::npos || said.find("“") != View::npos || said.find("”") != View::npos;
    if (quoted || opens) {
      append_word(text, said);
      const auto marks = std::count(said.begin(), said.end(), '"');
      if (marks % 2 == 1) quoted = !quoted;
      if (said.find("“") != View::npos) quoted = true;
      if (said.find("”") != View::npos) quoted = false;
      continue;
    }
    const std::string plain = lower_words(trim_words(said, " ,.;:!"));
    const bool have = plain == "i've" || plain == "ive" || plain == "we've";
    if (plain == "i'm" || plain == "im" || plain == "we're" || have) {
      append_word(text, inner + (have ? " has" : " is"));
    } else if (plain == "i'll" || plain == "we'll" || plain == "i'd" || plain == "we'd") {
      append_word(text, inner + (plain.ends_with("'ll") ? " will" : " would"));
    } else if (plain == "i" && at + 1 < words.size() && words[at + 1].size() > 1 && is_upper(words[at + 1][0])) {
      append_word(text, said);  // "I Will Survive"
    } else if (plain == "i" && at > 0 && is_upper(words[at - 1].front()) &&
               (at + 1 == words.size() || said.size() > 1)) {
      append_word(text, said);  // "Euclid's Elements, Book I"
    } else if (plain == "i" || plain == "we") {
      const bool turned = turn_auxiliary(text);
      append_word(text, inner);
      if (turned) continue;
      for (; at + 1 < words.size() && is_between(words[at + 1]); ++at) append_word(text, words[at + 1]);
      if (at + 1 == words.size()) break;
      const View word = words[++at];
      const View bare = trim_words(word, ",.;:!");
      append_word(text, verb_of(bare, tells_of_past(words)) + std::string(word.substr(bare.size())));
    } else {
      append_word(text, named(said, inner));
    }
  }
}

}  // namespace

// "I'm" → "The user is", "my" → "The user's", and the verb behind "I" in its other form.
std::string words_in_third_person(const std::vector<View>& words, std::size_t at, const std::string& subject) {
  const std::string first = lower_words(trim_words(words[at], " ,"));
  const std::string inner = subject == "The user" ? "the user" : subject;
  std::string text;
  std::size_t next = at + 1;
  if (first == "my" || first == "our") {
    text = subject + "'s";
  } else {
    text = subject;
    if (first == "i'm" || first == "im" || first == "we're") {
      append_word(text, "is");
    } else if (first == "i've" || first == "ive" || first == "we've") {
      append_word(text, "has");
    } else if (first == "i'll" || first == "we'll") {
      append_word(text, "will");
    } else {
      for (; next < words.size() && is_between(words[next]); ++next) append_word(text, words[next]);
      if (next < words.size()) {
        const View word = words[next];
        const View bare = trim_words(word, ",.;:!");
        append_word(text, verb_of(bare, tells_of_past(words)) + std::string(word.substr(bare.size())));
        ++next;
      }
    }
  }
  append_told(text, words, next, inner);
  return text;
}

std::string english_in_third_person(std::string_view sentence, const std::string& name) {
  const std::string inner = name.empty() ? "the user" : name;
  std::string text;
  append_told(text, words_in(trim_words(sentence, " \t\r\n")), 0, inner);
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return with_stop(std::move(text));
}

}  // namespace weft
