#include <gtest/gtest.h>
#include <zlib.h>
#include <map>
#include <random>

#include "ports/files/archive_file.h"
#include "ports/files/file_system.h"
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

namespace {

std::string little(std::uint64_t number, std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i, number /= 256) out += static_cast<char>(number % 256);
  return out;
}

std::string deflated(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// A ZIP as other programs write it, of which single numbers can be made wrong.
struct Packed {
  std::string name, text;
  bool pack = true;
  std::uint64_t told_size = ~0ULL;  // where the list shall lie
  bool wide = false;                // its numbers stand in a 64-bit record
  std::uint16_t flags = 0, method = 0;
};

std::string zip_of(const std::vector<Packed>& files) {
  std::string body, list;
  for (const Packed& file : files) {
    const std::string data = file.pack ? deflated(file.text) : file.text;
    const std::uint64_t size = file.told_size == ~0ULL ? file.text.size() : file.told_size;
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(file.text.data()), file.text.size());
    const std::string how = little(20, 2) + little(file.flags, 2) +
                            little(file.method != 0 ? file.method
                                   : file.pack      ? 8
                                                    : 0,
                                   2) +
                            little(0, 4) + little(crc, 4);
    const std::string wide =
        file.wide ? little(1, 2) + little(24, 2) + little(size, 8) + little(data.size(), 8) + little(body.size(), 8)
                  : std::string();
    const auto told = [&](std::uint64_t number) { return little(file.wide ? 0xFFFFFFFF : number, 4); };
    list += "PK\x01\x02" + little(20, 2) + how + told(data.size()) + told(size) + little(file.name.size(), 2) +
            little(wide.size(), 2) + little(0, 10) + little(0, 0) + told(body.size()) + file.name + wide;
    body += "PK\x03\x04" + how + told(data.size()) + told(size) + little(file.name.size(), 2) + little(0, 2) +
            file.name + data;
  }
  return body + list + "PK\x05\x06" + little(0, 4) + little(files.size(), 2) + little(files.size(), 2) +
         little(list.size(), 4) + little(body.size(), 4) + little(7, 2) + "comment";
}

class Zip : public testing::Test {
 protected:
  Result<ZipFile> open(const std::string& bytes) {
    EXPECT_TRUE(write_file(folder_ / "one.zip", bytes, false).ok());
    return ZipFile::open(folder_ / "one.zip");
  }
  // What reading the first entry gives, or the error's code.
  std::string first(const std::string& bytes, std::uint64_t most = 1 << 20) {
    auto zip = open(bytes);
    if (!zip.ok()) return std::string(to_string(zip.error().code));
    if (zip->entries().empty()) return "empty";
    auto text = zip->read(zip->entries().front(), most);
    return text.ok() ? *text : std::string(to_string(text.error().code));
  }
  test::TemporaryFolder folder_;
};

TEST_F(Zip, PF_28_stored_deflated_and_wide_entries_are_read) {
  std::string long_text;
  for (int i = 0; i < 60000; ++i) long_text += std::to_string(i) + ",";
  const auto zip = open(zip_of({{"a.json", "stored", false},
                                {"folder/", "", false},
                                {"folder/对话.json", long_text},
                                {"w.json", "wide", true, ~0ULL, true}}));
  ASSERT_TRUE(zip.ok()) << zip.error().message;
  ASSERT_EQ(zip->entries().size(), 3U);
  EXPECT_EQ(zip->entries()[1].name, "folder/对话.json");
  for (const auto& [at, wanted] : {std::pair<std::size_t, std::string>{0, "stored"}, {1, long_text}, {2, "wide"}}) {
    const auto text = zip->read(zip->entries()[at], 1 << 20);
    ASSERT_TRUE(text.ok()) << text.error().message;
    EXPECT_EQ(*text, wanted);
  }
  EXPECT_TRUE(is_zip_file(folder_ / "one.zip"));
  EXPECT_FALSE(is_zip_file(folder_ / "none"));
}

TEST_F(Zip, PF_28_bombs_and_damage_are_refused) {
  const std::string bomb(9 * 1024 * 1024, '0');
  EXPECT_EQ(first(zip_of({{"a", bomb}}), 1 << 30), "too_large");
  EXPECT_EQ(first(zip_of({{"a", "text"}}), 3), "too_large");
  EXPECT_EQ(first(zip_of({{"a", bomb, true, 100}})), "corrupt");  // larger than it says
  EXPECT_EQ(first(zip_of({{"a", "text", true, 5}})), "corrupt");
  EXPECT_EQ(first(zip_of({{"a", "text", true, ~0ULL, false, 1}})), "invalid_argument");      // encrypted
  EXPECT_EQ(first(zip_of({{"a", "text", true, ~0ULL, false, 0, 12}})), "invalid_argument");  // bzip2
  const std::string sound = zip_of({{"a.json", "some text that is kept", false}});
  EXPECT_EQ(first(sound), "some text that is kept");
  // Behind the list there is only the comment.
  for (std::size_t cut = 0; cut < sound.size() - 7; cut += 3)
    EXPECT_NE(first(sound.substr(0, cut)), "some text that is kept");
  for (std::size_t at = 0; at < sound.size(); ++at) {
    std::string other = sound;
    other[at] = static_cast<char>(~other[at]);
    (void)first(other);  // whatever it gives, it ends
  }
}

}  // namespace

}  // namespace weft
