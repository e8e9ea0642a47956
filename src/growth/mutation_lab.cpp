#include "growth/mutation_lab.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/strings.h"
#include "growth/growth_files.h"
#include "growth/mutation_proposal.h"
#include "growth/rule_book.h"
#include "growth/rule_words.h"
#include "growth/skill_folder.h"
#include "model/growth_records.h"
#include "text/utf8.h"
#include "text/yaml_value.h"
#include "weft/growth.h"

namespace weft {
namespace {

// Spreads a number over all bits (the finalizer of SplitMix64).
std::uint64_t mixed(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15ULL;
  number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  number = (number ^ (number >> 27U)) * 0x94D049BB133111EBULL;
  return number ^ (number >> 31U);
}

double rate(std::int64_t successes, std::int64_t uses) {
  return uses == 0 ? 0 : static_cast<double>(successes) / static_cast<double>(uses);
}

std::string figures(const Mutation& test) {
  return fmt::format("{} of {} with the change, {} of {} without, better with probability {:.3f}",
                     test.variant_successes, test.variant_uses, test.original_successes, test.original_uses,
                     test.probability_better);
}

// The rule as it is specified: after N uses the rates are compared; what is between the bounds goes on.
MutationStage by_rates(const Mutation& test, const EvolutionSettings& settings) {
  const std::int64_t uses = test.original_uses + test.variant_uses;
  if (uses == 0 || uses % settings.ab_uses != 0) return MutationStage::kTesting;
  const double gain =
      rate(test.variant_successes, test.variant_uses) - rate(test.original_successes, test.original_uses);
  if (gain > settings.min_improvement) return MutationStage::kKept;
  return gain < -settings.tolerance ? MutationStage::kDiscarded : MutationStage::kTesting;
}

// Who looks after every use finds by chance, sooner or later, what he looks for. So early decisions to keep need more:
// of the doubt that is allowed at the end a share that grows with the uses.
double needed_to_keep(std::int64_t uses, const EvolutionSettings& settings) {
  const double share = static_cast<double>(uses) / static_cast<double>(settings.max_arm_uses);
  return 1 - (1 - settings.keep_probability) * std::clamp(share, 0.0, 1.0);
}

MutationStage by_posterior(const Mutation& test, const EvolutionSettings& settings) {
  const std::int64_t uses = std::min(test.original_uses, test.variant_uses);
  if (uses < settings.min_arm_uses) return MutationStage::kTesting;
  if (test.probability_better >= needed_to_keep(uses, settings)) return MutationStage::kKept;
  return test.probability_better <= settings.drop_probability ? MutationStage::kDiscarded : MutationStage::kTesting;
}

}  // namespace

Arm arm_of_use(std::uint64_t use, std::uint64_t seed, const EvolutionSettings& settings) {
  const bool second = use % 2 == 0;
  if (settings.decide == TrialPolicy::kRates) return second ? Arm::kVariant : Arm::kOriginal;
  const bool swapped = (mixed(seed ^ mixed((use - 1) / 2)) & 1U) != 0;
  return second != swapped ? Arm::kVariant : Arm::kOriginal;
}

// P(X > Y) of two Beta distributions with whole parameters is a sum of as many terms as the first has successes.
double probability_better(std::int64_t successes, std::int64_t uses, std::int64_t than_successes,
                          std::int64_t than_uses) {
  const auto b = static_cast<double>(uses - successes + 1);
  const auto c = static_cast<double>(than_successes + 1), d = static_cast<double>(than_uses - than_successes + 1);
  const auto log_beta = [](double x, double y) { return std::lgamma(x) + std::lgamma(y) - std::lgamma(x + y); };
  const double whole = log_beta(c, d);
  double sum = 0;
  for (std::int64_t i = 0; i <= successes; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(log_beta(c + k, b + d) - std::log(b + k) - log_beta(1 + k, b) - whole);
  }
  return std::clamp(sum, 0.0, 1.0);
}

TrialVerdict judge(const Mutation& test, const EvolutionSettings& settings) {
  const MutationStage stage =
      settings.decide == TrialPolicy::kRates ? by_rates(test, settings) : by_posterior(test, settings);
  switch (stage) {
    case MutationStage::kKept: return {stage, "better: " + figures(test)};
    case MutationStage::kDiscarded: return {stage, "worse: " + figures(test)};
    default: break;
  }
  if (std::min(test.original_uses, test.variant_uses) >= settings.max_arm_uses)
    return {MutationStage::kInconclusive, "no difference was seen, the original stays: " + figures(test)};
  return {};
}

void add_use(Mutation& test, Arm arm, bool success) {
  (arm == Arm::kVariant ? test.variant_uses : test.original_uses) += 1;
  (arm == Arm::kVariant ? test.variant_successes : test.original_successes) += success;
  test.probability_better =
      probability_better(test.variant_successes, test.variant_uses, test.original_successes, test.original_uses);
}

// Proposing changes, assigning them to tasks, counting and deciding.

namespace {

// Files and log of changes of skills.

// One use of a skill or of a change of it.
struct UseLine {
  std::string report, used;  ///< the id that stood in the prompt
  Arm arm = Arm::kOriginal;
  SkillRun use;
};

using Json = nlohmann::ordered_json;

Json line_of(const char* kind, Time now) { return {{"time", format_time(now)}, {"kind", kind}}; }

const char* word_of(Arm arm) { return arm == Arm::kVariant ? "variant" : "original"; }

void add_figures(Json& line, const Mutation& test) {
  line["original"] = {{"uses", test.original_uses}, {"successes", test.original_successes}};
  line["variant"] = {{"uses", test.variant_uses}, {"successes", test.variant_successes}};
  line["probability_better"] = test.probability_better;
}

std::string text_of(const Json& line, const char* name) {
  const auto at = line.find(name);
  return at != line.end() && at->is_string() ? at->get<std::string>() : std::string();
}

template <class E>
E enum_of(const std::string& word, E otherwise) {
  for (const E one : kEnumValues<E>)
    if (to_string(one) == word) return one;
  return otherwise;
}

// What a skill says to do, for comparing: its steps and its body as JSON.
std::string procedure_of(const Skill& skill) {
  Skill bare;
  bare.steps = skill.steps;
  bare.body = skill.body;
  return to_json(bare);
}

// Lines of mutation_tests.jsonl. All have "time", "kind" and what they are about; those of uses and decisions show
// the figures and the probability as they are then.
std::string proposed_line(const Mutation& mutation, const std::string& base, const std::string& by, Time now) {
  Json line = line_of("proposed", now);
  line.update({{"mutation", mutation.id},
               {"skill", mutation.skill_id},
               {"type", to_string(mutation.type)},
               {"stage", to_string(mutation.stage)},
               {"change", mutation.change},
               {"by", by},
               {"base", base}});
  return write_json(line);
}

std::string assigned_line(const Mutation& mutation, const std::string& task, Arm arm, Time now) {
  Json line = line_of("assigned", now);
  line.update({{"mutation", mutation.id}, {"task", task}, {"arm", word_of(arm)}});
  return write_json(line);
}

std::string use_line(const UseLine& use, const Mutation* test, Time now) {
  Json line = line_of("use", now);
  line.update({{"report", use.report},
               {"used", use.used},
               {"success", use.use.success},
               {"task", use.use.task},
               {"reaction", to_string(use.use.reaction)},
               {"trouble", use.use.trouble}});
  if (test == nullptr) return write_json(line);
  line["mutation"] = test->id;
  line["arm"] = word_of(use.arm);
  add_figures(line, *test);
  return write_json(line);
}

std::string decided_line(const Mutation& mutation, MutationStage stage, const std::string& why, Time now) {
  Json line = line_of("decided", now);
  line.update({{"mutation", mutation.id}, {"stage", to_string(stage)}, {"why", why}});
  add_figures(line, mutation);
  return write_json(line);
}

std::string gate_line(const Mutation& mutation, const PromotionGate& gate, Time now) {
  Json line = line_of("gate", now);
  line.update({{"mutation", mutation.id}, {"gate", Json::parse(to_json(gate))}});
  return write_json(line);
}

std::string applied_line(const Mutation& mutation, Time now) {
  Json line = line_of("applied", now);
  line.update({{"mutation", mutation.id}, {"skill", mutation.skill_id}});
  return write_json(line);
}

constexpr std::size_t kLongestTask = 300;
constexpr std::int64_t kOnlyVersion = 1;  // a change never changes

std::string trouble_of(const TaskReport& report) {
  std::string trouble = report.limit.empty() ? "" : "limit reached: " + report.limit;
  for (const ReportStep& step : report.steps)
    if (step.failed && !step.tool.empty() && trouble.size() < kLongestTask)
      trouble += (trouble.empty() ? "" : "; ") + step.tool + " failed";
  return trouble;
}

}  // namespace

MutationLab::Test* MutationLab::find(const std::string& id) {
  const auto at = std::find_if(tests_.begin(), tests_.end(), [&](const Test& test) { return test.mutation.id == id; });
  return at == tests_.end() ? nullptr : &*at;
}

MutationLab::Test* MutationLab::on_trial(const std::string& skill_id) {
  for (Test& test : tests_)
    if (test.mutation.skill_id == skill_id && test.mutation.stage == MutationStage::kTesting) return &test;
  return nullptr;
}

Status MutationLab::check_eligible(const Skill& skill) {
  if (skill.pinned || skill.disabled || skill.stage != LifeStage::kActive)
    return conflict("skill \"" + skill.skill_id + "\" is pinned, switched off or not active");
  if (const Test* test = on_trial(skill.skill_id))
    return conflict("skill \"" + skill.skill_id + "\": " + test->mutation.id + " is on trial",
                    "wait until it is decided, or refuse it");
  const Past& past = past_[skill.skill_id];
  const auto good = std::count_if(past.uses.begin(), past.uses.end(), [](const SkillRun& use) { return use.success; });
  const double rate = past.uses.empty() ? 0 : static_cast<double>(good) / static_cast<double>(past.uses.size());
  if (past.count >= with_.settings.mutate_uses && rate >= with_.settings.mutate_rate) return {};
  return invalid_argument(fmt::format("skill \"{}\": {} of its last {} uses succeeded, of {} with a known outcome",
                                      skill.skill_id, good, past.uses.size(), past.count),
                          fmt::format("changes are tried from {} uses and a success of {} on",
                                      with_.settings.mutate_uses, with_.settings.mutate_rate));
}

Status MutationLab::add(const Skill& skill, const Proposal& proposal, const std::string& by,
                        std::vector<Mutation>& made) {
  Mutation mutation;
  for (std::size_t number = tests_.size() + 1; mutation.id.empty() || find(mutation.id) != nullptr; ++number)
    mutation.id = skill.skill_id + "_m" + std::to_string(number);
  mutation.skill_id = skill.skill_id;
  mutation.type = proposal.type;
  mutation.change = proposal.change;
  mutation.reason = proposal.reason;
  mutation.risk = proposal.risk;
  mutation.validation = proposal.validation;
  mutation.variant = proposal.variant;
  mutation.variant.skill_id = mutation.id;
  mutation.variant.origin = SkillOrigin::kEvolution;
  mutation.variant.uses = {};
  mutation.variant.success_rate = 0;
  mutation.variant.version_history.clear();
  const bool waits = proposal.type == MutationType::kStrategy && !with_.settings.autonomous;
  mutation.stage = waits ? MutationStage::kAwaitingApproval : MutationStage::kTesting;
  mutation.seed = std::hash<std::string>()(mutation.id + format_time(with_.clock.now())) >> 12U;
  mutation.created = mutation.updated = with_.clock.now();
  // The file first: a line about a change that nobody knows would be of no use.
  WEFT_CHECK(write_file_of(mutation));
  WEFT_CHECK(emit(proposed_line(mutation, procedure_of(skill), by, with_.clock.now())));
  made.push_back(find(mutation.id)->mutation);
  return {};
}

Result<std::vector<Mutation>> MutationLab::propose(const ScopeKey& scope, const std::string& skill_id) {
  if (!with_.settings.learn)
    return conflict("changes of skills are not tried: learning is off", "set evolution.learn to true");
  WEFT_TRY(const Skill skill, with_.skills.get(skill_id));
  if (!is_for(skill.owner, scope)) return not_found("skills: there is no skill \"" + skill_id + "\"");
  std::vector<SkillRun> uses;
  std::vector<std::string> tried;
  {
    const std::lock_guard lock(mutex_);
    WEFT_CHECK(load());
    WEFT_CHECK(check_eligible(skill));
    uses.assign(past_[skill_id].uses.begin(), past_[skill_id].uses.end());
    for (const Test& test : tests_)
      if (test.mutation.skill_id == skill_id) tried.push_back(test.mutation.change);
  }
  // No lock while a model is asked.
  const std::vector<ToolInfo> tools = with_.tools ? with_.tools() : std::vector<ToolInfo>();
  ModelProposals asked;
  if (ChatModel* model = with_.model ? with_.model() : nullptr; model != nullptr) {
    const auto limit = Deadline::after(std::chrono::milliseconds(with_.settings.model_ms));
    asked = model_proposals(*model, skill, uses, tools, limit);
    if (!asked.failed.empty()) log_warning("mutations", "made without a model: " + asked.failed);
  }
  const bool by_model = !asked.proposals.empty();
  if (!by_model) asked.proposals = floor_proposals(skill, tools, with_.likeness, tried);
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(check_eligible(skill));
  std::vector<Mutation> made;
  for (const Proposal& proposal : asked.proposals)
    WEFT_CHECK(add(skill, proposal, by_model ? asked.prompt : "floor", made));
  return made;
}

Result<Skill> MutationLab::skill_for(const ScopeKey& scope, const std::string& skill_id, const std::string& task) {
  WEFT_TRY(Skill skill, with_.skills.get(skill_id));
  if (!is_for(skill.owner, scope)) return not_found("skills: there is no skill \"" + skill_id + "\"");
  if (!with_.settings.learn || skill.pinned || skill.disabled) return skill;
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(load());
  Test* test = on_trial(skill_id);
  if (test == nullptr) return skill;
  const std::string key = preview(task, kLongestTask);
  auto arm = test->arms.find(key);
  if (arm == test->arms.end()) {
    const Arm drawn = arm_of_use(test->assigned + 1, test->mutation.seed, with_.settings);
    WEFT_CHECK(emit(assigned_line(test->mutation, key, drawn, with_.clock.now())));
    arm = test->arms.find(key);
  }
  return arm->second == Arm::kVariant ? test->mutation.variant : skill;
}

Status MutationLab::count(const TaskReport& report) {
  const Outcome outcome = witnessed_outcome(report);
  if (report.skills.empty() || outcome == Outcome::kUnknown || !is_trusted(report.provenance)) return {};
  if (report.id.empty()) return invalid_argument("skills: a task report needs an id", "it is what makes it count once");
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(load());
  for (const std::string& id : report.skills)
    if (!counted_.contains(report.id + " " + id)) WEFT_CHECK(count_one(id, report, outcome == Outcome::kSuccess));
  return {};
}

// Within a test only those uses are compared that were drawn for it.
Status MutationLab::count_one(const std::string& id, const TaskReport& report, bool success) {
  UseLine use;
  use.report = report.id;
  use.used = id;
  use.use = {preview(report.task, kLongestTask), success, report.reaction, trouble_of(report)};
  Test* test = find(id);
  if (test != nullptr) {
    use.arm = Arm::kVariant;
  } else if (test = on_trial(id); test != nullptr) {
    auto drawn = test->arms.find(use.use.task);
    if (drawn == test->arms.end()) drawn = test->arms.find(preview(report.run, kLongestTask));
    if (drawn == test->arms.end() || drawn->second != Arm::kOriginal) test = nullptr;
  }
  const bool counts = test != nullptr && test->mutation.stage == MutationStage::kTesting;
  Mutation after = counts ? test->mutation : Mutation();
  if (counts) add_use(after, use.arm, success);
  WEFT_CHECK(emit(use_line(use, counts ? &after : nullptr, with_.clock.now())));
  return counts ? judge_trial(*test) : Status();
}

Status MutationLab::judge_trial(Test& test) {
  const TrialVerdict verdict = judge(test.mutation, with_.settings);
  if (verdict.decided.empty()) return {};
  if (verdict.stage != MutationStage::kKept) return decide(test, verdict.stage, verdict.decided);
  if (const std::string by_person = left_alone(test); !by_person.empty())
    return decide(test, MutationStage::kInconclusive, verdict.decided + by_person);
  return pass_gate(test, verdict);
}

// Who has pinned a skill or switched it off while a change was on trial wants it as it is.
std::string MutationLab::left_alone(const Test& test) {
  const auto original = with_.skills.get(test.mutation.skill_id);
  if (!original.ok() || (!original->pinned && !original->disabled)) return {};
  return std::string("; but a person has ") + (original->pinned ? "pinned" : "switched off") + " the skill meanwhile";
}

// What did better is on trial until past tasks were asked, too.
Status MutationLab::pass_gate(Test& test, const TrialVerdict& verdict) {
  if (test.mutation.gate.stage == GateStage::kWaiting) return {};
  const PromotionGate gate = gate_of(with_.gate, test.mutation.variant.owner, kOnlyVersion, with_.clock);
  if (gate.stage == GateStage::kNone) return decide(test, verdict.stage, verdict.decided);
  const std::string id = test.mutation.id;
  WEFT_CHECK(emit(gate_line(test.mutation, gate, with_.clock.now())));
  WEFT_CHECK(write_file_of(find(id)->mutation));
  if (gate.stage == GateStage::kWaiting) return {};
  return decide(*find(id), verdict.stage, verdict.decided + "; " + gate_text(gate));
}

Result<std::vector<Mutation>> MutationLab::waiting() {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(load());
  std::vector<Mutation> found;
  for (const Test& test : tests_)
    if (test.mutation.stage == MutationStage::kTesting && test.mutation.gate.stage == GateStage::kWaiting)
      found.push_back(test.mutation);
  return found;
}

Status MutationLab::settle(const std::string& id, const PromotionGate& gate) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(load());
  const Test* test = find(id);
  if (test == nullptr || test->mutation.stage != MutationStage::kTesting ||
      test->mutation.gate.stage != GateStage::kWaiting)
    return {};
  WEFT_CHECK(emit(gate_line(test->mutation, gate, with_.clock.now())));
  WEFT_CHECK(write_file_of(find(id)->mutation));
  if (gate.stage == GateStage::kWaiting) return {};
  if (gate.stage == GateStage::kHeldBack) return decide(*find(id), MutationStage::kAwaitingApproval, gate_text(gate));
  const std::string by_person = left_alone(*find(id));
  return decide(*find(id), by_person.empty() ? MutationStage::kKept : MutationStage::kInconclusive,
                "better in its trial; " + gate_text(gate) + by_person);
}

