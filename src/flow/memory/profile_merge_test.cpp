#include "flow/memory/profile_merge.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace weft {
namespace {

const ProfileSubject kAnn{EntityType::kUser, {"42", "Ann", "小安"}};
const ProfileSubject kGroup{EntityType::kGroup, {"g1", "Hikers"}};

Time day(int number) { return {1'772'323'200'000 + 86'400'000LL * number, 0}; }  // 0: 2026-03-01

// Merges one sentence after the other, an event and a day each.
class Body {
 public:
  explicit Body(std::string body = "", ProfileSubject subject = kAnn)
      : body_(std::move(body)), subject_(std::move(subject)) {}
  MergeResult add(const std::string& text, int number) {
    auto result = merge_profile(body_, {text, "e" + std::to_string(number), day(number)}, subject_);
    body_ = result.body;
    return result;
  }
  MergeAction action(const std::string& text, int number) {
    const auto result = add(text, number);
    return result.changes.empty() ? MergeAction::kDropped : result.changes.front().action;
  }
  const std::string& raw() const { return body_; }
  std::string shown() const { return without_markers(body_); }

 private:
  std::string body_;
  ProfileSubject subject_;
};

TEST(ProfileMerge, CM_8_another_value_replaces_and_the_old_one_stays_with_its_end) {
  Body body;
  EXPECT_EQ(body.action("Ann lives in Berlin.", 1), MergeAction::kAdded);
  EXPECT_EQ(body.action("Ann likes tea.", 2), MergeAction::kAdded);
  const auto moved = body.add("Ann moved to Oslo.", 3);
  EXPECT_EQ(moved.changes[0].action, MergeAction::kReplaced);
  EXPECT_EQ(moved.changes[0].old, "Ann lives in Berlin.");
  EXPECT_EQ(body.shown(),
            "# User profile\n\n## Facts\n\n- Ann moved to Oslo.\n\n## Preferences\n\n- Ann likes tea.\n\n## Earlier\n\n"
            "- until 2026-03-04: Ann lives in Berlin.\n");
}

TEST(ProfileMerge, CM_8_chinese) {
  Body body;
  EXPECT_EQ(body.action("小安住在柏林。", 1), MergeAction::kAdded);
  EXPECT_EQ(body.action("小安喜欢爬山。", 2), MergeAction::kAdded);
  EXPECT_EQ(body.action("小安搬到了奥斯陆。", 3), MergeAction::kReplaced);
  EXPECT_EQ(body.action("小安喜欢爬山。", 4), MergeAction::kConfirmed);
  EXPECT_EQ(body.action("小安讨厌爬山。", 5), MergeAction::kReplaced);
  EXPECT_EQ(body.action("项目月底发布。", 6), MergeAction::kNoted);
  EXPECT_EQ(
      body.shown(),
      "# 用户侧写\n\n## 基本信息\n\n- 小安搬到了奥斯陆。\n\n## 偏好\n\n- 小安讨厌爬山。\n\n## 备注\n\n- "
      "2026-03-07：项目月底发布。\n\n## 以前\n\n- 至 2026-03-04：小安住在柏林。\n- 至 2026-03-06：小安喜欢爬山。\n");
}

TEST(ProfileMerge, CM_8_what_can_be_many_is_added_and_the_same_is_confirmed) {
  Body body;
  body.add("Ann speaks French.", 1);
  EXPECT_EQ(body.action("Ann speaks German.", 2), MergeAction::kAdded);
  EXPECT_EQ(body.action("Ann speaks German and French", 3), MergeAction::kConfirmed);
  const std::string before = body.raw();
  EXPECT_TRUE(body.add("Ann speaks German and French", 3).changes.empty());
  EXPECT_EQ(body.raw(), before);
  EXPECT_NE(before.find("from e1, e3 at"), std::string::npos) << before;
}

TEST(ProfileMerge, PF_25_what_says_the_contrary_ends_what_it_contradicts) {
  Body body;
  body.add("Ann likes olives and figs.", 1);
  EXPECT_EQ(body.action("Ann dislikes olives.", 2), MergeAction::kReplaced);
  EXPECT_EQ(body.shown().find("⚠"), std::string::npos) << body.shown();
  EXPECT_NE(body.shown().find("figs. (until 2026-03-03: olives)"), std::string::npos) << body.shown();
  EXPECT_EQ(remove_sources(body.raw(), {"e2"}, kAnn).body.find("until"), std::string::npos);
  body.add("Ann likes olives.", 3);
  EXPECT_NE(body.shown().find("- until 2026-03-04: Ann dislikes olives."), std::string::npos) << body.shown();
  for (const auto& [first, second] : {std::pair{"Ann is allergic to walnuts.", "Ann is not allergic to walnuts."},
                                      {"Ann does not like coffee.", "Ann likes coffee now."},
                                      {"Ann has a dog.", "Ann doesn't have a dog any more."},
                                      {"Ann has a dog called Rex.", "Ann no longer has a dog."},
                                      {"Ann has two dogs.", "Ann has no dogs."},
                                      {"Ann has a cat.", "Ann's cat died last month."},
                                      {"Ann has no cats.", "Ann has a cat called Miso."},
                                      {"小安不喜欢吃香菜。", "小安喜欢吃香菜了。"},
                                      {"小安讨厌香菜。", "小安不讨厌香菜了。"},
                                      {"小安喜欢吃榴莲。", "小安不再喜欢吃榴莲了。"},
                                      {"小安喜欢喝茶。", "小安不太喜欢喝茶。"},
                                      {"小安讨厌吃香菜。", "小安喜欢吃香菜了。"},
                                      {"小安对核桃过敏。", "小安不对核桃过敏。"},
                                      {"小安对核桃不过敏。", "小安对核桃过敏。"},
                                      {"小安养了一只狗。", "小安没有狗了。"},
                                      {"小安养了一只猫。", "小安的猫上个月死了。"}}) {
    Body other;
    other.add(first, 1);
    EXPECT_EQ(other.action(second, 2), MergeAction::kReplaced) << second << "\n" << other.shown();
    EXPECT_EQ(other.shown().find(std::string("\n- ") + first), std::string::npos) << other.shown();
  }
}

TEST(ProfileMerge, CM_8_older_news_does_not_replace_newer_one) {
  Body body;
  body.add("Ann lives in Oslo.", 5);
  EXPECT_EQ(body.action("Ann lives in Berlin.", 1), MergeAction::kLate);
  EXPECT_NE(body.shown().find("## Facts\n\n- Ann lives in Oslo."), std::string::npos);
  EXPECT_NE(body.shown().find("- until 2026-03-06: Ann lives in Berlin."), std::string::npos);
}

TEST(ProfileMerge, PF_25_of_one_moment_what_was_said_later_holds) {
  const auto body = merge_profile("", {"Ann lives in Porto.", "e2", day(1)}, kAnn).body;
  const auto earlier = merge_profile(body, {"Ann lives in Berlin.", "e1", day(1), {}, {"e2"}}, kAnn);
  EXPECT_EQ(earlier.changes.front().action, MergeAction::kLate);
  const auto later = merge_profile(body, {"Ann lives in Berlin.", "e3", day(1)}, kAnn);
  EXPECT_EQ(later.changes.front().action, MergeAction::kReplaced);
}

TEST(ProfileMerge, CM_8_an_event_that_is_worked_off_again_changes_nothing) {
  Body body;
  for (int round = 0; round < 3; ++round) {
    body.add("Ann lives in Berlin. She works at Acme. The deadline is Friday.", 1);
    const std::string after_first = body.raw();
    if (round == 0) {
      body.add("Ann lives in Oslo.", 2);
      body.add("Ann hates rain.", 3);
      body.add("Ann loves rain.", 4);
    } else {
      const std::string before = body.raw();
      EXPECT_TRUE(body.add("Ann lives in Oslo.", 2).changes.empty());
      EXPECT_TRUE(body.add("Ann hates rain.", 3).changes.empty());
      EXPECT_EQ(body.raw(), before);
      EXPECT_EQ(after_first, before);
    }
  }
}

TEST(ProfileMerge, CM_8_what_people_wrote_stays_as_it_is) {
  const std::string mine =
      "# About me\r\n\r\nI wrote this.  \r\n\r\n* lives in Rome\r\n  * near the river\r\n\r\n```\r\n- lives in "
      "code\r\n```\r\n## Notes\r\n1. one\r\n";
  Body body(mine);
  body.add("Ann likes jazz.", 1);
  body.add("It rained.", 2);
  for (const std::string part : {"# About me\r\n\r\nI wrote this.  \r\n\r\n* lives in Rome\r\n  * near the "
                                 "river\r\n\r\n```\r\n- lives in code\r\n```\r\n",
                                 "## Notes\r\n1. one\r\n- 2026-03-03: It rained."}) {
    EXPECT_NE(body.raw().find(part), std::string::npos) << body.raw();
  }
  EXPECT_EQ(body.action("Ann lives in Oslo.", 3), MergeAction::kReplaced);
  EXPECT_NE(body.raw().find("- until 2026-03-04: lives in Rome <!-- ended by e3 -->\r\n"), std::string::npos)
      << body.raw();
}

TEST(ProfileMerge, CM_8_a_line_that_says_more_is_marked_instead_of_moved) {
  Body body;
  body.add("Ann lives in Berlin and works as a nurse.", 1);
  EXPECT_EQ(body.action("Ann lives in Oslo.", 2), MergeAction::kReplaced);
  EXPECT_NE(body.shown().find("- Ann lives in Berlin and works as a nurse. (until 2026-03-03: berlin)\n"),
            std::string::npos)
      << body.shown();
  const std::string before = body.raw();
  body.add("Ann lives in Oslo.", 2);
  body.add("Ann lives in Berlin and works as a nurse.", 1);
  EXPECT_EQ(body.raw(), before);
  EXPECT_EQ(body.action("Ann works as a pilot.", 4), MergeAction::kReplaced);
  EXPECT_NE(body.shown().find("- until 2026-03-05: Ann lives in Berlin and works as a nurse."), std::string::npos)
      << body.shown();
}

TEST(ProfileMerge, CM_8_what_is_said_of_others_is_a_note_for_a_user_and_kept_apart_in_a_group) {
  Body user;
  user.add("Ann lives in Berlin.", 1);
  EXPECT_EQ(user.action("Bob lives in Rome.", 2), MergeAction::kNoted);
  EXPECT_NE(user.shown().find("- 2026-03-03: Bob lives in Rome."), std::string::npos);
  EXPECT_EQ(user.action("Ann (42) moved to Oslo.", 3), MergeAction::kReplaced);

  Body group("", kGroup);
  group.add("Ann lives in Berlin.", 1);
  EXPECT_EQ(group.action("Bob lives in Rome.", 2), MergeAction::kAdded);
  EXPECT_EQ(group.action("Bob lives in Oslo.", 3), MergeAction::kReplaced);
  EXPECT_NE(group.shown().find("\n- Ann lives in Berlin.\n"), std::string::npos);
}

TEST(ProfileMerge, PF_5_erasing_events_takes_their_lines_out) {
  Body body("# Mine\n- plays chess\n");
  body.add("Ann lives in Berlin.", 1);
  body.add("Ann lives in Oslo.", 2);
  body.add("Ann lives in Oslo.", 3);
  body.add("It rained.", 4);
  const auto removed = remove_sources(body.raw(), {"e1", "e2", "e4"}, kAnn);
  EXPECT_EQ(removed.lines,
            (std::vector<std::string>{"2026-03-05: It rained.", "until 2026-03-03: Ann lives in Berlin."}));
  EXPECT_EQ(removed.kept, 1u);
  EXPECT_NE(removed.body.find("Oslo"), std::string::npos);
  EXPECT_NE(removed.body.find("- plays chess\n"), std::string::npos);
  EXPECT_EQ(body_sources(removed.body), (std::vector<std::string>{"e3"}));
  EXPECT_EQ(remove_sources(body.raw(), {"other"}, kAnn).body, body.raw());
}

TEST(ProfileMerge, PF_5_what_an_erased_event_had_ended_holds_again) {
  Body body("- lives in Rome\n");
  body.add("Ann lives in Berlin and likes figs and tea.", 1);
  body.add("Ann lives in Oslo.", 2);
  body.add("Ann no longer likes figs.", 3);
  EXPECT_NE(body.shown().find("(until 2026-03-03: berlin) (until 2026-03-04: figs)"), std::string::npos)
      << body.shown();
  const auto without_third = remove_sources(body.raw(), {"e3"}, kAnn).body;
  EXPECT_EQ(without_third.find("until 2026-03-04"), std::string::npos) << without_third;
  const auto without_second = remove_sources(body.raw(), {"e2"}, kAnn).body;
  EXPECT_EQ(without_second.find("berlin)"), std::string::npos) << without_second;
  EXPECT_EQ(without_second.find("Oslo"), std::string::npos);
  const auto without_first = remove_sources(body.raw(), {"e1"}, kAnn).body;
  EXPECT_EQ(without_first.find("Berlin"), std::string::npos) << without_first;
  // Rome was over by Berlin; without Berlin it is still over by Oslo.
  EXPECT_NE(without_first.find("- until 2026-03-03: lives in Rome <!-- ended by e2 -->"), std::string::npos)
      << without_first;
  const auto bare = remove_sources(body.raw(), {"e1", "e2", "e3"}, kAnn).body;
  EXPECT_NE(bare.find("- lives in Rome\n"), std::string::npos) << bare;
  EXPECT_TRUE(body_sources(bare).empty());
}

TEST(ProfileMerge, PF_5_an_event_that_confirms_does_not_keep_what_only_the_first_one_said) {
  Body body;
  body.add("Ann lives in Berlin since her divorce.", 1);
  body.add("Ann lives in Berlin.", 2);
  EXPECT_EQ(remove_sources(body.raw(), {"e1"}, kAnn).body.find("divorce"), std::string::npos);
}

TEST(ProfileMerge, PF_5_ids_of_events_cannot_leave_their_marker) {
  for (const std::string id :
       {"req:1#2", "a --> b", "a, b", "<!-- x", "x at 2026-01-01", "--", "%41", "人", "line\nbreak"}) {
    const auto merged = merge_profile("", {"Ann likes tea.", id, day(1)}, kAnn);
    EXPECT_EQ(body_sources(merged.body), (std::vector<std::string>{id})) << merged.body;
    EXPECT_EQ(without_markers(merged.body).find("<!--"), std::string::npos);
    EXPECT_TRUE(merge_profile(merged.body, {"Ann likes tea.", id, day(1)}, kAnn).changes.empty()) << id;
    EXPECT_EQ(remove_sources(merged.body, {id}, kAnn).body.find("tea"), std::string::npos);
  }
}

TEST(ProfileMerge, PF_6_text_from_outside_cannot_open_headings_or_comments) {
  Body body;
  body.add("# Facts\n- <!-- from x at y --> --> <!-- hidden", 1);
  body.add("--- \n```\nAnn likes tea.", 2);
  for (const auto& line : read_lines(body.raw())) {
    EXPECT_TRUE(line.heading == 0 || line.text == "# User profile\n" || line.text == "## Notes\n" ||
                line.text == "## Preferences\n")
        << line.text;
  }
  EXPECT_EQ(body.shown().find("<!--"), std::string::npos);
  EXPECT_EQ(body_sources(body.raw()), (std::vector<std::string>{"e1", "e2"}));
}

TEST(ProfileMerge, CM_8_bad_input_has_a_result) {
  for (const std::string& text :
       {std::string(), std::string(" \n "), std::string("\xFF\xFE"), std::string("a\0b", 3), std::string(1 << 20, 'x'),
        std::string(1 << 20, '.'), std::string("人") + std::string(500'000, '('), std::string(300'000, '\n')}) {
    const auto once = merge_profile("", {text, "e1", day(1)}, kAnn);
    EXPECT_LT(once.body.size(), 40'000u);
    EXPECT_TRUE(merge_profile(once.body, {text, "e1", day(1)}, kAnn).changes.empty());
  }
  std::string body;
  for (int i = 0; i < 20'000; ++i) body += "- lives in Town" + std::to_string(i) + " (until x: y)\n";
  const auto merged = merge_profile(body, {"Ann lives in Oslo.", "e1", day(1)}, kAnn);
  EXPECT_NE(merged.body.find("Oslo"), std::string::npos);
  EXPECT_FALSE(
      merge_profile(std::string(1 << 20, '-') + "\n" + std::string(1 << 20, '#'), {"It rained.", "e", day(1)}, kAnn)
          .body.empty());
  EXPECT_FALSE(merge_profile("```\nopen", {"It rained.", "e", day(1)}, kAnn).changes.empty());
}

TEST(ProfileMerge, CM_8_a_profile_does_not_grow_without_limit) {
  std::string body = "- by hand\n\n## Notes\n\n- by hand too\n";
  MergeLimits limits;
  limits.max_body = 2000;
  for (int i = 0; i < 200; ++i) {
    body =
        merge_profile(body, {"Remark number " + std::to_string(i) + ".", "e" + std::to_string(i), day(i)}, kAnn, limits)
            .body;
    ASSERT_LE(body.size(), 2000u);
  }
  EXPECT_NE(body.find("- by hand\n"), std::string::npos);
  EXPECT_NE(body.find("- by hand too\n"), std::string::npos);
  EXPECT_NE(body.find("number 199"), std::string::npos);
}

TEST(ProfileMerge, PF_17_what_there_is_no_room_for_is_handed_out_whole_and_near_duplicates_go_first) {
  MergeLimits limits;
  limits.max_body = 1000;
  std::string body;
  std::vector<std::string> handed_out;
  for (int i = 0; i < 40; ++i) {
    const auto result = merge_profile(
        body,
        {"Remark number " + std::to_string(i / 2) + (i % 2 == 1 ? " again." : "."), "e" + std::to_string(i), day(i)},
        kAnn, limits);
    body = result.body;
    for (const MergeChange& change : result.changes)
      if (change.action == MergeAction::kDropped) handed_out.push_back(change.old);
  }
  ASSERT_FALSE(handed_out.empty());
  for (int i = 0; i < 40; ++i) {
    const std::string marker = "<!-- from e" + std::to_string(i) + " at";
    const bool kept = body.find(marker) != std::string::npos;
    const bool archived = std::any_of(handed_out.begin(), handed_out.end(),
                                      [&](const std::string& line) { return line.find(marker) != std::string::npos; });
    EXPECT_NE(kept, archived) << marker;
  }
}

TEST(ProfileMerge, CM_8_a_groups_profile_is_no_diary) {
  Body group("", kGroup);
  group.add("Ann lives in Berlin.", 1);
  group.add("Bob lives in Rome.", 2);
  group.add("Ann works as a nurse.", 3);
  group.add("The summer hike starts at the north gate.", 4);
  group.add("The summer hike starts at the lake.", 5);
  const std::string shown = group.shown();
  EXPECT_LT(shown.find("Ann works"), shown.find("Bob lives")) << shown;
  const std::string notes = shown.substr(shown.find("## Notes"), shown.find("## Earlier") - shown.find("## Notes"));
  EXPECT_NE(notes.find("lake"), std::string::npos) << shown;
  EXPECT_EQ(notes.find("gate"), std::string::npos) << shown;
  EXPECT_NE(shown.find("gate"), std::string::npos);
}

TEST(ProfileMerge, CM_17_those_who_belong_to_somebody_are_known_of_them) {
  Body user;
  user.add("Ann's sister lives in Rome.", 1);
  EXPECT_EQ(user.action("The user's sister moved to Turin.", 2), MergeAction::kReplaced);
  EXPECT_EQ(user.action("Ann lives in Berlin.", 3), MergeAction::kAdded);
}

TEST(ProfileMerge, CM_17_wishes_replace_wishes_about_the_same) {
  Body user;
  user.add("The user asks: use metric", 1);
  EXPECT_EQ(user.action("The user asks: always use imperial units", 2), MergeAction::kReplaced);
  EXPECT_EQ(user.action("The user asks: keep answers short", 3), MergeAction::kAdded);
  EXPECT_NE(user.shown().find("## Preferences"), std::string::npos);
}

// Random conversations: every line stays, or stands among the earlier ones; the same again changes nothing.
TEST(ProfileMerge, PF_17_nothing_is_lost_unless_it_is_replaced_and_then_it_is_kept_as_earlier) {
  const std::vector<std::string> texts{
      "Ann lives in Berlin.",     "Ann lives in Oslo.",      "Ann moved to Rome and works as a cook.",
      "Ann works as a nurse.",    "Ann likes tea.",          "Ann dislikes tea.",
      "Ann no longer likes tea.", "Ann likes tea and figs.", "It rained.",
      "Bob lives in Paris.",      "小安住在上海。",          "小安搬到了北京，在医院工作。",
      "小安喜欢爬山。",           "小安不喜欢爬山。",        "小安不再喜欢爬山了。",
      "小安对花生过敏。",         "会议改到周五。",          "Ann's birthday is May 5.",
      "Ann 的生日是5月6日。",     "Ann is allergic to figs."};
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const bool own = random() % 2 == 0;
    std::string body = !own ? "" : "# Mine\n\n- lives in Atlantis\n- keeps bees\n\nText.\n\n## 偏好\n- 喜欢茶\n";
    for (int step = 0; step < 12; ++step) {
      const ProfileInfo info{texts[random() % texts.size()], "e" + std::to_string(random() % 30),
                             day(static_cast<int>(random() % 20))};
      const auto merged = merge_profile(body, info, kAnn);
      const auto again = merge_profile(merged.body, info, kAnn);
      ASSERT_EQ(again.body, merged.body) << info.text << "\n" << body;
      ASSERT_TRUE(again.changes.empty());
      std::string all;
      for (const auto& line : read_lines(merged.body)) all += line.bullet ? line.content + "\n" : line.text;
      for (const auto& line : read_lines(body)) {
        const std::string part = line.bullet ? line.content : line.text;
        ASSERT_NE(all.find(part), std::string::npos) << part << "\n--- is gone after " << info.text << "\n"
                                                     << merged.body;
      }
      for (const auto& id : body_sources(body)) {
        const auto sources = body_sources(merged.body);
        ASSERT_TRUE(std::find(sources.begin(), sources.end(), id) != sources.end());
      }
      body = merged.body;
    }
    ASSERT_EQ(join_lines(read_lines(body)), body);
    const auto ids = body_sources(body);
    const auto bare = remove_sources(body, ids, kAnn);
    EXPECT_TRUE(body_sources(bare.body).empty());
    std::multiset<std::string> items;
    for (const auto& line : read_lines(bare.body)) {
      if (line.bullet) items.insert(line.text);
    }
    if (own) {
      EXPECT_EQ(items, (std::multiset<std::string>{"- keeps bees\n", "- lives in Atlantis\n", "- 喜欢茶\n"})) << body;
    } else {
      EXPECT_TRUE(items.empty());
    }
  }
}

TEST(ProfileBody, CM_7_lines_put_together_are_the_body) {
  std::mt19937 random(12);
  const std::vector<std::string> parts{"- ",
                                       "* ",
                                       "#",
                                       " ",
                                       "\n",
                                       "\r\n",
                                       "```",
                                       "~~~",
                                       "a",
                                       "人",
                                       "<!-- from e at 2026-01-01 -->",
                                       "-->",
                                       "## Notes",
                                       " ⚠ (contradicts another line)",
                                       "\xFF",
                                       "until 2026-01-01: "};
  for (int round = 0; round < 2000; ++round) {
    std::string body;
    for (auto left = random() % 20; left > 0; --left) body += parts[random() % parts.size()];
    ASSERT_EQ(join_lines(read_lines(body)), body);
    merge_profile(body, {"Ann likes tea.", "e", day(1)}, kAnn);
    remove_sources(body, {"e"}, kAnn);
  }
}

}  // namespace
}  // namespace weft
