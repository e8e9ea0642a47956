#include "flow/historian/echo.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "text/date_words.h"
#include "text/lexicon.h"
#include "text/numerals.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

bool is_person(const std::string& word) {
  static const LexiconWords set = lexicon_both_words("echoes", "persons");
  return set.contains(word);
}

struct Token {
  Term term;
  std::uint8_t weight;  // 2 a Chinese character, 3 a word
};
using Tokens = std::vector<Token>;

// "likes" and "like", "carries" and "carry", "watches" and "watch": the third person comes back as the second.
std::string without_ending(std::string word) {
  constexpr std::size_t kShortest = 4;
  if (word.size() >= kShortest && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us"))
    word.pop_back();
  if (word.size() >= kShortest && word.ends_with("ie")) word.pop_back();
  if (word.size() >= kShortest && word.ends_with('y')) word.back() = 'i';
  for (const std::string_view ending : {"che", "she", "sse", "xe", "zze"}) {
    if (word.ends_with(ending)) word.pop_back();
  }
  if (word == "goe" || word == "doe") word.pop_back();
  return word == "ha" || word == "has" ? "have" : word;
}

constexpr std::size_t kRunWeight = 8;  // three words or four characters

// A clause that is shorter than a run is judged with the one before it, the first with the one behind it.
void join_short(std::vector<Tokens>& clauses) {
  const auto is_short = [](const Tokens& clause) {
    std::size_t weight = 0;
    for (const Token& token : clause) weight += token.weight;
    return weight < kRunWeight;
  };
  std::vector<Tokens> joined;
  for (Tokens& clause : clauses) {
    if (!joined.empty() && (is_short(clause) || is_short(joined.back())))
      joined.back().insert(joined.back().end(), clause.begin(), clause.end());
    else
      joined.push_back(std::move(clause));
  }
  clauses = std::move(joined);
}

// The clauses of a sentence, each without frames and person.
std::vector<Tokens> clauses_of(std::string_view sentence) {
  static const PhraseTable frames = phrase_table("echoes", "frames");
  const auto words = fold_dates(fold_numerals(plain_words(sentence)));
  std::vector<Tokens> clauses(1);
  for (std::size_t at = 0; at < words.size();) {
    if (const std::size_t length = frames.longest(words, at).words; length != 0) {
      at += length;
      continue;
    }
    const PlainWord& word = words[at++];
    const bool joins = word.text == "and" || word.text == "并";
    if (word.kind == WordKind::kComma || word.kind == WordKind::kStop || joins) {
      if (!clauses.back().empty()) clauses.emplace_back();
    } else if (word.kind == WordKind::kQuestion && clauses.back().empty()) {
      continue;  // "…, right?" asks nothing new
    } else if (word.kind != WordKind::kEmoji && !is_person(word.text)) {
      const bool han = word.kind == WordKind::kHan;
      clauses.back().push_back({term_of(without_ending(word.text)), static_cast<std::uint8_t>(han ? 2 : 3)});
    }
  }
  if (clauses.back().empty()) clauses.pop_back();
  join_short(clauses);
  return clauses;
}

// The end of the run of full weight that begins at `begin`, 0 where the text ends before.
std::size_t end_of_run(const Tokens& tokens, std::size_t begin) {
  std::size_t weight = 0;
  for (std::size_t at = begin; at < tokens.size(); ++at) {
    weight += tokens[at].weight;
    if (weight >= kRunWeight) return at + 1;
  }
  return 0;
}

std::uint64_t hash_of(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::uint64_t hash = end - begin;
  for (std::size_t at = begin; at < end; ++at) hash = XXH3_64bits_withSeed(&tokens[at].term, sizeof(Term), hash);
  return hash;
}

// The runs of all memories, each with the sentences of memories it stands in.
class Recalled {
 public:
  explicit Recalled(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      for (const std::string_view sentence : sentences(text)) add(sentence);
    }
  }

  // Which tokens of a clause stand in the one sentence of a memory that holds most of them.
  std::vector<bool> quoted(const Tokens& clause) const {
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> begins;  // by sentence
    for (std::size_t at = 0; at < clause.size(); ++at) {
      const std::size_t end = end_of_run(clause, at);
      if (end == 0) break;
      const auto found = runs_.find(hash_of(clause, at, end));
      if (found == runs_.end()) continue;
      for (const std::uint32_t sentence : found->second) begins[sentence].push_back(at);
    }
    std::vector<bool> best(clause.size(), false);
    std::size_t most = 0;
    std::uint32_t chosen = 0;
    for (const auto& [sentence, list] : begins) {
      if (list.size() < most || (list.size() == most && sentence > chosen)) continue;
      most = list.size();
      chosen = sentence;
    }
    if (most == 0) return best;
    for (const std::size_t at : begins[chosen]) {
      const std::size_t end = end_of_run(clause, at);
      std::fill(best.begin() + static_cast<std::ptrdiff_t>(at), best.begin() + static_cast<std::ptrdiff_t>(end), true);
    }
    return best;
  }

 private:
  // A run that very many sentences hold says nothing about which one is quoted.
  static constexpr std::size_t kMostSentences = 64;

  void add(std::string_view sentence) {
    Tokens tokens;
    for (const Tokens& clause : clauses_of(sentence)) tokens.insert(tokens.end(), clause.begin(), clause.end());
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      const std::size_t end = end_of_run(tokens, at);
      if (end == 0) break;
      auto& list = runs_[hash_of(tokens, at, end)];
      if (list.size() < kMostSentences && (list.empty() || list.back() != count_)) list.push_back(count_);
    }
    ++count_;
  }

  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> runs_;
  std::uint32_t count_ = 0;
};

struct Share {
  std::size_t quoted = 0, all = 0;  // weights
};

Share share_of(std::string_view sentence, const Recalled& recalled) {
  Share share;
  for (const Tokens& clause : clauses_of(sentence)) {
    const std::vector<bool> quoted = recalled.quoted(clause);
    for (std::size_t i = 0; i < clause.size(); ++i) {
      share.all += clause[i].weight;
      if (quoted[i]) share.quoted += clause[i].weight;
    }
  }
  return share;
}

}  // namespace

double echo_share(std::string_view text, const std::vector<std::string>& recalled) {
  const Recalled index(recalled);
  Share sum;
  for (const std::string_view sentence : sentences(text)) {
    const Share share = share_of(sentence, index);
    sum.quoted += share.quoted;
    sum.all += share.all;
  }
  return sum.all == 0 ? 0 : static_cast<double>(sum.quoted) / static_cast<double>(sum.all);
}

std::string without_echo(std::string_view text, const std::vector<std::string>& recalled) {
  const Recalled index(recalled);
  std::string kept;
  const char* end = text.data();  // of the sentence before
  bool gap = false;
  for (const std::string_view sentence : sentences(text)) {
    const Share share = share_of(sentence, index);
    const bool quotes = share.all > 0 && share.quoted == share.all;
    if (!quotes) {
      if (!kept.empty()) kept += gap ? std::string(" ") : std::string(end, sentence.data());
      kept += sentence;
    }
    gap = quotes;
    end = sentence.data() + sentence.size();
  }
  return kept;
}

}  // namespace weft
