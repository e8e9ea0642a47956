#include "ports/files/line_log.h"

#include <gtest/gtest.h>

#include <fstream>

#include "ports/files/file_system.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

std::vector<std::string> lines_in(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  EXPECT_TRUE(LineLog::open(disk(), path, [&](std::string_view line) { lines.emplace_back(line); }).ok());
  return lines;
}

TEST(LineLog, AL_1_lines_stand_once_and_in_order) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "deep" / "log.jsonl";
  {
    auto log = LineLog::open(disk(), path);
    ASSERT_TRUE(log.ok()) << log.error().message;
    for (int i = 0; i < 20; ++i) ASSERT_TRUE((*log)->append("{\"i\":" + std::to_string(i) + "}").ok());
    EXPECT_FALSE((*log)->append("two\nlines").ok());
  }
  const auto lines = lines_in(path);
  ASSERT_EQ(lines.size(), 20u);
  EXPECT_EQ(lines.back(), R"({"i":19})");
}

TEST(LineLog, AL_1_what_a_crash_cut_off_goes_and_the_rest_stays) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "log.jsonl";
  std::string whole;
  for (int i = 0; i < 5; ++i) whole += "{\"i\":" + std::to_string(i) + "}\n";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    std::ofstream(path, std::ios::trunc) << whole.substr(0, cut);
    auto log = LineLog::open(disk(), path);
    ASSERT_TRUE(log.ok());
    ASSERT_TRUE((*log)->append("{}").ok());
    const auto lines = lines_in(path);
    ASSERT_EQ(lines.size(), cut / 8 + 1) << cut;
    EXPECT_EQ(lines.back(), "{}");
  }
}

TEST(LineLog, AL_1_a_line_of_which_only_some_sectors_were_written_goes) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "log.jsonl";
  std::ofstream(path, std::ios::trunc) << "{\"i\":0}\n{\"i\"" << std::string(512, '\0') << "}\n";
  auto log = LineLog::open(disk(), path);
  ASSERT_TRUE(log.ok());
  EXPECT_EQ((*log)->torn_bytes(), 518u);
  ASSERT_TRUE((*log)->append("{}").ok());
  EXPECT_EQ(lines_in(path), (std::vector<std::string>{"{\"i\":0}", "{}"}));
}

// A file whose writes fail from the second on.
class FullFile final : public OpenFile {
 public:
  Status write_at(std::string_view, std::uint64_t) override {
    return ++writes_ == 2 ? Status(unavailable("disk full")) : Status();
  }
  Status sync() override { return {}; }

 private:
  int writes_ = 0;
};

class FullDisk final : public FileSystem {
 public:
  Result<std::unique_ptr<OpenFile>> open(const std::filesystem::path&) override {
    return std::unique_ptr<OpenFile>(new FullFile);
  }
  Result<std::string> read(const std::filesystem::path& path) override { return not_found(path.string()); }
  std::optional<FileRevision> revision(const std::filesystem::path&) override { return std::nullopt; }
  Result<std::vector<std::filesystem::path>> list(const std::filesystem::path&) override {
    return std::vector<std::filesystem::path>();
  }
  Status rename(const std::filesystem::path&, const std::filesystem::path&) override { return {}; }
  Status remove(const std::filesystem::path&) override { return {}; }
  Status make_folder(const std::filesystem::path&) override { return {}; }
  Status sync_folder(const std::filesystem::path&) override { return {}; }
};

TEST(LineLog, AL_1_after_a_failed_write_nothing_is_promised) {
  FullDisk full;
  auto log = LineLog::open(full, "log.jsonl");
  ASSERT_TRUE(log.ok());
  EXPECT_TRUE((*log)->append("1").ok());
  EXPECT_FALSE((*log)->append("2").ok());
  const Status third = (*log)->append("3");
  ASSERT_FALSE(third.ok());
  EXPECT_EQ(third.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace weft
