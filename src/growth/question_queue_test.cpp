#include "growth/question_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/strings.h"
#include "model/growth_records.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class QuestionQueueTest : public ::testing::Test {
 protected:
  std::unique_ptr<QuestionQueue> open() {
    if (!store_) store_ = open_store("sqlite:" + (folder_.path() / "weft.db").string()).value();
    return std::make_unique<QuestionQueue>(*store_, clock_, settings_, [this](const std::string&) { return hours_; });
  }
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
  std::unique_ptr<Store> store_;
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
  ASSERT_TRUE(queue->withdraw("user:ann", queue->questions("user:ann").value()[1].id).ok());
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
  EXPECT_TRUE(queue->overdue()->empty());
  EXPECT_TRUE(queue->next_expiry()->has_value());
  clock_.advance_minutes(settings_.answer_minutes);
  EXPECT_EQ(next(*queue), "");
  EXPECT_EQ(queue->answer("user:ann", asked->id, "late").error().code, ErrorCode::kConflict);
  const auto over = queue->overdue();
  ASSERT_EQ(over->size(), 1u);
  EXPECT_EQ(over->front().fallback, "nothing");
  EXPECT_EQ(open()->overdue()->size(), 1u);  // until it is done
  ASSERT_TRUE(queue->settle("user:ann", asked->id, "", true).ok());
  EXPECT_TRUE(queue->overdue()->empty());
  EXPECT_EQ(queue->find("user:ann", asked->id)->stage, QuestionStage::kExpired);
}

