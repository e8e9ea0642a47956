#include "flow/compaction/anchors.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/strings.h"
#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/numerals.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr Moods kNegations{Mood::kForbids, Mood::kNotTo, Mood::kCanNot, Mood::kNegates, Mood::kHoldsOff};
constexpr Moods kAtMost{Mood::kAtMost, Mood::kNotOver, Mood::kBelow};
constexpr Moods kAtLeast{Mood::kAtLeast, Mood::kAbove, Mood::kOver};
constexpr Moods kSigns = kNegations | kAtMost | kAtLeast | Moods(Mood::kNoNegation, Mood::kModalVerb, Mood::kBorder);

// Borders, modal words and comparisons are no subject of a statement.
bool is_content(const PlainWord& word) {
  switch (word.kind) {
    case WordKind::kWord:
    case WordKind::kHan: return !is_function_word(word.text);
    case WordKind::kNumber:
    case WordKind::kEmoji: return true;
    default: return false;
  }
}

bool is_break(const PlainWord& word) {
  return word.kind == WordKind::kComma || word.kind == WordKind::kStop || word.kind == WordKind::kQuestion;
}

// Stems of recent words: texts repeat theirs.
class Stems {
 public:
  Term of(const std::string& word) {
    const auto [entry, is_new] = stems_.try_emplace(word, 0);
    if (is_new) {
      const auto found = index_words(word);
      entry->second = term_of(found.size() == 1 ? found.front() : word);
    }
    return entry->second;
  }

 private:
  std::unordered_map<std::string, Term> stems_;
};

constexpr std::size_t kNear = 3;    // words between a comparison and its number
constexpr std::size_t kHeads = 3;   // words behind a negation of which one must be negated
constexpr std::size_t kReach = 14;  // words that a negation reaches

bool number_near(const std::vector<PlainWord>& words, std::size_t at, std::size_t length) {
  const std::size_t begin = at > kNear ? at - kNear : 0, end = std::min(words.size(), at + length + kNear);
  return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(begin),
                     words.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const PlainWord& word) { return word.kind == WordKind::kNumber; });
}

bool is_name_character(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("_./-@:#+~%").find(c) != std::string_view::npos;
}

bool is_identifier(std::string_view name) {
  bool letter = false, digit = false, joined = false, inner_capital = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    letter |= is_letter(c);
    digit |= is_digit(c);
    joined |= (c == '_' || c == '/' || c == '@' || c == '.') && i + 1 < name.size();
    inner_capital |= is_upper(c) && i > 0 && is_lower(name[i - 1]);
  }
  return letter && (digit || joined || inner_capital);
}

void add_once(std::vector<Term>& terms, Term term) {
  if (term != 0 && std::find(terms.begin(), terms.end(), term) == terms.end()) terms.push_back(term);
}

}  // namespace

std::vector<std::string_view> exact_names(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '`') {
      const std::size_t end = text.find('`', at + 1);
      if (end == std::string_view::npos) break;
      parts.push_back(text.substr(at + 1, end - at - 1));
      at = end + 1;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    std::string_view name = text.substr(at, end - at);
    while (!name.empty() && std::string_view(".:-").find(name.back()) != std::string_view::npos) name.remove_suffix(1);
    while (!name.empty() && std::string_view(":-").find(name.front()) != std::string_view::npos) name.remove_prefix(1);
    if (is_identifier(name) && name != "e.g" && name != "i.e") parts.push_back(name);
    at = std::max(end, at + 1);
  }
  return parts;
}

StatedText::StatedText(std::string_view text) { read(text); }

StatedText::StatedText(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) {
    text.append(message.content).append("\n\n");
    for (const ToolCall& call : message.tool_calls)
      text.append(call.name).append(" ").append(call.arguments).append("\n\n");
  }
  read(text);
}

