#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <random>

#include "model/message_reader.h"
#include "weft/message.h"

namespace weft {

namespace {

using Messages = std::vector<Message>;

Message one(std::string_view json) {
  const auto parsed = parse_message(json);
  EXPECT_TRUE(parsed.ok()) << json << ": " << (parsed.ok() ? "" : parsed.error().message);
  if (!parsed.ok() || parsed->size() != 1) return {};
  return parsed->front();
}

std::string error_of(std::string_view json) {
  const auto parsed = parse_message(json);
  return parsed.ok() ? "" : parsed.error().message + " | " + parsed.error().hint;
}

std::string errors_of(std::string_view json, const MessageLimits& limits = {}) {
  const auto parsed = parse_messages(json, limits);
  return parsed.ok() ? "" : parsed.error().message + " | " + parsed.error().hint;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

void expect_same(const Message& a, const Message& b, bool ids = true) {
  if (ids) {
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.time.has_value(), b.time.has_value());
    if (a.time && b.time) {
      EXPECT_EQ(a.time->ms, b.time->ms);
      EXPECT_EQ(a.time->offset_minutes, b.time->offset_minutes);
    }
  }
  EXPECT_EQ(a.role, b.role);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.content, b.content);
  EXPECT_EQ(a.reasoning, b.reasoning);
  EXPECT_EQ(a.tool_call_id, b.tool_call_id);
  ASSERT_EQ(a.tool_calls.size(), b.tool_calls.size());
  for (std::size_t i = 0; i < a.tool_calls.size(); ++i) {
    EXPECT_EQ(a.tool_calls[i].id, b.tool_calls[i].id);
    EXPECT_EQ(a.tool_calls[i].name, b.tool_calls[i].name);
    EXPECT_EQ(a.tool_calls[i].arguments, b.tool_calls[i].arguments);
  }
}

TEST(MessageJson, ST_1_openai_messages) {
  const Message user =
      one(R"({"role":"user","content":"你好","name":"ann","id":"m1","time":"2026-03-01T09:30:00+08:00"})");
  EXPECT_EQ(user.role, Role::kUser);
  EXPECT_EQ(user.content, "你好");
  EXPECT_EQ(user.name, "ann");
  EXPECT_EQ(user.id.str(), "m1");
  EXPECT_EQ(format_time(*user.time), "2026-03-01T09:30:00+08:00");

  const Message call = one(R"({"role":"assistant","content":null,"reasoning_content":"look","tool_calls":[
      {"id":"c1","type":"function","function":{"name":"find","arguments":"{\"z\": 1, \"a\":2}"}}]})");
  EXPECT_EQ(call.reasoning, "look");
  ASSERT_EQ(call.tool_calls.size(), 1U);
  EXPECT_EQ(call.tool_calls[0].id, "c1");
  EXPECT_EQ(call.tool_calls[0].arguments, R"({"z": 1, "a":2})");

  const Message tool = one(R"({"role":"tool","tool_call_id":"c1","content":"found"})");
  EXPECT_EQ(tool.role, Role::kTool);
  EXPECT_EQ(tool.tool_call_id, "c1");

  EXPECT_EQ(one(R"({"role":"developer","content":"rules"})").role, Role::kSystem);
  EXPECT_EQ(one(R"({"role":"assistant","content":null,"refusal":"I cannot"})").content, "I cannot");
}

TEST(MessageJson, ST_1_parts_that_are_no_text_leave_a_mark) {
  EXPECT_EQ(one(R"({"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"x"}},
      {"type":"input_audio","input_audio":{}},{"type":"file","file":{}},{"type":"hologram","data":1}]})")
                .content,
            "see\n[image]\n[audio]\n[file]\n[hologram]");
  EXPECT_EQ(one(R"({"role":"user","content":[]})").content, "");
}

TEST(MessageJson, ST_1_the_deprecated_function_form) {
  const Message call = one(R"({"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}})");
  const Message output = one(R"({"role":"function","name":"f","content":"1"})");
  ASSERT_EQ(call.tool_calls.size(), 1U);
  EXPECT_EQ(output.role, Role::kTool);
  EXPECT_EQ(output.tool_call_id, call.tool_calls[0].id);
}

