// What happens to an agent: the events of its runs, and the reports that are made from them.
#include "model/growth_records.h"

namespace weft {
namespace {

constexpr FieldRule kSparse{.sparse = true};

}  // namespace

template <>
const Record<BusEvent>& record<BusEvent>() {
  static const auto made = Record<BusEvent>("BusEvent", "One event of the stream of a run.", RecordUse::kBoth)
                               .field("id", &BusEvent::id, "its number, from 1 without gaps")
                               .field("time", &BusEvent::time, "when it happened")
                               .field("type", &BusEvent::type, "what it is")
                               .json("payload", &BusEvent::payload, "what it says; by type");
  return made;
}

template <>
const Record<ReportStep>& record<ReportStep>() {
  static const auto made =
      Record<ReportStep>("ReportStep", "One step of a task.", RecordUse::kBoth)
          .field("number", &ReportStep::number, "from 1")
          .field("agent", &ReportStep::agent, "who took it", kSparse)
          .field("thought", &ReportStep::thought, "what the model said before", kSparse)
          .field("tool", &ReportStep::tool, "that was called; empty: the step is text alone", kSparse)
          .json("arguments", &ReportStep::arguments, "of the call", kSparse)
          .field("output", &ReportStep::output, "as the model saw it; the beginning of it where it is long", kSparse)
          .field("failed", &ReportStep::failed, "it did not work", kSparse)
          .field("ms", &ReportStep::ms, "how long it took", kSparse)
          .field("tokens", &ReportStep::tokens, "of the model for it", kSparse);
  return made;
}

template <>
const Record<TaskReport>& record<TaskReport>() {
  static const auto made =
      Record<TaskReport>("TaskReport", "What became of one task.", RecordUse::kBoth)
          .field("id", &TaskReport::id, "its own")
          .field("run", &TaskReport::run, "in which it was worked on", kSparse)
          .field("session", &TaskReport::session, "of the run", kSparse)
          .field("owner", &TaskReport::owner, "whose it is: user:ann, group:g")
          .field("task", &TaskReport::task, "as it was asked for")
          .field("type", &TaskReport::type, "such as coding", kSparse)
          .field("output", &TaskReport::output, "the final answer", kSparse)
          .field("outcome", &TaskReport::outcome, "how it ended")
          .field("outcome_by", &TaskReport::outcome_by, "who says so")
          .field("claim", &TaskReport::claim, "what the model says of it", kSparse)
          .field("reaction", &TaskReport::reaction, "what the user did with the result")
          .field("reaction_text", &TaskReport::reaction_text, "what the user said or changed", kSparse)
          .field("provenance", &TaskReport::provenance, "where it comes from")
          .field("started", &TaskReport::started, "when")
          .field("ended", &TaskReport::ended, "when")
          .field("tokens", &TaskReport::tokens, "of the models, in all", kSparse)
          .field("tool_calls", &TaskReport::tool_calls, "how many", kSparse)
          .field("limit", &TaskReport::limit, "that ended it", kSparse)
          .field("steps", &TaskReport::steps, "in order")
          .field("rules", &TaskReport::rules, "ids of those that stood in its prompts", kSparse)
          .field("skills", &TaskReport::skills, "ids of those that stood in its prompts", kSparse)
          .field("learn", &TaskReport::learn, "false: it is kept, and nothing is learnt from it");
  return made;
}

}  // namespace weft
