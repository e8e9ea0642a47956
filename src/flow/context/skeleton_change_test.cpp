#include "flow/context/skeleton_change.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>
#include <vector>

#include "flow/context/skeleton.h"

namespace weft {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

const std::string kTown = R"(<context_layer type="deterministic">
  <status>
    turn: 3
    player:
      name: Kai
      hp: 40
      bag:
        - rope
        - brass key
    people:
      - name: Oda
        mood: calm
      - name: Bo
        mood: calm
  </status>
  <guidance>
    current_goal: find the ferry
  </guidance>
</context_layer>)";

std::string with(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(SkeletonChange, AC_10_what_is_the_same_takes_no_word) { EXPECT_EQ(skeleton_change(kTown, kTown), ""); }

TEST(SkeletonChange, AC_10_a_change_is_told_within_what_it_belongs_to) {
  EXPECT_EQ(skeleton_change(kTown, with(kTown, "hp: 40", "hp: 35")).value(),
            "<changes since=\"the state above\">\n"
            "<context_layer type=\"deterministic\">\n"
            "  <status>\n"
            "    player:\n"
            "      hp: 35\n"
            "  </status>\n"
            "</context_layer>\n"
            "</changes>");
  // Whose mood it is stands in another line of the item.
  const std::string angry =
      skeleton_change(kTown, with(kTown, "name: Bo\n        mood: calm", "name: Bo\n        mood: angry")).value();
  EXPECT_NE(angry.find("      - name: Bo\n        mood: angry\n"), std::string::npos) << angry;
  EXPECT_EQ(angry.find("Oda"), std::string::npos) << angry;
  EXPECT_EQ(angry.find("<gone>"), std::string::npos) << angry;
}

TEST(SkeletonChange, AC_10_what_is_gone_is_told_as_gone) {
  const std::string lost = skeleton_change(kTown, with(kTown, "        - brass key\n", "")).value();
  const auto gone = lost.find("<gone>");
  ASSERT_NE(gone, std::string::npos) << lost;
  EXPECT_GT(lost.find("- brass key"), gone) << lost;
  EXPECT_LT(lost.find("- brass key"), lost.find("</gone>")) << lost;
}

TEST(SkeletonChange, AC_10_what_changes_mostly_is_told_in_full) {
  EXPECT_FALSE(skeleton_change(kTown, "<context_layer>\n  another: world\n</context_layer>").has_value());
  EXPECT_FALSE(skeleton_change("", kTown).has_value());
}

Value world(const std::vector<int>& numbers) {
  ValueList people;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    people.emplace_back(ValueObject{{"name", "person " + std::to_string(i)},
                                    {"coins", numbers[i]},
                                    {"mood", numbers[i] % 3 == 0 ? "冷静" : "tired: \"very\""}});
  }
  return ValueObject{{"turn", numbers.front()}, {"people", std::move(people)}};
}

// Of the state as it is told nothing that is new is left out, and nothing is told that the state does not say.
TEST(SkeletonChange, AC_10_over_random_states_nothing_new_is_left_out) {
  std::mt19937 random(11);
  Skeleton skeleton;
  int told_in_short = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<int> numbers(2 + random() % 30);
    for (int& one : numbers) one = static_cast<int>(random() % 50);
    const auto text_of = [&](const std::vector<int>& of) {
      const Value state = world(of);
      SkeletonInput input;
      input.state = &state;
      return skeleton.render(input, "chat").value();
    };
    const std::string before = text_of(numbers);
    for (std::size_t changes = random() % 4; changes-- > 0;)
      numbers[random() % numbers.size()] += 1 + static_cast<int>(random() % 9);
    if (random() % 4 == 0) numbers.pop_back();
    if (random() % 4 == 0) numbers.push_back(7);
    const std::string now = text_of(numbers);
    const auto change = skeleton_change(before, now);
    if (!change) continue;
    ++told_in_short;
    if (change->empty()) {
      EXPECT_EQ(before, now);
      continue;
    }
    const std::vector<std::string> old_lines = lines_of(before), new_lines = lines_of(now);
    std::vector<std::string> told = lines_of(*change);
    const auto gone = std::find(told.begin(), told.end(), "<gone>");
    const std::vector<std::string> stands(told.begin() + 1, gone == told.end() ? told.end() - 1 : gone);
    auto at = new_lines.begin();
    for (const std::string& line : stands) {
      at = std::find(at, new_lines.end(), line);
      ASSERT_NE(at, new_lines.end()) << line << "\nin\n" << *change;
      ++at;
    }
    for (const std::string& line : new_lines) {
      if (std::find(old_lines.begin(), old_lines.end(), line) != old_lines.end()) continue;
      EXPECT_NE(std::find(stands.begin(), stands.end(), line), stands.end()) << line << "\nin\n" << *change;
    }
    for (const std::string& line : old_lines) {
      if (line.find("name: ") == std::string::npos || now.find(line) != std::string::npos) continue;
      EXPECT_NE(std::find(gone, told.end(), line), told.end()) << line << "\nin\n" << *change;
    }
  }
  EXPECT_GT(told_in_short, 100);
}

}  // namespace
}  // namespace weft
