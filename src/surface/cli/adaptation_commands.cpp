// Commands for what is believed of the user's preferences, and for questions.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "model/growth_records.h"
#include "ports/files/file_system.h"
#include "surface/cli/agent_view.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/cut_list.h"

namespace weft::cli {
namespace {

constexpr std::chrono::milliseconds kLook{150};

struct BeliefWords {
  std::string what, dimension, value;
};

struct EditWords {
  std::string before, after, report;
};

struct QuestionWords {
  std::string what, id, text, arguments;
  Question question;
  bool urgent = false;
};

Status list_beliefs(const Beliefs& beliefs, const Globals& globals) {
  WEFT_TRY(const auto all, beliefs.list());
  if (globals.json) {
    globals.console->line(json_list("beliefs", all));
    return {};
  }
  if (all.empty()) globals.console->line("nothing is believed yet");
  for (const Belief& one : all)
    globals.console->print("%-12s %-18s %.2f  %lld for, %lld against%s%s\n", one.dimension.c_str(), one.value.c_str(),
                           one.confidence, static_cast<long long>(one.evidence_count),
                           static_cast<long long>(one.contradictions), one.confirmed ? ", confirmed" : "",
                           one.needs_confirmation ? ", to be confirmed" : "");
  WEFT_TRY(const auto problems, beliefs.problems());
  for (const std::string& problem : problems) globals.console->print("! %s\n", problem.c_str());
  return {};
}

Status run_belief(const Beliefs& beliefs, const Globals& globals, const BeliefWords& words) {
  if (words.what == "confirm") WEFT_CHECK(beliefs.confirm(words.dimension, words.value));
  if (words.what == "reject") WEFT_CHECK(beliefs.reject(words.dimension, words.value));
  if (words.what == "forget") WEFT_CHECK(beliefs.forget(words.dimension, words.value));
  return list_beliefs(beliefs, globals);
}

// What a person made of a file that an agent wrote, or of the answer of a task.
Status learn_edit(Engine& engine, const RequestContext& request, const Globals& globals, const EditWords& words) {
  WEFT_TRY(const std::string after, read_file(globals.console->path(words.after)));
  const Beliefs beliefs = engine.beliefs(request);
  if (words.report.empty()) {
    WEFT_TRY(const std::string before, read_file(globals.console->path(words.before)));
    const auto learnt = beliefs.learn_edit(before, after);
    return learnt.ok() ? list_beliefs(beliefs, globals) : Status(learnt.error());
  }
  WEFT_TRY(const auto reports, engine.hindsight(request).reports());
  const auto report =
      std::find_if(reports.begin(), reports.end(), [&](const TaskReport& one) { return one.id == words.report; });
  if (report == reports.end()) return not_found("edit: there is no task report \"" + words.report + "\"");
  WEFT_CHECK(beliefs.learn_edit(report->output, after, "report/" + report->id));
  // Where little of the answer is left, the edit says nothing of how the task went.
  if (const auto said = engine.hindsight(request).feedback(report->id, after);
      !said.ok() && said.error().code != ErrorCode::kInvalidArgument)
    return said.error();
  return list_beliefs(beliefs, globals);
}

void show_question(const Globals& globals, const Question& one) {
  if (globals.json) return globals.console->line(to_json(one));
  globals.console->print("%s %s %s  %s\n", one.id.c_str(), std::string(to_string(one.stage)).c_str(),
                         std::string(to_string(one.urgency)).c_str(), one.text.c_str());
  char letter = 'A';
  for (const std::string& choice : one.choices) globals.console->print("   %c. %s\n", letter++, choice.c_str());
  if (!one.answer.empty()) globals.console->print("   = %s\n", one.answer.c_str());
  if (!one.fallback.empty()) globals.console->print("   without an answer: %s\n", one.fallback.c_str());
}

// A run that an answer lets go on works in this very process, unless a server does: until it waits again or has ended.
Status see_it_off(const AgentRuns& runs, const Globals& globals, const std::string& id) {
  if (id.empty() || globals.serving != nullptr) return {};
  auto known = runs.show(id);
  while (known.ok() && !known->parent.empty()) known = runs.show(known->parent);
  if (!known.ok()) return {};  // the question named a run that is none of ours
  AgentRun now = std::move(known).value();
  while (now.status == "running") {
    WEFT_TRY(const auto events, runs.events(now.id, now.events, kLook));
    (void)events;
    WEFT_TRY(now, runs.show(now.id));
  }
  if (!globals.json) print_run(*globals.console, now);
  return {};
}

Status run_question(const Questions& questions, const AgentRuns& runs, const Globals& globals,
                    const QuestionWords& words) {
  if (words.what == "list") {
    WEFT_TRY(const auto all, questions.list());
    if (globals.json) {
      globals.console->line(json_list("questions", all));
      return {};
    }
    for (const Question& one : all) show_question(globals, one);
    if (all.empty()) globals.console->line("no questions yet");
    return {};
  }
  if (words.what == "next") {
    WEFT_TRY(const auto next, questions.next());
    if (next) show_question(globals, *next);
    if (!next) globals.console->line(globals.json ? "null" : "nothing is to be asked now");
    return {};
  }
  if (words.what == "answer") {
    if (words.text.empty() && words.arguments.empty()) return invalid_argument("there is no answer");
    // Who edits the arguments of a call allows it.
    const std::string text = words.text.empty() ? "allow" : words.text;
    WEFT_TRY(const Question answered, questions.answer(words.id, text, words.arguments));
    show_question(globals, answered);
    return see_it_off(runs, globals, answered.run);
  }
  Question question = words.question;
  question.text = words.text;
  question.urgency = words.urgent ? Grade::kHigh : Grade::kMedium;
  if (!question.choices.empty()) question.kind = QuestionKind::kDecision;
  WEFT_TRY(const Question asked, questions.ask(question));
  show_question(globals, asked);
  return {};
}

void add_belief_commands(CommandLine& line) {
  auto words = std::make_shared<BeliefWords>();
  auto* beliefs = line.app().add_subcommand("belief", "what is believed of the user's preferences");
  beliefs->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, bool value_needed) {
    auto* sub = beliefs->add_subcommand(name, text);
    if (std::string_view(name) != "list") {
      sub->add_option("dimension", words->dimension, "detail, format, language, …")->required();
      auto* value = sub->add_option("value", words->value, "such as brief");
      if (value_needed) value->required();
    }
    line.on(sub, Place::kWorkspace, [words, name](const Globals& globals) {
      words->what = name;
      return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
        return run_belief(engine.beliefs(request), globals, *words);
      });
    });
  };
  add("list", "all, with how sure they are", false);
  add("confirm", "say that a value holds", true);
  add("reject", "say that it does not; without a value the leading one", false);
  add("forget", "take a dimension out, or one value of it", false);
  auto edited = std::make_shared<EditWords>();
  auto* editing = beliefs->add_subcommand("edit", "learn from what you made of a text that an agent wrote");
  editing->add_option("after", edited->after, "file: the text as it is now")->required();
  auto* before = editing->add_option("--before", edited->before, "file: the text as the agent wrote it");
  auto* report = editing->add_option("--report", edited->report, "id of the task's report whose answer it was");
  before->excludes(report);
  editing->require_option(2);
  line.on(editing, Place::kWorkspace, [edited](const Globals& globals) {
    return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
      return learn_edit(engine, request, globals, *edited);
    });
  });
}

