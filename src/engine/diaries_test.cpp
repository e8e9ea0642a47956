#include <thread>

#include "tests/support/engine_fixture.h"

namespace weft {
namespace {

using namespace weft::test;

class EngineDiaries : public EngineTest {
 protected:
  // All days of ann's, once `wanted` stands there; whatever there is after a while.
  std::string days_with(const std::string& wanted) {
    std::string text;
    for (int i = 0; i < 300 && text.find(wanted) == std::string::npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      text.clear();
      const auto days = engine_->memory(as("ann")).days();
      EXPECT_TRUE(days.ok());
      for (const std::string& day : *days) text += engine_->memory(as("ann")).day(day)->text;
    }
    return text;
  }
};

TEST_F(EngineDiaries, MS_2_messages_that_a_crash_kept_from_their_day_are_written_after_it) {
  open();
  turn("we hike on the ridge", "Take the north path");
  EXPECT_NE(days_with("north path").find("ridge"), std::string::npos);
  // What is kept while nobody writes days is what a crash leaves: in the store, and in no file.
  config_.memory.daily = false;
  open();
  turn("账单 4f9a1c77 共 1184.50 元", "记下了 7c21");
  config_.memory.daily = true;
  open();
  const std::string text = days_with("7c21");
  EXPECT_NE(text.find("账单 4f9a1c77 共 1184.50 元"), std::string::npos) << text;
  EXPECT_EQ(text.find("north path"), text.rfind("north path")) << "each line once\n" << text;
}

TEST_F(EngineDiaries, MS_2_a_workspace_that_was_filled_before_begins_now) {
  config_.memory.daily = false;
  open();
  turn("long ago", "It was");
  config_.memory.daily = true;
  open();
  turn("right now", "It is");
  EXPECT_EQ(days_with("It is").find("long ago"), std::string::npos);
}

}  // namespace
}  // namespace weft
