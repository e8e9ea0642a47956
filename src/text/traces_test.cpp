#include "text/traces.h"

#include <gtest/gtest.h>

#include <random>

namespace weft {
namespace {

bool finds(const Traces& traces, std::string_view bytes) {
  bool found = false;
  traces.find(bytes, [&](std::size_t, std::uint64_t) { found = true; });
  return found;
}

std::string random_text(std::mt19937& random, std::size_t size) {
  const auto low = [&random] { return static_cast<char>(0x80 + random() % 64); };
  std::string text;
  while (text.size() < size) {
    if (random() % 5 == 0)
      text += {'\xe5', low(), low()};  // a Han character
    else
      text += static_cast<char>('a' + random() % 26);
  }
  return text;
}

TEST(Traces, PF_5_a_text_is_found_in_whatever_bytes_it_stands) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const std::string text = random_text(random, 12 + random() % 200);
    Traces traces(random());
    traces.add(text, true);
    ASSERT_FALSE(traces.empty());
    const std::string noise = random_text(random, random() % 3000);
    EXPECT_TRUE(finds(traces, noise + text + noise));
    EXPECT_TRUE(finds(traces, text));
    EXPECT_FALSE(finds(traces, noise));
    const auto again = Traces::parse(traces.to_json());
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->size(), traces.size());
    EXPECT_TRUE(finds(*again, noise + text));
    EXPECT_EQ(traces.to_json().find(text.substr(0, 12)), std::string::npos);
  }
}

TEST(Traces, PF_5_any_part_of_a_text_is_found) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const std::string text = random_text(random, 40 + random() % 900);
    Traces traces(random());
    traces.add(text, true);
    const std::size_t at = random() % (text.size() - 24);
    EXPECT_TRUE(finds(traces, "...." + text.substr(at, 24) + "....")) << at << " of " << text.size();
  }
}

TEST(Traces, PF_5_pieces_look_alike_in_every_form) {
  Traces traces(5);
  traces.add("say \"hello\"\nmy dear neighbours <of old>", true);
  EXPECT_TRUE(finds(traces, R"(say \"hello\"\nmy dear neighbours &lt;of old&gt;)"));
  EXPECT_FALSE(Traces::parse("{}").ok());
  EXPECT_FALSE(Traces::parse(R"({"salt":"00","pieces":["x"]})").ok());
}

}  // namespace
}  // namespace weft
