#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/value.h"
#include "weft/message.h"
#include "weft/plan.h"
#include "weft/quest.h"
#include "weft/result.h"

namespace weft {

// Filament: XML draws the bounds, YAML holds the data. Data is written as YAML first, then `&`, `<` and `>` of the
// whole are escaped. So whoever reads the text between two tags, resolves the three entities and reads the rest as YAML
// has the data again; and no stored text closes a tag, opens one, or stands at the beginning of a line. Characters that
// deceive (control characters, terminal codes, turned direction) are left out. All functions are pure; the same input
// gives the same bytes.

/// A tree as escaped YAML, each line with `indent` spaces before it. Empty for null and for an empty list or object.
/// kInvalidArgument where it is nested too deeply.
Result<std::string> filament_data(const Value& value, std::size_t indent);

/// Quests as escaped YAML, a list of id, status, objective and progress; members without text are left out. Empty for
/// none.
std::string filament_quests(const std::vector<Quest>& quests, std::size_t indent);

/// What a plan tells the model, as escaped YAML; empty where it has no goal.
std::string filament_guidance(const PlanContext& plan, std::size_t indent);

/// What stream B selected.
struct LayerEntry {
  std::string id;
  std::string type;  ///< of lore: "item", "location", …; of the rest empty
  std::string name;  ///< of lore; may be empty
  std::string text;
  std::optional<std::int64_t> turn;  ///< when it happened
  std::string source;  ///< the chain: "rag_chain" stands in the knowledge base, all others are memories
};

struct ProbabilisticLayer {
  std::string model;  ///< that selected; empty: left out
  std::string rationale;  ///< why; empty: left out
  std::vector<LayerEntry> entries;
};

/// `<context_layer type="world">` with a knowledge base: what holds whatever is said. Empty without entries.
std::string filament_world(const std::vector<LayerEntry>& entries);

/// `<context_layer type="probabilistic">` with rationale, knowledge base and memories; empty without entries. Ends
/// without a line break.
std::string filament_layer(const ProbabilisticLayer& layer);

/// What a prompt for a plain model is woven from.
struct SkeinParts {
  std::string instruction;  ///< as plain text
  std::string automation_block;  ///< of stream A: Filament, escaped already
  std::string curation_block;  ///< of stream B: Filament, escaped already
  std::vector<Message> history;  ///< oldest first
  std::string user_input;  ///< as plain text
};

/// The parts as one text for models without a chat form: `<root>` with `<system>` (instruction, automation block,
/// curation block), `<chat_history>` (a `<message role="…">` each, with its calls of tools) and `<user_input>`, in that
/// order. Text is escaped, so nothing in it closes one of these tags or forges a message. Empty blocks leave no trace;
/// the three sections always stand. Pure and linear. Ends with a line break.
std::string skein_text(const SkeinParts& parts);

}  // namespace weft
