#include "text/sentences.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/strings.h"
#include "text/lexicon.h"
#include "text/token_counter.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

bool is_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool is_line_break(char c) { return c == '\n' || c == '\r'; }
bool is_stop(char c) { return c == '.' || c == '!' || c == '?'; }

bool is_full_stop(char32_t c) { return c == U'。' || c == U'！' || c == U'？' || c == U'｡'; }

bool is_closing(char32_t c) {
  constexpr std::u32string_view kClosing = U"\"')]}”’」』）】》";
  return kClosing.find(c) != std::u32string_view::npos;
}

char32_t peek(std::string_view text, std::size_t at) { return at < text.size() ? next_code_point(text, at) : 0; }

std::size_t skip_closing(std::string_view text, std::size_t at) {
  while (at < text.size() && is_closing(peek(text, at))) next_code_point(text, at);
  return at;
}

// The letters and inner points right before `dot`, in lower case; empty where they are too many for an abbreviation.
std::string word_before(std::string_view text, std::size_t begin, std::size_t dot) {
  constexpr std::size_t kLongest = 8;
  std::size_t at = dot;
  while (at > begin && (is_letter(text[at - 1]) || text[at - 1] == '.')) {
    --at;
    if (dot - at > kLongest) return {};
  }
  std::string word(text.substr(at, dot - at));
  std::transform(word.begin(), word.end(), word.begin(), to_lower<char>);
  return word;
}

// Whether the single point at `dot`, with white space behind it, belongs to what stands before it.
bool is_abbreviation(std::string_view text, std::size_t begin, std::size_t dot, std::size_t next) {
  const std::string word = word_before(text, begin, dot);
  const char follows = next < text.size() ? text[next] : '\0';
  static const LexiconWords titles = lexicon_words("en/abbreviations", "titles"),
                            endings = lexicon_words("en/abbreviations", "endings"),
                            before_numbers = lexicon_words("en/abbreviations", "before numbers");
  if (titles.contains(word)) return true;
  if (endings.contains(word)) return !is_upper(follows);
  if (before_numbers.contains(word) && is_digit(follows)) return true;
  // Initials ("J. Smith", "U.S. forces") and the numbers of a list ("1. Bread").
  if (word.size() == 1 && word != "i" && text[dot - 1] != word[0]) return true;
  if (word.size() >= 3 && word[1] == '.') return true;
  const std::string_view all_before = text.substr(begin, dot - begin);
  return !all_before.empty() && all_before.size() <= 3 &&
         std::all_of(all_before.begin(), all_before.end(), is_digit<char>);
}

// For '.', '!' and '?' at `at`: the end of the sentence, or 0 where it goes on.
std::size_t end_at_stop(std::string_view text, std::size_t begin, std::size_t at) {
  std::size_t run = at;
  while (run < text.size() && is_stop(text[run])) ++run;
  const std::size_t end = skip_closing(text, run);
  if (end == text.size()) return end;
  const bool point = text[at] == '.' && run == at + 1;
  if (blank_at(text, end) > 0) {
    std::size_t next = end;
    while (blank_at(text, next) > 0 && !is_line_break(text[next])) next += blank_at(text, next);
    if (next == text.size() || is_line_break(text[next])) return end;
    if (point && is_abbreviation(text, begin, at, next)) return 0;
    const bool dots = run - at > 1 && text[at] == '.' && text[run - 1] == '.';
    return dots && text[next] >= 'a' && text[next] <= 'z' ? 0 : end;
  }
  // Chinese goes on without a space: "好!再见".
  const bool after_number = point && at > begin && is_digit(text[at - 1]);
  return is_cjk(peek(text, end)) && !after_number ? end : 0;
}

struct Sentence {
  std::size_t end;   // behind its last character
  std::size_t next;  // where the next one may begin, behind white space
};

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (blank_at(text, at) > 0) at += blank_at(text, at);
  return at;
}

