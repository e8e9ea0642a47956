// One suite for every store: what is promised in ports/store/store.h.
#include "ports/store/store.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <new>
#include <random>
#include <set>
#include <thread>

#include "tests/support/failing_memory.h"
#include "tests/support/messages.h"
#include "tests/support/postgres_database.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class StoreContract : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "postgresql:") {
      database_ = test::PostgresDatabase::make();
      if (!database_) GTEST_SKIP() << "there is no PostgreSQL, see tests/support/postgres.py";
    }
    reopen();
  }
  // A store in memory has nothing to come back to.
  bool durable() const { return GetParam() != "memory:"; }
  void reopen() {
    store_ = nullptr;
    store_ = open_again();
    ASSERT_NE(store_, nullptr);
  }
  // The same store as another program has it.
  std::unique_ptr<Store> open_again() {
    auto opened = open_store(database_   ? database_->url()
                             : durable() ? GetParam() + (folder_ / "weft.db")
                                         : GetParam());
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return opened.ok() ? std::move(opened).value() : nullptr;
  }
  static MessageRow message(std::int64_t seq, const ScopeKey& scope, const std::string& session,
                            const std::string& id) {
    MessageRow row;
    row.seq = seq;
    row.scope = scope;
    row.session = SessionId(session);
    row.message = test::user("text of " + id, id);
    row.message.time = Time{1000 * seq, 60};
    row.digest = 0xFFFF'FFFF'FFFF'0000ull + static_cast<std::uint64_t>(seq);
    row.block = BlockId("b1");
    return row;
  }
  static ItemRow item(std::int64_t row, const ScopeKey& scope, const std::string& id) {
    ItemRow made;
    made.row = row;
    made.scope = scope;
    made.item.id = ItemId(id);
    made.item.session = SessionId("s");
    made.item.text = "item " + id;
    made.item.sources = {MessageId("m1"), MessageId("m2")};
    made.terms = {1, 2, 0xFFFF'FFFFu};
    return made;
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<test::PostgresDatabase> database_;
  std::unique_ptr<Store> store_;
};

TEST_P(StoreContract, PF_10_messages_and_items_are_read_a_page_at_a_time) {
  const ScopeKey ann("user:ann"), bob("user:bob");
  WriteBatch batch;
  for (std::int64_t i = 1; i <= 9; ++i) {
    batch.messages.push_back(message(i, i == 5 ? bob : ann, "s", "m" + std::to_string(i)));
    batch.items.push_back(item(i, i == 5 ? bob : ann, "i" + std::to_string(i)));
  }
  batch.messages[7].active = false;
  batch.items[7].active = false;
  ASSERT_TRUE(store_->write(batch).ok());
  const auto numbers = [&](std::int64_t before) {
    std::vector<std::int64_t> all;
    const auto found = store_->messages().before(ann, SessionId("s"), before, 3).value();
    for (const MessageRow& row : found) all.push_back(row.seq);
    return all;
  };
  EXPECT_EQ(numbers(100), (std::vector<std::int64_t>{6, 7, 9}));
  EXPECT_EQ(numbers(6), (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(numbers(2), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(store_->messages().newest_number(ann, SessionId("s"), 8).value(), 8) << "on any branch";
  EXPECT_EQ(store_->messages().newest_number(ann, SessionId("s"), 5).value(), 4);
  EXPECT_EQ(store_->messages().newest_number(ann, SessionId("none"), 5).value(), 0);
  const auto rows = [&](std::int64_t from, bool back) {
    std::vector<std::int64_t> all;
    const auto found = store_->items().next_of_kind(ann, ItemKind::kMessage, from, back, 3).value();
    for (const ItemRow& row : found) all.push_back(row.row);
    return all;
  };
  EXPECT_EQ(rows(0, false), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(rows(3, false), (std::vector<std::int64_t>{4, 6, 7}));
  EXPECT_EQ(rows(100, true), (std::vector<std::int64_t>{9, 7, 6}));
  EXPECT_EQ(rows(1, true), (std::vector<std::int64_t>{}));
}

TEST_P(StoreContract, PF_10_a_list_of_ids_gives_its_rows_in_the_order_asked_for) {
  const ScopeKey ann("user:ann"), bob("user:bob");
  const std::string odd = "say \"hi\" \\ 芝麻 '1'";
  WriteBatch batch;
  for (std::int64_t i = 1; i <= 3; ++i) {
    const std::string id = i == 2 ? odd : std::to_string(i);
    batch.messages.push_back(message(i, ann, "s", id));
    batch.messages.push_back(message(10 + i, i == 1 ? ann : bob, "t", id));
    batch.items.push_back(item(i, ann, id));
    batch.items.push_back(item(10 + i, bob, id));
  }
  ASSERT_TRUE(store_->write(batch).ok());
  const auto found = store_->items().get(ann, std::vector<std::int64_t>{3, 12, 1, 99, 2}).value();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].row, 3);
  EXPECT_EQ(found[1].row, 1);
  EXPECT_EQ(found[2].item.id.str(), odd);
  EXPECT_EQ(found[2].item.text, "item " + odd);
  const std::vector<ItemId> ids{ItemId(odd), ItemId("none"), ItemId("3"), ItemId("1"), ItemId("3")};
  EXPECT_EQ(store_->items().rows_of(ann, ids).value(), (std::vector<std::int64_t>{2, 0, 3, 1, 3}));
  const auto seqs = [](const std::vector<MessageRow>& rows) {
    std::vector<std::int64_t> all;
    for (const MessageRow& row : rows) all.push_back(row.seq);
    return all;
  };
  const std::vector<MessageId> named{MessageId(odd), MessageId("none"), MessageId("1")};
  EXPECT_EQ(seqs(store_->messages().get(ann, named).value()), (std::vector<std::int64_t>{1, 2, 11}));
  EXPECT_EQ(seqs(store_->messages().numbered(ann, std::vector<std::int64_t>{11, 12, 2}).value()),
            (std::vector<std::int64_t>{11, 2}));
  EXPECT_TRUE(store_->items().get(ann, {}).value().empty());
  EXPECT_TRUE(store_->items().rows_of(ann, {}).value().empty());
}

TEST_P(StoreContract, PF_23_a_batch_is_made_again_where_somebody_else_was_faster) {
  const ScopeKey ann("user:ann");
  const auto versions = [&] { return store_->documents().versions(ann, "goal", "g", 1, 100).value().size(); };
  const auto next = [&](WriteBatch& batch) -> Status {
    WEFT_TRY(const auto newest, store_->documents().newest(ann, "goal", "g"));
    DocumentRow row;
    row.scope = ann;
    row.kind = "goal";
    row.id = "g";
    row.version = newest ? newest->version + 1 : 1;
    batch.documents.push_back(std::move(row));
    return {};
  };
  int made = 0;
  const auto second_time = [&](WriteBatch& batch) -> Status {
    WEFT_CHECK(next(batch));
    return ++made == 1 ? store_->write(batch) : Status();
  };
  ASSERT_TRUE(store_->transact(second_time).ok());
  EXPECT_EQ(made, 2);
  EXPECT_EQ(versions(), 2u);
  const auto always_late = [&](WriteBatch& batch) -> Status {
    WEFT_CHECK(next(batch));
    return store_->write(batch);
  };
  EXPECT_EQ(store_->transact(always_late).error().code, ErrorCode::kConflict);
  const auto fails = [&](WriteBatch& batch) -> Status {
    WEFT_CHECK(next(batch));
    return invalid_argument("no");
  };
  const auto before = versions();
  EXPECT_EQ(store_->transact(fails).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(store_->transact([](WriteBatch&) { return Status(); }).ok());
  EXPECT_EQ(versions(), before);
}

TEST_P(StoreContract, PF_12_a_message_that_was_answered_has_a_child_on_any_branch) {
  const ScopeKey ann("user:ann");
  WriteBatch batch;
  for (std::int64_t i = 1; i <= 3; ++i) {
    batch.messages.push_back(message(i, ann, i == 3 ? "t" : "s", "m" + std::to_string(i)));
    batch.messages.back().parent = i == 2 ? 1 : 0;
  }
  batch.messages[1].active = false;
  ASSERT_TRUE(store_->write(batch).ok());
  const auto has_child = [&](const char* session, std::int64_t seq) {
    return store_->messages().has_child(ann, SessionId(session), seq).value();
  };
  EXPECT_TRUE(has_child("s", 0));
  EXPECT_TRUE(has_child("s", 1));
  EXPECT_FALSE(has_child("s", 2));
  EXPECT_FALSE(has_child("t", 1));
  EXPECT_FALSE(has_child("none", 0));
}

TEST_P(StoreContract, PF_22_members_of_a_group_are_known_with_all_their_names) {
  std::mt19937 random(5);
  const std::vector<std::string> scopes{"group:g", "group:h", "user:ann"};
  const std::vector<std::string> members{"", "1004", "1005", "ann", "小明"}, names{"", "Ann", "ann", "小明", "1004"};
  std::map<std::string, std::map<std::pair<std::string, std::string>, std::int64_t>> wanted;
  WriteBatch batch;
  for (std::int64_t seq = 1; seq <= 200; ++seq) {
    const std::string& scope = scopes[random() % scopes.size()];
    MessageRow row = message(seq, ScopeKey(scope), "s", "m" + std::to_string(seq));
    row.message.sender_id = UserId(members[random() % members.size()]);
    row.message.name = names[random() % names.size()];
    if (!row.message.sender_id.empty()) wanted[scope][{row.message.sender_id.str(), row.message.name}] = seq;
    batch.messages.push_back(std::move(row));
  }
  ASSERT_TRUE(store_->write(batch).ok());
  for (const std::string& scope : scopes) {
    const auto found = store_->messages().member_names(ScopeKey(scope));
    ASSERT_TRUE(found.ok()) << found.error().message;
    std::map<std::pair<std::string, std::string>, std::int64_t> known;
    const MemberName* before = nullptr;
    for (const MemberName& one : *found) {
      known[{one.member.str(), one.name}] = one.last_seq;
      if (before != nullptr) {
        EXPECT_LT(std::pair(before->member.str(), before->last_seq), std::pair(one.member.str(), one.last_seq));
      }
      before = &one;
    }
    EXPECT_EQ(known.size(), found->size());
    if (scope.starts_with("group:")) {
      EXPECT_EQ(known, wanted[scope]);
    } else {
      EXPECT_TRUE(known.empty());
    }
  }
}

TEST_P(StoreContract, PF_10_blocks_of_a_session_are_read_a_page_at_a_time_and_summed) {
  const ScopeKey ann("user:ann");
  WriteBatch batch;
  for (std::int64_t i = 1; i <= 4; ++i) {
    BlockRow row;
    row.id = BlockId("b" + std::to_string(i));
    row.scope = ann;
    row.session = SessionId("s");
    row.topic = i == 4 ? TopicId() : TopicId(i < 3 ? "t1" : "t2");
    row.first_seq = row.last_seq = 10 * i;
    row.tokens = i;
    batch.blocks.push_back(row);
  }
  ASSERT_TRUE(store_->write(batch).ok());
  const auto found = store_->streams().blocks_before(ann, SessionId("s"), 40, 2).value();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].first_seq, 20);
  EXPECT_EQ(found[1].first_seq, 30);
  const SessionSums sums = store_->streams().session_sums(ann, SessionId("s")).value();
  EXPECT_EQ(sums.turns, 4);
  EXPECT_EQ(sums.topics, 2) << "a turn that is open is in none yet";
  EXPECT_EQ(sums.tokens, 10);
  EXPECT_EQ(sums.first_seq, 10);
  EXPECT_EQ(store_->streams().session_sums(ann, SessionId("none")).value().turns, 0);
}

TEST_P(StoreContract, PF_9_what_was_written_is_there_after_opening_again) {
  WriteBatch batch;
  MessageRow row = message(7, ScopeKey("user:a"), "s", "m7");
  row.message.reasoning = "thought";
  row.message.tool_calls.push_back({"c1", "tool", "{\"x\":1}"});
  row.message.role = Role::kAssistant;
  batch.messages.push_back(row);
  batch.sessions.push_back({ScopeKey("user:a"), SessionId("s"), 7, TopicId("t1"), BlockId("b1"), "be kind"});
  batch.topics.push_back({TopicId("t1"),
                          ScopeKey("user:a"),
                          SessionId("s"),
                          TopicStatus::kOpen,
                          FlushReason::kIdle,
                          5,
                          1,
                          {1, 60},
                          {2, 60},
                          3,
                          std::string("\0trace", 6),
                          "lead",
                          false});
  ASSERT_TRUE(store_->write(batch).ok());
  if (durable()) reopen();
  const auto found = store_->messages().get(ScopeKey("user:a"), SessionId("s"), MessageId("m7")).value();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->message.content, "text of m7");
  EXPECT_EQ(found->message.reasoning, "thought");
  EXPECT_EQ(found->message.tool_calls[0].arguments, "{\"x\":1}");
  EXPECT_EQ(found->message.time->offset_minutes, 60);
  EXPECT_EQ(found->digest, row.digest);
  const auto session = store_->streams().session(ScopeKey("user:a"), SessionId("s")).value();
  EXPECT_EQ(session->head, 7);
  EXPECT_EQ(session->system, "be kind");
  const auto topic = store_->streams().topic(ScopeKey("user:a"), SessionId("s"), TopicId("t1")).value();
  EXPECT_EQ(topic->trace, std::string("\0trace", 6));
  EXPECT_EQ(topic->lead, "lead");
  EXPECT_EQ(store_->counts()->last_seq, 7);
}

TEST_P(StoreContract, ST_15_a_trace_that_another_topic_has_becomes_empty_and_nothing_else_of_the_row) {
  WriteBatch batch;
  for (const char* id : {"t1", "t2"}) {
    TopicRow topic;
    topic.id = TopicId(id);
    topic.scope = ScopeKey("user:a");
    topic.session = SessionId("s");
    topic.status = TopicStatus::kFlushed;
    topic.trace = "trace";
    topic.done = true;
    batch.topics.push_back(topic);
  }
  ASSERT_TRUE(store_->write(batch).ok());
  WriteBatch passed;
  passed.passed_traces.push_back({ScopeKey("user:a"), SessionId("s"), TopicId("t1")});
  EXPECT_FALSE(passed.empty());
  ASSERT_TRUE(store_->write(passed).ok());
  const auto first = store_->streams().topic(ScopeKey("user:a"), SessionId("s"), TopicId("t1")).value();
  EXPECT_EQ(first->trace, "");
  EXPECT_TRUE(first->done);
  EXPECT_EQ(store_->streams().topic(ScopeKey("user:a"), SessionId("s"), TopicId("t2")).value()->trace, "trace");
}

TEST_P(StoreContract, PF_9_a_batch_is_written_whole_or_not_at_all) {
  WriteBatch first;
  first.messages.push_back(message(1, ScopeKey("user:a"), "s", "m1"));
  ASSERT_TRUE(store_->write(first).ok());
  WriteBatch clash;
  clash.messages.push_back(message(2, ScopeKey("user:a"), "s", "m2"));
  clash.messages.push_back(message(3, ScopeKey("user:a"), "s", "m1"));
  const Status written = store_->write(clash);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kConflict);
  EXPECT_FALSE(store_->messages().get(ScopeKey("user:a"), SessionId("s"), MessageId("m2")).value().has_value());
  EXPECT_EQ(store_->counts()->messages, 1u);
}