void StatedText::read(std::string_view text) {
  const std::vector<PlainWord> words = fold_numerals(plain_words(text));
  Stems stems;
  std::vector<std::size_t> operators;  // of the clause, by the token behind each
  std::size_t clause_begin = 0;
  std::uint32_t clause = 0;
  std::size_t skip_until = 0;
  const auto end_clause = [&] {
    negate_clause(clause_begin, tokens_.size(), operators);
    operators.clear();
    clause_begin = tokens_.size();
    ++clause;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_break(words[i])) {
      end_clause();
      continue;
    }
    Token token;
    bool content = is_content(words[i]) && i >= skip_until;
    if (i >= skip_until) {
      const Modal match = modal_at(words, i, kSigns);
      const bool plain = match.moods.has(Mood::kNoNegation);
      const bool limit = !plain && match.moods.any(kAtMost | kAtLeast);
      if (match.words > 0 && (!limit || number_near(words, i, match.words))) {
        if (!plain && match.moods.has(Mood::kBorder)) end_clause();
        if (!plain && match.moods.any(kNegations)) operators.push_back(tokens_.size() + match.words);
        if (limit) token.pair = term_of(match.moods.any(kAtMost) ? "<=" : ">=");
        if (!plain) content = false;
        skip_until = i + match.words;
      }
    }
    token.clause = clause;
    token.word = term_of(words[i].text);
    token.content = content;
    if (content) token.stem = words[i].kind == WordKind::kWord ? stems.of(words[i].text) : token.word;
    const bool han_pair =
        words[i].kind == WordKind::kHan && i + 1 < words.size() && words[i + 1].kind == WordKind::kHan;
    if (content && han_pair) {
      const std::string pair = words[i].text + words[i + 1].text;
      if (!is_function_word(words[i + 1].text)) token.pair = term_of(pair);
    }
    tokens_.push_back(token);
  }
  end_clause();
  for (std::uint32_t at = 0; at < tokens_.size(); ++at) {
    const Token& token = tokens_[at];
    places_[token.word].push_back(at);
    if (token.stem != 0 && token.stem != token.word) places_[token.stem].push_back(at);
    if (token.pair != 0) places_[token.pair].push_back(at);
  }
}

// What stands behind a negation is negated; where nothing does ("sharing it is forbidden"), what stands before it.
void StatedText::negate_clause(std::size_t begin, std::size_t end, const std::vector<std::size_t>& operators) {
  for (const std::size_t from : operators) {
    std::size_t direct = 0;
    for (std::size_t at = std::min(from, end); at < std::min(end, from + kReach); ++at) {
      if (!tokens_[at].content) continue;
      tokens_[at].negated = true;
      if (direct == 0) tokens_[at].opens = true;
      if (direct < 2) tokens_[at].directly = true;
      ++direct;
    }
    if (direct > 0) continue;
    for (std::size_t at = begin; at < std::min(from, end); ++at) {
      if (!tokens_[at].content) continue;
      tokens_[at].negated = tokens_[at].directly = true;
      if (direct++ == 0) tokens_[at].opens = true;
    }
  }
}

const StatedText::Places* StatedText::places(Term term) const {
  const auto entry = places_.find(term);
  return entry == places_.end() ? nullptr : &entry->second;
}

bool StatedText::has(Term term, std::size_t begin, std::size_t end) const {
  const Places* all = places(term);
  if (all == nullptr) return false;
  const auto at = std::lower_bound(all->begin(), all->end(), begin);
  return at != all->end() && *at < end;
}

bool StatedText::has_phrase(const std::vector<Term>& phrase, std::size_t begin, std::size_t end) const {
  const Places* all = places(phrase.front());
  if (all == nullptr) return false;
  for (auto at = std::lower_bound(all->begin(), all->end(), begin); at != all->end() && *at < end; ++at) {
    if (phrase.size() == 1) return true;
    if (*at + phrase.size() > tokens_.size()) return false;
    bool same = true;
    for (std::size_t i = 1; i < phrase.size() && same; ++i) same = tokens_[*at + i].word == phrase[i];
    if (same) return true;
  }
  return false;
}