Status MutationLab::decide(Test& test, MutationStage stage, const std::string& why) {
  WEFT_CHECK(emit(decided_line(test.mutation, stage, why, with_.clock.now())));
  WEFT_CHECK(write_file_of(test.mutation));
  return stage == MutationStage::kKept ? put_on_shelf(test) : Status();
}

// The change takes the original's place, unless somebody has changed that meanwhile.
Status MutationLab::put_on_shelf(Test& test) {
  const std::string id = test.mutation.skill_id, change = test.mutation.change;
  WEFT_TRY(const Skill original, with_.skills.get(id));
  Skill next = original;
  next.steps = test.mutation.variant.steps;
  next.body = test.mutation.variant.body;
  const bool is_there = procedure_of(original) == procedure_of(next);
  if (!is_there && procedure_of(original) != test.base)
    return decide(test, MutationStage::kInconclusive, "it did better, but the skill was changed by others meanwhile");
  if (!is_there) WEFT_CHECK(with_.skills.put(next, test.mutation.id + ": " + change));
  WEFT_CHECK(emit(applied_line(test.mutation, with_.clock.now())));
  for (Test& other : tests_) {
    const bool open =
        other.mutation.stage == MutationStage::kTesting || other.mutation.stage == MutationStage::kAwaitingApproval;
    if (open && other.mutation.skill_id == id)
      WEFT_CHECK(decide(other, MutationStage::kDiscarded, "it changes a skill that is not the same any more"));
  }
  return {};
}

