#include "flow/memory/lore_import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "text/token_counter.h"
#include "text/utf8.h"

#include "tests/support/large_text.h"

namespace weft {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kMarkdown = R"(---
title: 灰岬
tags: [灰岬, coast]
order: 120
mood: gloomy
---
一座多雾的海岬。

# 地点
## 灯塔
关键词：灯塔、守灯人
灯塔建于三百年前，夜里的光能照到二十里外。

### 透镜
透镜由十二块水晶磨成。

## Harbour
keys: harbour, the quay
tags: trade

Ships unload at dawn.

```
# no heading
```

传说
====
雾里有钟声。
)";

LoreImport import(const std::string& bytes, const std::string& file, const LoreLimits& limits = {}) {
  auto result = import_lore(bytes, file, limits);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? *result : LoreImport();
}

Names ids(const LoreImport& lore) {
  Names names;
  for (const LoreEntry& entry : lore.entries) names.push_back(entry.id);
  return names;
}

TEST(LoreImport, HC_3_markdown_is_cut_by_its_headings) {
  const LoreImport lore = import(kMarkdown, "world/grey point.md");
  ASSERT_EQ(lore.entries.size(), 5u);
  EXPECT_EQ(ids(lore), (Names{"lore:world/grey point.md#text", "lore:world/grey point.md#地点/灯塔",
                              "lore:world/grey point.md#地点/灯塔/透镜", "lore:world/grey point.md#地点/harbour",
                              "lore:world/grey point.md#传说"}));
  EXPECT_EQ(lore.entries[0].title, "灰岬");
  EXPECT_EQ(lore.entries[2].title, "灰岬 > 地点 > 灯塔 > 透镜");
  EXPECT_EQ(lore.entries[1].keys, (Names{"灯塔", "守灯人"}));
  EXPECT_EQ(lore.entries[1].text, "灯塔建于三百年前，夜里的光能照到二十里外。");
  EXPECT_EQ(lore.entries[3].keys, (Names{"harbour", "the quay"}));
  EXPECT_EQ(lore.entries[3].tags, (Names{"灰岬", "coast", "trade"}));
  EXPECT_NE(lore.entries[3].text.find("# no heading"), std::string::npos);
  EXPECT_EQ(lore.entries[4].text, "雾里有钟声。");
  for (const LoreEntry& entry : lore.entries) {
    EXPECT_EQ(entry.order, 120);
    EXPECT_EQ(entry.source, "world/grey point.md");
    EXPECT_EQ(entry.position, BlockPlace::kHistoryTop);
  }
  EXPECT_EQ(lore.ignored_fields.at("mood"), 1u);
  EXPECT_EQ(lore.problem_count, 0u);
}

TEST(LoreImport, HC_3_long_sections_are_cut_safely_and_keep_their_path) {
  std::string body;
  for (int i = 0; i < 200; ++i)
    body += "第" + std::to_string(i) + "夜，守灯人听见钟声从海上传来。Nobody else heard it. ";
  const LoreImport lore = import("# Log\n## Nights\n" + body, "log.md", {.section_tokens = 120});
  ASSERT_GT(lore.entries.size(), 10u);
  std::string all;
  for (const LoreEntry& entry : lore.entries) {
    EXPECT_LE(estimate_tokens(entry.text, TokenMode::kScript), 120);
    EXPECT_FALSE(find_invalid_utf8(entry.text));
    EXPECT_EQ(entry.title.rfind("Log > Nights", 0), 0u);
    all += entry.text;
  }
  std::erase(all, ' ');
  std::erase(body, ' ');
  EXPECT_TRUE(all == body);
  EXPECT_EQ(lore.entries[1].title, "Log > Nights (2)");
  EXPECT_EQ(lore.entries[1].id, "lore:log.md#log/nights~2");
}