TEST_P(StoreContract, PF_3_no_read_reaches_another_scope) {
  WriteBatch batch;
  batch.messages = {message(1, ScopeKey("user:a"), "s", "m1"), message(2, ScopeKey("user:b"), "s", "m1"),
                    message(3, ScopeKey("group:a"), "s", "m1")};
  batch.items = {item(1, ScopeKey("user:a"), "i"), item(2, ScopeKey("user:b"), "i"), item(3, ScopeKey("group:a"), "i")};
  ASSERT_TRUE(store_->write(batch).ok());
  EXPECT_EQ(store_->messages().get(ScopeKey("user:b"), SessionId("s"), MessageId("m1")).value()->seq, 2);
  const MessageId id("m1");
  ASSERT_EQ(store_->messages().get(ScopeKey("user:a"), std::span(&id, 1))->size(), 1u);
  EXPECT_EQ(store_->messages().get(ScopeKey("user:a"), std::span(&id, 1))->front().seq, 1);
  const std::vector<std::int64_t> rows{1, 2, 3};
  ASSERT_EQ(store_->items().get(ScopeKey("group:a"), rows)->size(), 1u);
  EXPECT_EQ(store_->items().get(ScopeKey("group:a"), rows)->front().row, 3);
  std::size_t scanned = 0;
  ASSERT_TRUE(
      store_->items()
          .scan(ScopeKey("user:b"), [&](ItemRow&& row) { scanned += row.scope == ScopeKey("user:b") ? 1 : 100; })
          .ok());
  EXPECT_EQ(scanned, 1u);
  EXPECT_EQ(store_->messages().branch(ScopeKey("user:c"), SessionId("s"), true)->size(), 0u);
  EXPECT_EQ(store_->items().of_kind(ScopeKey("user:a"), ItemKind::kMessage, 10)->size(), 1u);
}

