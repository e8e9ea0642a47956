#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "ports/files/file_system.h"
#include "ports/files/kept_answers.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::TemporaryFolder;

FiledAnswer answer(std::string name, std::string scope, std::string body, int status = 200, std::int64_t made = 1000) {
  return {std::move(name),
          ScopeKey(std::move(scope)),
          18'446'744'073'709'551'615U,
          status,
          false,
          Time{made},
          "application/json",
          std::move(body)};
}

const auto kNothing = [](std::string_view) { return false; };

TEST(AnswerFiles, PF_10_an_answer_is_there_as_it_was_put_whatever_bytes_it_has) {
  TemporaryFolder folder;
  AnswerFiles files(folder.path());
  EXPECT_EQ(files.find("a").error().code, ErrorCode::kNotFound);
  const std::string bytes("{\"a\":1}\n\0\n\xff", 12);
  ASSERT_TRUE(files.put(answer("a", "user:ann", bytes)).ok());
  ASSERT_TRUE(files.put(answer("b", "", "", 0, 500)).ok());
  const auto found = files.find("a");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->body, bytes);
  EXPECT_EQ(found->status, 200);
  EXPECT_EQ(found->request, 18'446'744'073'709'551'615U);
  EXPECT_EQ(found->scope, ScopeKey("user:ann"));
  const auto all = AnswerFiles(folder.path()).list();
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(all->at(0).answer.name, "b") << "the oldest first";
  EXPECT_EQ(all->at(1).bytes, bytes.size());
  EXPECT_TRUE(files.remove("a").ok());
  EXPECT_TRUE(files.remove("a").ok());
  EXPECT_FALSE(files.find("a").ok());
}

TEST(AnswerFiles, PF_5_an_erasure_takes_what_was_said_and_leaves_that_it_was_done) {
  TemporaryFolder folder;
  AnswerFiles files(folder.path());
  ASSERT_TRUE(files.put(answer("a", "user:ann", "the code word is zebra")).ok());
  ASSERT_TRUE(files.put(answer("b", "user:bob", "zebra, too")).ok());
  ASSERT_TRUE(files.put(answer("c", "user:bob", "nothing of it")).ok());
  ASSERT_TRUE(files.put(answer("d", "user:ann", "", 0)).ok());
  const auto repeats = [](std::string_view text) { return text.find("zebra") != std::string_view::npos; };
  EXPECT_EQ(files.forget(ScopeKey("user:ann"), repeats).value_or(0), 3U);
  EXPECT_EQ(files.forget(ScopeKey("user:ann"), repeats).value_or(9), 0U);
  ASSERT_TRUE(files.put(answer("d", "user:ann", "zebra, said late")).ok());
  for (const char* name : {"a", "b", "d"}) {
    const auto left = files.find(name);
    ASSERT_TRUE(left.ok()) << name;
    EXPECT_TRUE(left->forgotten) << name;
    EXPECT_EQ(left->status, 200) << name;
    EXPECT_EQ(left->body, "") << name;
  }
  EXPECT_EQ(files.find("c")->body, "nothing of it");
}

TEST(AnswerFiles, PF_10_what_cannot_be_read_is_no_answer) {
  TemporaryFolder folder;
  AnswerFiles files(folder.path());
  ASSERT_TRUE(files.put(answer("a", "user:ann", "x")).ok());
  std::ofstream(folder.path() / "answers" / "torn") << "{\"status\":";
  std::ofstream(folder.path() / "answers" / "empty");
  EXPECT_FALSE(files.find("torn").ok());
  EXPECT_EQ(files.list()->size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "answers" / "torn"));
  EXPECT_EQ(files.forget(ScopeKey("user:bob"), kNothing).value_or(9), 0U);
}

const ScopeKey kAnn("user:ann");

KeptResponse response(std::string id, std::string status = "completed", ScopeKey scope = kAnn) {
  KeptResponse out;
  out.id = std::move(id);
  out.scope = std::move(scope);
  out.session = "s";
  out.made = Time{1'700'000'000'000};
  out.status = std::move(status);
  out.background = out.ours = true;
  out.object = R"({"id":"x","output":["grüße"]})";
  return out;
}

class KeptResponsesTest : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  KeptResponses kept_{folder_.path()};
};

TEST_F(KeptResponsesTest, PF_10_what_was_kept_is_found_again_by_its_scope_alone) {
  ASSERT_TRUE(kept_.put(response("resp_1"), true).ok());
  const auto found = KeptResponses(folder_.path()).find(kAnn, "resp_1");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->object, response("resp_1").object);
  EXPECT_EQ(found->session, "s");
  EXPECT_EQ(found->made, response("resp_1").made);
  EXPECT_TRUE(found->background && found->ours && !found->unfinished());
  EXPECT_EQ(kept_.find(ScopeKey("user:bob"), "resp_1").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(kept_.find("resp_1").ok());
  EXPECT_EQ(kept_.find("../weft").error().code, ErrorCode::kNotFound);
}

