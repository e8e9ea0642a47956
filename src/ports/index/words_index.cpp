#include "ports/index/words_index.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weft {
namespace {

constexpr std::uint32_t pack(std::uint32_t slot, std::size_t count) {
  return slot << 8 | static_cast<std::uint32_t>(std::min<std::size_t>(count, 255));
}

/// The block that holds `count` postings: 2^class of them.
unsigned class_for(std::uint32_t count) { return static_cast<unsigned>(std::bit_width(count - 1)); }

}  // namespace

void WordsIndex::add(std::uint32_t slot, std::span<const Term> terms) {
  lengths_.resize(std::max<std::size_t>(lengths_.size(), slot + 1), 0);
  lengths_[slot] = static_cast<float>(terms.size());
  total_length_ += static_cast<double>(terms.size());
  ++documents_;
  scratch_.assign(terms.begin(), terms.end());
  std::sort(scratch_.begin(), scratch_.end());
  for (std::size_t i = 0; i < scratch_.size();) {
    std::size_t end = i + 1;
    while (end < scratch_.size() && scratch_[end] == scratch_[i]) ++end;
    append(find_or_make(scratch_[i]), pack(slot, end - i));
    i = end;
  }
}

void WordsIndex::purge(std::span<const std::uint8_t> gone) {
  for (List& list : table_) {
    if (list.count == 0) continue;
    if (list.count == 1) {
      // An emptied list keeps its place in the table, or lookups behind it would break; `where` 0 with count 0 would
      // read as free, so the table is rebuilt below.
      if (gone[slot_of(list.where)]) list.count = 0;
      continue;
    }
    const auto begin = pool_.begin() + list.where, end = begin + list.count;
    const auto kept = std::remove_if(begin, end, [&](std::uint32_t posting) { return gone[slot_of(posting)] != 0; });
    if (kept == end) continue;
    std::fill(kept, end, 0);
    const auto left = static_cast<std::uint32_t>(kept - begin);
    if (left <= 1) {
      free_blocks_[class_for(list.count)].push_back(list.where);
      if (left == 1) list.where = *begin;
    } else if (class_for(left) != class_for(list.count)) {
      // The upper part of the block is given back in halves.
      for (unsigned c = class_for(list.count); c > class_for(left); --c)
        free_blocks_[c - 1].push_back(list.where + (1u << (c - 1)));
    }
    list.count = left;
  }
  for (std::size_t slot = 0; slot < lengths_.size(); ++slot) {
    if (!gone[slot] || lengths_[slot] < 0) continue;
    total_length_ -= lengths_[slot];
    lengths_[slot] = -1;  // counted out once
    --documents_;
  }
  std::vector<List> old(table_.size());
  old.swap(table_);
  used_ = 0;
  for (const List& list : old) {
    if (list.count == 0) continue;
    List& place = find_or_make(list.term);
    place.count = list.count;
    place.where = list.where;
  }
}

std::size_t WordsIndex::score(std::span<const QueryTerm> query, const Bm25& bm25, std::span<float> scores) const {
  if (documents_ == 0) return 0;
  const double average = std::max(1.0, total_length_ / static_cast<double>(documents_));
  const auto base = static_cast<float>(bm25.k1 * (1 - bm25.b));
  const auto slope = static_cast<float>(bm25.k1 * bm25.b / average);
  std::size_t read = 0;
  for (const QueryTerm& wanted : query) {
    const List* list = find(wanted.term);
    if (list == nullptr) continue;
    const auto weight = static_cast<float>(wanted.weight * rarity(wanted.term) * (bm25.k1 + 1));
    for (const std::uint32_t posting : postings(*list)) {
      const std::uint32_t slot = slot_of(posting);
      const auto times = static_cast<float>(count_of(posting));
      scores[slot] += weight * times / (times + base + slope * lengths_[slot]);
    }
    read += list->count;
  }
  return read;
}

std::size_t WordsIndex::bytes() const {
  return table_.capacity() * sizeof(List) + pool_.capacity() * sizeof(std::uint32_t) +
         lengths_.capacity() * sizeof(float);
}

double WordsIndex::rarity(Term term) const {
  const auto all = static_cast<double>(documents_), with = static_cast<double>(count(term));
  return std::log(1 + (all - with + 0.5) / (with + 0.5));
}

std::size_t WordsIndex::count(Term term) const {
  const List* list = find(term);
  return list == nullptr ? 0 : list->count;
}

bool WordsIndex::holds(Term term, std::uint32_t begin, std::uint32_t end) const {
  const List* list = find(term);
  if (list == nullptr) return false;
  // Slots come in rising order and never change places.
  const auto all = postings(*list);
  const auto first = std::lower_bound(
      all.begin(), all.end(), begin, [](std::uint32_t posting, std::uint32_t slot) { return slot_of(posting) < slot; });
  return first != all.end() && slot_of(*first) < end;
}

const WordsIndex::List* WordsIndex::find(Term term) const {
  if (table_.empty()) return nullptr;
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = term & mask;; at = (at + 1) & mask) {
    if (table_[at].count == 0) return nullptr;
    if (table_[at].term == term) return &table_[at];
  }
}

WordsIndex::List& WordsIndex::find_or_make(Term term) {
  if ((used_ + 1) * 10 > table_.size() * 7) grow_table();
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = term & mask;; at = (at + 1) & mask) {
    List& list = table_[at];
    if (list.count != 0 && list.term != term) continue;
    if (list.count == 0) {
      list.term = term;
      ++used_;
    }
    return list;
  }
}

void WordsIndex::grow_table() {
  std::vector<List> old(std::max<std::size_t>(64, table_.size() * 2));
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (const List& list : old) {
    if (list.count == 0) continue;
    std::size_t at = list.term & mask;
    while (table_[at].count != 0) at = (at + 1) & mask;
    table_[at] = list;
  }
}

void WordsIndex::append(List& list, std::uint32_t posting) {
  if (list.count == 0) {
    list.where = posting;
  } else if (list.count == 1) {
    const std::uint32_t first = list.where;
    list.where = take_block(1);
    pool_[list.where] = first;
    pool_[list.where + 1] = posting;
  } else {
    const unsigned size_class = class_for(list.count);
    if (std::has_single_bit(list.count)) {
      const std::uint32_t bigger = take_block(size_class + 1);
      std::copy_n(pool_.begin() + list.where, list.count, pool_.begin() + bigger);
      free_blocks_[size_class].push_back(list.where);
      list.where = bigger;
    }
    pool_[list.where + list.count] = posting;
  }
  ++list.count;
}

std::span<const std::uint32_t> WordsIndex::postings(const List& list) const {
  if (list.count == 1) return {&list.where, 1};
  return {pool_.data() + list.where, list.count};
}

std::uint32_t WordsIndex::take_block(unsigned size_class) {
  auto& blocks = free_blocks_[size_class];
  if (!blocks.empty()) {
    const std::uint32_t block = blocks.back();
    blocks.pop_back();
    return block;
  }
  const auto block = static_cast<std::uint32_t>(pool_.size());
  pool_.resize(pool_.size() + (std::size_t{1} << size_class));
  return block;
}

}  // namespace weft