void add_question_commands(CommandLine& line) {
  auto words = std::make_shared<QuestionWords>();
  auto* questions = line.app().add_subcommand("question", "what only the user can answer");
  questions->require_subcommand(1);
  const auto add = [&](const char* name, const char* text) {
    auto* sub = questions->add_subcommand(name, text);
    line.on(sub, Place::kWorkspace, [words, name](const Globals& globals) {
      words->what = name;
      return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
        return run_question(engine.questions(request), engine.agents(request), globals, *words);
      });
    });
    return sub;
  };
  add("list", "all, in every stage");
  add("next", "the one that is to be answered now");
  auto* asking = add("ask", "queue a question");
  asking->add_option("text", words->text, "one question")->required();
  asking->add_option("--choice", words->question.choices, "one of the choices; once for each");
  asking->add_option("--fallback", words->question.fallback, "what is done without an answer");
  asking->add_option("--why", words->question.why, "what it is needed for");
  asking->add_flag("--urgent", words->urgent, "ask it now, not in a batch");
  auto* answering = add("answer", "answer one");
  answering->add_option("id", words->id, "which")->required();
  answering->add_option("text", words->text, "letter, number or words of a choice, or freely");
  answering->add_option("--arguments", words->arguments,
                        "of an approval: JSON in the place of those of the call, which is allowed with them");
}

}  // namespace

void add_adaptation(CommandLine& line) {
  add_belief_commands(line);
  add_question_commands(line);
}

}  // namespace weft::cli
