#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "agent/run_files.h"
#include "agent/run_state.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::FakeClock;
using test::TemporaryFolder;

TEST(Bus, AL_1_events_are_numbered_durable_and_read_since_any) {
  const TemporaryFolder folder;
  FakeClock clock;
  const auto path = folder.path() / "agents" / "r.jsonl";
  std::vector<BusEvent> emitted;
  std::mt19937 random(7);
  for (int restart = 0; restart < 4; ++restart) {
    auto bus = Bus::open(disk(), path, clock);
    ASSERT_TRUE(bus.ok()) << bus.error().message;
    ASSERT_EQ((*bus)->last(), emitted.size());
    for (int i = 0; i < 25; ++i) {
      const auto type = static_cast<BusEventType>(random() % 15);
      auto event = (*bus)->emit(type, "{\"text\":\"第" + std::to_string(random()) + "号\\n\"}");
      ASSERT_TRUE(event.ok()) << event.error().message;
      emitted.push_back(*event);
    }
    const auto behind = (*bus)->since(emitted.size() - 3);
    ASSERT_EQ(behind.size(), 3u);
    EXPECT_EQ(behind.front().id, emitted.size() - 2);
    EXPECT_TRUE((*bus)->since(emitted.size() + 9).empty());
  }
  const auto bus = Bus::open(disk(), path, clock);
  const auto all = (*bus)->since(0);
  ASSERT_EQ(all.size(), emitted.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].id, i + 1);
    EXPECT_EQ(all[i].type, emitted[i].type);
    EXPECT_EQ(all[i].payload, emitted[i].payload);
  }
}

TEST(Bus, AL_1_a_broken_line_is_named_and_left_alone) {
  const TemporaryFolder folder;
  FakeClock clock;
  const auto path = folder.path() / "r.jsonl";
  {
    ASSERT_TRUE((*Bus::open(disk(), path, clock))->emit(BusEventType::kUserMessage, "{}").ok());
  }
  std::ofstream(path, std::ios::app) << "no event\n";
  const auto bus = Bus::open(disk(), path, clock);
  ASSERT_FALSE(bus.ok());
  EXPECT_EQ(bus.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(bus.error().message.find("line 2"), std::string::npos) << bus.error().message;
}

TEST(Bus, AL_3_who_waits_is_woken_by_what_comes_and_times_never_go_back) {
  const TemporaryFolder folder;
  FakeClock clock;
  auto bus = Bus::open(disk(), folder.path() / "r.jsonl", clock);
  ASSERT_TRUE(bus.ok());
  const auto first = (*bus)->emit(BusEventType::kRunStarted, "{}");
  clock.advance_minutes(-120);
  std::thread other([&] { EXPECT_TRUE((*bus)->emit(BusEventType::kUserMessage, "{}").ok()); });
  EXPECT_TRUE((*bus)->wait_for_more(1, Deadline::after(std::chrono::seconds(20))));
  other.join();
  EXPECT_FALSE((*bus)->wait_for_more(2, Deadline::after(std::chrono::milliseconds(1))));
  EXPECT_GE((*bus)->since(1).front().time, first->time);
}

class Redaction : public testing::Test {
 protected:
  template <class T>
  void add(BusEventType type, const T& payload) {
    events_.push_back(
        {events_.size() + 1, Time{1000 * static_cast<std::int64_t>(events_.size())}, type, to_json(payload)});
  }

  // A task, a reply with two calls, a question between, their outputs, and the end.
  void SetUp() override {
    add(BusEventType::kRunStarted,
        RunStarted{"secret task", "", "user:ann", "main", "", "", "", 0, {9, 9, 9, 9, 9}, {}});
    add(BusEventType::kUserMessage, Said{Message::user("secret task")});
    ModelReplied reply;
    reply.message =
        Message::step("secret thought", {{"c1", "file_write", R"({"path":"a.txt","content":"secret file"})"},
                                         {"c2", "human_ask", R"({"question":"secret question"})"}});
    add(BusEventType::kModelReply, reply);
    add(BusEventType::kToolIntent,
        Intended{"c1", "file_write", R"({"path":"a.txt","content":"secret file"})", "keyed", "r:c1"});
    Question question;
    question.id = "q1";
    question.text = "secret question";
    add(BusEventType::kHumanQuery, Asked{question, "c2"});
    add(BusEventType::kToolResult, ToolAnswered{"c1", "secret output", false, 1, "c1", Provenance::kTool, 0});
    add(BusEventType::kHumanResponse, Answered{"q1", "secret answer", "", "", false});
    add(BusEventType::kToolResult, ToolAnswered{"c2", "secret answer", false, 1, "", Provenance::kUser, 0});
    ModelReplied last;
    last.message = Message::assistant("secret end");
    add(BusEventType::kModelReply, last);
    add(BusEventType::kAgentOutput, AgentOutput{"secret end", "the agent answered", Outcome::kUnknown, 9});
  }

  RedactedRun without(const std::set<std::string>& messages) {
    return redact_run(
        "r", events_,
        {[messages](const std::string& id) { return messages.contains(id); }, [](std::string_view) { return false; }});
  }
  static std::string all(const RedactedRun& left) {
    std::string text;
    for (const BusEvent& event : left.events) text += event.payload + "\n";
    return text;
  }

  std::vector<BusEvent> events_;
};

TEST_F(Redaction, PF_5_each_message_takes_what_says_it_again_with_it) {
  const std::vector<std::pair<std::string, std::string>> words = {
      {"r.2", "secret task"},     {"r.3", "secret question"}, {"r.3", "secret thought"}, {"r.3", "secret file"},
      {"r.8.1", "secret output"}, {"r.8.2", "secret answer"}, {"r.9", "secret end"}};
  for (const auto& [message, word] : words) {
    ASSERT_NE(all(without({})).find(word), std::string::npos) << word;
    const RedactedRun left = without({message});
    EXPECT_TRUE(left.changed) << message;
    EXPECT_FALSE(left.nothing_left) << message;
    EXPECT_EQ(all(left).find(word), std::string::npos) << message << ": " << word;
    EXPECT_EQ(left.events.size(), events_.size());
    // What is left folds as before.
    const auto state = fold("r", left.events);
    ASSERT_TRUE(state.ok()) << state.error().message;
    EXPECT_TRUE(state->ended());
  }
}

TEST_F(Redaction, PF_5_what_lies_beside_the_stream_is_named) {
  const RedactedRun call = without({"r.3"});
  ASSERT_EQ(call.files.size(), 1u);
  EXPECT_EQ(call.files[0], std::pair(std::string("a.txt"), std::string("secret file")));
  EXPECT_EQ(call.questions, std::vector<std::string>{"q1"});
  EXPECT_TRUE(call.handles.empty());
  EXPECT_EQ(without({"r.8.1"}).handles, std::vector<std::string>{"c1"});
  EXPECT_EQ(without({"r.8.2"}).questions, std::vector<std::string>{"q1"});
  // Asked for again, it names the same and changes nothing.
  events_ = call.events;
  const RedactedRun again = without({"r.3"});
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(again.questions, std::vector<std::string>{"q1"});
}

TEST_F(Redaction, PF_5_where_all_goes_nothing_is_left) {
  EXPECT_TRUE(without({"r.2", "r.3", "r.8.1", "r.8.2", "r.9"}).nothing_left);
  EXPECT_FALSE(without({"other.2"}).changed);
}

}  // namespace
}  // namespace weft
