#include "surface/api/paths.h"

#include <array>
#include <string>

#include "base/strings.h"
#include "surface/api/operation.h"

namespace weft {

std::vector<PathInfo> http_paths() {
  std::vector<PathInfo> all;
  for (const Operation& one : operations()) {
    std::string text = one.summary;
    for (const Parameter& parameter : one.query)
      text += (&parameter == &one.query.front() ? "; ?" : ", ?") + parameter.name + "=";
    all.push_back({one.method + " " + one.path, std::move(text)});
  }
  for (const OtherPath& one : other_paths()) all.push_back({std::string(one.line), std::string(one.text)});
  return all;
}

std::vector<std::string> names_in_path(std::string_view path) {
  std::vector<std::string> names;
  for (auto begin = path.find('{'); begin != std::string_view::npos; begin = path.find('{', begin + 1))
    names.emplace_back(path.substr(begin + 1, path.find('}', begin) - begin - 1));
  return names;
}

namespace {

constexpr std::string_view kCompletions = "OpenAI Chat Completions";
constexpr std::string_view kResponses = "OpenAI Responses";
constexpr std::string_view kConversations = "OpenAI Conversations";
constexpr std::string_view kMessages = "Anthropic Messages";
constexpr std::string_view kMcp = "Model Context Protocol, Streamable HTTP";
constexpr std::string_view kPassedOn = "passed on as it is";
constexpr DoorKind kProxy = DoorKind::kProxy;

constexpr std::array kPaths{
    OtherPath{"GET /ui", "the page: what Weft keeps, to look at", DoorKind::kPage, "HTML", false},
    OtherPath{"GET /openapi.json", "all of this as an OpenAPI document", DoorKind::kPage, "OpenAPI 3.1", false},
    OtherPath{"POST /mcp",
              "the Model Context Protocol: memory as tools, resources and prompts; ?tools= few, all or names",
              DoorKind::kMcp, kMcp, true},
    OtherPath{"GET /mcp", "what the server says of itself in a session with a handshake", DoorKind::kMcp, kMcp, true},
    OtherPath{"DELETE /mcp", "end such a session", DoorKind::kMcp, kMcp, false},
    OtherPath{"POST /v1/chat/completions", "the proxy: a model call with memories woven in", kProxy, kCompletions,
              true},
    OtherPath{"POST /v1/messages", "the same in the form of Anthropic's Messages API", kProxy, kMessages, true},
    OtherPath{"POST /v1/messages/count_tokens", "how many tokens such a call has", kProxy, kMessages, false},
    OtherPath{"GET /v1/models", "the models of the server behind the proxy", kProxy, "OpenAI or Anthropic Models",
              false},
    OtherPath{"GET /v1/models/{id}", "one of them", kProxy, "OpenAI or Anthropic Models", false},
    OtherPath{"POST /v1/completions", kPassedOn, kProxy, "OpenAI Completions", true},
    OtherPath{"POST /v1/embeddings", kPassedOn, kProxy, "OpenAI Embeddings", false},
    OtherPath{"POST /v1/responses", "the proxy in the form of OpenAI's Responses API", kProxy, kResponses, true},
    OtherPath{"GET /v1/responses/{id}", "a response that the model's server keeps", kProxy, kResponses, true},
    OtherPath{"DELETE /v1/responses/{id}", "passed on: the server forgets it, Weft does not", kProxy, kResponses,
              false},
    OtherPath{"GET /v1/responses/{id}/input_items", kPassedOn, kProxy, kResponses, false},
    OtherPath{"POST /v1/responses/{id}/cancel", kPassedOn, kProxy, kResponses, false},
    OtherPath{"POST /v1/responses/input_tokens", kPassedOn, kProxy, kResponses, false},
    OtherPath{"POST /v1/responses/compact", kPassedOn, kProxy, kResponses, false},
    OtherPath{"POST /v1/conversations", kPassedOn, kProxy, kConversations, false},
    OtherPath{"GET /v1/conversations/{id}", kPassedOn, kProxy, kConversations, false},
    OtherPath{"POST /v1/conversations/{id}", kPassedOn, kProxy, kConversations, false},
    OtherPath{"DELETE /v1/conversations/{id}", kPassedOn, kProxy, kConversations, false},
    OtherPath{"GET /v1/conversations/{id}/items", kPassedOn, kProxy, kConversations, false},
    OtherPath{"POST /v1/conversations/{id}/items", kPassedOn, kProxy, kConversations, false},
    OtherPath{"GET /v1/conversations/{id}/items/{item}", kPassedOn, kProxy, kConversations, false},
    OtherPath{"DELETE /v1/conversations/{id}/items/{item}", kPassedOn, kProxy, kConversations, false},
    OtherPath{"POST /v1/moderations", kPassedOn, kProxy, "OpenAI Moderations", false}};

std::string_view method_of(const OtherPath& path) { return path.line.substr(0, path.line.find(' ')); }
std::string_view pattern_of(const OtherPath& path) { return path.line.substr(path.line.find(' ') + 1); }

std::string_view tag_of(DoorKind kind) {
  return kind == DoorKind::kProxy ? "proxy" : kind == DoorKind::kMcp ? "mcp" : "page";
}

// "POST /v1/chat/completions" → "proxy_post_v1_chat_completions".
std::string id_of(const OtherPath& path) {
  std::string id(tag_of(path.kind));
  id += '_';
  for (const char c : path.line)
    if (is_letter(c) || is_digit(c))
      id += to_lower(c);
    else if (id.back() != '_')
      id += '_';
  while (id.back() == '_') id.pop_back();
  return id;
}

Value typed(std::string_view type, Value schema) {
  return ValueObject{{std::string(type), ValueObject{{"schema", std::move(schema)}}}};
}

Value reference(std::string_view name) { return ValueObject{{"$ref", "#/components/parameters/" + std::string(name)}}; }

ValueList parameters_of(const OtherPath& path) {
  ValueList all;
  for (const std::string& name : names_in_path(pattern_of(path)))
    all.push_back(ValueObject{{"name", name},
                              {"in", "path"},
                              {"required", true},
                              {"description", ""},
                              {"schema", ValueObject{{"type", "string"}, {"minLength", 1}}}});
  if (path.kind == DoorKind::kPage) return all;
  if (path.line == "POST /mcp")
    all.push_back(ValueObject{{"name", "tools"},
                              {"in", "query"},
                              {"required", false},
                              {"description", "few, all, or names with commas between them"},
                              {"schema", ValueObject{{"type", "string"}}}});
  for (const char* name : {"X-Weft-User", "X-Weft-Group", "X-Weft-World"}) all.push_back(reference(name));
  return all;
}

Value answer(const OtherPath& path) {
  const Value object = ValueObject{{"type", "object"}};
  const Value text = ValueObject{{"type", "string"}};
  Value content = path.line == "GET /ui"    ? typed("text/html", text)
                  : path.line == "GET /mcp" ? typed("text/event-stream", text)
                                            : typed("application/json", object);
  if (path.streams && path.line != "GET /mcp")
    content.object()->emplace_back("text/event-stream", ValueObject{{"schema", text}});
  return ValueObject{{"description", "as " + std::string(path.whose) + " has it"}, {"content", std::move(content)}};
}

ValueObject answers_of(const OtherPath& path) {
  ValueObject all;
  const auto empty = [&](const char* code, const char* text) {
    all.emplace_back(code, ValueObject{{"description", text}});
  };
  if (path.line == "DELETE /mcp")
    empty("204", "it is ended");
  else
    all.emplace_back("200", answer(path));
  if (path.line == "POST /mcp") empty("202", "a notification or a reply was taken");
  if (path.kind == DoorKind::kPage) {
    all.emplace_back("default", ValueObject{{"$ref", "#/components/responses/Error"}});
    return all;
  }
  if (path.kind == DoorKind::kProxy) empty("401", "the server wants a key, or the model's server wants another one");
  // What goes wrong is said in the form of the same protocol; of the proxy, also by the model's server.
  const std::string form =
      path.kind == DoorKind::kMcp ? "an error of JSON-RPC" : "an error in the form of " + std::string(path.whose);
  all.emplace_back("default", ValueObject{{"description", form},
                                          {"content", typed("application/json", ValueObject{{"type", "object"}})}});
  return all;
}

}  // namespace

std::span<const OtherPath> other_paths() { return kPaths; }

Value other_path_told(const OtherPath& path) {
  const bool writes = method_of(path) != "GET";
  ValueObject told{{"operationId", id_of(path)},
                   {"tags", ValueList{std::string(tag_of(path.kind))}},
                   {"summary", std::string(path.text)}};
  if (path.kind == DoorKind::kPage) {
    told.emplace_back("description", "needs no key");
    told.emplace_back("security", ValueList{});
  } else {
    told.emplace_back("description", "needs the right to " + std::string(writes ? "write" : "read") +
                                         "; what is taken and given is described by " + std::string(path.whose));
  }
  if (auto parameters = parameters_of(path); !parameters.empty())
    told.emplace_back("parameters", std::move(parameters));
  if (method_of(path) == "POST")
    told.emplace_back("requestBody",
                      ValueObject{{"required", !pattern_of(path).ends_with("/cancel")},
                                  {"content", typed("application/json", ValueObject{{"type", "object"}})}});
  told.emplace_back("responses", answers_of(path));
  return told;
}

}  // namespace weft
