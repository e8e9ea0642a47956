#include "engine/usage_ledger.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::FakeClock;
using test::TemporaryFolder;

class UsageLedgerTest : public testing::Test {
 protected:
  UsageLedgerTest() { config_.workspace = folder_.path().string(); }

  std::unique_ptr<UsageLedger> open() {
    auto made = UsageLedger::open(config_, clock_, [](const std::string&, std::string_view text) {
      return static_cast<std::int64_t>(text.size());
    });
    EXPECT_TRUE(made.ok());
    return std::move(*made);
  }
  static ModelCall call_of(const std::string& scope, const std::string& model = "m") {
    ModelCall call{scope, "key-a", "proxy", model};
    call.input_tokens = 10;
    call.output_tokens = 4;
    call.seconds = 0.5;
    return call;
  }
  static std::vector<UsageRow> rows(UsageLedger& ledger, UsageQuery query = {}) {
    auto told = ledger.usage(query);
    EXPECT_TRUE(told.ok());
    return told.ok() ? *told : std::vector<UsageRow>();
  }
  static std::string metrics(const UsageLedger& ledger) {
    MetricsText text;
    ledger.write(text);
    return text.take();
  }
  std::string file() const {
    std::ifstream in(folder_ / "usage.jsonl");
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  Config config_;
};

TEST_F(UsageLedgerTest, CM_15_totals_outlive_the_program_without_being_closed) {
  auto first = open();
  first->note_model_call(call_of("user:ann"));
  ModelCall failed = call_of("user:bob");
  failed.outcome = "timeout";
  failed.input_tokens = failed.output_tokens = 0;
  first->note_model_call(failed);
  // What a second one reads while the first is still there is what a kill would leave.
  auto second = open();
  const auto all = rows(*second);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].calls, 2U);
  EXPECT_EQ(all[0].failed, 1U);
  EXPECT_EQ(all[0].input_tokens, 10);
  EXPECT_EQ(all[0].output_tokens, 4);
  EXPECT_EQ(all[0].day, format_date({clock_.now().ms, 0}));
  const auto ann = rows(*second, {.scope = "user:ann", .by = {"scope", "key"}});
  ASSERT_EQ(ann.size(), 1U);
  EXPECT_EQ(ann[0].scope, "user:ann");
  EXPECT_EQ(ann[0].key, "key-a");
  EXPECT_EQ(ann[0].model, "");
  EXPECT_EQ(ann[0].failed, 0U);
}

TEST_F(UsageLedgerTest, CM_15_a_torn_line_costs_only_itself) {
  open()->note_model_call(call_of("user:ann"));
  std::ofstream(folder_ / "usage.jsonl", std::ios::app) << R"({"day":"2026-03-01","scope":"user:a)";
  auto again = open();
  EXPECT_EQ(rows(*again).at(0).calls, 1U);
  again->note_model_call(call_of("user:ann"));
  EXPECT_EQ(rows(*open()).at(0).calls, 2U);
}

TEST_F(UsageLedgerTest, CM_15_a_file_that_is_whole_is_gone_on_with_and_one_without_its_last_end_of_line_is_mended) {
  const auto path = folder_.path() / "usage.jsonl";
  open()->note_model_call(call_of("user:ann"));
  const auto before = std::filesystem::last_write_time(path);
  (void)open();
  EXPECT_EQ(std::filesystem::last_write_time(path), before) << "nothing was to be summed up";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  open()->note_model_call(call_of("user:ann"));
  EXPECT_EQ(rows(*open()).at(0).calls, 2U);
}

TEST_F(UsageLedgerTest, CM_15_days_are_told_apart_and_old_ones_go) {
  config_.usage.keep_days = 2;
  auto ledger = open();
  const std::string first = format_date({clock_.now().ms, 0});
  ledger->note_model_call(call_of("user:ann"));
  clock_.advance_minutes(24 * 60);
  const std::string second = format_date({clock_.now().ms, 0});
  ledger->note_model_call(call_of("user:ann"));
  EXPECT_EQ(rows(*ledger).size(), 2U);
  EXPECT_EQ(rows(*ledger, {.from = second}).size(), 1U);
  EXPECT_EQ(rows(*ledger, {.to = first}).at(0).day, first);
  clock_.advance_minutes(2 * 24 * 60);
  const auto left = rows(*open());
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].day, second);
}