bool StatedText::has_negated(const std::vector<Term>& heads, std::size_t begin, std::size_t end) const {
  for (std::size_t at = begin; at < end; ++at) {
    const Token& token = tokens_[at];
    if (token.negated && std::find(heads.begin(), heads.end(), token.stem) != heads.end()) return true;
  }
  return false;
}

bool StatedText::contradicts(const Claim& claim, std::size_t begin, std::size_t end) const {
  const auto holds = [](const std::vector<Term>& terms, Term term) {
    return term != 0 && std::find(terms.begin(), terms.end(), term) != terms.end();
  };
  const auto count_single = [&](std::uint32_t clause) {
    std::vector<Term> shared;
    for (std::size_t at = begin; at < end; ++at)
      if (tokens_[at].clause == clause && holds(claim.terms, tokens_[at].stem)) add_once(shared, tokens_[at].stem);
    return shared.size();
  };
  std::vector<Term> single;  // without pairs of characters, which count their characters again
  for (const Term term : claim.terms) add_once(single, term);
  std::uint32_t judged = static_cast<std::uint32_t>(-1);
  for (std::size_t at = begin; at < end; ++at) {
    const Token& token = tokens_[at];
    if (!token.directly || token.clause == judged) continue;
    if (!holds(claim.terms, token.stem) || holds(claim.in_negation, token.stem)) continue;
    judged = token.clause;
    // A neighbour that shares a word and forbids something else is no contradiction.
    if (count_single(token.clause) * 3 >= single.size() || claim.terms.size() <= 2) return true;
  }
  return false;
}

bool StatedText::says_within(const Claim& claim, std::size_t begin, std::size_t end, bool together) const {
  for (const auto& phrase : claim.exact)
    if (!has_phrase(phrase, begin, end)) return false;
  std::size_t found = 0;
  for (const Term term : claim.terms) found += has(term, begin, end) ? 1 : 0;
  if (found * 5 < claim.terms.size() * 4) return false;
  for (const auto& heads : claim.negated)
    if (!has_negated(heads, begin, end)) return false;
  // A name alone ("till", 默认值) states nothing that could be contradicted.
  constexpr std::size_t kLongestName = 4;
  return (together && claim.words <= kLongestName) || !contradicts(claim, begin, end);
}

// Places of which every window that says the claim must hold one: those of its rarest exact word, else of as many of
// its rarest words as cannot all be missing.
std::vector<std::uint32_t> StatedText::candidates(const Claim& claim) const {
  const Places* rarest = nullptr;
  for (const auto& phrase : claim.exact) {
    const Places* all = places(phrase.front());
    if (all == nullptr) return {};
    if (rarest == nullptr || all->size() < rarest->size()) rarest = all;
  }
  if (rarest != nullptr) return *rarest;
  std::vector<const Places*> each;
  for (const Term term : claim.terms)
    if (const Places* all = places(term)) each.push_back(all);
  std::sort(each.begin(), each.end(), [](const Places* a, const Places* b) { return a->size() < b->size(); });
  const std::size_t may_lack = claim.terms.size() / 5 + 1, lacking = claim.terms.size() - each.size();
  std::vector<std::uint32_t> at;
  for (std::size_t i = 0; i < each.size() && i + lacking < may_lack; ++i)
    at.insert(at.end(), each[i]->begin(), each[i]->end());
  std::sort(at.begin(), at.end());
  return at;
}

// Within the very words only a "not" before them can turn the statement round, not what a neighbour forbids.
bool StatedText::says_literally(const Claim& claim) const {
  const Places* all = claim.sequence.empty() ? nullptr : places(claim.sequence.front());
  if (all == nullptr) return false;
  return std::any_of(all->begin(), all->end(), [&](std::uint32_t at) {
    const std::size_t end = at + claim.sequence.size();
    return end <= tokens_.size() && has_phrase(claim.sequence, at, at + 1) && !contradicts(claim, at, end);
  });
}

