#include "agent/research_claims.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "agent/research_sources.h"
#include "base/strings.h"
#include "flow/memory/memory_file.h"
#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/front_matter.h"
#include "text/instruction_like.h"
#include "text/numerals.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/time_expressions.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {

// Documents as sources: their paragraphs and sentences, with the lines on which they stand.

namespace {

constexpr std::size_t kLongestPart = 1600, kLongestTag = 4000, kLongestTitle = 200;

bool is_list_entry(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")) return true;
  std::size_t digits = 0;
  while (digits < line.size() && is_digit(line[digits])) ++digits;
  return digits > 0 && digits < 4 && (starts_at(line, digits, ". ") || starts_at(line, digits, ") "));
}

bool is_rule(std::string_view line) {
  return line.size() >= 3 && line.find_first_not_of("-=*_| :+") == std::string_view::npos;
}

// "## Costs ##" → "Costs"; empty for what is no heading.
std::string_view heading_text(std::string_view line) {
  const auto marks = line.find_first_not_of('#');
  if (marks == 0 || marks > 6 || marks == std::string_view::npos || line[marks] != ' ') return {};
  return trimmed(line.substr(marks), " #");
}

struct Reader {
  FoundSource& into;
  FoundPart open;

  void close() {
    if (!open.text.empty()) into.parts.push_back(std::move(open));
    open = {};
  }
  void take(std::string_view line, std::int64_t number) {
    const std::string_view text = trimmed(line);
    if (text.empty() || is_rule(text) || text.starts_with("```")) return close();
    if (const auto heading = heading_text(text); !heading.empty()) {
      close();
      into.parts.push_back({number, number, true, std::string(heading)});
      return;
    }
    if (is_list_entry(text) || text.starts_with('|') || open.text.size() + text.size() > kLongestPart) close();
    if (open.text.empty()) open.first_line = number;
    open.last_line = number;
    open.text += (open.text.empty() ? "" : "\n") + std::string(text);
  }
};

std::string first_value(const FrontMatter& document, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const auto* entry = document.find(key); entry != nullptr && !entry->values.empty())
      return entry->values.front();
  return {};
}

bool is_html(std::string_view origin, std::string_view text) {
  const std::string low = lowered(std::string(origin));
  if (low.ends_with(".html") || low.ends_with(".htm") || low.ends_with(".xhtml")) return true;
  const std::string head = lowered(std::string(trimmed(text.substr(0, 300))));
  return head.starts_with("<!doctype html") || head.starts_with("<html");
}

std::optional<char32_t> written_out(std::string_view name) {
  if (name == "amp") return U'&';
  if (name == "lt") return U'<';
  if (name == "gt") return U'>';
  if (name == "quot") return U'"';
  if (name == "apos") return U'\'';
  if (name == "nbsp") return U' ';
  if (!name.starts_with('#')) return std::nullopt;
  const bool hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  const std::string_view digits = name.substr(hex ? 2 : 1);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  const bool fine = error == std::errc() && end == digits.data() + digits.size() && value > 0 && value < 0x110000;
  return fine ? std::optional<char32_t>(value) : std::nullopt;
}

void keep_breaks(std::string& text, std::string_view skipped) {
  text.append(static_cast<std::size_t>(std::count(skipped.begin(), skipped.end(), '\n')), '\n');
}

// Where the element's end tag ends, so that scripts are passed over whole.
std::size_t end_of_element(const std::string& low, std::size_t at, std::string_view name) {
  const auto end = low.find("</" + std::string(name), at);
  if (end == std::string::npos) return low.size();
  const auto close = low.find('>', end);
  return close == std::string::npos ? low.size() : close + 1;
}

std::string html_title(std::string_view html) {
  const std::string low = lowered(std::string(html));
  const auto begin = low.find("<title");
  const auto open = begin == std::string::npos ? begin : low.find('>', begin);
  const auto end = open == std::string::npos ? open : low.find("</title", open);
  if (end == std::string::npos) return {};
  return std::string(trimmed(html_as_text(html.substr(open + 1, end - open - 1))));
}

}  // namespace

