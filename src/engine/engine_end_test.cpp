// The end of a turn through the public interface: what is queued, what the historian makes of it, profiles, prompts.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "ports/files/file_system.h"
#include "tests/support/engine_fixture.h"

namespace weft::test {
namespace {

class EngineEnd : public EngineTest {
 protected:
  void SetUp() override {
    clock_.set(parse_time("2026-03-05T14:30:00+08:00").value());
    open();
  }

  EndReport end(const EndRequest& what, const RequestContext& request, const std::string& session = "s") {
    auto report = engine_->session(request, SessionId(session)).end(what);
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report.value_or({});
  }

  static EndRequest said(const std::string& did, const std::string& info, const std::string& request = "req") {
    EndRequest what;
    what.action_summary = did;
    what.new_info = info;
    what.request_id = request;
    what.sender_name = "Ann";
    return what;
  }

  std::vector<Item> events(const RequestContext& request) {
    std::vector<Item> own;
    auto all = engine_->memory(request).items(ItemKind::kEvent, 1000).value_or({});
    for (Item& item : all)
      if (item.event) own.push_back(std::move(item));
    return own;
  }

  static Message from(const std::string& name, const std::string& text, const std::string& id,
                      const std::string& time) {
    Message message = weft::test::user(text, id);
    message.name = name;
    message.time = parse_time(time).value();
    return message;
  }
};

TEST_F(EngineEnd, CM_1_an_end_without_texts_queues_nothing) {
  const EndReport report = end({}, as("ann"));
  EXPECT_FALSE(report.queued);
  EXPECT_TRUE(report.event_id.empty());
  EXPECT_TRUE(engine_->upkeep().jobs()->empty());
}

TEST_F(EngineEnd, CM_1_the_old_summary_stands_for_the_action_summary) {
  EndRequest what;
  what.summary = "Booked a table for 4 people.";
  what.request_id = "r1";
  const EndReport report = end(what, as("ann"));
  EXPECT_TRUE(report.queued);
  ASSERT_EQ(report.notices.size(), 1u);
  EXPECT_NE(report.notices[0].find("deprecated"), std::string::npos);
  drain();
  ASSERT_EQ(events(as("ann")).size(), 1u);
  EXPECT_EQ(events(as("ann"))[0].event->did_what, "Booked a table for 4 people.");
  EXPECT_FALSE(events(as("ann"))[0].event->has_new_info);
}

TEST_F(EngineEnd, CM_1_a_message_gives_one_new_info_also_after_a_restart) {
  EndRequest first = said("", "Ann has a dog.");
  first.message_ids = {MessageId("m1")};
  end(first, as("ann"));
  EndRequest second = said("", "Ann has a cat.", "other");
  second.message_ids = {MessageId("m1")};
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).end(second).error().code, ErrorCode::kConflict);
  drain();
  open();
  const auto refused = engine_->session(as("ann"), SessionId("s")).end(second);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("m1"), std::string::npos);
  // Another message, or another user's of the same id, is free.
  EXPECT_TRUE(engine_->session(as("bob"), SessionId("s")).end(second).ok());
  second.message_ids = {MessageId("m2")};
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("s")).end(second).ok());
}

TEST_F(EngineEnd, CM_1_a_call_without_output_holds_the_end_up_unless_forced) {
  Message call = assistant("");
  call.tool_calls.push_back({"c1", "look_up", "{}"});
  observe({weft::test::user("look it up"), call});
  const auto refused = engine_->session(as("ann"), SessionId("s")).end(said("Looked it up.", ""));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("look_up"), std::string::npos);
  EndRequest forced = said("Looked it up.", "");
  forced.force = true;
  EXPECT_TRUE(end(forced, as("ann")).queued);
}

