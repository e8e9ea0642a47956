#include <nlohmann/json.hpp>

#include "flow/historian/facts_by_model.h"
#include "ports/files/file_system.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/scripted_chat.h"

namespace weft {
namespace {

using namespace weft::test;
using Json = nlohmann::json;

// Some forty fill a profile.
constexpr int kMoreThanFits = 60;
std::string long_remark(int number) {
  std::string remark = "Remark number " + std::to_string(number) + " about the long winter of the lighthouse keepers";
  for (int i = 0; i < 25; ++i) remark += ", the storm of day " + std::to_string(100 * number + i + 1000);
  return remark + ".";
}

class EngineSaid : public EngineTest {
 protected:
  std::string profile(const std::string& user = "ann") {
    const auto read = engine_->profiles(as(user)).read(EntityKey{EntityType::kUser, user});
    return read.ok() ? read->body : std::string();
  }

  /// Says each text in a session of its own, and waits until memory has taken it in.
  void say_each(std::initializer_list<const char*> texts) {
    for (const char* text : texts) turn(text, "ok", "alone" + std::to_string(++said_));
    drain();
  }

 private:
  int said_ = 0;
};

TEST_F(EngineSaid, CM_17_facts_come_from_messages_once_whatever_reads_them_first) {
  open();
  turn("I live in Berlin and work as a nurse.", "ok");
  drain();
  EXPECT_NE(profile().find("The user lives in Berlin."), std::string::npos) << profile();
  const auto count = [&] {
    std::size_t facts = 0;
    for (const Item& event : items(ItemKind::kEvent)) facts += event.event && event.event->is_fact() ? 1 : 0;
    return facts;
  };
  EXPECT_EQ(count(), 2u);
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());  // the topic reads its messages again
  drain();
  open();
  drain();
  EXPECT_EQ(count(), 2u);
}

TEST_F(EngineSaid, CM_10_what_speakers_state_behind_a_written_name_is_theirs_and_not_the_users) {
  open();
  for (const char* text : {"Ann: I like rain.", "Bob: I like snow.", "Ann: I live in Berlin.", "Bob: I live in Porto.",
                           "Ann: I work as a nurse."})
    turn(text, "ok");
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  drain();
  EXPECT_NE(profile().find("Bob lives in Porto."), std::string::npos) << profile();
  EXPECT_NE(profile().find("Ann works as a nurse."), std::string::npos) << profile();
  EXPECT_EQ(profile().find("The user"), std::string::npos) << profile();
}

TEST_F(EngineSaid, CM_17_a_fact_that_was_replaced_marks_all_that_says_it) {
  open();
  turn("I live in Berlin.", "You said: I live in Berlin.", "a");
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("a")).save().ok());
  drain();
  turn("I moved to Porto.", "ok", "b");
  drain();
  for (const bool again : {false, true}) {
    if (again) open();
    std::size_t marked = 0;
    for (const Hit& hit : search("Berlin")) {
      if (hit.item.text.find("Berlin") == std::string::npos) continue;
      if (hit.item.kind == ItemKind::kProfile) continue;
      const bool fact = hit.item.event && hit.item.event->is_fact();
      EXPECT_TRUE(fact ? hit.item.event->valid_until.has_value() : !hit.item.over.empty()) << hit.item.id.str();
      ++marked;
    }
    EXPECT_GE(marked, 3u);
  }
}

TEST_F(EngineSaid, PF_25_a_profile_holds_what_lasts_and_the_rest_is_only_remembered) {
  open();
  turn("I'm allergic to penicillin. My wife is called Ilse. I take metformin 500 mg every morning.", "ok", "a");
  turn("I work at Brightwick. I don't eat meat so the rider is gonna be fun. My locker code is 4471 by the way.", "ok",
       "b");
  turn("I'm flying to Oslo on 3 May. I sold my road bike for $700. Our budget is 10 euros. My dentist is on 14 April.",
       "ok", "c");
  turn("我对青霉素过敏。我弟弟在找工作。我每周三上午有课。我们下个月搬家。", "ok", "d");
  drain();
  const std::string body = profile();
  for (const char* lasting : {"allergic to penicillin", "Ilse", "metformin 500 mg", "Brightwick",
                              "- The user doesn't eat meat. ", "- The user's locker code is 4471. ", "青霉素过敏"})
    EXPECT_NE(body.find(lasting), std::string::npos) << lasting << "\n" << body;
  for (const char* passing : {"Oslo", "road bike", "budget", "14 April", "找工作", "搬家", "rider", "by the way"})
    EXPECT_EQ(body.find(passing), std::string::npos) << passing << "\n" << body;
}