std::string html_as_text(std::string_view html) {
  const std::string low = lowered(std::string(html));
  std::string text;
  for (std::size_t at = 0; at < html.size();) {
    if (html[at] == '<') {
      std::size_t end = html.find('>', at);
      if (end == std::string_view::npos || end - at > kLongestTag) end = at;
      std::size_t behind = end + 1;
      for (const std::string_view name : {"script", "style", "head", "template"})
        if (starts_at(low, at + 1, name) && at + 1 + name.size() < low.size() && !is_letter(low[at + 1 + name.size()]))
          behind = end_of_element(low, end, name);
      if (starts_at(html, at, "<!--")) {
        const auto close = html.find("-->", at);
        behind = close == std::string_view::npos ? html.size() : close + 3;
      }
      keep_breaks(text, html.substr(at, behind - at));
      // A paragraph's end on one line must not glue two sentences together.
      if (text.empty() || text.back() != '\n') text += ' ';
      at = behind;
      continue;
    }
    const auto semicolon = html[at] == '&' ? html.find(';', at) : std::string_view::npos;
    if (semicolon != std::string_view::npos && semicolon - at <= 10)
      if (const auto character = written_out(html.substr(at + 1, semicolon - at - 1))) {
        append_code_point(text, *character);
        at = semicolon + 1;
        continue;
      }
    text += html[at++];
  }
  return text;
}

FoundSource read_source(std::string origin, std::string_view bytes) {
  FoundSource source;
  std::string text = repair_utf8(bytes);
  std::int64_t line = 1;
  std::string kind, address;
  if (is_html(origin, text)) {
    source.title = html_title(text);
    text = html_as_text(text);
  } else if (const auto document = parse_front_matter(text); document.ok() && !document->entries.empty()) {
    source.title = first_value(*document, {"title", "name"});
    source.date = first_value(*document, {"date", "updated", "published"});
    kind = first_value(*document, {"kind", "type"});
    address = first_value(*document, {"source", "url"});
    const std::string_view whole = text;
    line += std::count(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(document->body.size()), '\n');
    text = document->body;
  }
  Reader reader{source, {}};
  for (const std::string_view one : lines_of(text)) reader.take(one, line++);
  reader.close();
  if (source.title.empty())
    for (const FoundPart& part : source.parts)
      if (part.heading) {
        source.title = preview(part.text, kLongestTitle);
        break;
      }
  source.kind = kind_of_origin(address.empty() ? origin : address);
  if (source.kind == SourceKind::kOther && address.empty()) source.kind = kind_of_word(kind);
  source.origin = std::move(origin);
  source.sketch = text_sketch(text);
  source.whole = true;
  return source;
}

std::vector<SourceSentence> sentences_of(const FoundPart& part) {
  std::string joined;
  std::vector<std::size_t> begins;  // of each line
  for (std::string_view line : lines_of(part.text)) {
    if (line.starts_with("> ")) line.remove_prefix(2);
    if (begins.empty() && is_list_entry(line)) line = trimmed(line.substr(line.find(' ')));
    std::size_t at = 0;
    const bool han_behind = !line.empty() && is_cjk(next_code_point(line, at));
    if (!joined.empty() && !han_behind) joined += ' ';
    begins.push_back(joined.size());
    joined += line;
  }
  std::vector<SourceSentence> found;
  for (const std::string_view one : sentences(joined)) {
    const auto begin = static_cast<std::size_t>(one.data() - joined.data());
    const auto line_of = [&](std::size_t byte) {
      const auto behind = std::upper_bound(begins.begin(), begins.end(), byte);
      return part.first_line == 0 ? 0 : part.first_line + (behind - begins.begin()) - 1;
    };
    found.push_back({std::string(one), line_of(begin), line_of(begin + one.size() - 1)});
  }
  return found;
}

bool orders_the_reader(std::string_view sentence) {
  static const PhraseTable orders = phrase_table("injections", "to readers");
  return reads_like_instructions(sentence) || orders.any_in(plain_words(sentence));
}

// From sources to claims: sentences that fit, grouped by what they say, judged by who says it.