TEST(LoreImport, HC_3_front_matter_that_is_none_stands_as_text) {
  const LoreImport lore = import("---\nA rule, then words.\n", "a.md");
  ASSERT_EQ(lore.entries.size(), 1u);
  EXPECT_EQ(lore.problem_count, 1u);
  const LoreImport wrong = import("---\ndepth: deep\nposition: at_depth\n---\nText.\n", "b.md");
  ASSERT_EQ(wrong.entries.size(), 1u);
  EXPECT_EQ(wrong.entries[0].position, BlockPlace::kHistoryBottom);
  ASSERT_EQ(wrong.problems.size(), 1u);
  EXPECT_NE(wrong.problems[0].message.find("\"depth\" must be a number"), std::string::npos);
}

TEST(LoreImport, HC_3_plain_text_gives_a_paragraph_each_with_ids_that_stay) {
  const std::string first =
      "The bell of Grey Point was cast from the anchors of seven drowned ships, and it rings in fog.\n";
  const std::string second = "灰岬的渔民从不在雾天出海，因为他们相信雾里的钟声会把船引向暗礁。\n";
  const LoreImport lore = import("Bells\n\n" + first + "\n \n" + second, "notes.txt");
  ASSERT_EQ(lore.entries.size(), 2u);
  EXPECT_EQ(lore.entries[0].text.rfind("Bells\n\nThe bell", 0), 0u);
  EXPECT_EQ(lore.entries[0].title, "notes");
  const LoreImport changed =
      import("Another beginning, long enough to be a paragraph all by itself, as it should be here.\n\n" + second,
             "notes.txt");
  ASSERT_EQ(changed.entries.size(), 2u);
  EXPECT_EQ(changed.entries[1].id, lore.entries[1].id);
}

constexpr const char* kWorldInfo = R"({"entries": {
  "0": {"uid": 0, "key": ["神庙", "temple"], "keysecondary": ["钥匙", "key"], "comment": "森林神庙", "content": "神庙在森林深处。",
        "constant": false, "selective": true, "selectiveLogic": 3, "order": 50, "position": 0, "disable": false,
        "depth": 4, "probability": 100, "useProbability": true, "role": null, "sticky": 0, "cooldown": 0},
  "1": {"uid": 1, "key": ["curse"], "comment": "Curse", "content": "Who enters forgets a name.", "position": 4, "depth": 2,
        "role": 1, "order": 200, "matchWholeWords": false, "caseSensitive": null},
  "2": {"uid": 2, "key": [], "comment": "Tone", "content": "Write with restraint.", "constant": true, "position": 3, "depth": 9},
  "3": {"uid": 3, "key": ["x"], "comment": "off", "content": "Never.", "disable": true, "position": 1},
  "4": {"uid": 4, "key": ["y"], "comment": "empty", "content": ""},
  "5": {"uid": 5, "key": ["z"], "comment": "odd", "content": "Z.", "position": 12},
  "6": {"uid": 6, "key": ["w"], "keysecondary": ["v"], "selective": false, "comment": "examples", "content": "W.",
        "position": 5, "probability": 20, "useProbability": false},
  "7": {"uid": 7, "key": ["u"], "comment": "outlet", "content": "U.", "position": 7, "sticky": 3}
}})";

const LoreEntry& entry(const LoreImport& lore, const std::string& title) {
  const auto at =
      std::find_if(lore.entries.begin(), lore.entries.end(), [&](const auto& e) { return e.title == title; });
  EXPECT_NE(at, lore.entries.end()) << title;
  return at == lore.entries.end() ? lore.entries.front() : *at;
}

