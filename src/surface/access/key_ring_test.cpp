#include "surface/access/key_ring.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

constexpr Time kNow{1'700'000'000'000, 0};

ApiKey about(std::string name, Right right, std::vector<std::string> users = {}, std::vector<std::string> groups = {}) {
  ApiKey key;
  key.name = std::move(name), key.right = right, key.users = std::move(users), key.groups = std::move(groups);
  return key;
}

class KeyRingTest : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::filesystem::path file_ = KeyRing::file_of(folder_.path());
};

TEST_F(KeyRingTest, PF_10_a_key_opens_what_it_was_made_for_until_it_is_revoked) {
  KeyRing ring(file_);
  EXPECT_FALSE(ring.guarded());
  const auto made = ring.add(about("ci", Right::kWrite, {"ann"}), kNow);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE(ring.guarded());
  const auto access = ring.open(made->key);
  ASSERT_TRUE(access.ok());
  EXPECT_EQ(access->name, "ci");
  EXPECT_EQ(access->users, std::vector<std::string>{"ann"});
  EXPECT_FALSE(ring.open(made->key + "x").ok());
  EXPECT_FALSE(ring.open(made->key.substr(0, made->key.size() - 1)).ok());
  EXPECT_FALSE(ring.open("").ok());
  EXPECT_FALSE(ring.open("weft__").ok());
  ASSERT_TRUE(ring.revoke("ci").ok());
  EXPECT_FALSE(ring.open(made->key).ok());
}

