#include "agent/research_records.h"

#include "model/growth_records.h"
#include "model/records.h"

namespace weft {
namespace {

constexpr FieldRule kSparse{.sparse = true};

}  // namespace

std::string_view to_string(ResearchKind kind) {
  switch (kind) {
    case ResearchKind::kFact: return "fact";
    case ResearchKind::kTopic: return "topic";
    case ResearchKind::kRepository: return "repository";
    case ResearchKind::kDeep: return "deep";
  }
  return {};
}

std::string_view to_string(SourceKind kind) {
  switch (kind) {
    case SourceKind::kOfficial: return "official";
    case SourceKind::kEncyclopaedia: return "encyclopaedia";
    case SourceKind::kPaper: return "paper";
    case SourceKind::kNews: return "news";
    case SourceKind::kOfficialBlog: return "official_blog";
    case SourceKind::kReport: return "report";
    case SourceKind::kMemory: return "memory";
    case SourceKind::kProject: return "project";
    case SourceKind::kOther: return "other";
  }
  return {};
}

std::string_view to_string(ClaimState state) {
  switch (state) {
    case ClaimState::kConfirmed: return "confirmed";
    case ClaimState::kSingle: return "single";
    case ClaimState::kDisputed: return "disputed";
  }
  return {};
}

std::string_view to_string(DisputeOf what) {
  switch (what) {
    case DisputeOf::kNumber: return "number";
    case DisputeOf::kDate: return "date";
    case DisputeOf::kPolarity: return "polarity";
    case DisputeOf::kModel: return "model";
  }
  return {};
}

template <>
const Record<ResearchTask>& record<ResearchTask>() {
  static const auto made =
      Record<ResearchTask>("ResearchTask", "What is to be researched.", RecordUse::kBoth)
          .field("question", &ResearchTask::question, "in words", {.required = true})
          .field("kind", &ResearchTask::kind, "fact, topic, repository or deep")
          .field("folders", &ResearchTask::folders, "folders of files that are sources", kSparse)
          .field("tool_calls", &ResearchTask::tool_calls, "fewer calls than the kind may make; 0: as many as it may",
                 {.sparse = true, .least = 0})
          .field("without_model", &ResearchTask::without_model, "by rules alone, also where there is a model", kSparse)
          .field("learn", &ResearchTask::learn, "false: it is kept and remembered, and nothing is learnt from it");
  return made;
}

template <>
const Record<ResearchSource>& record<ResearchSource>() {
  static const auto made =
      Record<ResearchSource>("ResearchSource", "A source that something was found in.", RecordUse::kBoth)
          .field("number", &ResearchSource::number, "by which it is cited")
          .field("origin", &ResearchSource::origin, "a URL or the path of a file")
          .field("title", &ResearchSource::title, "as the source has it", kSparse)
          .field("date", &ResearchSource::date, "of the source, as far as it says", kSparse)
          .field("kind", &ResearchSource::kind, "what kind of source it is")
          .field("provenance", &ResearchSource::provenance, "how far it is believed")
          .field("tool", &ResearchSource::tool, "that found it")
          .field("copy_of", &ResearchSource::copy_of, "number of the source whose text or origin it shares", kSparse);
  return made;
}

template <>
const Record<ResearchCitation>& record<ResearchCitation>() {
  static const auto made =
      Record<ResearchCitation>("ResearchCitation", "Where a source says something.", RecordUse::kBoth)
          .field("source", &ResearchCitation::source, "its number")
          .field("first_line", &ResearchCitation::first_line, "of a file", kSparse)
          .field("last_line", &ResearchCitation::last_line, "of a file", kSparse)
          .field("quote", &ResearchCitation::quote, "as it stands there");
  return made;
}

template <>
const Record<ResearchClaim>& record<ResearchClaim>() {
  static const auto made =
      Record<ResearchClaim>("ResearchClaim", "Something that sources say.", RecordUse::kBoth)
          .field("text", &ResearchClaim::text, "in one sentence")
          .field("aspect", &ResearchClaim::aspect, "of the outline, that it answers", kSparse)
          .field("state", &ResearchClaim::state, "how well it stands")
          .field("independent", &ResearchClaim::independent, "sources that say it, copies counted once")
          .field("citations", &ResearchClaim::citations, "where they say it");
  return made;
}

template <>
const Record<ResearchDispute>& record<ResearchDispute>() {
  static const auto made =
      Record<ResearchDispute>("ResearchDispute", "Claims that cannot hold together.", RecordUse::kBoth)
          .field("what", &ResearchDispute::what, "by what they differ; model: as a model says")
          .field("claims", &ResearchDispute::claims, "their places in the list, from 1")
          .field("why", &ResearchDispute::why, "in words", kSparse);
  return made;
}

template <>
const Record<ResearchReport>& record<ResearchReport>() {
  static const auto made =
      Record<ResearchReport>("ResearchReport", "What came of a research.", RecordUse::kBoth)
          .field("id", &ResearchReport::id, "its own; sorted, the older come first")
          .field("owner", &ResearchReport::owner, "whose it is")
          .field("question", &ResearchReport::question, "as it was asked")
          .field("kind", &ResearchReport::kind, "which way it went")
          .field("status", &ResearchReport::status, "running, ended, failed or stopped")
          .field("failure", &ResearchReport::failure, "why it failed", kSparse)
          .field("started", &ResearchReport::started, "when")
          .field("ended", &ResearchReport::ended, "when", kSparse)
          .field("by", &ResearchReport::by, "who chose the claims: floor or model")
          .field("model", &ResearchReport::model, "which one took part", kSparse)
          .field("outline", &ResearchReport::outline, "what was looked at", kSparse)
          .field("summary", &ResearchReport::summary, "for a prompt", kSparse)
          .field("claims", &ResearchReport::claims, "with where they stand", kSparse)
          .field("disputes", &ResearchReport::disputes, "what sources disagree on", kSparse)
          .field("sources", &ResearchReport::sources, "those cited", kSparse)
          .field("gaps", &ResearchReport::gaps, "what nothing was found of", kSparse)
          .field("questions", &ResearchReport::questions, "ids of what is asked of the user", kSparse)
          .field("methods", &ResearchReport::methods, "ways of working that sources tell of", kSparse)
          .field("notes", &ResearchReport::notes, "what else is to be known", kSparse)
          .field("researchers", &ResearchReport::researchers, "streams of those who worked for it", kSparse)
          .field("limit", &ResearchReport::limit, "that was reached", kSparse)
          .field("tool_calls", &ResearchReport::tool_calls, "made")
          .field("tool_calls_most", &ResearchReport::tool_calls_most, "that it could make")
          .field("markdown", &ResearchReport::markdown, "the report for people", kSparse);
  return made;
}

template <>
const Record<FoundPart>& record<FoundPart>() {
  static const auto made = Record<FoundPart>("FoundPart", "A stretch of a source.", RecordUse::kBoth)
                               .field("first_line", &FoundPart::first_line, "of a file", kSparse)
                               .field("last_line", &FoundPart::last_line, "of a file", kSparse)
                               .field("heading", &FoundPart::heading, "it is one", kSparse)
                               .field("text", &FoundPart::text, "as it stands");
  return made;
}

template <>
const Record<FoundSource>& record<FoundSource>() {
  static const auto made = Record<FoundSource>("FoundSource", "A source as a tool found it.", RecordUse::kBoth)
                               .field("origin", &FoundSource::origin, "a URL or a path")
                               .field("title", &FoundSource::title, "of it", kSparse)
                               .field("date", &FoundSource::date, "of it", kSparse)
                               .field("kind", &FoundSource::kind, "what kind it is")
                               .field("provenance", &FoundSource::provenance, "how far it is believed")
                               .field("tool", &FoundSource::tool, "that found it", kSparse)
                               .field("whole", &FoundSource::whole, "all of it is there", kSparse)
                               .field("sketch", &FoundSource::sketch, "of its whole text", kSparse)
                               .field("parts", &FoundSource::parts, "of its text");
  return made;
}

template <>
const Record<FoundSources>& record<FoundSources>() {
  static const auto made = Record<FoundSources>("FoundSources", "What a call found.", RecordUse::kBoth)
                               .field("sources", &FoundSources::sources, "the best first")
                               .field("notes", &FoundSources::notes, "what could not be read", kSparse);
  return made;
}

}  // namespace weft