TEST(LoreImport, HC_3_world_info_is_read_with_its_keys_and_switches) {
  const LoreImport lore = import(kWorldInfo, "forest.json");
  ASSERT_EQ(lore.entries.size(), 6u);
  const LoreEntry& temple = entry(lore, "森林神庙");
  EXPECT_EQ(temple.id, "lore:forest.json#0");
  EXPECT_EQ(temple.keys, (Names{"神庙", "temple"}));
  EXPECT_EQ(temple.secondary_keys, (Names{"钥匙", "key"}));
  EXPECT_EQ(temple.logic, LoreLogic::kAndAll);
  EXPECT_FALSE(temple.constant);
  EXPECT_TRUE(temple.enabled);
  EXPECT_TRUE(temple.whole_words);
  EXPECT_FALSE(entry(lore, "Curse").whole_words);
  EXPECT_TRUE(entry(lore, "Tone").constant);
  EXPECT_FALSE(entry(lore, "off").enabled);
  EXPECT_TRUE(entry(lore, "examples").secondary_keys.empty());
  EXPECT_EQ(entry(lore, "examples").probability, 100);
  EXPECT_EQ(lore.left_out, 2u);
  EXPECT_EQ(lore.problem_count, 3u);  // no text, no such place, an outlet
  EXPECT_EQ(lore.problems[0].where, "forest.json");
  EXPECT_NE(lore.problems[0].message.find("entry 4 (empty): has no text"), std::string::npos);
  EXPECT_NE(lore.problems[1].message.find("entry 5 (odd): \"position\""), std::string::npos);
  EXPECT_EQ(lore.ignored_fields.at("sticky"), 2u);
  EXPECT_EQ(lore.ignored_fields.at("cooldown"), 1u);
}

TEST(LoreImport, HC_10_places_depth_role_and_order_of_world_info_become_a_block) {
  const LoreImport lore = import(kWorldInfo, "forest.json");
  const FloatingBlock temple = lore_block(entry(lore, "森林神庙"), "x");
  EXPECT_EQ(temple.position, BlockPlace::kSystemEnd);
  EXPECT_EQ(temple.depth, 0);
  EXPECT_EQ(temple.priority, FloatingBlock().priority - 50);
  EXPECT_EQ(temple.role, Role::kSystem);
  EXPECT_EQ(temple.source, "lore");
  const FloatingBlock curse = lore_block(entry(lore, "Curse"), "x");
  EXPECT_EQ(curse.position, BlockPlace::kHistoryBottom);
  EXPECT_EQ(curse.depth, 2);
  EXPECT_EQ(curse.role, Role::kUser);
  EXPECT_GT(curse.priority, temple.priority);
  const FloatingBlock tone = lore_block(entry(lore, "Tone"), "x");
  EXPECT_EQ(tone.position, BlockPlace::kHistoryBottom);
  EXPECT_EQ(tone.depth, 4);  // an author's note stands where it stands, whatever depth lies unused in the file
  EXPECT_EQ(tone.priority, FloatingBlock().priority);
  EXPECT_EQ(entry(lore, "off").position, BlockPlace::kSystemEnd);
  EXPECT_EQ(entry(lore, "examples").position, BlockPlace::kHistoryTop);
  EXPECT_EQ(entry(lore, "outlet").position, BlockPlace::kHistoryTop);
}

