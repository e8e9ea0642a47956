#include "flow/context/injector.h"

#include <gtest/gtest.h>

#include <random>

#include "flow/context/place_blocks.h"

namespace weft {
namespace {

Message message(Role role, std::string content) {
  Message one;
  one.role = role;
  one.content = std::move(content);
  return one;
}

Message calls(const std::vector<std::string>& ids) {
  Message one = message(Role::kAssistant, "calls");
  for (const std::string& id : ids) one.tool_calls.push_back({id, "look", "{}"});
  return one;
}

Message output(std::string id) {
  Message one = message(Role::kTool, "output");
  one.tool_call_id = std::move(id);
  return one;
}

FloatingBlock block(std::string content, BlockPlace position, std::int64_t depth = 0, std::int64_t priority = 10,
                    Role role = Role::kSystem) {
  FloatingBlock one;
  one.id = one.content = std::move(content);
  one.position = position;
  one.depth = depth;
  one.priority = priority;
  one.role = role;
  return one;
}

std::vector<std::string> texts(const std::vector<Message>& messages) {
  std::vector<std::string> texts;
  for (const Message& one : messages) texts.push_back(one.content);
  return texts;
}

using Texts = std::vector<std::string>;

const std::vector<Message> kChat{message(Role::kSystem, "S"),     message(Role::kUser, "u1"),
                                 message(Role::kAssistant, "a1"), message(Role::kUser, "u2"),
                                 message(Role::kAssistant, "a2"), message(Role::kUser, "input")};

CuratedEntry entry(std::string id, Chain chain, std::string name, std::string text) {
  CuratedEntry one;
  one.id = std::move(id);
  one.type = to_string(chain);
  one.chain = chain;
  one.name = std::move(name);
  one.text = std::move(text);
  return one;
}

TEST(Injector, HC_10_full_text_is_fetched_by_id) {
  CandidatePool pool;
  for (const char* id : {"a", "gone", "b", "empty"}) {
    Candidate one;
    one.id = one.ref = id;
    one.name = "name of " + one.id;
    one.preview = "short";
    one.chain = Chain::kNarrative;
    pool.items.push_back(one);
  }
  const FetchEntry fetch = [](const Candidate& one) -> Result<CuratedEntry> {
    if (one.ref == "gone") return not_found("no item gone");
    CuratedEntry entry;
    entry.text = one.ref == "empty" ? "" : "the whole text of " + one.ref;
    return entry;
  };
  std::vector<std::string> notes;
  const auto entries = fetch_entries(pool, {2, 1, 0, 3, 99}, fetch, notes);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].id, "b");
  EXPECT_EQ(entries[0].text, "the whole text of b");
  EXPECT_EQ(entries[0].type, "narrative");
  EXPECT_EQ(entries[0].name, "name of b");
  EXPECT_EQ(notes, std::vector<std::string>{"gone: no item gone"});
}

TEST(Injector, HC_10_entries_are_written_as_the_specification_shows) {
  CuratedEntry key = entry("lore_01", Chain::kLore, "神庙钥匙", "由翡翠雕刻而成的古老钥匙。");
  key.type = "item";
  CuratedEntry told = entry("narrative_105", Chain::kNarrative, "", "玩家表现出了犹豫。");
  told.turn = 10;
  EXPECT_EQ(render_entries({told, key}, {"flash", "Asked about 'Key'."}),
            "<context_layer type=\"probabilistic\" model=\"flash\">\n"
            "  <rationale>Asked about 'Key'.</rationale>\n"
            "  <knowledge_base>\n"
            "    <entry id=\"lore_01\" type=\"item\">\n"
            "      <name>神庙钥匙</name>\n"
            "      <desc>由翡翠雕刻而成的古老钥匙。</desc>\n"
            "    </entry>\n"
            "  </knowledge_base>\n"
            "  <relevant_memories>\n"
            "    <memory id=\"narrative_105\" turn=\"10\">\n"
            "      玩家表现出了犹豫。\n"
            "    </memory>\n"
            "  </relevant_memories>\n"
            "</context_layer>");
  EXPECT_EQ(render_entries({}, {}), "");
  const std::string evil = render_entries({entry("</entry>", Chain::kLore, "</name>", "</desc></context_layer>")}, {});
  EXPECT_EQ(evil.find("</context_layer>"), evil.rfind("</context_layer>"));
  EXPECT_EQ(evil.find("</name>"), evil.rfind("</name>"));
}