namespace {

constexpr double kFits = 0.36;           // below it a sentence has nothing to do with the aspect
constexpr double kRankWorth = 0.02;      // what a step of a source's rank is worth beside the fit
constexpr double kDiversity = 0.35;      // of the marginal relevance: how much a repetition costs
constexpr std::size_t kMostSentences = 400, kShortest = 3, kShortestHan = 6, kLongest = 600;
constexpr std::size_t kMostCitations = 6;

bool says_something(std::string_view sentence) {
  if (sentence.size() > kLongest) return false;
  const auto words = index_words(sentence);
  const bool chinese = language_of(sentence) == Language::kChinese;
  return words.size() >= (chinese ? kShortestHan : kShortest) && !is_bare_question(sentence);
}

// How well each of the sentences covers the words of the aspect, weighed by how rare they are among them.
std::vector<double> covered(const std::string& aspect, const std::vector<SourceStatement>& all) {
  const auto asked = index_words(aspect);
  const std::set<std::string> wanted(asked.begin(), asked.end());
  std::vector<std::set<std::string>> words;
  std::map<std::string, double> seen;
  for (const SourceStatement& one : all) {
    const auto own = index_words(one.text);
    words.emplace_back(own.begin(), own.end());
    for (const std::string& word : wanted) seen[word] += words.back().count(word) > 0 ? 1 : 0;
  }
  double total = 0;
  std::map<std::string, double> weight;
  for (const std::string& word : wanted)
    total += weight[word] = std::log(1 + (static_cast<double>(all.size()) + 1) / (seen[word] + 0.5));
  std::vector<double> covered;
  for (const auto& own : words) {
    double sum = 0;
    for (const std::string& word : wanted) sum += own.count(word) > 0 ? weight[word] : 0;
    covered.push_back(total > 0 ? sum / total : 0);
  }
  return covered;
}

// How alike each is to each: by words, and by meaning where an embedder serves.
std::vector<std::vector<double>> all_likeness(const std::vector<std::string>& texts, const Likeness& likeness) {
  std::vector<std::vector<double>> alike(texts.size());
  const WordLikeness by_words;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    alike[i] = by_words.to_all(texts[i], texts);
    if (!likeness.by_meaning()) continue;
    const auto meant = likeness.to_all(texts[i], texts);
    for (std::size_t k = 0; k < texts.size(); ++k)
      // Within a language words say better whether two sentences tell the same; across languages there are none.
      if (language_of(texts[i]) != language_of(texts[k])) alike[i][k] = meant[k];
  }
  return alike;
}

/// Statements that say the same.
struct Group {
  std::vector<std::size_t> members;  ///< the first speaks for it
  double fit = 0;
};

std::vector<std::string> texts_of(const std::vector<SourceStatement>& statements) {
  std::vector<std::string> texts;
  for (const SourceStatement& one : statements) texts.push_back(one.text);
  return texts;
}

std::vector<Group> group(const std::vector<SourceStatement>& statements,
                         const std::vector<std::vector<double>>& alike) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    Group* same = nullptr;
    for (Group& one : groups) {
      const std::size_t speaker = one.members.front();
      if (same == nullptr && say_the_same(statements[speaker].text, statements[i].text, alike[speaker][i])) same = &one;
    }
    if (same == nullptr) same = &groups.emplace_back();
    same->members.push_back(i);
    same->fit = std::max(same->fit, statements[i].fit);
  }
  return groups;
}

ResearchClaim claim_of(const Group& group, const std::vector<SourceStatement>& statements) {
  ResearchClaim claim;
  claim.text = statements[group.members.front()].text;
  claim.aspect = statements[group.members.front()].aspect;
  std::set<std::int64_t> cited;
  for (const std::size_t member : group.members) {
    const SourceStatement& one = statements[member];
    if (claim.citations.size() < kMostCitations && cited.insert(one.source).second)
      claim.citations.push_back({one.source, one.first_line, one.last_line, one.text});
  }
  return claim;
}

