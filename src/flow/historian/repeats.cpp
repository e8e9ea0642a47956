#include "flow/historian/repeats.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/strings.h"
#include "text/sentences.h"
#include "text/statement.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
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