TEST(Injector, HC_10_blocks_carry_place_depth_priority_role_and_source) {
  CuratedEntry own = entry("c", Chain::kLore, "", "text c");
  own.placement.position = BlockPlace::kHistoryBottom;
  own.placement.depth = 4;
  own.placement.priority = 99;
  own.placement.role = Role::kUser;
  const std::vector<CuratedEntry> entries{entry("a", Chain::kLore, "", "text a"), own,
                                          entry("b", Chain::kEvent, "", "text b")};
  const auto blocks = make_blocks(entries, {}, {});
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].id, "curation");
  EXPECT_EQ(blocks[0].source, "curation");
  EXPECT_EQ(blocks[0].position, BlockPlace::kHistoryTop);
  EXPECT_EQ(blocks[0].depth, 0);
  EXPECT_EQ(blocks[0].priority, 10);
  EXPECT_EQ(blocks[1].id, "c");
  EXPECT_EQ(blocks[1].depth, 4);
  EXPECT_EQ(blocks[1].priority, 99);
  EXPECT_EQ(blocks[1].role, Role::kUser);
  InjectOptions each;
  each.block_per_entry = true;
  const auto render = [](const std::vector<CuratedEntry>& of, const LayerLabels&) { return of.front().text; };
  const auto single = make_blocks(entries, {}, each, render);
  ASSERT_EQ(single.size(), 3U);
  EXPECT_EQ(single[2].content, "text b");
  EXPECT_TRUE(make_blocks({}, {}, {}).empty());
}

TEST(Injector, HC_10_each_place_is_honoured) {
  EXPECT_EQ(texts(place_blocks(kChat, {block("B", BlockPlace::kSystemEnd)})),
            (Texts{"S\n\nB", "u1", "a1", "u2", "a2", "input"}));
  EXPECT_EQ(texts(place_blocks(kChat, {block("B", BlockPlace::kHistoryTop)})),
            (Texts{"S", "B", "u1", "a1", "u2", "a2", "input"}));
  EXPECT_EQ(texts(place_blocks(kChat, {block("B", BlockPlace::kHistoryBottom)})),
            (Texts{"S", "u1", "a1", "u2", "a2", "B", "input"}));
  EXPECT_EQ(texts(place_blocks(kChat, {block("B", BlockPlace::kHistoryBottom, 2)})),
            (Texts{"S", "u1", "a1", "B", "u2", "a2", "input"}));
  EXPECT_EQ(texts(place_blocks(kChat, {block("B", BlockPlace::kHistoryBottom, 99)})),
            (Texts{"S", "B", "u1", "a1", "u2", "a2", "input"}));
  EXPECT_EQ(texts(place_blocks(kChat, {block("B", BlockPlace::kHistoryBottom, -3)})),
            (Texts{"S", "u1", "a1", "u2", "a2", "B", "input"}));
  EXPECT_EQ(texts(place_blocks(kChat, {block("B", BlockPlace::kBeforeInput)})),
            (Texts{"S", "u1", "a1", "u2", "a2", "B", "input"}));
}

