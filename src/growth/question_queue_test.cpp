#include "growth/question_queue.h"

#include <gtest/gtest.h>

#include <random>

#include "base/strings.h"
#include "model/growth_records.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class QuestionQueueTest : public ::testing::Test {
 protected:
  std::unique_ptr<QuestionQueue> open(const std::filesystem::path& folder) {
    auto queue =
        QuestionQueue::open(disk(), {folder}, clock_, settings_, [this](const std::string&) { return hours_; });
    EXPECT_TRUE(queue.ok());
    return std::move(queue).value();
  }
  std::unique_ptr<QuestionQueue> open() { return open(folder_.path()); }
  static Question question(const std::string& text, Grade urgency = Grade::kMedium,
                           const std::string& owner = "user:ann", std::vector<std::string> choices = {}) {
    Question made;
    made.owner = owner;
    made.text = text;
    made.urgency = urgency;
    made.choices = std::move(choices);
    made.fallback = "nothing";
    return made;
  }
  static std::string next(QuestionQueue& queue, const std::string& owner = "user:ann") {
    const auto one = queue.next(owner);
    return one.ok() && *one ? (*one)->text : "";
  }

  test::TemporaryFolder folder_;
  test::FakeClock clock_;
  AdaptationSettings settings_;
  ActivityHours hours_;
};

TEST_F(QuestionQueueTest, CU_2_one_at_a_time_urgent_at_once_the_others_in_batches_choices_first) {
  auto queue = open();
  ASSERT_TRUE(queue->ask(question("open one")).ok());
  clock_.advance_minutes(1);
  const auto first = queue->ask(question("with choices", Grade::kMedium, "user:ann", {"x", "y"}));
  EXPECT_EQ(next(*queue), "");  // a batch is three
  const auto urgent = queue->ask(question("urgent", Grade::kHigh));
  ASSERT_TRUE(urgent.ok());
  EXPECT_EQ(next(*queue), "urgent");
  EXPECT_EQ(next(*queue), "urgent");
  ASSERT_TRUE(queue->ask(question("third")).ok());
  EXPECT_EQ(next(*queue), "urgent");  // no other beside it
  ASSERT_TRUE(queue->answer("user:ann", urgent->id, "yes").ok());
  EXPECT_EQ(next(*queue), "with choices");
  EXPECT_EQ(queue->answer("user:ann", first->id, "b")->answer, "y");
  EXPECT_EQ(next(*queue), "open one");  // the batch goes on though fewer than three are left
}

TEST_F(QuestionQueueTest, CU_2_a_batch_is_asked_when_its_oldest_has_waited_long_and_not_in_quiet_hours) {
  for (int day = 0; day < 20; ++day)
    for (const int hour : {9, 10, 11, 12, 13, 14}) hours_.count({(day * 24 + hour) * 3'600'000LL, 60});
  clock_.set({1'772'400'000'000 / 86'400'000 * 86'400'000 + 9 * 3'600'000, 0});  // ten in the user's zone
  auto queue = open();
  ASSERT_TRUE(queue->ask(question("later")).ok());
  EXPECT_EQ(next(*queue), "");
  clock_.advance_minutes(settings_.batch_minutes + 8 * 60);  // ten at night
  EXPECT_EQ(next(*queue), "");
  ASSERT_TRUE(queue->ask(question("now", Grade::kHigh)).ok());
  EXPECT_EQ(next(*queue), "now");
  ASSERT_TRUE(queue->withdraw("user:ann", queue->questions("user:ann")[1].id).ok());
  clock_.advance_minutes(11 * 60);
  EXPECT_EQ(next(*queue), "later");
}

TEST(ActivityHours, CU_2_nothing_is_quiet_before_enough_is_known) {
  ActivityHours hours;
  for (int i = 0; i < 39; ++i) hours.count({12 * 3'600'000LL, 0});
  EXPECT_FALSE(hours.is_quiet({0, 0}));
  hours.count({12 * 3'600'000LL, 0});
  EXPECT_TRUE(hours.is_quiet({0, 0}));
  EXPECT_FALSE(hours.is_quiet({11 * 3'600'000LL, 0}));
  ActivityHours even;
  for (int i = 0; i < 240; ++i) even.count({i * 3'600'000LL, 0});
  for (int i = 0; i < 24; ++i) EXPECT_FALSE(even.is_quiet({i * 3'600'000LL, 0}));
}