TEST_P(StoreContract, AC_14_a_part_of_the_living_branch_is_read_by_number) {
  WriteBatch batch;
  for (const std::int64_t seq : {1, 2, 4, 5, 7})
    batch.messages.push_back(message(seq, ScopeKey("user:a"), "s", "m" + std::to_string(seq)));
  batch.messages.push_back(message(3, ScopeKey("user:a"), "other", "m3"));
  batch.messages.push_back(message(6, ScopeKey("user:b"), "s", "m6"));
  ASSERT_TRUE(store_->write(batch).ok());
  WriteBatch left;
  left.message_active = {{5, false}};
  ASSERT_TRUE(store_->write(left).ok());
  std::vector<std::int64_t> found;
  const auto rows = store_->messages().range(ScopeKey("user:a"), SessionId("s"), 2, 9);
  ASSERT_TRUE(rows.ok());
  for (const MessageRow& row : *rows) {
    found.push_back(row.seq);
    EXPECT_EQ(row.message.content, "text of " + row.message.id.str());
  }
  EXPECT_EQ(found, (std::vector<std::int64_t>{2, 4, 7}));
  EXPECT_TRUE(store_->messages().range(ScopeKey("user:a"), SessionId("s"), 5, 6)->empty());
  EXPECT_TRUE(store_->messages().range(ScopeKey("user:c"), SessionId("s"), 1, 9)->empty());
}

TEST_P(StoreContract, AC_14_the_newest_items_of_a_kind_before_a_message) {
  WriteBatch batch;
  for (std::int64_t i = 1; i <= 6; ++i) {
    ItemRow row = item(i, ScopeKey("user:a"), "i" + std::to_string(i));
    row.item.kind = i == 3 ? ItemKind::kEvent : ItemKind::kNarrative;
    row.item.position = 10 * i;
    row.active = i != 4;
    batch.items.push_back(row);
  }
  ASSERT_TRUE(store_->write(batch).ok());
  std::vector<std::string> found;
  const auto newest = store_->items().before(ScopeKey("user:a"), SessionId("s"), ItemKind::kNarrative, 60, 2);
  ASSERT_TRUE(newest.ok());
  for (const ItemRow& row : *newest) found.push_back(row.item.id.str());
  EXPECT_EQ(found, (std::vector<std::string>{"i2", "i5"}));
  EXPECT_TRUE(store_->items().before(ScopeKey("user:a"), SessionId("t"), ItemKind::kNarrative, 60, 2)->empty());
  EXPECT_TRUE(store_->items().before(ScopeKey("user:b"), SessionId("s"), ItemKind::kNarrative, 60, 2)->empty());
}

TEST_P(StoreContract, MS_5_items_keep_terms_vectors_and_sources) {
  WriteBatch batch;
  batch.items.push_back(item(1, ScopeKey("user:a"), "i"));
  ASSERT_TRUE(store_->write(batch).ok());
  ASSERT_EQ(store_->items().unembedded(10)->size(), 1u);
  WriteBatch vectors;
  vectors.vectors.push_back({1, {0.5F, -0.25F}, "model-a"});
  ASSERT_TRUE(store_->write(vectors).ok());
  EXPECT_TRUE(store_->items().unembedded(10)->empty());
  const std::vector<std::int64_t> rows{1};
  const ItemRow found = store_->items().get(ScopeKey("user:a"), rows)->front();
  EXPECT_EQ(found.vector, (std::vector<float>{0.5F, -0.25F}));
  EXPECT_EQ(found.terms, (std::vector<Term>{1, 2, 0xFFFF'FFFFu}));
  EXPECT_EQ(found.item.sources, (std::vector<MessageId>{MessageId("m1"), MessageId("m2")}));
}

TEST_P(StoreContract, PF_13_vectors_of_another_model_are_made_again_and_words_only_items_stay) {
  WriteBatch batch;
  batch.items = {item(1, ScopeKey("user:a"), "i"), item(2, ScopeKey("user:a"), "w")};
  batch.items[1].model = "-";
  batch.vectors.push_back({1, {1.0F}, "model-a"});
  ASSERT_TRUE(store_->write(batch).ok());
  ASSERT_TRUE(store_->items().forget_other_vectors("model-a").ok());
  EXPECT_TRUE(store_->items().unembedded(10)->empty());
  ASSERT_TRUE(store_->items().forget_other_vectors("model-b").ok());
  ASSERT_EQ(store_->items().unembedded(10)->size(), 1u);
  EXPECT_EQ(store_->items().unembedded(10)->front().row, 1);
}

TEST_P(StoreContract, PF_5_an_item_with_a_known_id_is_replaced_in_its_row) {
  WriteBatch batch;
  batch.items.push_back(item(1, ScopeKey("user:a"), "i"));
  ASSERT_TRUE(store_->write(batch).ok());
  batch.items[0].row = 2;
  batch.items[0].item.text = "newer";
  ASSERT_TRUE(store_->write(batch).ok());
  EXPECT_EQ(store_->counts()->items, 1u);
  const std::vector<std::int64_t> rows{1};
  EXPECT_EQ(store_->items().get(ScopeKey("user:a"), rows)->front().item.text, "newer");
}

TEST_P(StoreContract, HC_7_documents_keep_every_version_apart_by_scope) {
  const auto version = [](const ScopeKey& scope, const std::string& id, std::int64_t number) {
    return DocumentRow{
        scope, "state", id, number, Time{1000 * number, 60}, "model", "{\"v\":" + std::to_string(number) + "}"};
  };
  WriteBatch batch;
  batch.documents = {version(ScopeKey("user:a"), "world", 1), version(ScopeKey("user:a"), "world", 2),
                     version(ScopeKey("user:a"), "hero", 1), version(ScopeKey("user:b"), "world", 1)};
  ASSERT_TRUE(store_->write(batch).ok());
  if (durable()) reopen();
  const auto newest = store_->documents().newest(ScopeKey("user:a"), "state", "world").value();
  ASSERT_TRUE(newest.has_value());
  EXPECT_EQ(newest->version, 2);
  EXPECT_EQ(newest->time.offset_minutes, 60);
  EXPECT_EQ(store_->documents().versions(ScopeKey("user:a"), "state", "world", 1, 10)->size(), 2u);
  EXPECT_EQ(store_->documents().versions(ScopeKey("user:a"), "state", "world", 2, 10)->front().body, "{\"v\":2}");
  const auto all = store_->documents().all(ScopeKey("user:a"), "state").value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].id, "hero");
  EXPECT_EQ(all[1].version, 2);
  EXPECT_FALSE(store_->documents().newest(ScopeKey("user:b"), "state", "hero")->has_value());
  EXPECT_FALSE(store_->documents().newest(ScopeKey("user:a"), "quest", "world")->has_value());
  const auto of_kind = store_->documents().of_kind("state", 0).value();  // of every scope, all versions
  ASSERT_EQ(of_kind.size(), 4u);
  EXPECT_EQ(of_kind.back().version, 2);
  EXPECT_EQ(store_->documents().of_kind("state", 2000)->size(), 1u);
  EXPECT_TRUE(store_->documents().of_kind("quest", 0)->empty());
  const auto latest = store_->documents().latest(ScopeKey("user:a"), "state", 2).value();
  ASSERT_EQ(latest.size(), 2u);
  EXPECT_EQ(latest[0].version, 1);
  EXPECT_EQ(latest[1].version, 2);

  // A batch is refused whole if a document that it has read has another version by now.
  for (const auto& [id, expected, fits] : {std::tuple("world", 2, true),
                                           {"world", 1, false},
                                           {"world", 0, false},
                                           {"nowhere", 0, true},
                                           {"nowhere", 1, false}}) {
    WriteBatch checked;
    checked.expected_documents = {{{ScopeKey("user:a"), "state", id}, expected}};
    checked.marks = {std::string("expected ") + id + std::to_string(expected)};
    EXPECT_EQ(store_->write(checked).ok(), fits) << id << expected;
    EXPECT_EQ(*store_->has_mark(checked.marks.front()), fits);
  }

  WriteBatch again;
  again.documents = {version(ScopeKey("user:a"), "world", 2)};
  EXPECT_EQ(store_->write(again).error().code, ErrorCode::kConflict);
  WriteBatch gone;
  gone.erased_documents = {{ScopeKey("user:a"), "", ""}};
  ASSERT_TRUE(store_->write(gone).ok());
  EXPECT_TRUE(store_->documents().all(ScopeKey("user:a"), "state")->empty());
  EXPECT_EQ(store_->documents().all(ScopeKey("user:b"), "state")->size(), 1u);
}

TEST_P(StoreContract, PF_9_many_writers_at_once) {
  std::vector<std::jthread> threads;
  for (std::int64_t t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (std::int64_t i = 1; i <= 25; ++i) {
        WriteBatch batch;
        const std::int64_t seq = t * 100 + i;
        batch.messages.push_back(message(seq, ScopeKey("user:" + std::to_string(t)), "s", "m" + std::to_string(i)));
        EXPECT_TRUE(store_->write(batch).ok());
        EXPECT_TRUE(store_->messages()
                        .get(ScopeKey("user:" + std::to_string(t)), SessionId("s"), MessageId("m" + std::to_string(i)))
                        .value()
                        .has_value());
      }
    });
  }
  threads.clear();
  EXPECT_EQ(store_->counts()->messages, 100u);
}

