#include "agent/research_stream.h"

#include <algorithm>

#include "base/prompts.h"
#include "model/growth_records.h"
#include "model/message_reader.h"
#include "model/records.h"
#include "text/markup.h"
#include "text/utf8.h"
#include "text/words.h"

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

namespace {

constexpr std::size_t kMostOutput = 4 << 20, kLongestNote = 300;
constexpr std::int64_t kAnswerTokens = 3000;

std::string key_of(const std::string& name, const std::string& arguments) { return name + " " + arguments; }

std::string digest_of(std::string_view text) {
  // Two hashes of 32 bits: one stream asks a few dozen times.
  return std::to_string(term_of(text)) + "-" + std::to_string(term_of(std::string(text) + "."));
}

}  // namespace

ResearchStream::ResearchStream(std::string id, Bus& bus, const ResearchParts& parts, std::int64_t most)
    : id_(std::move(id)), bus_(bus), parts_(parts), most_(most) {
  std::map<std::string, std::string> calls;
  for (const BusEvent& event : bus_.since(0)) {
    if (event.type == BusEventType::kToolIntent) {
      if (const auto one = payload_of<Intended>(event); one.ok()) calls[one->call] = key_of(one->name, one->arguments);
    } else if (event.type == BusEventType::kToolResult) {
      if (const auto one = payload_of<ToolAnswered>(event); one.ok()) answered_[calls[one->call]].push_back(*one);
    } else if (event.type == BusEventType::kModelReply) {
      if (const auto one = payload_of<ModelReplied>(event); one.ok())
        replies_[one->message.id.str()] = one->message.content;
    } else if (event.type == BusEventType::kLimitReached) {
      if (const auto one = payload_of<LimitReached>(event); one.ok()) limits_told_.push_back(one->limit);
    } else if (event.type == BusEventType::kProgress) {
      progress_told_.push_back(event.payload);
    }
  }
}

Status ResearchStream::emit(BusEventType type, const std::string& payload) {
  WEFT_TRY(const BusEvent event, bus_.emit(type, payload));
  (void)event;
  return {};
}

void ResearchStream::note(std::string text) {
  text = preview(drop_harmful(text), kLongestNote);
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(std::move(text));
}

Status ResearchStream::reach(const char* limit, const char* what, std::int64_t value) {
  limit_ = limit;
  if (std::find(limits_told_.begin(), limits_told_.end(), limit) != limits_told_.end()) return {};
  limits_told_.push_back(limit);
  return emit(BusEventType::kLimitReached, to_json(LimitReached{limit, what, value}));
}

Status ResearchStream::progress(const std::vector<std::string>& all, std::size_t done) {
  ProgressTold told;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < done) told.done.push_back(all[i]);
    if (i == done) told.current = all[i];
    if (i > done) told.remaining.push_back(all[i]);
  }
  const std::string payload = to_json(told);
  if (std::find(progress_told_.begin(), progress_told_.end(), payload) != progress_told_.end()) return {};
  progress_told_.push_back(payload);
  return emit(BusEventType::kProgress, payload);
}

Result<std::optional<ToolOutcome>> ResearchStream::call(const std::shared_ptr<Tool>& tool,
                                                        const std::string& arguments) {
  if (parts_.deadline.cancelled()) return cancelled("the research was stopped", "`weft research resume` goes on");
  if (left() == 0) {
    WEFT_CHECK(reach("calls", "calls of tools", most_));
    return std::optional<ToolOutcome>();
  }
  const std::string name = tool->info().name;
  auto& before = answered_[key_of(name, arguments)];
  if (!before.empty()) {
    const ToolAnswered known = before.front();
    before.erase(before.begin());
    ++used_;
    return std::optional<ToolOutcome>({known.output, known.failed, known.provenance});
  }
  if (parts_.deadline.passed()) {
    over_ = true;
    WEFT_CHECK(reach("time", "the time of a research", 0));
    return std::optional<ToolOutcome>();
  }
  const std::string id = "c" + std::to_string(++used_);
  WEFT_CHECK(emit(BusEventType::kToolIntent, to_json(Intended{id, name, arguments, "none", ""})));
  const CallJob job{tool, parts_.request, id_, id, arguments, "", parts_.deadline.within(parts_.call_time)};
  ToolAnswered answer;
  answer.call = id;
  parts_.threads.make(std::span(&job, 1), [&](std::size_t, Result<ToolOutcome> outcome, double ms) {
    answer.failed = !outcome.ok() || outcome->failed;
    answer.output = outcome.ok() ? repair_utf8(cut_bytes(outcome->output, kMostOutput)) : outcome.error().message;
    answer.provenance = outcome.ok() ? outcome->provenance : Provenance::kTool;
    answer.ms = ms;
  });
  if (parts_.deadline.cancelled()) return cancelled("the research was stopped", "`weft research resume` goes on");
  WEFT_CHECK(emit(BusEventType::kToolResult, to_json(answer)));
  if (answer.failed) note(name + ": " + answer.output);
  return std::optional<ToolOutcome>({answer.output, answer.failed, answer.provenance});
}

std::optional<std::string> ResearchStream::ask(const std::string& name, const std::string& data,
                                               const std::string& schema, bool quick) {
  ChatModel* model = quick && parts_.quick != nullptr ? parts_.quick : parts_.model;
  if (model == nullptr) return std::nullopt;
  const Prompt prompt = shipped_prompt("research_" + name, language_of(data) == Language::kChinese ? "zh" : "en");
  const std::string digest = digest_of(prompt.id + data);
  if (const auto known = replies_.find(digest); known != replies_.end()) {
    asked_ = true;
    return known->second;
  }
  if (parts_.deadline.passed()) return std::nullopt;
  ChatRequest request;
  request.messages = {make_message(Role::kSystem, std::string(prompt.text)), make_message(Role::kUser, data)};
  request.json_schema = schema;
  request.max_tokens = kAnswerTokens;
  const auto began = std::chrono::steady_clock::now();
  const auto reply = model->complete(request, parts_.deadline.within(parts_.model_time));
  if (!reply.ok()) {
    note("the model did not help with \"" + name + "\": " + reply.error().message);
    return std::nullopt;
  }
  ModelReplied told;
  told.message = reply->message;
  told.message.id = MessageId(digest);
  told.model = model->name();
  told.prompt_tokens = reply->prompt_tokens;
  told.completion_tokens = reply->completion_tokens;
  told.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  if (!emit(BusEventType::kModelReply, to_json(told)).ok()) return std::nullopt;
  asked_ = true;
  return reply->message.content;
}

}  // namespace weft
