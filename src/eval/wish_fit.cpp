#include "eval/wish_fit.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "eval/json_lines.h"
#include "text/json.h"
#include "text/words.h"

namespace weft {
namespace {

using Json = nlohmann::json;
using Row = std::vector<double>;

constexpr double kPenalty = 0.2;  // of half the squares of the weights
constexpr int kRounds = 4000;
constexpr std::size_t kFlags = 2;
constexpr double kSteps = 127;  // of a weight, to each side

Result<Row> row_of(const std::string& text, Embedder& embedder, const Similarity& similarity) {
  WEFT_TRY(const Vector vector, embedder.embed(text, EmbedUse::kPassage, Deadline{}));
  const Vector centred = similarity.centre(vector, language_of(text));
  Row row(centred.begin(), centred.end());
  const WishSigns signs = wish_signs(text);
  row.push_back(signs.clause ? 1 : 0);
  row.push_back(signs.general ? 1 : 0);
  row.push_back(1);  // the bias
  return row;
}

double product(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Nesterov's descent; the step is the inverse of a bound on the curvature.
Row descend(const std::vector<Row>& rows, const std::vector<bool>& wishes) {
  const std::size_t size = rows.front().size();
  double curvature = kPenalty;
  for (const Row& row : rows) curvature += 0.25 * product(row, row);
  Row weights(size), ahead(size);
  for (int round = 0; round < kRounds; ++round) {
    Row slope(size);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double error = 1 / (1 + std::exp(-product(ahead, rows[i]))) - (wishes[i] ? 1 : 0);
      for (std::size_t j = 0; j < size; ++j) slope[j] += error * rows[i][j];
    }
    for (std::size_t j = 0; j + 1 < size; ++j) slope[j] += kPenalty * ahead[j];
    const double momentum = static_cast<double>(round) / (round + 3);
    for (std::size_t j = 0; j < size; ++j) {
      const double next = ahead[j] - slope[j] / curvature;
      ahead[j] = next + momentum * (next - weights[j]);
      weights[j] = next;
    }
  }
  return weights;
}

// The file that holds the weights: those of the vector as whole numbers of one step.
WeightFile file_of(const Row& weights, const std::string& embedder) {
  const std::size_t size = weights.size() - kFlags - 1;
  double most = 0;
  for (std::size_t i = 0; i < size; ++i) most = std::max(most, std::abs(weights[i]));
  const double step = most / kSteps;
  ValueList vector;
  for (std::size_t i = 0; i < size; ++i) vector.emplace_back(std::int64_t{std::lround(weights[i] / step)});
  return {"wishes",
          {{"embedder", embedder},
           {"bias", rounded(weights[size + 2], 4)},
           {"clause", rounded(weights[size], 4)},
           {"general", rounded(weights[size + 1], 4)},
           {"step", rounded(step, 8)},
           {"vector", std::move(vector)}}};
}

Result<WishReport> measure(const std::vector<LabelledWish>& data, const WishWeights& weights, Embedder& embedder,
                           const Similarity& similarity) {
  WishReport report;
  Status failed;
  const SentenceVector vector_of = [&](std::string_view sentence) {
    auto vector = embedder.embed(sentence, EmbedUse::kPassage, Deadline{});
    if (!vector.ok()) failed = vector.error();
    return vector.ok() ? similarity.centre(*vector, language_of(sentence)) : Vector();
  };
  for (const LabelledWish& one : data) {
    const bool found = tells_wish(one.text, weights, vector_of);
    ++(one.wish ? report.wishes : report.others);
    report.found += one.wish && found ? 1 : 0;
    report.wrong += !one.wish && found ? 1 : 0;
  }
  WEFT_CHECK(failed);
  return report;
}

// What the users say in one message or a conversation; nothing where the line is neither.
std::optional<std::vector<LabelledWish>> talk_of(const Json& json) {
  const auto text_of = [](const Json& one) -> std::optional<std::string> {
    for (const char* key : {"text", "content"})
      if (one.contains(key) && one[key].is_string()) return one[key].get<std::string>();
    return std::nullopt;
  };
  std::vector<LabelledWish> talk;
  const auto add = [&](const Json& one) {
    if (!one.is_object() || one.value("role", Json()) != "user") return;
    if (auto text = text_of(one)) talk.push_back({std::move(*text), false, true});
  };
  if (!json.is_object()) return std::nullopt;
  for (const char* list : {"turns", "messages"}) {
    if (!json.contains(list) || !json[list].is_array()) continue;
    for (const Json& one : json[list]) add(one);
    return talk;
  }
  if (!json.contains("role")) return std::nullopt;
  add(json);
  return talk;
}

}  // namespace

bool tells_wish(std::string_view message, const WishWeights& weights, const SentenceVector& vector_of) {
  std::vector<SaidFact> facts = read_said(message, {}).facts;
  if (!judge_wishes(message, {}, weights, vector_of, facts).empty()) return true;
  return std::any_of(facts.begin(), facts.end(),
                     [](const SaidFact& fact) { return fact.attribute.starts_with("wish:") && !fact.text.empty(); });
}

Result<std::vector<LabelledWish>> read_wishes(const std::vector<std::string>& files) {
  std::vector<LabelledWish> data;
  for (const std::string& path : files) {
    WEFT_CHECK(each_json_line(path, [&](const Json& json, std::size_t) -> Status {
      if (const auto talk = talk_of(json)) {
        data.insert(data.end(), talk->begin(), talk->end());
        return {};
      }
      if (!json.is_object() || !json.contains("text") || !json["text"].is_string() || !json.contains("wish") ||
          !json["wish"].is_boolean())
        return invalid_argument("no labelled sentence and no conversation",
                                R"(each line needs "text" and "wish", "text" and "role", "turns", or "messages")");
      data.push_back({json["text"].get<std::string>(), json["wish"].get<bool>(), false});
      return {};
    }));
  }
  return data;
}

Result<FittedWishes> fit_wishes(const std::vector<LabelledWish>& data, const std::vector<LabelledWish>& check,
                                Embedder& embedder, const Similarity& similarity) {
  if (data.empty()) return invalid_argument("fit: there is no data");
  std::vector<Row> rows;
  std::vector<bool> wishes;
  for (const LabelledWish& one : data) {
    for (const std::string_view sentence :
         one.talk ? wish_sentences(one.text) : std::vector<std::string_view>{one.text}) {
      WEFT_TRY(Row row, row_of(std::string(sentence), embedder, similarity));
      rows.push_back(std::move(row));
      wishes.push_back(one.wish);
    }
  }
  const std::string family = embedder.name().substr(0, embedder.name().rfind("-q"));
  const WeightFile file = file_of(descend(rows, wishes), family);
  const WishWeights weights = read_wish_weights(file);
  FittedWishes fitted;
  fitted.source = file.source();
  WEFT_TRY(fitted.fitted, measure(data, weights, embedder, similarity));
  WEFT_TRY(fitted.checked, measure(check, weights, embedder, similarity));
  return fitted;
}

std::string to_json(const WishReport& report) {
  nlohmann::ordered_json json = {
      {"wishes", report.wishes}, {"found", report.found}, {"others", report.others}, {"wrong", report.wrong}};
  return json.dump();
}

}  // namespace weft
