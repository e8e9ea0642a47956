// Two small grammars, one a language. English is read by words: a verb phrase from a table with the subject before it
// and the value behind it. Chinese is read by clauses: a phrase, or a frame such as 在…工作 or 对…过敏, with the
// subject before it. What they do not see is kept as a note, so that they may miss but should not misread.
#include "flow/memory/profile_statements.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "flow/memory/profile_phrases.h"
#include "text/han_fold.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMaxSentence = 2000;
constexpr std::size_t kMaxSubjectWords = 4;

template <class List>
bool holds(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

std::string_view trim(std::string_view text, std::string_view blanks = " \t\r\n.,;:!\"'") {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Folded so that both grammars compare plain bytes: simplified, lower case, ASCII punctuation.
std::string folded(std::string_view sentence) {
  std::string text = fold_han(sentence);
  for (char& c : text) c = to_lower(c);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kForms{{{"’", "'"},
                                                                                 {"，", ","},
                                                                                 {"；", ";"},
                                                                                 {"。", "."},
                                                                                 {"！", "!"},
                                                                                 {"？", "?"},
                                                                                 {"：", ":"},
                                                                                 {"（", "("},
                                                                                 {"）", ")"}}};
  for (const auto& [from, to] : kForms) text = replaced(std::move(text), from, to);
  return text;
}

// The parts of a value that may be a list.
void split_value(ProfileStatement& made) {
  if (!made.single) {
    std::string list = made.value;
    for (const std::string_view separator : {", and ", " and ", " or ", ", ", "/", "、", "以及", "和", "与"}) {
      list = replaced(std::move(list), separator, "\n");
    }
    for (std::string_view rest = list; !rest.empty();) {
      const auto end = rest.find('\n');
      if (const auto part = trim(rest.substr(0, end)); !part.empty()) made.parts.emplace_back(part);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }
  if (made.parts.empty()) made.parts.push_back(made.value);
  for (const auto& part : made.parts) made.values.push_back(value_key(part));
}

std::optional<ProfileStatement> statement(std::string_view subject, const Phrase& phrase, std::string_view value) {
  value = trim(value);
  if (value.empty()) return std::nullopt;
  ProfileStatement made;
  made.subject = subject;
  made.attribute = phrase.attribute;
  made.single = phrase.single;
  made.polarity = phrase.polarity;
  made.value = value;
  split_value(made);
  return made;
}

// English.

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t\r\n", at)) != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// A phrase that was found: its words are [begin, end).
struct Match {
  std::size_t begin = 0, end = 0;
  Phrase phrase;
  std::string owned_attribute;  // "favourite colour", whose name is not in the table
  std::size_t subject_end = 0;  // words before it name the subject
};

bool same_words(const std::vector<std::string_view>& words, std::size_t at, std::string_view phrase) {
  for (const auto part : words_of(phrase)) {
    if (at >= words.size() || words[at++] != part) return false;
  }
  return true;
}

std::size_t count_words(std::string_view phrase) {
  return static_cast<std::size_t>(std::count(phrase.begin(), phrase.end(), ' ')) + 1;
}

std::optional<Match> match_verb(const std::vector<std::string_view>& words, std::size_t at) {
  std::optional<Match> best;
  for (const EnglishPhrase& entry : english_phrases(words[at])) {
    const std::size_t size = count_words(entry.words);
    if (best && best->end - best->begin >= size) continue;
    if (same_words(words, at, entry.words)) best = Match{at, at + size, entry.phrase, {}, at};
  }
  return best;
}

// "ann's favourite colour is green": owner, noun, copula.
std::optional<Match> match_owned(const std::vector<std::string_view>& words, std::size_t at) {
  if (!words[at].ends_with("'s") && !words[at].ends_with("s'")) return std::nullopt;
  constexpr std::size_t kLongestNoun = 3;
  for (std::size_t is = at + 2; is < words.size() && is <= at + 1 + kLongestNoun; ++is) {
    if (words[is] != "is" && words[is] != "are") continue;
    std::string noun;
    for (std::size_t i = at + 1; i < is; ++i) noun += (noun.empty() ? "" : " ") + std::string(words[i]);
    const auto attribute = owned_attribute(noun);
    if (attribute.empty()) return std::nullopt;
    Match match{at, is + 1, {{}, true, Polarity::kYes}, attribute, at + 1};
    if (same_words(words, is + 1, "no longer")) {
      match.phrase.polarity = Polarity::kNoLonger;
      match.end += 2;
    } else if (same_words(words, is + 1, "not")) {
      match.phrase.polarity = Polarity::kNo;
      match.end += 1;
    }
    return match;
  }
  return std::nullopt;
}

std::string join(const std::vector<std::string_view>& words, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += (text.empty() ? "" : " ") + std::string(words[i]);
  return text;
}

// Where the value that ends before `end` really ends: at the last connection, if a new clause follows it. No connection
// means that the phrase at `end` is inside the value.
std::optional<std::size_t> clause_start(const std::vector<std::string_view>& words, std::size_t begin,
                                        std::size_t end) {
  for (std::size_t at = end; at > begin; --at) {
    const std::string_view word = words[at - 1];
    if (word == "and" || word == "but" || word.ends_with(',') || word.ends_with(';') || word.ends_with('.')) return at;
  }
  return std::nullopt;
}

std::optional<std::string> english_subject(const std::vector<std::string_view>& words, std::size_t begin,
                                           std::size_t end) {
  std::vector<std::string_view> kept;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string_view word = trim(words[i]);
    if (is_unsure_english(word)) return std::nullopt;
    if (!word.empty() && !is_adverb_english(word)) kept.push_back(word);
  }
  if (kept.size() > kMaxSubjectWords) return std::nullopt;
  std::string subject = join(kept, 0, kept.size());
  if (subject.ends_with("'s")) subject.resize(subject.size() - 2);
  return subject;
}

// The value up to what explains it.
std::string english_value(const std::vector<std::string_view>& words, std::size_t begin, std::size_t end,
                          Match& match) {
  std::size_t stop = begin;
  while (stop < end && !ends_value_english(trim(words[stop]))) {
    const bool last = words[stop].ends_with(';') || words[stop].ends_with('.') ||
                      (match.phrase.single && match.phrase.attribute != "birthday" && words[stop].ends_with(','));
    ++stop;
    if (last && stop < end && !words[stop - 1].ends_with("st.")) break;
  }
  while (stop > begin) {
    const auto word = trim(words[stop - 1]);
    if ((word == "anymore" || word == "longer" || word == "more") && match.phrase.polarity == Polarity::kNo) {
      match.phrase.polarity = Polarity::kNoLonger;
    } else if (!is_adverb_english(word) && word != "and" && word != "but" && word != "any" && word != "no") {
      break;
    }
    --stop;
  }
  return join(words, begin, stop);
}

std::vector<Match> english_matches(const std::vector<std::string_view>& words) {
  std::vector<Match> matches;
  for (std::size_t at = 0; at < words.size();) {
    auto match = match_owned(words, at);
    if (!match) match = match_verb(words, at);
    if (match) matches.push_back(*match);
    at = match ? match->end : at + 1;
  }
  return matches;
}

std::vector<ProfileStatement> read_english(std::string_view text) {
  const auto words = words_of(text);
  auto matches = english_matches(words);
  std::vector<ProfileStatement> statements;
  std::string subject;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    Match& match = matches[i];
    const auto named = english_subject(words, begin, match.subject_end);
    if (!named) return {};
    if (i == 0 || (!named->empty() && !is_pronoun_english(*named))) subject = *named;
    std::size_t end = words.size();
    std::size_t next = i + 1;
    for (; next < matches.size(); ++next) {
      const auto start = clause_start(words, match.end, matches[next].begin);
      if (!start) continue;
      end = begin = *start;
      break;
    }
    if (!match.owned_attribute.empty()) match.phrase.attribute = match.owned_attribute;
    const std::string value = english_value(words, match.end, end, match);
    if (is_no_name_english(subject)) return {};
    if (auto made = statement(subject, match.phrase, value)) statements.push_back(std::move(*made));
    i = next - 1;
  }
  return statements;
}

// Chinese.

std::optional<std::string> chinese_subject(std::string_view text) {
  if (is_unsure_chinese(text) || text.ends_with("忍") || text.ends_with("禁")) return std::nullopt;  // 忍不住在
  for (bool cut = true; cut;) {
    text = trim(text);
    cut = false;
    for (const auto adverb : adverbs_chinese()) {
      if (!text.ends_with(adverb)) continue;
      text.remove_suffix(adverb.size());
      cut = true;
    }
  }
  constexpr std::size_t kLongestName = 60;
  if (text.size() > kLongestName) return std::nullopt;
  return std::string(text);
}

struct Found {
  std::string_view before, value;
  Phrase phrase;
};

// The phrase that comes first, the longest of those that begin there.
std::optional<Found> find_phrase(std::string_view clause) {
  std::optional<Found> best;
  std::size_t best_at = std::string_view::npos, best_size = 0;
  for (const ChinesePhrase& entry : chinese_phrases()) {
    const auto at = clause.find(entry.words);
    if (at == std::string_view::npos || at > best_at || (at == best_at && entry.words.size() <= best_size)) continue;
    best_at = at;
    best_size = entry.words.size();
    best = Found{clause.substr(0, at), clause.substr(at + best_size), entry.phrase};
  }
  return best;
}

// 在…工作, 对…过敏: a value between two parts.
std::optional<Found> find_frame(std::string_view clause) {
  for (const ChineseFrame& frame : chinese_frames()) {
    if (!clause.ends_with(frame.behind)) continue;
    const auto at = clause.find(frame.before);
    if (at == std::string_view::npos) continue;
    const auto begin = at + frame.before.size(), end = clause.size() - frame.behind.size();
    if (begin >= end) continue;
    return Found{clause.substr(0, at), clause.substr(begin, end - begin), frame.phrase};
  }
  return std::nullopt;
}

std::vector<std::string_view> clauses_of(std::string_view text) {
  std::vector<std::string_view> clauses;
  while (!text.empty()) {
    const auto end = text.find_first_of(",;");
    const auto clause = trim(text.substr(0, end));
    if (!clause.empty()) clauses.push_back(clause);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return clauses;
}

// A verb before 的 is part of a name for a thing, one before 与 is a noun; a colon is the end of a sender's name.
bool is_value_chinese(std::string_view value) {
  for (const std::string_view word : {"的", "与", "和", "是", "了"}) {
    if (value.starts_with(word)) return false;
  }
  return value.find(':') == std::string_view::npos;
}

// Sentences without subject say these of anything at all.
bool needs_subject(std::string_view attribute) { return attribute == "origin" || attribute == "is"; }

std::vector<ProfileStatement> read_chinese(std::string_view text) {
  std::vector<ProfileStatement> statements;
  std::string subject;
  bool first = true;
  const auto clauses = clauses_of(text);
  for (std::string_view clause : clauses) {
    if (clause.ends_with("了") && clause.size() > 6) clause.remove_suffix(std::string_view("了").size());
    auto found = find_frame(clause);
    if (!found) found = find_phrase(clause);
    if (!found) continue;
    const auto named = chinese_subject(found->before);
    // After a clause that was not understood nobody knows whom a clause without subject is about.
    if (!named || (named->empty() && first && clause.data() != clauses.front().data())) return {};
    if (first || (!named->empty() && !is_pronoun_chinese(*named))) subject = *named;
    first = false;
    if (is_no_name_chinese(subject)) return {};
    if (!is_value_chinese(found->value) || (subject.empty() && needs_subject(found->phrase.attribute))) continue;
    if (auto made = statement(subject, found->phrase, found->value)) statements.push_back(std::move(*made));
  }
  return statements;
}

bool has_cjk(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_cjk(next_code_point(text, at))) return true;
  }
  return false;
}

}  // namespace

std::string value_key(std::string_view value) {
  std::string key;
  for (const auto& word : index_words(value)) key += (key.empty() ? "" : " ") + word;
  return key.empty() ? normalize(value) : key;
}

std::vector<ProfileStatement> read_statements(std::string_view sentence) {
  if (sentence.size() > kMaxSentence || find_invalid_utf8(sentence)) return {};
  const std::string text = folded(sentence);
  const std::string_view end = trim(text, " \t\r\n\"'");
  if (end.ends_with('?') || end.ends_with("吗") || end.ends_with("呢")) return {};
  return has_cjk(text) ? read_chinese(text) : read_english(text);
}

bool is_preference(std::string_view attribute) {
  return attribute == "likes" || attribute == "prefers" || attribute == "eats" || attribute == "drinks" ||
         attribute.starts_with("favourite");
}

}  // namespace weft