// Each allocation of a write fails once, with all that would follow: the write fails as a whole or is done as a whole,
// and whoever writes next is not held up.
TEST_P(StoreContract, PF_9_a_write_that_runs_out_of_memory_holds_up_no_other) {
  const ScopeKey ann("user:ann");
  std::int64_t seq = 0;
  for (std::size_t number = 0, done = 0; done < 2; ++number) {
    WriteBatch batch;
    ++seq;
    batch.messages.push_back(message(seq, ann, "s", "m" + std::to_string(seq)));
    batch.items.push_back(item(seq, ann, "i" + std::to_string(seq)));
    batch.items.back().item.sources.clear();  // the library of JSON needs memory to let a list go
    bool acknowledged = false, failed = false;
    {
      FailingMemory failing(number);
      try {
        acknowledged = store_->write(batch).ok();
      } catch (const std::bad_alloc&) {
      }
      failed = failing.failed();
    }
    done += failed ? 0 : 1;
    EXPECT_TRUE(acknowledged || failed);
    const auto messages = store_->messages().range(ann, SessionId("s"), seq, seq);
    const auto items = store_->items().get(ann, std::vector<std::int64_t>{seq});
    ASSERT_TRUE(messages.ok() && items.ok());
    EXPECT_EQ(messages->size(), items->size()) << "allocation " << number;
    EXPECT_TRUE(!acknowledged || messages->size() == 1) << "allocation " << number;
    bool other = false;
    std::thread([&] {
      WriteBatch more;
      ++seq;
      more.messages.push_back(message(seq, ann, "other", "m" + std::to_string(seq)));
      other = store_->write(more).ok();
    }).join();
    ASSERT_TRUE(other) << "allocation " << number;
  }
}

TEST_P(StoreContract, PF_9_a_part_whose_type_is_no_text_is_kept_as_it_came) {
  const ScopeKey ann("user:ann");
  const std::string raws[] = {R"({"role":"user","content":[{"type":7,"text":"hi"}]})",
                              R"({"role":"user","content":[{"type":null}]})",
                              R"({"role":"user","content":[{"type":{"type":"text"}}]})",
                              R"({"role":"user","content":[7,[],null]})", std::string(200'000, '[')};
  std::int64_t seq = 0;
  for (const std::string& raw : raws) {
    WriteBatch batch;
    ++seq;
    batch.messages.push_back(message(seq, ann, "s", "m" + std::to_string(seq)));
    batch.messages.back().message.raw = raw;
    EXPECT_TRUE(store_->write(batch).ok()) << raw.substr(0, 60);
  }
  EXPECT_EQ(store_->messages().range(ann, SessionId("s"), 1, seq)->size(), std::size(raws));
}

TEST_P(StoreContract, PF_12_messages_are_found_by_what_stands_before_them) {
  WriteBatch batch;
  for (const std::string session : {"a", "b"}) {
    const std::int64_t first = session == "a" ? 1 : 11;
    for (std::int64_t i = 0; i < 3; ++i) {
      MessageRow row = message(first + i, ScopeKey("user:x"), session, session + std::to_string(i));
      row.digest = 100 + static_cast<std::uint64_t>(i == 2 && session == "b" ? 9 : i);
      row.chain = chained(i == 0 ? 0 : batch.messages.back().chain, row.digest);
      batch.messages.push_back(row);
    }
  }
  batch.messages.back().active = false;
  batch.sessions.push_back({ScopeKey("user:x"), SessionId("a"), 3, {}, {}, "", true});
  ASSERT_TRUE(store_->write(batch).ok());
  if (durable()) reopen();
  const auto both = store_->messages().with_chain(ScopeKey("user:x"), batch.messages[1].chain, 10);
  ASSERT_TRUE(both.ok());
  ASSERT_EQ(both->size(), 2u);
  EXPECT_EQ((*both)[0].session.str(), "b");  // the newest first
  EXPECT_EQ((*both)[1].chain, batch.messages[1].chain);
  EXPECT_EQ(store_->messages().with_chain(ScopeKey("user:x"), batch.messages[5].chain, 10)->size(), 1u);
  EXPECT_EQ(store_->messages().with_chain(ScopeKey("user:x"), batch.messages[1].chain, 1)->size(), 1u);
  EXPECT_TRUE(store_->messages().with_chain(ScopeKey("user:y"), batch.messages[1].chain, 10)->empty());
  EXPECT_EQ(store_->messages().with_digest(ScopeKey("user:x"), 101, 10)->size(), 2u);
  EXPECT_TRUE(store_->messages().with_digest(ScopeKey("user:x"), 109, 10)->empty());  // not on the living branch
  EXPECT_TRUE((*store_->streams().session(ScopeKey("user:x"), SessionId("a")))->resent);
}

TEST_P(StoreContract, PF_5_numbers_of_what_was_erased_are_not_given_again) {
  WriteBatch batch;
  batch.messages = {message(1, ScopeKey("user:a"), "s", "m1"), message(3, ScopeKey("user:a"), "s", "m3")};
  batch.items = {item(5, ScopeKey("user:a"), "i5"), item(90, ScopeKey("user:a"), "i90")};
  ASSERT_TRUE(store_->write(batch).ok());
  for (int times = 0; times < 2; ++times) {
    WriteBatch erased;
    erased.erased_messages = {3};
    erased.erased_items = {90};
    ASSERT_TRUE(store_->write(erased).ok());
    if (durable()) reopen();
    EXPECT_EQ(store_->counts()->last_seq, 3);
    EXPECT_EQ(store_->counts()->last_row, 90);
  }
}

TEST_P(StoreContract, SC_3_new_numbers_are_larger_than_all_that_are_there) {
  WriteBatch batch;
  batch.messages = {message(41, ScopeKey("user:a"), "s", "m1")};
  batch.items = {item(70, ScopeKey("user:a"), "i1")};
  ASSERT_TRUE(store_->write(batch).ok());
  if (durable()) {
    reopen();
    const auto first = store_->take_numbers(RowKind::kMessage, 3).value();
    ASSERT_EQ(first.size(), 3u);
    EXPECT_GT(first[0], 41);
    EXPECT_GT(store_->take_numbers(RowKind::kItem, 1)->front(), 70);
  }
  std::set<std::int64_t> given;
  std::mutex mutex;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 25; ++i) {
          const auto numbers = store_->take_numbers(RowKind::kMessage, 2).value();
          EXPECT_LT(numbers[0], numbers[1]);
          const std::lock_guard lock(mutex);
          given.insert(numbers.begin(), numbers.end());
        }
      });
  }
  EXPECT_EQ(given.size(), 200u) << "none is given twice";
}