TEST_F(EngineEnd, CM_6_events_carry_id_text_and_all_metadata) {
  EndRequest what = said("I booked a table at Roma for 4 people tomorrow.", "I am allergic to nuts.", "req_7");
  what.location = "Berlin";
  what.timezone = "Asia/Shanghai";
  what.sender_id = "1708213363";
  what.message_ids = {MessageId("m1"), MessageId("m2")};
  what.agent = "Weft";
  const EndReport report = end(what, in("g9", "1708213363"));
  EXPECT_EQ(report.event_id, "req_7:1");
  drain();
  const auto list = events(in("g9", "1708213363"));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].id.str(), "req_7:1");
  const EventDetails& d = *list[0].event;
  EXPECT_EQ(d.request_id, "req_7");
  EXPECT_EQ(d.end_seq, 1);
  EXPECT_EQ(d.timestamp_utc, "2026-03-05T06:30:00Z");
  EXPECT_EQ(d.timestamp_local, "2026-03-05T14:30:00+08:00");
  EXPECT_EQ(d.timezone, "Asia/Shanghai");
  EXPECT_EQ(d.location_abs, "Berlin");
  EXPECT_EQ(d.request_type, "group");
  EXPECT_EQ(d.user_id, "1708213363");
  EXPECT_EQ(d.group_id, "g9");
  EXPECT_EQ(d.sender_id, "1708213363");
  EXPECT_EQ(d.message_ids, (std::vector<MessageId>{MessageId("m1"), MessageId("m2")}));
  EXPECT_TRUE(d.has_new_info);
  EXPECT_EQ(d.schema_version, "final_v1");
  // A stranger understands it: who, when, where.
  for (const char* part : {"I [Weft] booked", "I [Ann] am allergic to nuts", "6 March 2026", "5 March 2026", "Berlin"})
    EXPECT_NE(list[0].text.find(part), std::string::npos) << part << " in " << list[0].text;
  EXPECT_EQ(list[0].by, MadeBy::kFloor);
  EXPECT_FALSE(d.degraded) << d.degraded_why;
}

TEST_F(EngineEnd, CM_4_chinese_ends_are_absolute_too) {
  EndRequest what = said("我昨天帮你订了明天下午三点去上海的高铁票", "我住在杭州", "req_8");
  what.sender_name = "王芳";
  what.agent = "小织";
  end(what, as("u1"));
  drain();
  const auto list = events(as("u1"));
  ASSERT_EQ(list.size(), 1u);
  for (const char* part : {"小织", "王芳", "2026年3月4日", "2026年3月6日", "我[王芳]住在杭州"})
    EXPECT_NE(list[0].text.find(part), std::string::npos) << part << " in " << list[0].text;
  EXPECT_FALSE(list[0].event->degraded) << list[0].event->degraded_why;
}

TEST_F(EngineEnd, CM_4_yesterday_is_that_of_the_zone) {
  EndRequest what = said("", "I came home yesterday.");
  what.time = parse_time("2026-03-05T20:00:00Z").value();
  what.timezone = "Asia/Shanghai";
  end(what, as("ann"));
  drain();
  ASSERT_EQ(events(as("ann")).size(), 1u);
  EXPECT_NE(events(as("ann"))[0].text.find("5 March 2026"), std::string::npos) << events(as("ann"))[0].text;
  EXPECT_EQ(events(as("ann"))[0].event->timestamp_local, "2026-03-06T04:00:00+08:00");
}

TEST_F(EngineEnd, CM_6_ends_of_one_request_are_numbered_and_kept_apart_by_scope) {
  EXPECT_EQ(end(said("One.", ""), as("ann")).event_id, "req:1");
  EXPECT_EQ(end(said("Two.", ""), as("ann")).event_id, "req:2");
  EXPECT_EQ(end(said("Other.", ""), as("bob")).event_id, "req:1");
  drain();
  open();
  EXPECT_EQ(end(said("Three.", ""), as("ann")).event_id, "req:3");
  drain();
  EXPECT_EQ(events(as("ann")).size(), 3u);
  EXPECT_EQ(events(as("bob")).size(), 1u);
}

TEST_F(EngineEnd, CM_8_new_information_becomes_a_profile_with_versions) {
  EndRequest what = said("", "I live in Berlin.");
  what.message_ids = {MessageId("m1")};
  end(what, as("ann"));
  drain();
  const EntityKey ann{EntityType::kUser, "ann"};
  const auto first = engine_->profiles(as("ann")).read(ann);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_NE(first->body.find("Berlin"), std::string::npos);
  EXPECT_EQ(first->source_event_id, "req:1");
  what = said("", "I live in Lisbon now.", "req2");
  what.message_ids = {MessageId("m2")};
  end(what, as("ann"));
  drain();
  const auto second = engine_->profiles(as("ann")).read(ann);
  EXPECT_NE(second->body.find("Lisbon"), std::string::npos);
  const auto versions = engine_->profiles(as("ann")).history(ann);
  ASSERT_TRUE(versions.ok());
  ASSERT_EQ(versions->size(), 1u);
  const auto back = engine_->profiles(as("ann")).roll_back(versions->front().version, ann);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->body.find("Lisbon"), std::string::npos);
  EXPECT_NE(back->body.find("Berlin"), std::string::npos);
}