TEST(MessageJson, ST_1_both_wire_forms_give_the_same_messages) {
  const auto openai = parse_messages(R"([
    {"role":"system","content":"be brief"},
    {"role":"user","content":"weather?"},
    {"role":"assistant","content":"let me see","reasoning_content":"need a tool","tool_calls":[
      {"id":"t1","type":"function","function":{"name":"weather","arguments":"{\"where\":\"Ulm\",\"days\":1.50}"}},
      {"id":"t2","type":"function","function":{"name":"clock","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"t1","content":"rain"},
    {"role":"tool","tool_call_id":"t2","content":"noon\n[image]"},
    {"role":"user","content":"and tomorrow?"},
    {"role":"assistant","content":"sun"}])");
  const auto anthropic = parse_messages(R"({"model":"m","system":[{"type":"text","text":"be brief"}],"messages":[
    {"role":"user","content":"weather?"},
    {"role":"assistant","content":[
      {"type":"thinking","thinking":"need a tool","signature":"s"},{"type":"redacted_thinking","data":"xx"},
      {"type":"text","text":"let me see"},
      {"type":"tool_use","id":"t1","name":"weather","input":{ "where" : "Ulm", "days": 1.50 }},
      {"type":"tool_use","id":"t2","name":"clock","input":{}}]},
    {"role":"user","content":[
      {"type":"text","text":"and tomorrow?"},
      {"type":"tool_result","tool_use_id":"t1","content":"rain"},
      {"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"noon"},{"type":"image","source":{}}]}]},
    {"role":"assistant","content":[{"type":"text","text":"sun"}]}]})");
  ASSERT_TRUE(openai.ok() && anthropic.ok()) << (anthropic.ok() ? "" : anthropic.error().message);
  ASSERT_EQ(openai->size(), anthropic->size());
  for (std::size_t i = 0; i < openai->size(); ++i) {
    SCOPED_TRACE(i);
    expect_same((*openai)[i], (*anthropic)[i]);
  }
}

TEST(MessageJson, messages_split_from_one_keep_different_ids) {
  const auto parsed = parse_message(R"({"id":"m","role":"user","content":[
    {"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b"},
    {"type":"text","text":"go on"}]})");
  ASSERT_TRUE(parsed.ok());
  ASSERT_EQ(parsed->size(), 3U);
  EXPECT_EQ((*parsed)[0].id.str(), "m#1");
  EXPECT_EQ((*parsed)[1].id.str(), "m#2");
  EXPECT_EQ((*parsed)[2].id.str(), "m");
  EXPECT_EQ((*parsed)[0].raw, R"({"type":"tool_result","tool_use_id":"a","content":"1"})");
  EXPECT_EQ(one(R"({"id":"m","role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]})").id.str(), "m");
}

TEST(MessageJson, lines_of_collections) {
  const Message m =
      one(R"({"id":"7","session":"s","time":"2022-01-01T00:00:00+00:00","role":"user","name":"Bart","text":"hi"})");
  EXPECT_EQ(m.content, "hi");
  EXPECT_EQ(m.name, "Bart");
}

TEST(MessageJson, times_in_several_forms) {
  const auto ms = [](std::string_view json) { return one(json).time.value_or(Time{-1, 0}).ms; };
  EXPECT_EQ(ms(R"({"role":"user","content":"","timestamp":1700000000})"), 1700000000000);
  EXPECT_EQ(ms(R"({"role":"user","content":"","created_at":1700000000.25})"), 1700000000250);
  EXPECT_EQ(ms(R"({"role":"user","content":"","created_at":1700000000250})"), 1700000000250);
  EXPECT_EQ(ms(R"({"role":"user","content":"","time":null})"), -1);
  EXPECT_TRUE(has(error_of(R"({"role":"user","content":"","time":"yesterday"})"), "time"));
  EXPECT_TRUE(has(error_of(R"({"role":"user","content":"","time":1e300})"), "out of range"));
  EXPECT_TRUE(has(error_of(R"({"role":"user","content":"","time":[]})"), "array"));
}

TEST(MessageJson, raw_is_the_text_it_came_from) {
  const std::string text =
      R"([ {"role":"user", "content":"a\"]}","extra":{"z":1,"a":2}} , {"role":"user","content":"b"} ])";
  const auto parsed = parse_messages(text);
  ASSERT_TRUE(parsed.ok());
  ASSERT_EQ(parsed->size(), 2U);
  EXPECT_EQ((*parsed)[0].raw, R"({"role":"user", "content":"a\"]}","extra":{"z":1,"a":2}})");
  EXPECT_EQ((*parsed)[1].raw, R"({"role":"user","content":"b"})");
}