TEST_P(StoreContract, SC_3_a_session_that_somebody_else_has_written_is_a_conflict) {
  const ScopeKey ann("user:ann");
  const auto write = [&](std::int64_t version, std::int64_t head) {
    WriteBatch batch;
    batch.sessions.push_back({ann, SessionId("s"), head, {}, {}, "", false, version});
    batch.marks.push_back("head " + std::to_string(head));
    return store_->write(batch);
  };
  ASSERT_TRUE(write(0, 1).ok());
  EXPECT_EQ(write(0, 2).error().code, ErrorCode::kConflict);
  EXPECT_FALSE(store_->has_mark("head 2").value()) << "nothing of the batch is kept";
  const std::int64_t first = store_->streams().session(ann, SessionId("s")).value()->version;
  ASSERT_TRUE(write(first, 3).ok());
  EXPECT_EQ(write(first, 4).error().code, ErrorCode::kConflict);
  const auto kept = store_->streams().session(ann, SessionId("s")).value();
  EXPECT_EQ(kept->head, 3);
  WriteBatch gone;
  gone.erased_sessions = {{ann, SessionId("s")}};
  ASSERT_TRUE(store_->write(gone).ok());
  ASSERT_TRUE(write(0, 5).ok());
  EXPECT_EQ(write(kept->version, 6).error().code, ErrorCode::kConflict) << "it is another session by that name";
}

// Texts that a database may refuse: a zero byte, the byte that it is escaped with, bytes that are no UTF-8.
TEST_P(StoreContract, SC_1_texts_come_back_byte_for_byte) {
  const ScopeKey ann("user:ann");
  constexpr char kOdd[] =
      "a\0b\x01-\x01"
      "00\n芝麻\t'\"\\ \xff\xe8\x8a end\x01";
  const std::string odd(kOdd, sizeof kOdd - 1);
  WriteBatch batch;
  batch.messages.push_back(message(1, ann, "s", "m1"));
  batch.messages.back().message.content = odd;
  batch.items.push_back(item(1, ann, "i"));
  batch.items.back().item.text = odd;
  batch.documents.push_back({ann, "kind", "id", 1, {}, "weft", odd});
  ASSERT_TRUE(store_->write(batch).ok());
  EXPECT_EQ(store_->messages().get(ann, SessionId("s"), MessageId("m1")).value()->message.content, odd);
  const std::vector<std::int64_t> rows{1};
  EXPECT_EQ(store_->items().get(ann, rows)->front().item.text, odd);
  EXPECT_EQ(store_->documents().newest(ann, "kind", "id").value()->body, odd);
}

// Two programs write to one store: each learns what the other has changed, and is not told its own changes.
TEST_P(StoreContract, SC_2_what_others_write_is_news_until_one_has_caught_up) {
  if (!store_->is_shared()) {
    EXPECT_FALSE(store_->news(ScopeKey("user:ann"))->any());
    return;
  }
  const ScopeKey ann("user:ann"), bob("user:bob");
  const auto other = open_again();
  ASSERT_NE(other, nullptr);
  const auto add = [&](Store& by, std::int64_t row, const ScopeKey& scope) {
    WriteBatch batch;
    batch.items.push_back(item(row, scope, "i" + std::to_string(row)));
    ASSERT_TRUE(by.write(batch).ok());
  };
  const auto rows_since = [&](const ScopeNews& news) {
    std::vector<std::int64_t> rows;
    EXPECT_TRUE(store_->items().scan_news(ann, news.since, [&](ItemRow&& row) { rows.push_back(row.row); }).ok());
    return rows;
  };
  using Rows = std::vector<std::int64_t>;
  EXPECT_FALSE(store_->news(ann)->any()) << "nobody has written there";
  add(*store_, 1, ann);
  EXPECT_FALSE(store_->news(ann)->any()) << "its own write";
  EXPECT_TRUE(other->news(ann)->any());
  add(*other, 2, ann);
  add(*other, 3, bob);
  const ScopeNews news = store_->news(ann).value();
  ASSERT_TRUE(news.any());
  EXPECT_FALSE(news.has_removed);
  EXPECT_EQ(rows_since(news), Rows{2});
  add(*store_, 4, ann);
  EXPECT_TRUE(store_->news(ann)->any()) << "a write of its own hides no other one";
  store_->caught_up(ann, news);
  EXPECT_EQ(rows_since(store_->news(ann).value()), Rows{4});
  store_->caught_up(ann, store_->news(ann).value());
  EXPECT_FALSE(store_->news(ann)->any());
  WriteBatch vector;
  vector.vectors.push_back({1, {1.0F}, "model-a"});
  ASSERT_TRUE(other->write(vector).ok());
  EXPECT_EQ(rows_since(store_->news(ann).value()), Rows{1});
  store_->caught_up(ann, store_->news(ann).value());
  WriteBatch erased;
  erased.erased_items = {2};
  ASSERT_TRUE(other->write(erased).ok());
  EXPECT_TRUE(store_->news(ann)->has_removed);
  store_->caught_up(ann, store_->news(ann).value());
  WriteBatch all;
  all.erased_items = {1, 4};
  all.erased_sessions = {{ann, SessionId()}};
  ASSERT_TRUE(other->write(all).ok());
  EXPECT_TRUE(store_->news(ann)->has_removed) << "nothing is left of the scope";
  store_->caught_up(ann, store_->news(ann).value());
  EXPECT_FALSE(store_->news(ann)->any());
  add(*other, 5, ann);
  EXPECT_EQ(rows_since(store_->news(ann).value()), Rows{5});
}

// Each item waits with one program, until that one has had it for too long.
TEST_P(StoreContract, SC_2_no_two_programs_make_the_same_vector) {
  if (!store_->is_shared()) return;
  WriteBatch batch;
  for (std::int64_t row = 1; row <= 4; ++row)
    batch.items.push_back(item(row, ScopeKey("user:a"), "i" + std::to_string(row)));
  ASSERT_TRUE(store_->write(batch).ok());
  auto other = open_again();
  ASSERT_NE(other, nullptr);
  ASSERT_TRUE(store_->join("model-a").ok());
  ASSERT_TRUE(other->join("model-a").ok());
  EXPECT_EQ(other->join("model-b").error().code, ErrorCode::kConflict) << "one model for all";
  EXPECT_EQ(store_->items().unembedded(3)->size(), 3u);
  ASSERT_EQ(other->items().unembedded(10)->size(), 1u);
  EXPECT_EQ(other->items().unembedded(10)->front().row, 4);
  EXPECT_EQ(store_->items().unembedded(10)->size(), 3u);
  other = nullptr;
  EXPECT_EQ(store_->items().unembedded(10)->size(), 4u) << "the other one is gone";
}

TEST_P(StoreContract, PF_23_each_message_gets_a_log_entry_in_its_batch) {
  const ScopeKey ann("user:ann"), bob("user:bob");
  WriteBatch batch;
  batch.now_ms = 7000;
  batch.messages = {message(1, ann, "s", "m1"), message(2, bob, "t", "m2"), message(3, ann, "s", "m3")};
  ASSERT_TRUE(store_->write(batch).ok());
  batch.messages = {message(4, ann, "s", "m4"), message(5, ann, "s", "m1")};
  EXPECT_EQ(store_->write(batch).error().code, ErrorCode::kConflict);
  const auto entries = store_->log().behind(ann, 0, 10).value();
  ASSERT_EQ(entries.size(), 2u) << "a batch that is refused leaves no entry";
  EXPECT_EQ(entries[0].seq, 1);
  EXPECT_EQ(entries[1].seq, 2);
  EXPECT_EQ(entries[1].body, "3");
  EXPECT_EQ(entries[1].session, SessionId("s"));
  EXPECT_EQ(entries[1].time_ms, 7000);
  EXPECT_EQ(store_->log().behind(bob, 0, 10)->front().body, "2");
  EXPECT_TRUE(store_->log().behind(ann, 2, 10)->empty());
  EXPECT_EQ(store_->log().behind(ann, 0, 1)->size(), 1u);
  const auto messages = store_->messages().numbered(ann, std::vector<std::int64_t>{3, 2, 9, 1}).value();
  ASSERT_EQ(messages.size(), 2u) << "another scope's message is not given";
  EXPECT_EQ(messages.front().message.id, MessageId("m3"));
}