bool StatedText::says(const Claim& claim) const {
  if (claim.empty()) return false;
  if (says_literally(claim)) return true;
  const std::size_t reach = std::max<std::size_t>(8, claim.words + claim.words / 2);
  for (const std::uint32_t place : candidates(claim)) {
    const std::size_t begin = place > reach ? place - reach : 0;
    if (says_within(claim, begin, std::min(tokens_.size(), place + reach + 1))) return true;
  }
  return false;
}

bool StatedText::says_together(const std::vector<std::vector<Claim>>& facts, std::size_t words) const {
  if (facts.empty()) return false;
  for (const Claim& first : facts.front()) {
    for (const std::uint32_t place : candidates(first)) {
      const std::size_t begin = place > words ? place - words : 0, end = std::min(tokens_.size(), place + words + 1);
      const bool all = std::all_of(facts.begin(), facts.end(), [&](const std::vector<Claim>& choices) {
        return std::any_of(choices.begin(), choices.end(),
                           [&](const Claim& claim) { return !claim.empty() && says_within(claim, begin, end, true); });
      });
      if (all) return true;
    }
  }
  return false;
}

Claim make_claim(std::string_view text) {
  const StatedText read(text);
  Claim claim;
  claim.words = read.tokens_.size();
  for (const StatedText::Token& token : read.tokens_) claim.sequence.push_back(token.word);
  std::unordered_set<Term> in_exact;
  for (const std::string_view part : exact_names(text)) {
    std::vector<Term> phrase;
    for (const StatedText::Token& token : StatedText(part).tokens_) phrase.push_back(token.word);
    in_exact.insert(phrase.begin(), phrase.end());
    if (!phrase.empty()) claim.exact.push_back(std::move(phrase));
  }
  const bool writes_one = text.find('1') != std::string_view::npos;
  const Term one = term_of("1");
  std::vector<PlainWord> words = fold_numerals(plain_words(text));
  for (const PlainWord& word : words) {
    const Term term = term_of(word.text);
    if (word.kind != WordKind::kNumber || in_exact.contains(term) || (term == one && !writes_one)) continue;
    claim.exact.push_back({term});
    in_exact.insert(term);
  }
  const Term limits[] = {term_of("<="), term_of(">=")};
  for (const StatedText::Token& token : read.tokens_) {
    const bool limit = token.pair == limits[0] || token.pair == limits[1];
    if (limit) claim.exact.push_back({token.pair});
    if (!token.content || in_exact.contains(token.word) || token.stem == one) continue;
    add_once(claim.terms, token.stem);
    if (!limit) add_once(claim.terms, token.pair);
    if (token.negated) add_once(claim.in_negation, token.stem);
  }
  // Heads: the words right behind each negation.
  for (std::size_t at = 0; at < read.tokens_.size(); ++at) {
    if (!read.tokens_[at].opens) continue;
    std::vector<Term> heads;
    for (std::size_t i = at; i < read.tokens_.size() && heads.size() < kHeads; ++i)
      if (read.tokens_[i].negated) add_once(heads, read.tokens_[i].stem);
    claim.negated.push_back(std::move(heads));
  }
  return claim;
}