TEST_F(KeyRingTest, PF_10_the_file_holds_no_secret_and_is_its_owners_alone) {
  KeyRing ring(file_);
  const auto made = ring.add(about("ci", Right::kRead), kNow);
  ASSERT_TRUE(made.ok());
  std::ifstream in(file_);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(text.find(made->key.substr(made->key.rfind('_') + 1)), std::string::npos);
  EXPECT_NE(text.find(made->kept.digest), std::string::npos);
  EXPECT_EQ(std::filesystem::status(file_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(KeyRingTest, PF_10_keys_differ_and_names_do_too) {
  KeyRing ring(file_);
  std::set<std::string> seen;
  for (int i = 0; i < 50; ++i) {
    const auto made = ring.add(about("k" + std::to_string(i), Right::kRead), kNow);
    ASSERT_TRUE(made.ok());
    EXPECT_TRUE(seen.insert(made->key).second);
    EXPECT_GE(made->key.size(), 60U);
  }
  EXPECT_EQ(ring.add(about("k7", Right::kRead), kNow).error().code, ErrorCode::kConflict);
  EXPECT_EQ(ring.revoke("nobody").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ring.add(about("", Right::kRead), kNow).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ring.add(about("a", Right::kAdmin, {"ann"}), kNow).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ring.keys()->size(), 50U);
}

TEST_F(KeyRingTest, PF_10_a_file_that_cannot_be_read_lets_nobody_in) {
  std::ofstream(file_) << "{\"id\": \"x\"\n";
  KeyRing ring(file_);
  EXPECT_TRUE(ring.guarded());
  EXPECT_EQ(ring.open("weft_x_y").error().code, ErrorCode::kUnavailable);
  EXPECT_NE(ring.keys().error().message.find("line 1"), std::string::npos);
}

TEST_F(KeyRingTest, PF_22_a_ring_that_has_lost_its_keys_lets_nobody_in) {
  const auto look = [&] { return std::pair(KeyRing(file_).guarded(), KeyRing(file_).empty()); };
  EXPECT_EQ(look(), std::pair(false, true)) << "a fresh workspace is served without keys";
  KeyRing ring(file_), server(file_);
  EXPECT_FALSE(server.guarded());
  ASSERT_TRUE(ring.add(about("only", Right::kAdmin), kNow).ok());
  EXPECT_TRUE(server.guarded()) << "the first key closes the door at once";
  EXPECT_EQ(look(), std::pair(true, false));
  ASSERT_TRUE(ring.revoke("only").ok());
  EXPECT_TRUE(ring.guarded() && ring.empty());
  EXPECT_EQ(look(), std::pair(true, true)) << "also for a server that starts now";
  EXPECT_NE(ring.open("weft_abcd_efgh").error().message.find("no key opens this server"), std::string::npos);
  EXPECT_NE(ring.open("weft_abcd_efgh").error().hint.find("weft key add"), std::string::npos);
}

TEST_F(KeyRingTest, PF_22_the_first_key_of_a_running_server_counts_at_once) {
  KeyRing server(file_, std::chrono::hours(1));
  EXPECT_FALSE(server.guarded());
  KeyRing command(file_);
  const auto made = command.add(about("ci", Right::kRead), kNow);
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(server.guarded());
  EXPECT_TRUE(server.open(made->key).ok());
}

TEST_F(KeyRingTest, PF_22_a_file_that_is_taken_away_opens_nothing) {
  for (const char* what : {"deleted", "emptied", "cut", "replaced by a folder"}) {
    std::filesystem::remove_all(file_);
    KeyRing maker(file_);
    ASSERT_TRUE(maker.add(about("only", Right::kAdmin), kNow).ok());
    // As a server that has seen the key before the file changes.
    KeyRing ring(file_, std::chrono::milliseconds(0));
    ASSERT_TRUE(ring.guarded());
    const auto size = std::filesystem::file_size(file_);
    if (what == std::string("deleted")) std::filesystem::remove(file_);
    if (what == std::string("emptied")) std::filesystem::resize_file(file_, 0);
    if (what == std::string("cut")) std::filesystem::resize_file(file_, size / 2);
    if (what == std::string("replaced by a folder")) {
      std::filesystem::remove(file_);
      std::filesystem::create_directory(file_);
    }
    EXPECT_TRUE(ring.guarded()) << what;
    EXPECT_FALSE(ring.open("weft_abcd_efgh").ok()) << what;
  }
}

TEST(Door, PF_22_only_this_machines_own_address_needs_no_key) {
  test::TemporaryFolder folder;
  KeyRing keys(KeyRing::file_of(folder.path()));
  const auto fits = [&](const char* host) {
    ServerSettings settings;
    settings.host = host;
    return check_door(settings, keys).ok();
  };
  for (const char* host : {"127.0.0.1", "127.0.1.1", "localhost", "::1"}) EXPECT_TRUE(fits(host)) << host;
  for (const char* host : {"0.0.0.0", "::", "", "192.168.1.4", "127.example.org", "localhost.example.org"})
    EXPECT_FALSE(fits(host)) << host;
  std::ofstream(KeyRing::file_of(folder.path())).close();
  KeyRing emptied(KeyRing::file_of(folder.path()));
  ServerSettings open;
  open.host = "0.0.0.0";
  EXPECT_NE(check_door(open, emptied).error().hint.find("weft key add"), std::string::npos);
}

TEST(ApiKey, PF_22_a_key_is_recognised_wherever_it_stands) {
  const auto made = make_key(about("k", Right::kRead), kNow);
  ASSERT_TRUE(made.ok());
  for (const std::string& text : {made->key, "Bearer " + made->key, "a=1; token=" + made->key + "; b", "x" + made->key})
    EXPECT_TRUE(holds_key(text)) << text;
  for (const char* text : {"", "weft_", "weft_user", "weft_user_id", "Bearer sk-abcdefghijklmnopqrstuvwxyz", "weft__"})
    EXPECT_FALSE(holds_key(text)) << text;
}

TEST(Access, PF_10_rights_include_those_before_them) {
  for (const Right held : kRights)
    for (const Right needed : kRights)
      EXPECT_EQ(check_right({.name = "k", .right = held}, needed).ok(), held >= needed);
}

TEST(Access, PF_10_a_key_opens_its_users_and_groups_and_no_others) {
  const auto opens = [](const Access& access, const Result<Scope>& scope) { return check_scope(access, *scope).ok(); };
  const auto ann = Scope::of_user("ann"), bob = Scope::of_user("bob"), team = Scope::of_group("team"),
             ann_in_team = Scope::of_group("team", "ann"), bob_in_team = Scope::of_group("team", "bob"),
             other = Scope::of_group("other", "ann");
  EXPECT_TRUE(opens({}, bob));
  const Access of_ann{.name = "k", .users = {"ann"}};
  EXPECT_TRUE(opens(of_ann, ann));
  for (const auto* scope : {&bob, &team, &ann_in_team, &other}) EXPECT_FALSE(opens(of_ann, *scope)) << (*scope)->key();
  const Access of_team{.name = "k", .groups = {"team"}};
  for (const auto* scope : {&team, &ann_in_team, &bob_in_team}) EXPECT_TRUE(opens(of_team, *scope));
  for (const auto* scope : {&ann, &other}) EXPECT_FALSE(opens(of_team, *scope)) << (*scope)->key();
  const Access of_both{.name = "k", .users = {"ann"}, .groups = {"team"}};
  for (const auto* scope : {&ann, &team, &ann_in_team}) EXPECT_TRUE(opens(of_both, *scope));
  for (const auto* scope : {&bob, &bob_in_team, &other}) EXPECT_FALSE(opens(of_both, *scope)) << (*scope)->key();
  EXPECT_EQ(default_user_of(of_ann, "default"), "ann");
  EXPECT_EQ(default_user_of(of_team, "default"), "default");
}

}  // namespace
}  // namespace weft
