// What is left of the queue when the power goes at any moment.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "ports/files/file_queue.h"
#include "tests/support/power_cut_files.h"

namespace weft {
namespace {

using test::PowerCutFiles;

Job job(const std::string& id, std::int64_t created = 0) {
  Job made;
  made.id = JobId(id);
  made.kind = "end";
  made.payload = R"({"says":"words of )" + id + "\"}";
  made.created_ms = created;
  return made;
}

// What somebody was told of each job.
struct Told {
  std::set<std::string> kept, finished, erased;
};

/// Lives of one queue on one disk, each ended by a cut.
class Lives {
 public:
  explicit Lives(unsigned seed) : random_(seed), files_(seed) {}

  void live(int life) {
    auto opened = FileQueue::open("queues", files_);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    queue_ = std::move(opened).value();
    check(life);
    files_.cut_after(random_() % 120);
    for (int step = 0; step < 40 && !files_.off(); ++step) act(life, step);
    queue_ = nullptr;
    files_.restore();
  }

 private:
  void act(int life, int step) {
    switch (random_() % 12) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: {
        const std::string id = std::to_string(life) + ":" + std::to_string(step);
        if (queue_->enqueue(job(id, life * 1000 + step)).ok()) told_.kept.insert(id);
        break;
      }
      case 5: erase(); break;
      case 6: (void)queue_->retry_failed(); break;
      default: work();
    }
  }

  void work() {
    const auto taken = queue_->take(0);
    if (!taken.ok() || !taken->has_value()) return;
    const Job& one = **taken;
    switch (random_() % 4) {
      case 0: (void)queue_->put_back(one.id, "later", 0, one.attempts); break;
      case 1: (void)queue_->fail(one.id, "broken", one.attempts); break;
      case 2:
        // Its effect and its mark are in the store by now; from here on it may be gone or come once more.
        told_.kept.erase(one.id.str());
        told_.finished.insert(one.id.str());
        (void)queue_->finish(one.id, one.attempts);
        break;
      default: break;  // still at work when the power goes
    }
  }

  void erase() {
    const auto list = queue_->list();
    if (list.empty()) return;
    const JobId victim = list[random_() % list.size()].second.id;
    // Asked for, it may be gone whatever the answer; once it was answered it must be.
    told_.kept.erase(victim.str());
    const auto gone = queue_->erase([&](const Job& one) { return one.id == victim; });
    if (gone.ok() && gone->size() == 1) told_.erased.insert(victim.str());
  }

  void check(int life) {
    std::map<std::string, Job> there;
    for (auto& [state, one] : queue_->list()) there[one.id.str()] = one;
    for (const std::string& id : told_.kept) {
      ASSERT_TRUE(there.contains(id)) << "life " << life << " lost the acknowledged job " << id;
      EXPECT_EQ(there[id].payload, job(id).payload);
    }
    for (const std::string& id : told_.erased) {
      EXPECT_FALSE(there.contains(id)) << "life " << life << " brought the erased job " << id << " back";
      EXPECT_FALSE(files_.holds("words of " + id + "\"")) << id;
    }
    EXPECT_EQ(queue_->counts().processing, 0u);
  }

  std::mt19937 random_;
  PowerCutFiles files_;
  std::unique_ptr<FileQueue> queue_;
  Told told_;
};

TEST(PowerCut, PF_9_a_thousand_cuts_lose_nothing_that_was_acknowledged) {
  const char* more = std::getenv("WEFT_CUTS");
  const int cuts = more != nullptr ? std::atoi(more) : 1000;
  for (unsigned seed = 1; static_cast<int>(seed) <= cuts / 20 && !testing::Test::HasFatalFailure(); ++seed) {
    Lives lives(seed);
    for (int life = 0; life < 20 && !testing::Test::HasFatalFailure(); ++life) lives.live(life);
  }
}

TEST(PowerCut, CM_3_a_job_enqueued_while_the_journal_is_made_anew_survives) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    PowerCutFiles files(seed);
    auto queue = FileQueue::open("queues", files).value();
    std::jthread worker([&](std::stop_token stop) {
      while (!stop.stop_requested()) {
        (void)queue->erase([](const Job& one) { return one.id.str() == "nobody"; });
        std::this_thread::sleep_for(std::chrono::microseconds(20));  // a lock that is never free starves the writer
      }
    });
    std::set<std::string> kept;
    for (int i = 0; i < 40; ++i)
      if (queue->enqueue(job(std::to_string(i))).ok()) kept.insert(std::to_string(i));
    files.cut_after(0);
    worker = {};
    queue = nullptr;
    files.restore();
    queue = FileQueue::open("queues", files).value();
    EXPECT_EQ(kept.size(), 40u);
    for (const std::string& id : kept) EXPECT_TRUE(queue->contains(JobId(id))) << id;
  }
}

TEST(PowerCut, PF_9_a_flush_that_failed_is_not_forgotten) {
  PowerCutFiles files(3);
  auto queue = FileQueue::open("queues", files).value();
  ASSERT_TRUE(queue->enqueue(job("a")).ok());
  files.fail_syncs(true);
  EXPECT_FALSE(queue->enqueue(job("b")).ok());
  EXPECT_FALSE(queue->enqueue(job("c")).ok());
  EXPECT_FALSE(queue->trouble().ok());
  EXPECT_FALSE(queue->contains(JobId("b")));
  // The disk works again: a new journal holds all that was promised, and only then is more.
  files.fail_syncs(false);
  ASSERT_TRUE(queue->enqueue(job("d")).ok());
  EXPECT_TRUE(queue->trouble().ok());
  files.cut_after(0);
  queue = nullptr;
  files.restore();
  queue = FileQueue::open("queues", files).value();
  EXPECT_TRUE(queue->contains(JobId("a")));
  EXPECT_TRUE(queue->contains(JobId("d")));
}

