#include "eval/json_lines.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class JsonLines : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    const auto path = folder_.path() / "data.jsonl";
    std::ofstream(path) << text;
    return path.string();
  }
  test::TemporaryFolder folder_;
};

TEST_F(JsonLines, lines_come_in_order_with_their_numbers_and_empty_ones_are_left_out) {
  std::vector<std::pair<std::size_t, int>> seen;
  const auto take = [&](const nlohmann::json& json, std::size_t number) {
    seen.emplace_back(number, json.at("n").get<int>());
    return Status();
  };
  ASSERT_TRUE(each_json_line(file("{\"n\":7}\n\n{\"n\":8}"), take).ok());
  EXPECT_EQ(seen, (std::vector<std::pair<std::size_t, int>>{{1, 7}, {3, 8}}));
}

TEST_F(JsonLines, whatever_is_wrong_names_file_and_line) {
  const auto take = [](const nlohmann::json& json, std::size_t) {
    return json.at("n").get<int>() < 0 ? Status(invalid_argument("n is below 0", "begin with 0")) : Status();
  };
  for (const char* wrong : {"{\"n\":1}\n{\"n\":-1}", "{\"n\":1}\n{\"m\":1}", "{\"n\":1}\n{\"n\":"}) {
    const std::string path = file(wrong);
    const Status read = each_json_line(path, take, "each line needs \"n\"");
    ASSERT_FALSE(read.ok()) << wrong;
    EXPECT_TRUE(read.error().message.starts_with(path + ":2: ")) << read.error().message;
    EXPECT_FALSE(read.error().hint.empty()) << wrong;
  }
  EXPECT_EQ(each_json_line(file("{\"n\":-1}"), take).error().hint, "begin with 0");
  EXPECT_EQ(each_json_line("/nowhere/data.jsonl", take).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace weft
