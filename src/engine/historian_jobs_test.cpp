// The historian under a bad model, migration of the old file, and a group chat read by a stranger.
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "base/threads.h"
#include "ports/files/end_summaries.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/scripted_chat.h"

namespace weft::test {
namespace {

class HistorianJobs : public EngineTest {
 protected:
  // Those of ends, not of blocks of the conversation.
  std::vector<Item> events(const RequestContext& request) {
    auto all = engine_->memory(request).items(ItemKind::kEvent, 100'000).value_or({});
    std::erase_if(all, [](const Item& item) { return !item.event || !item.event->is_fact(); });
    return all;
  }
};

// One call in five hangs, fails or talks nonsense.
std::unique_ptr<ScriptedChat> bad_model() {
  auto model = std::make_unique<ScriptedChat>();
  auto random = std::make_shared<Sync<std::mt19937>>(std::mt19937(5));  // two workers ask
  model->always([random](const ChatRequest&) -> Result<ChatReply> {
    switch ((*random->lock())() % 15) {
      case 0: return timed_out("hung");
      case 1: return unavailable("500");
      case 2: return ScriptedChat::reply("\xff{{ lalala");
      default:
        return ScriptedChat::reply(
            R"({"did_what":"Weft did it.","new_info":"","canonical_text":"Something without its numbers."})");
    }
  });
  return model;
}

TEST_F(HistorianJobs, CM_15_every_job_is_done_once_whatever_the_model_does) {
  const int jobs = std::getenv("WEFT_JOBS") != nullptr ? std::atoi(std::getenv("WEFT_JOBS")) : 400;
  config_.historian.workers = 2;
  historian_ = bad_model();
  open();
  for (int i = 0; i < jobs; ++i) {
    EndRequest end;
    end.action_summary = "I repaired bicycle number " + std::to_string(i) + " for you.";
    end.request_id = "r" + std::to_string(i);
    ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).end(end).ok());
  }
  ASSERT_TRUE(engine_->drain(std::chrono::minutes(10)).ok());
  std::set<std::string> texts;
  for (const Item& event : events(as("ann"))) texts.insert(event.text);
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(jobs));
  EXPECT_EQ(events(as("ann")).size(), static_cast<std::size_t>(jobs));
  EXPECT_EQ(engine_->status().queue.failed, 0u);
  EXPECT_EQ(engine_->metrics().jobs_done, static_cast<std::uint64_t>(jobs));
}

// As a defect of a library would: the queue is told, the process goes on, and so do the other jobs.
TEST_F(HistorianJobs, CM_15_a_job_that_throws_fails_alone) {
  config_.historian.max_attempts = 1;
  auto model = std::make_unique<ScriptedChat>();
  model->always([](const ChatRequest& request) -> Result<ChatReply> {
    for (const Message& message : request.messages)
      if (message.content.find("thunder") != std::string::npos) throw std::out_of_range("beyond the end");
    return unavailable("away");
  });
  historian_ = std::move(model);
  open();
  for (const char* done : {"I listened to the thunder for you.", "I repaired the bicycle for you."}) {
    EndRequest end;
    end.action_summary = done;
    end.request_id = done;
    ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).end(end).ok());
  }
  drain();
  EXPECT_TRUE(finds("bicycle", "bicycle"));
  EXPECT_EQ(engine_->status().queue.failed, 1u);
  EXPECT_EQ(engine_->metrics().jobs_done, 1u);
}

TEST_F(HistorianJobs, PF_15_what_is_known_already_is_not_kept_again) {
  open();
  const auto end = [&](const std::string& did, const std::string& info, int number) {
    EndRequest what;
    what.action_summary = did;
    what.new_info = info;
    what.request_id = "r" + std::to_string(number);
    what.message_ids = {MessageId("m" + std::to_string(number))};
    what.sender_name = "Ann";
    ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).end(what).ok());
    drain();
  };
  end("", "Ann has 2 dogs.", 1);
  end("", "Ann has 2 dogs!", 2);
  end("", "Ann has 3 dogs.", 3);
  end("ok, thanks!", "", 4);
  end("Looked for a vet.", "Ann has 3 dogs.", 5);
  const auto list = events(as("ann"));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[2].event->did_what, "Looked for a vet.");
  EXPECT_FALSE(list[2].event->has_new_info);
  const std::string metrics = engine_->upkeep().metrics_text();
  EXPECT_NE(metrics.find("reason=\"duplicate\"} 2"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("reason=\"empty_talk\"} 1"), std::string::npos) << metrics;
}