TEST_F(EngineEnd, CM_6_a_fact_that_was_superseded_stands_in_a_prompt_only_with_its_end) {
  config_.recall.known_threshold = 0;  // the embedder of this test knows no meanings, so nothing is ever sure
  open();
  EndRequest what = said("", "Ann lives in Berlin.");
  what.message_ids = {MessageId("m1")};
  end(what, as("ann"));
  drain();
  ContextRequest ask;
  ask.history = {weft::test::user("In which city does Ann live?")};
  const auto memory_blocks = [&] {
    std::vector<std::string> blocks;
    const auto woven = engine_->session(as("ann"), SessionId("later")).context(ask);
    EXPECT_TRUE(woven.ok());
    for (const Message& message : woven->messages)
      if (message.content.starts_with("<memory>")) blocks.push_back(message.content);
    return blocks;
  };
  ASSERT_EQ(memory_blocks().size(), 1u);
  ask.history.push_back(assistant("I shall look."));
  ask.history.push_back(weft::test::user("And, in which city does Ann live?"));
  const auto stays = memory_blocks();
  ASSERT_EQ(stays.size(), 1u);
  EXPECT_EQ(stays[0].find("(until"), std::string::npos);
  clock_.advance_minutes(60 * 24 * 30);
  what = said("", "Ann lives in Lisbon.", "req2");
  what.message_ids = {MessageId("m2")};
  end(what, as("ann"));
  drain();
  ask.history.push_back(assistant("Just a moment."));
  ask.history.push_back(weft::test::user("So in which city does Ann live?"));
  // The block that said it without an end is gone; what was so is told with its end.
  const auto blocks = memory_blocks();
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_NE(blocks[0].find("Lisbon"), std::string::npos);
  const auto berlin = blocks[0].find("Berlin");
  if (berlin != std::string::npos) {
    EXPECT_NE(blocks[0].rfind("since 4 April 2026", berlin), std::string::npos) << blocks[0];
  }
}

TEST_F(EngineEnd, CM_6_a_newer_fact_supersedes_the_older_and_both_stay) {
  EndRequest what = said("", "Ann lives in Berlin.");
  what.message_ids = {MessageId("m1")};
  end(what, as("ann"));
  drain();
  clock_.advance_minutes(60 * 24 * 30);
  what = said("", "Ann lives in Lisbon.", "req2");
  what.message_ids = {MessageId("m2")};
  end(what, as("ann"));
  drain();
  const auto list = events(as("ann"));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].event->superseded_by.str(), "req2:1");
  EXPECT_TRUE(list[0].event->valid_until.has_value());
  EXPECT_EQ(list[1].event->supersedes.str(), "req:1");
  // What holds now comes first; asked as of the time between, what held then.
  SearchRequest ask;
  ask.query = "where does Ann live";
  ask.kinds = {ItemKind::kEvent};
  auto now = engine_->memory(as("ann")).search(ask);
  ASSERT_TRUE(now.ok());
  ASSERT_EQ(now->hits.size(), 2u);
  EXPECT_EQ(now->hits[0].item.id.str(), "req2:1");
  ask.as_of = parse_time("2026-03-20T00:00:00+08:00").value();
  auto then = engine_->memory(as("ann")).search(ask);
  ASSERT_EQ(then->hits.size(), 1u);
  EXPECT_EQ(then->hits[0].item.id.str(), "req:1");
}

TEST_F(EngineEnd, CM_9_profiles_are_found_by_meaning_under_their_id) {
  EndRequest what = said("", "I like mountain climbing.");
  end(what, as("ann"));
  drain();
  SearchRequest ask;
  ask.query = "mountain climbing";
  ask.kinds = {ItemKind::kProfile};
  const auto found = engine_->memory(as("ann")).search(ask);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->hits.size(), 1u);
  EXPECT_EQ(found->hits[0].item.id.str(), "user:ann");
  ask.query = "mountain climbing";
  EXPECT_TRUE(engine_->memory(as("bob")).search(ask)->hits.empty());
}

TEST_F(EngineEnd, CM_10_the_profile_stands_in_the_prompt_of_its_own_scope_alone) {
  EndRequest what = said("", "I like mountain climbing.");
  end(what, as("ann"));
  drain();
  const auto prompt = [&](const RequestContext& request) {
    ContextRequest ask;
    ask.input = "What should I do at the weekend?";
    std::string text;
    const auto woven = engine_->session(request, SessionId("new")).context(ask).value_or({});
    for (const Message& message : woven.messages) text += message.content;
    return text;
  };
  EXPECT_NE(prompt(as("ann")).find("mountain climbing"), std::string::npos);
  EXPECT_EQ(prompt(as("bob")).find("mountain climbing"), std::string::npos);
  EXPECT_EQ(prompt(in("g", "ann")).find("mountain climbing"), std::string::npos);
  EXPECT_EQ(engine_->profiles(in("g", "ann")).read(EntityKey{EntityType::kUser, "ann"}).error().code,
            ErrorCode::kPermission);
  EXPECT_EQ(engine_->profiles(as("bob")).read(EntityKey{EntityType::kUser, "ann"}).error().code,
            ErrorCode::kPermission);
  config_.cognitive.user_profile_in_groups = true;
  open();
  EXPECT_NE(prompt(in("g", "ann")).find("mountain climbing"), std::string::npos);
  EXPECT_EQ(prompt(in("g", "bob")).find("mountain climbing"), std::string::npos);
}