TEST(LoreImport, HC_10_character_books_and_cards_with_one_are_read) {
  const std::string entries = R"([
    {"keys": ["Mira"], "content": "Mira keeps the lamp.", "enabled": true, "insertion_order": 7, "position": "after_char",
     "name": "Mira", "id": 3, "extensions": {"position": 4, "depth": 1, "role": 2, "selectiveLogic": 2}, "priority": 10,
     "secondary_keys": ["dream"], "selective": true},
    {"keys": ["bell"], "content": "@@depth 5\n@@role user\n@@activate\n@@scan_depth 9\nThe bell is cracked.", "enabled": true,
     "insertion_order": 100, "use_regex": false, "extensions": {}},
    {"keys": ["fog"], "content": "Fog comes on Thursdays.", "enabled": false, "position": "before_char", "extensions": {}},
    {"keys": {"a": 1}, "content": "broken"}, 17,
    {"keys": ["void"], "content": "@@depth 3\n"}])";
  for (const std::string& file :
       {R"({"name": "coast", "entries": )" + entries + "}",
        R"({"spec": "lorebook_v3", "data": {"entries": )" + entries + "}}",
        R"({"spec": "chara_card_v2", "data": {"name": "Mira", "first_mes": "Hi", "character_book": {"entries": )" +
            entries + "}}}",
        R"({"name": "Mira", "first_mes": "Hi", "character_book": {"entries": )" + entries + "}}"}) {
    const LoreImport lore = import(file, "card.json");
    ASSERT_EQ(lore.entries.size(), 3u) << file;
    const LoreEntry& mira = lore.entries[0];
    EXPECT_EQ(mira.id, "lore:card.json#3");
    EXPECT_EQ(mira.position, BlockPlace::kHistoryBottom);
    EXPECT_EQ(mira.depth, 1);
    EXPECT_EQ(mira.role, Role::kAssistant);
    EXPECT_EQ(mira.order, 7);
    EXPECT_EQ(mira.logic, LoreLogic::kNotAny);
    const LoreEntry& bell = lore.entries[1];
    EXPECT_EQ(bell.text, "The bell is cracked.");
    EXPECT_EQ(bell.title, "bell");
    EXPECT_TRUE(bell.constant);
    EXPECT_EQ(bell.depth, 5);
    EXPECT_EQ(bell.position, BlockPlace::kHistoryBottom);
    EXPECT_EQ(bell.role, Role::kUser);
    EXPECT_EQ(lore.entries[2].position, BlockPlace::kSystemEnd);
    EXPECT_FALSE(lore.entries[2].enabled);
    EXPECT_EQ(lore.left_out, 3u);
    EXPECT_EQ(lore.ignored_fields.at("@@scan_depth"), 1u);
    EXPECT_EQ(lore.ignored_fields.at("priority"), 1u);
  }
  EXPECT_FALSE(import_lore(R"({"spec": "chara_card_v2", "data": {"name": "x"}})", "c.json").ok());
}

TEST(LoreImport, PF_10_macros_are_filled_in_or_told_and_never_stand_in_an_entry) {
  const auto book = [](const std::string& text) {
    return import(R"({"entries": {"0": {"uid": 0, "key": ["Eldoria"], "content": ")" + text + "\"}}}", "book.json");
  };
  const auto reads = [&](const std::string& text) {
    const LoreImport lore = book(text);
    return lore.entries.empty() ? std::string("none") : lore.entries[0].text;
  };
  EXPECT_EQ(reads(R"({{user}}: \"What is Eldoria?\"\n{{char}}: \"My forest.\")"),
            "the user: \"What is Eldoria?\"\nthe character: \"My forest.\"");
  EXPECT_EQ(reads("{{User}}怕黑，<BOT>不怕，现在是{{time}}。"), "用户怕黑，角色不怕，现在是当前时间。");
  EXPECT_EQ(reads("A{{// a note to {{user}} }}B{{newline}}C {{random::red::{{char}}}} {{pick:one,two}} {{getvar::x}}."),
            "AB\nC red one .");
  EXPECT_EQ(reads("{{original}}Old walls."), "Old walls.");
  EXPECT_EQ(reads("{{// nothing else }}"), "none");
  EXPECT_EQ(reads("{{cite web|url=x}} {{ 7 }} {{}} {{open and }} closed"), "{{cite web|url=x}} {{ 7 }} {{}}  closed");
  const LoreImport told = book("{{user}} and {{user}}, {{setvar::a::b}}");
  ASSERT_EQ(told.problems.size(), 2u);
  EXPECT_EQ(told.problems[0].message, "the macro {{setvar}} has no value here and is left out (1 times)");
  EXPECT_EQ(told.problems[1].message, "the macro {{user}} has no value here and reads \"the user\" (2 times)");
}

