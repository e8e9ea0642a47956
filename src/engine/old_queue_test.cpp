#include "engine/old_queue.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include "flow/historian/queued_jobs.h"
#include "ports/files/file_system.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

// The journal of a former version.
std::string record(char kind, const std::string& rest) {
  const std::string bytes = kind + rest;
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const auto sum = static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size()));
  return std::string(reinterpret_cast<const char*>(&size), 4) + std::string(reinterpret_cast<const char*>(&sum), 4) +
         bytes;
}

class OldQueueTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"pending", "processing", "failed"}) ASSERT_TRUE(make_folder(folder_.path() / name).ok());
    store_ = open_store("memory:").value();
  }
  static Job job(const std::string& id, std::int64_t created) {
    return new_job(JobId(id), ScopeKey("user:ann"), "topic", R"({"scope":"user:ann","topic":"t"})", created);
  }
  void put(const std::string& path, const std::string& bytes) {
    ASSERT_TRUE(write_file(folder_.path() / path, bytes, false).ok());
  }
  bool there(const std::string& path) { return std::filesystem::exists(folder_.path() / path); }
  std::vector<std::string> taken_in() {
    EXPECT_TRUE(take_in_old_queue(*store_, folder_.path()).ok());
    std::vector<std::string> jobs;
    const auto listed = store_->jobs().list().value();
    for (const Job& one : listed) jobs.push_back(one.id.str() + " " + std::string(to_string(one.state)));
    return jobs;
  }
  using Names = std::vector<std::string>;
  test::TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(OldQueueTest, PF_20_jobs_of_a_former_version_come_into_the_store_once) {
  Job failed = job("f", 3);
  failed.reason = "model away";
  const std::string journal = record('+', to_json(job("b", 2))) + record('+', to_json(job("done", 1))) +
                              record('+', to_json(job("a", 1))) + record('-', "done") + record('!', to_json(failed)) +
                              record('!', to_json(job("again", 4))) + record('R', "again\nunknown");
  put("journal.log", journal + std::string(1000, '\0'));
  put("pending/b.json", to_json(job("b", 2)));
  put("processing/a.json", to_json(job("a", 1)));
  put("pending/done.json", to_json(job("done", 1)));
  put("pending/by-hand.json", to_json(job("by-hand", 9)));
  EXPECT_EQ(taken_in(), (Names{"a pending", "b pending", "f failed", "again pending", "by-hand pending"}));
  EXPECT_EQ(store_->jobs().list()->at(0).scope, ScopeKey("user:ann"));
  EXPECT_EQ(store_->jobs().list()->at(2).reason, "model away");
  EXPECT_FALSE(there("journal.log"));
  EXPECT_FALSE(there("pending/b.json"));
  // Later files only show the jobs.
  WriteBatch all;
  for (const char* id : {"a", "b", "f", "again", "by-hand"}) all.erased_jobs.emplace_back(id);
  ASSERT_TRUE(store_->write(all).ok());
  put("pending/b.json", to_json(job("b", 2)));
  EXPECT_EQ(taken_in(), Names());
  EXPECT_TRUE(there("pending/b.json"));
}

TEST_F(OldQueueTest, PF_20_what_cannot_be_read_is_set_aside_and_the_rest_kept) {
  std::string damaged = record('+', to_json(job("lost", 2)));
  damaged[20] ^= 1;
  put("journal.log",
      record('+', to_json(job("a", 1))) + damaged + record('+', to_json(job("c", 3))) + "torn at the end");
  put("pending/torn.json", "{ this was never");
  put("pending/empty.json", std::string(10, '\0'));
  put("pending/a.json.tmp7", "half");
  EXPECT_EQ(taken_in(), (Names{"a pending", "c pending"}));
  EXPECT_TRUE(there("failed/torn.json.broken"));
  std::size_t broken = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder_.path() / "failed"))
    broken += file.path().extension() == ".broken";
  EXPECT_EQ(broken, 2u);
  EXPECT_FALSE(there("pending/a.json.tmp7"));
  const auto gone = erase_broken_jobs(
      folder_.path(), [](std::string_view bytes) { return bytes.find("never") != std::string_view::npos; });
  EXPECT_EQ(gone.value(), 1u);
  EXPECT_FALSE(there("failed/torn.json.broken"));
}

TEST_F(OldQueueTest, CM_1_a_message_whose_end_waits_gives_nothing_new_again) {
  EndJob end;
  end.scope = ScopeKey("user:ann");
  end.session = SessionId("s");
  end.request_id = "r";
  end.end_seq = 1;
  end.new_info = "The dog is called Rex.";
  end.message_ids = {MessageId("m1")};
  put("journal.log", record('+', to_json(to_job(end, 1))));
  EXPECT_EQ(taken_in().size(), 1u);
  EXPECT_TRUE(store_->has_mark(info_marks(end).front()).value());
}

TEST_F(OldQueueTest, PF_20_a_workspace_without_a_queue_opens) {
  const auto nowhere = folder_.path() / "nowhere";
  EXPECT_TRUE(take_in_old_queue(*store_, nowhere).ok());
  EXPECT_FALSE(std::filesystem::exists(nowhere));
}

}  // namespace
}  // namespace weft
