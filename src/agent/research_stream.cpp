#include "agent/research_stream.h"

#include <algorithm>

#include "base/prompts.h"
#include "model/message_reader.h"
#include "text/markup.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
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
