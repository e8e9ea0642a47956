#include "text/small_talk.h"

#include <unicode/uchar.h>
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

bool is_break(const PlainWord& word) {
  return word.kind == WordKind::kComma || word.kind == WordKind::kStop || word.kind == WordKind::kQuestion ||
         word.kind == WordKind::kEmoji;
}

// Capitalised, and yet no name of a person: what answers "when?".
bool is_day_or_month(std::string_view word) {
  static const LexiconWords set = lexicon_words("en/small_talk", "days");
  return set.contains(word);
}

// "hahaha", "ahahah", "hehe", "hhhh", "kkkk"; "ha" alone is in the list.
bool is_laughter(const std::string& word) {
  if (word.size() < 3) return false;
  if (word.find_first_not_of('h') == std::string::npos || word.find_first_not_of('k') == std::string::npos) return true;
  return word.find_first_not_of("ha") == std::string::npos || word.find_first_not_of("he") == std::string::npos ||
         (word.size() >= 4 && word.find_first_not_of("ho") == std::string::npos && word[0] == 'h');
}

// "sooo", "heyyy", "goood": letters that come three times or more, down to `most`.
std::string squeeze(const std::string& word, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < word.size();) {
    std::size_t end = i;
    while (end < word.size() && word[end] == word[i]) ++end;
    out.append(end - i >= 3 ? most : end - i, word[i]);
    i = end;
  }
  return out;
}

// Walks through the words with the states a place can be reached in. A place is reached when everything before it is
// small talk.
class Walk {
 public:
  Walk(const std::vector<PlainWord>& words, const CapitalWords& names) : words_(words), names_(names) {}

  bool run() {
    reached_.assign(words_.size() + 1, 0);
    reached_[0] = kFree;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (reached_[i] != 0) step(i);
    }
    return (reached_[words_.size()] & kEnd) != 0;
  }

 private:
  // After what the place comes: anything finished; a frame that wants praise; praise; a greeting; in the middle of
  // address, which has to end with the clause.
  enum State : std::uint8_t { kFree = 1, kFramed = 2, kPraised = 4, kGreeted = 8, kNamed = 16 };
  static constexpr std::uint8_t kEnd = kFree | kPraised | kGreeted | kNamed;

  void reach(std::size_t at, int state) { reached_[at] = static_cast<std::uint8_t>(reached_[at] | state); }

  void step(std::size_t i) {
    const std::uint8_t state = reached_[i];
    if (is_break(words_[i])) {
      // "Hi, Ann": the comma is part of the greeting.
      const bool comma = words_[i].kind == WordKind::kComma;
      if ((state & kEnd) != 0) reach(i + 1, kFree | (comma ? state & (kGreeted | kPraised) : 0));
      if ((state & kFramed) != 0 && comma) reach(i + 1, kFramed);
      return;
    }
    const bool free = (state & (kFree | kPraised | kGreeted)) != 0;
    talk_phrases().for_each(words_, i, [&](std::size_t length, int value) {
      follow(i + length, static_cast<TalkPart>(value), state, free);
    });
    if (free && is_laughter(words_[i].text)) reach(i + 1, kFree);
    if (names_.contains(words_[i].text) && !is_day_or_month(words_[i].text)) follow_name(i, state);
  }

  void follow(std::size_t end, TalkPart part, std::uint8_t state, bool free) {
    switch (part) {
      case TalkPart::kGreeting:
        if (free) reach(end, kGreeted);
        break;
      case TalkPart::kAnswer:
        if (free) reach(end, kFree | kGreeted);
        break;
      case TalkPart::kPraise:
        if (free || (state & kFramed) != 0) reach(end, kPraised);
        break;
      case TalkPart::kFrame:
        if (free) reach(end, kFramed);
        break;
      case TalkPart::kNoun:
        if ((state & kPraised) != 0) reach(end, kFree);
        break;
      case TalkPart::kGlue: reach(end, state & ~kNamed); break;
      case TalkPart::kAddress:
        if (free) reach(end, kNamed);
        break;
    }
  }

  // A name behind or before a greeting, up to two words: "Thanks, Mary Ann!", "Ann, hello".
  void follow_name(std::size_t i, std::uint8_t state) {
    if ((state & kGreeted) != 0) {
      reach(i + 1, kNamed);
      if (i + 1 < words_.size() && names_.contains(words_[i + 1].text)) reach(i + 2, kNamed);
    }
    const bool begins = i == 0 || (is_break(words_[i - 1]) && words_[i - 1].kind != WordKind::kComma);
    if (begins && (state & kFree) != 0 && i + 2 < words_.size() && words_[i + 1].kind == WordKind::kComma) {
      talk_phrases().for_each(words_, i + 2, [&](std::size_t, int value) {
        if (static_cast<TalkPart>(value) == TalkPart::kGreeting) reach(i + 1, kFree);
      });
    }
  }

  const std::vector<PlainWord>& words_;
  const CapitalWords& names_;
  std::vector<std::uint8_t> reached_;
};