TEST_F(UsageLedgerTest, CM_15_what_cannot_be_asked_says_why) {
  auto ledger = open();
  for (const UsageQuery& wrong : {UsageQuery{.from = "yesterday"}, UsageQuery{.to = "2026-1-1"},
                                  UsageQuery{.from = "2026-13-01"}, UsageQuery{.by = {"colour"}}}) {
    const auto told = ledger->usage(wrong);
    ASSERT_FALSE(told.ok());
    EXPECT_EQ(told.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(told.error().hint.empty());
  }
}

TEST_F(UsageLedgerTest, CM_15_hundreds_of_users_cost_few_labels_and_no_call_is_lost) {
  config_.usage.names = 3;
  config_.usage.rows_per_day = 20;
  auto ledger = open();
  for (int i = 0; i < 300; ++i) ledger->note_model_call(call_of("user:u" + std::to_string(i)));
  const std::string text = metrics(*ledger);
  EXPECT_EQ(text.find("user:u3\""), std::string::npos);
  EXPECT_NE(text.find("weft_user_model_calls_total{user=\"user:u2\",outcome=\"answered\"} 1\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("weft_user_model_calls_total{user=\"other\",outcome=\"answered\"} 297\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("weft_user_model_tokens_total{user=\"other\",kind=\"prompt\"} 2970\n"), std::string::npos)
      << text;
  const auto by_user = rows(*open(), {.by = {"scope"}});
  EXPECT_LE(by_user.size(), 21U);
  std::uint64_t calls = 0;
  for (const UsageRow& row : by_user) calls += row.calls;
  EXPECT_EQ(calls, 300U);
}

TEST_F(UsageLedgerTest, CM_15_names_of_models_that_are_refused_take_no_place) {
  config_.usage.names = 2;
  auto ledger = open();
  for (int i = 0; i < 10; ++i) {
    ModelCall junk = call_of("user:ann", "junk" + std::to_string(i));
    junk.outcome = "refused";
    ledger->note_model_call(junk);
  }
  ledger->note_model_call(call_of("user:ann", "real"));
  const std::string text = metrics(*ledger);
  EXPECT_NE(text.find("weft_model_calls_total{role=\"proxy\",model=\"other\",outcome=\"refused\"} 10\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("weft_model_calls_total{role=\"proxy\",model=\"real\",outcome=\"answered\"} 1\n"),
            std::string::npos)
      << text;
}

TEST_F(UsageLedgerTest, CM_15_tokens_that_no_server_counts_are_counted_and_marked) {
  auto ledger = open();
  ModelCall call = call_of("user:ann");
  call.input_tokens = call.output_tokens = -1;
  call.input_text = "four";
  call.output_text = "sixsix";
  ledger->note_model_call(call);
  const auto row = rows(*ledger).at(0);
  EXPECT_EQ(row.input_tokens, 4);
  EXPECT_EQ(row.output_tokens, 6);
  EXPECT_EQ(row.counted, 1U);
  EXPECT_NE(metrics(*ledger).find("weft_model_counted_calls_total{role=\"proxy\",model=\"m\"} 1\n"), std::string::npos);
}

TEST_F(UsageLedgerTest, CM_15_who_is_forgotten_stands_nowhere_and_the_sums_stay) {
  auto ledger = open();
  ledger->note_model_call(call_of("user:ann"));
  ledger->note_model_call(call_of("user:bob"));
  ErasedMessages some;
  some.scope = ScopeKey("user:ann");
  ASSERT_TRUE(ledger->erase(some).ok());
  EXPECT_NE(file().find("user:ann"), std::string::npos) << "some messages are no whole user";
  ErasedMessages gone = some;
  gone.everything = true;
  ASSERT_TRUE(ledger->erase(gone).ok());
  EXPECT_EQ(file().find("ann"), std::string::npos);
  EXPECT_EQ(metrics(*ledger).find("ann"), std::string::npos);
  EXPECT_EQ(rows(*ledger).at(0).calls, 2U);
  EXPECT_EQ(rows(*ledger, {.scope = "user:bob"}).at(0).calls, 1U);
}

TEST_F(UsageLedgerTest, CM_15_many_threads_lose_nothing_and_the_file_stays_small) {
  auto ledger = open();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&ledger, t] {
        for (int i = 0; i < 600; ++i) ledger->note_model_call(call_of("user:" + std::to_string(t)));
      });
  }
  const std::string text = file();
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 2100);
  EXPECT_EQ(rows(*open()).at(0).calls, 4800U);
}

}  // namespace
}  // namespace weft