TEST_F(HistorianJobs, CM_14_an_old_file_becomes_events_once) {
  open();
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    if (i % 50 == 7) lines += "{\"summary\": broken\n";
    lines += "{\"summary\":\"Fixed printer number " + std::to_string(i) + "\",\"timestamp\":\"2026-01-0" +
             std::to_string(1 + i % 9) + " 10:00:00\"}\n";
  }
  const ReadSummaries read = read_summaries(lines);
  EXPECT_EQ(read.skipped.size(), 6u);
  const auto import = [&](std::size_t from, std::size_t to) {
    std::size_t queued = 0;
    for (std::size_t i = from; i < to; ++i) {
      const EndSummary& entry = read.entries[i].second;
      const auto report = engine_->memory(as("ann")).import_summary(entry.summary, entry.time, entry.place);
      queued += report.ok() && report->queued ? 1 : 0;
    }
    return queued;
  };
  EXPECT_EQ(import(0, 120), 120u);
  open();  // interrupted in the middle
  drain();
  EXPECT_EQ(import(0, 300), 180u);
  drain();
  EXPECT_EQ(import(0, 300), 0u);
  const auto list = events(as("ann"));
  ASSERT_EQ(list.size(), 300u);
  EXPECT_EQ(list[0].event->timestamp_utc, "2026-01-01T10:00:00Z");
  EXPECT_EQ(list[0].event->schema_version, "final_v1");
}

// Several people over several days in two languages; the events are what a stranger has to understand them by.
TEST_F(HistorianJobs, CM_4_a_group_chat_reads_well_to_a_stranger) {
  open();
  const RequestContext group = in("hiking club", "u1");
  const auto say = [&](const std::string& id, const std::string& name, const std::string& time, const std::string& text,
                       const std::string& did, const std::string& info, const std::string& place) {
    Message message = weft::test::user(text, id);
    message.name = name;
    message.time = parse_time(time).value();
    const Message both[] = {message, assistant(did)};
    const Session chat = engine_->session(in("hiking club", "id-" + name), SessionId("chat"));
    ASSERT_TRUE(chat.observe(both).ok());
    EndRequest end;
    end.action_summary = did;
    end.new_info = info;
    end.sender_name = name;
    end.sender_id = "id-" + name;
    end.agent = "Weft";
    end.location = place;
    end.message_ids = {MessageId(id)};
    end.request_id = id;
    end.time = message.time;
    ASSERT_TRUE(chat.end(end).ok());
    drain();
  };
  say("chat-1", "Ann", "2026-03-05T19:10:00+01:00", "I'd like to walk round the lake next Saturday, who joins me?",
      "I noted the walk round the lake for next Saturday.", "I want to walk round the lake next Saturday.", "Zurich");
  say("chat-2", "Bob", "2026-03-05T19:20:00+01:00", "I can't, my knee hurts since yesterday.", "I wished him well.",
      "My knee hurts since yesterday.", "Bern");
  say("chat-3", "王芳", "2026-03-06T09:00:00+08:00", "我后天去不了，我妈妈昨天来上海看我了", "我告诉了大家王芳后天不去",
      "我妈妈昨天来上海看我了", "上海");
  say("chat-4", "Ann", "2026-03-07T08:00:00+01:00", "It rains here. Shall we go tomorrow instead?",
      "I moved the walk to tomorrow.", "We go tomorrow instead.", "Zurich");
  const auto list = events(group);
  ASSERT_EQ(list.size(), 4u);
  const auto holds = [&](std::size_t event, std::initializer_list<const char*> parts) {
    for (const char* part : parts)
      EXPECT_NE(list[event].text.find(part), std::string::npos) << part << " in: " << list[event].text;
    EXPECT_FALSE(list[event].event->degraded) << list[event].event->degraded_why << " in: " << list[event].text;
  };
  holds(0, {"5 March 2026", "Zurich", "I [Weft] noted", "14 March 2026", "I [Ann] want"});
  holds(1, {"My [Bob's] knee hurts", "4 March 2026", "Bern", "I [Weft] wished him [Bob] well"});
  holds(2, {"2026年3月6日", "上海", "Weft", "2026年3月8日", "我[王芳]妈妈", "2026年3月5日"});
  holds(3, {"7 March 2026", "8 March 2026", "Ann"});
  // Nothing of it is in anybody's private memory.
  EXPECT_TRUE(search("walk round the lake", "u1").empty());
}