TEST(LoreImport, PF_10_a_card_names_its_character_in_texts_and_keys) {
  const LoreImport card =
      import(R"({"spec": "chara_card_v2", "data": {"name": "Mira", "character_book": {"name": "coast",
    "entries": [{"keys": ["{{char}}", "{{user}}"], "content": "{{char}} keeps the lamp, <Char> sleeps by day."}]}}})",
             "card.json");
  ASSERT_EQ(card.entries.size(), 1u);
  EXPECT_EQ(card.entries[0].text, "Mira keeps the lamp, Mira sleeps by day.");
  EXPECT_EQ(card.entries[0].keys, (Names{"Mira"}));
  const LoreImport book =
      import(R"({"name": "coast", "entries": [{"keys": ["x"], "content": "{{char}} sleeps."}]})", "b.json");
  EXPECT_EQ(book.entries.at(0).text, "the character sleeps.");
  const LoreImport page = import("# Login\n\nUse ssh <USER>@host, {{user}}.\n", "a.md");
  EXPECT_EQ(page.entries.at(0).text, "Use ssh <USER>@host, the user.");
}

TEST(LoreImport, PF_26_a_key_whose_macro_has_no_value_is_reported_by_name) {
  const LoreImport book = import(
      R"({"entries": {"0": {"uid": 0, "comment": "Bridge", "key": ["{{user}}", "old {{random::oak::elm}}", "bridge"],
    "content": "A toll."},
    "1": {"uid": 1, "key": ["{{char}}"], "keysecondary": ["<USER>"], "content": "{{char}} keeps the lamp."}}})",
      "book.json");
  std::vector<std::string> told;
  for (const auto& one : book.problems) told.push_back(one.message);
  ASSERT_EQ(book.entries.size(), 2u);
  EXPECT_EQ(book.entries[0].keys, (Names{"bridge"}));
  EXPECT_EQ(told, (Names{"entry 0: the key \"{{user}}\" is left out: its macro has no value here",
                         "entry 0: the key \"old {{random::oak::elm}}\" is left out: its macro has no value here",
                         "entry 1: the key \"{{char}}\" is left out: its macro has no value here",
                         "entry 1: the key \"<USER>\" is left out: its macro has no value here",
                         "entry 1: no key is left, so that only its meaning calls it up",
                         "the macro {{char}} has no value here and reads \"the character\" (2 times)"}));
}

TEST(LoreImport, PF_26_a_name_in_a_pattern_stands_for_itself) {
  const LoreImport card =
      import(R"({"spec": "chara_card_v2", "data": {"name": "Mr. X [old]", "character_book": {"entries": [
    {"keys": ["/{{char}}s?/i", "house of {{char}}"], "content": "He keeps the lamp."}]}}})",
             "card.json");
  ASSERT_EQ(card.entries.size(), 1u);
  EXPECT_EQ(card.entries[0].keys, (Names{R"(/Mr\. X \[old\]s?/i)", "house of Mr. X [old]"}));
  EXPECT_TRUE(card.problems.empty());
}

TEST(LoreImport, PF_10_use_regex_makes_patterns_of_keys_that_are_more_than_words) {
  const LoreImport lore = import(R"([{"keys": ["dragons?", "Mr. Smith", "C++", "/^wyrm/"], "secondary_keys": ["a|b"],
    "use_regex": true, "content": "Scales."}, {"keys": ["dragons?"], "use_regex": false, "content": "Gold."},
    {"keys": ["Fire.*s"], "case_sensitive": true, "extensions": {"use_regex": true}, "content": "Smoke."}])",
                                 "d.json");
  ASSERT_EQ(lore.entries.size(), 3u);
  EXPECT_EQ(lore.entries[0].keys, (Names{"/dragons?/i", "Mr. Smith", "C++", "/^wyrm/"}));
  EXPECT_EQ(lore.entries[0].secondary_keys, (Names{"/a|b/i"}));
  EXPECT_EQ(lore.entries[1].keys, (Names{"dragons?"}));
  EXPECT_EQ(lore.entries[2].keys, (Names{"/Fire.*s/"}));
}

