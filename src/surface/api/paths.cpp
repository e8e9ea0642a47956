#include "surface/api/paths.h"

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
  for (const auto& [path, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"GET /ui", "the page: what Weft keeps, to look at"},
           {"GET /openapi.json", "all of this as an OpenAPI document"},
           {"POST /mcp",
            "the Model Context Protocol: memory as tools, resources and prompts; ?tools= few, all or names"},
           {"POST /v1/chat/completions", "the proxy: a model call with memories woven in"},
           {"POST /v1/messages", "the same in the form of Anthropic's Messages API"},
           {"POST /v1/messages/count_tokens", "how many tokens such a call has"},
           {"GET /v1/models", "the models of the server behind the proxy"},
           {"GET /v1/models/{id}", "one of them"},
           {"POST /v1/completions", "passed on as it is"},
           {"POST /v1/embeddings", "passed on as it is"},
           {"POST /v1/responses", "the proxy in the form of OpenAI's Responses API"},
           {"GET /v1/responses/{id}", "a response that the model's server keeps"},
           {"DELETE /v1/responses/{id}", "passed on: the server forgets it, Weft does not"},
           {"GET /v1/responses/{id}/input_items", "passed on as it is"},
           {"POST /v1/responses/{id}/cancel", "passed on as it is"},
           {"POST /v1/responses/input_tokens", "passed on as it is"},
           {"POST /v1/responses/compact", "passed on as it is"},
           {"POST /v1/conversations", "passed on as it is"},
           {"GET /v1/conversations/{id}", "passed on as it is"},
           {"POST /v1/conversations/{id}", "passed on as it is"},
           {"DELETE /v1/conversations/{id}", "passed on as it is"},
           {"GET /v1/conversations/{id}/items", "passed on as it is"},
           {"POST /v1/conversations/{id}/items", "passed on as it is"},
           {"GET /v1/conversations/{id}/items/{item}", "passed on as it is"},
           {"DELETE /v1/conversations/{id}/items/{item}", "passed on as it is"},
           {"POST /v1/moderations", "passed on as it is"}})
    all.push_back({path, text});
  return all;
}

std::vector<std::string> names_in_path(std::string_view path) {
  std::vector<std::string> names;
  for (auto begin = path.find('{'); begin != std::string_view::npos; begin = path.find('{', begin + 1))
    names.emplace_back(path.substr(begin + 1, path.find('}', begin) - begin - 1));
  return names;
}

}  // namespace weft