// The groups to be told, the best first: each as good as it fits, less what is told already.
std::vector<std::size_t> choose(const std::vector<Group>& groups, const std::vector<std::vector<double>>& alike,
                                const std::vector<SourceStatement>& statements, std::size_t most) {
  std::vector<std::size_t> chosen;
  std::vector<bool> taken(groups.size(), false);
  const auto likeness = [&](std::size_t a, std::size_t b) {
    return alike[groups[a].members.front()][groups[b].members.front()];
  };
  while (chosen.size() < most) {
    std::size_t best = groups.size();
    double best_worth = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (taken[i]) continue;
      double repeated = 0;
      for (const std::size_t one : chosen) repeated = std::max(repeated, likeness(one, i));
      const double worth = groups[i].fit - kDiversity * repeated;
      if (best == groups.size() || worth > best_worth) best = i, best_worth = worth;
    }
    if (best == groups.size()) break;
    taken[best] = true;
    chosen.push_back(best);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::string& told = statements[groups[best].members.front()].text;
      if (!taken[i] && differ_in(told, statements[groups[i].members.front()].text, likeness(best, i)))
        taken[i] = true, chosen.push_back(i);
    }
  }
  return chosen;
}

std::int64_t witnesses_of(const ResearchClaim& claim, std::span<const ResearchSource> sources) {
  std::set<std::int64_t> witnesses;
  std::vector<const ResearchCitation*> counted;
  for (const ResearchCitation& one : claim.citations) {
    const auto found = std::find_if(sources.begin(), sources.end(),
                                    [&](const ResearchSource& source) { return source.number == one.source; });
    if (found == sources.end() || found->copy_of == found->number) continue;
    const bool copied = std::any_of(counted.begin(), counted.end(), [&](const ResearchCitation* other) {
      return is_copied_sentence(other->quote, one.quote);
    });
    if (copied) continue;
    counted.push_back(&one);
    witnesses.insert(witness_of(*found));
  }
  return static_cast<std::int64_t>(witnesses.size());
}

constexpr double kOneMatter = 0.6, kSameSaid = 0.72;
constexpr double kRounded = 0.02;  // how far a rounded number may lie off

struct Quantity {
  std::string unit;
  double value = 0;
  std::size_t digits = 0;  ///< that count: 1200 has two
};

struct Facts {
  std::vector<Quantity> quantities;
  std::vector<std::pair<std::int64_t, std::int64_t>> dates;  ///< from, to in ms
  std::set<std::string> names, identifiers;
};

std::size_t counting_digits(std::string_view number) {
  std::string digits;
  for (const char c : number)
    if (is_digit(c)) digits += c;
  const auto first = digits.find_first_not_of('0');
  const auto last = digits.find_last_not_of('0');
  return first == std::string::npos ? 1 : last - first + 1;
}

// Words with a capital, not the first one, which has it by grammar; and those with digits in them.
void add_names(std::string_view text, Facts& facts) {
  bool first = true;
  for (std::size_t at = 0; at < text.size();) {
    const auto is_part = [&](std::size_t i) { return is_letter(text[i]) || is_digit(text[i]); };
    if (!is_part(at)) {
      ++at;
      continue;
    }
    std::size_t end = at;
    bool digit = false, letter = false;
    for (; end < text.size() && is_part(end); ++end) (is_digit(text[end]) ? digit : letter) = true;
    const std::string word(text.substr(at, end - at));
    const bool capital = is_upper(word.front());
    if (letter && ((digit && capital) || (capital && !first && word.size() <= 2 && word != "I")))
      facts.identifiers.insert(word);
    else if (capital && !first && !is_function_word(normalize(word)))
      facts.names.insert(word);
    first = false;
    at = end;
  }
}

// Dates and lengths of time are taken out, so that their numbers count for nothing else.
std::string without_times(std::string_view text, Facts& facts) {
  std::string rest(text);
  for (const TimeExpression& time : find_time_expressions(text, {})) {
    const bool fixed = !time.relative && time.from_ms && time.to_ms;
    if (!fixed || time.kind == TimeKind::kDuration || time.kind == TimeKind::kSet || time.kind == TimeKind::kTime)
      continue;
    facts.dates.emplace_back(*time.from_ms, *time.to_ms);
    std::fill(rest.begin() + static_cast<std::ptrdiff_t>(time.begin),
              rest.begin() + static_cast<std::ptrdiff_t>(time.end), ' ');
  }
  return rest;
}

