// Readers of the log: the runner by itself, and the diary and the adaptation in an engine whose cursors a crash left
// behind their effects.
#include "engine/log_readers.h"

#include <thread>

#include "base/strings.h"
#include "ports/files/file_system.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/other_store.h"

namespace weft::test {
namespace {

using std::chrono::milliseconds;

// A clock that the test moves.
std::chrono::steady_clock::time_point now_in_test;
std::chrono::steady_clock::time_point test_now() { return now_in_test; }

// Marks each entry that it reads; fails in one scope.
class MarkingReader final : public LogReader {
 public:
  const std::string& name() const override { return name_; }
  Result<WriteBatch> read(const LogPart& part) override {
    const std::string scope = part.scope.str();
    calls.emplace_back(scope, part.entries.size());
    if (scope == fails_in) return unavailable("the disk of " + scope + " is away");
    WriteBatch batch;
    for (const LogEntry& entry : part.entries) batch.claimed_marks.push_back(scope + "/" + entry.body);
    return batch;
  }

  std::vector<std::pair<std::string, std::size_t>> calls;
  std::string fails_in;

 private:
  const std::string name_ = "marks";
};

// Makes nothing of the entries, and takes at most `most` at a time.
class CountingReader final : public LogReader {
 public:
  explicit CountingReader(std::string name = "counts") : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  Result<WriteBatch> read(const LogPart& part) override {
    for (const LogEntry& entry : part.entries) entries.push_back(entry.seq);
    for (const MessageRow& row : part.messages) messages.push_back(row.message.id.str());
    if (on_read) on_read();
    return WriteBatch();
  }
  std::size_t share(std::span<const LogEntry> unread) const override { return std::min(unread.size(), most); }

  std::size_t most = 1000;
  std::vector<std::int64_t> entries;
  std::vector<std::string> messages;
  std::function<void()> on_read;

 private:
  const std::string name_;
};

class LogRunnerTest : public testing::Test {
 protected:
  LogRunnerTest() : store_(open_store("memory:", [this](const WriteBatch& batch) { append(batch); }).value()) {
    for (const char* reader : {"marks", "counts"}) EXPECT_TRUE(store_->log().open_reader(reader).ok());
  }

  void append(const WriteBatch& batch) {
    if (!tells_) return;
    for (const MessageRow& row : batch.messages) runner_.wake(row.scope);
  }

  void keep(const std::string& scope, int count) {
    WriteBatch batch;
    batch.now_ms = 1000 + last_;
    for (int i = 0; i < count; ++i) {
      MessageRow row;
      row.seq = ++last_;
      row.scope = ScopeKey(scope);
      row.session = SessionId("s");
      row.message = user("text", "m" + std::to_string(last_));
      row.message.time = Time{1000, 0};
      batch.messages.push_back(std::move(row));
    }
    ASSERT_TRUE(store_->write(batch).ok());
  }
  // After the pause between two rounds.
  std::optional<milliseconds> later(milliseconds time) {
    now_in_test += time;
    reader_.calls.clear();
    return runner_.work({});
  }