TEST(MessageJson, nul_in_a_text_is_kept) {
  const Message m = one(R"({"role":"user","content":"a\u0000b"})");
  EXPECT_EQ(m.content, std::string("a\0b", 3));
  expect_same(one(to_json(m)), m);
}

TEST(MessageJson, errors_name_field_and_place) {
  EXPECT_TRUE(has(error_of(R"({"role":"robot","content":""})"), "role \"robot\""));
  EXPECT_TRUE(has(error_of(R"({"content":""})"), "role is missing"));
  EXPECT_TRUE(has(error_of(R"({"role":3,"content":""})"), "role is number"));
  EXPECT_TRUE(has(error_of(R"({"role":"user"})"), "content is missing"));
  EXPECT_TRUE(has(error_of(R"({"role":"user","content":5})"), "content is number"));
  EXPECT_TRUE(has(error_of(R"({"role":"user","content":[{"type":"text","text":[]}]})"), "content[0].text is array"));
  EXPECT_TRUE(has(error_of(R"({"role":"user","content":["x"]})"), "content[0]"));
  EXPECT_TRUE(has(error_of(R"({"role":"user","content":[{"type":"A B"}]})"), "content[0].type"));
  EXPECT_TRUE(has(error_of(R"({"role":"assistant","tool_calls":[{"id":"x"}]})"), "tool_calls[0].function is missing"));
  EXPECT_TRUE(has(error_of(R"({"role":"assistant","tool_calls":[{"function":{}}]})"), "tool_calls[0].function.name"));
  EXPECT_TRUE(has(error_of(R"({"role":"user","content":"","tool_calls":[{"function":{"name":"f"}}]})"), "role user"));
  EXPECT_TRUE(has(error_of(R"({"role":"assistant","content":[{"type":"tool_result"}]})"), "content[0]"));
  EXPECT_TRUE(has(error_of(R"({"role":"user","content":"","id":"a\nb"})"), "id has a control character"));
  EXPECT_TRUE(has(error_of(R"({"role":"user","content":"","id":5})"), "id is number"));
  EXPECT_TRUE(has(error_of("[]"), "object"));
  EXPECT_TRUE(has(error_of("{\"role\":\"user\",\"content\":\"a\xFF\"}"), "byte 27"));
  EXPECT_TRUE(has(error_of(R"({"role":"user","content":"\ud83d"})"), "pair"));
  EXPECT_TRUE(has(error_of(R"({"role":"user","content":"x")"), "not JSON at byte"));

  EXPECT_TRUE(has(errors_of(R"([{"role":"user","content":""},{"role":"x","content":""}])"), "messages[1].role"));
  EXPECT_TRUE(has(errors_of(R"({"system":5,"messages":[]})"), "system is number"));
  EXPECT_TRUE(has(errors_of(R"({"prompt":"x"})"), "messages is missing"));
  EXPECT_TRUE(has(errors_of(R"({"messages":{}})"), "messages is no array"));
  EXPECT_TRUE(has(errors_of("5"), "neither"));
  EXPECT_TRUE(has(errors_of(""), "not JSON"));
}