std::string unit_of(const std::vector<PlainWord>& words, std::size_t number) {
  if (number + 1 < words.size()) {
    const PlainWord& next = words[number + 1];
    if (next.kind == WordKind::kSign) return next.text;
    const bool says = next.kind == WordKind::kHan || (next.kind == WordKind::kWord && !is_function_word(next.text));
    if (says) {
      const auto stems = index_words(next.text);
      return stems.empty() ? next.text : stems.front();
    }
  }
  return number > 0 && words[number - 1].kind == WordKind::kSign ? words[number - 1].text : "";
}

Facts facts_of(std::string_view text) {
  Facts facts;
  const auto words = fold_numerals(plain_words(without_times(text, facts)));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].kind != WordKind::kNumber) continue;
    double value = 0;
    const std::string& number = words[i].text;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size()) continue;
    facts.quantities.push_back({unit_of(words, i), value, counting_digits(number)});
  }
  add_names(text, facts);
  return facts;
}

bool equal(const Quantity& a, const Quantity& b) {
  if (a.value == b.value) return true;
  const bool rounded = a.digits != b.digits && std::min(a.digits, b.digits) <= 2;
  return rounded && std::abs(a.value - b.value) <= kRounded * std::max(std::abs(a.value), std::abs(b.value));
}

bool all_among(const std::vector<Quantity>& some, const std::vector<Quantity>& all) {
  return std::all_of(some.begin(), some.end(), [&](const Quantity& one) {
    return std::any_of(all.begin(), all.end(), [&](const Quantity& other) { return equal(one, other); });
  });
}

std::map<std::string, std::vector<Quantity>> by_unit(const Facts& facts, bool one_language) {
  std::map<std::string, std::vector<Quantity>> units;
  for (const Quantity& one : facts.quantities) units[one_language ? one.unit : ""].push_back(one);
  return units;
}

// Of each unit that both have, one must say no number that the other does not.
bool numbers_differ(const Facts& a, const Facts& b, bool one_language) {
  if (!one_language && (a.quantities.size() != 1 || b.quantities.size() != 1)) return false;
  const auto units = by_unit(b, one_language);
  for (const auto& [unit, mine] : by_unit(a, one_language)) {
    const auto theirs = units.find(unit);
    if (theirs == units.end()) continue;
    if (!all_among(mine, theirs->second) && !all_among(theirs->second, mine)) return true;
  }
  return false;
}

bool dates_differ(const Facts& a, const Facts& b) {
  if (a.dates.empty() || b.dates.empty()) return false;
  for (const auto& [from, to] : a.dates)
    for (const auto& [other_from, other_to] : b.dates)
      if (from < other_to && other_from < to) return false;
  return true;
}

bool share_quantity(const Facts& a, const Facts& b, bool one_language) {
  return std::any_of(a.quantities.begin(), a.quantities.end(), [&](const Quantity& one) {
    return std::any_of(b.quantities.begin(), b.quantities.end(), [&](const Quantity& other) {
      return equal(one, other) && (!one_language || one.unit == other.unit);
    });
  });
}

bool share_date(const Facts& a, const Facts& b) { return !a.dates.empty() && !b.dates.empty() && !dates_differ(a, b); }

bool share_any(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& one) { return b.contains(one); });
}

bool has_own(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& one) { return !b.contains(one); });
}

// "Model X …" and "Model Y …" are on two things, however alike they are.
bool on_other_things(const Facts& a, const Facts& b) {
  if (has_own(a.identifiers, b.identifiers) && has_own(b.identifiers, a.identifiers)) return true;
  return !a.names.empty() && !b.names.empty() && !share_any(a.names, b.names);
}

