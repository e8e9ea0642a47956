// The historian under a bad model, migration of the old file, and a group chat read by a stranger.
#include <random>
#include <set>

#include "ports/files/end_summaries.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/scripted_chat.h"

namespace weft::test {
namespace {

class HistorianJobs : public EngineTest {
 protected:
  std::vector<Item> events(const RequestContext& request) {
    auto all = engine_->items(request, ItemKind::kEvent, 100'000).value_or({});
    std::erase_if(all, [](const Item& item) { return !item.event; });
    return all;
  }
};

// One call in five hangs, fails or talks nonsense.
std::unique_ptr<ScriptedChat> bad_model() {
  auto model = std::make_unique<ScriptedChat>();
  auto random = std::make_shared<std::mt19937>(5);
  model->always([random](const ChatRequest&) -> Result<ChatReply> {
    switch ((*random)() % 15) {
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
    ASSERT_TRUE(engine_->end(as("ann"), SessionId("s"), end).ok());
  }
  ASSERT_TRUE(engine_->drain(std::chrono::minutes(10)).ok());
  std::set<std::string> texts;
  for (const Item& event : events(as("ann"))) texts.insert(event.text);
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(jobs));
  EXPECT_EQ(events(as("ann")).size(), static_cast<std::size_t>(jobs));
  EXPECT_EQ(engine_->status().queue.failed, 0u);
  EXPECT_EQ(engine_->metrics().jobs_done, static_cast<std::uint64_t>(jobs));
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
    ASSERT_TRUE(engine_->end(as("ann"), SessionId("s"), what).ok());
    drain();
  };
  end("", "Ann has 2 dogs.", 1);
  end("", "Ann has 2 dogs!", 2);
  end("", "Ann has 3 dogs.", 3);
  end("ok, thanks!", "", 4);
  end("Looked for a vet.", "Ann has 2 dogs.", 5);
  const auto list = events(as("ann"));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[2].event->did_what, "Looked for a vet.");
  EXPECT_FALSE(list[2].event->has_new_info);
  const std::string metrics = engine_->metrics_text();
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
      const auto report = engine_->import_summary(as("ann"), entry.summary, entry.time, entry.place);
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
    ASSERT_TRUE(engine_->observe(group, SessionId("chat"), both).ok());
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
    ASSERT_TRUE(engine_->end(group, SessionId("chat"), end).ok());
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
  holds(0, {"5 March 2026", "Zurich", "Weft noted", "14 March 2026", "Ann wants"});
  holds(1, {"Bob's knee hurts", "4 March 2026", "Bern", "Weft wished Bob"});
  holds(2, {"2026年3月6日", "上海", "Weft", "2026年3月8日", "王芳妈妈", "2026年3月5日"});
  holds(3, {"7 March 2026", "8 March 2026", "Ann"});
  // Nothing of it is in anybody's private memory.
  EXPECT_TRUE(search("walk round the lake", "u1").empty());
}

}  // namespace
}  // namespace weft::test