TEST_F(KeptResponsesTest, PF_10_what_was_removed_is_not_written_again) {
  ASSERT_TRUE(kept_.put(response("resp_1", "in_progress"), true).ok());
  EXPECT_TRUE(kept_.remove(kAnn, "resp_1").value());
  EXPECT_FALSE(kept_.remove(kAnn, "resp_1").value());
  EXPECT_EQ(kept_.replace(response("resp_1")).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(kept_.find("resp_1").ok());
}

TEST_F(KeptResponsesTest, PF_10_removing_wins_over_whoever_writes_at_the_same_time) {
  for (int i = 0; i < 50; ++i) {
    const std::string id = "resp_" + std::to_string(i);
    ASSERT_TRUE(kept_.put(response(id, "in_progress"), false).ok());
    std::jthread writer([&] { (void)KeptResponses(folder_.path()).replace(response(id)); });
    EXPECT_EQ(kept_.remove_if(kAnn, [](const auto&, auto) { return true; }).value(), 1U);
    writer.join();
    EXPECT_FALSE(kept_.find(id).ok());
  }
}

TEST_F(KeptResponsesTest, PF_5_those_that_hold_what_is_to_be_forgotten_go) {
  for (const char* id : {"resp_1", "resp_2"}) ASSERT_TRUE(kept_.put(response(id), false).ok());
  ASSERT_TRUE(kept_.put(response("resp_1", "completed", ScopeKey("user:bob")), false).ok());
  ASSERT_TRUE(write_file(folder_.path() / "responses" / encode_file_name(kAnn.str()) / "broken.json", "{", false).ok());
  const auto count = kept_.remove_if(kAnn, [](const KeptResponse& one, std::string_view text) {
    EXPECT_NE(text.find("grüße"), std::string_view::npos);
    return one.id == "resp_1";
  });
  EXPECT_EQ(count.value(), 2U);
  EXPECT_FALSE(kept_.find(kAnn, "resp_1").ok());
  EXPECT_TRUE(kept_.find(kAnn, "resp_2").ok());
  EXPECT_TRUE(kept_.find(ScopeKey("user:bob"), "resp_1").ok());
  EXPECT_EQ(kept_.remove_if(ScopeKey("user:nobody"), [](const auto&, auto) { return true; }).value(), 0U);
}

TEST_F(KeptResponsesTest, PF_10_what_was_kept_for_a_month_goes) {
  ASSERT_TRUE(kept_.put(response("resp_1"), true).ok());
  const auto folder = folder_.path() / "responses" / encode_file_name(kAnn.str());
  const auto age = [&](const char* name, int hours) {
    const auto now = std::filesystem::file_time_type::clock::now();
    std::filesystem::last_write_time(folder / name, now - std::chrono::hours(hours));
  };
  age("resp_1.json", 24 * 31);
  ASSERT_TRUE(kept_.put(response("resp_2"), true).ok());
  EXPECT_TRUE(kept_.find("resp_1").ok()) << "it is looked once a day";
  age("resp_2.json", 24 * 29);
  ASSERT_TRUE(KeptResponses(folder_.path()).put(response("resp_3"), true).ok());
  EXPECT_FALSE(kept_.find("resp_1").ok());
  EXPECT_TRUE(kept_.find("resp_2").ok() && kept_.find("resp_3").ok());
  const std::chrono::hours week(24 * 7);
  ASSERT_TRUE(KeptResponses(folder_.path(), week).put(response("resp_4"), true).ok());
  EXPECT_FALSE(kept_.find("resp_2").ok()) << "where the settings say so, earlier";
  EXPECT_TRUE(kept_.find("resp_3").ok());
}

TEST_F(KeptResponsesTest, PF_10_a_start_ends_what_was_being_made) {
  ASSERT_TRUE(kept_.put(response("resp_1", "in_progress"), true).ok());
  ASSERT_TRUE(kept_.put(response("resp_2"), true).ok());
  auto theirs = response("resp_3", "queued");
  theirs.ours = false;
  ASSERT_TRUE(kept_.put(theirs, true).ok());
  ASSERT_TRUE(kept_.recover([](KeptResponse& one) { one.status = "failed"; }).ok());
  EXPECT_EQ(kept_.find("resp_1")->status, "failed");
  EXPECT_EQ(kept_.find("resp_2")->status, "completed");
  EXPECT_EQ(kept_.find("resp_3")->status, "queued");
}

}  // namespace
}  // namespace weft