namespace {

std::size_t heading_level(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level >= 1 && level <= 6 && level < line.size() && line[level] == ' ' ? level : 0;
}

// Bytes of a list marker with its blank; 0: none.
std::size_t marker_size(std::string_view line) {
  if (line.size() > 2 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' ') return 2;
  if (line.starts_with("•") || line.starts_with("・")) return 3;
  std::size_t digits = 0;
  while (digits < line.size() && digits < 3 && is_digit(line[digits])) ++digits;
  if (digits == 0 || digits == line.size()) return 0;
  if ((line[digits] == '.' || line[digits] == ')') && digits + 1 < line.size() && line[digits + 1] == ' ')
    return digits + 2;
  return line.substr(digits).starts_with("、") ? digits + 3 : 0;
}

// "<tag>" alone on a line gives "tag".
std::string_view opening_tag(std::string_view line) {
  if (line.size() < 3 || line.front() != '<' || line.back() != '>' || line[1] == '/' || line[1] == '!') return {};
  const std::string_view name = line.substr(1, line.size() - 2);
  return name.find_first_of("<> /") == std::string_view::npos ? name : std::string_view{};
}

bool announces_examples(std::string_view heading) {
  const std::string folded = normalize(heading);
  return folded.starts_with("example") || folded.starts_with("sample") || folded.find("示例") != std::string::npos ||
         folded.starts_with("例子") || folded.starts_with("样例") || folded.starts_with("for example") ||
         folded.starts_with("例如");
}

class Reader {
 public:
  Reader(std::string_view text, Tagged tagged) : lines_(lines_of(text)), tagged_(tagged) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view line = trimmed(lines_[i]);
      if (line.starts_with("</") && line.ends_with(">")) closings_[line.substr(2, line.size() - 3)] = i;
    }
  }

  std::vector<MarkdownStatement> run() {
    skip_front_matter();
    for (; at_ < lines_.size(); ++at_) {
      const std::string_view raw = lines_[at_], line = trimmed(raw);
      if (line.empty()) {
        end_statement();
        blank_ = true;
        continue;
      }
      if (!skipped(raw, line)) take(raw, line);
      blank_ = false;
    }
    end_statement();
    return std::move(statements_);
  }

 private:
  void skip_front_matter() {
    if (lines_.empty() || trimmed(lines_[0]) != "---") return;
    for (std::size_t i = 1; i < lines_.size(); ++i)
      if (trimmed(lines_[i]) == "---") {
        at_ = i + 1;
        return;
      }
  }

  // Whether the line begins or is something that states nothing; moves to its last line.
  bool skipped(std::string_view raw, std::string_view line) {
    if (line.starts_with("```") || line.starts_with("~~~")) return skip_to(line.substr(0, 3));
    if (line.starts_with("<!--")) {
      if (line.find("-->") != std::string_view::npos) return end_statement(), true;
      return skip_to("-->");
    }
    if (const auto tag = opening_tag(line); !tag.empty()) {
      const auto closing = closings_.find(tag);
      if (closing != closings_.end() && closing->second > at_) {
        end_statement();
        if (tagged_ == Tagged::kQuoted || announces_examples(tag)) at_ = closing->second;
        heading_ = tag;
        return true;
      }
    }
    if (line.starts_with("</") && line.ends_with(">")) return end_statement(), true;
    const bool quoted = line.front() == '>' || line.front() == '|';
    const bool indented = blank_ && !in_list_ && (raw.starts_with("    ") || raw.starts_with("\t"));
    if (quoted || indented) end_statement();
    return quoted || indented;
  }

  bool skip_to(std::string_view end) {
    end_statement();
    // An opening mark that is never closed hides nothing behind it but itself.
    if (searched_.contains(std::string(end)) && searched_[std::string(end)] == lines_.size()) return true;
    for (std::size_t i = at_ + 1; i < lines_.size(); ++i) {
      const std::string_view line = trimmed(lines_[i]);
      if (end == "-->" ? line.find(end) == std::string_view::npos : !line.starts_with(end)) continue;
      at_ = i;
      return true;
    }
    searched_[std::string(end)] = lines_.size();
    return true;
  }

  void take(std::string_view raw, std::string_view line) {
    if (const std::size_t level = heading_level(line); level > 0) {
      end_statement();
      in_list_ = false;
      if (examples_level_ != 0 && level > examples_level_) return;
      heading_ = trimmed(line.substr(level));
      examples_level_ = announces_examples(heading_) ? level : 0;
      return;
    }
    if (examples_level_ != 0) return;
    const std::size_t marker = marker_size(line);
    if (marker == 0 && statements_open_) {
      current_.text.append(" ").append(line);
      return;
    }
    end_statement();
    if (marker == 0 && raw.front() != ' ' && raw.front() != '\t') in_list_ = false;
    current_ = {at_ + 1, std::string(trimmed(line.substr(marker))), heading_, marker > 0};
    in_list_ |= marker > 0;
    statements_open_ = true;
  }

  void end_statement() {
    if (statements_open_ && !current_.text.empty()) statements_.push_back(std::move(current_));
    current_ = {};
    statements_open_ = false;
  }

  std::vector<std::string_view> lines_;
  std::unordered_map<std::string_view, std::size_t> closings_;
  std::unordered_map<std::string, std::size_t> searched_;
  std::vector<MarkdownStatement> statements_;
  MarkdownStatement current_;
  std::string heading_;
  Tagged tagged_;
  std::size_t at_ = 0, examples_level_ = 0;
  bool statements_open_ = false, blank_ = true, in_list_ = false;
};

}  // namespace

