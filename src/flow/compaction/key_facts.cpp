#include "flow/compaction/key_facts.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "text/json.h"

namespace weft {
namespace {

constexpr std::size_t kLongest = 300;  // bytes of a fact

bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// Bytes that may stand inside a fact.
constexpr std::array<bool, 256> fact_bytes() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (const char c : std::string_view("_./:@#%+~=&?-\\$")) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kFactBytes = fact_bytes();
bool is_fact_byte(char c) { return kFactBytes[static_cast<unsigned char>(c)]; }

struct Shape {
  std::size_t digits = 0, letters = 0, upper_inside = 0, underscores = 0, dots = 0, slashes = 0, dashes = 0, others = 0;
  bool lower = false, upper = false;
};

Shape shape_of(std::string_view word) {
  Shape shape;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (is_digit(c))
      ++shape.digits;
    else if (is_letter(c)) {
      ++shape.letters;
      shape.lower = shape.lower || is_lower(c);
      shape.upper = shape.upper || is_upper(c);
      if (is_upper(c) && i > 0 && is_lower(word[i - 1])) ++shape.upper_inside;
    } else if (c == '_')
      ++shape.underscores;
    else if (c == '.')
      ++shape.dots;
    else if (c == '/' || c == '\\')
      ++shape.slashes;
    else if (c == '-')
      ++shape.dashes;
    else
      ++shape.others;
  }
  return shape;
}

bool has_extension(std::string_view word) {
  const auto dot = word.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || word.size() - dot - 1 > 5 || word.size() - dot < 2) return false;
  const std::string_view extension = word.substr(dot + 1);
  return std::all_of(extension.begin(), extension.end(), [](char c) { return is_lower(c) || is_digit(c); }) &&
         is_lower(extension.front()) && is_name(word[dot - 1]);
}

bool is_path(std::string_view word, const Shape& shape) {
  if (shape.slashes == 0 || shape.letters == 0) return false;
  const bool drive = word.size() > 3 && is_letter(word[0]) && word[1] == ':' && word[2] == '\\';
  if (drive) return true;
  if (word.find('\\') != std::string_view::npos || shape.others > 2) return false;
  const bool rooted =
      word.starts_with('/') || word.starts_with("~/") || word.starts_with("./") || word.starts_with("../");
  if (rooted) return word.size() >= 4;
  return shape.slashes >= 2 || has_extension(word) || shape.underscores > 0;
}

bool is_date(std::string_view word, const Shape& shape) {
  return shape.letters == 0 && shape.digits >= 6 && (shape.dashes == 2 || shape.slashes == 2) &&
         is_digit(word.front()) && shape.others == 0;
}

// Ports, extensions, rooms: four digits that are no year.
bool is_short_number(std::string_view word, const Shape& shape) {
  const bool year = word.starts_with("19") || word.starts_with("20");
  return shape.digits == 4 && word.size() == 4 && !year;
}

// "--dry-run", "--level=3": a switch of a command. Its name is what cannot be guessed again.
std::string_view option_in(std::string_view run) {
  if (!run.starts_with("--") || run.size() < 5 || !is_letter(run[2])) return {};
  std::size_t end = 2;
  while (end < run.size() && (is_name(run[end]) || run[end] == '-')) ++end;
  while (run[end - 1] == '-') --end;
  return end == run.size() || run[end] == '=' || !is_fact_byte(run[end]) || end + 1 == run.size() ? run.substr(0, end)
                                                                                                  : std::string_view();
}

bool is_id(std::string_view word, const Shape& shape) {
  if (shape.others > 1 || shape.slashes > 0) return false;
  if (shape.digits == 0) return false;
  if (shape.letters == 0)
    return is_date(word, shape) || is_short_number(word, shape) ||
           (shape.digits >= 5 && shape.dots == 0 && shape.others == 0) || (shape.dots >= 2 && shape.others == 0) ||
           (word.front() == '#' && shape.digits + 1 == word.size());
  if (word.size() < 3 || word.find_first_of("=&?$") != std::string_view::npos) return false;
  // "20kg", "3pm", "2nd" are amounts, "1px" too; "4BMN53" is none.
  const auto letters = static_cast<std::size_t>(std::find_if(word.begin(), word.end(), is_letter<char>) - word.begin());
  const bool amount = is_digit(word.front()) &&
                      std::all_of(word.begin() + static_cast<std::ptrdiff_t>(letters), word.end(), is_lower<char>) &&
                      word.size() - letters <= 3;
  return !amount;
}

