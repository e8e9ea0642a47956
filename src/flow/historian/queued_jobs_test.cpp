#include <gtest/gtest.h>

#include "flow/historian/queued_jobs.h"

namespace weft {
namespace {

MemberName named(const char* member, const char* name, std::int64_t seq = 1) { return {UserId(member), name, seq}; }

std::string label(const Members& members, const char* member, const char* name) {
  return members.label(UserId(member), name);
}

TEST(Members, PF_22_only_namesakes_carry_their_id) {
  const Members members({named("1004", "Ann"), named("1005", "Ann"), named("1006", "Bob"), named("1007", "小明"),
                         named("1008", "小明"), named("1009", "")});
  EXPECT_TRUE(members.need_labels());
  EXPECT_EQ(label(members, "1004", "Ann"), "Ann(1004)");
  EXPECT_EQ(label(members, "1005", "ann "), "ann (1005)") << "case and blanks do not tell people apart";
  EXPECT_EQ(label(members, "1006", "Bob"), "Bob");
  EXPECT_EQ(label(members, "1008", "小明"), "小明（1008）");
  EXPECT_EQ(label(members, "1009", ""), "1009");
  EXPECT_EQ(label(members, "", "Ann"), "Ann(?)") << "somebody called so whose id is not known";
  EXPECT_EQ(label(members, "", "Eve"), "Eve");
  EXPECT_EQ(label(members, "", ""), "");
  EXPECT_EQ(label(members, "1004", "Ann(1004)"), "Ann(1004)") << "a label stays one";
  EXPECT_FALSE(Members({named("1004", "Ann"), named("1006", "Bob")}).need_labels());
}

TEST(Members, PF_22_who_is_called_as_anybody_is_carries_the_id) {
  const Members members(
      {named("1004", "the user"), named("1005", "用户"), named("1006", "User"), named("1007", "Userman")});
  EXPECT_EQ(label(members, "1004", "the user"), "user(1004)");
  EXPECT_EQ(label(members, "1005", "用户"), "用户（1005）");
  EXPECT_EQ(label(members, "1006", "User"), "User(1006)");
  EXPECT_EQ(label(members, "1007", "Userman"), "Userman");
}

TEST(Members, PF_22_no_name_can_be_taken_for_another_members_label) {
  const Members members(
      {named("222", "Ann"), named("999", "222"), named("998", "Ann(222)"), named("997", "Ann（222）")});
  EXPECT_EQ(label(members, "999", "222"), "222(999)");
  EXPECT_EQ(label(members, "222", "222"), "222(222)");
  EXPECT_EQ(label(members, "998", "Ann(222)"), "Ann(222)(998)");
  EXPECT_EQ(label(members, "997", "Ann（222）"), "Ann（222）(997)");
  std::map<std::string, std::string> ids;
  for (const MemberLabel& one : members.labels())
    EXPECT_TRUE(ids.emplace(one.label, one.id).second || ids[one.label] == one.id) << one.label;
  EXPECT_EQ(ids["Ann(222)"], "222");
}

TEST(Members, PF_22_what_was_kept_before_a_namesake_came_is_shown_under_the_label) {
  const Members members({named("1004", "小明"), named("1005", "小明")});
  Item event;
  event.kind = ItemKind::kEvent;
  event.text = "[2026-11-27]\n小明说：我对花生过敏[x]\n助手回答：小明你好";
  const std::size_t at = event.text.find("[x]");
  event.writing.annotations = {{at, at + 3}};
  event.event.emplace();
  event.event->sender_id = "1004";
  event.event->new_info = "小明对花生过敏。";
  members.tell_apart(event);
  EXPECT_EQ(event.text, "[2026-11-27]\n小明（1004）说：我对花生过敏[x]\n助手回答：小明你好");
  EXPECT_EQ(event.event->new_info, "小明（1004）对花生过敏。");
  const TextSpan& span = event.writing.annotations.front();
  EXPECT_EQ(event.text.substr(span.begin, span.end - span.begin), "[x]");

  Item message;
  message.who = "小明";
  message.sender_id = UserId("1005");
  members.tell_apart(message);
  EXPECT_EQ(message.who, "小明（1005）");
}

TEST(Members, PF_22_lines_of_a_profile_follow_their_member) {
  const Members members({named("1004", "Ann", 1), named("1004", "Queen", 7), named("1005", "Ann", 5)});
  const std::string body =
      "## Facts\n"
      "- Ann lives in Bergen. <!-- from e1 at 2026-11-27T08:00:00Z -->\n"
      "- Ann works as a nurse. <!-- from e2 at 2026-11-27T08:00:00Z -->\n"
      "- Ann likes tea. <!-- from e3 at 2026-11-27T08:00:00Z -->\n"
      "- Ann plays chess.\n"
      "- Anna lives in Rome. <!-- from e1 at 2026-11-27T08:00:00Z -->\n";
  const std::map<std::string, UserId> senders{{"e1", UserId("1004")}, {"e2", UserId("1005")}, {"e3", UserId()}};
  EXPECT_EQ(members.tell_apart(body, senders),
            "## Facts\n"
            "- Queen lives in Bergen. <!-- from e1 at 2026-11-27T08:00:00Z -->\n"
            "- Ann(1005) works as a nurse. <!-- from e2 at 2026-11-27T08:00:00Z -->\n"
            "- Ann(?) likes tea. <!-- from e3 at 2026-11-27T08:00:00Z -->\n"
            "- Ann plays chess.\n"
            "- Anna lives in Rome. <!-- from e1 at 2026-11-27T08:00:00Z -->\n");
}

TEST(Members, PF_22_a_profile_is_merged_by_id) {
  const Members members({named("1004", "Ann", 1), named("1004", "Queen of the North", 7), named("1005", "Ann", 5)});
  const ProfileSubject group{EntityType::kGroup, {}, members.labels()};
  const auto add = [&](const std::string& body, const std::string& text, const char* event, std::int64_t ms) {
    return merge_profile(body, {text, event, Time{1'795'000'000'000 + ms, 0}}, group).body;
  };
  std::string body = add("", "Ann(1004) lives in Bergen.", "e1", 0);
  body = add(body, "Ann(1005) lives in Tromso.", "e2", 1000);
  EXPECT_EQ(body.find("## Earlier"), std::string::npos) << body;
  body = add(body, "Queen of the North lives in Rome.", "e3", 2000);
  const std::size_t earlier = body.find("## Earlier");
  ASSERT_NE(earlier, std::string::npos) << body;
  EXPECT_GT(body.find("Bergen"), earlier);
  EXPECT_LT(body.find("Tromso"), earlier);
}

}  // namespace
}  // namespace weft
