// Compaction through the engine: when it happens, what it leaves, whose it is.
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/engine_context_fixture.h"

namespace weft::test {
namespace {

TEST_F(EngineContext, IC_7_a_session_that_would_overflow_is_compacted_before_the_call) {
  config_.context.window = 8192;
  open();
  std::ofstream(std::filesystem::path(config_.workspace) / "AGENTS.md")
      << "# Rules\n\n- Always answer in metric units.\n";
  talk(160);
  const auto history = this->history();
  ContextRequest what;
  what.history = history;
  what.input = "And what is the number of the case?";
  const auto woven = engine_->session(as("ann"), SessionId("s")).context(what);
  ASSERT_TRUE(woven.ok()) << woven.error().message;
  EXPECT_FALSE(woven->report.compaction.empty());
  EXPECT_LE(woven->report.tokens, woven->report.usable);
  const std::string text = text_of(*woven);
  for (const char* part : {"RX-7781", "reports/rain_2026.txt", "never send the draft", "metric units"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  // The last eight turns are there as they were said.
  for (int i = 153; i < 160; ++i) EXPECT_NE(text.find("Part " + std::to_string(i) + " tells"), std::string::npos) << i;
  // The next call goes on from it; nothing is compacted again.
  const auto next = engine_->session(as("ann"), SessionId("s")).context(what).value();
  EXPECT_EQ(next.report.compaction, woven->report.compaction);
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).compactions()->size(), 1u);
}

TEST_F(EngineContext, IC_7_what_was_prepared_at_the_warning_is_used_when_it_is_needed) {
  config_.context.window = 8192;
  open();
  const auto weave_history = [&] {
    ContextRequest what;
    what.history = history();
    what.input = "Go on.";
    return engine_->session(as("ann"), SessionId("s")).context(what).value();
  };
  int turns = 0;
  const auto counted = [&](const std::string& counter) {
    return engine_->upkeep().metrics_text().find(counter) != std::string::npos;
  };
  const auto grow_to = [&](const std::string& counter) {
    for (; turns < 400 && !counted(counter); turns += 2) {
      talk(2);
      const ContextReport report = weave_history().report;
      // Between two calls of a model the background has its time.
      for (int i = 0; i < 25 && report.tokens >= report.warn_at && !counted("compactions_prepared_total 1"); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return turns;
  };
  const int prepared = grow_to("compactions_prepared_total 1");
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("s")).compactions()->empty());
  const int used = grow_to("compactions_total 1");
  ASSERT_LT(prepared, used);
  const auto all = engine_->session(as("ann"), SessionId("s")).compactions().value();
  ASSERT_EQ(all.size(), 1u);
  // It covers what was there when it was prepared, and nothing that came after.
  EXPECT_LE(all[0].summary.covers.size(), static_cast<std::size_t>(prepared - 8) * 2);
}

TEST_F(EngineContext, IC_5_a_compaction_is_kept_with_the_session_and_comes_first_after_a_restart) {
  open();
  talk(40);
  const auto done = engine_->session(as("ann"), SessionId("s")).compact({"rain", 0});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_GT(done->report.turns_summarised, 20u);
  EXPECT_LT(done->report.tokens_after, done->report.tokens_before);
  open();
  const auto all = engine_->session(as("ann"), SessionId("s")).compactions().value();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].id, done->id);
  ContextRequest what;
  what.history = history();
  what.input = "Go on.";
  const auto woven = engine_->session(as("ann"), SessionId("s")).context(what).value();
  EXPECT_EQ(woven.report.compaction, done->id);
  EXPECT_EQ(text_of(woven).find("Part 3 tells"), std::string::npos);
  EXPECT_NE(text_of(woven).find("RX-7781"), std::string::npos);
  // A second one merges the first.
  talk(30);
  const auto second = engine_->session(as("ann"), SessionId("s")).compact({});
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_NE(render_summary(second->summary).find("RX-7781"), std::string::npos);
  // Taken back, the first counts again, then none.
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("s")).undo_compaction()->undone);
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).context(what)->report.compaction, done->id);
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).undo_compaction().ok());
  EXPECT_NE(text_of(engine_->session(as("ann"), SessionId("s")).context(what).value()).find("Part 3 tells"),
            std::string::npos);
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).undo_compaction().error().code, ErrorCode::kNotFound);
}

TEST_F(EngineContext, AC_11_a_compaction_leaves_a_line_the_originals_and_is_found) {
  open();
  talk(40);
  const auto done = engine_->session(as("ann"), SessionId("s")).compact({}).value();
  drain();
  const std::filesystem::path root(config_.workspace);
  const std::string line = read_file(root / "compaction" / "summaries.jsonl").value();
  EXPECT_NE(line.find(done.id), std::string::npos);
  std::string originals;
  for (const auto& file : std::filesystem::recursive_directory_iterator(root / "sessions"))
    if (file.is_regular_file()) originals += read_file(file.path()).value();
  EXPECT_EQ(std::count(originals.begin(), originals.end(), '\n'), 80);
  EXPECT_NE(originals.find("Part 3 tells"), std::string::npos);
  EXPECT_EQ(engine_->memory(as("ann")).originals(done.summary.covers)->size(), done.summary.covers.size());
  bool found = false;
  for (const Item& item : items(ItemKind::kNarrative)) found = found || item.id.str() == "compaction:" + done.id;
  EXPECT_TRUE(found);
  // More is added to the file, nothing twice.
  talk(2);
  talk(30);
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).compact({}).ok());
  originals.clear();
  for (const auto& file : std::filesystem::recursive_directory_iterator(root / "sessions"))
    if (file.is_regular_file()) originals += read_file(file.path()).value();
  EXPECT_EQ(std::count(originals.begin(), originals.end(), '\n'), 144);
}