// Numbers were compared already, and rounded ones agree; what is left is that one denies the other.
std::string without_numbers(std::string_view text) {
  std::string rest;
  for (const PlainWord& word : fold_numerals(plain_words(text)))
    if (word.kind != WordKind::kNumber) rest += word.text + ' ';
  return rest;
}

bool has_part(const FoundSource& source, const FoundPart& part) {
  return std::any_of(source.parts.begin(), source.parts.end(),
                     [&](const FoundPart& one) { return one.first_line == part.first_line && one.text == part.text; });
}

}  // namespace

std::vector<SourceStatement> pick_statements(const std::string& aspect, std::span<const NumberedSource> sources,
                                             const Likeness& likeness, std::size_t most,
                                             std::vector<std::int64_t>& ordered) {
  std::vector<SourceStatement> all;
  std::map<std::int64_t, int> ranks;
  for (const NumberedSource& source : sources) {
    ranks[source.number] = source.rank;
    for (const FoundPart& part : source.found->parts) {
      if (part.heading) continue;
      for (SourceSentence& one : sentences_of(part)) {
        if (orders_the_reader(one.text)) {
          ordered.push_back(source.number);
          continue;
        }
        if (all.size() < kMostSentences && says_something(one.text))
          all.push_back({source.number, one.first_line, one.last_line, std::move(one.text), aspect, 0});
      }
    }
  }
  const auto words = covered(aspect, all);
  const auto meant = likeness.by_meaning() ? likeness.to_all(aspect, texts_of(all)) : words;
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].fit = std::max(words[i], (words[i] + meant[i]) / 2) - kRankWorth * ranks[all[i].source];
  std::erase_if(all, [](const SourceStatement& one) { return one.fit < kFits; });
  std::stable_sort(all.begin(), all.end(),
                   [](const SourceStatement& a, const SourceStatement& b) { return a.fit > b.fit; });
  if (all.size() > most) all.resize(most);
  return all;
}

std::vector<ResearchClaim> make_claims(std::vector<SourceStatement> statements, std::span<const NumberedSource> sources,
                                       const Likeness& likeness, std::size_t most) {
  std::map<std::int64_t, int> ranks;
  for (const NumberedSource& source : sources) ranks[source.number] = source.rank;
  // The weightiest source speaks for what several say.
  std::stable_sort(statements.begin(), statements.end(), [&](const SourceStatement& a, const SourceStatement& b) {
    return ranks[a.source] != ranks[b.source] ? ranks[a.source] < ranks[b.source] : a.fit > b.fit;
  });
  const auto alike = all_likeness(texts_of(statements), likeness);
  const auto groups = group(statements, alike);
  std::vector<ResearchClaim> claims;
  for (const std::size_t one : choose(groups, alike, statements, most))
    claims.push_back(claim_of(groups[one], statements));
  return claims;
}

std::vector<ResearchDispute> judge_claims(std::vector<ResearchClaim>& claims, std::span<const ResearchSource> sources,
                                          const Likeness& likeness) {
  std::vector<std::string> texts;
  for (ResearchClaim& claim : claims) {
    texts.push_back(claim.text);
    claim.independent = witnesses_of(claim, sources);
    claim.state = claim.independent >= 2 ? ClaimState::kConfirmed : ClaimState::kSingle;
  }
  const auto alike = all_likeness(texts, likeness);
  std::vector<ResearchDispute> disputes;
  for (std::size_t i = 0; i < claims.size(); ++i)
    for (std::size_t k = i + 1; k < claims.size(); ++k) {
      const auto what = differ_in(texts[i], texts[k], alike[i][k]);
      if (!what) continue;
      claims[i].state = claims[k].state = ClaimState::kDisputed;
      disputes.push_back({*what, {static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(k + 1)}, {}});
    }
  return disputes;
}

// Whether two statements of sources agree, differ, or have nothing to do with each other.