TEST_F(QuestionQueueTest, CU_2_no_answer_in_time_gives_the_fallback_once) {
  auto queue = open();
  const auto asked = queue->ask(question("urgent", Grade::kHigh));
  EXPECT_TRUE(queue->expire()->empty());
  EXPECT_TRUE(queue->next_expiry().has_value());
  clock_.advance_minutes(settings_.answer_minutes);
  EXPECT_EQ(next(*queue), "");
  EXPECT_EQ(queue->answer("user:ann", asked->id, "late").error().code, ErrorCode::kConflict);
  const auto over = queue->expire();
  ASSERT_EQ(over->size(), 1u);
  EXPECT_EQ(over->front().fallback, "nothing");
  EXPECT_TRUE(queue->expire()->empty());
  EXPECT_TRUE(open()->expire()->empty());
}

TEST_F(QuestionQueueTest, CU_2_bad_questions_and_answers_are_refused) {
  auto queue = open();
  EXPECT_FALSE(std::filesystem::exists(GrowthFiles{folder_.path()}.questions()));
  EXPECT_EQ(queue->ask(question("")).error().code, ErrorCode::kInvalidArgument);
  const auto one = queue->ask(question("what?", Grade::kHigh));
  EXPECT_EQ(queue->ask(question("what?", Grade::kHigh))->id, one->id);
  EXPECT_EQ(queue->answer("user:bob", one->id, "x").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(queue->answer("user:ann", one->id, " ").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(next(*queue, "user:bob"), "");
  ASSERT_TRUE(queue->answer("user:ann", one->id, " 用中文 ").ok());
  EXPECT_EQ(queue->questions("user:ann")[0].answer, "用中文");
  EXPECT_EQ(queue->answer("user:ann", one->id, "x").error().code, ErrorCode::kConflict);
}

TEST_F(QuestionQueueTest, CU_2_erasing_an_owner_leaves_nothing_in_the_log) {
  auto queue = open();
  ASSERT_TRUE(queue->ask(question("of ann", Grade::kHigh)).ok());
  ASSERT_TRUE(queue->ask(question("of bob", Grade::kHigh, "user:bob")).ok());
  ASSERT_TRUE(queue->erase({ScopeKey("user:ann"), {}, true, {}}, {}).ok());
  const std::string text = *disk().read(GrowthFiles{folder_.path()}.questions());
  EXPECT_EQ(text.find("ann"), std::string::npos);
  ASSERT_TRUE(queue->ask(question("again", Grade::kHigh, "user:bob")).ok());
  EXPECT_EQ(open()->questions("user:bob").size(), 2u);
}

TEST_F(QuestionQueueTest, PF_5_questions_go_with_what_they_were_asked_in) {
  auto queue = open();
  Question of_run = question("about the secret matter", Grade::kHigh);
  of_run.run = of_run.session = "run1";
  const auto named = queue->ask(of_run);
  of_run.text = "something else";
  ASSERT_TRUE(queue->ask(of_run).ok());
  const auto answered = queue->ask(question("plain", Grade::kHigh));
  ASSERT_TRUE(queue->answer("user:ann", answered->id, "yes").ok());
  ErasedMessages gone;
  gone.scope = ScopeKey("user:ann");
  gone.messages[SessionId("run1")]["run1.3"] = {};
  gone.repeats = [](std::string_view text) { return text.find("secret") != std::string_view::npos; };
  ASSERT_EQ(queue->made_of(gone, {}).size(), 1u);
  EXPECT_EQ(queue->made_of(gone, {})[0].id, named->id);
  EXPECT_EQ(queue->made_of(gone, {answered->id}).size(), 2u);
  gone.messages = {{SessionId(kQuestionTalk), {{answer_message(*answered).str(), Time()}}}};
  ASSERT_EQ(queue->made_of(gone, {}).size(), 1u);
  ASSERT_TRUE(queue->erase(gone, {}).ok());
  EXPECT_EQ(open()->questions("user:ann").size(), 2u);
}

TEST_F(QuestionQueueTest, CU_2_what_was_answered_elsewhere_waits_no_longer_and_fixed_choices_are_checked) {
  auto queue = open();
  Question approval = question("May it?", Grade::kHigh, "user:ann", {"allow", "deny"});
  approval.kind = QuestionKind::kApproval;
  const auto one = queue->ask(approval);
  EXPECT_EQ(queue->check_answer("user:ann", one->id, "perhaps").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(queue->check_answer("user:ann", one->id, "a")->answer, "allow");
  EXPECT_EQ(next(*queue), "May it?");
  ASSERT_TRUE(queue->settle(one->id, "deny", false).ok());
  ASSERT_TRUE(queue->settle(one->id, "allow", false).ok());  // the first one counts
  EXPECT_EQ(open()->find("user:ann", one->id)->answer, "deny");
  EXPECT_EQ(next(*queue), "");
}

TEST_F(QuestionQueueTest, CU_2_a_question_without_choices_takes_any_answer_whatever_its_kind) {
  auto queue = open();
  for (const QuestionKind kind : {QuestionKind::kApproval, QuestionKind::kUnknownOutcome}) {
    Question open_ended = question("May it?", Grade::kHigh, "user:ann", {});
    open_ended.kind = kind;
    const auto one = queue->ask(open_ended);
    ASSERT_TRUE(one.ok()) << one.error().message;
    EXPECT_EQ(queue->check_answer("user:ann", one->id, "only at night")->answer, "only at night");
    ASSERT_TRUE(queue->settle(one->id, "only at night", false).ok());
  }
}

// Whatever happens is told only when it is on disk: after a cut at any line the queue is as it was then.
TEST_F(QuestionQueueTest, CU_2_a_log_that_is_cut_at_any_line_is_the_state_of_that_moment) {
  settings_.batch = 2;
  std::mt19937 draw(5);
  std::vector<std::string> states{""};  // by lines of the log
  const auto path = GrowthFiles{folder_.path()}.questions();
  const auto state_of = [](QuestionQueue& queue) {
    std::string state;
    for (const char* owner : {"user:ann", "user:bob"})
      for (const Question& one : queue.questions(owner)) state += to_json(one) + "\n";
    return state;
  };
  {
    auto queue = open();
    for (int i = 0; i < 120; ++i) {
      const std::string owner = draw() % 2 == 0 ? "user:ann" : "user:bob";
      const auto own = queue->questions(owner);
      switch (draw() % 5) {
        case 0:
        case 1: (void)queue->ask(question("q" + std::to_string(i), static_cast<Grade>(draw() % 3), owner)); break;
        case 2: (void)queue->next(owner); break;
        case 3:
          if (!own.empty()) (void)queue->answer(owner, own[draw() % own.size()].id, "answer");
          break;
        default: clock_.advance_minutes(static_cast<std::int64_t>(draw() % 300)), (void)queue->expire();
      }
      const std::size_t lines = lines_of(disk().read(path).value_or("")).size();
      states.resize(std::max(states.size(), lines + 1));
      states[lines] = state_of(*queue);
    }
  }
  const std::string whole = *disk().read(path);
  std::size_t at = 0, line = 0;
  int compared = 0;
  while (at <= whole.size()) {
    test::TemporaryFolder cut;
    const auto copy = GrowthFiles{cut.path()}.questions();
    ASSERT_TRUE(disk().make_folder(copy.parent_path()).ok());
    // A torn part of the next line stands behind the cut.
    ASSERT_TRUE(write_file(disk(), copy,
                           whole.substr(0, at) + whole.substr(at, 7).substr(0, whole.substr(at, 7).find('\n')), false)
                    .ok());
    auto queue = open(cut.path());
    if (line < states.size() && !states[line].empty()) {
      EXPECT_EQ(state_of(*queue), states[line]) << line;
      ++compared;
    }
    int before = 0;
    for (const char* owner : {"user:ann", "user:bob"}) {
      before = 0;
      for (const Question& one : queue->questions(owner)) before += one.stage == QuestionStage::kAsked ? 1 : 0;
      EXPECT_LE(before, 2) << owner;  // one, and one whose time is over
      EXPECT_TRUE(queue->next(owner).ok());
    }
    const auto end = whole.find('\n', at);
    if (end == std::string::npos) break;
    at = end + 1;
    ++line;
  }
  EXPECT_GT(compared, 40);
}

}  // namespace
}  // namespace weft
