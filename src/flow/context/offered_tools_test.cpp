// Which tools the prompts of a task offer.
#include "flow/context/offered_tools.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft {
namespace {

std::vector<ToolInfo> tools() {
  return {{"play_music", "Plays a song.", ""},
          {"weather", "Tells the weather of a town.", ""},
          {"read_file", "Reads a file of the project.", ""},
          {"git_commit", "Commits the changes.", ""},
          {"send_mail", "Sends a mail.", ""},
          {"stock_price", "Tells the price of a share.", ""},
          {"set_alarm", "Sets an alarm.", ""},
          {"find_recipe", "Finds a recipe.", ""}};
}

class Offered : public testing::Test {
 protected:
  std::vector<std::string> after(const ToolNeed& need, ToolBounds bounds = {}) {
    offer_tools(offered_, "list", index_, need, bounds, {}, Deadline());
    std::vector<std::string> names;
    for (const OfferedTool& one : offered_.tools) names.push_back(index_.tools()[one.index].name);
    return names;
  }
  static bool has(const std::vector<std::string>& names, const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  ToolIndex index_{tools()};
  OfferedTools offered_;
};

TEST_F(Offered, AC_8_input_and_task_together_say_what_is_needed) {
  const auto names = after({"Mend the parser", "Fix the bug in parser.py and commit it", "", {}});
  EXPECT_TRUE(has(names, "read_file"));
  EXPECT_TRUE(has(names, "git_commit"));
}

TEST_F(Offered, AC_8_within_a_task_the_offer_only_grows_at_its_end) {
  const auto first = after({"Prepare the release", "Read setup.py", "", {}});
  auto later = after({"Prepare the release", "Send a mail to Bo", "", {}});
  EXPECT_TRUE(has(later, "send_mail"));
  EXPECT_TRUE(std::equal(first.begin(), first.end(), later.begin()));
  EXPECT_EQ(after({"Prepare the release", "thanks!", "", {}}), later);
  // Another task is chosen for anew.
  EXPECT_FALSE(has(after({"Cook something", "Find a recipe", "", {}}), "send_mail"));
}

TEST_F(Offered, AC_8_what_was_called_stays_whatever_else_is_needed) {
  const ToolBounds few{2, 3};
  after({"Do the chores", "Commit it", "", {"stock_price"}}, few);
  for (const char* input : {"Send a mail", "Set an alarm", "Find a recipe", "Play a song", "Read the file"}) {
    const auto names = after({"Do the chores", input, "", {}}, few);
    EXPECT_LE(names.size(), 3U);
    EXPECT_TRUE(has(names, "stock_price")) << input;
  }
  EXPECT_TRUE(has(after({"Do the chores", "Read the file", "", {}}, few), "read_file"));
}

}  // namespace
}  // namespace weft