Result<std::vector<Mutation>> MutationLab::list(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(load());
  std::vector<Mutation> seen;
  for (const Test& test : tests_)
    if (is_for(test.mutation.variant.owner, scope)) seen.push_back(test.mutation);
  return seen;
}

Result<Mutation> MutationLab::judge_by_person(const ScopeKey& scope, const std::string& id, bool approve,
                                              const std::string& why, const std::string& by) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(load());
  Test* test = find(id);
  if (test == nullptr || !is_for(test->mutation.variant.owner, scope))
    return not_found("mutations: there is no change \"" + id + "\"", "`weft mutation list` shows them");
  const MutationStage stage = test->mutation.stage;
  const std::string reason = (approve ? "approved by " : "refused by ") + by + (why.empty() ? "" : ": " + why);
  if (stage == MutationStage::kAwaitingApproval) {
    // One that was held back has had its trial.
    const bool tried = test->mutation.gate.stage == GateStage::kHeldBack;
    const MutationStage next = tried ? MutationStage::kKept : MutationStage::kTesting;
    WEFT_CHECK(decide(*test, approve ? next : MutationStage::kDiscarded, reason));
  } else if (stage == MutationStage::kTesting) {
    WEFT_CHECK(decide(*test, approve ? MutationStage::kKept : MutationStage::kDiscarded, reason));
  } else {
    return conflict("mutations: " + id + " is " + std::string(to_string(stage)) + " already",
                    "a skill goes back by `weft skill rollback`");
  }
  return find(id)->mutation;
}

