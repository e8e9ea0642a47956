#include "surface/proxy/chat_answer.h"

#include <gtest/gtest.h>

namespace weft::proxy {
namespace {

std::string event(std::string_view data) { return "data: " + std::string(data) + "\n\n"; }

std::string piece(std::string_view delta, std::string_view finish = "null") {
  return event(R"({"choices":[{"index":0,"delta":)" + std::string(delta) + R"(,"finish_reason":)" +
               std::string(finish) + "}]}");
}

const std::string kStream = piece(R"({"role":"assistant","content":""})") + piece(R"({"reasoning_content":"hm"})") +
                            piece(R"({"content":"你"})") + piece(R"({"content":"好"})") + piece("{}", R"("stop")") +
                            event(R"({"choices":[],"usage":{"total_tokens":3}})") + event("[DONE]");

TEST(AssembleReply, joins_the_pieces_wherever_the_bytes_are_cut) {
  for (std::size_t size : {1U, 2U, 3U, 7U, 1000U}) {
    ReplyAssembler assembler;
    for (std::size_t at = 0; at < kStream.size(); at += size)
      assembler.feed(std::string_view(kStream).substr(at, size));
    ASSERT_TRUE(assembler.done());
    const auto message = assembler.message();
    ASSERT_TRUE(message);
    EXPECT_EQ(message->role, Role::kAssistant);
    EXPECT_EQ(message->content, "你好");
    EXPECT_EQ(message->reasoning, "hm");
  }
}

TEST(AssembleReply, joins_tool_calls_by_their_index) {
  ReplyAssembler assembler;
  assembler.feed(piece(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"find","arguments":""}}]})"));
  assembler.feed(piece(R"({"tool_calls":[{"index":1,"id":"b","function":{"name":"read","arguments":"{}"}}]})"));
  assembler.feed(piece(R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"q\":"}}]})"));
  assembler.feed(piece(R"({"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]})", R"("tool_calls")"));
  const auto message = assembler.message();
  ASSERT_TRUE(message);
  ASSERT_EQ(message->tool_calls.size(), 2U);
  EXPECT_EQ(message->tool_calls[0].id, "a");
  EXPECT_EQ(message->tool_calls[0].arguments, R"({"q":1})");
  EXPECT_EQ(message->tool_calls[1].name, "read");
}

TEST(AssembleReply, only_the_first_choice_counts) {
  ReplyAssembler assembler;
  assembler.feed(event(R"({"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"stop"}]})"));
  assembler.feed(piece(R"({"content":"yes"})", R"("stop")"));
  EXPECT_EQ(assembler.message()->content, "yes");
}

TEST(AssembleReply, an_answer_that_breaks_off_is_none) {
  ReplyAssembler assembler;
  assembler.feed(piece(R"({"content":"half"})"));
  EXPECT_FALSE(assembler.complete());
  EXPECT_FALSE(assembler.message());
}

TEST(AssembleReply, errors_and_rubbish_break_it) {
  for (const auto* bad : {R"({"error":{"message":"overloaded"}})", "{broken", "[1,2]", "null"}) {
    ReplyAssembler assembler;
    assembler.feed(piece(R"({"content":"half"})") + event(bad) + piece("{}", R"("stop")") + event("[DONE]"));
    EXPECT_TRUE(assembler.broken()) << bad;
    EXPECT_FALSE(assembler.message()) << bad;
  }
}

TEST(AssembleReply, survives_fields_of_wrong_types) {
  ReplyAssembler assembler;
  assembler.feed(event(R"({"choices":3})") + event(R"({"choices":[3]})") +
                 piece(R"({"content":5,"tool_calls":{"a":1}})") +
                 piece(R"({"tool_calls":[5,{"index":-1},{"index":99999999999,"function":"x"}]})") +
                 piece(R"({"content":"ok"})", R"("stop")"));
  ASSERT_TRUE(assembler.message());
  EXPECT_EQ(assembler.message()->content, "ok");
  EXPECT_TRUE(assembler.message()->tool_calls.empty());
}

TEST(AssembleReply, reads_whole_answers) {
  const auto message = reply_in(
      R"({"choices":[{"message":{"content":null,"reasoning":"r","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}}]})");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->reasoning, "r");
  EXPECT_EQ(message->tool_calls.at(0).name, "f");
  for (const auto* none : {"", "{}", "not json", R"({"choices":[]})", R"({"choices":[{"message":{"content":""}}]})"}) {
    EXPECT_FALSE(reply_in(none)) << none;
  }
}

TEST(AssembleReply, PF_26_a_stream_of_messages_is_read_as_one_of_deltas) {
  const auto message = [](std::string_view text, std::string_view finish = "null") {
    return event(R"({"choices":[{"index":0,"message":{"role":"assistant","content":")" + std::string(text) +
                 R"("},"finish_reason":)" + std::string(finish) + "}]}");
  };
  const auto joined = [](const std::string& stream) {
    ReplyAssembler assembler;
    assembler.feed(stream + event("[DONE]"));
    const auto whole = assembler.message();
    return whole ? whole->content : "nothing";
  };
  EXPECT_EQ(joined(message("ha") + message("ha") + message("", R"("stop")")), "haha");
  EXPECT_EQ(joined(message("The port is 6543. ") + message("The port is 6543. Use it.", R"("stop")")),
            "The port is 6543. Use it.");
  EXPECT_EQ(joined(piece(R"({"content":"The port is 6543."})") + message("The port is 6543.", R"("stop")")),
            "The port is 6543.");
}

}  // namespace
}  // namespace weft::proxy