TEST(PowerCut, PF_9_a_full_disk_leaves_no_job_in_limbo) {
  PowerCutFiles files(5);
  auto queue = FileQueue::open("queues", files).value();
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(queue->enqueue(job(id)).ok());
  files.run_full(true);
  ASSERT_EQ(queue->take(0).value()->id.str(), "a");
  ASSERT_TRUE(queue->finish(JobId("a")).ok());
  ASSERT_EQ(queue->take(0).value()->id.str(), "b");
  (void)queue->fail(JobId("b"), "no room");
  ASSERT_EQ(queue->take(0).value()->id.str(), "c");
  ASSERT_TRUE(queue->put_back(JobId("c"), "no room", 0).ok());
  EXPECT_EQ(queue->counts().processing, 0u);
  EXPECT_EQ(queue->counts().failed, 1u);
  files.run_full(false);
  EXPECT_EQ(queue->retry_failed().value(), 1u);
  EXPECT_EQ(queue->counts().pending, 2u);
}

TEST(PowerCut, CM_3_damage_in_the_journal_is_told_and_what_stands_behind_it_kept) {
  PowerCutFiles files(7);
  auto queue = FileQueue::open("queues", files).value();
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(queue->enqueue(job(id)).ok());
  queue = nullptr;
  std::string log = files.content("queues/journal.log");
  const auto place = log.find("words of b");
  ASSERT_NE(place, std::string::npos);
  log.replace(place, 5, "\xff\xff\xff\xff\xff");
  files.put("queues/journal.log", log);
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(files.remove(std::string("queues/pending/") + id + ".json").ok());
  queue = FileQueue::open("queues", files).value();
  EXPECT_TRUE(queue->contains(JobId("a")));
  EXPECT_FALSE(queue->contains(JobId("b")));
  EXPECT_TRUE(queue->contains(JobId("c")));
  EXPECT_EQ(queue->counts().broken, 1u);
  // What was set aside can be forgotten as well.
  const auto holds_b = [](std::string_view bytes) { return bytes.find(" of b") != std::string_view::npos; };
  EXPECT_EQ(queue->erase_broken(holds_b).value(), 1u);
  EXPECT_FALSE(files.holds(" of b"));
  EXPECT_EQ(queue->counts().broken, 0u);
}

TEST(PowerCut, CM_3_a_wrecked_size_in_the_journal_costs_one_record) {
  PowerCutFiles files(8);
  auto queue = FileQueue::open("queues", files).value();
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(queue->enqueue(job(id)).ok());
  queue = nullptr;
  std::string log = files.content("queues/journal.log");
  log.replace(0, 8, std::string("\x11\x22\0\0\x33\x44\x55\x66", 8));
  files.put("queues/journal.log", log);
  queue = FileQueue::open("queues", files).value();
  // Its file is left.
  EXPECT_EQ(queue->counts().pending, 3u);
  EXPECT_EQ(queue->counts().broken, 1u);
}

TEST(FileQueueLease, CM_3_a_job_that_is_not_finished_within_its_lease_is_taken_up_again) {
  PowerCutFiles files(9);
  auto queue = FileQueue::open("queues", files).value();
  ASSERT_TRUE(queue->enqueue(job("a")).ok());
  const Job first = queue->take(100, 1000).value().value();
  EXPECT_FALSE(queue->take(1099, 1000).value().has_value());
  EXPECT_EQ(queue->next_due(), 1100);
  const Job second = queue->take(1100, 1000).value().value();
  EXPECT_EQ(second.attempts, first.attempts + 1);
  // What the former worker says of it counts no more.
  EXPECT_FALSE(queue->fail(first.id, "late", first.attempts).ok());
  ASSERT_TRUE(queue->finish(first.id, first.attempts).ok());
  EXPECT_EQ(queue->counts().processing, 1u);
  ASSERT_TRUE(queue->finish(second.id, second.attempts).ok());
  EXPECT_EQ(queue->counts().done, 1u);
}

TEST(FileQueueRetry, CM_3_all_failed_jobs_wait_again_at_once_also_after_a_cut) {
  PowerCutFiles files(11);
  auto queue = FileQueue::open("queues", files).value();
  for (const char* id : {"a", "b", "c"}) {
    ASSERT_TRUE(queue->enqueue(job(id)).ok());
    const Job one = queue->take(0).value().value();
    ASSERT_TRUE(queue->fail(one.id, "broken", one.attempts).ok());
  }
  EXPECT_EQ(queue->retry_failed().value(), 3u);
  EXPECT_EQ(queue->retry_failed().value(), 0u);
  files.cut_after(0);
  queue = nullptr;
  files.restore();
  queue = FileQueue::open("queues", files).value();
  EXPECT_EQ(queue->counts().pending, 3u);
  EXPECT_EQ(queue->take(0).value()->attempts, 1);
}

}  // namespace
}  // namespace weft
