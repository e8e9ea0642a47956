#include <gtest/gtest.h>

#include "weft/block.h"
#include "weft/memory.h"
#include "weft/message.h"

namespace weft {
namespace {

TEST(Names, are_stable) {
  EXPECT_EQ(to_string(Role::kSystem), "system");
  EXPECT_EQ(to_string(Role::kUser), "user");
  EXPECT_EQ(to_string(Role::kAssistant), "assistant");
  EXPECT_EQ(to_string(Role::kTool), "tool");
  EXPECT_EQ(to_string(BlockStatus::kOpen), "open");
  EXPECT_EQ(to_string(BlockStatus::kSealed), "sealed");
  EXPECT_EQ(to_string(BlockStatus::kInterrupted), "interrupted");
  EXPECT_EQ(to_string(Verdict::kStart), "start");
  EXPECT_EQ(to_string(Verdict::kAdsorb), "adsorb");
  EXPECT_EQ(to_string(Verdict::kDrift), "drift");
  EXPECT_EQ(to_string(Verdict::kRelay), "relay");
  EXPECT_EQ(to_string(Verdict::kPending), "pending");
  EXPECT_EQ(to_string(FlushReason::kDrift), "drift");
  EXPECT_EQ(to_string(FlushReason::kRelay), "relay");
  EXPECT_EQ(to_string(FlushReason::kIdle), "idle");
  EXPECT_EQ(to_string(FlushReason::kSave), "save");
  EXPECT_EQ(to_string(FlushReason::kBranch), "branch");
}

TEST(Names, kinds_of_items_are_read_back) {
  for (const ItemKind kind : {ItemKind::kMessage, ItemKind::kEvent, ItemKind::kNarrative}) {
    EXPECT_EQ(parse_item_kind(to_string(kind)), kind);
  }
  EXPECT_EQ(parse_item_kind("Event"), std::nullopt);
  EXPECT_EQ(parse_item_kind(""), std::nullopt);
}

}  // namespace
}  // namespace weft
