#include "agent/loop.h"

#include <algorithm>
#include <thread>

#include "tests/support/few_threads.h"
#include "tests/support/loop_fixture.h"

namespace weft {
namespace {

using test::calls;
using test::LoopTest;
using namespace std::chrono_literals;

class Loop : public LoopTest {};

TEST_F(Loop, AL_2_calls_of_one_answer_are_made_and_their_outputs_stand_in_order) {
  begin();
  model_.then([](const ChatRequest&) { return calls({{"a", "look", R"({"at":1})"}, {"a", "look", R"({"at":2})"}}); })
      .say("seen both");
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_EQ(state_.output->text, "seen both");
  const auto told = model_.requests()[1].messages;
  ASSERT_EQ(told.size(), 5u);
  EXPECT_EQ(told[3].content, R"(saw {"at":1})");
  EXPECT_EQ(told[4].content, R"(saw {"at":2})");
  EXPECT_NE(told[3].tool_call_id, told[4].tool_call_id);
  // Each is meant before it is made.
  EXPECT_LT(of(BusEventType::kToolIntent)[1].id, of(BusEventType::kToolResult)[0].id);
  ASSERT_EQ(hooks_.ended.size(), 1u);
  EXPECT_EQ(hooks_.ended[0].run, "r");
  EXPECT_EQ(hooks_.ended[0].steps.size(), 3u);
}

TEST_F(Loop, AL_3_a_message_in_the_middle_is_seen_at_the_next_turn) {
  begin();
  model_
      .then([this](const ChatRequest&) {
        emit(BusEventType::kUserMessage, Said{Message::user("in red, 要红色")});
        return Result<ChatReply>(calls({{"a", "look", "{}"}}));
      })
      .then([this](const ChatRequest& request) {
        EXPECT_EQ(request.messages.back().content, "in red, 要红色");
        emit(BusEventType::kUserMessage, Said{Message::user("and large")});
        return Result<ChatReply>(ScriptedChat::reply("red"));
      })
      .say("red and large");
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_EQ(last_told(), "and large");
  EXPECT_EQ(state_.output->text, "red and large");
}

TEST_F(Loop, AL_3_each_limit_ends_the_run_and_is_said) {
  struct Case {
    std::string limit;
    AgentLimits limits;
  };
  for (const Case& one : {Case{"calls", {3, 60, 1'000'000, 2, 9}}, Case{"tokens", {50, 60, 200, 2, 9}},
                          Case{"repeats", {50, 60, 1'000'000, 2, 3}}}) {
    std::filesystem::remove(folder_.path() / "r.jsonl");
    begin(one.limits);
    made_.clear();
    model_.always([&](const ChatRequest& request) {
      if (request.tools.empty()) return Result<ChatReply>(ScriptedChat::reply("this far I came"));
      return Result<ChatReply>(calls({{"a", "look", "{}"}}));
    });
    ASSERT_EQ(go().value(), LoopEnd::kEnded) << one.limit;
    ASSERT_TRUE(state_.limit) << one.limit;
    EXPECT_EQ(state_.limit->limit, one.limit);
    EXPECT_EQ(hooks_.ended.back().limit, one.limit);
    EXPECT_LE(made_.size(), 4u);
    if (one.limit == "tokens") {
      EXPECT_NE(state_.output->text.find("200 tokens"), std::string::npos);
      EXPECT_EQ(context_.compactions, 1);
    } else {
      EXPECT_EQ(state_.output->text, "this far I came");
    }
  }
}

TEST_F(Loop, AL_3_time_runs_out_while_the_model_hangs) {
  begin({50, 1, 1'000'000, 2, 3});
  model_.hang();
  const Stopwatch watch;
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_LT(watch.ms(), 5000);
  EXPECT_NE(state_.output->text.find("Ended here"), std::string::npos);
}

TEST_F(Loop, AL_2_what_cannot_be_called_is_told_and_does_not_go_on_for_ever) {
  begin();
  model_.call("lok", "{}").call("look", R"({"at":"x"})").call("look", "{").say("given up");
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_TRUE(made_.empty());
  const auto results = of(BusEventType::kToolResult);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_NE(results[0].payload.find("did you mean"), std::string::npos);
  EXPECT_NE(results[1].payload.find("at"), std::string::npos);
  EXPECT_EQ(state_.limit->limit, "answers");
  EXPECT_EQ(hooks_.lessons.size(), 3u);
  EXPECT_EQ(state_.notes.back().handled, "look before");
}

TEST_F(Loop, AL_2_empty_answers_end_a_run_after_three) {
  begin();
  model_.say("").say(" \n").say("");
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_EQ(state_.limit->limit, "answers");
}

TEST_F(Loop, AL_2_a_tool_that_hangs_floods_or_is_binary_costs_the_run_nothing) {
  settings_.call_time = 50ms;
  settings_.result_bytes = 3000;
  const auto leave = std::make_shared<std::atomic<bool>>(false);
  add("hang", ToolEffects::kNone, [leave](const std::string&) {
    while (!*leave) std::this_thread::sleep_for(5ms);
    return ToolOutcome{"late"};
  });
  add("flood", ToolEffects::kNone, [](const std::string&) {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += "line " + std::to_string(i) + " 洪水\n";
    return ToolOutcome{text};
  });
  add("binary", ToolEffects::kNone, [](const std::string&) {
    return ToolOutcome{
        std::string("\x7f"
                    "ELF\0\xff",
                    6)};
  });
  begin();
  model_
      .then(
          [](const ChatRequest&) { return calls({{"1", "hang", "{}"}, {"2", "flood", "{}"}, {"3", "binary", "{}"}}); })
      .then([](const ChatRequest& request) {
        const std::string& flood = request.messages[request.messages.size() - 2].content;
        const auto at = flood.find("\"handle\":\"") + 10;
        const std::string handle = flood.substr(at, flood.find('"', at) - at);
        return calls({{"4", "result_read", R"({"handle":")" + handle + R"(","find":"line 10007 "})"}});
      })
      .say("done");
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  *leave = true;
  const auto told = model_.requests()[1].messages;
  EXPECT_NE(told[3].content.find("did not answer in time"), std::string::npos);
  EXPECT_LT(told[4].content.size(), 3300u);
  EXPECT_NE(told[4].content.find("line 19999"), std::string::npos);
  EXPECT_NE(told[5].content.find("6 bytes of binary data"), std::string::npos);
  EXPECT_NE(last_told().find("10008: line 10007 洪水"), std::string::npos);
}

TEST_F(Loop, AL_2_a_question_waits_for_its_answer_and_falls_back_when_there_is_none) {
  begin();
  model_.call("human_ask", R"({"question":"Which colour?","choices":["red","blue"]})")
      .call("human_ask", R"({"question":"Which size?","fallback":"take the small one"})")
      .say("done");
  std::jthread person([this] {
    ASSERT_TRUE(bus_->wait_for_more(3, Deadline::after(5s)));
    std::this_thread::sleep_for(50ms);
    const auto asked = payload_of<Asked>(of(BusEventType::kHumanQuery).at(0));
    emit(BusEventType::kHumanResponse, Answered{asked->question.id, "red", "red", "", false});
    while (of(BusEventType::kHumanQuery).size() < 2) std::this_thread::sleep_for(5ms);
    clock_.advance_minutes(24 * 60 + 1);
  });
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_EQ(model_.requests()[1].messages.back().content, "red");
  EXPECT_NE(last_told().find("take the small one"), std::string::npos);
}

TEST_F(Loop, AL_2_permissions_ask_deny_and_take_edited_arguments) {
  ASSERT_TRUE(permissions_.add("change=ask,put=deny").ok());
  begin();
  model_
      .then([](const ChatRequest&) {
        return calls({{"1", "change", R"({"at":1})"}, {"2", "put", "{}"}, {"3", "change", R"({"at":3})"}});
      })
      .say("done");
  std::jthread person([this] {
    while (of(BusEventType::kHumanQuery).size() < 2) std::this_thread::sleep_for(5ms);
    const auto first = payload_of<Asked>(of(BusEventType::kHumanQuery)[0]);
    const auto second = payload_of<Asked>(of(BusEventType::kHumanQuery)[1]);
    EXPECT_EQ(first->question.kind, QuestionKind::kApproval);
    emit(BusEventType::kHumanResponse, Answered{second->question.id, "not this one", "deny", "", false});
    emit(BusEventType::kHumanResponse, Answered{first->question.id, "", "allow", R"({"at":7})", false});
  });
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_EQ(made_, std::vector<std::string>{R"(change{"at":7})"});
  EXPECT_NE(last_told().find("not this one"), std::string::npos);
}

TEST_F(Loop, AL_4_an_interrupted_run_goes_on) {
  begin();
  LoopStop stop;
  model_.then([&](const ChatRequest&) {
    stop.why = "lunch";
    stop.interrupt = true;
    stop.source.request_stop();
    return Result<ChatReply>(cancelled("stopped"));
  });
  ASSERT_EQ(go(&stop).value(), LoopEnd::kInterrupted);
  EXPECT_EQ(state_.interrupted->why, "lunch");
  model_.say("back");
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_EQ(state_.output->text, "back");
}

/// A script that depends on what stands in the prompt alone, as a model does.
Result<ChatReply> scripted_step(const ChatRequest& request) {
  std::int64_t step = 0;
  for (const Message& message : request.messages) step += message.role == Role::kAssistant;
  const std::string at = R"({"at":)" + std::to_string(step) + "}";
  if (step >= 20) return ScriptedChat::reply("done after 20");
  if (step % 3 == 0) return calls({{"x", "look", at}, {"x", "put", at}});
  return calls({{"x", step % 3 == 1 ? "look" : "put", at}});
}

TEST_F(Loop, AL_4_killed_at_every_event_it_ends_the_same_and_repeats_no_answered_call) {
  begin();
  model_.always(scripted_step);
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  const auto whole = bus_->since(0);
  const auto messages_of = [](const RunState& state) {
    std::string all;
    for (const Message& message : state.messages) all += to_chat_json(message) + "\n";
    return all;
  };
  const std::string wanted = messages_of(state_);
  for (std::size_t cut = 2; cut <= whole.size(); ++cut) {
    bus_ = nullptr;
    std::filesystem::remove(folder_.path() / "r.jsonl");
    open();
    std::set<std::string> answered;
    for (std::size_t i = 0; i < cut; ++i) {
      ASSERT_TRUE(bus_->emit(whole[i].type, whole[i].payload).ok());
      if (whole[i].type == BusEventType::kToolResult) answered.insert(payload_of<ToolAnswered>(whole[i])->call);
    }
    const std::uint64_t before = bus_->last();
    ASSERT_EQ(go().value(), LoopEnd::kEnded);
    EXPECT_EQ(messages_of(state_), wanted) << "killed after event " << cut;
    EXPECT_EQ(state_.output->text, "done after 20");
    for (const BusEvent& event : bus_->since(before)) {
      if (event.type != BusEventType::kToolIntent) continue;
      EXPECT_FALSE(answered.contains(payload_of<Intended>(event)->call)) << "killed after event " << cut;
    }
  }
}

TEST_F(Loop, AL_4_killed_behind_its_answer_what_follows_from_it_is_made_up_for_once) {
  begin();
  model_.say("it is done");
  hooks_.left_open = {Question{}};
  hooks_.left_open[0].text = "Which boat?";
  // As another life finds it: the mark is there as soon as the answer is, and until all has followed.
  const auto marked = [&] { return EndingMarks(disk(), folder_.path() / "ending").has("r"); };
  std::vector<bool> seen;
  bus_->tell([&](const BusEvent& event) {
    if (event.type == BusEventType::kAgentOutput) seen.push_back(marked());
  });
  hooks_.while_ending = [&] { seen.push_back(marked()); };
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_EQ(seen, (std::vector<bool>{true, true}));
  EXPECT_EQ(hooks_.ended.size(), 1u);
  EXPECT_TRUE(endings_.all().empty());
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_EQ(hooks_.ended.size(), 1u) << "what has followed does not follow again";
  // The mark of a life that ended in between.
  ASSERT_TRUE(EndingMarks(disk(), folder_.path() / "ending").set("r").ok());
  EndingMarks left(disk(), folder_.path() / "ending");
  EXPECT_EQ(left.all(), std::vector<std::string>{"r"});
  ASSERT_TRUE(endings_.set("r").ok());
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  ASSERT_EQ(hooks_.ended.size(), 2u);
  EXPECT_EQ(hooks_.ended[1].output, "it is done");
  EXPECT_EQ(of(BusEventType::kHumanQuery).size(), 1u) << "nobody is asked twice";
  EXPECT_TRUE(EndingMarks(disk(), folder_.path() / "ending").all().empty());
}

TEST_F(Loop, AL_4_a_call_with_effects_and_no_result_is_asked_about) {
  for (const std::string answer : {"done", "not done", "try again"}) {
    bus_ = nullptr;
    std::filesystem::remove(folder_.path() / "r.jsonl");
    made_.clear();
    begin();
    ModelReplied reply;
    reply.message = Message::step("", {{"c1", "change", "{}"}, {"c2", "put", "{}"}});
    reply.seen = 2;
    emit(BusEventType::kModelReply, reply);
    emit(BusEventType::kToolIntent, Intended{"c1", "change", "{}", "some", ""});
    emit(BusEventType::kToolIntent, Intended{"c2", "put", "{}", "keyed", "r:c2"});
    std::jthread person([&] {
      while (of(BusEventType::kHumanQuery).empty()) std::this_thread::sleep_for(2ms);
      const auto asked = payload_of<Asked>(of(BusEventType::kHumanQuery)[0]);
      EXPECT_EQ(asked->question.kind, QuestionKind::kUnknownOutcome);
      emit(BusEventType::kHumanResponse, Answered{asked->question.id, answer, answer, "", false});
    });
    model_.say("ended");
    ASSERT_EQ(go().value(), LoopEnd::kEnded);
    person.join();
    const auto told = model_.requests().back().messages;
    EXPECT_EQ(told[told.size() - 2].failed, answer == "not done");
    EXPECT_EQ(keys_.front(), "r:c2");
    EXPECT_EQ(made_.size(), answer == "try again" ? 2u : 1u) << answer;
    keys_.clear();
  }
}

TEST_F(Loop, AL_2_a_model_that_is_away_leaves_a_run_that_can_be_resumed) {
  begin();
  model_.fail(unavailable("the server is away"));
  ASSERT_EQ(go().value(), LoopEnd::kInterrupted);
  EXPECT_EQ(state_.interrupted->by, "model");
  model_.say("there again");
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
}

TEST_F(Loop, EV_1_a_task_has_one_snapshot_of_what_was_learnt_and_withdrawals_stand_behind_it) {
  hooks_.tell = [](const RunState& state) {
    if (state.learnt.empty()) return LessonTold{{}, "follow rule one", {"rule_1@2"}, {"skill@1"}, {}, {}};
    if (state.learnt.size() == 1 && state.used.model_calls == 1)
      return LessonTold{{}, "rule one is withdrawn", {}, {}, {"rule_1@2"}, {}};
    return LessonTold();
  };
  begin();
  model_.call("look", "{}").say("done");
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_EQ(model_.requests()[0].messages[0].content, "be good\n\nfollow rule one");
  EXPECT_EQ(model_.requests()[1].messages[0].content, "be good\n\nfollow rule one\n\nrule one is withdrawn");
  EXPECT_EQ(hooks_.ended[0].rules, std::vector<std::string>{"rule_1"});
  EXPECT_EQ(hooks_.ended[0].skills, std::vector<std::string>{"skill"});
  EXPECT_EQ(of(BusEventType::kLesson).size(), 2u);
}

TEST_F(Loop, CU_1_gaps_are_looked_for_once_and_their_answers_are_said_to_the_run) {
  Question question;
  question.text = "where?";
  hooks_.gaps = {{{}, "the place is not said", {}, {}, {}, {"the place"}}, {question}};
  begin();
  model_
      .then([this](const ChatRequest& request) {
        EXPECT_NE(request.messages[0].content.find("the place is not said"), std::string::npos);
        emit(BusEventType::kHumanResponse, Answered{"r-q3", "in Lisbon", "", "", false});
        return Result<ChatReply>(calls({{"a", "look", "{}"}}));
      })
      .say("booked");
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_EQ(last_told(), "[where?]\nin Lisbon");
  EXPECT_EQ(hooks_.looked, 1);
}

TEST_F(Loop, CU_1_what_an_answer_leaves_open_is_asked_and_a_late_answer_lets_the_run_go_on) {
  Question question;
  question.text = "train or plane?";
  hooks_.left_open = {question};
  begin();
  model_.say("both are possible");
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  ASSERT_EQ(state_.open_questions().size(), 1u);
  EXPECT_TRUE(state_.ended());
  hooks_.left_open.clear();
  emit(BusEventType::kHumanResponse,
       Answered{state_.open_questions()[0]->asked.question.id, "the train", "", "", false});
  model_.say("by train");
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  EXPECT_EQ(state_.output->text, "by train");
}

TEST_F(Loop, AL_2_with_many_tools_the_best_are_offered_up_to_the_limit) {
  for (int i = 0; i < 40; ++i)
    add("tool" + std::to_string(i), ToolEffects::kNone, [](const std::string&) { return ToolOutcome{"x"}; });
  settings_.tools_offered = 20;
  for (int i = 39; i >= 0; --i) context_.tools.push_back("tool" + std::to_string(i));
  begin();
  model_.say("done");
  ASSERT_EQ(go().value(), LoopEnd::kEnded);
  const auto requests = model_.requests();
  const auto& offered = requests[0].tools;
  EXPECT_EQ(offered.size(), 20u);
  const auto has = [&](const std::string& name) {
    return std::any_of(offered.begin(), offered.end(),
                       [&](const std::string& one) { return one.find("\"" + name + "\"") != std::string::npos; });
  };
  EXPECT_TRUE(has("human_ask"));
  EXPECT_TRUE(has("tool39"));
  EXPECT_FALSE(has("tool0"));
}

TEST_F(Loop, PF_21_calls_that_get_no_thread_fail_and_the_run_goes_on) {
  begin();
  model_.then([](const ChatRequest&) { return calls({{"a", "look", R"({"at":1})"}, {"b", "look", R"({"at":2})"}}); })
      .say("seen nothing");
  {
    FewThreads none(0);
    ASSERT_EQ(go().value(), LoopEnd::kEnded);
    EXPECT_EQ(none.refused(), 2);
  }
  const auto told = model_.requests()[1].messages;
  ASSERT_EQ(told.size(), 5u);
  EXPECT_NE(told[3].content.find("no further thread"), std::string::npos) << told[3].content;
}

}  // namespace
}  // namespace weft
