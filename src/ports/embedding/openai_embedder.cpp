#include "ports/embedding/openai_embedder.h"

#include <nlohmann/json.hpp>

#include "ports/net/openai_wire.h"

namespace weft {
namespace {

using nlohmann::json;

class OpenAiEmbedder final : public Embedder {
 public:
  OpenAiEmbedder(OpenAiEmbedderOptions options, std::shared_ptr<HttpClient> client, EmbedPrefixes prefixes)
      : options_(std::move(options)), client_(std::move(client)), prefixes_(std::move(prefixes)) {}

  Status start(const Deadline& deadline) {
    if (options_.dimensions != 0) return {};
    WEFT_TRY(const Vector first, embed("hello", EmbedUse::kCompare, deadline));
    options_.dimensions = first.size();
    return {};
  }

  std::string name() const override { return options_.model; }
  std::size_t dimensions() const override { return options_.dimensions; }
  std::string prefix(EmbedUse use) const override { return prefixes_.of(use); }
  std::int64_t count_tokens(std::string_view) const override { return -1; }

  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override {
    if (!has_word(text)) return invalid_argument("the text has no word, so it has no vector");
    const json body = {
        {"model", options_.model}, {"input", prefixes_.of(use) + std::string(text)}, {"encoding_format", "float"}};
    HttpRequest request = openai::post(options_.url, "/embeddings", options_.api_key,
                                       body.dump(-1, ' ', false, json::error_handler_t::replace));
    request.idle_timeout = options_.timeout;
    request.connect_timeout = std::min(request.connect_timeout, options_.timeout);
    WEFT_TRY(const HttpResponse response, send_with_retry(*client_, request, deadline, options_.retry));
    if (response.status != 200) return openai::error_of(response, options_.url);
    return read(response.body);
  }

 private:
  Result<Vector> read(const std::string& body) const {
    const json answer = json::parse(body, nullptr, false);
    const json::json_pointer place("/data/0/embedding");
    const auto fail = [&](const std::string& what) {
      return unavailable(server_of(options_.url) + " gave " + what + " for a vector of " + options_.model);
    };
    if (!answer.is_object() || !answer.contains(place) || !answer.at(place).is_array()) return fail("something else");
    Vector vector;
    for (const json& number : answer.at(place)) {
      if (!number.is_number()) return fail("something else");
      vector.push_back(number.get<float>());
    }
    if (options_.dimensions != 0 && vector.size() != options_.dimensions) {
      return fail(std::to_string(vector.size()) + " numbers instead of " + std::to_string(options_.dimensions));
    }
    if (!make_unit_length(vector)) return fail("nothing but zeros");
    return vector;
  }

  OpenAiEmbedderOptions options_;
  std::shared_ptr<HttpClient> client_;
  EmbedPrefixes prefixes_;
};

}  // namespace

Result<std::unique_ptr<Embedder>> open_openai_embedder(OpenAiEmbedderOptions options,
                                                       std::shared_ptr<HttpClient> client, const Deadline& deadline) {
  if (options.url.empty()) return invalid_argument("the embedding endpoint has no URL", "set embedding.url");
  EmbedPrefixes prefixes = EmbedPrefixes::of_family(options.model);
  if (options.query_prefix) prefixes.compare = prefixes.query = *options.query_prefix;
  if (options.passage_prefix) prefixes.passage = *options.passage_prefix;
  auto embedder = std::make_unique<OpenAiEmbedder>(std::move(options), std::move(client), std::move(prefixes));
  WEFT_CHECK(embedder->start(deadline));
  return std::unique_ptr<Embedder>(std::move(embedder));
}

}  // namespace weft
