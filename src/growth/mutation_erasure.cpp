// Forgetting in the changes of skills.
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "growth/mutation_lab.h"
#include "growth/skill_folder.h"
#include "model/growth_records.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestTask = 300;  // as lines have them

std::string text_of(const Json& line, const char* name) {
  const auto at = line.find(name);
  return at != line.end() && at->is_string() ? at->get<std::string>() : std::string();
}

}  // namespace

// The log first, since a file without a line is no change, and a line without its file is told as what it was.
Status MutationLab::erase(const ErasedLessons& gone, const std::set<std::string>& skills) {
  if (gone.empty()) return {};
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(load());
  std::set<std::string> changes, tasks;
  for (const Test& test : tests_) {
    const bool theirs = gone.everything && test.mutation.variant.owner == gone.owner;
    if (theirs || gone.repeats(to_json(test.mutation))) changes.insert(test.mutation.id);
  }
  for (const std::string& task : gone.tasks) tasks.insert(preview(task, kLongestTask));
  const auto text = with_.files.read(with_.places.mutation_tests());
  if (!text.ok()) return text.error().code == ErrorCode::kNotFound ? Status() : Status(text.error());
  std::string kept;
  for (const std::string_view raw : lines_of(*text)) {
    Json line = Json::parse(raw, nullptr, false);
    if (!line.is_object()) continue;
    const std::string used = text_of(line, "used");
    if (changes.contains(text_of(line, "mutation")) || changes.contains(used) || skills.contains(used)) continue;
    const bool of_it = gone.reports.contains(text_of(line, "report")) || tasks.contains(text_of(line, "task"));
    if (of_it && line.contains("task")) line["task"] = "";
    if (of_it && line.contains("report")) line["report"] = "";
    kept += (of_it ? write_json(line) : std::string(raw)) + "\n";
  }
  if (kept != *text) {
    log_ = nullptr;
    loaded_ = false;
    WEFT_CHECK(write_file(with_.files, with_.places.mutation_tests(), kept, true));
  }
  for (const std::string& id : changes) {
    loaded_ = false;
    WEFT_CHECK(with_.files.remove(with_.places.mutated_skills() / (skill_file_name(id) + ".yaml")));
  }
  return changes.empty() ? Status() : with_.files.sync_folder(with_.places.mutated_skills());
}

}  // namespace weft
