// The sections of a prompt that are made whole: each is told what it needs by the assembly.
#include <algorithm>
#include <set>
#include <string>

#include "base/strings.h"
#include "flow/compaction/compact.h"
#include "flow/compaction/failure.h"
#include "flow/compaction/tool_output.h"
#include "flow/context/assembly.h"
#include "flow/context/fence.h"
#include "flow/context/offered_tools.h"
#include "flow/context/shorten.h"
#include "flow/context/skeleton.h"
#include "text/typed_words.h"
#include "text/words.h"

namespace weft {

// What stands at the head of every prompt of a session and seldom changes.

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

// What is worked on. It stands in every prompt, so that a long run does not lose its aim.

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

// What the user likes, as far as it is sure and has to do with the task.

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

// Short descriptions of the tools that were chosen for the task.

namespace {

// A model can be held to a group of tools by the first token of their names, where the names allow it.
std::string why_kept(const std::string& name) {
  const Status structured = check_structured_name(name);
  if (structured.ok()) return "fits the task";
  const std::string& hint = structured.error().hint;
  return "fits the task; its name has no structured prefix" + (hint.empty() ? "" : ": " + hint);
}

}  // namespace

void add_tools(Assembly& assembly) {
  if (assembly.input.tools.empty()) return;
  const double share = assembly.ports.config.context.tool_share;
  const std::int64_t room = std::min(assembly.budget.of(share), assembly.room());
  start_section(assembly, "tools", room, share);
  const std::string begin = "<tools>\n", end = "</tools>";
  std::string lines;
  for (const ShownTool& tool : assembly.input.tools) {
    const std::string line = tool.text + "\n";
    const bool keep = assembly.piece("", begin + lines + line + end).tokens <= room;
    if (keep) lines += line;
    report_item(assembly, tool.name, "tool", tool.score, assembly.count(line), keep,
                keep ? why_kept(tool.name) : "over budget", tool.text);
  }
  if (!lines.empty()) assembly.tools = assembly.piece("tools", begin + lines + end);
}

// The first stream of a planned prompt: state, quests and guidance. Told anew at each turn they would change the
// history behind them each time; told once, where the turn stood, they stay, and later turns say what has changed
// since.

namespace {

// The turn that begins with this message of the history, where it is sent as it was said.
std::optional<std::size_t> turn_at(const Assembly& assembly, std::size_t place) {
  if (place >= assembly.input.history.size()) return std::nullopt;
  const HistoryMessage* const wanted = &assembly.input.history[place];
  for (std::size_t i = 0; i < assembly.turns.size(); ++i)
    if (assembly.turns[i].messages.front() == wanted) return i;
  return std::nullopt;
}

ReportSection& section_of(Assembly& assembly) {
  return *std::find_if(assembly.report.sections.begin(), assembly.report.sections.end(),
                       [](const ReportSection& one) { return one.name == "skeleton"; });
}

void report(Assembly& assembly, const Piece& piece, bool kept, const char* why) {
  report_item(section_of(assembly), "skeleton", "skeleton", 0, piece.tokens, kept, why, piece.text);
}

bool stay_where_it_stood(Assembly& assembly, std::int64_t room) {
  const auto& earlier = assembly.input.earlier_skeleton;
  if (!earlier || assembly.input.layout == PromptLayout::kSpec) return false;
  const auto turn = turn_at(assembly, earlier->place);
  if (!turn || (*turn == assembly.input_turn() && !is_at_work(assembly))) return false;
  auto change = skeleton_change(earlier->text, assembly.input.skeleton);
  if (!change) return false;
  Piece stays = assembly.piece("skeleton", earlier->text), told = assembly.piece("skeleton", std::move(*change));
  if (stays.tokens + told.tokens > room) return false;
  report(assembly, stays, true, "stays where it stood");
  if (!told.empty()) report(assembly, told, true, "changed since it was told");
  assembly.earlier_skeleton = {earlier->place, *turn, std::move(stays)};
  assembly.skeleton = std::move(told);
  return true;
}

// Whole where it fits; else what matters most of it.
void tell_in_full(Assembly& assembly, std::int64_t room) {
  Piece skeleton = assembly.piece("skeleton", assembly.input.skeleton);
  const char* why = "state as it stands";
  if (skeleton.tokens > room && assembly.ports.shorter_skeleton) {
    // A message of its own takes a few tokens more than its text.
    const std::int64_t around = skeleton.tokens - assembly.count(skeleton.text);
    skeleton = assembly.piece("skeleton", assembly.ports.shorter_skeleton(std::max<std::int64_t>(1, room - around)));
    why = "the state shortened to what matters now";
  }
  const bool keep = skeleton.tokens <= assembly.room() && !skeleton.text.empty();
  report(assembly, skeleton, keep, keep ? why : "over budget");
  if (keep) assembly.skeleton = std::move(skeleton);
}

std::int64_t room_for_skeleton(const Assembly& assembly) {
  return std::min(assembly.budget.of(assembly.ports.config.story.state_share), assembly.room());
}

}  // namespace

void add_skeleton(Assembly& assembly) {
  assembly.notice = assembly.piece("skeleton", assembly.input.notice);
  if (assembly.input.skeleton.empty()) return;
  const std::int64_t room = room_for_skeleton(assembly);
  start_section(assembly, "skeleton", room, assembly.ports.config.story.state_share);
  if (!stay_where_it_stood(assembly, room)) tell_in_full(assembly, room);
}

void settle_skeleton(Assembly& assembly) {
  if (!assembly.earlier_skeleton || assembly.is_sent(assembly.earlier_skeleton->turn)) return;
  assembly.earlier_skeleton.reset();
  assembly.skeleton = Piece();
  section_of(assembly).tokens = 0;
  section_of(assembly).items.clear();
  tell_in_full(assembly, room_for_skeleton(assembly));
}

bool drop_skeleton(Assembly& assembly) {
  if (assembly.skeleton.empty() && !assembly.earlier_skeleton) return false;
  const Piece& whole = assembly.earlier_skeleton ? assembly.earlier_skeleton->piece : assembly.skeleton;
  report_item(assembly, "skeleton", "skeleton", 0, whole.tokens, false, "trimmed at the end", whole.text);
  assembly.skeleton = Piece();
  assembly.earlier_skeleton.reset();
  return true;
}

std::optional<StandingSkeleton> standing_skeleton(const Assembly& assembly) {
  if (assembly.input.layout == PromptLayout::kSpec) return std::nullopt;
  if (const auto& earlier = assembly.earlier_skeleton) return StandingSkeleton{earlier->place, earlier->piece.text};
  // At the end of a turn in progress it stands before no message of the user.
  if (assembly.skeleton.empty() || is_at_work(assembly) || assembly.turns.empty()) return std::nullopt;
  const HistoryMessage* const first = assembly.turns[assembly.input_turn()].messages.front();
  if (first->message.role != Role::kUser) return std::nullopt;
  return StandingSkeleton{static_cast<std::size_t>(first - assembly.input.history.data()), assembly.skeleton.text};
}

bool is_at_work(const Assembly& assembly) {
  return !assembly.input.history.empty() && assembly.input.history.back().message.role != Role::kUser;
}

// The second stream of a planned prompt: what curation chose.

void add_curation(Assembly& assembly) {
  if (!assembly.ports.curation) return;
  const double share = assembly.ports.config.story.lore_share;
  const std::int64_t room = std::min(assembly.budget.of(share), assembly.room());
  start_section(assembly, "curation", room, share);
  Curated curated =
      assembly.ports.curation({room, [&assembly](const Item& item) { return assembly.visible.shows_source_of(item); }});
  for (const Item& item : curated.shown) assembly.visible.add(item);
  for (ReportItem& item : curated.items) assembly.report.sections.back().items.push_back(std::move(item));
  for (FloatingBlock& block : curated.blocks) {
    assembly.block_tokens += assembly.piece("", block.content).tokens;
    assembly.blocks.push_back(std::move(block));
  }
  // What is trimmed first stands last.
  std::stable_sort(assembly.blocks.begin(), assembly.blocks.end(), [](const FloatingBlock& a, const FloatingBlock& b) {
    return a.stays != b.stays ? a.stays : a.priority > b.priority;
  });
}

// What was tried and failed stays in sight, so that it is not tried again.

namespace {

constexpr std::size_t kMostErrors = 12;  // the newest ones
constexpr std::size_t kBrief = 400;      // bytes of what was tried, and of why it failed

struct Failure {
  ErrorNote note;
  MessageId id;
};

// Failed calls in turns that are not sent: in those that are, the model sees them as they were. What was done about
// them may stand in either.
std::vector<Failure> failures_out_of_sight(const Assembly& assembly) {
  std::vector<const Message*> said;
  std::vector<bool> sent;
  for (std::size_t i = 0; i < assembly.turns.size(); ++i) {
    for (const HistoryMessage* entry : assembly.turns[i].messages) {
      said.push_back(&entry->message);
      sent.push_back(assembly.is_sent(i));
    }
  }
  std::vector<Failure> found;
  for (FailedCall& call : failed_calls(said)) {
    if (sent[call.output]) continue;
    found.push_back({{one_line(call.tried, kBrief), one_line(call.reason, kBrief), one_line(call.handled, kBrief)},
                     said[call.output]->id});
  }
  return found;
}

std::string line_of(const ErrorNote& note) {
  std::string line = "- tried: " + escape_text(note.tried) + "; failed: " + escape_text(note.reason);
  if (!note.handled.empty()) line += "; then: " + escape_text(note.handled);
  return line + "\n";
}

struct Line {
  std::string text;
  const Failure* failure;
  std::string why;  // empty: kept
};

// The newest first, since they are what would be tried again.
std::vector<Line> choose(const Assembly& assembly, const std::vector<Failure>& all, std::int64_t room, Piece& piece) {
  const std::string begin = "<errors>\nWhat was tried before and failed; do not repeat it unchanged.\n";
  const std::string end = "</errors>";
  std::vector<Line> lines;
  std::set<std::string> known;
  std::string text;
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    Line line{line_of(one->note), &*one, ""};
    if (known.contains(line.text))
      line.why = "the same again";
    else if (known.size() >= kMostErrors || assembly.piece("", begin + line.text + text + end).tokens > room)
      line.why = "over budget";
    if (line.why.empty()) {
      known.insert(line.text);
      text = line.text + text;
    }
    lines.push_back(std::move(line));
  }
  piece = text.empty() ? Piece() : assembly.piece("errors", begin + text + end);
  return lines;
}

std::vector<Failure> failures(const Assembly& assembly) {
  std::vector<Failure> all = failures_out_of_sight(assembly);
  for (const ErrorNote& note : assembly.input.errors) all.push_back({note, MessageId()});
  return all;
}

}  // namespace

void reserve_for_errors(Assembly& assembly) {
  const std::int64_t room = std::min(assembly.budget.of(assembly.ports.config.context.error_share), assembly.room());
  const std::vector<Failure> all = failures(assembly);
  choose(assembly, all, room, assembly.errors);
}

void add_errors(Assembly& assembly) {
  const std::int64_t room = assembly.errors.tokens;
  const std::vector<Failure> all = failures(assembly);
  if (all.empty()) {
    assembly.errors = Piece();
    return;
  }
  start_section(assembly, "errors", room, assembly.ports.config.context.error_share);
  for (const Line& line : choose(assembly, all, room, assembly.errors)) {
    report_item(assembly, line.failure->id.str(), "error", 0, assembly.count(line.text), line.why.empty(),
                line.why.empty() ? "failed before" : line.why, line.failure->note.tried);
  }
}

}  // namespace weft
