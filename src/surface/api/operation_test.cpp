#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

#include "surface/api/operation.h"

namespace weft {
namespace {

using Texts = std::vector<std::string>;

std::string itself(const std::string& text) { return text; }

// All that is seen by whoever walks a list of so many to its end, while `change` is done to it after each page.
Texts walked(Texts list, ListOrder order, std::size_t limit, const std::function<void(Texts&)>& change) {
  Texts seen;
  PageWanted wanted{limit, {}};
  for (int pages = 0; pages < 1000; ++pages) {
    const auto page = page_of(list, order, wanted, itself);
    EXPECT_TRUE(page.ok());
    if (!page.ok()) return seen;
    seen.insert(seen.end(), page->answer.begin(), page->answer.end());
    if (page->place.empty()) return seen;
    wanted.after = page->place;
    change(list);
  }
  ADD_FAILURE() << "a list without an end";
  return seen;
}

TEST(Pages, PF_10_additions_and_removals_take_nothing_from_a_walk) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Texts list;
    for (int i = 0; i < 30; ++i) list.push_back("k" + number_key(static_cast<std::int64_t>(random() % 1'000'000)));
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (round % 2 == 1) std::shuffle(list.begin(), list.end(), random);
    const auto order = round % 2 == 1 ? ListOrder::kAsGiven : ListOrder::kByKey;
    std::set<std::string> gone;
    const Texts seen = walked(list, order, 2 + random() % 4, [&](Texts& now) {
      now.insert(now.begin() + static_cast<std::ptrdiff_t>(random() % now.size()), "new" + std::to_string(random()));
      // At most one of what a place names goes at a time.
      const auto out = now.begin() + static_cast<std::ptrdiff_t>(random() % now.size());
      gone.insert(*out);
      now.erase(out);
    });
    std::multiset<std::string> counted(seen.begin(), seen.end());
    for (const std::string& one : gone) std::erase(list, one);
    for (const std::string& one : list) EXPECT_EQ(counted.count(one), 1U) << one << " in round " << round;
    for (const std::string& one : seen) EXPECT_EQ(counted.count(one), 1U) << one;
  }
}

TEST(Pages, PF_10_things_of_one_name_are_kept_apart) {
  const Texts same(9, "twin");
  for (const auto order : {ListOrder::kByKey, ListOrder::kAsGiven})
    EXPECT_EQ(walked(same, order, 2, [](Texts&) {}).size(), 9U);
}

TEST(Pages, PF_10_a_place_that_is_gone_altogether_is_said) {
  const auto page = page_of(Texts{"a", "b", "c"}, ListOrder::kAsGiven, {1, {}}, itself);
  const auto next = page_of(Texts{"x", "y"}, ListOrder::kAsGiven, {1, page->place}, itself);
  ASSERT_FALSE(next.ok());
  EXPECT_EQ(next.error().code, ErrorCode::kConflict);
}

TEST(Cursor, PF_10_any_place_comes_back_and_nothing_else_is_taken) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    std::string place(1 + random() % 60, '\0');
    for (char& c : place) c = static_cast<char>(random());
    std::string cursor = cursor_of("list", place);
    EXPECT_EQ(*place_of_cursor("list", cursor), place);
    EXPECT_FALSE(place_of_cursor("another", cursor).ok());
    cursor[random() % 18] = 'x';  // in what says which form and which list it is
    EXPECT_FALSE(place_of_cursor("list", cursor).ok());
  }
  EXPECT_EQ(*place_of_cursor("list", ""), "");
}

}  // namespace
}  // namespace weft
