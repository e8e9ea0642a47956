#include "surface/proxy/response_object.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <random>

#include "text/json_lookup.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t number_of(const Json& value) { return value.is_number_integer() ? value.get<std::int64_t>() : 0; }

// "msg_…" for the response "resp_…".
std::string id_of_item(std::string_view kind, const std::string& response, std::size_t place) {
  const auto mark = response.find('_');
  return fmt::format("{}_{}_{}", kind, mark == std::string::npos ? response : response.substr(mark + 1), place);
}

// What the object repeats of the call, with what holds where the call says nothing.
Json repeated(const Json& asked) {
  Json out = Json::object();
  const auto add = [&](const char* name, Json otherwise) {
    const Json& value = member(asked, name);
    out[name] = value.is_null() ? std::move(otherwise) : value;
  };
  add("instructions", nullptr);
  add("max_output_tokens", nullptr);
  add("metadata", Json::object());
  add("parallel_tool_calls", true);
  add("previous_response_id", nullptr);
  add("reasoning", {{"effort", nullptr}, {"summary", nullptr}});
  add("store", true);
  add("temperature", 1.0);
  add("text", {{"format", {{"type", "text"}}}});
  add("tool_choice", "auto");
  add("tools", Json::array());
  add("top_p", 1.0);
  add("truncation", "disabled");
  add("user", nullptr);
  return out;
}

}  // namespace

struct ResponseObject::Body {
  Json repeated;
  bool background = false;
};

std::string fresh_response_id() {
  static thread_local std::random_device chance;
  return fmt::format("resp_{:08x}{:08x}{:08x}{:08x}", chance(), chance(), chance(), chance());
}

ResponseObject::ResponseObject(const ResponseTerms& terms, std::int64_t created)
    : id_(terms.id), created_(created), body_(std::make_unique<Body>()) {
  const Json asked = Json::parse(terms.body, nullptr, false);
  model_ = text_of(member(asked, "model"));
  body_->repeated = repeated(asked);
  body_->background = member(asked, "background") == true;
}

ResponseObject::~ResponseObject() = default;

Json ResponseObject::thought_item(std::size_t place, std::string_view text) const {
  return {{"id", id_of_item("rs", id_, place)},
          {"type", "reasoning"},
          {"summary", Json::array()},
          {"content", {{{"type", "reasoning_text"}, {"text", text}}}}};
}

Json ResponseObject::text_item(std::size_t place, std::string_view text, std::string_view refusal) const {
  Json content = Json::array();
  if (!text.empty() || refusal.empty())
    content.push_back({{"type", "output_text"}, {"text", text}, {"annotations", Json::array()}});
  if (!refusal.empty()) content.push_back({{"type", "refusal"}, {"refusal", refusal}});
  return {{"id", id_of_item("msg", id_, place)},
          {"type", "message"},
          {"status", status_ == "completed" ? "completed" : "incomplete"},
          {"role", "assistant"},
          {"content", std::move(content)}};
}

Json ResponseObject::call_item(std::size_t place, std::string_view call_id, std::string_view name,
                               std::string_view arguments) const {
  return {{"id", id_of_item("fc", id_, place)},
          {"type", "function_call"},
          {"status", "completed"},
          {"call_id", call_id},
          {"name", name},
          {"arguments", arguments}};
}

void ResponseObject::set_model(const std::string& model) {
  if (!model.empty()) model_ = model;
}

void ResponseObject::set_usage(const Json& usage) {
  if (!usage.is_object()) return;
  counted_ = true;
  input_ = number_of(member(usage, "prompt_tokens"));
  output_ = number_of(member(usage, "completion_tokens"));
  cached_ = number_of(member(member(usage, "prompt_tokens_details"), "cached_tokens"));
  thought_ = number_of(member(member(usage, "completion_tokens_details"), "reasoning_tokens"));
}

void ResponseObject::set_end(const std::string& finish_reason) {
  if (finish_reason == "length") why_ = "max_output_tokens";
  if (finish_reason == "content_filter") why_ = "content_filter";
  if (!why_.empty()) status_ = "incomplete";
}

void ResponseObject::fail(std::string_view code, std::string_view message) {
  status_ = "failed";
  error_code_ = code;
  error_ = message;
}

Json ResponseObject::with(const Json& output, bool running) const {
  Json out = {{"id", id_},
              {"object", "response"},
              {"created_at", created_},
              {"status", running ? "in_progress" : status_},
              {"background", body_->background},
              {"error", nullptr},
              {"incomplete_details", nullptr},
              {"model", model_},
              {"output", output}};
  if (!running && !error_code_.empty()) out["error"] = {{"code", error_code_}, {"message", error_}};
  if (!running && !why_.empty()) out["incomplete_details"] = {{"reason", why_}};
  out.update(body_->repeated);
  out["usage"] = nullptr;
  if (!running && counted_)
    out["usage"] = {{"input_tokens", input_},
                    {"input_tokens_details", {{"cached_tokens", cached_}}},
                    {"output_tokens", output_},
                    {"output_tokens_details", {{"reasoning_tokens", thought_}}},
                    {"total_tokens", input_ + output_}};
  return out;
}

}  // namespace weft::proxy