// The sentence that begins at `begin`, which is not blank.
Sentence take_sentence(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin; at < text.size();) {
    const char c = text[at];
    std::size_t end = 0;
    if (is_line_break(c)) {
      end = at;
    } else if (is_stop(c)) {
      end = end_at_stop(text, begin, at);
      if (end == 0) {
        while (at < text.size() && is_stop(text[at])) ++at;
        continue;
      }
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      const char32_t wide = next_code_point(text, at);
      if (is_full_stop(wide)) {
        while (at < text.size() && (is_full_stop(peek(text, at)) || is_stop(text[at]))) next_code_point(text, at);
        end = skip_closing(text, at);
      } else if (wide == U'…' && (at == text.size() || blank_at(text, at) > 0)) {
        end = at;
      } else {
        continue;
      }
    } else {
      ++at;
      continue;
    }
    return {end, skip_blanks(text, end)};
  }
  return {text.size(), text.size()};
}

bool is_boundary_byte(std::string_view text, std::size_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

std::size_t back_to_code_point(std::string_view text, std::size_t at) {
  while (at > 0 && !is_boundary_byte(text, at)) --at;
  return at;
}

using Count = std::function<std::int64_t(std::string_view)>;

// The longest beginning of `text` that has at most `max_tokens`, at code points. Looks near where it must be first,
// since each look costs a count of the beginning.
std::size_t longest_fit(std::string_view text, std::int64_t max_tokens, const Count& count) {
  std::size_t low = 0, high = 0;
  std::int64_t low_tokens = 0, high_tokens = 0;
  std::size_t probe = static_cast<std::size_t>(std::min<std::int64_t>(max_tokens, 1 << 28)) * 3;
  while (high == 0) {
    probe = probe >= text.size() ? text.size() : back_to_code_point(text, probe);
    if (probe <= low) next_code_point(text, probe = low);
    const std::int64_t tokens = count(text.substr(0, probe));
    if (tokens > max_tokens) {
      high = probe;
      high_tokens = tokens;
    } else {
      low = probe;
      low_tokens = tokens;
      if (low == text.size()) return low;
      probe = low * 2;
    }
  }
  for (bool halve = false;; halve = !halve) {
    const double share = halve || high_tokens <= low_tokens ? 0.5
                                                            : static_cast<double>(max_tokens - low_tokens) /
                                                                  static_cast<double>(high_tokens - low_tokens);
    std::size_t middle =
        back_to_code_point(text, low + static_cast<std::size_t>(share * static_cast<double>(high - low)));
    if (middle <= low) next_code_point(text, middle = low);
    if (middle >= high) return low;
    const std::int64_t tokens = count(text.substr(0, middle));
    if (tokens <= max_tokens) {
      low = middle;
      low_tokens = tokens;
    } else {
      high = middle;
      high_tokens = tokens;
    }
  }
}

// Behind the last empty line within the first `limit` bytes; 0 where there is none.
std::size_t last_paragraph(std::string_view text, std::size_t limit) {
  for (std::size_t at = limit; at >= 2; --at) {
    if (text[at - 1] != '\n') continue;
    std::size_t before = at - 1;
    while (before > 0 && (text[before - 1] == ' ' || text[before - 1] == '\r')) --before;
    if (before > 0 && text[before - 1] == '\n') return at;
  }
  return 0;
}

std::size_t last_sentence(std::string_view text, std::size_t limit) {
  constexpr std::size_t kLookAhead = 64;  // enough to see that a stop at the limit is one
  text = text.substr(0, limit + kLookAhead);
  std::size_t last = 0;
  for (std::size_t at = skip_blanks(text, 0); at < limit;) {
    const Sentence sentence = take_sentence(text, at);
    if (sentence.end > limit) break;
    last = std::min(sentence.next, limit);
    at = sentence.next;
  }
  return last;
}

std::size_t last_word(std::string_view text, std::size_t limit) {
  for (std::size_t at = limit; at > 0; at = back_to_code_point(text, at - 1)) {
    const std::size_t before = back_to_code_point(text, at - 1);
    if (is_white(text[before]) || is_cjk(peek(text, before)) || is_cjk(peek(text, at))) return at;
  }
  return 0;
}

// Where to cut a text of which the first `limit` bytes fit: never 0.
std::size_t best_cut(std::string_view text, std::size_t limit) {
  if (const std::size_t at = last_paragraph(text, limit); at != 0) return at;
  if (const std::size_t at = last_sentence(text, limit); at != 0) return at;
  if (const std::size_t at = last_word(text, limit); at != 0) return at;
  if (const std::size_t at = cut_bytes(text, limit).size(); at != 0) return at;
  return limit;
}

}  // namespace

