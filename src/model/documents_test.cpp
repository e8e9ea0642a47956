#include <gtest/gtest.h>

#include "model/documents.h"

namespace weft {
namespace {

const EntityKey kNull{EntityType::kUser, "1708213363"};

TEST(Profile, CM_7_the_template_of_the_spec_is_read_and_written) {
  const std::string file =
      "---\nentity_type: user\nentity_id: \"1708213363\"\nname: \"Null\"\ntags: [\"Python\", \"QQ Bot\"]\n"
      "updated_at: \"2026-02-21T14:30:00+08:00\"\nsource_event_id: \"req_xxx:1\"\n---\n# 用户侧写\n长期稳定特征。\n";
  const auto profile = parse_profile(file, kNull);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->name, "Null");
  EXPECT_EQ(profile->tags, (std::vector<std::string>{"Python", "QQ Bot"}));
  EXPECT_EQ(format_time(profile->updated_at), "2026-02-21T14:30:00+08:00");
  EXPECT_EQ(profile->source_event_id, "req_xxx:1");
  EXPECT_EQ(*write_profile(*profile), file);
}

TEST(Profile, CM_7_unknown_keys_and_comments_survive_a_rewrite_in_their_order) {
  const std::string file = "---\n# mine\nzeta: 1\nname: Ann  \n# about the name\nalpha:\n  - {x: y}\n---\nbody";
  auto profile = parse_profile(file, kNull);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  profile->name = "Anna";
  const auto written = write_profile(*profile);
  ASSERT_TRUE(written.ok()) << written.error().message;
  const auto zeta = written->find("\nzeta: 1\n"), alpha = written->find("\nalpha:\n  - {x: y}\n");
  EXPECT_NE(zeta, std::string::npos);
  EXPECT_NE(alpha, std::string::npos);
  EXPECT_LT(zeta, alpha);
  EXPECT_NE(written->find("# mine\n"), std::string::npos);
  EXPECT_NE(written->find("# about the name\n"), std::string::npos);
  const auto again = parse_profile(*written, kNull);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->name, "Anna");
  EXPECT_EQ(*write_profile(*again), *written);
}

TEST(Profile, CM_7_a_file_of_somebody_else_is_refused) {
  for (const std::string file : {"---\nentity_id: \"2\"\n---\n", "---\nentity_type: group\n---\n"}) {
    const auto profile = parse_profile(file, kNull);
    ASSERT_FALSE(profile.ok());
    EXPECT_NE(profile.error().message.find("line 2"), std::string::npos) << profile.error().message;
  }
  EXPECT_TRUE(parse_profile("---\nentity_id: 1708213363\n---\n", kNull).ok());
}

TEST(Profile, CM_7_wrong_values_are_errors_with_their_line) {
  for (const std::string file : {"---\nname: x\nupdated_at: soon\n---\n", "---\nname: x\ntags: {a: b}\n---\n",
                                 "---\ntags: []\nname: [a, b]\n---\n"}) {
    const auto profile = parse_profile(file, kNull);
    ASSERT_FALSE(profile.ok()) << file;
    EXPECT_NE(profile.error().message.find("line 3"), std::string::npos) << profile.error().message;
  }
}

TEST(Profile, PF_17_extra_keys_cannot_smuggle_anything_in) {
  Profile profile;
  profile.entity = kNull;
  profile.body = "body";
  for (const std::string text : {"name: twice\n", "---\n", "x: 1\n---\nmore\n", "x: \"open\n", "no line end"}) {
    profile.extra = {{"x", text}};
    const auto written = write_profile(profile);
    ASSERT_FALSE(written.ok()) << text;
    EXPECT_EQ(written.error().code, ErrorCode::kInvalidArgument);
  }
  profile.extra.clear();
  profile.body = "\xFF";
  EXPECT_FALSE(write_profile(profile).ok());
}

}  // namespace
}  // namespace weft
