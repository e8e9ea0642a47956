#include "ports/files/file_queue.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <new>
#include <set>
#include <thread>

#include "ports/files/file.h"
#include "ports/files/job_json.h"
#include "tests/support/failing_memory.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

Job job(const std::string& id, std::int64_t created = 0) {
  Job made;
  made.id = JobId(id);
  made.kind = "topic";
  made.payload = R"({"topic":")" + id + "\"}";
  made.created_ms = created;
  return made;
}

class FileQueueTest : public testing::Test {
 protected:
  std::unique_ptr<FileQueue> open() {
    auto queue = FileQueue::open(folder_.path() / "queues");
    EXPECT_TRUE(queue.ok()) << queue.error().message;
    return std::move(queue).value();
  }
  std::size_t files(const std::string& state) {
    std::size_t count = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path() / "queues" / state))
      count += file.path().extension() == ".json";
    return count;
  }
  test::TemporaryFolder folder_;
};

TEST_F(FileQueueTest, CM_3_a_job_goes_through_its_folders) {
  auto queue = open();
  ASSERT_TRUE(queue->enqueue(job("a:1")).ok());
  EXPECT_EQ(files("pending"), 1u);
  const auto taken = queue->take(0);
  ASSERT_TRUE(taken.ok() && taken->has_value());
  EXPECT_EQ((*taken)->id.str(), "a:1");
  EXPECT_EQ((*taken)->attempts, 1);
  EXPECT_EQ(files("pending"), 0u);
  EXPECT_EQ(files("processing"), 1u);
  ASSERT_TRUE(queue->finish(JobId("a:1")).ok());
  EXPECT_EQ(files("processing"), 0u);
  EXPECT_EQ(queue->counts().done, 1u);
}

TEST_F(FileQueueTest, CM_3_a_job_whose_enqueueing_runs_out_of_memory_can_be_brought_again) {
  auto queue = open();
  for (std::size_t number = 0, done = 0; done == 0; ++number) {
    const std::string id = "j" + std::to_string(number);
    {
      const Job given = job(id);
      FailingMemory failing(number);
      try {
        (void)queue->enqueue(given);
      } catch (const std::bad_alloc&) {
      }
      done += failing.failed() ? 0 : 1;
    }
    ASSERT_TRUE(queue->enqueue(job(id)).ok()) << "allocation " << number;
    EXPECT_TRUE(queue->contains(JobId(id))) << "allocation " << number;
  }
}

TEST_F(FileQueueTest, CM_3_jobs_come_oldest_first_and_once) {
  auto queue = open();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(queue->enqueue(job("j" + std::to_string(i), i)).ok());
  ASSERT_TRUE(queue->enqueue(job("j3")).ok());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(queue->take(0).value()->id.str(), "j" + std::to_string(i));
  EXPECT_FALSE(queue->take(0).value().has_value());
}

TEST_F(FileQueueTest, CM_3_a_restart_takes_up_what_was_in_work) {
  {
    auto queue = open();
    ASSERT_TRUE(queue->enqueue(job("a", 1)).ok());
    ASSERT_TRUE(queue->enqueue(job("b", 2)).ok());
    ASSERT_TRUE(queue->take(0).value().has_value());
  }
  auto queue = open();
  EXPECT_EQ(queue->counts().pending, 2u);
  std::set<std::string> ids{queue->take(0).value()->id.str(), queue->take(0).value()->id.str()};
  EXPECT_EQ(ids, (std::set<std::string>{"a", "b"}));
}

TEST_F(FileQueueTest, PF_9_a_lost_or_torn_file_is_made_again_from_the_journal) {
  {
    auto queue = open();
    ASSERT_TRUE(queue->enqueue(job("a", 1)).ok());
    ASSERT_TRUE(queue->enqueue(job("b", 2)).ok());
  }
  std::filesystem::remove(folder_.path() / "queues/pending/a.json");
  std::ofstream(folder_.path() / "queues/pending/b.json", std::ios::trunc) << "{\"job_id\": \"b";
  auto queue = open();
  EXPECT_EQ(queue->counts().pending, 2u);
  EXPECT_EQ(queue->take(0).value()->payload, R"({"topic":"a"})");
  EXPECT_EQ(queue->take(0).value()->payload, R"({"topic":"b"})");
}