TEST_P(StoreContract, PF_23_a_cursor_moves_with_its_batch_or_not_at_all) {
  const ScopeKey ann("user:ann");
  WriteBatch batch;
  batch.messages = {message(1, ann, "s", "m1"), message(2, ann, "s", "m2")};
  ASSERT_TRUE(store_->write(batch).ok());
  WriteBatch effect;
  effect.marks = {"done"};
  effect.cursors = {{"diary", ann, 1, 2}};
  EXPECT_EQ(store_->write(effect).error().code, ErrorCode::kConflict);
  EXPECT_FALSE(store_->has_mark("done").value());
  effect.cursors = {{"diary", ann, 0, 1}};
  ASSERT_TRUE(store_->write(effect).ok());
  EXPECT_EQ(store_->write(effect).error().code, ErrorCode::kConflict) << "it moves once";
  if (durable()) reopen();
  EXPECT_TRUE(store_->has_mark("done").value());
  const std::vector<std::string> both{"other", "diary"};
  EXPECT_EQ(store_->log().scopes_behind(both, 10).value(), (std::vector<ScopeKey>{ann}));
  EXPECT_EQ(store_->log().cursors(ann, both).value(), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(store_->log().lag("diary")->entries, 1u);
  EXPECT_EQ(store_->log().lag("other")->entries, 2u);
}

TEST_P(StoreContract, PF_23_a_new_reader_begins_at_the_end_and_a_known_one_where_it_stood) {
  const ScopeKey ann("user:ann"), bob("user:bob");
  WriteBatch batch;
  batch.messages = {message(1, ann, "s", "m1")};
  ASSERT_TRUE(store_->write(batch).ok());
  ASSERT_TRUE(store_->log().open_reader("diary").ok());
  EXPECT_EQ(store_->log().lag("diary")->entries, 0u);
  batch.messages = {message(2, ann, "s", "m2"), message(3, bob, "s", "m3")};
  ASSERT_TRUE(store_->write(batch).ok());
  if (durable()) reopen();
  ASSERT_TRUE(store_->log().open_reader("diary").ok());
  EXPECT_EQ(store_->log().lag("diary")->entries, 2u);
}

// Random operations against a simple model: entries as they were appended, and where the readers stand.
TEST_P(StoreContract, PF_23_the_log_and_its_readers_over_random_operations) {
  struct Entry {
    std::int64_t seq, message, time;
    std::string session;
  };
  struct Scope {
    std::vector<Entry> entries;
    std::int64_t head = 0;
    std::map<std::string, std::int64_t> cursors;
  };
  const std::vector<std::string> readers{"diary", "adaptation"}, sessions{"s", "t"};
  std::map<std::string, Scope> model{{"user:a", {}}, {"user:b", {}}, {"group:g", {}}};
  std::mt19937 random(11);
  const auto below = [&random](std::size_t most) { return random() % most; };
  std::int64_t last_message = 0;
  std::map<std::string, std::int64_t> newest_ever;
  for (int step = 1; step <= 600; ++step) {
    auto at = model.begin();
    std::advance(at, below(model.size()));
    auto& [name, scope] = *at;
    const ScopeKey key(name);
    WriteBatch batch;
    batch.now_ms = step;
    switch (below(7)) {
      case 0:
      case 1:
      case 2:
        for (std::size_t i = 0; i <= below(4); ++i) {
          const std::string& session = sessions[below(2)];
          ++last_message;
          batch.messages.push_back(message(last_message, key, session, "m" + std::to_string(last_message)));
          scope.entries.push_back({0, last_message, step, session});
        }
        ASSERT_TRUE(store_->write(batch).ok());
        scope.head = store_->log().newest(key).value();
        for (std::size_t i = 0; i < batch.messages.size(); ++i)
          scope.entries[scope.entries.size() - 1 - i].seq = scope.head - static_cast<std::int64_t>(i);
        {
          const Entry& first = scope.entries[scope.entries.size() - batch.messages.size()];
          ASSERT_GT(first.seq, newest_ever[name]) << "a number is never given again";
          newest_ever[name] = scope.head;
        }
        break;
      case 3: {
        const std::string& reader = readers[below(2)];
        std::int64_t& cursor = scope.cursors[reader];
        const auto from = static_cast<std::int64_t>(below(static_cast<std::size_t>(scope.head) + 1));
        const auto to = from + static_cast<std::int64_t>(below(static_cast<std::size_t>(scope.head - from) + 1));
        batch.cursors = {{reader, key, from, to}};
        EXPECT_EQ(store_->write(batch).ok(), from == cursor);
        if (from == cursor) cursor = to;
        batch.cursors = {{reader, key, cursor, scope.head}};
        ASSERT_TRUE(store_->write(batch).ok());
        cursor = scope.head;
        break;
      }
      case 4: {
        if (scope.entries.empty()) break;
        const std::int64_t gone = scope.entries[below(scope.entries.size())].message;
        batch.erased_messages = {gone};
        ASSERT_TRUE(store_->write(batch).ok());
        std::erase_if(scope.entries, [&](const Entry& one) { return one.message == gone; });
        if (!scope.entries.empty()) break;
        // A store may drop head and cursors of a scope of which nothing is left.
        scope.head = store_->log().newest(key).value();
        {
          const auto cursors = store_->log().cursors(key, readers).value();
          for (std::size_t i = 0; i < readers.size(); ++i) scope.cursors[readers[i]] = cursors[i];
        }
        break;
      }
      case 5: {
        if (below(5) != 0) break;
        const std::string& session = sessions[below(2)];
        batch.erased_sessions = {{key, SessionId(session)}};
        ASSERT_TRUE(store_->write(batch).ok());
        std::erase_if(scope.entries, [&](const Entry& one) { return one.session == session; });
        if (scope.entries.empty()) scope = {};
        break;
      }
      default: {
        const std::int64_t keep = static_cast<std::int64_t>(below(5));
        std::size_t gone = 0;
        for (auto& [other, one] : model) {
          const std::int64_t last = std::min({one.head - keep, one.cursors["diary"], one.cursors["adaptation"]});
          gone += std::erase_if(one.entries, [&](const Entry& entry) { return entry.seq <= last; });
        }
        EXPECT_EQ(store_->log().trim(readers, keep, 1000).value(), gone);
      }
    }
    if (durable() && step % 100 == 0) reopen();
    std::map<std::pair<std::int64_t, std::string>, std::int64_t> all_wanted;
    for (const std::string& reader : readers) {
      std::map<std::pair<std::int64_t, std::string>, std::int64_t> wanted;  // time and scope → cursor
      ReaderLag lag;
      for (auto& [other, one] : model) {
        const std::int64_t cursor = one.cursors[reader];
        std::vector<std::int64_t> unread;
        for (const Entry& entry : one.entries)
          if (entry.seq > cursor) unread.push_back(entry.message);
        const auto found = store_->log().behind(ScopeKey(other), cursor, 1000).value();
        std::vector<std::int64_t> given;
        for (const LogEntry& entry : found) given.push_back(std::stoll(entry.body));
        ASSERT_EQ(given, unread) << other << " at step " << step;
        if (found.empty()) continue;
        wanted[{found.front().time_ms, other}] = cursor;
        lag.entries += found.size();
      }
      const auto one_reader = std::span(&reader, 1);
      std::vector<ScopeKey> behind;  // by the time of their first unread entry
      for (const auto& [place, cursor] : wanted) {
        behind.emplace_back(place.second);
        EXPECT_EQ(store_->log().cursors(behind.back(), one_reader).value(), (std::vector<std::int64_t>{cursor}));
      }
      ASSERT_EQ(store_->log().scopes_behind(one_reader, 10).value(), behind) << "step " << step;
      if (!wanted.empty()) lag.since_ms = wanted.begin()->first.first;
      EXPECT_EQ(store_->log().lag(reader)->entries, lag.entries);
      EXPECT_EQ(store_->log().lag(reader)->since_ms, lag.since_ms);
      behind.resize(std::min<std::size_t>(behind.size(), 1));
      EXPECT_EQ(store_->log().scopes_behind(one_reader, 1).value(), behind);
      all_wanted.insert(wanted.begin(), wanted.end());
    }
    // Of several readers the slowest counts.
    std::map<std::string, std::int64_t> since;
    for (const auto& [place, cursor] : all_wanted) since.try_emplace(place.second, place.first);
    std::vector<std::pair<std::int64_t, std::string>> in_order;
    for (const auto& [late, time] : since) in_order.emplace_back(time, late);
    std::sort(in_order.begin(), in_order.end());
    std::vector<ScopeKey> wanted_of_all;
    for (const auto& place : in_order) wanted_of_all.emplace_back(place.second);
    ASSERT_EQ(store_->log().scopes_behind(readers, 10).value(), wanted_of_all) << "step " << step;
  }
}

TEST_P(StoreContract, PF_23_trimming_goes_on_where_it_stopped) {
  const ScopeKey ann("user:ann");
  WriteBatch batch;
  for (std::int64_t i = 1; i <= 50; ++i) batch.messages.push_back(message(i, ann, "s", "m" + std::to_string(i)));
  ASSERT_TRUE(store_->write(batch).ok());
  EXPECT_EQ(store_->log().trim(std::vector<std::string>{"diary"}, 0, 100).value(), 0u) << "nobody has read it";
  EXPECT_EQ(store_->log().trim({}, 30, 15).value(), 15u);
  EXPECT_EQ(store_->log().trim({}, 30, 15).value(), 5u);
  EXPECT_EQ(store_->log().trim({}, 30, 15).value(), 0u);
  EXPECT_EQ(store_->log().behind(ann, 0, 1)->front().seq, 21);
}

TEST_P(StoreContract, PF_5_blocks_and_topics_are_erased_by_their_whole_key) {
  WriteBatch batch;
  for (const char* session : {"s", "t"}) {
    BlockRow block;
    block.scope = ScopeKey("user:a");
    block.session = SessionId(session);
    block.id = BlockId("b1");
    block.topic = TopicId("t1");
    block.active = true;
    batch.blocks.push_back(block);
    TopicRow topic;
    topic.scope = block.scope;
    topic.session = block.session;
    topic.id = block.topic;
    batch.topics.push_back(topic);
  }
  ASSERT_TRUE(store_->write(batch).ok());
  WriteBatch erased;
  erased.erased_topics = {{ScopeKey("user:a"), SessionId("s"), TopicId("t1")}};
  ASSERT_TRUE(store_->write(erased).ok());
  EXPECT_FALSE(store_->streams().topic(ScopeKey("user:a"), SessionId("s"), TopicId("t1")).value().has_value());
  EXPECT_TRUE(store_->streams().session_blocks(ScopeKey("user:a"), SessionId("s"))->empty());
  EXPECT_TRUE(store_->streams().topic(ScopeKey("user:a"), SessionId("t"), TopicId("t1")).value().has_value());
  erased = {};
  erased.erased_blocks = {{ScopeKey("user:a"), SessionId("t"), BlockId("b1")}};
  ASSERT_TRUE(store_->write(erased).ok());
  EXPECT_TRUE(store_->streams().session_blocks(ScopeKey("user:a"), SessionId("t"))->empty());
}

class JobContract : public StoreContract {
 protected:
  static Job job(const std::string& id, std::int64_t created = 0) {
    return new_job(JobId(id), ScopeKey("user:a"), "topic", R"({"topic":")" + id + "\"}", created);
  }
  Status put(const std::vector<Job>& jobs) {
    WriteBatch batch;
    batch.jobs = jobs;
    return store_->write(batch);
  }
  std::string take(std::int64_t now_ms = 0, std::int64_t lease_ms = 1000) {
    const auto taken = store_->jobs().take(now_ms, lease_ms);
    EXPECT_TRUE(taken.ok()) << taken.error().message;
    return taken.ok() && *taken ? (*taken)->id.str() + "/" + std::to_string((*taken)->attempts) : "";
  }
  JobCounts counts(std::int64_t now_ms = 0) { return store_->jobs().counts(now_ms).value(); }
};