// What a model is asked for in these tests is told from its schema and its data.
ChatReply wording_of(const ChatRequest& request) {
  const std::string& data = request.messages.back().content;
  const bool profile = request.json_schema.find("\"body\"") != std::string::npos;
  if (profile) return ScriptedChat::reply(R"({"body":"# Ann\n\n- Ann lives in Oslo and has 2 dogs.\n"})");
  if (data.find("harbour") != std::string::npos) {
    return ScriptedChat::reply(
        R"({"did_what":"The assistant told Ann of 12 boats in the harbour of Oslo.",)"
        R"("new_info":"Ann asked on 1 March 2026 about the harbour of Oslo.",)"
        R"("canonical_text":"[2026-03-01] The assistant told Ann of 12 boats in the harbour of Oslo. Ann asked on 1 March 2026 about the harbour of Oslo."})");
  }
  return ScriptedChat::reply("no JSON");
}

TEST_F(HistorianJobs, CM_4_topics_are_worded_by_the_model_and_nobody_waits_for_it) {
  auto model = std::make_unique<ScriptedChat>();
  std::atomic<bool> asked = false, go_on = false;
  model->always([&](const ChatRequest& request) -> Result<ChatReply> {
    asked = true;
    while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return wording_of(request);
  });
  historian_ = std::move(model);
  open();
  Message question = user("How is the harbour of Oslo today?");
  question.name = "Ann";
  observe({question, assistant("There are 12 boats in it.")});
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  while (!asked) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // The session is free while the model writes.
  turn("And the weather?", "It rains.");
  go_on = true;
  drain();
  const auto list = items(ItemKind::kEvent);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].by, MadeBy::kModel);
  EXPECT_NE(list[0].text.find("told Ann of 12 boats"), std::string::npos) << list[0].text;
}

TEST_F(HistorianJobs, PF_2_a_topic_is_worded_by_the_grammar_where_the_model_fails) {
  historian_ = std::make_unique<ScriptedChat>();
  open();
  Message question = user("I saw 3 boats yesterday.");
  question.name = "Ann";
  question.time = parse_time("2026-03-05T10:00:00Z").value();
  observe({question, assistant("Nice ones?")});
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  drain();
  const auto list = items(ItemKind::kEvent);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].by, MadeBy::kFloor);
  EXPECT_NE(list[0].text.find("4 March 2026"), std::string::npos) << list[0].text;
}

TEST_F(HistorianJobs, CM_8_a_model_may_word_the_profile_within_its_bounds) {
  auto model = std::make_unique<ScriptedChat>();
  model->always([](const ChatRequest& request) -> Result<ChatReply> { return wording_of(request); });
  historian_ = std::move(model);
  open();
  const auto end = [&](const std::string& info, const std::string& id) {
    EndRequest what;
    what.new_info = info;
    what.request_id = id;
    what.message_ids = {MessageId(id)};
    what.sender_name = "Ann";
    observe({user("hello " + id, id)});
    ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).end(what).ok());
    drain();
  };
  const EntityKey ann{EntityType::kUser, "ann"};
  const auto body = [&] { return engine_->profiles(as("ann")).read(ann)->body; };
  end("Ann lives in Oslo.", "m1");
  end("Ann has 2 dogs.", "m2");
  EXPECT_NE(body().find("lives in Oslo and has 2 dogs"), std::string::npos) << body();
  end("Ann plays the harp.", "m3");  // the model's answer lacks it: not taken
  EXPECT_NE(body().find("harp"), std::string::npos) << body();
  EXPECT_NE(body().find("2 dogs"), std::string::npos) << body();
  // Erasure still finds what came from an event.
  EraseRequest erase;
  erase.messages = {MessageId("m2")};
  ASSERT_TRUE(engine_->memory(as("ann")).erase(erase).ok());
  EXPECT_EQ(body().find("2 dogs"), std::string::npos) << body();
}

TEST_F(HistorianJobs, CM_6_an_event_of_a_group_has_its_senders_view_only_where_granted) {
  for (const bool granted : {false, true}) {
    engine_ = nullptr;
    config_.workspace = folder_ / (granted ? "granted" : "not");
    config_.cognitive.sender_view = granted;
    open();
    EndRequest what;
    what.new_info = "The meeting of the choir is on 9 March 2026.";
    what.request_id = "r1";
    what.sender_id = "ann";
    what.message_ids = {MessageId("m1")};
    ASSERT_TRUE(engine_->session(in("choir", "ann"), SessionId("g")).observe(std::vector{user("hello", "m1")}).ok());
    ASSERT_TRUE(engine_->session(in("choir", "ann"), SessionId("g")).end(what).ok());
    drain();
    EXPECT_EQ(events(in("choir", "ann")).size(), 1u);
    EXPECT_EQ(events(as("ann")).size(), granted ? 1u : 0u);
    EXPECT_TRUE(events(as("bob")).empty());
    EXPECT_EQ(finds("choir meeting", "9 March"), granted);
    // What is forgotten in the group is forgotten in the view.
    EraseRequest erase;
    erase.messages = {MessageId("m1")};
    ASSERT_TRUE(engine_->memory(in("choir", "ann")).erase(erase).ok());
    EXPECT_TRUE(events(as("ann")).empty());
    EXPECT_FALSE(finds("choir meeting", "9 March"));
  }
}

}  // namespace
}  // namespace weft::test