TEST_F(EngineContext, IC_6_candidates_of_the_flush_go_to_the_historian) {
  open();
  talk(40);
  const auto done = engine_->session(as("ann"), SessionId("s")).compact({}).value();
  ASSERT_FALSE(done.candidates.empty());
  drain();
  bool kept = false;
  for (const Item& item : items(ItemKind::kEvent))
    kept = kept || (item.event && item.event->new_info.find("press") != std::string::npos);
  EXPECT_TRUE(kept);
}

TEST_F(EngineContext, PF_5_what_a_compaction_said_goes_with_the_messages_it_came_from) {
  open();
  talk(40);
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).compact({}).ok());
  drain();
  MessageId secret;
  for (const Message& one : history())
    if (one.content.find("RX-7781") != std::string::npos) secret = one.id;
  EraseRequest erase;
  erase.messages = {secret};
  const auto receipt = engine_->memory(as("ann")).erase(erase);
  ASSERT_TRUE(receipt.ok()) << receipt.error().message;
  EXPECT_EQ(receipt->traces_found, 0u);
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("s")).compactions()->empty());
  for (const auto& file : std::filesystem::recursive_directory_iterator(config_.workspace))
    if (file.is_regular_file()) {
      EXPECT_EQ(read_file(file.path()).value_or("").find("RX-7781"), std::string::npos) << file.path();
    }
}

TEST_F(EngineContext, PF_12_a_compaction_of_a_branch_that_was_left_does_not_count) {
  open();
  talk(40);
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).compact({}).ok());
  auto messages = history();
  messages.resize(3);
  messages[2].content = "Let us talk about something else: the sailing of ships.";
  messages[2].id = MessageId();
  messages[2].raw.clear();
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).sync(messages).ok());
  ContextRequest what;
  what.history = messages;
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).context(what)->report.compaction, "");
}

TEST_F(EngineContext, PF_12_what_was_summarised_on_a_branch_that_was_left_is_in_no_later_summary) {
  open();
  talk(40);
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).compact({}).ok());
  auto messages = history();
  messages.resize(3);
  messages[2].content = "Let us talk about the sailing of ships.";
  messages[2].id = MessageId();
  messages[2].raw.clear();
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).sync(messages).ok());
  for (int i = 0; i < 40; ++i)
    turn("What is sail number " + std::to_string(i) + " for?", "It is for wind of strength " + std::to_string(i) + ".");
  const auto again = engine_->session(as("ann"), SessionId("s")).compact({});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(render_summary(again->summary).find("RX-7781"), std::string::npos) << render_summary(again->summary);
}

TEST_F(EngineContext, IC_6_a_candidate_means_the_time_and_the_speaker_of_its_message) {
  open();
  const RequestContext group = in("choir", "bob");  // bob asks for the compaction, and said none of it
  std::vector<Message> said;
  for (int i = 0; i < 30; ++i) {
    Message question = weft::test::user(i == 2 ? "I prefer to sing in the morning, since I lost my voice yesterday."
                                               : "What do we sing on evening number " + std::to_string(i) + "?");
    question.name = "Ann";
    question.time = parse_time("2025-06-10T10:00:00Z").value();
    said.push_back(question);
    said.push_back(
        assistant("On evening " + std::to_string(i) + " the choir sings songs of the sea and of the harbour."));
  }
  ASSERT_TRUE(engine_->session(in("choir", "1004"), SessionId("s")).observe(said).ok());
  const auto done = engine_->session(group, SessionId("s")).compact({});
  ASSERT_TRUE(done.ok()) << done.error().message;
  drain();
  bool kept = false;
  const auto events = engine_->memory(group).items(ItemKind::kEvent, 1000).value();
  for (const Item& item : events) {
    if (!item.event || item.event->new_info.find("morning") == std::string::npos) continue;
    if (!item.event->attribute.empty()) continue;  // read out of the message in passing
    kept = true;
    EXPECT_NE(item.text.find("9 June 2025"), std::string::npos) << item.text;
    EXPECT_NE(item.text.find("Ann"), std::string::npos) << item.text;
    EXPECT_EQ(item.event->sender_id, "1004");
  }
  EXPECT_TRUE(kept);
}

TEST_F(EngineContext, IC_5_what_was_compacted_by_hand_counts_also_where_nothing_is_compacted_by_itself) {
  config_.compaction.enabled = false;
  open();
  talk(40);
  const auto done = engine_->session(as("ann"), SessionId("s")).compact({});
  ASSERT_TRUE(done.ok());
  ContextRequest what;
  what.history = history();
  what.input = "Go on.";
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).context(what)->report.compaction, done->id);
}

}  // namespace
}  // namespace weft::test