TEST_F(EngineEnd, CM_10_three_events_are_recalled_for_a_prompt) {
  for (int i = 0; i < 10; ++i)
    end(said("Repaired the red bicycle, part " + std::to_string(100 + i) + ".", "", "r" + std::to_string(i)),
        as("ann"));
  drain();
  ContextRequest ask;
  ask.input = "what about the red bicycle";
  const auto woven = engine_->session(as("ann"), SessionId("new")).context(ask);
  ASSERT_TRUE(woven.ok());
  int kept = 0;
  for (const ReportSection& section : woven->report.sections) {
    if (section.name != "memory") continue;
    for (const ReportItem& item : section.items) kept += item.kept && item.source == "event" ? 1 : 0;
  }
  EXPECT_EQ(kept, 3);
}

TEST_F(EngineEnd, CM_8_an_edit_by_a_person_is_kept_and_found) {
  end(said("", "I like tea."), as("ann"));
  drain();
  const EntityKey ann{EntityType::kUser, "ann"};
  const std::string path = engine_->profiles(as("ann")).path(ann).value();
  std::string text = read_file(path).value();
  text += "- Plays the bassoon.\n";
  std::ofstream(path) << text;
  EXPECT_NE(engine_->profiles(as("ann")).read(ann)->body.find("bassoon"), std::string::npos);
  drain();
  SearchRequest ask;
  ask.query = "bassoon";
  ask.kinds = {ItemKind::kProfile};
  EXPECT_EQ(engine_->memory(as("ann")).search(ask)->hits.size(), 1u);
  end(said("", "I like rice.", "r2"), as("ann"));
  drain();
  EXPECT_NE(engine_->profiles(as("ann")).read(ann)->body.find("bassoon"), std::string::npos);
}

TEST_F(EngineEnd, CM_13_switched_off_ends_go_to_the_old_file_and_into_the_prompt) {
  config_.cognitive.enabled = false;
  open();
  const EndReport report = end(said("Fixed the printer.", ""), as("ann"));
  EXPECT_FALSE(report.queued);
  end(said("Talked about taxes.", ""), as("bob"));
  const auto file = nlohmann::json::parse(read_file(folder_ / "ws/end_summaries.json").value());
  ASSERT_EQ(file.size(), 2u);
  EXPECT_EQ(file[0]["summary"], "Fixed the printer.");
  ContextRequest ask;
  ask.input = "hello";
  std::string text;
  const auto woven = engine_->session(as("ann"), SessionId("new")).context(ask).value_or({});
  for (const Message& message : woven.messages) text += message.content;
  EXPECT_NE(text.find("Fixed the printer."), std::string::npos);
  EXPECT_EQ(text.find("taxes"), std::string::npos);
}

TEST_F(EngineEnd, CM_15_metrics_count_what_happened) {
  end(said("Fixed the printer.", ""), as("ann"));
  drain();
  const std::string text = engine_->upkeep().metrics_text();
  for (const char* line : {"weft_ends_total 1", "weft_jobs_done_total 1", "weft_gate_events_total{result=\"passed\"} 1",
                           "weft_queue_jobs{state=\"pending\"} 0"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST_F(EngineEnd, PF_6_bad_input_is_refused_with_a_reason) {
  EndRequest what = said(std::string("\xff\xfe", 2), "");
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).end(what).error().code, ErrorCode::kInvalidArgument);
  what = said(std::string(100'000, 'x'), "");
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).end(what).error().code, ErrorCode::kTooLarge);
  what = said("Did it.", "", std::string(300, 'r'));
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).end(what).error().code, ErrorCode::kInvalidArgument);
  what = said("Did it.", "");
  what.timezone = "Mars/Olympus";
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).end(what).error().code, ErrorCode::kInvalidArgument);
  what = said("Did it.", "", "../../etc/😀");
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("../x")).end(what).ok());
  drain();
  EXPECT_EQ(events(as("ann")).size(), 1u);
}

TEST_F(EngineEnd, PF_21_many_ends_of_one_request_are_numbered_in_a_row_also_over_a_restart) {
  std::set<std::string> events;
  for (int i = 0; i < 70; ++i) {
    if (i == 40) drain();
    if (i == 50) open();
    events.insert(end(said("Did step " + std::to_string(i) + ".", ""), as("ann")).event_id);
  }
  EXPECT_EQ(events.size(), 70U);
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const std::string& id) { return id.ends_with(":70"); }));
}

}  // namespace
}  // namespace weft::test
