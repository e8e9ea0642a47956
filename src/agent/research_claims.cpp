// From sources to claims: sentences that fit, grouped by what they say, judged by who says it.
#include "agent/research_claims.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "agent/research_sources.h"
#include "agent/research_text.h"
#include "base/strings.h"
#include "flow/memory/memory_file.h"
#include "text/english_verbs.h"
#include "text/numerals.h"
#include "text/plain_words.h"
#include "text/question.h"
#include "text/time_expressions.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
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
