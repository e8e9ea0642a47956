// What stands at the head of every prompt of a session and seldom changes.
#include <algorithm>

#include "flow/compaction/session_turns.h"
#include "flow/context/assembly.h"
#include "flow/context/fence.h"

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

// In full or not at all: half a profile misleads.
void add_profiles(Assembly& assembly, std::int64_t room, std::string& text) {
  for (const ProfileText& profile : assembly.input.profiles) {
    const std::string fenced = fence_profile(profile.id, profile.text);
    const std::int64_t tokens = assembly.count(fenced);
    const bool keep = assembly.count(text) + tokens <= room;
    if (keep) text += (text.empty() ? "" : "\n") + fenced;
    report_item(assembly, profile.id, "profile", 0, tokens, keep, keep ? "whom this is for" : "over budget",
                profile.text);
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
  assembly.background = assembly.piece("profile", std::move(background));
}

}  // namespace weft
