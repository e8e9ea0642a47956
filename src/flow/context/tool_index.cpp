#include "flow/context/tool_index.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "base/strings.h"
#include "flow/context/offered_tools.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/weight_file.h"

namespace weft {
namespace {

constexpr std::size_t kMaxField = 16 * 1024;  // bytes; more of a description says nothing new

std::vector<Term> terms_of(std::string_view text) { return index_terms(cut_bytes(text, kMaxField)); }

std::vector<Term> distinct_terms(std::string_view text) {
  std::vector<Term> terms = terms_of(text);
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

double rarity(std::size_t all, std::size_t with) {
  return std::log(1 + (static_cast<double>(all - with) + 0.5) / (static_cast<double>(with) + 0.5));
}

}  // namespace

ToolPartWords tool_part_words(const ToolInfo& tool) {
  std::string names, descriptions, values;
  for (const ToolParameter& parameter : tool_parameters(tool.parameters)) {
    names += words_of_identifier(cut_bytes(parameter.name, kMaxField)) + ' ';
    descriptions += parameter.description + '\n';
    for (const std::string& value : parameter.values) values += value + ' ';
  }
  return {terms_of(words_of_identifier(cut_bytes(tool.name, kMaxField))), terms_of(tool.description), terms_of(names),
          terms_of(descriptions), terms_of(values)};
}

ToolWords::ToolWords(std::span<const ToolInfo> tools, const ToolWordWeights& weights)
    : tools_(tools.size()), k1_(weights.k1) {
  std::vector<ToolPartWords> all;
  all.reserve(tools.size());
  std::array<double, kToolParts> mean{};
  for (const ToolInfo& tool : tools) {
    all.push_back(tool_part_words(tool));
    for (std::size_t i = 0; i < kToolParts; ++i) mean[i] += static_cast<double>(all.back()[i].size());
  }
  const std::array<double, kToolParts> weight{weights.name, weights.description, weights.parameter_name,
                                              weights.parameter_description, weights.value};
  for (std::size_t tool = 0; tool < all.size(); ++tool) {
    for (std::size_t i = 0; i < kToolParts; ++i) {
      const std::vector<Term>& terms = all[tool][i];
      if (terms.empty() || weight[i] <= 0) continue;
      const double usual = mean[i] / static_cast<double>(all.size());
      const double length = 1 - weights.b + weights.b * static_cast<double>(terms.size()) / usual;
      for (const Term term : terms)
        postings_.push_back({term, static_cast<std::uint32_t>(tool), static_cast<float>(weight[i] / length)});
    }
  }
  std::stable_sort(postings_.begin(), postings_.end(), [](const Posting& a, const Posting& b) {
    return a.term != b.term ? a.term < b.term : a.tool < b.tool;
  });
  std::size_t kept = 0;
  for (const Posting& one : postings_) {
    if (kept > 0 && postings_[kept - 1].term == one.term && postings_[kept - 1].tool == one.tool)
      postings_[kept - 1].count += one.count;
    else
      postings_[kept++] = one;
  }
  postings_.resize(kept);
  postings_.shrink_to_fit();
}

std::span<const ToolWords::Posting> ToolWords::postings_of(Term term) const {
  const auto [begin, end] = std::equal_range(postings_.begin(), postings_.end(), Posting{term, 0, 0},
                                             [](const Posting& a, const Posting& b) { return a.term < b.term; });
  return {begin, end};
}

double ToolWords::most(std::string_view text) const {
  double sum = 0;
  for (const Term term : distinct_terms(text)) sum += rarity(tools_, postings_of(term).size()) * (k1_ + 1);
  return sum;
}

std::vector<float> ToolWords::score(std::string_view text) const {
  std::vector<float> scores(tools_, 0.0f);
  for (const Term term : distinct_terms(text)) {
    const auto found = postings_of(term);
    const auto begin = found.begin(), end = found.end();
    const double weight = rarity(tools_, static_cast<std::size_t>(end - begin)) * (k1_ + 1);
    for (auto at = begin; at != end; ++at)
      scores[at->tool] += static_cast<float>(weight * at->count / (k1_ + at->count));
  }
  return scores;
}

namespace {

// Fewer tools of a language have a mean that is mostly what they are about.
constexpr std::size_t kLeastForMean = 16;
constexpr std::size_t kMaxEmbedded = 4096, kMaxPassage = 2048;  // bytes; models take some 500 tokens

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
  const std::string_view text = cut_bytes(request, kMaxEmbedded);
  WEFT_TRY(const Vector vector, embedder.embed(text, EmbedUse::kQuery, deadline));
  const Vector centred = centre_request(vector, language_of(text), similarity);
  std::vector<float> scores;
  scores.reserve(tools_.size());
  for (const Vector& tool : tools_)
    scores.push_back(tool.size() == centred.size() ? static_cast<float>(cosine(centred, tool)) : 0.0f);
  standardize(scores);
  return scores;
}

namespace {

// What joins two requests in one sentence. A bare "and" joins things far more often.
constexpr std::array<std::string_view, 20> kJoints{
    ", and ", ", then ", " and then ", " and also ", " as well as ", "; ",     "；",     "，然后", "，并且", "，并",
    "，同时", "，再",    "，接着",     "，最后",     "，还要",       "，另外", "，还有", "，以及", "以及",   "然后"};
constexpr std::array<std::string_view, 7> kSpeakers{
    "user:", "assistant:", "system:", "human:", "User:", "Assistant:", "System:"};
constexpr std::size_t kLeastWords = 3;  // "Thank you." asks for nothing

std::string_view without_speaker(std::string_view sentence) {
  for (const std::string_view speaker : kSpeakers)
    if (sentence.starts_with(speaker)) return trimmed(sentence.substr(speaker.size()));
  return sentence;
}

/// Words between spaces; a character of a script without spaces counts as one.
bool asks_for_something(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (std::size_t at = 0; at < text.size() && words < kLeastWords;) {
    const char32_t c = next_code_point(text, at);
    const bool wide = is_cjk(c), space = c == ' ' || c == '\t' || c == 0x3000;
    if (wide || (!space && !inside)) ++words;
    inside = !wide && !space;
  }
  return words >= kLeastWords;
}

/// The joint at `at`, empty where there is none.
std::string_view joint_at(std::string_view text, std::size_t at) {
  const char c = text[at];
  const bool possible = c == ' ' || c == ',' || c == ';' || static_cast<unsigned char>(c) >= 0xe4;
  if (!possible) return {};
  for (const std::string_view joint : kJoints)
    if (text.substr(at).starts_with(joint)) return joint;
  return {};
}

void cut_at_joints(std::string_view sentence, std::vector<std::string_view>& clauses) {
  const auto keep = [&clauses](std::string_view text) {
    if (const auto clause = trimmed(text); asks_for_something(clause)) clauses.push_back(clause);
  };
  std::size_t begin = 0;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::string_view joint = joint_at(sentence, at);
    if (joint.empty()) {
      ++at;
      continue;
    }
    keep(sentence.substr(begin, at - begin));
    at += joint.size();
    begin = at;
  }
  keep(sentence.substr(begin));
}

}  // namespace

std::vector<std::string_view> request_clauses(std::string_view request, std::size_t most) {
  std::vector<std::string_view> clauses;
  for (const std::string_view sentence : sentences(request)) cut_at_joints(without_speaker(sentence), clauses);
  if (clauses.size() < 2 || most < 2) return {};
  if (clauses.size() > most) {
    // The first say what it is about, the last what is wanted now.
    const std::size_t first = most / 2;
    clauses.erase(clauses.begin() + static_cast<std::ptrdiff_t>(first),
                  clauses.end() - static_cast<std::ptrdiff_t>(most - first));
  }
  return clauses;
}

namespace {

constexpr std::size_t kMaxRequest = 16 * 1024;  // bytes; what a request wants is said before

/// The greatest of the pool, not below zero.
template <class Number>
double best_of(const std::vector<Number>& scores, std::span<const std::size_t> pool) {
  double best = 0;
  for (const std::size_t tool : pool) best = std::max(best, static_cast<double>(scores[tool]));
  return best;
}

/// The vector of a request for many things is their blur and lies near to none of them. Two sentences are often one
/// thing, told and asked.
double sharpness(std::size_t clauses) {
  const double share = clauses <= 2 ? 1.0 : 2.0 / static_cast<double>(clauses);
  return share * share;
}

}  // namespace

/// What all parts of a request are compared with.
struct ToolIndex::Asking {
  std::span<const std::size_t> pool;
  const ToolVectors* vectors;  ///< null where vectors do not speak
  const Models& models;
  const Deadline& deadline;
};

/// What one text says about each tool.
struct ToolIndex::Scores {
  std::vector<float> words;   ///< BM25; all zero where words may not speak
  std::vector<float> vector;  ///< deviations; empty where vectors do not speak
  double best_words = 0;
  double trust = 1;  ///< in words
  std::vector<double> total;
};

ToolIndex::ToolIndex(std::vector<ToolInfo> tools, const ToolIndexOptions& options)
    : tools_(std::move(tools)), options_(options), words_(tools_, options.words) {}

Status ToolIndex::embed(Embedder& embedder, const Similarity& similarity, const Deadline& deadline) {
  auto growing = growing_.lock();
  if (embedded(embedder.name())) return {};
  WEFT_CHECK(growing->embed(tools_, embedder, similarity, deadline));
  *ready_.lock() = std::make_shared<const ToolVectors>(std::move(*growing));
  *growing = ToolVectors();
  return {};
}

bool ToolIndex::embedded(std::string_view model) const {
  auto ready = ready_.lock();
  return *ready != nullptr && (*ready)->complete(model);
}

std::shared_ptr<const ToolVectors> ToolIndex::vectors_of(const Models& models) const {
  if (models.embedder == nullptr || models.similarity == nullptr) return nullptr;
  const std::string model = models.embedder->name();
  auto ready = ready_.lock();
  return *ready != nullptr && (*ready)->complete(model) ? *ready : nullptr;
}

// Where no tool holds much of what a request says, it says it in words of its own, and meaning must decide.
double ToolIndex::trust_in_words(double most, double best) const {
  constexpr double kUsual = 0.5;  // share that the right tool holds of a request in its own words
  if (most <= 0 || best <= 0) return 1;
  return std::pow(std::min(1.0, best / most / kUsual), options_.trust);
}

std::vector<std::size_t> ToolIndex::pool_of(std::span<const std::size_t> candidates) const {
  std::vector<std::size_t> pool(candidates.begin(), candidates.end());
  if (candidates.empty()) {
    pool.resize(tools_.size());
    std::iota(pool.begin(), pool.end(), std::size_t{0});
    return pool;
  }
  std::erase_if(pool, [this](std::size_t tool) { return tool >= tools_.size(); });
  std::sort(pool.begin(), pool.end());
  pool.erase(std::unique(pool.begin(), pool.end()), pool.end());
  return pool;
}

ToolIndex::Scores ToolIndex::score(std::string_view text, double vector_weight, const Asking& asking) const {
  Scores scores;
  scores.words = asking.models.words ? words_.score(text) : std::vector<float>(tools_.size(), 0.0f);
  scores.best_words = best_of(scores.words, asking.pool);
  if (asking.vectors != nullptr) {
    auto near = asking.vectors->score(text, *asking.models.embedder, *asking.models.similarity, asking.deadline);
    if (near.ok()) scores.vector = std::move(*near);
  }
  scores.trust = trust_in_words(words_.most(text), scores.best_words);
  scores.total.assign(tools_.size(), 0);
  for (const std::size_t tool : asking.pool) {
    // A share of the best: BM25 alone cannot be compared between requests.
    if (scores.best_words > 0) scores.total[tool] = scores.trust * scores.words[tool] / scores.best_words;
    if (!scores.vector.empty()) scores.total[tool] += vector_weight * scores.vector[tool];
  }
  return scores;
}

/// For each tool the best share it has of what any single clause finds; empty where there are no clauses. Each clause
/// counts the same: what is asked in few words would else be buried under what is told at length.
std::vector<double> ToolIndex::score_clauses(std::span<const std::string_view> clauses, const Asking& asking) const {
  Asking each = asking;
  if (clauses.size() > options_.clause_vectors && asking.models.words) each.vectors = nullptr;
  std::vector<double> share(clauses.empty() ? 0 : tools_.size(), 0.0);
  for (const std::string_view clause : clauses) {
    const Scores scores = score(clause, options_.clause_vector, each);
    const double best = best_of(scores.total, asking.pool);
    if (best <= 0) continue;
    for (const std::size_t tool : asking.pool) share[tool] = std::max(share[tool], scores.total[tool] / best);
  }
  return share;
}

ToolChoices ToolIndex::choose(std::string_view request, std::size_t most, std::span<const std::size_t> candidates,
                              const Models& models, const Deadline& deadline) const {
  request = cut_bytes(request, kMaxRequest);
  const auto pool = pool_of(candidates);
  const auto vectors = vectors_of(models);
  const Asking asking{pool, vectors.get(), models, deadline};
  const auto parts = request_clauses(request, options_.clauses);
  const double weight = options_.vector * sharpness(parts.size());
  const Scores whole = score(request, weight, asking);
  const auto clauses = score_clauses(parts, asking);

  ToolChoices choices;
  const bool by_words = whole.best_words > 0, by_vectors = !whole.vector.empty();
  choices.by = by_words && by_vectors ? "words+vectors" : by_vectors ? "vectors" : "words";
  for (const std::size_t tool : pool) {
    const double clause = clauses.empty() ? 0 : clauses[tool];
    if (!by_vectors && whole.words[tool] <= 0 && clause <= 0) continue;
    ToolChoice choice{tool, whole.total[tool] + options_.clause * clause, {}};
    if (by_words)
      choice.signals.push_back({"words", whole.words[tool], whole.trust * whole.words[tool] / whole.best_words});
    if (by_vectors) choice.signals.push_back({"vector", whole.vector[tool], weight * whole.vector[tool]});
    if (!clauses.empty()) choice.signals.push_back({"clause", clause, options_.clause * clause});
    choices.ranked.push_back(std::move(choice));
  }
  const auto better = [](const ToolChoice& a, const ToolChoice& b) {
    return a.score != b.score ? a.score > b.score : a.index < b.index;
  };
  const auto kept = static_cast<std::ptrdiff_t>(std::min(most, choices.ranked.size()));
  std::partial_sort(choices.ranked.begin(), choices.ranked.begin() + kept, choices.ranked.end(), better);
  choices.ranked.resize(static_cast<std::size_t>(kept));
  return choices;
}

std::string digest_of(std::span<const ToolInfo> tools) {
  std::string all;
  for (const ToolInfo& tool : tools)
    for (const std::string* part : {&tool.name, &tool.description, &tool.parameters})
      all += fmt::format("{}:{};", part->size(), *part);
  const XXH128_hash_t hash = XXH3_128bits(all.data(), all.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::shared_ptr<ToolIndex> ToolIndexes::of(std::span<const ToolInfo> tools) {
  std::string digest = digest_of(tools);
  auto entries = entries_.lock();
  const auto found =
      std::find_if(entries->begin(), entries->end(), [&digest](const Entry& entry) { return entry.digest == digest; });
  if (found != entries->end()) {
    std::rotate(found, found + 1, entries->end());
    return entries->back().index;
  }
  auto index = std::make_shared<ToolIndex>(std::vector<ToolInfo>(tools.begin(), tools.end()), options_);
  if (!entries->empty() && entries->size() >= most_) entries->erase(entries->begin());
  entries->push_back({std::move(digest), index});
  return index;
}

const ToolIndexOptions& tool_weights() {
  static const ToolIndexOptions kFitted = [] {
    const WeightFile file = shipped_weights("tools");
    ToolIndexOptions weights;
    weights.words.name = file.number("words.name");
    weights.words.parameter_name = file.number("words.parameter_name");
    weights.words.parameter_description = file.number("words.parameter_description");
    weights.words.value = file.number("words.value");
    weights.words.b = file.number("words.b");
    weights.vector = file.number("vector");
    weights.clause_vector = file.number("clause_vector");
    weights.clause = file.number("clause");
    return weights;
  }();
  return kFitted;
}

}  // namespace weft
