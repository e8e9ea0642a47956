// Steps at which a failure or a kill once did harm.
#include <unistd.h>

#include <fstream>

#include "base/fault_point.h"
#include "tests/support/engine_fixture.h"

namespace weft::test {
namespace {

class FaultyStep : public EngineTest {
 protected:
  ~FaultyStep() override { arm_faults({}); }

  static void fail_at(FaultPoint point) { arm_faults({{point, "", 0, FaultAction::kFail}}); }
  Session session() { return engine_->session(as("ann"), SessionId("s")); }
};

TEST_F(FaultyStep, PF_23_an_erasure_lets_no_answer_change_a_state_again) {
  open();
  ASSERT_TRUE(engine_->state(as("ann")).put(Value(ValueObject{{"town", ValueObject{{"visits", 0}}}})).ok());
  observe({weft::test::user("I have a garden in Rose Lane with tulips.", "m1"), assistant("How lovely.", "m2")});
  fail_at(FaultPoint::kAnswerApplied);
  observe({weft::test::user("Let us go to the town.", "m3"),
           assistant("We are there.\n```state\n[[\"ADD\",\"town.visits\",1]]\n```", "m4")});
  EraseRequest what;
  what.messages = {MessageId("m1")};
  ASSERT_TRUE(engine_->memory(as("ann")).erase(what).ok());
  clock_.advance_minutes(1);
  open();
  drain();
  EXPECT_EQ(engine_->state(as("ann")).get("town.visits").value(), Value(1));
}

TEST_F(FaultyStep, PF_23_an_end_and_the_task_that_it_ends_are_one_transaction) {
  open();
  observe({weft::test::user("Write the report.", "m1"), assistant("It is written.", "m2")});
  SessionTask task;
  task.state.description = "Write the report.";
  ASSERT_TRUE(session().set_task(task).ok());
  EndRequest end;
  end.action_summary = "Wrote the report for Ann.";
  end.request_id = "r1";
  end.task_done = true;
  fail_at(FaultPoint::kEndQueued);
  EXPECT_FALSE(session().end(end).ok());
  drain();
  bool is_kept = false;
  for (const Item& item : items(ItemKind::kEvent)) is_kept = is_kept || (item.event && item.event->request_id == "r1");
  EXPECT_TRUE(is_kept);
  EXPECT_TRUE(session().task().value().empty());
}

TEST_F(FaultyStep, PF_5_what_a_killed_process_of_the_same_id_left_is_erased) {
  open();
  observe(
      {weft::test::user("I have a secret garden in Rose Lane number seven.", "m1"), assistant("How lovely.", "m2")});
  const auto left = std::filesystem::path(config_.workspace) / ("MEMORY.md.tmp" + std::to_string(::getpid()) + "-1");
  std::ofstream(left) << "- I have a secret garden in Rose Lane number seven.\n";
  std::filesystem::last_write_time(left, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
  EraseRequest what;
  what.messages = {MessageId("m1")};
  const auto receipt = engine_->memory(as("ann")).erase(what);
  ASSERT_TRUE(receipt.ok()) << receipt.error().message;
  EXPECT_EQ(receipt->traces_found, 0u);
  EXPECT_FALSE(std::filesystem::exists(left));
}

}  // namespace
}  // namespace weft::test
