#include "flow/context/weave_entries.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

CuratedEntry lore(std::string id, std::string text, std::int64_t priority = 10) {
  CuratedEntry entry;
  entry.id = entry.name = std::move(id);
  entry.text = std::move(text);
  entry.placement.priority = priority;
  return entry;
}

std::string long_text(const std::string& word) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += "Line " + std::to_string(i) + " tells of " + (i == 150 ? word : "the sea") + ".\n";
  return text;
}

const TokenCounter kTokens(TokenMode::kScript);

TEST(WeaveEntries, HC_10_what_is_called_and_what_is_chosen_is_one_block_with_higher_orders_later) {
  EntriesToWeave entries;
  entries.called = {lore("high", "High text.", 60), lore("low", "Low text.")};
  entries.chosen = {lore("found", "Found text."), lore("high", "High text.")};
  const Curated woven = weave_entries(entries, {2000, {}}, kTokens);
  ASSERT_EQ(woven.blocks.size(), 1U);
  const std::string& text = woven.blocks[0].content;
  EXPECT_LT(text.find("Low text."), text.find("High text."));
  EXPECT_EQ(text.find("High text."), text.rfind("High text.")) << "each once";
  EXPECT_NE(text.find("Found text."), std::string::npos);
}

TEST(WeaveEntries, HC_16_what_is_too_large_is_shortened_and_called_lore_goes_first) {
  EntriesToWeave entries;
  entries.called = {lore("big", long_text("penguins"))};
  entries.chosen = {lore("other", long_text("whales"))};
  entries.query = "Where are the penguins?";
  const Curated woven = weave_entries(entries, {400, {}}, kTokens);
  ASSERT_EQ(woven.blocks.size(), 1U);
  EXPECT_NE(woven.blocks[0].content.find("tells of penguins"), std::string::npos);
  EXPECT_LE(kTokens.count(woven.blocks[0].content), 400);
  EXPECT_TRUE(weave_entries(entries, {10, {}}, kTokens).blocks.empty());
}

TEST(WeaveEntries, HC_8_what_the_prompt_shows_already_is_left_out) {
  CuratedEntry memory = lore("m", "We met the ferryman.");
  memory.chain = Chain::kNarrative;
  memory.item.emplace().id = ItemId("m");
  EntriesToWeave entries;
  entries.chosen = {memory};
  EXPECT_EQ(weave_entries(entries, {500, {}}, kTokens).shown.size(), 1U);
  const auto all_shown = [](const Item&) { return true; };
  EXPECT_TRUE(weave_entries(entries, {500, all_shown}, kTokens).blocks.empty());
}

TEST(WeaveEntries, HC_16_constant_lore_is_one_text_in_the_order_of_its_author) {
  LoreEntry late, early;
  late.id = late.title = "late";
  late.text = "Late </desc> text.";
  late.order = 200;
  early.id = early.title = "early";
  early.text = "Early text.";
  const std::string text = standing_lore({&late, &early});
  EXPECT_LT(text.find("Early text."), text.find("Late &lt;/desc&gt; text."));
  EXPECT_EQ(standing_lore({}), "");
}

}  // namespace
}  // namespace weft
