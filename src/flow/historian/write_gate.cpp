#include "flow/historian/write_gate.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "text/date_words.h"
#include "text/lexicon.h"
#include "text/numerals.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/small_talk.h"
#include "text/statement.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

// A speaker may say a thing three or four times for emphasis; a model that is stuck does not stop.
constexpr std::size_t kLoopTimes = 5;
constexpr double kLoopShare = 0.75;

}  // namespace

const char* to_string(Refusal reason) {
  switch (reason) {
    case Refusal::kEmptyTalk: return "empty_talk";
    case Refusal::kDuplicate: return "duplicate";
    case Refusal::kEcho: return "echo";
    case Refusal::kLoop: return "loop";
  }
  return "unknown";
}

std::optional<Refused> judge(std::string_view candidate, const GateContext& context) {
  if (is_empty_talk(candidate)) return Refused{Refusal::kEmptyTalk, {}, 1};
  // Before duplicates: what is said a third time is already known, and still the reason is the loop.
  if (is_loop(candidate, context.recent)) return Refused{Refusal::kLoop, {}, 1};
  const Collapsed once = collapse_repeats(candidate);
  if (once.times >= kLoopTimes && once.share >= kLoopShare) return Refused{Refusal::kLoop, {}, once.share};
  if (context.known != nullptr) {
    if (auto id = context.known->find(once.text, context.day)) return Refused{Refusal::kDuplicate, std::move(*id), 1};
  }
  if (context.recalled != nullptr && !context.recalled->empty() &&
      is_empty_talk(without_echo(once.text, *context.recalled)))
    return Refused{Refusal::kEcho, {}, echo_share(once.text, *context.recalled)};
  return std::nullopt;
}

void DuplicateIndex::add(const std::string& id, std::string_view text, std::int64_t day) {
  add(id, Statement(text), day);
}

void DuplicateIndex::add(const std::string& id, const Statement& statement, std::int64_t day) {
  remove(id);
  if (statement.empty()) return;
  const auto [entry, added] = keys_.emplace(id, statement.key());
  entries_.emplace(statement.key(), Entry{statement, day, &entry->first});
}

std::optional<std::string> DuplicateIndex::find(std::string_view text, std::int64_t day) const {
  return find(Statement(text), day);
}

std::optional<std::string> DuplicateIndex::find(const Statement& statement, std::int64_t day) const {
  const auto [begin, end] = entries_.equal_range(statement.key());
  for (auto it = begin; it != end; ++it) {
    const Entry& entry = it->second;
    if (statement.relative_time() && entry.day != day) continue;
    if (entry.statement.says_the_same(statement)) return *entry.id;
  }
  return std::nullopt;
}

void DuplicateIndex::remove(const std::string& id) {
  const auto key = keys_.find(id);
  if (key == keys_.end()) return;
  const auto [begin, end] = entries_.equal_range(key->second);
  for (auto it = begin; it != end; ++it) {
    if (it->second.id != &key->first) continue;
    entries_.erase(it);
    break;
  }
  keys_.erase(key);
}

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

namespace {

struct Piece {
  std::string_view text;
  std::uint64_t hash;
};

std::uint64_t hash_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

// Words between blanks, and single characters of Chinese.
std::vector<Piece> word_pieces(std::string_view text) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    bool cjk = is_cjk(next_code_point(text, at));
    while (!cjk && at < text.size() && !is_blank(text[at])) {
      std::size_t next = at;
      if (is_cjk(next_code_point(text, next))) break;
      at = next;
    }
    const std::string_view piece = text.substr(begin, at - begin);
    pieces.push_back({piece, hash_of(piece)});
  }
  return pieces;
}

std::vector<Piece> sentence_pieces(std::string_view text) {
  std::vector<Piece> pieces;
  for (const std::string_view sentence : sentences(text)) {
    std::string normal = normalize(sentence);
    const auto end = normal.find_last_not_of(" .!");
    normal.resize(end == std::string::npos ? 0 : end + 1);
    pieces.push_back({sentence, hash_of(normal)});
  }
  return pieces;
}

struct Kept {
  std::vector<Piece> pieces;
  std::size_t times = 1;
};

// Keeps one of each sequence of up to `longest` pieces that comes at least `least` times in a row. For each length the
// number of pieces that equal the one that far before is counted on the way, so nothing is compared twice.
Kept keep_once(const std::vector<Piece>& pieces, std::size_t longest, std::size_t least) {
  Kept kept;
  std::vector<bool> dropped(pieces.size(), false);
  for (std::size_t period = 1; period <= longest && period < pieces.size(); ++period) {
    std::size_t run = 0;  // equal to the piece one period before
    for (std::size_t at = period; at <= pieces.size(); ++at) {
      if (at < pieces.size() && pieces[at].hash == pieces[at - period].hash) {
        ++run;
        continue;
      }
      const std::size_t times = run / period + 1;
      if (run > 0 && times >= least && !dropped[at - run]) {
        const auto from = static_cast<std::ptrdiff_t>(at - run);
        const auto length = static_cast<std::ptrdiff_t>(run - run % period);
        std::fill_n(dropped.begin() + from, length, true);
        kept.times = std::max(kept.times, times);
      }
      run = 0;
    }
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!dropped[i]) kept.pieces.push_back(pieces[i]);
  }
  return kept;
}

// The pieces with the blanks that stood before each.
std::string join(std::string_view text, const std::vector<Piece>& pieces) {
  std::string out;
  for (const Piece& piece : pieces) {
    auto begin = static_cast<std::size_t>(piece.text.data() - text.data());
    const std::size_t end = begin + piece.text.size();
    while (begin > 0 && is_blank(text[begin - 1])) --begin;
    out += out.empty() ? piece.text : text.substr(begin, end - begin);
  }
  return out;
}

}  // namespace

Collapsed collapse_repeats(std::string_view text) {
  constexpr std::size_t kSentences = 8, kWords = 16, kLeastWords = 4;
  Collapsed collapsed;
  collapsed.text = std::string(text);
  const Kept by_sentence = keep_once(sentence_pieces(text), kSentences, 2);
  if (by_sentence.times > 1) collapsed.text = join(text, by_sentence.pieces);
  const Kept by_word = keep_once(word_pieces(collapsed.text), kWords, kLeastWords);
  if (by_word.times > 1) collapsed.text = join(collapsed.text, by_word.pieces);
  collapsed.times = std::max(by_sentence.times, by_word.times);
  if (!text.empty())
    collapsed.share = 1 - static_cast<double>(collapsed.text.size()) / static_cast<double>(text.size());
  return collapsed;
}

bool is_loop(std::string_view text, std::span<const std::string> recent) {
  constexpr std::size_t kMostRecent = 8, kLongestTurn = 4;
  if (recent.size() > kMostRecent) recent = recent.last(kMostRecent);
  std::vector<Statement> said;
  for (const std::string& one : recent) said.emplace_back(one);
  said.emplace_back(text);
  if (said.back().empty()) return false;
  const std::size_t last = said.size() - 1;
  for (std::size_t turn = 1; turn <= kLongestTurn && 2 * turn <= last; ++turn) {
    // Three times the text itself, and between them twice the same.
    bool same = true;
    for (std::size_t back = 0; same && back <= turn; ++back)
      same = said[last - back].says_the_same(said[last - back - turn]);
    if (same) return true;
  }
  return false;
}

}  // namespace weft