TEST_F(EngineSaid, PF_25_a_profile_names_the_family_and_what_they_may_not_eat) {
  open();
  turn("My little sister Claire is coming. Does our dog Bruno need a passport? I can't eat walnuts.", "ok", "a");
  turn("My sister sings. My brother Yesterday called. I asked my son Monday evening.", "ok", "b");
  turn("还有我女儿朵朵，不能吃虾，一吃嘴唇就肿。我妈来了，不能吃辣。", "ok", "c");
  drain();
  const std::string body = profile();
  for (const char* told :
       {"has a sister called Claire.", "has a dog called Bruno.", "can't eat walnuts", "用户的女儿朵朵不能吃虾"})
    EXPECT_NE(body.find(told), std::string::npos) << told << "\n" << body;
  for (const char* wrong : {"called Yesterday", "called Monday", "用户不能吃", "来了"})
    EXPECT_EQ(body.find(wrong), std::string::npos) << wrong << "\n" << body;
}

TEST_F(EngineSaid, PF_25_plain_statements_about_oneself_and_the_family_stand_in_the_profile) {
  open();
  say_each({"I'm a nurse at St. Brannock's.", "I grew up in Leeds.", "My wife Hania is pregnant.", "I can't drive.",
            "I have choir practice every Thursday at 7.", "I'm left-handed and I'm Dutch.", "I get migraines.",
            "I work nights.", "I wear hearing aids.", "I run a small hair salon in Bristol with two employees",
            "I'm a single mum.", "我今年七十四了。", "我开了一家小面馆，四个员工。", "我姓王。", "我媳妇叫小芳。",
            "我每周三晚上打羽毛球。", "我不会开车。", "我是四川人。", "我有乙肝。"});
  const std::string body = profile();
  for (const char* line :
       {"- The user is a nurse at St. Brannock's.", "- The user grew up in Leeds.",
        "- The user has a wife called Hania.", "- The user can't drive.",
        "- The user has choir practice every Thursday at 7.", "- The user is left-handed", "- The user gets migraines.",
        "- The user works nights.", "- The user wears hearing aids.", "- 用户姓王。", "- 用户的媳妇叫小芳。",
        "- 用户每周三晚上打羽毛球。", "- 用户不会开车。", "- 用户是四川人。", "- 用户有乙肝。"})
    EXPECT_NE(body.find(line), std::string::npos) << line << "\n" << body;
}

TEST_F(EngineSaid, PF_25_what_goes_on_in_the_same_sentence_does_not_hide_a_statement) {
  open();
  say_each({"I'm a qualified electrician and I'd like to move into solar.", "我是河南周口人，大学在兰州读的",
            "我自己在高速收费站上班"});
  const std::string body = profile();
  for (const char* line : {"- The user is a qualified electrician. ", "- 用户是河南周口人。", "在高速收费站上班。"})
    EXPECT_NE(body.find(line), std::string::npos) << line << "\n" << body;
}

TEST_F(EngineSaid, PF_25_moods_denials_and_states_of_a_day_stand_in_no_profile) {
  open();
  say_each({"I hate everybody.", "I do not have two cats!", "I'm not called Marie.",
            "I can't drive today, my car is broken.", "I love it.", "我每天都很累。", "I'm running a fever.",
            "I've worked for Google.", "Rex, my dog, is 7. He eats a lot.", "My late wife Doreen loved roses.",
            "我今年一直很忙。", "他姓王。", "我讨厌这样。",
            "My Polish is fine for speaking, I just never had school in it."});
  EXPECT_EQ(profile(), "");
}