std::vector<MarkdownStatement> markdown_statements(std::string_view text, Tagged tagged) {
  return Reader(text, tagged).run();
}

namespace {

using Words = std::vector<PlainWord>;

// What a statement is by its wording.
struct Marks {
  bool forbids = false, orders = false, prefers = false, role = false, danger = false;

  bool any() const { return forbids || orders || prefers || role; }
};

constexpr Moods kForbids{Mood::kForbids, Mood::kNotTo, Mood::kCanNot, Mood::kDoesNot, Mood::kUnasked, Mood::kNotOver};
constexpr Moods kOrders{Mood::kMust, Mood::kShould, Mood::kNeeds, Mood::kAtMost, Mood::kAtLeast, Mood::kSafety};
constexpr Moods kPrefers{Mood::kPrefers, Mood::kHabit, Mood::kLikes};
constexpr Moods kNothing{Mood::kNoNegation, Mood::kNoRule};
constexpr Moods kMarks = kForbids | kOrders | kPrefers | kNothing | Moods(Mood::kRole, Mood::kSensitive);

Marks marks_of(const Words& words) {
  Marks marks;
  for (std::size_t at = 0; at < words.size();) {
    const Modal match = modal_at(words, at, kMarks);
    const bool nothing = match.moods.any(kNothing), prefers = match.moods.any(kPrefers);
    if (!nothing) {
      marks.forbids |= match.moods.any(kForbids);
      marks.orders |= match.moods.any(kOrders);
      marks.prefers |= prefers;
      marks.role |= match.moods.has(Mood::kRole);
      marks.danger |= match.moods.has(Mood::kSensitive);
    }
    const bool whole = nothing || prefers || match.moods.has(Mood::kRole);
    at += whole ? match.words : 1;
  }
  return marks;
}

std::optional<AnchorKind> kind_of_heading(std::string_view heading) {
  static const PhraseTable table = [] {
    PhraseTable phrases;
    phrases.add_list("modality", "headings safety", static_cast<int>(AnchorKind::kSafety));
    phrases.add_list("modality", "headings preference", static_cast<int>(AnchorKind::kPreference));
    phrases.add_list("modality", "headings role", static_cast<int>(AnchorKind::kRole));
    phrases.add_list("modality", "headings task", static_cast<int>(AnchorKind::kTask));
    return phrases;
  }();
  const std::vector<PlainWord> words = plain_words(heading);
  for (std::size_t at = 0; at < words.size(); ++at)
    if (const auto match = table.longest(words, at); match.words > 0) return static_cast<AnchorKind>(match.value);
  return std::nullopt;
}

AnchorKind kind_of_file(std::string_view file) {
  if (file.ends_with("USER.md")) return AnchorKind::kPreference;
  return file.ends_with("SOUL.md") ? AnchorKind::kRole : AnchorKind::kTask;
}

AnchorKind kind_of(const Marks& marks, const std::optional<AnchorKind>& heading, std::string_view file) {
  if (marks.forbids && marks.danger && heading != AnchorKind::kPreference) return AnchorKind::kSafety;
  if (heading && *heading != AnchorKind::kTask) return *heading;
  if (marks.prefers) return AnchorKind::kPreference;
  if (marks.role) return AnchorKind::kRole;
  return heading.value_or(kind_of_file(file));
}

bool starts_example(const Words& words) {
  static const PhraseTable table = phrase_table("modality", "examples");
  return !words.empty() && table.longest(words, 0).words > 0;
}

bool is_question(std::string_view sentence) { return sentence.ends_with("?") || sentence.ends_with("？"); }

// A statement longer than this is text that somebody pasted.
constexpr std::size_t kLongest = 600;

class Collector {
 public:
  void add(AnchorKind kind, std::string_view file, std::size_t line, std::string_view text, bool forbids) {
    const Claim claim = make_claim(text);
    // One word alone guards nothing that could be looked for.
    if (claim.terms.size() + claim.exact.size() < 2 || !seen_.insert(std::string(text)).second) return;
    anchors_.push_back({kind, std::string(file), line, std::string(text), forbids});
  }
  std::vector<Anchor> take() { return std::move(anchors_); }