// Forgetting in the changes of skills.

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

Status MutationLab::write_file_of(const Mutation& mutation) {
  const auto folder = with_.places.mutated_skills();
  WEFT_CHECK(with_.files.make_folder(folder));
  return write_file(with_.files, folder / (skill_file_name(mutation.id) + ".yaml"), to_yaml(mutation), true);
}

Status MutationLab::emit(const std::string& line) {
  if (!log_) {
    WEFT_TRY(log_, LineLog::open(with_.files, with_.places.mutation_tests()));
  }
  const Status written = log_->append(line);
  // What stands there is not known then: all is read anew.
  if (!written.ok()) loaded_ = false;
  WEFT_CHECK(written);
  return apply(line);
}

// Stages and counts are the log's; the file has the text.
Status MutationLab::read_files() {
  auto paths = with_.files.list(with_.places.mutated_skills());
  if (!paths.ok() && paths.error().code != ErrorCode::kNotFound) return paths.error();
  for (const auto& path : paths.value_or({})) {
    if (path.extension() != ".yaml") continue;
    WEFT_TRY(const std::string text, with_.files.read(path));
    auto mutation = read_yaml_record<Mutation>(text, path.filename().string());
    if (!mutation.ok()) {
      log_warning("mutations.file", mutation.error().message);
      continue;
    }
    Test test;
    test.mutation = std::move(mutation).value();
    test.mutation.original_uses = test.mutation.original_successes = 0;
    test.mutation.variant_uses = test.mutation.variant_successes = 0;
    test.mutation.probability_better = 0.5;
    test.mutation.gate = {};
    tests_.push_back(std::move(test));
  }
  return {};
}

