// What the user likes, as far as it is sure and has to do with the task.
#include <algorithm>

#include "base/lowered.h"
#include "base/strings.h"
#include "flow/context/assembly.h"
#include "flow/context/fence.h"

namespace weft {
namespace {

std::string why_not(const Preference& preference, const TaskState& task, double min_confidence) {
  if (preference.confidence <= min_confidence) return "not sure enough";
  const auto& types = preference.task_types;
  const bool fits = types.empty() || std::find(types.begin(), types.end(), task.type) != types.end();
  return fits ? std::string() : "of another kind of task";
}

// Whether the profile says the preference in the same words.
bool stands_in_profile(const Assembly& assembly, const Preference& preference) {
  std::string_view text = trimmed(preference.text);
  for (const std::string_view stop : {".", "。", "!", "！"})
    if (text.ends_with(stop)) text.remove_suffix(stop.size());
  return !text.empty() && lowered(assembly.background.text).find(lowered(escape_text(text))) != std::string::npos;
}

}  // namespace

// Only where all preferences fit: in a small window the prompt repeats a wish rather than lose it.
std::string without_preferences(const Assembly& assembly, std::string_view profile) {
  std::vector<std::string> said;
  std::string all;
  for (const Preference& one : assembly.input.preferences) {
    if (!why_not(one, assembly.input.task, assembly.ports.config.context.min_confidence).empty()) continue;
    all += "- " + one.text + "\n";
    said.push_back(lowered(trimmed(one.text)));
  }
  const std::int64_t room = assembly.budget.of(assembly.ports.config.context.preference_share);
  if (assembly.count(fence_preferences(all)) > room) return std::string(profile);
  std::string rest;
  for (const std::string_view line : lines_of(profile)) {
    const std::string plain = lowered(trimmed(line));
    const auto tells = [&](const std::string& wish) {
      return plain.ends_with(": " + wish) || plain.ends_with("：" + wish);
    };
    if (std::none_of(said.begin(), said.end(), tells)) rest.append(line).append("\n");
  }
  return rest;
}

void add_preferences(Assembly& assembly) {
  if (assembly.input.preferences.empty()) return;
  const ContextSettings& settings = assembly.ports.config.context;
  const std::int64_t room = std::min(assembly.budget.of(settings.preference_share), assembly.room());
  start_section(assembly, "preferences", room, settings.preference_share);
  std::vector<const Preference*> ordered;
  for (const Preference& one : assembly.input.preferences) ordered.push_back(&one);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Preference* a, const Preference* b) { return a->confidence > b->confidence; });
  std::string lines;
  for (const Preference* one : ordered) {
    const std::string line = "- " + one->text + "\n";
    const std::int64_t tokens = assembly.count(line);
    std::string why = why_not(*one, assembly.input.task, settings.min_confidence);
    if (why.empty() && stands_in_profile(assembly, *one)) why = "stands in the profile";
    if (why.empty() && assembly.piece("", fence_preferences(lines + line)).tokens > room) why = "over budget";
    const bool keep = why.empty();
    if (keep) lines += line;
    report_item(assembly, "", "preference", one->confidence, tokens, keep, keep ? "sure enough" : why, one->text);
  }
  if (!lines.empty()) assembly.preferences = assembly.piece("preferences", fence_preferences(lines));
}

}  // namespace weft