TEST(LoreImport, PF_10_a_dot_alone_makes_a_pattern) {
  const LoreImport lore = import(R"([{"keys": ["drag.n", "dr.g.n", ".", "...", "龙.骨", "Dr. Wyrm", "St.", "wyrm..."],
    "use_regex": true, "content": "Scales."}])",
                                 "d.json");
  ASSERT_EQ(lore.entries.size(), 1u);
  EXPECT_EQ(lore.entries[0].keys,
            (Names{"/drag.n/i", "/dr.g.n/i", "/./i", "/.../i", "/龙.骨/i", "Dr. Wyrm", "St.", "wyrm..."}));
}

TEST(LoreImport, HC_3_plain_json_in_every_shape) {
  const LoreImport list =
      import(R"([{"title": "钟", "text": "雾中之钟。", "tags": ["sound"], "keys": "钟，铃"}, {"text": "No title."}])",
             "a.json");
  ASSERT_EQ(list.entries.size(), 2u);
  EXPECT_EQ(list.entries[0].id, "lore:a.json#钟");
  EXPECT_EQ(list.entries[0].keys, (Names{"钟", "铃"}));
  EXPECT_EQ(list.entries[0].tags, Names{"sound"});
  const LoreImport map =
      import(R"({"Grey Point": "A cape.", "Mira": {"text": "Keeps the lamp.", "tags": "person"}, "bad": 5})", "b.json");
  ASSERT_EQ(map.entries.size(), 2u);
  EXPECT_EQ(map.entries[0].title, "Grey Point");
  EXPECT_EQ(map.entries[0].id, "lore:b.json#grey-point");
  EXPECT_EQ(map.left_out, 1u);
  const LoreImport one = import(R"({"title": "One", "content": "Alone."})", "c.json");
  ASSERT_EQ(one.entries.size(), 1u);
  EXPECT_EQ(import("[]", "d.json").entries.size(), 0u);
  const LoreImport odd = import(R"([{"text": "Rings.", "keys": ["/(bell/", "/bells?/i"]}])", "e.json");
  ASSERT_EQ(odd.problems.size(), 1u);
  EXPECT_NE(odd.problems[0].message.find("\"/(bell/\" is taken for plain words"), std::string::npos);
  EXPECT_EQ(odd.entries.at(0).keys.size(), 2u);
}

TEST(LoreImport, HC_3_files_that_cannot_be_read_are_errors) {
  const auto message = [](const std::string& bytes, const std::string& file, const LoreLimits& limits = {}) {
    const auto lore = import_lore(bytes, file, limits);
    return lore.ok() ? std::string("ok") : lore.error().message;
  };
  EXPECT_NE(message("{\"entries\": 5}", "a.json").find("a.json: \"entries\" must be"), std::string::npos);
  EXPECT_NE(message("{\"entries\": [", "a.json").find("a.json: "), std::string::npos);
  EXPECT_NE(message("7", "a.json").find("list or an object"), std::string::npos);
  EXPECT_NE(message(std::string(100'000, '['), "a.json"), "ok");
  EXPECT_NE(message("\xB0\xB2", "a.txt").find("a.txt: not UTF-8 at byte 0"), std::string::npos);
  EXPECT_NE(message(std::string("\xFF\xFEh\0", 4), "a.md").find("UTF-16"), std::string::npos);
  EXPECT_NE(message("x", "a.png").find("not a kind of file"), std::string::npos);
  EXPECT_EQ(import_lore("12345", "a.txt", {.max_bytes = 4}).error().code, ErrorCode::kTooLarge);
  const LoreImport few = import("[{\"text\":\"a\"},{\"text\":\"b\"},{\"text\":\"c\"}]", "a.json", {.max_entries = 2});
  EXPECT_EQ(few.entries.size(), 2u);
  EXPECT_EQ(few.left_out, 1u);
  EXPECT_EQ(few.problem_count, 1u);
}

TEST(LoreImport, HC_3_ids_are_unique_and_the_same_each_time) {
  const std::string twice = "# A\none\n# A\ntwo\n# a!\nthree\n# 🔔\nfour\n# " + std::string(5'000, 'x') + "\nfive\n";
  const LoreImport lore = import(twice, "d/e.md");
  EXPECT_EQ(ids(lore), ids(import(twice, "d/e.md")));
  const Names names = ids(lore);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 5u);
  EXPECT_EQ(names[0], "lore:d/e.md#a");
  for (const std::string& id : names) EXPECT_LT(id.size(), 300u);
}

TEST(LoreImport, HC_3_an_entry_comes_back_from_its_json) {
  for (const LoreImport& lore : {import(kWorldInfo, "f.json"), import(kMarkdown, "f.md")}) {
    for (const LoreEntry& entry : lore.entries) {
      const auto back = parse_lore_entry(to_json(entry));
      ASSERT_TRUE(back.ok()) << back.error().message;
      EXPECT_EQ(to_json(*back), to_json(entry));
    }
  }
}

TEST(LoreImport, HC_3_what_is_indexed_holds_title_keys_and_text_once) {
  LoreEntry lore;
  lore.id = "lore:a#b";
  lore.title = "The Bell";
  lore.text = "It rings in fog.";
  lore.keys = {"bell", "Fog", "toll", "/rin+g/i"};
  const Item item = lore_item(lore, ItemKind::kEvent);
  EXPECT_EQ(item.text, "The Bell (toll)\nIt rings in fog.");
  EXPECT_EQ(item.id.str(), "lore:a#b");
  EXPECT_EQ(item.kind, ItemKind::kEvent);
  lore.title.clear();
  EXPECT_EQ(lore_text(lore), "bell, toll\nIt rings in fog.");
}

TEST(LoreImport, HC_3_large_and_odd_files_take_linear_time) {
  constexpr std::size_t kMany = test::kLargeText;
  const std::vector<std::pair<std::string, std::string>> files{
      {std::string(4 * kMany, '\n'), "a.txt"}, {std::string(kMany, 'x'), "b.txt"},
      {std::string(kMany, '#'), "c.md"},       {std::string(4 * kMany, '\n'), "d.md"},
      {std::string(kMany, '`'), "e.md"},       {std::string(kMany, ' ') + "x", "f.txt"},
      {std::string(kMany, '-'), "g.md"},
  };
  for (const auto& [bytes, file] : files) EXPECT_TRUE(import_lore(bytes, file).ok()) << file;
  std::string lines, headings = "# k\n", blanks;
  for (int i = 0; i < static_cast<int>(kMany / 5); ++i) {
    lines += "a\n\n";
    headings += i % 2 == 0 ? "keys: a\n" : "# h\nx\n";
    blanks += "\n\nw";
  }
  EXPECT_TRUE(import_lore(lines, "l.txt").ok());
  EXPECT_EQ(import(headings, "h.md").entries.size(), std::min(LoreLimits().max_entries, kMany / 5 / 2));
  EXPECT_TRUE(import_lore(blanks, "b.txt").ok());
}

TEST(LoreImport, HC_3_random_bytes_never_harm) {
  std::mt19937 random(9);
  const std::vector<std::pair<std::string, std::string>> seeds{
      {kMarkdown, "f.md"}, {kWorldInfo, "f.json"}, {kMarkdown, "f.txt"}};
  for (int round = 0; round < 3'000; ++round) {
    auto [bytes, file] = seeds[random() % seeds.size()];
    for (std::size_t edits = 1 + random() % 8; edits > 0; --edits) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 3) {
        case 0: bytes[at] = static_cast<char>(random() % 128); break;
        case 1: bytes.erase(at, random() % 40); break;
        default: bytes.insert(at, bytes.substr(random() % bytes.size(), 30));
      }
      if (bytes.empty()) bytes = "x";
    }
    const auto lore = import_lore(bytes, file);
    if (!lore.ok()) continue;
    std::set<std::string> seen;
    for (const LoreEntry& one : lore->entries) {
      EXPECT_FALSE(one.text.empty());
      EXPECT_TRUE(seen.insert(one.id).second) << one.id;
      EXPECT_TRUE(parse_lore_entry(to_json(one)).ok());
    }
  }
}

}  // namespace
}  // namespace weft