Status MutationLab::load() {
  if (loaded_) return {};
  tests_.clear();
  past_.clear();
  counted_.clear();
  log_ = nullptr;
  WEFT_CHECK(read_files());
  Status trouble;
  if (with_.files.read(with_.places.mutation_tests()).ok()) {
    std::size_t number = 0;
    WEFT_TRY(log_, LineLog::open(with_.files, with_.places.mutation_tests(), [&](std::string_view line) {
               ++number;
               if (!trouble.ok()) return;
               trouble = apply(line);
               if (!trouble.ok())
                 trouble = corrupt(with_.places.mutation_tests().string() + ": line " + std::to_string(number) + ": " +
                                   trouble.error().message);
             }));
  }
  WEFT_CHECK(trouble);
  // A change whose line a crash prevented was never said to be there.
  std::erase_if(tests_, [](const Test& test) { return test.base.empty(); });
  std::stable_sort(tests_.begin(), tests_.end(),
                   [](const Test& a, const Test& b) { return a.mutation.created.ms < b.mutation.created.ms; });
  loaded_ = true;
  for (Test& test : tests_) {
    if (test.mutation.stage == MutationStage::kTesting) WEFT_CHECK(judge_trial(test));
    if (test.mutation.stage == MutationStage::kKept && !test.applied) WEFT_CHECK(put_on_shelf(test));
  }
  return {};
}