TEST_F(EngineSaid, PF_25_a_line_of_a_profile_ends_before_what_follows_from_it) {
  open();
  say_each({"I'm lactose intolerant, so please don't suggest warm milk.",
            "I collect fountain pens, so I'd like to see some shops.",
            "I live in a small flat in Lyon and the neighbours are sensitive.", "I drink five cups a day.",
            "I used to smoke a pack a day.", "I use the same programs.", "我每周去三次。",
            "帮我写一段回复吧，客气点，别吵架。", "So always start with one.", "所以大家总是期待我讲点黑色的。"});
  const std::string body = profile();
  for (const char* line : {"- The user is lactose intolerant. ", "- The user collects fountain pens. ",
                           "- The user lives in a small flat in Lyon. "})
    EXPECT_NE(body.find(line), std::string::npos) << line << "\n" << body;
  for (const char* none : {"five cups", "smoke", "same programs", "三次", "帮我写", "start with one", "大家"})
    EXPECT_EQ(body.find(none), std::string::npos) << none << "\n" << body;
}

TEST_F(EngineSaid, PF_25_a_wish_is_kept_without_what_stands_around_it) {
  open();
  say_each({"ok last: always use metric please, you did miles for the loop before",
            "Call me Mr. Ashdown, Margaret always said I was a stickler.", "对对对，以后都标号",
            "以后邮件里别用表情符号，新来的小孩一封邮件八个笑脸",
            "Keep answers short from now on, unless I ask for more."});
  const std::string body = profile();
  for (const char* line : {": always use metric please ", ": Call me Mr. Ashdown ", "：以后都标号 ",
                           "：以后邮件里别用表情符号 ", "unless I ask for more"})
    EXPECT_NE(body.find(line), std::string::npos) << line << "\n" << body;
}

TEST_F(EngineSaid, PF_25_a_reason_and_the_wish_that_follows_from_it_are_two_things) {
  open();
  say_each({"I'm vegan, so please don't suggest cheese.",
            "I'm a doctor, so please use the technical terms from now on.", "我对花生过敏，所以以后请用简体字回答。"});
  const std::string body = profile();
  for (const char* line :
       {"- The user is vegan. ", ": please don't suggest cheese ", "- The user is a doctor. ",
        ": please use the technical terms from now on ", "- 用户对花生过敏。", "：以后请用简体字回答 "})
    EXPECT_NE(body.find(line), std::string::npos) << line << "\n" << body;
}

TEST_F(EngineSaid, PF_25_what_turns_out_to_be_liked_is_disliked_no_longer) {
  open();
  turn("I hate mushrooms.", "ok", "a");
  drain();
  turn("Turns out I do like mushrooms.", "ok", "b");
  drain();
  const std::string now = profile().substr(0, profile().find("## Earlier"));
  EXPECT_NE(now.find("like mushrooms"), std::string::npos) << now;
  EXPECT_EQ(now.find("hates mushrooms"), std::string::npos) << now;
}

TEST_F(EngineSaid, PF_25_what_a_person_of_ones_own_changes_is_not_the_person) {
  open();
  turn("我老婆叫小芳。我的老板是老周。", "ok", "a");
  drain();
  say_each({"老婆换工作了，不在火锅店了", "老婆换手机了", "老婆到北京出差了", "老板在家办公", "老婆改吃素了"});
  EXPECT_NE(profile().find("- 用户的老婆叫小芳。"), std::string::npos) << profile();
  EXPECT_NE(profile().find("- 用户的老板是老周。"), std::string::npos) << profile();
  turn("老板换成老李了", "ok", "z");
  drain();
  EXPECT_EQ(profile().find("- 用户的老板是老周。"), std::string::npos) << profile();
}