TEST(MessageJson, limits_hold) {
  MessageLimits limits;
  limits.max_bytes = 100;
  limits.max_depth = 8;
  limits.max_tool_calls = 2;
  const std::string small = R"({"role":"user","content":"x"})";
  const std::string large = R"({"role":"user","content":")" + std::string(200, 'x') + "\"}";
  EXPECT_EQ(errors_of("[" + small + "," + small + "," + small + "," + small + "]", limits), "");
  EXPECT_TRUE(has(errors_of("[" + small + "," + large + "]", limits), "messages[1] has"));
  EXPECT_EQ(parse_message(large, limits).error().code, ErrorCode::kTooLarge);

  limits.max_bytes = 10'000'000;
  const std::string deep = R"({"role":"user","content":"","x":)" + std::string(5'000'000, '[') + "}";
  EXPECT_EQ(parse_message(deep, limits).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(parse_messages("[" + deep + "]", limits).error().code, ErrorCode::kTooLarge);

  const std::string call = R"({"function":{"name":"f"}})";
  EXPECT_TRUE(parse_message(R"({"role":"assistant","tool_calls":[)" + call + "," + call + "]}", limits).ok());
  EXPECT_FALSE(
      parse_message(R"({"role":"assistant","tool_calls":[)" + call + "," + call + "," + call + "]}", limits).ok());
}

TEST(MessageJson, calls_without_text_are_written_with_null) {
  Message m;
  m.role = Role::kAssistant;
  m.tool_calls.push_back({"c", "f", ""});
  EXPECT_EQ(
      to_json(m),
      R"({"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]})");
  m = Message();
  m.content = "broken \xFF";
  EXPECT_EQ(one(to_json(m)).content, "broken \xEF\xBF\xBD");
}

// Messages of every shape from a fixed seed.
class Random {
 public:
  std::string text(std::size_t longest) {
    static const std::vector<std::string> kPieces = {
        "a",  "B ",  "\"",   "\\",   "\n", "你", "好。", "😀",
        "\t", "{}[", "\\u0", "\x7F", "é",  "\r", "</",   std::string(1, '\0')};
    std::string out;
    for (std::size_t n = below(longest + 1); n > 0; --n) out += kPieces[below(kPieces.size())];
    return out;
  }
  Message message() {
    Message m;
    m.role = static_cast<Role>(below(4));
    m.content = text(12);
    if (below(2) == 0) m.id = MessageId("id " + std::to_string(below(1000)));
    if (below(2) == 0) m.name = text(3);
    if (below(2) == 0) m.reasoning = text(8);
    if (below(2) == 0) {
      m.time = Time{static_cast<std::int64_t>(below(4'000'000'000'000)), static_cast<std::int32_t>(below(1679)) - 839};
    }
    if (m.role == Role::kTool) m.tool_call_id = text(4);
    if (m.role == Role::kAssistant) {
      for (std::size_t n = below(4); n > 0; --n) m.tool_calls.push_back({text(3), "f" + text(3), text(10)});
    }
    return m;
  }
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }

 private:
  std::mt19937_64 engine_{20260301};
};

TEST(MessageJson, reading_what_was_written_gives_the_same) {
  Random random;
  for (int i = 0; i < 3000; ++i) {
    const Message m = random.message();
    SCOPED_TRACE(to_json(m));
    expect_same(one(to_json(m)), m);
    if (HasFailure()) break;
  }
}

TEST(MessageJson, damaged_input_is_an_error_and_no_crash) {
  Random random;
  for (int i = 0; i < 3000; ++i) {
    std::string text = "[" + to_json(random.message()) + "," + to_json(random.message()) + "]";
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
      const std::size_t at = random.below(text.size());
      if (random.below(2) == 0) {
        text.erase(at, 1 + random.below(4));
      } else {
        text[at] = static_cast<char>(random.below(256));
      }
    }
    const auto parsed = parse_messages(text);
    if (!parsed.ok()) continue;
    for (const Message& m : *parsed) EXPECT_TRUE(parse_message(to_json(m)).ok()) << text;
  }
}

}  // namespace