bool is_machine_name(std::string_view word, const Shape& shape) {
  if (shape.others > 0 || shape.slashes > 0 || word.size() < 4) return false;
  if (!is_letter(word.front()) && word.front() != '_') return false;
  if (shape.underscores > 0) return shape.letters >= 3;
  if (shape.dots > 0)
    return shape.lower && shape.letters >= 4 && (shape.dots > 1 || has_extension(word)) && shape.dashes == 0;
  return shape.upper_inside > 0 && shape.dashes == 0;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<KeyFact> run() {
    for (std::size_t at = 0; at < text_.size();) {
      if (!is_fact_byte(text_[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text_.size() && is_fact_byte(text_[end])) ++end;
      // "${root}/lib" and "$(dir)/lib" are parts of paths that cannot be known from the text.
      const bool part = at > 0 && (text_[at - 1] == ')' || text_[at - 1] == '}') && text_[at] == '/';
      if (end - at >= 3 && end - at <= kLongest && !part) read(text_.substr(at, end - at));
      at = end;
    }
    return std::move(facts_);
  }

 private:
  static std::string_view trim(std::string_view run) {
    while (!run.empty() && !is_name(run.back()) && run.back() != '/') run.remove_suffix(1);
    while (!run.empty() && !is_name(run.front()) &&
           std::string_view("/~.#").find(run.front()) == std::string_view::npos)
      run.remove_prefix(1);
    while (run.size() > 1 && run.front() == '.' && run[1] != '/' && run[1] != '.' && !is_letter(run[1]))
      run.remove_prefix(1);
    return run;
  }

  void read(std::string_view run) {
    if (const std::string_view option = option_in(run); !option.empty()) return give(option, FactKind::kName);
    if (const auto scheme = run.find("://"); scheme != std::string_view::npos && scheme > 0) {
      std::size_t from = scheme;
      while (from > 0 && is_letter(run[from - 1])) --from;
      return give(trim(run.substr(from)), FactKind::kUrl);
    }
    run = trim(run);
    if (run.size() < 3) return;
    if (const auto at = run.find('@'); at != std::string_view::npos && at > 0 &&
                                       run.find('.', at) != std::string_view::npos && is_name(run[at - 1]) &&
                                       run.find_first_of("=/\\:") == std::string_view::npos)
      return give(run, FactKind::kUrl);
    if (is_path(run, shape_of(run))) {
      // "/a/b.py:12" is the file and a line; "key=/a/b" the file.
      if (const auto equals = run.find('='); equals != std::string_view::npos) return parts(run, '=');
      if (const auto colon = run.find(':'); colon != std::string_view::npos && colon > 1)
        run = trim(run.substr(0, colon));
      return give(run, FactKind::kPath);
    }
    split(run);
  }

  // What is no path and no address falls into words at the marks between them.
  void split(std::string_view run) {
    for (std::size_t at = 0; at < run.size();) {
      std::size_t end = run.find_first_of("/:=&?+%~@\\$", at);
      if (end == std::string_view::npos) end = run.size();
      if (end > at) word(trim(run.substr(at, end - at)));
      at = end + 1;
    }
  }

  void parts(std::string_view run, char separator) {
    for (std::size_t at = 0; at < run.size();) {
      std::size_t end = run.find(separator, at);
      if (end == std::string_view::npos) end = run.size();
      const std::string_view part = trim(run.substr(at, end - at));
      if (is_path(part, shape_of(part)))
        give(part, FactKind::kPath);
      else if (part.size() >= 3)
        word(part);
      at = end + 1;
    }
  }

  void word(std::string_view word) {
    while (!word.empty() && (word.back() == '/' || word.back() == '-')) word.remove_suffix(1);
    if (word.size() < 3) return;
    const Shape shape = shape_of(word);
    if (is_date(word, shape)) return give(word, FactKind::kId);
    if (has_extension(word) && shape.letters > 3 && shape.dots <= 3) return give(word, FactKind::kPath);
    if (is_id(word, shape)) return give(word, FactKind::kId);
    if (is_machine_name(word, shape)) give(word, FactKind::kName);
  }

  void give(std::string_view fact, FactKind kind) {
    if (fact.size() >= 3) facts_.push_back({fact, kind});
  }

  std::string_view text_;
  std::vector<KeyFact> facts_;
};

void collect(const Value& value, const std::string& name, std::vector<NamedValue>& into) {
  if (const ValueObject* members = value.object()) {
    for (const auto& [key, member] : *members) collect(member, key, into);
  } else if (const ValueList* list = value.list()) {
    for (const Value& part : *list) collect(part, name, into);
  } else if (const std::string* text = value.text()) {
    into.push_back({name, *text});
  } else if (!value.is_null()) {
    into.push_back({name, to_json(value)});
  }
}

}  // namespace

std::vector<KeyFact> key_facts(std::string_view text) { return Scanner(text).run(); }

void FactSet::add(std::string_view text) {
  for (const KeyFact& fact : key_facts(text)) add(fact);
}

void FactSet::add(const KeyFact& fact) {
  facts_.emplace(fact.text);
  if (fact.kind != FactKind::kPath) return;
  std::size_t ends = 0;  // of a path; deeper ones are names that nobody uses
  for (auto slash = fact.text.rfind('/'); slash != std::string_view::npos && slash > 0 && ends < 8;
       slash = fact.text.rfind('/', slash - 1), ++ends)
    facts_.emplace(fact.text.substr(slash + 1));
}

std::vector<NamedValue> json_scalars(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return {};
  const auto value = parse_value(text, {}, "data");
  std::vector<NamedValue> scalars;
  if (value.ok()) collect(*value, "", scalars);
  return scalars;
}

}  // namespace weft