// Lengthened words get the form in which the lists know them.
void shorten(std::vector<PlainWord>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].kind != WordKind::kWord || words[i].text.size() < 3) continue;
    for (const std::size_t most : {std::size_t{1}, std::size_t{2}}) {
      std::string shorter = squeeze(words[i].text, most);
      if (shorter == words[i].text) break;
      std::vector<PlainWord> alone{{shorter, WordKind::kWord}};
      if (talk_phrases().longest(alone, 0).words == 0) continue;
      words[i].text = std::move(shorter);
      break;
    }
  }
}

// Composed formulas: each that begins with each that ends one.
void add_composed(PhraseTable& table, std::string_view file, const std::string& name, std::string_view between) {
  for (const std::string_view head : lexicon(file, name + " begins"))
    for (const std::string_view tail : lexicon(file, name + " ends"))
      table.add(std::string(head) + std::string(between) + std::string(tail), static_cast<int>(TalkPart::kGreeting));
}

/// One list of phrases, which a clause may lack where it is optional.
struct Part {
  /// Calls `found(words)` for each way in which the list can be met at that place.
  template <class Found>
  void at(const std::vector<PlainWord>& words, std::size_t place, Found found) const {
    if (place < words.size()) table.for_each(words, place, [&](std::size_t count, int) { found(count); });
    if (optional) found(std::size_t{0});
  }

  PhraseTable table;
  bool optional;
};

/// A clause is one phrase of each list in turn.
struct Confirmation {
  Confirmation(std::string_view file, const std::string& name, bool bare, bool needs_object)
      : who{part(file, name + " who"), bare},
        does{part(file, name + " does"), false},
        what{part(file, name + " what"), !needs_object} {}

  static PhraseTable part(std::string_view file, const std::string& list) {
    PhraseTable table;
    for (const std::string_view phrase : lexicon(file, list)) table.add(phrase, 1);
    return table;
  }

  Part who, does, what;
};

const std::vector<Confirmation>& confirmations() {
  static const std::vector<Confirmation> all{{"en/small_talk", "promise", false, false},
                                             {"en/small_talk", "report", false, true},
                                             {"en/small_talk", "note", true, false},
                                             {"zh/small_talk", "note", true, false},
                                             {"zh/small_talk", "topic", false, true}};
  return all;
}

bool ends_clause(const PlainWord& word) {
  return word.kind == WordKind::kComma || word.kind == WordKind::kStop || word.kind == WordKind::kQuestion ||
         word.kind == WordKind::kEmoji || word.text == "and" || word.text == "!";
}

// Words of the confirmation that begins here and fills the rest of its clause; 0: none does.
std::size_t confirmation_at(const std::vector<PlainWord>& words, std::size_t begin) {
  std::size_t length = 0;
  for (const Confirmation& one : confirmations()) {
    one.who.at(words, begin, [&](std::size_t who) {
      one.does.at(words, begin + who, [&](std::size_t does) {
        one.what.at(words, begin + who + does, [&](std::size_t what) {
          const std::size_t end = begin + who + does + what;
          if (end == words.size() || ends_clause(words[end])) length = std::max(length, end - begin);
        });
      });
    });
  }
  return length;
}