std::vector<std::string_view> sentences(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = skip_blanks(text, 0); at < text.size();) {
    const Sentence sentence = take_sentence(text, at);
    const std::string_view found = without_blanks(text.substr(at, sentence.end - at));
    if (!found.empty()) out.push_back(found);
    at = sentence.next;
  }
  return out;
}

std::vector<std::string_view> split_by_tokens(std::string_view text, std::int64_t max_tokens,
                                              const std::function<std::int64_t(std::string_view)>& count) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    std::size_t limit = longest_fit(text, max_tokens, count);
    std::size_t cut = limit;
    if (limit == 0) {
      next_code_point(text, cut);  // one character alone is over the limit: there is nothing smaller
    } else if (limit < text.size()) {
      cut = best_cut(text, limit);
      // A tokenizer may need more tokens for a beginning than for the whole.
      while (count(text.substr(0, cut)) > max_tokens && (limit = back_to_code_point(text, cut - 1)) > 0) {
        cut = best_cut(text, limit);
      }
    }
    parts.push_back(text.substr(0, cut));
    text.remove_prefix(cut);
  }
  return parts;
}

namespace {

constexpr std::size_t kMostSentences = 2000;   // of one summary's input: more adds time and no information
constexpr std::size_t kLongestSentence = 600;  // bytes taken of one sentence
constexpr double kTooAlike = 0.6;              // share of a sentence's words that an earlier pick already has
constexpr double kWorthSaying = 0.4;  // of the best sentence's score: room left over is no reason to add small talk

struct Candidate {
  std::string text;
  std::vector<Term> words;
  double weight = 1;
  double score = 0;
  std::size_t order = 0;
};

void add_candidates(const ExtractSource& source, std::vector<Candidate>& candidates) {
  const std::string prose = without_code(source.text);
  const auto all = sentences(prose);
  for (std::size_t i = 0; i < all.size() && candidates.size() < kMostSentences; ++i) {
    Candidate candidate;
    candidate.text = std::string(cut_bytes(all[i], kLongestSentence));
    candidate.words = index_terms(candidate.text);
    if (candidate.words.empty()) continue;
    const bool end = i == 0 || i + 1 == all.size();
    candidate.weight = source.weight * (source.ends_matter && !end ? 0.5 : 1.0);
    candidate.order = candidates.size();
    candidates.push_back(std::move(candidate));
  }
}

void score(std::vector<Candidate>& candidates) {
  std::unordered_map<Term, double> frequency;
  for (const Candidate& candidate : candidates) {
    for (const Term word : std::unordered_set<Term>(candidate.words.begin(), candidate.words.end()))
      frequency[word] += 1;
  }
  for (Candidate& candidate : candidates) {
    double sum = 0;
    const std::unordered_set<Term> distinct(candidate.words.begin(), candidate.words.end());
    for (const Term word : distinct) sum += std::log1p(frequency[word]);
    // Divided by less than the length: a sentence of two words says little even when both are frequent.
    candidate.score = candidate.weight * sum / std::sqrt(4.0 + static_cast<double>(distinct.size()));
  }
}

double overlap(const Candidate& candidate, const std::unordered_set<Term>& seen) {
  const auto known =
      std::count_if(candidate.words.begin(), candidate.words.end(), [&](Term word) { return seen.contains(word); });
  return static_cast<double>(known) / static_cast<double>(candidate.words.size());
}

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

// CamelCase, snake_case, dotted names and constants; plain words and numbers are not names.
bool looks_like_name(std::string_view word) {
  if (word.size() < 3 || word.size() > 60 || std::isdigit(static_cast<unsigned char>(word.front()))) return false;
  const bool inner_upper =
      std::any_of(word.begin() + 1, word.end(), [](char c) { return std::isupper(static_cast<unsigned char>(c)); });
  const bool any_lower =
      std::any_of(word.begin(), word.end(), [](char c) { return std::islower(static_cast<unsigned char>(c)); });
  const bool joined = word.find('_') != std::string_view::npos || word.find('.') != std::string_view::npos;
  return (inner_upper && any_lower) || joined;
}

}  // namespace

