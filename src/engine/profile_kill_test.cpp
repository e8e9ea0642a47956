// Kills a process that writes profiles at random moments and looks at what it left.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <random>

#include "engine/profiles.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

const EntityKey kAnn{EntityType::kUser, "ann"};

Profile numbered(int number) {
  Profile profile;
  profile.entity = kAnn;
  profile.body = std::to_string(number);
  return profile;
}

// What the killed process says of itself, in memory that outlives it.
class Shared {
 public:
  Shared()
      : memory_(::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
        acknowledged_(new(memory_) std::atomic<int>(0)) {}
  ~Shared() { ::munmap(memory_, sizeof(std::atomic<int>)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  std::atomic<int>& acknowledged() { return *acknowledged_; }

 private:
  void* memory_;
  std::atomic<int>* acknowledged_;
};

[[noreturn]] void write_for_ever(const std::filesystem::path& root, Shared& shared) {
  auto store = open_store("sqlite:" + (root / "weft.db").string());
  if (!store.ok()) ::_exit(1);
  DocumentFiles documents(**store);
  auto files = ProfileFiles::open(**store, documents, root, {});
  if (!files.ok()) ::_exit(1);
  for (int number = shared.acknowledged() + 1;; ++number) {
    const Profile profile = numbered(number);
    if (!(*files)->update(profile.entity, {}, [&](const auto&) { return Result<Profile>(profile); }).ok()) ::_exit(1);
    shared.acknowledged() = number;
  }
}

TEST(ProfileKill, CM_8_a_killed_writer_loses_nothing_it_acknowledged) {
  test::TemporaryFolder folder;
  const auto root = folder.path();
  Shared shared;
  std::mt19937 random(9);
  for (int life = 0; life < 60; ++life) {
    const int before = shared.acknowledged();
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_for_ever(root, shared);
    // One write at least, however slow the disk, then death at any moment.
    for (int waited = 0; shared.acknowledged() == before && waited < 50'000; ++waited) ::usleep(200);
    ::usleep(static_cast<useconds_t>(random() % 20'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer gave up: " << status;

    auto store = open_store("sqlite:" + (root / "weft.db").string());
    ASSERT_TRUE(store.ok());
    DocumentFiles documents(**store);
    auto files = ProfileFiles::open(**store, documents, root, {});
    ASSERT_TRUE(files.ok());
    const int acknowledged = shared.acknowledged();
    const auto read = (*files)->read(kAnn, {});
    if (!read.ok()) {
      ASSERT_EQ(acknowledged, 0) << read.error().message;
      continue;
    }
    const int now = std::stoi(read->body);
    EXPECT_TRUE(now == acknowledged || now == acknowledged + 1) << now << " after " << acknowledged;
    const auto history = (*files)->history(kAnn, {});
    ASSERT_TRUE(history.ok());
    EXPECT_LE(history->size(), 5u);
    for (const DocumentRow& one : *history) EXPECT_EQ(one.author, "weft") << "an own write was taken for an edit";
    shared.acknowledged() = now;
  }
  EXPECT_GE(shared.acknowledged(), 60);
}

}  // namespace
}  // namespace weft