 private:
  std::vector<Anchor> anchors_;
  std::unordered_set<std::string> seen_;
};

void collect(const AnchorSource& source, Collector& into) {
  const std::string text = repair_utf8(source.text);
  for (const MarkdownStatement& statement : markdown_statements(text)) {
    const auto heading = kind_of_heading(statement.heading);
    bool first = true;
    for (const std::string_view sentence : sentences(statement.text)) {
      const bool announced = heading.has_value() && statement.item && first;
      first = false;
      if (sentence.size() > kLongest || is_question(sentence)) continue;
      const Words words = plain_words(sentence);
      if (starts_example(words)) continue;
      const Marks marks = marks_of(words);
      if (!announced && !marks.any()) continue;
      into.add(kind_of(marks, heading, source.file), source.file, statement.line, sentence, marks.forbids);
    }
  }
}

// Whether a sentence that a user says is an order or a wish about how things are done, not a report.
bool is_spoken_constraint(const Marks& marks, const Words& words) {
  static const PhraseTable opening = phrase_table("modality", "spoken rules");
  if (!marks.forbids && !marks.orders && !marks.prefers) return false;
  constexpr std::size_t kLead = 4;  // words before an order: "Also, please do not …", 另外一定要
  bool fresh = true;  // an order may begin here
  std::size_t since = 0;
  const auto tells = [](const std::string& word) {
    return word == "i" || word == "it" || word == "he" || word == "she" || word == "they" || word == "there" ||
           word == "that" || word == "if" || word == "when";
  };
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].kind == WordKind::kComma) {
      since = 0;
      fresh = true;
      continue;
    }
    if (fresh && opening.longest(words, at).words > 0 && !modal_at(words, at, kMarks).moods.any(kNothing)) return true;
    fresh = fresh && ++since <= kLead && !tells(words[at].text);
  }
  return false;
}

}  // namespace

std::vector<Anchor> find_anchors(const std::vector<AnchorSource>& sources) {
  Collector collector;
  for (const AnchorSource& source : sources) collect(source, collector);
  return collector.take();
}

std::vector<Anchor> find_spoken_anchors(std::string_view message, std::string_view file) {
  Collector collector;
  const std::string text = repair_utf8(message);
  for (const MarkdownStatement& statement : markdown_statements(text, Tagged::kQuoted)) {
    for (const std::string_view sentence : sentences(statement.text)) {
      if (sentence.size() > kLongest || is_question(sentence)) continue;
      const Words words = plain_words(sentence);
      if (starts_example(words)) continue;
      const Marks marks = marks_of(words);
      if (!is_spoken_constraint(marks, words)) continue;
      const AnchorKind kind = kind_of(marks, std::nullopt, file);
      // A plain wish that forbids ("I don't want insurance") is a preference; an order not to is a limit.
      const bool forbids = marks.forbids && !marks.prefers;
      collector.add(forbids ? AnchorKind::kSafety : kind, file, statement.line, sentence, forbids);
    }
  }
  return collector.take();
}

bool anchor_stands(const Anchor& anchor, const StatedText& context) { return context.says(make_claim(anchor.text)); }

}  // namespace weft
