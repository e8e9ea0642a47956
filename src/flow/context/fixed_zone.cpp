// What stands at the head of every prompt of a session and seldom changes.
#include <algorithm>

#include "flow/compaction/session_turns.h"
#include "flow/context/assembly.h"
#include "flow/context/fence.h"
#include "flow/context/shorten.h"
#include "text/typed_words.h"

namespace weft {
namespace {

// The operator's own words: instructions, not quoted memory. Their share is a line from which on it is said that they
// are long; an assistant without its rules would be another one, so they are never cut.
void add_rules(Assembly& assembly, std::int64_t share) {
  if (assembly.input.rules.empty()) return;
  assembly.rules = assembly.piece("rules", assembly.input.rules);
  const bool within = assembly.rules.tokens <= share;
  report_item(assembly, "rules", "rules", 0, assembly.rules.tokens, true,
              within ? "what the workspace asks for"
                     : "what the workspace asks for; over its share of " + std::to_string(share) + " tokens, never cut",
              assembly.rules.text);
}

std::string last_said(const ContextInput& input) {
  for (auto entry = input.history.rbegin(); entry != input.history.rend(); ++entry)
    if (entry->message.role == Role::kUser) return typed_words(entry->message.content) + "\n" + input.task.description;
  return input.task.description;
}

// Of the conversation's first message: the head of a prompt stays as it is when a later one is in another language.
Language language_of_talk(const ContextInput& input, std::string_view otherwise) {
  const auto first = std::find_if(input.history.begin(), input.history.end(), [](const HistoryMessage& entry) {
    return entry.message.role == Role::kUser && !trimmed(typed_words(entry.message.content)).empty();
  });
  return language_of(first == input.history.end() ? otherwise : typed_words(first->message.content));
}

// Whole where it fits; else the lines of it that have to do with what is said now.
void add_profiles(Assembly& assembly, std::int64_t room, std::string& text) {
  for (const ProfileText& profile : assembly.input.profiles) {
    const std::string body = without_preferences(assembly, profile.text);
    const Language language = language_of_talk(assembly.input, profile.text);
    std::string fenced = fence_profile(profile.head, body, language);
    std::int64_t tokens = assembly.count(fenced);
    std::string why = "whom this is for";
    const std::int64_t left = room - assembly.count(text);
    // Counts of parts do not add up exactly, and fencing lengthens some characters: a little less each time.
    for (double part = 1; tokens > left && part > 0.3; part -= 0.1) {
      const std::int64_t around = assembly.count(fence_profile(profile.head, "-", language));
      const auto wanted = static_cast<std::int64_t>(part * static_cast<double>(left - around));
      if (wanted <= 0) break;
      fenced = fence_profile(profile.head, shorten_profile(body, last_said(assembly.input), wanted), language);
      tokens = assembly.count(fenced);
      why = "whom this is for, shortened to what matters now";
    }
    const bool keep = tokens <= left;
    if (keep && !fenced.empty()) text += (text.empty() ? "" : "\n") + fenced;
    report_item(assembly, profile.id, "profile", 0, tokens, keep, keep ? why : "over budget", profile.text);
  }
}

void add_old_summaries(Assembly& assembly, std::int64_t room, std::string& text) {
  if (assembly.input.old_summaries.empty()) return;
  start_section(assembly, "end_summaries", room, assembly.ports.config.context.system_share);
  std::string lines;
  for (const std::string& summary : assembly.input.old_summaries) lines += (lines.empty() ? "- " : "\n- ") + summary;
  lines = fence_summary(lines);
  const std::int64_t tokens = assembly.count(lines);
  const bool keep = assembly.count(text) + tokens <= room;
  if (keep) text += (text.empty() ? "" : "\n") + lines;
  report_item(assembly, "end_summaries", "summary", 0, tokens, keep, keep ? "ends of earlier turns" : "over budget",
              lines);
}

void add_days(Assembly& assembly, std::int64_t room, std::string& text) {
  if (assembly.input.days.empty()) return;
  const double share = assembly.ports.config.memory.daily_share;
  const std::int64_t most = std::min(room - assembly.count(text), assembly.budget.of(share));
  start_section(assembly, "days", most, share);
  // The newest stand last: what there is no room for goes at the head.
  std::string_view days = assembly.input.days;
  std::string fenced = fence_days(days);
  while (assembly.count(fenced) > most && !days.empty()) {
    const auto end = days.find('\n');
    days.remove_prefix(end == std::string_view::npos ? days.size() : end + 1);
    fenced = fence_days(days);
  }
  const bool keep = !days.empty();
  if (keep) text += (text.empty() ? "" : "\n") + fenced;
  report_item(assembly, "days", "day", 0, keep ? assembly.count(fenced) : 0, keep,
              keep ? "what today and yesterday were about" : "over budget", days);
}

// The best first: what there is no room for is told by its absence in the report, never cut in the middle of a step.
void add_skills(Assembly& assembly, std::int64_t room, std::string& text) {
  if (assembly.input.skills.empty()) return;
  start_section(assembly, "skills", room - assembly.count(text), assembly.ports.config.context.system_share);
  std::string kept;
  for (const std::string& skill : assembly.input.skills) {
    const std::string more = kept + (kept.empty() ? "" : "\n") + skill;
    const bool keep = assembly.count(text) + assembly.count(fence_skills(more)) <= room;
    report_item(assembly, "skills", "skill", 0, assembly.count(skill), keep,
                keep ? "a procedure that fits the task" : "over budget", skill);
    if (keep) kept = more;
  }
  if (!kept.empty()) text += (text.empty() ? "" : "\n") + fence_skills(kept);
}

}  // namespace

void add_fixed_zone(Assembly& assembly) {
  const double share = assembly.ports.config.context.system_share;
  start_section(assembly, "system", assembly.budget.usable, share);
  for (const Message& message : assembly.input.system) {
    const std::int64_t tokens = sent_tokens(message, assembly.ports.tokens);
    assembly.system_tokens += tokens;
    report_item(assembly, "system", "system", 0, tokens, true, "the caller's own", message.content);
  }
  add_rules(assembly, assembly.budget.of(share));
  std::string background;
  const std::int64_t left = std::min(assembly.budget.of(share), assembly.room());
  start_section(assembly, "profile", left, share);
  add_profiles(assembly, left, background);
  add_old_summaries(assembly, left, background);
  add_days(assembly, left, background);
  add_skills(assembly, left, background);
  assembly.background = assembly.piece("profile", std::move(background));
}

}  // namespace weft
