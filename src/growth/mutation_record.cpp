// Files and log of changes of skills.
#include "growth/mutation_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "growth/mutation_lab.h"
#include "growth/skill_folder.h"
#include "model/growth_records.h"
#include "text/yaml_record.h"

namespace weft {
namespace {

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

}  // namespace

std::string procedure_of(const Skill& skill) {
  Skill bare;
  bare.steps = skill.steps;
  bare.body = skill.body;
  return to_json(bare);
}

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