TEST_F(QuestionQueueTest, CU_2_bad_questions_and_answers_are_refused) {
  auto queue = open();
  EXPECT_EQ(queue->ask(question("")).error().code, ErrorCode::kInvalidArgument);
  const auto one = queue->ask(question("what?", Grade::kHigh));
  EXPECT_EQ(queue->ask(question("what?", Grade::kHigh))->id, one->id);
  EXPECT_EQ(queue->answer("user:bob", one->id, "x").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(queue->answer("user:ann", one->id, " ").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(next(*queue, "user:bob"), "");
  ASSERT_TRUE(queue->answer("user:ann", one->id, " 用中文 ").ok());
  EXPECT_EQ(queue->questions("user:ann").value()[0].answer, "用中文");
  EXPECT_EQ(queue->answer("user:ann", one->id, "x").error().code, ErrorCode::kConflict);
}

TEST_F(QuestionQueueTest, CU_2_erasing_an_owner_leaves_nothing_of_them) {
  auto queue = open();
  ASSERT_TRUE(queue->ask(question("of ann", Grade::kHigh)).ok());
  ASSERT_TRUE(queue->ask(question("of bob", Grade::kHigh, "user:bob")).ok());
  ASSERT_TRUE(queue->erase({ScopeKey("user:ann"), {}, true, {}}, {}).ok());
  EXPECT_TRUE(store_->documents().all(ScopeKey("user:ann"), "")->empty());
  ASSERT_TRUE(queue->ask(question("again", Grade::kHigh, "user:bob")).ok());
  EXPECT_EQ(open()->questions("user:bob")->size(), 2u);
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
  ASSERT_EQ(queue->made_of(gone, {})->size(), 1u);
  EXPECT_EQ(queue->made_of(gone, {})->front().id, named->id);
  EXPECT_EQ(queue->made_of(gone, {answered->id})->size(), 2u);
  gone.messages = {{SessionId(kQuestionTalk), {{answer_message(*answered).str(), Time()}}}};
  ASSERT_EQ(queue->made_of(gone, {})->size(), 1u);
  ASSERT_TRUE(queue->erase(gone, {}).ok());
  EXPECT_EQ(open()->questions("user:ann")->size(), 2u);
}

TEST_F(QuestionQueueTest, CU_2_what_was_answered_elsewhere_waits_no_longer_and_fixed_choices_are_checked) {
  auto queue = open();
  Question approval = question("May it?", Grade::kHigh, "user:ann", {"allow", "deny"});
  approval.kind = QuestionKind::kApproval;
  const auto one = queue->ask(approval);
  EXPECT_EQ(queue->check_answer("user:ann", one->id, "perhaps").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(queue->check_answer("user:ann", one->id, "a")->answer, "allow");
  EXPECT_EQ(next(*queue), "May it?");
  ASSERT_TRUE(queue->settle("user:ann", one->id, "deny", false).ok());
  ASSERT_TRUE(queue->settle("user:ann", one->id, "allow", false).ok());  // the first one counts
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
    ASSERT_TRUE(queue->settle("user:ann", one->id, "only at night", false).ok());
  }
}

// Another queue on the same store sees the same questions; each owner is shown one question at a time.
TEST_F(QuestionQueueTest, CU_2_whatever_happens_is_in_the_store_and_one_question_stands_before_its_owner) {
  settings_.batch = 2;
  std::mt19937 draw(5);
  const auto state_of = [](QuestionQueue& queue, const std::string& owner) {
    std::string state;
    const auto all = queue.questions(owner).value();
    for (const Question& one : all) state += to_json(one) + "\n";
    return state;
  };
  auto queue = open();
  int answered = 0, expired = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string owner = draw() % 2 == 0 ? "user:ann" : "user:bob";
    const std::string other = owner == "user:ann" ? "user:bob" : "user:ann";
    const std::string before = state_of(*queue, other);
    const auto own = queue->questions(owner).value();
    std::size_t over = 0;
    switch (draw() % 5) {
      case 0:
      case 1:
        EXPECT_TRUE(queue->ask(question("q" + std::to_string(i), static_cast<Grade>(draw() % 3), owner)).ok());
        break;
      case 2: EXPECT_TRUE(queue->next(owner).ok()); break;
      case 3:
        if (!own.empty()) answered += queue->answer(owner, own[draw() % own.size()].id, "answer").ok() ? 1 : 0;
        break;
      default:
        clock_.advance_minutes(static_cast<std::int64_t>(draw() % 300));
        for (const auto due = queue->overdue().value(); const Question& one : due)
          over += queue->settle(one.owner, one.id, "", true).ok() ? 1 : 0;
        expired += static_cast<int>(over);
    }
    if (over == 0) {
      EXPECT_EQ(state_of(*queue, other), before);
    }
    EXPECT_EQ(state_of(*open(), owner), state_of(*queue, owner));
    std::set<std::string> ids;
    int asked = 0;
    const auto left = queue->questions(owner).value();
    for (const Question& one : left) {
      EXPECT_TRUE(ids.insert(one.id).second) << one.id;
      asked += one.stage == QuestionStage::kAsked && one.expires > clock_.now() ? 1 : 0;
    }
    EXPECT_LE(asked, 1);
  }
  EXPECT_GT(answered, 5);
  EXPECT_GT(expired, 5);
}

TEST_F(QuestionQueueTest, CU_2_questions_are_written_with_other_rows_or_not_at_all) {
  auto queue = open();
  WriteBatch batch, later;
  const auto asked = queue->add_to(batch, {question("first"), question("second"), question("first")});
  ASSERT_TRUE(asked.ok());
  EXPECT_EQ((*asked)[0].id, (*asked)[2].id);
  EXPECT_NE((*asked)[0].id, (*asked)[1].id);
  ASSERT_TRUE(queue->add_to(later, {question("third")}).ok());
  EXPECT_TRUE(queue->questions("user:ann")->empty());
  ASSERT_TRUE(store_->write(batch).ok());
  EXPECT_EQ(queue->questions("user:ann")->size(), 2u);
  // Others have been queued and answered since it was read: nothing is written, and it is asked anew.
  for (const char* text : {"fourth", "fifth"}) {
    const auto other = queue->ask(question(text));
    ASSERT_TRUE(queue->answer("user:ann", other->id, "yes").ok());
  }
  EXPECT_EQ(store_->write(later).error().code, ErrorCode::kConflict);
  EXPECT_EQ(queue->questions("user:ann")->size(), 4u);
  WriteBatch again;
  ASSERT_TRUE(queue->add_to(again, {question("third")}).ok());
  ASSERT_TRUE(store_->write(again).ok());
  EXPECT_EQ(queue->find("user:ann", "q000005")->text, "third");
}

TEST_F(QuestionQueueTest, PF_20_a_log_of_a_former_version_is_taken_over_once) {
  const auto path = folder_.path() / "questions.jsonl";
  const auto line = [&](const std::string& id, const std::string& owner, QuestionStage stage) {
    Question one = question("text of " + id, Grade::kLow, owner);
    one.id = id;
    one.stage = stage;
    one.created = clock_.now();
    one.expires = {clock_.now().ms + 3'600'000, 0};
    return to_json(one) + "\n";
  };
  const std::string text = line("q000001", "user:ann", QuestionStage::kQueued) +
                           line("q000002", "user:bob", QuestionStage::kQueued) + "no question\n" +
                           line("q000003", "user:ann", QuestionStage::kQueued) + "released q000003\n" +
                           line("q000001", "user:ann", QuestionStage::kAnswered) + R"({"id":"q000004","owner":"us)";
  auto queue = open();
  for (int killed = 0; killed < 2; ++killed) {
    ASSERT_TRUE(write_file(disk(), path, text, false).ok());
    ASSERT_TRUE(queue->take_former_log(disk(), path).ok());
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_EQ(queue->questions("user:ann")->size(), 2u);
    EXPECT_EQ(queue->questions("user:ann")->front().stage, QuestionStage::kAnswered);
    EXPECT_EQ(queue->questions("user:bob")->front().stage, QuestionStage::kQueued);
    EXPECT_EQ(next(*queue), "text of q000003");  // its batch was being asked
    EXPECT_EQ(next(*queue, "user:bob"), "");
  }
  EXPECT_EQ(queue->ask(question("another"))->id, "q000004");
  EXPECT_EQ(disk().read(path.string() + ".unread").value_or(""), "no question\n");
  // If the store already uses an id, the question of the log gets a new number above the largest known one, once.
  const std::string later = line("q1000000", "user:ann", QuestionStage::kQueued) +
                            line("q999999", "user:ann", QuestionStage::kQueued) +
                            line("q000004", "user:ann", QuestionStage::kQueued);
  for (int killed = 0; killed < 2; ++killed) {
    ASSERT_TRUE(write_file(disk(), path, later, false).ok());
    ASSERT_TRUE(queue->take_former_log(disk(), path).ok());
    EXPECT_EQ(queue->questions("user:ann")->size(), 6u);
    EXPECT_EQ(queue->find("user:ann", "q1000001")->text, "text of q000004");
  }
  EXPECT_EQ(queue->ask(question("one more"))->id, "q1000002");
  EXPECT_TRUE(queue->take_former_log(disk(), path).ok());  // no log is left
  ASSERT_TRUE(write_file(disk(), folder_.path() / "curiosity", "a file in the folder's place", false).ok());
  EXPECT_TRUE(queue->take_former_log(disk(), folder_.path() / "curiosity" / "questions.jsonl").ok());
}

}  // namespace
}  // namespace weft
