#include "ports/files/answer_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

}  // namespace
}  // namespace weft
