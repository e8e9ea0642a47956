#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/templates/template.h"
#include "text/json.h"
#include "weft/message.h"
#include "weft/plan.h"
#include "weft/quest.h"
#include "weft/result.h"

namespace weft {

/// A file of templates/, as the build put it into the library.
struct ShippedTemplate {
  std::string_view id, source;
};

/// The first of `shipped_template_count`, sorted by id. Written by cmake/weft_embed.cmake.
extern const ShippedTemplate shipped_template_list[];
extern const unsigned shipped_template_count;

/// What a template says of itself in the comment at its beginning, a line each:
///
///   {#- Fights: what can hurt comes first.
///       cues: fight, attack, 战斗, 攻击
///       weights: narrative 0.3, lore 0.4, event 0.6 -#}
struct TemplateInfo {
  std::string id;
  std::string about;              ///< the comment's other lines, as one
  std::vector<std::string> cues;  ///< words and phrases of turns that it is for; none: it is chosen by name only
  std::optional<DomainWeight> weights;  ///< of the search for candidates; none: by the words of the turn
};

/// Reads the comment; what cannot be read in it says nothing.
TemplateInfo read_template_info(std::string_view id, std::string_view source);

/// The template whose cues a turn holds most of, what is said now counting twice as much as `last_turn`; null where it
/// holds none. Of those that fit alike the first one.
const TemplateInfo* template_for(std::string_view input, std::string_view last_turn,
                                 const std::vector<TemplateInfo>& templates);

/// The one of that id; null where there is none.
const TemplateInfo* find_template(const std::vector<TemplateInfo>& templates, std::string_view id);

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

/// What stream A is rendered from. Everything is borrowed for the call.
struct SkeletonInput {
  const Value* state = nullptr;  ///< the latest snapshot, with its anchors; null: there is none
  std::int64_t state_version = 0;  ///< of that snapshot
  std::string_view state_yaml;  ///< the snapshot as `skeleton_state` wrote it, where the caller kept it; else empty
  const std::vector<Quest>* active_quests = nullptr;
  const PlanContext* plan = nullptr;  ///< null: none
  const Value* facts = nullptr;  ///< an object of what else is known, such as "time"; null: nothing
};

/// The snapshot as the templates write it. Worth keeping for as long as the version stands: it is most of the work.
Result<std::string> skeleton_state(const Value& state);

/// Renders stream A with the template that a plan names. Templates see
///
/// - `status`, `active_quests`, `guidance`: YAML, escaped and indented by four spaces; empty where there is nothing;
/// - `state`, `quests`, `plan`, `facts`: the data itself, for templates that choose; `plan` has the names of its JSON;
/// - `state_version`.
///
/// The same input gives the same bytes: no clock, no chance. Safe from any thread; compiled templates are kept as long
/// as their source stays the same.
class Skeleton {
 public:
  /// The source of a user's own template of that id, where there is one; it goes before a shipped one of the same id.
  /// Asked at each rendering, and only for ids of letters, digits, "_" and "-".
  using Lookup = std::function<std::optional<std::string>(std::string_view id)>;

  /// The ids of a user's own templates.
  using List = std::function<std::vector<std::string>()>;

  explicit Skeleton(Lookup user_templates = {}, TemplateLimits limits = {}, List user_ids = {});

  /// What the templates say of themselves, a user's own before shipped ones of the same id, sorted by id. Texts that
  /// explain something ("explain_…") are none to plan with.
  std::vector<TemplateInfo> catalog() const;

  /// kNotFound for an id without a template, naming those there are; kInvalidArgument for an id that is none; the
  /// errors of `Template` else.
  Result<std::string> render(const SkeletonInput& input, std::string_view template_id);

  /// Whether there is such a template. Errors as above.
  Status check(std::string_view template_id);

  /// Renders a text that explains something: its only variable is `state_name`. Errors as above.
  Result<std::string> render_text(std::string_view template_id, const std::string& state_name);

 private:
  Result<std::shared_ptr<const Template>> find(std::string_view id);

  Lookup user_templates_;
  List user_ids_;
  TemplateLimits limits_;
  struct Compiled {
    std::string source;
    std::shared_ptr<const Template> compiled;
  };
  std::mutex mutex_;
  std::map<std::string, Compiled, std::less<>> compiled_;  // guarded by mutex_
};

/// Whether text is the id of a template: 1 to 64 letters, digits, "_" or "-". None of these leaves a folder.
bool is_template_id(std::string_view id);

/// What a skeleton says now that an earlier one, which still stands in the prompt, did not say: the lines that are new
/// or read differently, each below the lines it belongs to (by indentation) and within its list item, tags closed;
/// then what is gone. Empty where both say the same. Nothing where telling it in full is as short: what has changed
/// takes more than two thirds of `now`. The same texts give the same change. Safe from any thread.
std::optional<std::string> skeleton_change(std::string_view before, std::string_view now);

}  // namespace weft
