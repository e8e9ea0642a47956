#include "engine/run_hooks.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/log.h"
#include "base/prompts.h"
#include "base/strings.h"
#include "engine/engine_core.h"
#include "engine/profiles.h"
#include "engine/searcher.h"
#include "engine/tasks.h"
#include "flow/context/fence.h"
#include "growth/gaps.h"
#include "growth/reflect_floor.h"
#include "growth/rule_book.h"
#include "growth/rule_words.h"
#include "growth/skill_folder.h"
#include "text/markup.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostAsked = 3, kMostHits = 3, kLongestHit = 300;
constexpr std::chrono::milliseconds kSearchLimit{1500};

std::string fallback_for(std::string_view task) {
  return std::string(
      trimmed(shipped_prompt("gap_fallback", language_of(task) == Language::kChinese ? "zh" : "en").text));
}

bool same_gap(const Gap& a, const Gap& b) { return a.kind == b.kind && a.what == b.what; }

bool is_among(const Gap& gap, const std::vector<Gap>& gaps) {
  return std::any_of(gaps.begin(), gaps.end(), [&](const Gap& one) { return same_gap(one, gap); });
}

// What a person must do or judge is in no memory.
bool can_be_remembered(const Gap& gap) { return gap.question == QuestionKind::kKnowledge; }

Question asked_about(const Gap& gap, std::string_view task) {
  Question question = question_of(gap, task, fallback_for(task));
  question.urgency = Grade::kHigh;  // somebody works on it now
  return question;
}

}  // namespace

// What is known without a question: who the user is, and what is preferred.
std::vector<std::string> RunGapFinder::known_of(const RequestContext& request) {
  std::vector<std::string> known;
  const Scope& scope = request.scope;
  const EntityKey own = scope.is_group() ? EntityKey{EntityType::kGroup, scope.group().str()}
                                         : EntityKey{EntityType::kUser, scope.user().str()};
  if (const auto profile = profiles_.profile(request, own); profile.ok())
    for (const std::string_view line : lines_of(profile->body))
      if (!trimmed(line).empty()) known.emplace_back(trimmed(line));
  const auto preferences = tasks_.preferences(request);
  for (const Preference& one : preferences.value_or({})) known.push_back(one.text);
  return known;
}

std::vector<std::string> RunGapFinder::remembered(const RequestContext& request, const std::string& run,
                                                  const std::string& query) {
  RequestContext within = request;
  within.deadline = std::chrono::steady_clock::now() + kSearchLimit;
  SearchRequest search;
  search.query = query;
  search.top_k = kMostHits;
  search.not_session = SessionId(run);
  const auto found = memory_.search(within, search);
  std::vector<std::string> texts;
  if (!found.ok() || !found->known) return texts;
  // The same task of an earlier day left it open as well, and says nothing of it.
  for (const Hit& hit : found->hits)
    if (gaps_before(hit.item.text, {}, {}).empty()) texts.push_back(preview(hit.item.text, kLongestHit));
  return texts;
}

void RunGapFinder::add_from_model(std::string_view task, std::span<const std::string> known,
                                  std::span<const ToolInfo> tools, std::vector<Gap>& gaps) {
  if (!core_.config.roles.contains("fast")) return;
  ChatModel* model = core_.models->chat("fast");
  if (model == nullptr) return;
  const auto limit = Deadline::after(std::chrono::milliseconds(core_.config.adaptation.model_ms));
  const ModelGaps asked = model_gaps(*model, task, known, tools, limit);
  if (!asked.failed.empty()) log_info("gaps", "found without a model: " + asked.failed);
  for (const Gap& gap : asked.gaps)
    if (!is_among(gap, gaps)) gaps.push_back(gap);
}