Status MutationLab::apply(std::string_view text) {
  const Json line = Json::parse(text, nullptr, false);
  if (!line.is_object()) return corrupt("it is no JSON object");
  const std::string kind = text_of(line, "kind"), id = text_of(line, "mutation");
  Test* test = find(id);
  if (kind == "proposed") {
    if (test == nullptr) {
      // Just made, or its file is gone: then it is told as what it was.
      auto mutation = with_.files.read(with_.places.mutated_skills() / (skill_file_name(id) + ".yaml"));
      if (!mutation.ok()) return {};
      auto read = read_yaml_record<Mutation>(*mutation, id);
      if (!read.ok()) return {};
      tests_.push_back({std::move(read).value(), {}, 0, {}, false});
      test = &tests_.back();
    }
    test->base = text_of(line, "base");
    test->mutation.stage = enum_of(text_of(line, "stage"), MutationStage::kAwaitingApproval);
    test->mutation.decided.clear();
    return {};
  }
  if (kind == "use") {
    const std::string used = text_of(line, "used");
    const bool success = line.value("success", false);
    counted_.insert(text_of(line, "report") + " " + used);
    const Arm arm = text_of(line, "arm") == "variant" ? Arm::kVariant : Arm::kOriginal;
    if (test != nullptr) add_use(test->mutation, arm, success);
    if (find(used) != nullptr) return {};  // a change is not the skill
    Past& past = past_[used];
    ++past.count;
    past.uses.push_back({text_of(line, "task"), success, enum_of(text_of(line, "reaction"), UserReaction::kNone),
                         text_of(line, "trouble")});
    if (past.uses.size() > static_cast<std::size_t>(with_.settings.mutate_window)) past.uses.pop_front();
    return {};
  }
  if (test == nullptr) return {};
  if (kind == "assigned") {
    ++test->assigned;
    test->arms[text_of(line, "task")] = text_of(line, "arm") == "variant" ? Arm::kVariant : Arm::kOriginal;
  } else if (kind == "decided") {
    test->mutation.stage = enum_of(text_of(line, "stage"), test->mutation.stage);
    test->mutation.decided = text_of(line, "why");
    if (const auto time = parse_time(text_of(line, "time")); time.ok()) test->mutation.updated = *time;
  } else if (kind == "gate") {
    const auto gate = line.find("gate");
    if (gate == line.end()) return {};
    WEFT_TRY(test->mutation.gate, parse_record<PromotionGate>(write_json(*gate), "gate"));
  } else if (kind == "applied") {
    test->applied = true;
    past_.erase(test->mutation.skill_id);  // the changed one has to prove itself
  }
  return {};
}

}  // namespace weft
