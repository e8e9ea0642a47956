#include "flow/context/tool_vectors.h"

#include <algorithm>
#include <cmath>

#include "flow/context/tool_names.h"
#include "flow/context/tool_schema.h"
#include "text/utf8.h"

namespace weft {
namespace {

// Fewer tools of a language have a mean that is mostly what they are about.
constexpr std::size_t kLeastForMean = 16;
constexpr std::size_t kMaxRequest = 4096, kMaxPassage = 2048;  // bytes; models take some 500 tokens

// Requests that ask for nothing in particular. Their mean is what all requests have in common.
constexpr std::array<std::string_view, 16> kEnglishRequests{
    "Can you help me with this?",
    "Please find some information about it for me.",
    "What is the best way to do that?",
    "I need to know how this works.",
    "Show me the details of the one I mentioned.",
    "Could you look that up and tell me?",
    "Is there something that would help me plan this?",
    "Create a new one with these settings.",
    "I would like a list of the options.",
    "Change it so that it fits my needs.",
    "Compare the two and tell me which is better.",
    "Give me a summary of this.",
    "Check whether it is correct.",
    "Where can I get one?",
    "Do you have any suggestions for my project?",
    "Delete the old entry and add another one.",
};
constexpr std::array<std::string_view, 16> kChineseRequests{
    "你能帮我处理一下这个吗？",
    "请帮我找一些相关的资料。",
    "做这件事最好的办法是什么？",
    "我想知道这是怎么运作的。",
    "把我刚才说的那个的详细情况给我看看。",
    "你能查一下然后告诉我吗？",
    "有没有什么可以帮我做计划的？",
    "按这些设置新建一个。",
    "我想要一份可选项的清单。",
    "改一下，让它符合我的需要。",
    "比较这两个，告诉我哪个更好。",
    "给我一个简短的总结。",
    "检查一下对不对。",
    "哪里可以弄到一个？",
    "对我的项目你有什么建议？",
    "删除旧的那条，再加一条新的。",
};

void add(Vector& sum, std::span<const float> vector) {
  if (sum.empty()) sum.assign(vector.size(), 0.0f);
  for (std::size_t i = 0; i < sum.size() && i < vector.size(); ++i) sum[i] += vector[i];
}

/// Of unit length; empty where nothing is left, so that it is near to nothing.
Vector without(const Vector& vector, const Vector& mean) {
  Vector rest = vector;
  for (std::size_t i = 0; i < rest.size() && i < mean.size(); ++i) rest[i] -= mean[i];
  return make_unit_length(rest) ? rest : Vector{};
}

Result<Vector> mean_of(std::span<const std::string_view> texts, Embedder& embedder, const Deadline& deadline) {
  Vector mean;
  for (const std::string_view text : texts) {
    WEFT_TRY(const Vector vector, embedder.embed(text, EmbedUse::kQuery, deadline));
    add(mean, vector);
  }
  for (float& value : mean) value /= static_cast<float>(texts.size());
  return mean;
}

/// As deviations from the mean; all zero where they are all the same.
void standardize(std::vector<float>& values) {
  double sum = 0, squares = 0;
  for (const float value : values) sum += value;
  const double mean = values.empty() ? 0 : sum / static_cast<double>(values.size());
  for (const float value : values) squares += (value - mean) * (value - mean);
  const double deviation = values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
  for (float& value : values) value = deviation > 1e-6 ? static_cast<float>((value - mean) / deviation) : 0.0f;
}

}  // namespace

ToolPassages tool_passages(const ToolInfo& tool) {
  std::string parameters;
  for (const ToolParameter& parameter : tool_parameters(tool.parameters)) {
    if (parameters.size() >= kMaxPassage) break;
    if (!parameters.empty()) parameters += "; ";
    parameters += words_of_identifier(cut_bytes(parameter.name, kMaxPassage));
    if (!parameter.description.empty()) parameters += ": " + parameter.description;
  }
  return {words_of_identifier(cut_bytes(tool.name, kMaxPassage)), std::string(cut_bytes(tool.description, kMaxPassage)),
          std::string(cut_bytes(parameters, kMaxPassage))};
}

Status ToolVectors::embed_requests(Embedder& embedder, const Deadline& deadline) {
  const std::array<std::span<const std::string_view>, 2> texts{kEnglishRequests, kChineseRequests};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!request_means_[i].empty()) continue;
    WEFT_TRY(request_means_[i], mean_of(texts[i], embedder, deadline));
  }
  return {};
}

