#include "surface/access/audit_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "ports/files/file_system.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

AuditEntry entry(const std::string& act) {
  return {{1'700'000'000'000, 0}, "ci", "127.0.0.1", act, "user:ann", "done", {"rule r1"}};
}

std::vector<AuditEntry> read(const std::filesystem::path& file) {
  const std::string text = *read_file(file);
  std::vector<AuditEntry> all;
  for (const auto line : lines_of(text)) {
    auto one = parse_record<AuditEntry>(line, "a line");
    EXPECT_TRUE(one.ok()) << line;
    if (one.ok()) all.push_back(*one);
  }
  return all;
}

TEST(AuditLog, PF_10_lines_of_many_writers_stand_whole) {
  const test::TemporaryFolder folder;
  const auto file = AuditLog::file_of(folder.path());
  {
    std::vector<std::jthread> writers;
    for (int w = 0; w < 4; ++w)
      writers.emplace_back([&file, w] {
        const AuditLog log(file);
        for (int i = 0; i < 20; ++i) log.note(entry("act " + std::to_string(w) + "\n" + std::string(200, 'x')));
      });
  }
  EXPECT_EQ(read(file).size(), 80U);
}

TEST(AuditLog, PF_10_what_a_crash_cut_off_does_not_spoil_the_next_line) {
  const test::TemporaryFolder folder;
  const auto file = AuditLog::file_of(folder.path());
  AuditLog(file).note(entry("first"));
  std::ofstream(file, std::ios::app) << R"({"time":"20)";
  AuditLog(file).note(entry("second"));
  const std::string text = *read_file(file);
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(parse_record<AuditEntry>(lines[2], "a line")->act, "second");
}

}  // namespace
}  // namespace weft