namespace {

TEST(AddedText, AC_13_string_content_grows_and_nothing_else_changes) {
  const std::string raw = R"({ "name":"ann", "content" : "caf\u00e9 \"x\"" ,"x_own":{"content":"no"}, "role":"user"})";
  EXPECT_EQ(with_text_before(raw, "a \"b\"\n\n"),
            R"({ "name":"ann", "content" : "a \"b\"\n\ncaf\u00e9 \"x\"" ,"x_own":{"content":"no"}, "role":"user"})");
  EXPECT_EQ(with_text_after(raw, "\n后\\"),
            R"({ "name":"ann", "content" : "caf\u00e9 \"x\"\n后\\" ,"x_own":{"content":"no"}, "role":"user"})");
}

TEST(AddedText, AC_13_in_parts_the_text_stands_with_the_text) {
  const std::string raw =
      R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}},)"
      R"( {"type":"text","text":"one","cache_control":{"type":"ephemeral"}},{"type":"text","text":"two"}]})";
  EXPECT_EQ(with_text_before(raw, "<m>"),
            R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}},)"
            R"( {"type":"text","text":"<m>one","cache_control":{"type":"ephemeral"}},{"type":"text","text":"two"}]})");
  EXPECT_EQ(with_text_after(raw, "<m>"),
            R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}},)"
            R"( {"type":"text","text":"one","cache_control":{"type":"ephemeral"}},{"type":"text","text":"two<m>"}]})");
}

TEST(AddedText, AC_13_where_there_is_no_text_a_part_is_added) {
  const std::string image = R"({"type":"image_url","image_url":{"url":"data:x","text":"none"}})";
  const std::string raw = R"({"role":"user","content":[)" + image + "]}";
  EXPECT_EQ(with_text_before(raw, "m"), R"({"role":"user","content":[{"type":"text","text":"m"},)" + image + "]}");
  EXPECT_EQ(with_text_after(raw, "m"), R"({"role":"user","content":[)" + image + R"(,{"type":"text","text":"m"}]})");
  EXPECT_EQ(with_text_before(R"({"role":"user","content":[ ]})", "m"),
            R"({"role":"user","content":[{"type":"text","text":"m"}]})");
  EXPECT_EQ(with_text_after(R"({"role":"user","content":null})", "m"), R"({"role":"user","content":"m"})");
  EXPECT_EQ(with_text_before(R"({"role":"user"})", "m"), R"({"role":"user","content":"m"})");
  EXPECT_EQ(with_text_before("{}", "m"), R"({"content":"m"})");
}

TEST(AddedText, AC_13_what_is_no_message_or_no_text_stays) {
  for (const auto* raw : {"[1]", "", "null", "\"text\""}) EXPECT_EQ(with_text_before(raw, "m"), raw);
  EXPECT_EQ(with_text_before(R"({"content":"a"})", ""), R"({"content":"a"})");
}

TEST(AddedText, AC_13_a_message_reads_as_its_json_says) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"a", "\"", "\\", "\n", "剑", "😀", "{", "]", ":", " "};
  const auto text = [&] {
    std::string out;
    for (int i = 0; i < 8; ++i) out += pieces[random() % pieces.size()];
    return out;
  };
  for (int round = 0; round < 200; ++round) {
    nlohmann::ordered_json json = {{"x", text()}, {"content", text()}, {"role", "user"}};
    const bool in_parts = round % 2 == 0;
    if (in_parts) json["content"] = {{{"type", "text"}, {"text", text()}}};
    const auto parsed = parse_message(json.dump());
    ASSERT_TRUE(parsed.ok());
    const auto added = text();
    for (const bool before : {true, false}) {
      const auto made = before ? with_text_before(parsed->front(), added) : with_text_after(parsed->front(), added);
      const auto again = parse_message(made.raw);
      ASSERT_TRUE(again.ok()) << made.raw;
      EXPECT_EQ(again->front().content, made.content);
      EXPECT_EQ(made.content, before ? added + parsed->front().content : parsed->front().content + added);
    }
  }
}

TEST(AddedText, AC_13_a_message_made_in_code_needs_no_json) {
  Message message;
  message.content = "b";
  EXPECT_EQ(with_text_before(message, "a").content, "ab");
  EXPECT_EQ(with_text_after(message, "a").content, "ba");
  EXPECT_TRUE(with_text_before(message, "a").raw.empty());
}

}  // namespace

}  // namespace weft
