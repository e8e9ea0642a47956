// Runs random operations in a process that is killed at named steps, and compares what is left with a simple model.
//
// A run is a workspace with three scopes, whose operations follow from a seed, and many lives. A life opens the engine,
// finds out what became of the operations that the death before broke off, compares, and goes on until it is killed at
// a fault point, kills itself, or closes the engine. The parent process opens no engine, so that each life begins with
// one thread; it keeps the models, and hears from the life what was begun and what was acknowledged.
//
// WEFT_MODEL_SEEDS: how many seeds, without it the random runs are passed over; WEFT_MODEL_FIRST: the first one;
// WEFT_MODEL_LIVES: lives of each.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "base/fault_point.h"
#include "tests/crash/scope_model.h"
#include "tests/support/fake_clock.h"
#include "tests/support/hash_embedder.h"
#include "tests/support/large_text.h"
#include "tests/support/temporary_folder.h"

namespace weft {

// The name of a step in the names of tests.
static void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault_points()[static_cast<std::size_t>(fault.point)].name << " " << fault.detail;
}

}  // namespace weft

namespace weft::test {
namespace {

constexpr std::int64_t kNowMs = 1'778'000'000'000;  // after all that is said
constexpr unsigned kPatience = kSanitized ? 600 : 120;  // seconds until a life counts as hung
constexpr std::chrono::seconds kToSettle{kPatience / 2};
constexpr std::string_view kByTest = "a test lets this step fail";

int setting(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

struct Life {
  std::vector<Fault> faults;
  int operations = 0;  ///< of each scope
  bool settles = false;  ///< whether all background work is waited for, and looked at
  bool closes = false;  ///< else it kills itself
};

std::string describe(const Life& life) {
  std::string text = std::to_string(life.operations) + " operations";
  for (const Fault& fault : life.faults) {
    text += fault.action == FaultAction::kKill ? ", killed at " : ", failing at ";
    text += fault_points()[static_cast<std::size_t>(fault.point)].name;
    if (!fault.detail.empty()) text += " of " + fault.detail;
    text += " after " + std::to_string(fault.passes) + " passes";
  }
  return text + (life.settles ? ", settled" : "") + (life.closes ? ", closed" : "");
}

// What a life says to its parent. A line is written in one piece.
class Words {
 public:
  explicit Words(int pipe) : pipe_(pipe) {}
  void begun(std::size_t scope) const { say("b" + std::to_string(scope)); }
  void settled(std::size_t scope, bool happened) const { say("s" + std::to_string(scope) + (happened ? "1" : "0")); }
  void problem(std::string text) const {
    std::replace(text.begin(), text.end(), '\n', '|');
    say("p" + text.substr(0, 3000));
  }

 private:
  void say(const std::string& line) const {
    const std::string whole = line + "\n";
    if (::write(pipe_, whole.data(), whole.size()) < 0) ::_exit(3);
  }
  const int pipe_;
};

/// The process that is killed.
class Child {
 public:
  Child(std::vector<ScopeModel>& models, std::filesystem::path workspace, int number, Words words)
      : models_(models), workspace_(std::move(workspace)), clock_(kNowMs + number * 20 * 60'000), words_(words) {}

  void live(const Life& life) {
    check_logs();
    arm_faults(life.faults);
    if (!open()) return;
    for (std::size_t i = 0; i < models_.size(); ++i) {
      if (models_[i].pending()) resolve(i);
      models_[i].check(*engine_, [&](const std::string& text) { words_.problem("at the start: " + text); });
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < models_.size(); ++i)
      threads.emplace_back([this, i, &life] {
        for (int done = 0; done < life.operations; ++done) operate(i);
      });
    for (std::thread& thread : threads) thread.join();
    if (life.settles && settle())
      for (const ScopeModel& model : models_) {
        const auto report = [&](const std::string& text) { words_.problem("settled: " + text); };
        model.check(*engine_, report);
        model.check_settled(*engine_, workspace_, report);
      }
    if (life.closes)
      engine_ = nullptr;
    else
      ::kill(::getpid(), SIGKILL);
  }

 private:
  void check_logs() {
    const auto file = workspace_ / "weft.db";
    if (!std::filesystem::exists(file)) return;
    const auto store = open_store("sqlite:" + file.string());
    if (!store.ok()) return words_.problem("the store: " + store.error().message);
    for (const ScopeModel& model : models_)
      model.check_log(**store, [&](const std::string& text) { words_.problem("log: " + text); });
  }

  bool open() {
    Config config;
    config.workspace = workspace_.string();
    config.stream.policy = TopicPolicy::kThreshold;
    config.stream.short_tokens = 0;
    config.stream.threshold = 0.2;
    config.stream.calibrated = false;
    config.stream.max_processing_tokens = 400;
    config.context.window = 4000;
    config.compaction.keep_turns = 2;
    config.memory.daily_days = 0;
    config.retention.log_entries = 1'000'000;
    config.historian.backoff_ms = 1;
    config.queue.mirror = true;
    config.log.level = std::getenv("WEFT_MODEL_LOG") == nullptr ? LogLevel::kOff : LogLevel::kWarning;
    for (int tries = 0;; ++tries) {
      EngineParts parts;
      parts.clock = std::make_unique<FakeClock>(clock_);
      parts.embedder = std::make_unique<HashEmbedder>(64);
      auto opened = EngineImpl::open(config, std::move(parts));
      if (opened.ok()) {
        engine_ = std::move(opened).value();
        return true;
      }
      if (tries > 2 || !by_test(opened.error())) {
        words_.problem("the engine does not open: " + opened.error().message);
        return false;
      }
    }
  }

  static bool by_test(const Error& error) { return error.message.find(kByTest) != std::string::npos; }

  void operate(std::size_t scope) {
    ScopeModel& model = models_[scope];
    const std::string name = test::describe(model.begin());
    words_.begun(scope);
    const auto done =
        model.perform(*engine_, workspace_, [&](const std::string& text) { words_.problem(name + ": " + text); });
    if (done.ok()) return settle_one(scope, *done);
    if (!by_test(done.error())) words_.problem(name + " fails: " + done.error().message);
    resolve(scope);
  }

  // A fault happens once, so the second try succeeds.
  void resolve(std::size_t scope) {
    const std::string name = test::describe(*models_[scope].pending());
    const auto report = [&](const std::string& text) { words_.problem(name + ", broken off: " + text); };
    for (int tries = 0;; ++tries) {
      const auto happened = models_[scope].happened(*engine_, workspace_, report);
      if (happened.ok()) return settle_one(scope, *happened);
      if (by_test(happened.error()) && tries < 3) continue;
      report(happened.error().message);
      return settle_one(scope, false);
    }
  }

  void settle_one(std::size_t scope, bool happened) {
    models_[scope].settle(happened);
    words_.settled(scope, happened);
  }

  bool is_settled() {
    if (!engine_->drain(std::chrono::milliseconds(100)).ok()) return false;
    const auto readers = engine_->status().readers;
    return std::all_of(readers.begin(), readers.end(), [](const ReaderStatus& one) { return one.entries == 0; });
  }

  // Changes that wait for a moment come with the clock.
  bool settle() {
    const auto limit = std::chrono::steady_clock::now() + kToSettle;
    while (!is_settled()) {
      clock_.advance_minutes(1);
      if (std::chrono::steady_clock::now() < limit) {
        ::usleep(2'000);
        continue;
      }
      std::string left;
      for (const ReaderStatus& one : engine_->status().readers)
        if (one.entries > 0) left += " " + one.name + " (" + one.failure + ")";
      for (const JobInfo& job : engine_->upkeep().jobs().value_or({})) left += " " + job.kind + " " + job.reason;
      words_.problem("work is left for ever:" + left);
      return false;
    }
    for (const JobInfo& job : engine_->upkeep().jobs().value_or({}))
      words_.problem("a job is left: " + job.kind + " " + job.state + " " + job.reason);
    return true;
  }

  std::vector<ScopeModel>& models_;
  const std::filesystem::path workspace_;
  FakeClock clock_;
  const Words words_;
  std::unique_ptr<EngineImpl> engine_;
};

/// A workspace with its scopes, and the lives that it has had.
class CrashRun {
 public:
  CrashRun(std::uint32_t seed, std::size_t scopes) : seed_(seed) {
    const std::array all{Scope::of_user("ann").value(), Scope::of_group("crew", "ann").value(),
                         Scope::of_user("bo").value()};
    for (std::size_t i = 0; i < scopes; ++i) models_.emplace_back(static_cast<char>('a' + i), all[i], seed);
  }

  bool is_well() const { return problems_.empty(); }
  bool was_killed() const { return was_killed_; }

  void live(const Life& life) {
    const int number = lives_++;
    for (ScopeModel& model : models_) {
      model.note_step("-- life " + std::to_string(number) + ": " + describe(life));
      for (const std::string& file : files_with(workspace_, model.erased())) problems_.push_back("erased: " + file);
    }
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(ends[0]);
      ::alarm(kPatience);
      Child(models_, workspace_, number, Words(ends[1])).live(life);
      ::_exit(0);
    }
    ::close(ends[1]);
    hear(ends[0]);
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    was_killed_ = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (WIFSIGNALED(status) && !was_killed_)
      problems_.push_back("life " + std::to_string(number) + " ended by signal " + std::to_string(WTERMSIG(status)));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
      problems_.push_back("life " + std::to_string(number) + " ended with " + std::to_string(WEXITSTATUS(status)));
  }

  /// What is wrong, and how it came to it.
  std::string report() const {
    std::string text = "seed " + std::to_string(seed_) + "\n";
    for (const std::string& problem : problems_) text += "problem: " + problem + "\n";
    for (const ScopeModel& model : models_) {
      text += "steps of " + model.scope().key().str() + ":\n";
      for (const std::string& step : model.steps()) text += "  " + step + "\n";
      if (model.pending()) text += "  " + test::describe(*model.pending()) + " (broken off)\n";
    }
    return text;
  }

 private:
  void hear(int pipe) {
    std::string heard;
    char part[4096];
    for (ssize_t got = 0; (got = ::read(pipe, part, sizeof part)) > 0;)
      heard.append(part, static_cast<std::size_t>(got));
    for (std::size_t at = 0, end = 0; (end = heard.find('\n', at)) != std::string::npos; at = end + 1) {
      const std::string line = heard.substr(at, end - at);
      if (line[0] == 'p') {
        problems_.push_back("life " + std::to_string(lives_ - 1) + ": " + line.substr(1));
        continue;
      }
      ScopeModel& model = models_[static_cast<std::size_t>(line[1] - '0')];
      if (line[0] == 'b')
        model.begin();
      else
        model.settle(line[2] == '1');
    }
  }

  const std::uint32_t seed_;
  TemporaryFolder folder_;
  const std::filesystem::path workspace_ = folder_.path() / "ws";
  std::vector<ScopeModel> models_;
  std::vector<std::string> problems_;
  int lives_ = 0;
  bool was_killed_ = false;
};

constexpr std::string_view kReaders[] = {"profiles",   "reflection", "answers",      "diary",
                                         "adaptation", "talk_gaps",  "taught_skills"};

Fault draw_fault(std::mt19937& random, FaultAction action) {
  const auto points = fault_points();
  Fault fault{points[random() % points.size()].point, "", 0, action};
  const bool is_of_store = fault.point == FaultPoint::kStoreApplied || fault.point == FaultPoint::kStoreCommitted;
  fault.passes = static_cast<int>(random() % (is_of_store ? 120 : 6));
  if (fault.point == FaultPoint::kReaderRead || fault.point == FaultPoint::kReaderWritten)
    fault.detail = kReaders[random() % std::size(kReaders)];
  return fault;
}

Life draw_life(std::mt19937& random, bool is_last) {
  Life life;
  life.operations = 3 + static_cast<int>(random() % 12);
  if (is_last || random() % 6 == 0) {
    life.settles = true;
    life.closes = true;
    return life;
  }
  if (random() % 8 != 0) life.faults.push_back(draw_fault(random, FaultAction::kKill));
  if (random() % 4 == 0) life.faults.push_back(draw_fault(random, FaultAction::kFail));
  life.closes = random() % 4 == 0;
  return life;
}

TEST(Crash, PF_9_PF_23_random_operations_survive_kills_at_named_points) {
  const int first = setting("WEFT_MODEL_FIRST", 1), seeds = setting("WEFT_MODEL_SEEDS", 0);
  if (seeds == 0) GTEST_SKIP() << "WEFT_MODEL_SEEDS names no number of seeds";
  const int lives = setting("WEFT_MODEL_LIVES", 20);
  for (int seed = first; seed < first + seeds; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    CrashRun run(static_cast<std::uint32_t>(seed), 3);
    int killed = 0;
    for (int life = 0; life < lives && run.is_well(); ++life) {
      run.live(draw_life(random, life + 1 == lives));
      killed += run.was_killed() ? 1 : 0;
    }
    EXPECT_TRUE(run.is_well()) << run.report();
    EXPECT_GT(killed, 0) << "no life of seed " << seed << " was killed";
  }
}

// Each step by itself.
class CrashAt : public testing::TestWithParam<Fault> {};

TEST_P(CrashAt, PF_9_PF_23_a_kill_loses_and_doubles_nothing) {
  CrashRun run(7, 1);
  run.live({{GetParam()}, 160, true, true});
  const bool was_killed = run.was_killed();
  run.live({{}, 4, true, true});
  EXPECT_TRUE(run.is_well()) << run.report();
  // Some steps wait for a moment, such as the file of a day that was written just before.
  if (!was_killed) GTEST_SKIP() << "this life did not come to the step";
}

// Readers that write nothing for what these operations say.
constexpr std::string_view kReadersWithoutEffect[] = {"profiles", "answers", "talk_gaps", "taught_skills"};

std::vector<Fault> all_steps() {
  std::vector<Fault> all;
  for (const FaultPointInfo& info : fault_points()) {
    if (info.point != FaultPoint::kReaderRead && info.point != FaultPoint::kReaderWritten) {
      all.push_back({info.point, "", 0, FaultAction::kKill});
      continue;
    }
    for (const std::string_view reader : kReaders) {
      const bool comes = info.point == FaultPoint::kReaderRead ||
                         std::find(std::begin(kReadersWithoutEffect), std::end(kReadersWithoutEffect), reader) ==
                             std::end(kReadersWithoutEffect);
      if (comes) all.push_back({info.point, std::string(reader), 0, FaultAction::kKill});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Steps, CrashAt, testing::ValuesIn(all_steps()), [](const auto& step) {
  std::string name(fault_points()[static_cast<std::size_t>(step.param.point)].name);
  if (!step.param.detail.empty()) name += "_" + step.param.detail;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace weft::test