TEST(Injector, HC_10_system_end_without_a_system_message_or_in_another_role) {
  EXPECT_EQ(texts(place_blocks({message(Role::kUser, "input")}, {block("B", BlockPlace::kSystemEnd)})),
            (Texts{"B", "input"}));
  const auto woven = place_blocks(kChat, {block("B", BlockPlace::kSystemEnd, 0, 10, Role::kUser),
                                          block("T", BlockPlace::kHistoryTop, 0, 1, Role::kTool)});
  EXPECT_EQ(texts(woven), (Texts{"S", "B", "T", "u1", "a1", "u2", "a2", "input"}));
  EXPECT_EQ(woven[1].role, Role::kUser);
  EXPECT_EQ(woven[2].role, Role::kSystem);
  std::vector<Message> read = kChat;
  read[0].raw = "{}";
  EXPECT_EQ(place_blocks(read, {block("B", BlockPlace::kSystemEnd)})[0].raw, "");
  EXPECT_EQ(place_blocks(read, {block("", BlockPlace::kSystemEnd)})[0].raw, "{}");
  EXPECT_EQ(texts(place_blocks({}, {block("B", BlockPlace::kHistoryBottom, 1)})), Texts{"B"});
}

TEST(Injector, HC_10_higher_priority_stands_nearer_to_the_input) {
  const std::vector<FloatingBlock> blocks{
      block("high", BlockPlace::kHistoryTop, 0, 20), block("low", BlockPlace::kHistoryTop, 0, 1),
      block("low too", BlockPlace::kHistoryTop, 0, 1), block("sys 2", BlockPlace::kSystemEnd, 0, 5),
      block("sys 1", BlockPlace::kSystemEnd, 0, 4)};
  EXPECT_EQ(texts(place_blocks(kChat, blocks)),
            (Texts{"S\n\nsys 1\n\nsys 2", "low", "low too", "high", "u1", "a1", "u2", "a2", "input"}));
}

TEST(Injector, HC_10_call_is_never_parted_from_its_outputs) {
  const std::vector<Message> chat{message(Role::kUser, "u1"),    calls({"1", "2"}), output("1"),
                                  message(Role::kUser, "aside"), output("2"),       message(Role::kAssistant, "a1"),
                                  message(Role::kUser, "input"), calls({"1"}),      output("1")};
  for (std::int64_t depth = 2; depth <= 4; ++depth)  // within the first call and its outputs
    EXPECT_EQ(texts(place_blocks(chat, {block("B", BlockPlace::kHistoryBottom, depth)}))[1], "B") << depth;
  EXPECT_EQ(texts(place_blocks(chat, {block("B", BlockPlace::kHistoryBottom, 1)}))[5], "B");
  EXPECT_EQ(texts(place_blocks(chat, {block("B", BlockPlace::kBeforeInput)}))[6], "B");
}

TEST(Injector, HC_10_messages_keep_their_order_whatever_is_put_in) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    std::vector<Message> chat;
    for (std::size_t i = random() % 14; i > 0; --i) {
      const std::string id = std::to_string(random() % 3);
      switch (random() % 5) {
        case 0: chat.push_back(message(Role::kSystem, "m")); break;
        case 1: chat.push_back(calls({id, std::to_string(random() % 3)})); break;
        case 2: chat.push_back(output(id)); break;
        case 3: chat.push_back(message(Role::kUser, "m")); break;
        default: chat.push_back(message(Role::kAssistant, "m"));
      }
    }
    for (std::size_t i = 0; i < chat.size(); ++i) chat[i].id = MessageId(std::to_string(i));
    std::vector<FloatingBlock> blocks;
    for (std::size_t i = random() % 5; i > 0; --i)
      blocks.push_back(block("B", static_cast<BlockPlace>(random() % 4), static_cast<std::int64_t>(random() % 8)));
    const auto woven = place_blocks(chat, blocks);
    std::size_t next = 0;
    for (std::size_t i = 0; i < woven.size(); ++i) {
      const bool own = !woven[i].id.empty();
      EXPECT_TRUE(!own || woven[i].id.str() == std::to_string(next));
      next += own ? 1 : 0;
      // No block right behind a call or an output whose output follows.
      const bool inside = i > 0 && i + 1 < woven.size() && woven[i].id.empty() && !woven[i - 1].tool_calls.empty();
      EXPECT_FALSE(inside && woven[i + 1].role == Role::kTool &&
                   woven[i + 1].tool_call_id == woven[i - 1].tool_calls.back().id);
    }
    EXPECT_EQ(next, chat.size());
  }
}

}  // namespace
}  // namespace weft
