#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/choices.h"
#include "weft/message.h"
#include "weft/result.h"

namespace weft {

/// How much each chain of the past weighs in the search for candidates, 0 to 1.
struct DomainWeight {
  double narrative = 0.5, lore = 0.5, event = 0.5;
};

/// What the probabilistic stream of a prompt looks for.
struct SearchIntent {
  bool enabled = true;  ///< false: that stream is not started
  std::vector<std::string> focus_keywords;
  std::string temporal_context = "now";  ///< "now", "past" or "future"
  DomainWeight domain_weight;
};

/// The tactical decision that both streams of a prompt follow. Its JSON has exactly the fields of the interface of that
/// name: activeQuestId, current_goal, templateId, search_intent.
struct PlanContext {
  std::optional<std::string> active_quest_id;
  std::string current_goal;
  std::string template_id = "chat";
  SearchIntent search_intent;
};

std::string to_json(const PlanContext& plan);

/// Reads a plan from outside. Missing fields take their defaults; unknown fields, wrong types, weights outside 0 … 1
/// and fields that contradict each other are errors that name the field.
Result<PlanContext> parse_plan(std::string_view json);

/// Reads "system_end", "history_top", "history_bottom", "before_input" and the aliases "relative_to_history" (above the
/// history at depth 0), "in_chat" and "at_depth" (both `history_bottom`).
std::optional<BlockPlace> parse_block_place(std::string_view text);

/// A piece of text that a stream hands to the assembler, with the place it wants.
struct FloatingBlock {
  std::string id;  ///< of what it says
  std::string content;  ///< as it is woven in: escaped already
  Role role = Role::kSystem;
  std::string source = "curation";  ///< which part of the engine made it
  BlockPlace position = BlockPlace::kHistoryTop;
  std::int64_t depth = 0;  ///< messages from the end, for kHistoryBottom
  std::int64_t priority =
      10;  ///< of blocks at one place the higher one stands nearer to the input, and is trimmed later
  bool stays = false;  ///< never trimmed
};

}  // namespace weft
