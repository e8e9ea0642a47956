// Two small grammars, one a language. English is read by words: a verb phrase from a table with the subject before it
// and the value behind it. Chinese is read by clauses: a phrase, or a frame such as 在…工作 or 对…过敏, with the
// subject before it. What they do not see is kept as a note, so that they may miss but should not misread.
#include "flow/memory/profile_statements.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/strings.h"
#include "flow/memory/profile_phrases.h"
#include "flow/memory/standing_wish.h"
#include "flow/memory/statement_readers.h"
#include "text/changes.h"
#include "text/han_fold.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMaxSentence = 2000;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// "next friday [27 november 2026]": what was set beside the words said is no part of them.
std::string without_notes(std::string text) {
  constexpr std::size_t kLongest = 80;
  for (auto open = text.find('['); open != std::string::npos; open = text.find('[', open)) {
    const auto close = text.find(']', open);
    if (close == std::string::npos) break;
    if (close - open > kLongest) {
      open = close;
      continue;
    }
    const bool blank = open > 0 && text[open - 1] == ' ';
    text.erase(open - (blank ? 1 : 0), close + 1 - open + (blank ? 1 : 0));
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
  return without_notes(std::move(text));
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
      if (const auto part = trim_words(rest.substr(0, end)); !part.empty()) made.parts.emplace_back(part);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }
  if (made.parts.empty()) made.parts.push_back(made.value);
  for (const auto& part : made.parts) made.values.push_back(value_key(part));
}

bool has_cjk(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_cjk(next_code_point(text, at))) return true;
  }
  return false;
}

}  // namespace

std::string_view trim_words(std::string_view text, std::string_view blanks) { return trimmed(text, blanks); }

std::string_view trim_marks(std::string_view text) {
  for (bool cut = true; cut;) {
    text = trim_words(text);
    cut = false;
    for (const std::string_view mark : {"。", "，", "；", "：", "！", "“", "”", "、"}) {
      if (text.starts_with(mark)) text.remove_prefix(mark.size()), cut = true;
      if (text.ends_with(mark)) text.remove_suffix(mark.size()), cut = true;
    }
  }
  return text;
}

std::optional<ProfileStatement> make_statement(std::string_view subject, const Phrase& phrase, std::string_view value) {
  value = trim_words(value);
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

std::string value_key(std::string_view value) {
  std::string key;
  for (const auto& word : index_words(value)) key += (key.empty() ? "" : " ") + word;
  return key.empty() ? normalize(value) : key;
}

std::vector<ProfileStatement> read_statements(std::string_view sentence) {
  if (sentence.size() > kMaxSentence || find_invalid_utf8(sentence)) return {};
  const std::string text = folded(sentence);
  const std::string_view end = trim_words(text, " \t\r\n\"'");
  if (end.ends_with('?') || end.ends_with("吗") || end.ends_with("呢")) return {};
  if (auto wish = read_wish_line(sentence)) return {std::move(*wish)};
  auto statements = has_cjk(text) ? read_chinese(text) : read_english(text, sentence);
  if (tells_of_addition(text))
    for (ProfileStatement& one : statements) one.single = false;
  return statements;
}

bool is_preference(std::string_view attribute) {
  return attribute == "likes" || attribute == "prefers" || attribute == "eats" || attribute == "drinks" ||
         attribute.starts_with("favourite") || attribute.starts_with("wish:");
}

}  // namespace weft
