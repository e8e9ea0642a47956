#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "text/words.h"

namespace weft {

/// Okapi BM25's two constants.
struct Bm25 {
  double k1 = 1.2;  ///< how soon repetitions of a word stop counting
  double b = 0.75;  ///< how much long texts are held back
};

/// Postings of one shelf of items: which word stands in which slot how often, for BM25 over all slots at once.
///
/// A posting is one 32 bit number (24 bits slot, 8 bits count), so a scope of 100,000 short messages needs some 10 MB.
/// Lists live in one pool in blocks of 2^n; a word that stands in one place only, as most do, takes no block at all.
/// Not safe for writing while others read; the owner locks.
class WordsIndex {
 public:
  static constexpr std::uint32_t kMaxSlots = 1u << 24;

  /// A word to search for and how much it counts.
  struct QueryTerm {
    Term term = 0;
    float weight = 1;
  };

  /// Adds the words of a new slot. Slots must come in rising order.
  void add(std::uint32_t slot, std::span<const Term> terms);

  /// Takes slots out of every list, so that counts are as if they had never been there. One pass over all postings.
  /// `gone` has one entry a slot.
  void purge(std::span<const std::uint8_t> gone);

  /// Adds to `scores`, one a slot, the BM25 score of each slot for the words. Gives the number of postings read.
  std::size_t score(std::span<const QueryTerm> query, const Bm25& bm25, std::span<float> scores) const;

  /// The weight of a word by its rarity, ln(1 + (N - n + 0.5) / (n + 0.5)): never negative, so that a word that stands
  /// in most texts cannot turn the order round.
  double rarity(Term term) const;

  /// Whether a word stands in one of the slots from `begin` to before `end`. Some steps for each doubling of the number
  /// of slots it stands in.
  bool holds(Term term, std::uint32_t begin, std::uint32_t end) const;

  /// Calls `take(slot, count)` for each slot that a word stands in, in rising order.
  template <class Take>
  void visit(Term term, const Take& take) const {
    if (const List* list = find(term))
      for (const std::uint32_t posting : postings(*list)) take(slot_of(posting), count_of(posting));
  }

  /// In how many slots a word stands.
  std::size_t count(Term term) const;

  std::size_t documents() const { return documents_; }
  std::size_t bytes() const;  ///< of memory, about

 private:
  /// A list: `count` postings, at `where` in the pool, or the posting itself where there is only one.
  struct List {
    Term term = 0;
    std::uint32_t count = 0;  ///< 0: this place of the table is free
    std::uint32_t where = 0;
  };

  static constexpr std::uint32_t slot_of(std::uint32_t posting) { return posting >> 8; }
  static constexpr std::uint32_t count_of(std::uint32_t posting) { return posting & 255; }
  const List* find(Term term) const;
  List& find_or_make(Term term);
  void grow_table();
  void append(List& list, std::uint32_t posting);
  std::span<const std::uint32_t> postings(const List& list) const;
  std::uint32_t take_block(unsigned size_class);

  std::vector<List> table_;  ///< open addressing, a power of two long, at most 70 % full
  std::size_t used_ = 0;
  std::vector<std::uint32_t> pool_;
  std::array<std::vector<std::uint32_t>, 32> free_blocks_;
  std::vector<float> lengths_;  ///< words of each slot
  std::vector<Term> scratch_;
  std::size_t documents_ = 0;
  double total_length_ = 0;
};

}  // namespace weft