GapsFound RunGapFinder::before(const RequestContext& request, const RunState& state, std::span<const ToolInfo> tools) {
  GapsFound found;
  // What a sub-agent lacks the run that started it has to say.
  if (!state.start.parent.empty()) return found;
  const std::string& task = state.start.task;
  std::vector<std::string> known = known_of(request);
  std::vector<Gap> gaps = gaps_before(task, known, tools);
  add_from_model(task, known, tools, gaps);
  std::string remembered_text, open_text, asked_text;
  for (const Gap& gap : gaps) {
    found.told.gaps.push_back(gap.what);
    if (can_be_remembered(gap)) {
      const auto texts = remembered(request, state.run, gap.what + " " + task);
      for (const std::string& text : texts) remembered_text += "- " + gap.what + ": " + text + "\n";
      known.insert(known.end(), texts.begin(), texts.end());
      // Of an argument it can be told whether it is said now; else what is remembered of it is taken for an answer.
      const bool is_argument = is_among(gap, missing_arguments(task, {}, tools));
      const bool closed = is_argument ? !is_among(gap, missing_arguments(task, known, tools)) : !texts.empty();
      if (closed) continue;
    }
    if (!gap.ask) {
      open_text += "- " + gap.what + "\n";
    } else if (found.asked.size() < kMostAsked) {
      found.asked.push_back(asked_about(gap, task));
      asked_text += "- " + gap.what + "\n";
    }
  }
  std::string& text = found.told.text;
  if (!remembered_text.empty()) text += "Memory says of what the task leaves open:\n" + escape_text(remembered_text);
  if (!open_text.empty())
    text += "Not said and not remembered; find it out with your tools first:\n" + escape_text(open_text);
  if (!asked_text.empty())
    text +=
        "The user is asked, since only a person can say, do or judge it; an answer comes as a message. Do what can be "
        "done without it, and do not ask again:\n" +
        escape_text(asked_text);
  if (!text.empty()) text = "<open_in_this_task>\n" + text + "</open_in_this_task>";
  return found;
}

std::vector<Question> RunGapFinder::after(const RequestContext& request, const TaskReport& report,
                                          std::span<const Belief> told) {
  std::vector<Question> left;
  if (report.output.empty() || !report.limit.empty()) return left;
  for (const Gap& gap : gaps_after(report.output, told)) {
    if (gap.kind == GapKind::kUncertain && !remembered(request, report.run, gap.what).empty()) continue;
    if (gap.kind == GapKind::kWavering && gap.choices.empty()) continue;  // there is nothing to decide between
    Question question = question_of(gap, report.task, {});
    question.owner = report.owner;
    question.urgency = gap.kind == GapKind::kWavering ? Grade::kHigh : Grade::kLow;
    if (!gap.about.empty()) {
      const auto asked = desk_.asked_lately(question);
      if (!asked.ok()) log_warning("gaps", asked.error().message);
      if (asked.value_or(true)) continue;
    }
    if (left.size() < kMostAsked) left.push_back(std::move(question));
  }
  return left;
}

LessonTold RunHooks::learnt(const RunState& state) {
  const auto request = request_of_scope(ScopeKey(state.start.owner));
  if (!request.ok()) return {};
  if (!state.learnt.empty()) return withdrawn(*request, state);
  // What is learnt while a task is worked on holds for the next one.
  return state.used.model_calls == 0 ? snapshot(*request, state) : LessonTold();
}

// Of a skill on trial the run gets one of the two, the same as often as it is asked.
LessonTold RunHooks::snapshot(const RequestContext& request, const RunState& state) {
  const std::string& task = state.start.task;
  const ScopeKey scope = request.scope.key();
  LessonTold told;
  // Where nothing is counted nothing is tried either.
  const bool learns = with_.learning.from(state.start);
  const auto active = with_.rules.active_rules(scope);
  const auto trial = learns ? with_.rules.rules_on_trial(scope, task) : std::vector<Rule>();
  for (const auto* rules : {&active, &trial})
    for (const Rule& rule : *rules) told.rules.push_back(versioned_id(rule));
  std::string procedures;
  SkillChoice choice = with_.skills.choose(scope, task);
  if (!choice.matches.empty()) told.skills_by = choice.by;
  for (SkillMatch& match : choice.matches) {
    if (!learns && match.skill.stage == LifeStage::kProbation) continue;
    if (auto used = with_.rules.skill_for(request, match.skill.skill_id, state.run); learns && used.ok())
      match.skill = std::move(used).value();
    told.skills.push_back(versioned_id(match.skill));
    procedures += with_.skills.text_of(match) + "\n";
  }
  for (const std::string& text : {rules_text(active), trial_rules_text(trial), fence_skills(procedures)})
    if (!text.empty()) told.text += (told.text.empty() ? "" : "\n\n") + text;
  return told;
}