TEST_P(JobContract, CM_3_jobs_come_in_their_order_and_once) {
  std::vector<Job> jobs;
  for (int i = 0; i < 20; ++i) jobs.push_back(job("j" + std::to_string(i), 20 - i));
  ASSERT_TRUE(put(jobs).ok());
  ASSERT_TRUE(put({job("j3")}).ok());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(take(), "j" + std::to_string(i) + "/1");
  EXPECT_EQ(take(), "");
  EXPECT_EQ(counts().processing, 20u);
  const auto listed = store_->jobs().list().value();
  ASSERT_EQ(listed.size(), 20u);
  EXPECT_EQ(listed[4].payload, R"({"topic":"j4"})");
  EXPECT_EQ(listed[4].scope, ScopeKey("user:a"));
  EXPECT_EQ(listed[4].created_ms, 16);
}

TEST_P(JobContract, CM_3_a_job_stands_or_falls_with_what_it_follows_from) {
  WriteBatch first;
  first.messages.push_back(message(1, ScopeKey("user:a"), "s", "m1"));
  first.jobs = {job("of-m1")};
  ASSERT_TRUE(store_->write(first).ok());
  WriteBatch clash;
  clash.messages.push_back(message(2, ScopeKey("user:a"), "s", "m1"));
  clash.jobs = {job("of-nothing")};
  EXPECT_FALSE(store_->write(clash).ok());
  EXPECT_TRUE(store_->jobs().contains(JobId("of-m1")).value());
  EXPECT_FALSE(store_->jobs().contains(JobId("of-nothing")).value());
}

TEST_P(JobContract, CM_3_a_holder_that_lost_its_lease_changes_nothing) {
  ASSERT_TRUE(put({job("a")}).ok());
  EXPECT_EQ(take(0, 100), "a/1");
  EXPECT_EQ(store_->jobs().next_due().value(), 100);
  EXPECT_EQ(take(99), "");
  EXPECT_EQ(take(100, 100), "a/2");
  const JobHold former{JobId("a"), 1}, present{JobId("a"), 2};
  WriteBatch late;
  late.items = {item(1, ScopeKey("user:a"), "late")};
  late.finished_jobs = {former};
  const Status written = store_->write(late);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kConflict);
  EXPECT_EQ(store_->counts()->items, 0u);
  EXPECT_TRUE(store_->jobs().finish(former).ok());
  EXPECT_EQ(store_->jobs().put_back(former, "late", 0).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store_->jobs().fail(former, "late").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(counts().processing, 1u);
  WriteBatch in_time = late;
  in_time.finished_jobs = {present};
  ASSERT_TRUE(store_->write(in_time).ok());
  EXPECT_EQ(store_->counts()->items, 1u);
  EXPECT_FALSE(store_->jobs().contains(JobId("a")).value());
}

TEST_P(JobContract, SC_4_what_a_program_held_that_is_gone_is_taken_by_the_others) {
  if (!store_->is_shared()) return;
  auto other = open_again();
  ASSERT_NE(other, nullptr);
  ASSERT_TRUE(store_->join("").ok());
  ASSERT_TRUE(other->join("").ok());
  ASSERT_TRUE(put({job("a")}).ok());
  ASSERT_TRUE(other->jobs().take(0, 1000).value().has_value());
  EXPECT_EQ(take(), "") << "its holder is there";
  other = nullptr;
  EXPECT_EQ(take(), "a/2");
}

TEST_P(JobContract, CM_3_failed_jobs_wait_for_a_retry_and_say_why) {
  ASSERT_TRUE(put({job("a"), job("b")}).ok());
  EXPECT_EQ(take(), "a/1");
  ASSERT_TRUE(store_->jobs().put_back({JobId("a"), 1}, "model away", 500).ok());
  EXPECT_EQ(take(), "b/1");
  ASSERT_TRUE(store_->jobs().finish({JobId("b"), 1}).ok());
  EXPECT_EQ(take(499), "");
  EXPECT_EQ(store_->jobs().next_due().value(), 500);
  EXPECT_EQ(counts(499).waiting_since, std::nullopt);
  EXPECT_EQ(counts(600).waiting_since, 500);
  EXPECT_EQ(take(500), "a/2");
  ASSERT_TRUE(store_->jobs().fail({JobId("a"), 2}, "model away for good").ok());
  if (durable()) reopen();
  EXPECT_EQ(counts().failed, 1u);
  EXPECT_EQ(store_->jobs().next_due().value(), std::nullopt);
  EXPECT_EQ(store_->jobs().list()->front().reason, "model away for good");
  EXPECT_EQ(store_->jobs().retry(JobId("b")).value(), 0u);
  EXPECT_EQ(store_->jobs().retry(JobId("a")).value(), 1u);
  EXPECT_EQ(take(), "a/1");
  ASSERT_TRUE(store_->jobs().fail({JobId("a"), 1}, "again").ok());
  EXPECT_EQ(store_->jobs().retry({}).value(), 1u);
  EXPECT_EQ(counts().pending, 1u);
}

