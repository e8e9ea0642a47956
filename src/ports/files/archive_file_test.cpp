#include "ports/files/archive_file.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "ports/files/archive_format.h"
#include "ports/files/file.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class ArchiveFile : public testing::Test {
 protected:
  void pack(const std::map<std::string, std::string>& files) {
    auto archive = ArchiveWriter::open(path());
    ASSERT_TRUE(archive.ok()) << archive.error().message;
    for (const auto& [name, text] : files) {
      ASSERT_TRUE(write_file(folder_ / "one", text, false).ok());
      ASSERT_TRUE((*archive)->add(name, folder_ / "one").ok());
    }
    const Status done = (*archive)->finish();
    ASSERT_TRUE(done.ok()) << done.error().message;
  }

  Result<std::map<std::string, std::string>> unpack() {
    WEFT_TRY(const auto archive, ArchiveReader::open(path()));
    std::map<std::string, std::string> files;
    for (;;) {
      WEFT_TRY(const auto entry, archive->next());
      if (!entry) return files;
      std::string& text = files[entry->name];
      WEFT_CHECK(archive->read([&text](std::string_view bytes) {
        text += bytes;
        return Status();
      }));
    }
  }

  std::filesystem::path path() const { return folder_ / "a.tar.gz"; }
  test::TemporaryFolder folder_;
};

std::map<std::string, std::string> some_files(std::mt19937& random) {
  std::map<std::string, std::string> files;
  const auto length = [&random](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random);
  };
  for (std::size_t i = 0; i < 12; ++i) {
    std::string name = std::to_string(i) + std::string(length(300), 'n'), text(length(2000), '\0');
    if (i == 0) text.resize(512);  // no padding behind it
    if (i == 1) text.clear();
    for (char& c : text) c = static_cast<char>(random());
    files.emplace("folder/" + name, std::move(text));
  }
  return files;
}

TEST_F(ArchiveFile, PF_20_what_was_packed_comes_out) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    const auto files = some_files(random);
    pack(files);
    const auto out = unpack();
    ASSERT_TRUE(out.ok()) << out.error().message;
    EXPECT_EQ(*out, files);
  }
}

TEST_F(ArchiveFile, PF_20_no_byte_can_be_changed_or_lost_unseen) {
  std::mt19937 random(2);
  const auto files = some_files(random);
  pack(files);
  const std::string whole = read_file(path()).value();
  for (int round = 0; round < 300; ++round) {
    std::string broken = whole;
    const std::size_t at = std::uniform_int_distribution<std::size_t>(10, whole.size() - 1)(random);
    if (round % 3 == 0)
      broken.resize(at);
    else
      broken[at] = static_cast<char>(broken[at] ^ (1 << (random() % 8)));
    ASSERT_TRUE(write_file(path(), broken, false).ok());
    const auto out = unpack();
    ASSERT_FALSE(out.ok()) << at;
    EXPECT_EQ(out.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(out.error().message.find("near byte"), std::string::npos) << out.error().message;
  }
}

TEST_F(ArchiveFile, PF_20_what_is_not_finished_is_not_there) {
  {
    auto archive = ArchiveWriter::open(path());
    ASSERT_TRUE(archive.ok());
    ASSERT_FALSE((*archive)->add("x", folder_ / "nothing").ok());
  }
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST(ArchiveFormat, PF_20_extended_heads_count_themselves) {
  for (std::size_t length = 1; length < 1200; ++length) {
    const tar::Head given{std::string(length, 'p'), (std::uint64_t{1} << 40) + length};
    const std::string body = tar::write_extended(given);
    tar::Head read;
    ASSERT_TRUE(tar::take_extended(body, read).ok()) << body;
    EXPECT_EQ(read.name, given.name);
    EXPECT_EQ(read.size, given.size);
  }
}

TEST(ArchiveFormat, PF_20_heads_from_anywhere_are_read_or_refused) {
  std::mt19937 random(3);
  const std::string good = tar::write_head({"name", 1234});
  ASSERT_TRUE(tar::read_head(good).ok());
  for (int round = 0; round < 20'000; ++round) {
    std::string head = good;
    for (std::size_t changes = random() % 4 + 1; changes > 0; --changes)
      head[random() % head.size()] = static_cast<char>(random());
    (void)tar::read_head(head);
    std::string body = "12 path=abc\n";
    body[random() % body.size()] = static_cast<char>(random());
    tar::Head into;
    (void)tar::take_extended(body, into);
  }
  EXPECT_FALSE(tar::read_head(good.substr(1)).ok());
}

}  // namespace
}  // namespace weft
