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

// The texts of a tool that are embedded, each by itself: the words of its name, its description and its parameters. In
// one vector of the whole text what is long drowns the rest: a name of two words says as much of what a tool is for as
// a schema of two hundred.
constexpr std::size_t kPassages = 3;

std::array<std::string, kPassages> passages_of(const ToolInfo& tool) {
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

// Their vectors one behind the other, all zero for one that is missing; empty where none says anything.
Result<Vector> embed_passages(const ToolInfo& tool, Embedder& embedder, const Deadline& deadline) {
  const std::size_t size = embedder.dimensions();
  Vector all(kPassages * size, 0.0f);
  bool any = false;
  const auto passages = passages_of(tool);
  for (std::size_t kind = 0; kind < kPassages; ++kind) {
    if (passages[kind].empty()) continue;
    const auto vector = embedder.embed(passages[kind], EmbedUse::kPassage, deadline);
    if (!vector.ok() && vector.error().code == ErrorCode::kInvalidArgument) continue;
    if (!vector.ok()) return vector.error();
    std::copy_n(vector->begin(), std::min(size, vector->size()),
                all.begin() + static_cast<std::ptrdiff_t>(kind * size));
    any = true;
  }
  return any ? std::move(all) : Vector{};
}

// One of them; empty for one that is missing.
std::span<const float> part_of(const Vector& all, std::size_t kind) {
  const std::size_t size = all.size() / kPassages;
  const auto part = std::span<const float>(all).subspan(kind * size, size);
  const bool missing = std::all_of(part.begin(), part.end(), [](float value) { return value == 0.0f; });
  return missing ? std::span<const float>() : part;
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

std::string tool_passage(const ToolInfo& tool) {
  const std::string name = words_of_identifier(cut_bytes(tool.name, kMaxPassage));
  const std::string_view description = cut_bytes(tool.description, kMaxPassage);
  return description.empty() ? name : name + ": " + std::string(description);
}

Status ToolVectors::embed_requests(Embedder& embedder, const Deadline& deadline) {
  const std::array<std::span<const std::string_view>, 2> texts{kEnglishRequests, kChineseRequests};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!request_means_[i].empty()) continue;
    WEFT_TRY(request_means_[i], mean_of(texts[i], embedder, deadline));
  }
  return {};
}

Status ToolVectors::embed(std::span<const ToolInfo> tools, Embedder& embedder, const Similarity& similarity,
                          const Deadline& deadline) {
  if (complete(embedder.name())) return {};
  if (model_ != embedder.name()) {
    *this = ToolVectors();
    model_ = embedder.name();
  }
  WEFT_CHECK(embed_requests(embedder, deadline));
  while (tools_.size() < tools.size()) {
    if (deadline.passed()) return deadline_error(deadline, "embedding of tools");
    WEFT_TRY(auto vectors, embed_passages(tools[tools_.size()], embedder, deadline));
    tools_.push_back(std::move(vectors));
  }
  centre_tools(tools, similarity);
  complete_ = true;
  return {};
}

// The direction of a tool is the mean of those of its passages.
void ToolVectors::centre_tools(std::span<const ToolInfo> tools, const Similarity& similarity) {
  std::vector<Language> languages;
  for (const ToolInfo& tool : tools) languages.push_back(language_of(tool_passage(tool)));
  std::vector<Vector> directions(tools_.size());
  for (std::size_t kind = 0; kind < kPassages; ++kind) {
    std::array<Vector, 2> means;
    std::array<std::size_t, 2> counts{};
    for (std::size_t i = 0; i < tools_.size(); ++i) {
      const auto part = part_of(tools_[i], kind);
      if (part.empty()) continue;
      add(means[static_cast<std::size_t>(languages[i])], part);
      ++counts[static_cast<std::size_t>(languages[i])];
    }
    for (std::size_t i = 0; i < means.size(); ++i)
      for (float& value : means[i]) value /= static_cast<float>(counts[i]);
    for (std::size_t i = 0; i < tools_.size(); ++i) {
      const auto part = part_of(tools_[i], kind);
      if (part.empty()) continue;
      const auto language = static_cast<std::size_t>(languages[i]);
      add(directions[i], counts[language] >= kLeastForMean ? without(Vector(part.begin(), part.end()), means[language])
                                                           : similarity.centre(part, languages[i]));
    }
  }
  for (Vector& direction : directions)
    if (!make_unit_length(direction)) direction.clear();
  tools_ = std::move(directions);
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
