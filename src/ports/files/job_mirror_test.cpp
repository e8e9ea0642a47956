#include "ports/files/job_mirror.h"

#include <gtest/gtest.h>

#include <fstream>

#include "ports/files/file_system.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class JobMirrorTest : public testing::Test {
 protected:
  static Job job(const std::string& id, JobState state = JobState::kPending) {
    Job made = new_job(JobId(id), ScopeKey("user:ann"), "topic", R"({"topic":"t"})", 1);
    made.state = state;
    return made;
  }
  std::set<std::string> files() {
    std::set<std::string> found;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path()))
      if (file.is_regular_file()) found.insert(std::filesystem::relative(file.path(), folder_.path()).string());
    return found;
  }
  using Names = std::set<std::string>;
  test::TemporaryFolder folder_;
};

TEST_F(JobMirrorTest, CM_3_a_job_goes_through_its_folders) {
  JobMirror mirror(folder_.path());
  ASSERT_TRUE(mirror.show({{job("a"), job("b")}}).ok());
  EXPECT_EQ(files(), (Names{"pending/a.json", "pending/b.json"}));
  ASSERT_TRUE(mirror.show({{job("a", JobState::kProcessing), job("b")}}).ok());
  EXPECT_EQ(files(), (Names{"pending/b.json", "processing/a.json"}));
  Job failed = job("a", JobState::kFailed);
  failed.reason = "model away";
  ASSERT_TRUE(mirror.show({{failed}}).ok());
  EXPECT_EQ(files(), (Names{"failed/a.json"}));
  const auto read = parse_job(read_file(folder_.path() / "failed" / "a.json").value());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->reason, "model away");
  failed.reason = "model away for good";
  ASSERT_TRUE(mirror.show({{failed}}).ok());
  EXPECT_NE(read_file(folder_.path() / "failed" / "a.json")->find("for good"), std::string::npos);
}

TEST_F(JobMirrorTest, CM_3_files_of_an_earlier_run_go) {
  ASSERT_TRUE(JobMirror(folder_.path()).show({{job("a"), job("b")}}).ok());
  std::ofstream(folder_.path() / "failed" / "torn.json.broken") << "for a person to look at";
  ASSERT_TRUE(JobMirror(folder_.path()).show({{job("b")}}).ok());
  EXPECT_EQ(files(), (Names{"failed/torn.json.broken", "pending/b.json"}));
}

TEST_F(JobMirrorTest, CM_3_names_of_jobs_stay_in_their_folder) {
  JobMirror mirror(folder_.path() / "queues");
  ASSERT_TRUE(
      mirror.show({{job("../../etc/x"), job("a:b"), job("emoji \xF0\x9F\x92\xA5"), job(std::string(400, 'x'))}}).ok());
  const auto found = files();
  EXPECT_EQ(found.size(), 4u);
  for (const std::string& name : found) EXPECT_TRUE(name.starts_with("queues/pending/")) << name;
}

}  // namespace
}  // namespace weft
