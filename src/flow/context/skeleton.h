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

#include "flow/context/template_catalog.h"
#include "ports/templates/template.h"
#include "text/value.h"
#include "weft/plan.h"
#include "weft/quest.h"
#include "weft/result.h"

namespace weft {

/// What stream A is rendered from. Everything is borrowed for the call.
struct SkeletonInput {
  const Value* state = nullptr;    ///< the latest snapshot, with its anchors; null: there is none
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
