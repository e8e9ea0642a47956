// The stable names of enumerations, as they stand in JSON.
#include "weft/block.h"
#include "weft/knowledge.h"
#include "weft/lore.h"
#include "weft/made_by.h"
#include "weft/memory.h"
#include "weft/message.h"
#include "weft/watch.h"

namespace weft {

std::string_view to_string(MadeBy by) {
  switch (by) {
    case MadeBy::kFloor: return "floor";
    case MadeBy::kModel: return "model";
    case MadeBy::kGiven: return "given";
  }
  return "floor";
}

std::string_view to_string(Role role) {
  switch (role) {
    case Role::kSystem: return "system";
    case Role::kUser: return "user";
    case Role::kAssistant: return "assistant";
    case Role::kTool: return "tool";
  }
  return "user";
}

std::string_view to_string(BlockStatus status) {
  switch (status) {
    case BlockStatus::kOpen: return "open";
    case BlockStatus::kSealed: return "sealed";
    case BlockStatus::kInterrupted: return "interrupted";
  }
  return "open";
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kStart: return "start";
    case Verdict::kAdsorb: return "adsorb";
    case Verdict::kDrift: return "drift";
    case Verdict::kRelay: return "relay";
    case Verdict::kPending: return "pending";
  }
  return "start";
}

std::string_view to_string(FlushReason reason) {
  switch (reason) {
    case FlushReason::kDrift: return "drift";
    case FlushReason::kRelay: return "relay";
    case FlushReason::kIdle: return "idle";
    case FlushReason::kSave: return "save";
    case FlushReason::kBranch: return "branch";
  }
  return "drift";
}

std::string_view to_string(ItemKind kind) {
  switch (kind) {
    case ItemKind::kMessage: return "message";
    case ItemKind::kEvent: return "event";
    case ItemKind::kNarrative: return "narrative";
    case ItemKind::kProfile: return "profile";
    case ItemKind::kLore: return "lore";
    case ItemKind::kKnowledge: return "knowledge";
  }
  return "message";
}

std::string_view to_string(KnowledgeAdded added) {
  switch (added) {
    case KnowledgeAdded::kNew: return "new";
    case KnowledgeAdded::kKnown: return "known";
    case KnowledgeAdded::kContradicts: return "contradicts";
  }
  return "new";
}

std::string_view to_string(LoreLogic logic) {
  switch (logic) {
    case LoreLogic::kAndAny: return "and_any";
    case LoreLogic::kNotAll: return "not_all";
    case LoreLogic::kNotAny: return "not_any";
    case LoreLogic::kAndAll: return "and_all";
  }
  return "and_any";
}

std::optional<ItemKind> parse_item_kind(std::string_view text) {
  for (const ItemKind kind : kItemKinds) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

std::string_view to_string(HappeningKind kind) {
  switch (kind) {
    case HappeningKind::kMessage: return "message";
    case HappeningKind::kTurn: return "turn";
    case HappeningKind::kTopic: return "topic";
    case HappeningKind::kEnded: return "end";
    case HappeningKind::kAnswer: return "answer";
    case HappeningKind::kTask: return "task";
    case HappeningKind::kDocument: return "document";
    case HappeningKind::kContext: return "context";
    case HappeningKind::kJob: return "job";
    case HappeningKind::kRun: return "run";
  }
  return "message";
}

std::optional<HappeningKind> parse_happening_kind(std::string_view text) {
  for (const HappeningKind kind : kHappeningKinds) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

}  // namespace weft
