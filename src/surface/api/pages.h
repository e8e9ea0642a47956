#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/result.h"

/// Lists a page at a time. A place is the key of the last thing that a page gave: whatever is added meanwhile, the next
/// page begins behind it.
namespace weft {

/// Which stretch of a list is wanted.
struct PageWanted {
  std::size_t limit = 100;
  std::string after;  ///< the place that the page before ended at; empty: from the beginning

  /// The place as the number that it was made of, 0 for the beginning. kInvalidArgument where it is none.
  Result<std::int64_t> number() const;
};

/// A page: the answer as it is without pages, and where it ended.
template <class Answer>
struct Paged {
  Answer answer;
  std::string place;  ///< empty: nothing follows
};

/// How a list that is read as a whole goes on behind a place.
enum class ListOrder {
  kByKey,  ///< it is put in the order of keys, so it goes on also where the thing at the place is gone
  kAsGiven,  ///< it stands in an order of its own, and goes on behind the thing at the place, or one shortly before it
};

/// Where a page of such a list begins, by its keys in order; its place beyond the end where nothing follows.
/// kConflict where all things that the place names are gone.
Result<std::size_t> begin_of_page(std::span<const std::string> keys, ListOrder order, const PageWanted& wanted);

/// The place of the thing with this number: its key and, `kAsGiven`, those of some before it.
std::string place_at(std::span<const std::string> keys, ListOrder order, std::size_t last);

/// Keys that several things share get numbers, so that each is one thing's alone.
void make_unique(std::vector<std::string>& keys);

/// A number as a key: texts of them are in the order of the numbers.
std::string number_key(std::int64_t number);

/// A page of a list that is there as a whole.
template <class T, class KeyOf>
Result<Paged<std::vector<T>>> page_of(std::vector<T> all, ListOrder order, const PageWanted& wanted, KeyOf key_of) {
  if (order == ListOrder::kByKey)
    std::stable_sort(all.begin(), all.end(), [&](const T& a, const T& b) { return key_of(a) < key_of(b); });
  std::vector<std::string> keys;
  for (const T& one : all) keys.push_back(key_of(one));
  make_unique(keys);
  WEFT_TRY(const std::size_t begin, begin_of_page(keys, order, wanted));
  const std::size_t end = std::min(all.size(), begin + wanted.limit);
  Paged<std::vector<T>> page;
  for (std::size_t i = begin; i < end; ++i) page.answer.push_back(std::move(all[i]));
  if (end < all.size()) page.place = place_at(keys, order, end - 1);
  return page;
}

}  // namespace weft