TEST_F(EngineSaid, PF_25_what_stands_in_no_profile_is_replaced_all_the_same) {
  open();
  turn("My appointment number is 12 for the dentist on 14 April. My meeting room is B12 on 14 April.", "ok", "a");
  turn("I'm flying to Oslo on 3 May.", "ok", "b");
  drain();
  turn("My meeting room is C40 on 14 April.", "ok", "c");
  turn("I'm flying to Oslo on 10 May.", "ok", "d");
  drain();
  EXPECT_EQ(profile().find("Oslo"), std::string::npos) << profile();
  std::size_t over = 0, hold = 0;
  for (const Item& event : items(ItemKind::kEvent)) {
    if (!event.event || !event.event->is_fact()) continue;
    const std::string& text = event.event->new_info;
    if (text.find("B12") != std::string::npos || text.find("3 May") != std::string::npos)
      over += event.event->valid_until ? 1 : 0;
    if (text.find("C40") != std::string::npos || text.find("10 May") != std::string::npos)
      hold += event.event->valid_until ? 0 : 1;
  }
  EXPECT_EQ(over, 2u);
  EXPECT_EQ(hold, 2u);
}

TEST_F(EngineSaid, PF_25_phrases_that_wish_for_nothing_are_no_wishes) {
  open();
  say_each({"rent, don't remind me", "Convert 37 celsius please, I never remember", "别提了", "每次四公里",
            "在吗？以后家里的事我都跟你说，省得我老忘。", "Don't ask.", "don't tell me again"});
  EXPECT_EQ(profile(), "");
  turn("Never mention my ex. 以后都用公里。以后别跟我聊前任。", "ok", "z");
  drain();
  for (const char* wish : {"Never mention my ex", "以后都用公里", "以后别跟我聊前任"})
    EXPECT_NE(profile().find(wish), std::string::npos) << wish << "\n" << profile();
}

TEST_F(EngineSaid, CM_17_what_is_learnt_late_does_not_count_as_new) {
  open();
  Message newer = test::user("I live in Porto."), older = test::user("I live in Berlin.");
  newer.time = parse_time("2026-05-01T10:00:00Z").value();
  older.time = parse_time("2026-01-01T10:00:00Z").value();
  observe({newer, assistant("ok")}, "b");
  drain();
  observe({older, assistant("ok")}, "a");
  drain();
  const std::string body = profile();
  EXPECT_LT(body.find("Porto"), body.find("## Earlier")) << body;
  EXPECT_GT(body.find("Berlin"), body.find("## Earlier")) << body;
  for (const Item& event : items(ItemKind::kEvent)) {
    if (!event.event || !event.event->is_fact()) continue;
    EXPECT_EQ(event.event->valid_until.has_value(), event.text.find("Berlin") != std::string::npos);
  }
}

TEST_F(EngineSaid, PF_25_of_facts_of_one_moment_the_one_said_last_holds) {
  open();
  const Time when = parse_time("2026-05-01T10:00:00Z").value();
  std::vector<Message> talk;
  for (const char* text : {"I live in Berlin.", "I live in Porto.", "I live in Berlin."}) {
    talk.push_back(test::user(text));
    talk.back().time = when;
    talk.push_back(assistant("ok"));
    talk.back().time = when;
  }
  observe(talk, "a");
  drain();
  const std::string body = profile();
  const auto now = body.substr(0, body.find("## Earlier"));
  EXPECT_NE(now.find("Berlin"), std::string::npos) << body;
  EXPECT_EQ(now.find("Porto"), std::string::npos) << body;
}

TEST_F(EngineSaid, PF_25_what_is_over_ends_what_is_known_of_it) {
  open();
  turn("I play the cello. I have a cat called Miso. I smoke.", "ok", "a");
  turn("I drive a Volvo. 我讨厌下雨天。", "ok", "b");
  drain();
  turn("I gave up the cello. We gave Miso away. I quit smoking.", "ok", "c");
  turn("I sold my car. 我现在喜欢下雨天了。", "ok", "d");
  drain();
  const std::string body = profile();
  const auto now = body.substr(0, body.find("## Earlier"));
  for (const char* gone : {"plays the cello", "has a cat", "The user smokes", "drives a Volvo", "讨厌下雨天"})
    EXPECT_EQ(now.find(gone), std::string::npos) << gone << "\n" << body;
  for (const Item& event : items(ItemKind::kEvent)) {
    if (!event.event || !event.event->is_fact()) continue;
    const bool old = event.session.str() == "a" || event.session.str() == "b";
    EXPECT_EQ(event.event->valid_until.has_value(), old) << event.text;
  }
}