  std::unique_ptr<Store> store_;
  ErasureGate gate_;
  MarkingReader reader_;
  CountingReader counts_;
  LogRunner runner_{{&reader_, &counts_}, *store_, gate_, nullptr, test_now};
  std::int64_t last_ = 0;
  bool tells_ = true;
};

constexpr milliseconds kRest{500};  // after a round; then the reader looks by itself for what came meanwhile

using Calls = std::vector<std::pair<std::string, std::size_t>>;

TEST_F(LogRunnerTest, PF_23_every_entry_takes_effect_once_and_a_burst_at_once) {
  keep("user:a", 2);
  EXPECT_EQ(runner_.work({}), kRest);
  EXPECT_TRUE(store_->has_mark("user:a/2").value());
  keep("user:a", 1);
  const auto rest = runner_.work({});
  ASSERT_TRUE(rest.has_value()) << "what comes in a burst waits a moment";
  EXPECT_FALSE(store_->has_mark("user:a/3").value());
  EXPECT_EQ(later(*rest), kRest);
  EXPECT_EQ(reader_.calls, (Calls{{"user:a", 1}}));
  EXPECT_TRUE(store_->has_mark("user:a/3").value());
  EXPECT_EQ(runner_.status(1000).front().entries, 0u);
  EXPECT_EQ(later(kRest), std::nullopt) << "nothing came meanwhile";
}

TEST_F(LogRunnerTest, PF_23_a_scope_with_many_entries_holds_up_no_other) {
  keep("user:a", 500);
  keep("user:b", 1);
  EXPECT_EQ(runner_.work({}), kRest);
  EXPECT_EQ(reader_.calls, (Calls{{"user:a", 200}, {"user:b", 1}, {"user:a", 200}, {"user:a", 100}}));
}

TEST_F(LogRunnerTest, PF_23_where_a_reader_fails_it_pauses_alone_and_says_so) {
  keep("user:a", 1);
  keep("user:b", 1);
  reader_.fails_in = "user:a";
  EXPECT_TRUE(runner_.work({}).has_value());
  EXPECT_TRUE(store_->has_mark("user:b/2").value());
  const ReaderStatus status = runner_.status(61'000).front();
  EXPECT_EQ(status.entries, 1u);
  EXPECT_EQ(status.seconds, 60u);
  EXPECT_NE(status.failure.find("the disk of user:a is away"), std::string::npos);
  auto pause = later(milliseconds(500));
  EXPECT_EQ(pause, milliseconds(500));
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(pause.has_value());
    const auto next = later(*pause);
    EXPECT_EQ(reader_.calls, (Calls{{"user:a", 1}}));
    EXPECT_EQ(next, std::min(2 * *pause, milliseconds(60'000)));
    pause = next;
  }
  keep("user:b", 1);
  EXPECT_TRUE(later(milliseconds(1000)).has_value());
  EXPECT_EQ(reader_.calls, (Calls{{"user:b", 1}})) << "the others do not wait";
  reader_.fails_in.clear();
  EXPECT_EQ(later(milliseconds(60'000)), kRest);
  EXPECT_TRUE(store_->has_mark("user:a/1").value());
  EXPECT_EQ(runner_.status(61'000).front().failure, "");
}

TEST_F(LogRunnerTest, PF_23_a_reader_that_fails_or_takes_its_time_holds_up_no_other) {
  keep("user:a", 5);
  reader_.fails_in = "user:a";
  counts_.most = 2;
  EXPECT_TRUE(runner_.work({}).has_value());
  EXPECT_EQ(counts_.entries, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(counts_.messages, (std::vector<std::string>{"m1", "m2", "m3", "m4", "m5"}));
  EXPECT_EQ(reader_.calls, (Calls{{"user:a", 5}}));
  reader_.fails_in.clear();
  WriteBatch erased;
  erased.erased_messages = {2};
  ASSERT_TRUE(store_->write(erased).ok());
  EXPECT_TRUE(later(milliseconds(500)).has_value());
  EXPECT_EQ(reader_.calls, (Calls{{"user:a", 4}})) << "from where it stood, without what was erased";
  EXPECT_EQ(counts_.entries.size(), 5u) << "nothing is read twice";
}

TEST_F(LogRunnerTest, PF_23_a_cursor_that_another_program_has_moved_holds_up_no_other) {
  CountingReader more("more");
  ASSERT_TRUE(store_->log().open_reader("more").ok());
  LogRunner both({&counts_, &more}, *store_, gate_, nullptr, test_now);
  const std::vector<std::string> names{"counts", "more"};
  const ScopeKey scope("user:a");
  keep("user:a", 3);
  EXPECT_EQ(both.work({}), kRest);
  EXPECT_EQ(store_->log().cursors(scope, names).value(), (std::vector<std::int64_t>{3, 3}));
  keep("user:a", 1);
  both.wake(scope);
  more.on_read = [&] {
    WriteBatch other;
    other.cursors = {{"more", scope, 3, 4}};
    EXPECT_TRUE(store_->write(other).ok());
  };
  now_in_test += kRest;
  EXPECT_TRUE(both.work({}).has_value());
  EXPECT_EQ(store_->log().cursors(scope, names).value(), (std::vector<std::int64_t>{4, 4}));
  EXPECT_EQ(both.status(1000).front().failure, "") << "this one has moved";
}

TEST_F(LogRunnerTest, PF_23_entries_that_come_during_a_round_wait_for_the_next_one) {
  keep("user:a", 1);
  counts_.on_read = [&] {
    if (last_ < 5) keep("user:a", 1);
  };
  EXPECT_EQ(runner_.work({}), kRest);
  EXPECT_EQ(counts_.entries.size(), 1U);
  EXPECT_EQ(later(kRest), kRest);
  EXPECT_EQ(counts_.entries.size(), 2U);
}

TEST_F(LogRunnerTest, PF_23_what_another_program_appended_is_found_by_looking_at_all) {
  EXPECT_EQ(runner_.work({}), std::nullopt);
  tells_ = false;
  keep("user:a", 1);
  keep("user:b", 1);
  EXPECT_EQ(later(milliseconds(1000)), std::nullopt);
  runner_.wake();
  EXPECT_EQ(later(milliseconds(0)), kRest);
  EXPECT_EQ(reader_.calls, (Calls{{"user:a", 1}, {"user:b", 1}}));
}

TEST_F(LogRunnerTest, PF_5_a_failure_is_over_when_its_entries_are_erased) {
  keep("user:a", 1);
  reader_.fails_in = "user:a";
  EXPECT_TRUE(runner_.work({}).has_value());
  WriteBatch erased;
  erased.erased_messages = {1};
  ASSERT_TRUE(store_->write(erased).ok());
  EXPECT_EQ(later(milliseconds(60'000)), std::nullopt);
  EXPECT_TRUE(reader_.calls.empty());
  EXPECT_EQ(runner_.status(1000).front().failure, "");
}

// Writes a document that somebody else may write at the same time.
class DocumentReader final : public LogReader {
 public:
  explicit DocumentReader(Store& store) : store_(store) {}
  const std::string& name() const override { return name_; }
  Result<WriteBatch> read(const LogPart& part) override {
    ++calls;
    const DocumentKey key{part.scope, "sum", "sum"};
    WEFT_TRY(const auto before, store_.documents().newest(key.scope, key.kind, key.id));
    const std::int64_t version = before ? before->version : 0;
    if (beside) beside();
    WriteBatch batch;
    batch.expected_documents.emplace_back(key, version);
    batch.documents.push_back({key.scope, key.kind, key.id, version + 1, {}, "weft", "{}"});
    return batch;
  }

  int calls = 0;
  std::function<void()> beside;

 private:
  Store& store_;
  const std::string name_ = "sums";
};

TEST_F(LogRunnerTest, PF_23_a_document_that_others_write_meanwhile_is_read_again_at_once) {
  ASSERT_TRUE(store_->log().open_reader("sums").ok());
  DocumentReader sums(*store_);
  LogRunner runner({&sums}, *store_, gate_, nullptr, test_now);
  sums.beside = [&] {
    if (sums.calls > 2) return;
    WriteBatch other;
    other.documents.push_back({ScopeKey("user:a"), "sum", "sum", sums.calls, {}, "weft", "{}"});
    EXPECT_TRUE(store_->write(other).ok());
  };
  keep("user:a", 1);
  runner.wake();
  EXPECT_EQ(runner.work({}), kRest) << "no pause";
  EXPECT_EQ(sums.calls, 3);
  EXPECT_EQ(store_->documents().newest(ScopeKey("user:a"), "sum", "sum").value()->version, 3);
  EXPECT_EQ(runner.status(1000).front().failure, "");
}

TEST_F(LogRunnerTest, PF_23_a_store_that_takes_no_writes_costs_pauses_and_no_entry) {
  OtherStore failing(*store_, false);
  MarkingReader marks;
  LogRunner runner({&marks}, failing, gate_, nullptr, test_now);
  keep("user:a", 2);
  runner.wake();
  failing.fail_after(0);
  auto again = runner.work({});
  ASSERT_TRUE(again.has_value());
  EXPECT_GT(again->count(), 0) << "it does not try without a pause";
  EXPECT_NE(runner.status(1000).front().failure.find("away"), std::string::npos);
  for (int i = 0; i < 5; ++i) {
    now_in_test += *again;
    again = runner.work({});
    ASSERT_TRUE(again.has_value());
    EXPECT_GT(again->count(), 0);
  }
  failing.mend();
  now_in_test += *again;
  EXPECT_EQ(runner.work({}), kRest);
  EXPECT_TRUE(store_->has_mark("user:a/1").value());
  EXPECT_TRUE(store_->has_mark("user:a/2").value());
  EXPECT_EQ(runner.status(1000).front().failure, "");
}

TEST_F(LogRunnerTest, PF_23_an_effect_that_cannot_be_written_leaves_the_cursor) {
  keep("user:a", 2);
  WriteBatch taken;
  taken.marks = {"user:a/2"};  // the reader's claim of it is refused
  ASSERT_TRUE(store_->write(taken).ok());
  EXPECT_TRUE(runner_.work({}).has_value());
  EXPECT_FALSE(store_->has_mark("user:a/1").value());
  EXPECT_EQ(runner_.status(1000).front().entries, 2u);
}

class EngineReaders : public EngineTest {
 protected:
  void until_read() {
    for (int i = 0; i < 2000; ++i) {
      bool behind = false;
      for (const ReaderStatus& reader : engine_->status().readers) behind = behind || reader.entries > 0;
      if (!behind) return;
      std::this_thread::sleep_for(milliseconds(5));
    }
    ADD_FAILURE() << "a reader is behind";
  }
  // As a crash leaves it that comes when the diary has written the day and its cursor has not moved. (The effects of
  // the other readers are in the transaction of their cursors.)
  void crash_before_cursors(const ScopeKey& scope) {
    until_read();
    engine_ = nullptr;
    const auto store = open_store("sqlite:" + config_.workspace + "/weft.db").value();
    const auto entries = store->log().behind(scope, 0, 1000).value();
    ASSERT_FALSE(entries.empty());
    WriteBatch batch;
    batch.cursors.push_back({"diary", scope, entries.back().seq, 0});
    ASSERT_TRUE(store->write(batch).ok());
    ASSERT_EQ(store->log().lag("diary")->entries, entries.size());
  }
  std::string files_of(const std::string& folder) {
    std::string text;
    for (const auto& file : std::filesystem::recursive_directory_iterator(config_.workspace))
      if (file.is_regular_file() && file.path().string().find(folder) != std::string::npos)
        text += disk().read(file.path()).value_or("");
    return text;
  }
};

TEST_F(EngineReaders, PF_23_a_crash_between_effect_and_cursor_repeats_and_doubles_nothing) {
  open();
  Message call = assistant("", "a0");
  call.tool_calls.push_back({"c1", "look_up", R"({"town":"Graz"})"});
  observe({weft::test::user("Where is the town of Graz?", "m0"), call});
  until_read();
  Message output = assistant("in Styria", "t1");
  output.role = Role::kTool;
  output.tool_call_id = "c1";
  observe({output, assistant("It is in Styria.", "a1")});
  for (int i = 2; i < 70; ++i) {
    const std::string number = std::to_string(i);
    observe({weft::test::user(i % 2 == 0 ? "Please keep your answers short." : "The weather is fine.", "m" + number),
             assistant("A long answer of several sentences. It goes on and on.", "a" + number)});
  }
  until_read();
  const std::string days = files_of("daily"), beliefs = files_of("beliefs");
  EXPECT_NE(days.find("look_up"), std::string::npos) << "a call of an earlier batch stands before its output\n" << days;
  EXPECT_NE(beliefs.find("evidence_count"), std::string::npos) << beliefs;
  for (int crash = 0; crash < 2; ++crash) {
    crash_before_cursors(as("ann").scope.key());
    open();
    observe({weft::test::user("One more remark.", "more" + std::to_string(crash)), assistant("Yes.")});
    until_read();
    const std::string days_now = files_of("daily");
    for (int i = 2; i < 70; ++i) {
      const std::string mark = "<!-- s/m" + std::to_string(i) + " -->";
      EXPECT_NE(days_now.find(mark), std::string::npos);
      EXPECT_EQ(days_now.find(mark), days_now.rfind(mark));
    }
    const auto counts = [](const std::string& text) {
      std::string kept;
      for (const std::string_view line : lines_of(text))
        if (line.find("evidence_count") != std::string::npos || line.find("contradictions") != std::string::npos ||
            line.find("alpha") != std::string::npos)
          kept += std::string(line) + "\n";
      return kept;
    };
    EXPECT_EQ(counts(files_of("beliefs")), counts(beliefs));
  }
}

TEST_F(EngineReaders, PF_5_log_entries_go_with_their_messages) {
  open();
  observe({weft::test::user("my secret garden", "m1"), assistant("lovely", "m2")}, "private-diary");
  observe({weft::test::user("the train to Prague", "m3"), assistant("have a good journey", "m4")}, "travel");
  observe({weft::test::user("a walk", "b1"), assistant("nice", "b2")}, "walks", "bob");
  const auto bodies = [&](const std::string& user) {
    const auto store = open_store("sqlite:" + config_.workspace + "/weft.db").value();
    std::vector<std::string> all;
    const auto entries = store->log().behind(as(user).scope.key(), 0, 100).value();
    for (const LogEntry& entry : entries) all.push_back(entry.body);
    return all;
  };
  EraseRequest what;
  what.messages = {MessageId("m1")};
  ASSERT_TRUE(engine_->memory(as("ann")).erase(what).ok());
  EXPECT_EQ(bodies("ann"), (std::vector<std::string>{"2", "b1", "3", "4", "b3", "t1"}))
      << "the first turn and topic have a message left";
  what = {};
  what.everything = true;
  ASSERT_TRUE(engine_->memory(as("ann")).erase(what).ok());
  EXPECT_TRUE(bodies("ann").empty());
  EXPECT_EQ(bodies("bob").size(), 3u);
  engine_ = nullptr;
  const std::string bytes = disk().read(config_.workspace + "/weft.db").value();
  for (const char* gone : {"private-diary", "travel", "user:ann"})
    EXPECT_EQ(bytes.find(gone), std::string::npos) << gone;
}

TEST_F(EngineReaders, PF_23_health_says_that_a_reader_fails_and_goes_on) {
  open();
  observe({weft::test::user("Please keep your answers short.", "m1"), assistant("Yes.")});
  until_read();
  std::filesystem::path file;
  for (const auto& one : std::filesystem::recursive_directory_iterator(config_.workspace))
    if (one.is_regular_file() && one.path().string().find("beliefs") != std::string::npos) file = one.path();
  ASSERT_FALSE(file.empty());
  const std::string good = disk().read(file).value();
  ASSERT_TRUE(write_file(disk(), file, "beliefs: [\n", false).ok());
  observe({weft::test::user("Please keep your answers short.", "w2"), assistant("Yes.")});
  const auto alarm = [&] {
    for (const Problem& problem : engine_->status().problems)
      if (problem.code == "reader_failed") return problem.what;
    return std::string();
  };
  for (int i = 0; i < 2000 && alarm().empty(); ++i) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_NE(alarm().find("adaptation"), std::string::npos) << alarm();
  EXPECT_NE(engine_->upkeep().metrics_text(false).find("weft_reader_entries{reader=\"adaptation\"}"),
            std::string::npos);
  ASSERT_TRUE(write_file(disk(), file, good, false).ok());
  until_read();
  EXPECT_EQ(alarm(), "");
  EXPECT_NE(disk().read(file)->find("s/w2"), std::string::npos);
}

}  // namespace
}  // namespace weft::test
