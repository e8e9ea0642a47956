// That nothing of an erased row stays in the bytes of the file, while all other rows do.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <thread>

#include "ports/store/sqlite/connection.h"
#include "ports/store/store.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

std::string words(std::mt19937& random, std::size_t size) {
  std::string text;
  while (text.size() < size) text += static_cast<char>('a' + random() % 26);
  return text;
}

ItemRow item(std::int64_t row, std::string text) {
  ItemRow made;
  made.row = row;
  made.scope = ScopeKey("user:ann");
  made.item.id = ItemId("item-" + std::to_string(row));
  made.item.kind = ItemKind::kEvent;
  made.item.text = std::move(text);
  made.item.sources = {MessageId("m" + std::to_string(row))};
  return made;
}

class RawBytes : public testing::Test {
 protected:
  RawBytes() { store_ = open_store("sqlite:" + path_).value(); }

  std::vector<std::uint64_t> places(const std::string& text) {
    std::vector<std::uint64_t> found;
    const Status scanned = store_->file().scan_bytes(text.size() - 1, [&](const StoreBytes& piece) {
      for (auto at = piece.bytes.find(text); at != std::string_view::npos; at = piece.bytes.find(text, at + 1))
        found.push_back(piece.log ? 0 : piece.place + at);
    });
    EXPECT_TRUE(scanned.ok());
    return found;
  }

  bool sound() {
    const auto connection = sqlite::Connection::open(path_, false).value();
    auto check = connection->prepare("PRAGMA integrity_check");
    return check.step() && check.text(0) == "ok";
  }

  test::TemporaryFolder folder_;
  const std::string path_ = folder_ / "weft.db";
  std::unique_ptr<Store> store_;
};

// Rows that grow when their vector comes move to other pages and leave copies where they stood.
TEST_F(RawBytes, PF_5_nothing_of_an_erased_row_stays_in_the_file) {
  std::mt19937 random(4);
  std::vector<std::string> texts;
  for (std::int64_t row = 1; row <= 400; row += 20) {
    WriteBatch batch;
    for (std::int64_t i = row; i < row + 20; ++i) {
      texts.push_back(words(random, 40 + random() % 900));
      batch.items.push_back(item(i, texts.back()));
    }
    ASSERT_TRUE(store_->write(batch).ok());
  }
  for (int i = 0; i < 400; ++i) {
    WriteBatch batch;
    batch.vectors.push_back({static_cast<std::int64_t>(1 + random() % 400), std::vector<float>(384, 0.5F), "m"});
    ASSERT_TRUE(store_->write(batch).ok());
  }
  std::set<std::size_t> gone;
  WriteBatch erasing;
  while (gone.size() < 60) gone.insert(random() % 400);
  for (const std::size_t i : gone) erasing.erased_items.push_back(static_cast<std::int64_t>(i) + 1);
  ASSERT_TRUE(store_->write(erasing).ok());
  ASSERT_TRUE(store_->file().settle().ok());
  std::size_t copies = 0;
  for (const std::size_t i : gone) {
    for (std::size_t at = 0; at + 30 < texts[i].size(); at += 200) {
      const auto found = places(texts[i].substr(at, 30));
      copies += found.size();
      ASSERT_TRUE(store_->file().scrub(found).ok());
      EXPECT_TRUE(places(texts[i].substr(at, 30)).empty()) << i;
    }
  }
  EXPECT_GT(copies, 0u) << "the test leaves no copies behind any more";
  EXPECT_TRUE(sound());
  const auto left = store_->items().of_kind(ScopeKey("user:ann"), ItemKind::kEvent, 1000).value();
  EXPECT_EQ(left.size(), 340u);
  for (const ItemRow& row : left) EXPECT_EQ(row.item.text, texts[static_cast<std::size_t>(row.row) - 1]);
  // Pages that were cleaned are written again, and bring nothing back.
  WriteBatch more;
  for (std::int64_t row = 401; row < 500; ++row) more.items.push_back(item(row, words(random, 500)));
  for (std::int64_t row = 1; row < 400; row += 3) more.vectors.push_back({row, std::vector<float>(200, 0.25F), "m"});
  ASSERT_TRUE(store_->write(more).ok());
  ASSERT_TRUE(store_->file().settle().ok());
  for (const std::size_t i : gone) EXPECT_TRUE(places(texts[i].substr(0, 30)).empty()) << i;
  EXPECT_TRUE(sound());
}

TEST_F(RawBytes, PF_20_a_copy_is_of_one_moment_while_others_write) {
  std::jthread writer([&](std::stop_token stop) {
    for (std::int64_t row = 1; !stop.stop_requested() && row < 100'000; row += 2) {
      WriteBatch pair;  // always both
      pair.items.push_back(item(row, "left"));
      pair.items.push_back(item(row + 1, "right"));
      EXPECT_TRUE(store_->write(pair).ok());
    }
  });
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::string copy = folder_ / ("copy" + std::to_string(i) + ".db");
    ASSERT_TRUE(store_->file().copy_to(copy).ok());
    const auto opened = open_store("sqlite:" + copy).value();
    const auto items = opened->items().of_kind(ScopeKey("user:ann"), ItemKind::kEvent, 1'000'000).value();
    EXPECT_EQ(items.size() % 2, 0u);
  }
}

TEST_F(RawBytes, PF_9_a_statement_that_cannot_be_prepared_is_an_error) {
  const auto connection = sqlite::Connection::open(path_, false).value();
  auto broken = connection->prepare("SELECT nothing FROM nowhere");
  broken.bind(std::int64_t{1}).bind("text").bind_blob("bytes");
  EXPECT_FALSE(broken.step());
  EXPECT_FALSE(broken.status().ok());
  EXPECT_FALSE(connection->prepare("SELECT nothing FROM nowhere").run().ok());
  EXPECT_TRUE(connection->prepare("SELECT count(*) FROM items").run().ok());
}

TEST_F(RawBytes, PF_5_rows_are_scanned_one_by_one) {
  WriteBatch batch;
  for (std::int64_t row = 1; row <= 3; ++row) batch.items.push_back(item(row, "text " + std::to_string(row)));
  batch.marks = {"end-a:1-0000", "end-b:1-0000", "end-c:1-1111"};
  ASSERT_TRUE(store_->write(batch).ok());
  std::size_t sources = 0, made = 0;
  ASSERT_TRUE(store_->items()
                  .scan_sources(ScopeKey("user:ann"), [&](ItemRow&& row) { sources += row.item.sources.size(); })
                  .ok());
  ASSERT_TRUE(store_->file().scan_texts([&](bool said, std::string_view) { made += said ? 0 : 1; }).ok());
  EXPECT_EQ(sources, 3u);
  EXPECT_EQ(made, 3u);
  WriteBatch erasing;
  erasing.erased_marks = {"end-c:1-1111"};
  erasing.erased_mark_ends = {"-0000"};
  ASSERT_TRUE(store_->write(erasing).ok());
  for (const char* job : {"end-a:1-0000", "end-b:1-0000", "end-c:1-1111"}) EXPECT_FALSE(store_->has_mark(job).value());
}

}  // namespace
}  // namespace weft