Result<ToolVectors::Parts> ToolVectors::embed_parts(const ToolPassages& passages, Embedder& embedder,
                                                    const Deadline& deadline) {
  Parts parts;
  for (std::size_t kind = 0; kind < kToolPassages; ++kind) {
    parts[kind].language = language_of(passages[kind]);
    if (passages[kind].empty()) continue;
    auto vector = embedder.embed(passages[kind], EmbedUse::kPassage, deadline);
    if (!vector.ok() && vector.error().code != ErrorCode::kInvalidArgument) return vector.error();
    if (vector.ok()) parts[kind].vector = std::move(*vector);
  }
  return parts;
}

Status ToolVectors::embed(std::span<const ToolInfo> tools, Embedder& embedder, const Similarity& similarity,
                          const Deadline& deadline) {
  if (complete(embedder.name())) return {};
  if (model_ != embedder.name()) {
    *this = ToolVectors();
    model_ = embedder.name();
  }
  WEFT_CHECK(embed_requests(embedder, deadline));
  while (parts_.size() < tools.size()) {
    if (deadline.passed()) return deadline_error(deadline, "embedding of tools");
    WEFT_TRY(auto parts, embed_parts(tool_passages(tools[parts_.size()]), embedder, deadline));
    parts_.push_back(std::move(parts));
  }
  tools_.assign(parts_.size(), Vector{});
  for (std::size_t kind = 0; kind < kToolPassages; ++kind) add_directions(kind, similarity);
  for (Vector& tool : tools_)
    if (!make_unit_length(tool)) tool.clear();
  parts_ = {};
  complete_ = true;
  return {};
}

void ToolVectors::add_directions(std::size_t kind, const Similarity& similarity) {
  std::array<Vector, 2> means;
  std::array<std::size_t, 2> counts{};
  for (const Parts& parts : parts_) {
    const auto language = static_cast<std::size_t>(parts[kind].language);
    if (parts[kind].vector.empty()) continue;
    add(means[language], parts[kind].vector);
    ++counts[language];
  }
  for (std::size_t i = 0; i < means.size(); ++i)
    for (float& value : means[i]) value /= static_cast<float>(counts[i]);
  for (std::size_t i = 0; i < tools_.size(); ++i) {
    const Part& part = parts_[i][kind];
    if (part.vector.empty()) continue;
    const auto language = static_cast<std::size_t>(part.language);
    add(tools_[i], counts[language] >= kLeastForMean ? without(part.vector, means[language])
                                                     : similarity.centre(part.vector, part.language));
  }
}

Vector ToolVectors::centre_request(const Vector& request, Language language, const Similarity& similarity) const {
  Vector centred = without(request, request_means_[static_cast<std::size_t>(language)]);
  if (!similarity.is_raw()) add(centred, similarity.centre(request, language));
  return make_unit_length(centred) ? centred : Vector{};
}

Result<std::vector<float>> ToolVectors::score(std::string_view request, Embedder& embedder,
                                              const Similarity& similarity, const Deadline& deadline) const {
  if (!complete(embedder.name())) return unavailable("tools: the vectors are not complete yet");
  const std::string_view text = cut_bytes(request, kMaxRequest);
  WEFT_TRY(const Vector vector, embedder.embed(text, EmbedUse::kQuery, deadline));
  const Vector centred = centre_request(vector, language_of(text), similarity);
  std::vector<float> scores;
  scores.reserve(tools_.size());
  for (const Vector& tool : tools_)
    scores.push_back(tool.size() == centred.size() ? static_cast<float>(cosine(centred, tool)) : 0.0f);
  standardize(scores);
  return scores;
}

}  // namespace weft
