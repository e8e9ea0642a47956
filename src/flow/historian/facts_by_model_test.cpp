#include <gtest/gtest.h>

#include "flow/historian/facts_by_model.h"
#include "flow/memory/profile_merge.h"

namespace weft {
namespace {

Profile with_body(const std::string& body) {
  Profile profile;
  profile.entity = {EntityType::kUser, "42"};
  profile.name = "Ann";
  profile.extra = {{"mood", "mood: fine\n"}};
  profile.body = body;
  return profile;
}

const std::string kBody =
    "# User profile\n\n- Ann lives in Berlin. <!-- from e1 at 2026-03-01T00:00:00Z -->\n"
    "- Ann likes green tea. <!-- from e2 at 2026-03-02T00:00:00Z -->\n- Ann plays chess on Sundays.\n- Ann is allergic "
    "to peanuts.\n"
    "\nShe keeps bees.\n";

std::string refusal(const Profile& after) {
  const auto status = check_model_merge(with_body(kBody), after, "e9");
  return status.ok() ? "" : status.error().message;
}

TEST(ProfileBounds, PF_17_a_rewrite_that_keeps_the_statements_passes) {
  EXPECT_EQ(refusal(with_body(kBody)), "");
  EXPECT_EQ(
      refusal(with_body("Ann, a beekeeper who keeps bees, lives in Berlin. She plays chess on Sundays, likes green "
                        "tea, and is allergic to peanuts. New: she has a cat.\n")),
      "");
  // One of five is less than a quarter.
  EXPECT_EQ(
      refusal(with_body("- Ann lives in Berlin\n- Ann likes green tea\n- Ann is allergic to peanuts\n- keeps bees\n")),
      "");
}

TEST(ProfileBounds, PF_17_a_rewrite_that_loses_more_than_a_quarter_is_refused_with_what_it_loses) {
  const auto message =
      refusal(with_body("- Ann lives in Munich\n- Ann likes green tea\n- Ann is allergic to peanuts\n- keeps bees\n"));
  EXPECT_NE(message.find("loses 2 of 5"), std::string::npos) << message;
  EXPECT_NE(message.find("Ann lives in Berlin."), std::string::npos) << message;
  EXPECT_NE(message.find("chess"), std::string::npos) << message;
}

TEST(ProfileBounds, PF_17_chinese) {
  const auto before =
      with_body("# 用户侧写\n- 小安住在柏林。\n- 小安喜欢爬山。\n- 小安对花生过敏。\n- 小安在医院工作。\n");
  EXPECT_TRUE(check_model_merge(before, with_body("小安住在柏林，在医院工作，喜欢爬山，对花生过敏。"), "").ok());
  EXPECT_TRUE(check_model_merge(before, with_body("小安住在柏林，在医院工作，喜欢爬山。"), "").ok());
  EXPECT_FALSE(check_model_merge(before, with_body("小安在医院工作，喜欢爬山。"), "").ok());
}

TEST(ProfileBounds, PF_17_empty_and_huge_rewrites_are_refused) {
  EXPECT_NE(refusal(with_body("")), "");
  EXPECT_NE(refusal(with_body(" \n# User profile\n")), "");
  EXPECT_NE(refusal(with_body(kBody + std::string(6000, 'x'))).find("bytes"), std::string::npos);
  Profile empty = with_body("");
  EXPECT_TRUE(check_model_merge(empty, empty, "").ok());
}

TEST(ProfileBounds, PF_17_keys_that_are_not_its_own_stay) {
  Profile after = with_body(kBody);
  after.tags = {"new"};
  after.source_event_id = "e9";
  EXPECT_EQ(refusal(after), "");
  after.name = "Anna";
  EXPECT_NE(refusal(after).find("changes the front matter key name"), std::string::npos);
  after = with_body(kBody);
  after.extra.clear();
  EXPECT_NE(refusal(after).find("removes the front matter key mood"), std::string::npos);
  after.extra = {{"mood", "mood: bad\n"}};
  EXPECT_NE(refusal(after).find("changes the front matter key mood"), std::string::npos);
  after = with_body(kBody);
  after.extra.push_back({"admin", "admin: true\n"});
  EXPECT_NE(refusal(after).find("adds the front matter key admin"), std::string::npos);
  after = with_body(kBody);
  after.entity.id = "43";
  EXPECT_NE(refusal(after).find("entity_id"), std::string::npos);
}

TEST(ProfileBounds, PF_5_a_rewrite_cannot_invent_events) {
  EXPECT_NE(refusal(with_body(kBody + "- x y z <!-- from e7 at 2026-03-01T00:00:00Z -->\n")).find("e7"),
            std::string::npos);
  EXPECT_EQ(refusal(with_body(kBody + "- x y z <!-- from e9 at 2026-03-01T00:00:00Z -->\n")), "");
}

TEST(ProfileBounds, PF_5_events_are_carried_over_so_that_erasure_finds_them) {
  const std::string rewritten =
      "# User profile\n- Ann lives in Berlin and likes green tea\n- Ann plays chess on Sundays.\n- Ann has a cat\n";
  const auto carried = carry_sources(kBody, rewritten, "e9", {1'772'323'200'000, 0});
  const auto lines = read_lines(carried);
  EXPECT_EQ(lines[1].sources, (std::vector<std::string>{"e1", "e2", "e9"}));
  EXPECT_TRUE(lines[1].mixed);
  EXPECT_TRUE(lines[2].sources.empty());
  EXPECT_EQ(lines[3].sources, (std::vector<std::string>{"e9"}));
  EXPECT_EQ(without_markers(carried), rewritten);
  const auto erased = remove_sources(carried, {"e1"}, {EntityType::kUser, {"42", "Ann"}});
  EXPECT_EQ(erased.body.find("Berlin"), std::string::npos);
  EXPECT_NE(erased.body.find("a cat"), std::string::npos);
}

TEST(ProfileBounds, PF_5_running_text_of_a_model_can_be_erased_too) {
  const auto carried = carry_sources(kBody, "# About\n\nAnn lives in Berlin.\n\nShe keeps bees.\n", "e9", {});
  EXPECT_NE(carried.find("\n- Ann lives in Berlin. <!-- from e1 at "), std::string::npos) << carried;
  EXPECT_NE(carried.find("\n\nShe keeps bees.\n"), std::string::npos) << carried;
}

TEST(ProfileBounds, PF_17_large_bodies_take_no_quadratic_time) {
  std::string body;
  for (int i = 0; i < 20'000; ++i) {
    body +=
        "- Ann likes thing" + std::to_string(i) + " <!-- from e" + std::to_string(i) + " at 2026-03-01T00:00:00Z -->\n";
  }
  EXPECT_TRUE(compare_statements(body, body).lost.empty());
  EXPECT_EQ(body_sources(carry_sources(body, without_markers(body), "", {})).size(), 20'000u);
}

}  // namespace
}  // namespace weft
