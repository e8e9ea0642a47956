#include "surface/cli/console.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace weft::cli {
namespace {

/// A console whose input comes in given pieces.
class Pieces final : public Console {
 public:
  explicit Pieces(std::deque<std::string> pieces) : pieces_(std::move(pieces)) {}
  void write(std::string_view text) override { out += text; }
  void write_error(std::string_view text) override { out += text; }
  void flush() override {}
  bool interactive() const override { return false; }
  bool colours() const override { return false; }
  std::filesystem::path path(const std::string& given) const override { return given; }
  Status edit(const std::string&) override { return {}; }
  std::string out;

 protected:
  Result<std::string> more(const std::string&) override {
    if (pieces_.empty()) return std::string();
    std::string piece = std::move(pieces_.front());
    pieces_.pop_front();
    return piece;
  }

 private:
  std::deque<std::string> pieces_;
};

TEST(Console, PF_10_lines_are_the_same_however_the_input_comes) {
  std::mt19937 random(17);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> lines;
    std::string text;
    for (std::size_t i = random() % 10; i-- > 0;) {
      lines.push_back(std::string(random() % 40, static_cast<char>('a' + random() % 26)));
      text += lines.back() + "\n";
    }
    if (random() % 2 == 0) {
      lines.push_back("without an end");
      text += lines.back();
    }
    std::deque<std::string> pieces;
    for (std::size_t at = 0; at < text.size(); at += pieces.back().size())
      pieces.push_back(text.substr(at, 1 + random() % 30));
    Pieces console(pieces);
    std::vector<std::string> read;
    for (auto line = console.read_line(); line.ok() && *line; line = console.read_line()) read.push_back(**line);
    EXPECT_EQ(read, lines);
    Pieces half(pieces);
    const auto first = half.read_line();
    ASSERT_TRUE(first.ok());
    const std::string rest = half.read_all().value();
    EXPECT_EQ(*first ? text.substr(std::min(text.size(), (*first)->size() + 1)) : "", rest);
  }
}

TEST(Console, PF_10_what_is_printed_keeps_every_byte) {
  Pieces console({});
  console.print("%s|%d|%5.1f\n", std::string(100'000, 'x').c_str(), 7, 2.25);
  console.line("小满");
  console.complain("%s", "");
  EXPECT_EQ(console.out, std::string(100'000, 'x') + "|7|  2.2\n小满\n");
}

}  // namespace
}  // namespace weft::cli