TEST_P(JobContract, CM_3_what_was_in_work_waits_again_after_a_restart) {
  ASSERT_TRUE(put({job("a"), job("b")}).ok());
  EXPECT_EQ(take(), "a/1");
  if (durable()) reopen();
  ASSERT_TRUE(store_->jobs().release_all().ok());
  EXPECT_EQ(counts().pending, 2u);
  EXPECT_EQ(take(), "a/2");
  EXPECT_EQ(take(), "b/1");
  WriteBatch gone;
  gone.erased_jobs = {JobId("a"), JobId("b")};
  ASSERT_TRUE(store_->write(gone).ok());
  EXPECT_TRUE(store_->jobs().list()->empty());
}

TEST_P(JobContract, CM_2_many_threads_put_and_take_and_each_job_is_taken_once) {
  constexpr int kThreads = 4, kEach = 25;
  std::vector<std::vector<std::string>> taken(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          EXPECT_TRUE(put({job(std::to_string(t) + "-" + std::to_string(i))}).ok());
          taken[static_cast<std::size_t>(t)].push_back(take());
        }
      });
  }
  std::set<std::string> all;
  for (const auto& some : taken) all.insert(some.begin(), some.end());
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kThreads * kEach));
  EXPECT_FALSE(all.contains(""));
}

TEST_P(JobContract, CM_3_a_mark_is_claimed_once) {
  WriteBatch first;
  first.claimed_marks = {"info-m1"};
  first.jobs = {job("a")};
  ASSERT_TRUE(store_->write(first).ok());
  EXPECT_TRUE(store_->has_mark("info-m1").value());
  WriteBatch second = first;
  second.jobs = {job("b")};
  EXPECT_EQ(store_->write(second).error().code, ErrorCode::kConflict);
  EXPECT_FALSE(store_->jobs().contains(JobId("b")).value());
}

class NextVectors : public StoreContract {
 protected:
  // Items 1 to 4 with vectors of model-a, the last one found by words only.
  void fill() {
    WriteBatch batch;
    for (std::int64_t row = 1; row <= 4; ++row)
      batch.items.push_back(item(row, ScopeKey("user:a"), "i" + std::to_string(row)));
    for (std::int64_t row = 1; row <= 3; ++row) batch.vectors.push_back({row, {1.0F}, "model-a"});
    batch.items[3].model = "-";
    ASSERT_TRUE(store_->write(batch).ok());
    ASSERT_TRUE(store_->items().forget_other_vectors("model-a").ok());
  }
  void next(std::int64_t row, std::vector<float> vector, const std::string& model = "model-b") {
    const NextVector one{row, "item i" + std::to_string(row), std::move(vector)};
    ASSERT_TRUE(store_->next_vectors().keep(model, std::span(&one, 1)).ok());
  }
  std::vector<std::int64_t> waiting(const std::string& model = "model-b") {
    std::vector<std::int64_t> rows;
    const auto items = store_->next_vectors().missing(model, 0, 10);
    for (const NextItem& one : items.value()) rows.push_back(one.row);
    return rows;
  }
  ItemRow read(std::int64_t row) {
    const auto items = store_->items().get(ScopeKey("user:a"), std::span(&row, 1)).value();
    return items.empty() ? ItemRow() : items.front();
  }
  using Rows = std::vector<std::int64_t>;
};

TEST_P(NextVectors, PF_13_the_next_vectors_serve_only_when_they_are_told_to) {
  fill();
  EXPECT_EQ(waiting(), (Rows{1, 2, 3}));
  next(1, {0.5F, 0.5F});
  EXPECT_EQ(waiting(), (Rows{2, 3}));
  EXPECT_EQ(read(1).vector, std::vector<float>{1.0F});
  if (durable()) reopen();
  EXPECT_EQ(store_->next_vectors().count("model-b")->done, 1u);
  EXPECT_EQ(store_->next_vectors().count("model-b")->all, 3u);
  EXPECT_EQ(store_->next_vectors().missing("model-b", 2, 10)->front().row, 3);
  next(2, {});
  ASSERT_TRUE(store_->next_vectors().serve("model-b").ok());
  EXPECT_EQ(read(1).vector, (std::vector<float>{0.5F, 0.5F}));
  EXPECT_EQ(read(1).model, "model-b");
  EXPECT_EQ(read(2).model, "-");
  EXPECT_EQ(read(3).model, "");
  EXPECT_TRUE(read(3).vector.empty());
  EXPECT_EQ(read(4).model, "-");
  EXPECT_EQ(store_->note("embedder").value(), "model-b");
  EXPECT_EQ(store_->next_vectors().count("model-b")->done, 0u);
}

TEST_P(NextVectors, PF_13_a_vector_of_an_erased_or_changed_text_is_not_kept) {
  fill();
  for (std::int64_t row = 1; row <= 3; ++row) next(row, {0.5F});
  WriteBatch batch;
  batch.erased_items = {1};
  batch.items.push_back(item(9, ScopeKey("user:a"), "i2"));
  batch.items[0].item.text = "another text";
  batch.items.push_back(item(10, ScopeKey("user:a"), "i3"));
  ASSERT_TRUE(store_->write(batch).ok());
  EXPECT_EQ(waiting(), Rows{2});
  // Made from what was there before the write: too late.
  next(1, {0.5F});
  next(2, {0.5F});
  EXPECT_EQ(waiting(), Rows{2});
  EXPECT_EQ(store_->next_vectors().count("model-b")->done, 1u);
  ASSERT_TRUE(store_->next_vectors().serve("model-b").ok());
  EXPECT_EQ(read(1).row, 0);
  EXPECT_EQ(read(2).model, "");
  EXPECT_EQ(read(3).model, "model-b");
}

TEST_P(NextVectors, PF_13_vectors_of_a_model_that_is_given_up_are_discarded) {
  fill();
  next(1, {0.5F});
  next(2, {0.25F}, "model-c");
  ASSERT_TRUE(store_->next_vectors().discard("model-c").ok());
  EXPECT_EQ(waiting("model-b"), (Rows{1, 2, 3}));
  EXPECT_EQ(waiting("model-c"), (Rows{1, 3}));
  ASSERT_TRUE(store_->next_vectors().discard("model-a").ok());
  EXPECT_EQ(waiting("model-c"), (Rows{1, 2, 3}));
  EXPECT_EQ(read(1).vector, std::vector<float>{1.0F});
}

TEST_P(NextVectors, PF_13_traces_of_topics_hold_no_vector_of_the_old_model) {
  WriteBatch batch;
  for (const auto& [id, status] : {std::pair{"open", TopicStatus::kOpen}, {"flushed", TopicStatus::kFlushed}}) {
    TopicRow topic;
    topic.id = TopicId(id);
    topic.scope = ScopeKey("user:a");
    topic.session = SessionId("s");
    topic.status = status;
    topic.trace = "trace";
    batch.topics.push_back(topic);
  }
  ASSERT_TRUE(store_->write(batch).ok());
  ASSERT_TRUE(store_->next_vectors().serve("model-b").ok());
  EXPECT_EQ(store_->streams().topic(ScopeKey("user:a"), SessionId("s"), TopicId("open")).value()->trace, "");
  EXPECT_EQ(store_->streams().topic(ScopeKey("user:a"), SessionId("s"), TopicId("flushed")).value()->trace, "");
}

const auto kStoreUrls = testing::Values("sqlite:", "memory:", "postgresql:");
const auto kStoreName = [](const auto& store) { return store.param.substr(0, store.param.size() - 1); };
INSTANTIATE_TEST_SUITE_P(All, JobContract, kStoreUrls, kStoreName);

INSTANTIATE_TEST_SUITE_P(All, NextVectors, kStoreUrls, kStoreName);

INSTANTIATE_TEST_SUITE_P(All, StoreContract, kStoreUrls, kStoreName);

TEST(OpenStore, PF_9_a_file_of_a_newer_version_and_an_unknown_kind_are_refused) {
  EXPECT_FALSE(open_store("mongo://x").ok());
  EXPECT_EQ(open_store("sqlite:/nowhere/at/all/weft.db").error().code, ErrorCode::kPermission);
}

}  // namespace
}  // namespace weft
