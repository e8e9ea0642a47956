#include "surface/cli/beside/frames.h"

#include <gtest/gtest.h>

#include <random>

namespace weft::cli {
namespace {

std::string random_bytes(std::mt19937& random, std::size_t length) {
  std::string out(length, '\0');
  for (char& c : out) c = static_cast<char>(random() & 0xFF);
  return out;
}

TEST(Frames, PF_10_frames_come_out_as_they_went_in_however_they_are_cut) {
  std::mt19937 random(7);
  const std::string kinds = "RIDOXWEC";
  for (int round = 0; round < 200; ++round) {
    std::vector<Frame> sent;
    std::string bytes;
    for (std::size_t i = random() % 8; i-- > 0;) {
      sent.push_back({static_cast<FrameKind>(kinds[random() % kinds.size()]), random_bytes(random, random() % 600)});
      bytes += encode(sent.back().kind, sent.back().payload);
    }
    FrameReader reader;
    std::vector<Frame> got;
    while (!bytes.empty()) {
      const std::size_t cut = 1 + random() % 97;
      reader.feed(std::string_view(bytes).substr(0, cut));
      bytes.erase(0, cut);
      for (;;) {
        auto frame = reader.next();
        ASSERT_TRUE(frame.ok());
        if (!*frame) break;
        got.push_back(std::move(**frame));
      }
    }
    ASSERT_EQ(got.size(), sent.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].kind, sent[i].kind);
      EXPECT_EQ(got[i].payload, sent[i].payload);
    }
  }
}

TEST(Frames, PF_10_hostile_bytes_are_refused_and_never_held_without_bound) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    FrameReader reader;
    reader.feed(random_bytes(random, random() % 64));
    for (int i = 0; i < 64; ++i) {
      const auto frame = reader.next();
      if (!frame.ok() || !*frame) break;
      EXPECT_LE((*frame)->payload.size(), kMostPayload);
    }
  }
  for (const std::string_view wrong :
       {std::string_view("GET / HTTP/1.1\r\n"), std::string_view("\0\0\0\0\0", 5),
        std::string_view("R\xff\xff\xff\xff"), std::string_view("I\x01\x00\x40\x00", 5)}) {
    FrameReader reader;
    reader.feed(wrong);
    EXPECT_FALSE(reader.next().ok()) << wrong;
  }
}

TEST(Frames, PF_10_a_length_is_believed_only_when_its_bytes_are_there) {
  FrameReader reader;
  reader.feed(std::string_view("I\x00\x00\x40\x00", 5));  // says four MiB, sends none
  const auto frame = reader.next();
  ASSERT_TRUE(frame.ok());
  EXPECT_FALSE(frame->has_value());
}

TEST(Frames, PF_10_a_command_line_passes_with_any_bytes_that_an_argument_can_hold) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    RunRequest run{"1.2.3", "a b", "/tmp/\xff\xfe", (random() & 1) != 0, (random() & 1) != 0, {}};
    for (std::size_t i = random() % 6; i-- > 0;) {
      std::string argument = random_bytes(random, random() % 50);
      std::erase(argument, '\0');
      run.arguments.push_back(argument);
    }
    const auto read = decode_run(encode_run(run));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->arguments, run.arguments);
    EXPECT_EQ(read->folder, run.folder);
    EXPECT_EQ(read->interactive, run.interactive);
    EXPECT_EQ(read->colours, run.colours);
  }
}

TEST(Frames, PF_10_a_broken_command_line_is_refused) {
  std::mt19937 random(5);
  const std::string whole = encode_run({"1", "w", "/", true, false, {"search", "x"}});
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    const auto cut = decode_run(std::string_view(whole).substr(0, length));
    EXPECT_TRUE(!cut.ok() || cut->arguments.size() < 2) << length;
  }
  for (int round = 0; round < 2000; ++round) (void)decode_run(random_bytes(random, random() % 80));
  EXPECT_FALSE(decode_run("").ok());
  EXPECT_FALSE(decode_run(std::string_view("1\0w\0/\0yes\0no\0", 13)).ok());
}

}  // namespace
}  // namespace weft::cli
