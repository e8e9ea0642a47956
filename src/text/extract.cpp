#include "text/extract.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "text/sentences.h"
#include "text/token_counter.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
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