// What was told stands in the prompt as long as the task lasts; what does not hold any more is said behind it, once.
LessonTold RunHooks::withdrawn(const RequestContext& request, const RunState& state) {
  std::set<std::string> rules_told, skills_told;
  for (const LessonTold& learnt : state.learnt) {
    rules_told.insert(learnt.rules.begin(), learnt.rules.end());
    skills_told.insert(learnt.skills.begin(), learnt.skills.end());
    for (const std::string& gone : learnt.withdrawn) rules_told.erase(gone), skills_told.erase(gone);
  }
  LessonTold now;
  std::string text;
  const auto withdraw = [&](const std::string& told, const std::string& what, const std::string& instead) {
    now.withdrawn.push_back(told);
    text += "- " + what + (instead.empty() ? "" : "; instead: " + instead) + "\n";
  };
  if (!rules_told.empty()) {
    std::map<std::string, Rule> known;
    for (Rule& rule : with_.rules.rules(request).value_or({})) known[rule.id] = std::move(rule);
    for (const std::string& told : rules_told) {
      const auto rule = known.find(told.substr(0, told.rfind('@')));
      if (rule == known.end()) {
        withdraw(told, "the rule " + told.substr(0, told.rfind('@')), "");
      } else if (!is_told(rule->second)) {
        withdraw(told, rule->second.strategy, "");
      } else if (versioned_id(rule->second) != told) {
        now.rules.push_back(versioned_id(rule->second));
        withdraw(told, "the earlier wording of " + rule->first, rule->second.strategy);
      }
    }
  }
  for (const std::string& told : skills_told) {
    const auto skill = with_.skills.skill(request, told.substr(0, told.rfind('@')));
    // A change on trial is no skill of the library; a skill that was changed since is followed as it was told.
    const bool on_trial = !skill.ok() && with_.rules.is_on_trial(request, told.substr(0, told.rfind('@')));
    if (on_trial || (skill.ok() && is_told(*skill))) continue;
    withdraw(told, "the procedure " + (skill.ok() ? skill->name : told.substr(0, told.rfind('@'))), "");
  }
  if (!text.empty()) now.text = "<withdrawn>\nDoes not hold any more:\n" + escape_text(text) + "</withdrawn>";
  return now;
}

GapsFound RunHooks::gaps_before(const RunState& state, std::span<const ToolInfo> tools) {
  const auto request = request_of_scope(ScopeKey(state.start.owner));
  return request.ok() ? with_.gaps.before(*request, state, tools) : GapsFound();
}

LessonTold RunHooks::after_failure(const TaskReport& so_far, const ReportStep& failed) {
  with_.reflections.step_failed(so_far, failed);
  const Reflection seen = floor_error(so_far, failed);
  LessonTold lesson;
  if (!seen.suggestions.empty()) lesson.text = seen.suggestions.front().strategy;
  return lesson;
}

std::vector<Question> RunHooks::at_end(const RunState& state, const TaskReport& report) {
  const auto request = request_of_scope(ScopeKey(report.owner));
  if (!request.ok()) {
    log_warning("agent.learn", request.error().message);
    return {};
  }
  if (const Status reflected = with_.reflections.run_ended(report); !reflected.ok())
    log_warning("agent.reflect", reflected.error().message);
  if (const Status counted = with_.reflections.count(report); !counted.ok())
    log_warning("agent.count", counted.error().message);
  // A sub-agent's answer is read by the run that started it.
  if (!state.start.parent.empty()) return {};
  // What clashes with a belief is asked to settle the belief.
  const bool learns = with_.learning.from(report);
  return with_.gaps.after(*request, report,
                          learns ? with_.beliefs.told(report.owner).value_or({}) : std::vector<Belief>());
}

}  // namespace weft
