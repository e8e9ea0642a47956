#include "engine/skeleton_stream.h"

#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "engine/engine_core.h"
#include "engine/turn_planner.h"
#include "flow/context/shorten.h"
#include "flow/context/word_set.h"
#include "text/markup.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr const char* kUsualState = "default";

std::filesystem::path template_folder(const EngineCore& core) {
  return std::filesystem::path(core.config.workspace) / "templates";
}

// The ids of a user's own templates; none where there is no such folder.
std::vector<std::string> template_files(const std::filesystem::path& folder) {
  constexpr std::size_t kMost = 200;
  std::vector<std::string> ids;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == ".jinja" && ids.size() < kMost) ids.push_back(entry.path().stem().string());
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<Quest> active_quests(const std::vector<Quest>& quests) {
  std::vector<Quest> active;
  for (const Quest& quest : quests)
    if (quest.status == QuestStatus::kActive) active.push_back(quest);
  return active;
}

// The story's own time, where its state has one.
Value facts_for(const Value* state, Time now) {
  const Value* time = state == nullptr ? nullptr : story_time(*state);
  return ValueObject{{"time", time != nullptr ? *time : Value(format_time(now))}};
}

// What the turn is about, in words.
std::string interest_of(const std::string& input, const std::vector<Quest>& quests, const PlanContext& plan) {
  std::string words = input + "\n" + plan.current_goal;
  for (const std::string& keyword : plan.search_intent.focus_keywords) words += "\n" + keyword;
  for (const Quest& quest : quests)
    if (quest.status == QuestStatus::kActive && (!plan.active_quest_id || quest.id == *plan.active_quest_id))
      words += "\n" + quest.title + "\n" + quest.objective;
  return words;
}

// The quest in focus, then those that share words with the turn, as far as there is room; the last one says how many
// more there are.
std::vector<Quest> shorter_quests(std::vector<Quest> quests, const PlanContext& plan, const std::string& words,
                                  std::size_t bytes) {
  constexpr std::size_t kAround = 64;
  const WordSet wanted(words);
  const auto score = [&](const Quest& quest) {
    if (plan.active_quest_id && quest.id == *plan.active_quest_id) return 2.0;
    return WordSet(quest.title + " " + quest.objective).likeness(wanted);
  };
  std::stable_sort(quests.begin(), quests.end(), [&](const Quest& a, const Quest& b) { return score(a) > score(b); });
  std::size_t used = 0, kept = 0;
  for (const Quest& quest : quests) {
    used += kAround + quest.title.size() + quest.objective.size() + quest.progress.size();
    if (kept > 0 && used > bytes) break;
    ++kept;
  }
  if (kept == quests.size()) return quests;
  const std::size_t left_out = quests.size() - kept;
  quests.resize(kept);
  Quest more;
  more.id = "…";
  more.title = std::to_string(left_out) + " more";
  more.status = QuestStatus::kActive;
  quests.push_back(std::move(more));
  return quests;
}

}  // namespace

SkeletonStream::SkeletonStream(EngineCore& core, States& states)
    : core_(core),
      states_(states),
      skeleton_(
          [folder = template_folder(core)](std::string_view id) -> std::optional<std::string> {
            auto source = read_file(folder / (std::string(id) + ".jinja"));
            return source.ok() ? std::optional(std::move(source).value()) : std::nullopt;
          },
          TemplateLimits(), [folder = template_folder(core)] { return template_files(folder); }) {}

Result<std::string> SkeletonStream::render(const PlanScene& scene, const PlanContext& plan) {
  const std::vector<Quest> active = active_quests(scene.quests);
  SkeletonInput input;
  input.active_quests = &active;
  input.plan = &plan;
  Value facts = facts_for(nullptr, core_.clock->now());
  input.facts = &facts;
  if (!scene.facts) return skeleton_.render(input, plan.template_id);
  std::string text;
  WEFT_CHECK(states_.shelf().read(scene.state_home, scene.state,
                                  [&](const StateTree& tree, std::int64_t version, Time) -> Status {
                                    facts = facts_for(&tree.root(), core_.clock->now());
                                    input.state = &tree.root();
                                    input.state_version = version;
                                    if (version == scene.facts->version) {
                                      WEFT_TRY(input.state_yaml, scene.facts->yaml(tree.root()));
                                    }
                                    WEFT_TRY(text, skeleton_.render(input, plan.template_id));
                                    return {};
                                  }));
  return text;
}

// The same with what matters now: smaller each time, since YAML and its escapes take more than the data alone.
Result<std::string> SkeletonStream::shorter(const PlanScene& scene, const PlanContext& plan, std::int64_t tokens) {
  constexpr int kAttempts = 6;
  constexpr double kBytesPerToken = 3;
  constexpr std::size_t kVersions = 20;
  const StateInterest interest{interest_of(scene.input, scene.quests, plan), scene.players, {}};
  StateInterest wanted = interest;
  if (scene.facts) {
    WEFT_TRY(const auto versions, states_.shelf().log(scene.state_home, scene.state, kVersions, 0));
    for (auto version = versions.rbegin(); version != versions.rend(); ++version)
      for (std::string& anchor : anchors_in(version->operations)) wanted.changed.push_back(std::move(anchor));
  }
  std::string text;
  auto bytes = static_cast<double>(tokens) * kBytesPerToken;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::vector<Quest> active =
        shorter_quests(active_quests(scene.quests), plan, interest.words, static_cast<std::size_t>(bytes / 3));
    SkeletonInput input;
    input.active_quests = &active;
    input.plan = &plan;
    Value facts = facts_for(nullptr, core_.clock->now()), state;
    if (scene.facts) {
      WEFT_CHECK(
          states_.shelf().read(scene.state_home, scene.state, [&](const StateTree& tree, std::int64_t version, Time) {
            facts = facts_for(&tree.root(), core_.clock->now());
            state = shorten_state(tree.root(), wanted, static_cast<std::size_t>(bytes * 2 / 3));
            input.state_version = version;
            return Status();
          }));
      input.state = &state;
    }
    input.facts = &facts;
    WEFT_TRY(text, skeleton_.render(input, plan.template_id));
    const std::int64_t taken = core_.models->tokens().count(text);
    if (taken <= tokens) return text;
    bytes *= 0.9 * static_cast<double>(tokens) / static_cast<double>(taken);
  }
  return text;
}

// How the model writes changes of the state: in the language of the conversation, which stays the same.
std::string SkeletonStream::state_guide(const PlanScene& scene, const ContextInput& input) {
  if (!scene.facts || !core_.config.story.explain_operations) return {};
  const auto first = std::find_if(input.history.begin(), input.history.end(),
                                  [](const HistoryMessage& one) { return one.message.role == Role::kUser; });
  const std::string& said = first == input.history.end() ? scene.input : first->message.content;
  const bool chinese = language_of(said) == Language::kChinese;
  const auto text = skeleton_.render_text(chinese ? "explain_state_zh" : "explain_state_en",
                                          scene.state == kUsualState ? "" : " " + scene.state);
  if (!text.ok()) log_warning("context.state", text.error().message);
  return text.value_or("");
}

// What was to be changed and was not, for the model to tell.
std::string SkeletonStream::notice(const PlanScene& scene, const PlannerDecision& decision) {
  std::string lines;
  for (const std::string* one : {&decision.notice, &scene.refused})
    if (!one->empty()) lines += escape_markup(*one) + "\n";
  return lines.empty() ? lines : "<notice>\n" + lines + "</notice>";
}

}  // namespace weft