// Small talk before a confirmation ("sure", 好的) stays, and is judged by itself.
std::vector<PlainWord> without_confirmations(const std::vector<PlainWord>& words) {
  std::vector<PlainWord> left;
  for (std::size_t i = 0; i < words.size();) {
    const std::size_t length = confirmation_at(words, i);
    if (length == 0) left.push_back(words[i]);
    i += length == 0 ? 1 : length;
  }
  return left;
}

}  // namespace

CapitalWords capital_words(std::string_view text) {
  CapitalWords capitals;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto first = static_cast<UChar32>(next_code_point(text, at));
    if (u_isalpha(first) == 0) continue;
    for (std::size_t next = at; next < text.size(); at = next) {
      if (u_isalpha(static_cast<UChar32>(next_code_point(text, next))) == 0) break;
    }
    if (u_isupper(first) != 0) capitals.insert(normalize(text.substr(begin, at - begin)));
  }
  return capitals;
}

bool is_empty_talk(std::string_view text) {
  const std::vector<PlainWord> words = plain_words(text);
  return is_empty_talk(words, 0, words.size(), capital_words(text));
}

bool is_empty_talk(const std::vector<PlainWord>& words, std::size_t begin, std::size_t end,
                   const CapitalWords& capitals) {
  std::vector<PlainWord> part(words.begin() + static_cast<std::ptrdiff_t>(begin),
                              words.begin() + static_cast<std::ptrdiff_t>(end));
  shorten(part);
  return Walk(part, capitals).run();
}

const PhraseTable& talk_phrases() {
  static const PhraseTable table = [] {
    PhraseTable built;
    const auto add = [&](const char* list, TalkPart part) {
      for (const std::string_view file : {"en/small_talk", "zh/small_talk"})
        for (const std::string_view phrase : lexicon(file, list)) built.add(phrase, static_cast<int>(part));
    };
    add("greetings", TalkPart::kGreeting);
    add_composed(built, "en/small_talk", "thanks", " ");
    for (const char* name : {"thanks", "wishes", "agreement", "well said", "care"})
      add_composed(built, "zh/small_talk", name, "");
    add("wishes ends", TalkPart::kGreeting);  // 生日快乐 needs no 祝 before it
    add("answers", TalkPart::kAnswer);
    add("praise", TalkPart::kPraise);
    add("frames", TalkPart::kFrame);
    add("nouns", TalkPart::kNoun);
    add("glue", TalkPart::kGlue);
    add("address", TalkPart::kAddress);
    return built;
  }();
  return table;
}

bool says_nothing(std::string_view text) {
  const std::vector<PlainWord> words = plain_words(text);
  const CapitalWords capitals = capital_words(text);
  if (is_empty_talk(words, 0, words.size(), capitals)) return true;
  const std::vector<PlainWord> left = without_confirmations(words);
  return left.size() < words.size() && is_empty_talk(left, 0, left.size(), capitals);
}

bool is_receipt(std::string_view output) {
  constexpr std::size_t kLongest = 160;
  if (output.empty() || output.size() > kLongest) return false;
  static const LexiconWords words = lexicon_words("en/small_talk", "receipts");
  const auto chinese = lexicon("zh/small_talk", "receipts");
  bool done = false;
  for (const PlainWord& word : plain_words(output)) {
    if (words.contains(word.text)) {
      done = true;
      continue;
    }
    const bool mark = word.text.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos &&
                      static_cast<unsigned char>(word.text.empty() ? ' ' : word.text.front()) < 0x80;
    if (mark) continue;
    const bool in_chinese = std::any_of(chinese.begin(), chinese.end(),
                                        [&](std::string_view one) { return one.find(word.text) != one.npos; });
    if (!in_chinese) return false;
    done = true;
  }
  return done;
}

}  // namespace weft