std::string without_code(std::string_view text) {
  std::string prose;
  bool in_code = false;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end + 1);
    const auto first = line.find_first_not_of(" \t");
    const bool fence = first != std::string_view::npos &&
                       (line.substr(first).starts_with("```") || line.substr(first).starts_with("~~~"));
    if (fence)
      in_code = !in_code;
    else if (!in_code)
      prose += line;
    text.remove_prefix(line.size());
  }
  return prose;
}

std::vector<std::string> extract_sentences(const std::vector<ExtractSource>& sources, std::int64_t max_tokens) {
  std::vector<Candidate> candidates;
  for (const ExtractSource& source : sources) add_candidates(source, candidates);
  score(candidates);
  std::vector<Candidate*> ranked;
  for (Candidate& candidate : candidates) ranked.push_back(&candidate);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Candidate* a, const Candidate* b) { return a->score > b->score; });
  std::unordered_set<Term> seen;
  std::vector<const Candidate*> picked;
  std::int64_t tokens = 0;
  for (const Candidate* candidate : ranked) {
    if (candidate->score < kWorthSaying * ranked.front()->score) break;
    const std::int64_t more = estimate_tokens(candidate->text, TokenMode::kScript);
    if (tokens + more > max_tokens || overlap(*candidate, seen) > kTooAlike) continue;
    tokens += more;
    seen.insert(candidate->words.begin(), candidate->words.end());
    picked.push_back(candidate);
  }
  std::sort(picked.begin(), picked.end(), [](const Candidate* a, const Candidate* b) { return a->order < b->order; });
  std::vector<std::string> texts;
  for (const Candidate* candidate : picked) texts.push_back(candidate->text);
  return texts;
}

std::vector<std::string> extract_names(const std::vector<ExtractSource>& sources, std::size_t max) {
  std::map<std::string, std::size_t> counts;
  for (const ExtractSource& source : sources) {
    std::string_view text = source.text;
    std::size_t at = 0;
    while (at < text.size()) {
      if (!is_word_char(text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_word_char(text[end])) ++end;
      std::string_view word = text.substr(at, end - at);
      while (!word.empty() && word.back() == '.') word.remove_suffix(1);
      if (looks_like_name(word)) ++counts[std::string(word)];
      // `class Snake`: a definition's name counts whatever its shape.
      if ((word == "class" || word == "struct" || word == "def" || word == "function") && end < text.size() &&
          text[end] == ' ') {
        std::size_t name_end = end + 1;
        while (name_end < text.size() && is_word_char(text[name_end]) && text[name_end] != '.') ++name_end;
        if (name_end > end + 2) counts[std::string(text.substr(end + 1, name_end - end - 1))] += 3;
      }
      at = end;
    }
  }
  std::vector<std::pair<std::string, std::size_t>> ranked(counts.begin(), counts.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ranked.size() && i < max; ++i) names.push_back(ranked[i].first);
  return names;
}

}  // namespace weft