TEST_F(EngineSaid, PF_25_a_profile_holds_the_value_that_a_change_brought) {
  open();
  say_each({"My landlord is Mr. Pell.", "I have yoga on Tuesdays.", "我每天吃20毫克阿托伐他汀。"});
  say_each({"Mr. Pell isn't our landlord any more, it's Mrs. Okafor since May.", "Yoga is on Fridays from now on.",
            "阿托伐他汀减到10毫克了。"});
  for (const char* line :
       {"- The user's landlord is Mrs. Okafor.", "- The user has yoga on Fridays.", "- 用户每天吃10毫克阿托伐他汀。"})
    EXPECT_NE(profile().find(line), std::string::npos) << line << profile();
  for (const char* line :
       {"- The user's landlord is Mr. Pell.", "- The user has yoga on Tuesdays.", "- 用户每天吃20毫克"})
    EXPECT_EQ(profile().find(line), std::string::npos) << line << profile();
}

TEST_F(EngineSaid, PF_25_what_also_holds_ends_nothing) {
  open();
  say_each({"I work at the bakery.", "I also work at the library on weekends."});
  EXPECT_NE(profile().find("- The user works at the bakery."), std::string::npos) << profile();
  EXPECT_NE(profile().find("- The user also works at the library"), std::string::npos) << profile();
}

TEST_F(EngineSaid, PF_25_what_is_over_and_was_not_known_adds_nothing) {
  open();
  turn("I sold my car. I gave up the cello. 我把车卖了", "ok", "a");
  drain();
  EXPECT_EQ(profile(), "");
}

TEST_F(EngineSaid, CM_17_a_model_finds_more_and_is_checked) {
  auto chat = std::make_unique<ScriptedChat>();
  chat->always([](const ChatRequest& request) -> Result<ChatReply> {
    const std::string& asked = request.messages.back().content;
    if (asked.find("\"message\"") == std::string::npos) return ScriptedChat::reply("{}");
    return ScriptedChat::reply(Json{
        {"facts",
         {{{"message", 1}, {"kind", "fact"}, {"text", "The user keeps bees."}, {"quote", "the bees keep me busy"}},
          {{"message", 1}, {"kind", "fact"}, {"text", "The user has 4711 hives."}, {"quote", "the bees keep me busy"}},
          {{"message", 1}, {"kind", "fact"}, {"text", "The user is rich."}, {"quote", "nobody said that"}}}}}
                                   .dump());
  });
  historian_ = std::move(chat);
  open();
  turn("Sorry for the late answer, the bees keep me busy.", "No problem at all, take your time.");
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  drain();
  EXPECT_NE(profile().find("keeps bees"), std::string::npos) << profile();
  EXPECT_EQ(profile().find("4711"), std::string::npos);
  EXPECT_EQ(profile().find("rich"), std::string::npos);
  std::size_t found = 0;
  for (const Item& event : items(ItemKind::kEvent)) {
    if (event.text.find("keeps bees") == std::string::npos) continue;
    ++found;
    EXPECT_EQ(event.by, MadeBy::kModel);
    EXPECT_FALSE(event.writing.model.empty());
    EXPECT_EQ(event.writing.prompt, "facts/en 1");
  }
  EXPECT_GE(found, 1u);
}

TEST_F(EngineSaid, PF_2_an_answer_of_the_wrong_kinds_is_passed_over) {
  auto chat = std::make_unique<ScriptedChat>();
  chat->always([](const ChatRequest& request) -> Result<ChatReply> {
    if (request.messages.back().content.find("\"message\"") == std::string::npos) return ScriptedChat::reply("{}");
    return ScriptedChat::reply(R"({"facts":[{"message":1,"kind":"fact","text":7,"quote":{"a":1}},5,null,
      {"message":1,"kind":[],"text":"The user keeps bees.","quote":"the bees keep me busy"},{"message":"one"}]})");
  });
  historian_ = std::move(chat);
  open();
  turn("Sorry for the late answer, the bees keep me busy.", "No problem at all, take your time.");
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  drain();
  EXPECT_NE(profile().find("keeps bees"), std::string::npos) << profile();
}