std::optional<DisputeOf> differ_in(std::string_view a, std::string_view b, double likeness) {
  if (likeness < kOneMatter) return std::nullopt;
  const bool one_language = language_of(a) == language_of(b);
  const Facts mine = facts_of(a), theirs = facts_of(b);
  if (one_language && on_other_things(mine, theirs)) return std::nullopt;
  if (numbers_differ(mine, theirs, one_language)) return DisputeOf::kNumber;
  if (dates_differ(mine, theirs)) return DisputeOf::kDate;
  if (one_language && mine.quantities.empty() == theirs.quantities.empty() &&
      contradict(without_numbers(a), without_numbers(b)))
    return DisputeOf::kPolarity;
  return std::nullopt;
}

bool say_the_same(std::string_view a, std::string_view b, double likeness) {
  if (likeness < kOneMatter || differ_in(a, b, likeness)) return false;
  const bool one_language = language_of(a) == language_of(b);
  const Facts mine = facts_of(a), theirs = facts_of(b);
  if (one_language && on_other_things(mine, theirs)) return false;
  // On one matter the same figure is said by both, whatever else each of them says; else the words must tell.
  if (share_quantity(mine, theirs, one_language) || share_date(mine, theirs)) return true;
  // A sentence with a number is not said by one without any.
  return likeness >= kSameSaid && mine.quantities.empty() == theirs.quantities.empty();
}

void add_once(std::vector<std::string>& texts, std::string text) {
  if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
}

std::int64_t SourceBook::add(FoundSource found) {
  const auto known = std::find_if(sources_.begin(), sources_.end(),
                                  [&](const FoundSource& one) { return one.origin == found.origin; });
  const auto number = static_cast<std::int64_t>(known - sources_.begin()) + 1;
  if (known == sources_.end()) {
    sources_.push_back(std::move(found));
    return number;
  }
  if (known->title.empty()) known->title = found.title;
  if (known->date.empty()) known->date = found.date;
  if (found.whole && !found.parts.empty()) {
    known->parts = std::move(found.parts);
    known->sketch = std::move(found.sketch);
    known->whole = true;
  } else if (!known->whole) {
    for (FoundPart& part : found.parts)
      if (!has_part(*known, part)) known->parts.push_back(std::move(part));
  }
  return number;
}

void SourceBook::add_all(FoundSources found) {
  for (FoundSource& one : found.sources) add(std::move(one));
}

std::vector<NumberedSource> SourceBook::numbered(ResearchKind kind) const {
  std::vector<NumberedSource> all;
  for (const FoundSource& one : sources_)
    all.push_back({static_cast<std::int64_t>(all.size()) + 1, source_rank(one.kind, kind), &one});
  return all;
}

std::vector<ResearchSource> SourceBook::described() const {
  std::vector<ResearchSource> all;
  for (const FoundSource& one : sources_)
    all.push_back({static_cast<std::int64_t>(all.size()) + 1, one.origin, one.title, one.date, one.kind, one.provenance,
                   one.tool, 0});
  mark_copies({sources_.begin(), sources_.end()}, all);
  return all;
}

const FoundSource* SourceBook::find(std::int64_t number) const {
  return number >= 1 && number <= static_cast<std::int64_t>(sources_.size())
             ? &sources_[static_cast<std::size_t>(number) - 1]
             : nullptr;
}

void Findings::take(Findings other) {
  std::vector<std::int64_t> numbers{0};
  for (const FoundSource& one : other.sources.all()) numbers.push_back(sources.add(one));
  const auto before = static_cast<std::int64_t>(claims.size());
  for (ResearchClaim& claim : other.claims) {
    for (ResearchCitation& one : claim.citations) one.source = numbers[static_cast<std::size_t>(one.source)];
    claims.push_back(std::move(claim));
  }
  for (ResearchDispute& dispute : other.disputes) {
    for (std::int64_t& claim : dispute.claims) claim += before;
    disputes.push_back(std::move(dispute));
  }
  for (auto& one : other.outline) add_once(outline, std::move(one));
  for (auto& one : other.gaps) add_once(gaps, std::move(one));
  for (auto& one : other.methods) add_once(methods, std::move(one));
  for (auto& one : other.notes) add_once(notes, std::move(one));
  if (limit.empty()) limit = other.limit;
  tool_calls += other.tool_calls;
  by_model = by_model || other.by_model;
}

}  // namespace weft
