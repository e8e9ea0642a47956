// What is worked on. It stands in every prompt, so that a long run does not lose its aim.
#include <algorithm>

#include "flow/context/assembly.h"
#include "flow/context/fence.h"
#include "text/words.h"

namespace weft {
namespace {

struct Labels {
  std::string_view task, progress, done, current, remaining, warnings, more, constraints;
};
constexpr Labels kEnglish{"## Current task", "## Progress",  "Done: ",         "Current step: ",
                          "Remaining: ",     "## Take care", " earlier steps", "## Keep to this"};
constexpr Labels kChinese{
    "## 当前任务", "## 进度", "已完成: ", "当前步骤: ", "待完成: ", "## 注意事项", " 个更早的步骤", "## 必须遵守"};

std::string listed(const std::vector<std::string>& steps, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < steps.size(); ++i) text += (i == from ? "" : "; ") + steps[i];
  return escape_text(text);
}

/// `hidden` of the steps that are done are only counted.
std::string render_task(const TaskState& task, std::size_t hidden) {
  const bool chinese = language_of(task.description + task.current) == Language::kChinese;
  const Labels& labels = chinese ? kChinese : kEnglish;
  std::string text = "<task>\n" + std::string(labels.task) + "\n" + escape_text(task.description) + "\n";
  if (!task.done.empty() || !task.current.empty() || !task.remaining.empty()) {
    text += "\n" + std::string(labels.progress) + "\n";
    if (!task.done.empty()) {
      text += std::string(labels.done);
      if (hidden > 0) text += "(" + std::to_string(hidden) + std::string(labels.more) + ") ";
      text += listed(task.done, hidden) + "\n";
    }
    if (!task.current.empty()) text += std::string(labels.current) + escape_text(task.current) + "\n";
    if (!task.remaining.empty()) text += std::string(labels.remaining) + listed(task.remaining, 0) + "\n";
  }
  if (!task.constraints.empty()) {
    text += "\n" + std::string(labels.constraints) + "\n";
    for (const std::string& rule : task.constraints) text += "- " + escape_text(rule) + "\n";
  }
  if (!task.warnings.empty()) {
    text += "\n" + std::string(labels.warnings) + "\n";
    for (const std::string& warning : task.warnings) text += "- " + escape_text(warning) + "\n";
  }
  return text + "</task>";
}

}  // namespace

void add_task_anchor(Assembly& assembly) {
  const TaskState& task = assembly.input.task;
  if (task.empty()) return;
  const double share = assembly.ports.config.context.task_share;
  const std::int64_t ceiling = assembly.budget.of(share);
  start_section(assembly, "task", ceiling, share);
  // Only what is done may be told in numbers: what remains, and what to take care of, never.
  const auto fits = [&](std::size_t hidden) {
    return assembly.piece("task", render_task(task, hidden)).tokens <= ceiling;
  };
  std::size_t hidden = 0;
  if (!fits(0)) {
    std::size_t too_few = 0;
    hidden = task.done.size();
    while (hidden - too_few > 1) {
      const std::size_t half = too_few + (hidden - too_few) / 2;
      (fits(half) ? hidden : too_few) = half;
    }
  }
  assembly.task = assembly.piece("task", render_task(task, hidden));
  report_item(assembly, "task", "task", 0, assembly.task.tokens, true,
              hidden == 0 ? "stands in every prompt" : std::to_string(hidden) + " steps that are done told in numbers",
              task.description);
}

}  // namespace weft