// What a speaker said in a group stands in their own profile where that is granted, and in its archive when that is
// full.
TEST_F(EngineSaid, PF_5_what_is_forgotten_in_a_group_goes_out_of_the_speakers_archive) {
  config_.cognitive.speaker_profiles = true;
  open();
  for (int i = 0; i < kMoreThanFits; ++i) {
    EndRequest end;
    end.request_id = "r" + std::to_string(i);
    end.message_ids = {MessageId("said" + std::to_string(i))};
    end.sender_id = "ann";
    end.new_info = long_remark(i);
    Message said = test::user("Remark " + std::to_string(i) + " of the keepers.");
    said.id = end.message_ids.front();
    ASSERT_TRUE(engine_->session(in("club", "ann"), SessionId("s")).observe(std::vector{said, assistant("ok")}).ok());
    ASSERT_TRUE(engine_->session(in("club", "ann"), SessionId("s")).end(end).ok());
  }
  drain();
  const auto path = std::filesystem::path(config_.workspace) / "profiles" / "archive" / "users" / "ann.md";
  const auto before = read_file(path);
  ASSERT_TRUE(before.ok());
  const auto mark = before->find("number ");
  ASSERT_NE(mark, std::string::npos);
  const std::string number = before->substr(mark, before->find(' ', mark + 7) - mark + 1);
  EraseRequest one;
  one.session = SessionId("s");
  one.messages = {MessageId("said" + number.substr(7, number.size() - 8))};
  ASSERT_TRUE(engine_->memory(in("club", "ann")).erase(one).ok());
  EXPECT_EQ(read_file(path).value_or("").find(number), std::string::npos) << number;
}

TEST_F(EngineSaid, CM_19_scopes_that_are_left_out_learn_nothing) {
  config_.cognitive.scopes = "user:* -user:b*";
  open();
  turn("I live in Berlin.", "ok", "s", "ann");
  turn("I live in Berlin.", "ok", "s", "bob");
  drain();
  EXPECT_FALSE(profile("ann").empty());
  EXPECT_TRUE(profile("bob").empty());
}

TEST_F(EngineSaid, CM_17_two_sessions_may_number_their_messages_alike) {
  open();
  Message one = test::user("My desk number is 12."), two = test::user("My badge number is 34.");
  one.id = two.id = MessageId("m1");
  observe({one, assistant("ok")}, "a");
  observe({two, assistant("ok")}, "b");
  drain();
  EXPECT_NE(profile().find("12"), std::string::npos) << profile();
  EXPECT_NE(profile().find("34"), std::string::npos) << profile();
  EndRequest end;
  end.new_info = "Ann's desk is by the window.";
  end.message_ids = {MessageId("m1")};
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("a")).end(end).ok());
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("b")).end(end).ok());
  drain();
}

TEST_F(EngineSaid, PF_17_what_a_profile_has_no_room_for_goes_to_its_archive) {
  open();
  for (int i = 0; i < kMoreThanFits; ++i) {
    EndRequest end;
    end.request_id = "r" + std::to_string(i);
    end.new_info = long_remark(i);
    ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).end(end).ok());
  }
  drain();
  const auto archive =
      read_file(std::filesystem::path(config_.workspace) / "profiles" / "archive" / "users" / "ann.md");
  ASSERT_TRUE(archive.ok()) << profile().size();
  for (int i = 0; i < kMoreThanFits; ++i) {
    const std::string mark = "number " + std::to_string(i) + " ";
    EXPECT_NE(profile().find(mark) != std::string::npos, archive->find(mark) != std::string::npos) << i;
  }
  EraseRequest all;
  all.everything = true;
  EXPECT_TRUE(engine_->memory(as("ann")).erase(all).ok());
  EXPECT_FALSE(read_file(std::filesystem::path(config_.workspace) / "profiles/archive/users/ann.md").ok());
}

}  // namespace
}  // namespace weft
