// From sources to claims: sentences that fit, grouped by what they say, judged by who says it.
#include "agent/research_claims.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "agent/research_sources.h"
#include "agent/research_text.h"
#include "base/strings.h"
#include "text/question.h"
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

}  // namespace weft
