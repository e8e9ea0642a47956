#include "flow/historian/echo.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "text/date_words.h"
#include "text/numerals.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

// What a model says about remembering, and not about the matter.
constexpr std::string_view kFrames =
    "as you told me|you told me that|you told me|as you said|you said that|you said|as you mentioned|you mentioned "
    "that|"
    "you mentioned|you have mentioned|as we discussed|as discussed|as i recall|i recall that|i recall|i remember that|"
    "i remember|from what i remember|from what i know|from what you told me|based on my memory|based on what i "
    "remember|"
    "based on what you told me|based on our previous conversation|based on our previous conversations|"
    "based on our conversation|according to my memory|according to my notes|according to my records|"
    "according to what you told me|according to the memory|my notes say that|my notes say|my memory says|i know that|"
    "i know|i see that|i can see that|earlier|previously|before|you shared that|i have noted that|"
    "in our last conversation|last time|"
    "根据我的记忆|根据记忆|根据之前的对话|根据我们之前的对话|根据你之前说的|根据您之前说的|根据记录|据我所知|据我了解|"
    "我记得|我还记得|"
    "你之前说过|您之前说过|你说过|您说过|你之前提到过|您之前提到过|你之前提到|您之前提到|你提到过|您提到过|你提到|"
    "您提到|你告诉过我|"
    "您告诉过我|你告诉我|您告诉我|你跟我说过|我知道|我了解到|之前|如你所说|如您所说|正如你所说|正如您所说|"
    "正如你之前提到的|"
    "正如您之前提到的|上次";

// Without weight for an echo: what changes when somebody else says it.
constexpr std::string_view kPerson =
    "i you he she we they me him us them my your his our their mine yours user user's users 's the a an am is are be "
    "do "
    "does that so also too then and but will 我 你 您 他 她 们 咱 用 户 的 了 也 吗 呢 吧 啊 哦 是 就 很";

bool is_person(const std::string& word) {
  static const std::unordered_set<std::string_view> set = [] {
    const auto parts = split_list(kPerson, ' ');
    return std::unordered_set<std::string_view>(parts.begin(), parts.end());
  }();
  return set.contains(word);
}

struct Token {
  Term term;
  std::uint8_t weight;  // 2 a Chinese character, 3 a word
};
using Tokens = std::vector<Token>;

// "likes" and "like", "cats" and "cat": the third person comes back as the second.
std::string without_ending(std::string word) {
  constexpr std::size_t kShortest = 4;
  if (word.size() >= kShortest && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us"))
    word.pop_back();
  return word == "ha" || word == "has" ? "have" : word;
}

// The clauses of a sentence, each without frames and person.
std::vector<Tokens> clauses_of(std::string_view sentence) {
  static const PhraseTable frames = [] {
    PhraseTable table;
    table.add(kFrames, 0);
    return table;
  }();
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
    } else if (word.kind != WordKind::kEmoji && !is_person(word.text)) {
      const bool han = word.kind == WordKind::kHan;
      clauses.back().push_back({term_of(without_ending(word.text)), static_cast<std::uint8_t>(han ? 2 : 3)});
    }
  }
  if (clauses.back().empty()) clauses.pop_back();
  return clauses;
}

constexpr std::size_t kRunWeight = 8;  // three words or four characters

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