TEST_F(FileQueueTest, CM_3_a_finished_job_does_not_come_back) {
  {
    auto queue = open();
    ASSERT_TRUE(queue->enqueue(job("a")).ok());
    ASSERT_TRUE(queue->take(0).value().has_value());
    ASSERT_TRUE(queue->finish(JobId("a")).ok());
  }
  EXPECT_EQ(open()->counts().pending, 0u);
}

TEST_F(FileQueueTest, PF_9_a_torn_end_of_the_journal_costs_only_what_was_not_acknowledged) {
  {
    ASSERT_TRUE(open()->enqueue(job("a")).ok());
  }
  const auto path = folder_.path() / "queues/journal.log";
  std::string log = read_file(path).value();
  const auto end = log.find('\0', log.find("version"));
  log.replace(end, 6, std::string("\x40\0\0\0xy", 6));  // a record that was begun and not finished
  ASSERT_TRUE(write_file(path, log, false).ok());
  std::filesystem::remove(folder_.path() / "queues/pending/a.json");
  EXPECT_EQ(open()->counts().pending, 1u);
}

TEST_F(FileQueueTest, CM_3_failed_jobs_wait_for_a_retry_and_say_why) {
  auto queue = open();
  ASSERT_TRUE(queue->enqueue(job("a")).ok());
  ASSERT_TRUE(queue->take(0).value().has_value());
  ASSERT_TRUE(queue->put_back(JobId("a"), "model away", 500).ok());
  EXPECT_FALSE(queue->take(499).value().has_value());
  EXPECT_EQ(queue->next_due(), 500);
  ASSERT_TRUE(queue->take(500).value().has_value());
  ASSERT_TRUE(queue->fail(JobId("a"), "model away for good").ok());
  EXPECT_EQ(files("failed"), 1u);
  queue = nullptr;
  queue = open();
  EXPECT_EQ(queue->counts().failed, 1u);
  EXPECT_EQ(queue->list()[0].second.reason, "model away for good");
  EXPECT_FALSE(queue->retry(JobId("b")).ok());
  ASSERT_TRUE(queue->retry(JobId("a")).ok());
  EXPECT_EQ(queue->take(0).value()->attempts, 1);
}

TEST_F(FileQueueTest, CM_3_names_of_jobs_stay_in_their_folder) {
  auto queue = open();
  const std::vector<std::string> ids{"../../etc/x", "a:b", "emoji \xF0\x9F\x92\xA5", std::string(400, 'x')};
  for (const std::string& id : ids) {
    ASSERT_TRUE(queue->enqueue(job(id)).ok()) << id;
    EXPECT_EQ(queue->take(0).value()->id.str(), id);
  }
  EXPECT_EQ(files("processing"), 4u);
}

TEST_F(FileQueueTest, CM_2_many_threads_enqueue_and_nothing_is_lost) {
  {
    auto queue = open();
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 25; ++i) EXPECT_TRUE(queue->enqueue(job(std::to_string(t) + "-" + std::to_string(i))).ok());
      });
    }
  }
  EXPECT_EQ(open()->counts().pending, 100u);
}

TEST(JobJson, CM_3_a_job_of_a_newer_version_is_refused_with_words) {
  const auto parsed = parse_job(R"({"version": 99, "job_id": "a", "kind": "topic", "payload": {}})");
  ASSERT_FALSE(parsed.ok());
  EXPECT_NE(parsed.error().message.find("newer"), std::string::npos);
}

TEST(WorkspaceLock, PF_9_a_second_process_is_refused_with_the_holder_named) {
  test::TemporaryFolder folder;
  auto first = WorkspaceLock::take(folder.path());
  ASSERT_TRUE(first.ok());
  const auto second = WorkspaceLock::take(folder.path());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  EXPECT_NE(second.error().message.find(std::to_string(::getpid())), std::string::npos);
}

TEST(EncodeFileName, CM_7_no_id_leaves_the_folder) {
  EXPECT_EQ(encode_file_name("abc-1.2"), "abc-1.2");
  EXPECT_EQ(encode_file_name("../x"), "%2E.%2Fx");
  EXPECT_EQ(encode_file_name("a:b"), "a%3Ab");
  EXPECT_LE(encode_file_name(std::string(10'000, '/')).size(), 200u);
  EXPECT_NE(encode_file_name(std::string(300, 'a') + "1"), encode_file_name(std::string(300, 'a') + "2"));
}

}  // namespace
}  // namespace weft
