#include "eval/recall_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/log.h"
#include "eval/conversations.h"
#include "flow/recall/recall.h"
#include "text/json.h"
#include "text/weight_file.h"

namespace weft {
namespace {

constexpr std::size_t kCandidates = 200;  // the best of a first ranking, which weights then order anew
constexpr int kPasses = 3;
constexpr double kPlateau = 0.003, kMatters = 0.0015;  // of the objective

/// A weight that is fitted: its place in the recipe, the signal that it weighs, and the values that are tried.
struct Fitted {
  const char* name;
  double Recipe::* weight;
  const char* signal;
  double prior;  ///< its value in the first ranking, and where the data do not tell
  std::vector<double> grid;
};

std::vector<double> steps(double step, int count) {
  std::vector<double> all;
  for (int i = 0; i <= count; ++i) all.push_back(step * i);
  return all;
}

const std::vector<Fitted>& fitted_weights() {
  static const std::vector<Fitted> all{{"words", &Recipe::words, "words", 0.35, steps(0.05, 16)},
                                       {"assistant", &Recipe::assistant, "assistant", 1, steps(0.25, 12)},
                                       {"question", &Recipe::question, "question", 1, steps(0.25, 12)},
                                       {"day", &Recipe::day, "days", 3, steps(0.25, 20)},
                                       {"relative_day", &Recipe::relative_day, "dates", 1, steps(0.25, 12)},
                                       {"other_speaker", &Recipe::other_speaker, "speaker", 1, steps(0.25, 12)},
                                       {"asked", &Recipe::asked, "asked", 0.1, steps(0.05, 10)}};
  return all;
}

using Weights = std::vector<double>;  ///< in the order of `fitted_weights`

/// A hit of the first ranking: what its signals are worth at a weight of 1.
struct Candidate {
  std::string message;
  std::int64_t row = 0;
  double fixed = 0;  ///< what no fitted weight changes
  std::array<double, 7> signals{};
};

struct Asked {
  const LabelledQuestion* question;
  std::vector<Candidate> candidates;
};

struct Family {
  std::vector<std::unique_ptr<EvalMemory>> memories;
  std::vector<std::pair<const EvalMemory*, RecallQuery>> queries;  ///< one a question
  std::vector<Asked> asked;
};

using Families = std::map<std::string, Family>;

Recipe with_weights(Recipe recipe, const Weights& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) recipe.*fitted_weights()[i].weight = weights[i];
  return recipe;
}

Weights priors() {
  Weights weights;
  for (const Fitted& one : fitted_weights()) weights.push_back(one.prior);
  return weights;
}

/// Messages that answer something, and of the others every `thin`th.
std::vector<SaidMessage> thinned(std::vector<SaidMessage> messages, const std::vector<LabelledQuestion>& questions,
                                 std::size_t thin) {
  if (thin <= 1) return messages;
  std::set<std::string> gold;
  for (const LabelledQuestion& question : questions)
    for (const auto& group : question.groups) gold.insert(group.begin(), group.end());
  std::vector<SaidMessage> kept;
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (i % thin == 0 || gold.contains(messages[i].message.id.str())) kept.push_back(std::move(messages[i]));
  return kept;
}

Candidate candidate_of(const EvalMemory& memory, const ScoredRow& row) {
  Candidate candidate{memory.ids.at(row.row), row.row, 0, {}};
  for (const Signal& signal : row.signals) {
    const auto& all = fitted_weights();
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const Fitted& one) { return signal.name == one.signal; });
    if (known == all.end())
      candidate.fixed += signal.share;
    else
      candidate.signals[static_cast<std::size_t>(known - all.begin())] += signal.share / known->prior;
  }
  return candidate;
}

Status ask(Family& family, const Recipe& recipe, Embedder* embedder) {
  for (const auto& memory : family.memories) {
    for (const LabelledQuestion& question : memory->questions) {
      if (question.groups.empty()) continue;
      RecallQuery query = query_for(*memory, question.query, embedder);
      query.top_k = kCandidates;
      query.now = question.asked;
      WEFT_TRY(const auto rows, recall(memory->index, query, recipe));
      Asked asked{&question, {}};
      for (const ScoredRow& row : rows) asked.candidates.push_back(candidate_of(*memory, row));
      family.asked.push_back(std::move(asked));
      family.queries.emplace_back(memory.get(), std::move(query));
    }
  }
  return {};
}

using Place = std::tuple<double, std::int64_t, const Candidate*>;

RecallScore score(const Family& family, const Weights& weights, std::vector<double>* each = nullptr) {
  RecallTally tally;
  for (const Asked& asked : family.asked) {
    std::vector<Place> order;
    for (const Candidate& candidate : asked.candidates) {
      double sum = candidate.fixed;
      for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] * candidate.signals[j];
      order.push_back({-sum, candidate.row, &candidate});  // equal ones in the order of the product
    }
    constexpr std::size_t kLooked = 60;
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(kLooked, order.size()));
    std::partial_sort(order.begin(), end, order.end());
    std::vector<std::string> ranked;
    for (auto at = order.begin(); at != end; ++at) ranked.push_back(std::get<2>(*at)->message);
    tally.add(*asked.question, ranked);
    if (each == nullptr) continue;
    RecallTally alone;
    alone.add(*asked.question, ranked);
    each->push_back(alone.mean().recall[0]);
  }
  return tally.mean();
}

/// By a search of its own for every question.
Result<RecallScore> score_by_search(const Family& family, const Recipe& recipe) {
  RecallTally tally;
  for (std::size_t i = 0; i < family.queries.size(); ++i) {
    const auto& [memory, query] = family.queries[i];
    WEFT_TRY(const auto rows, recall(memory->index, query, recipe));
    tally.add(*family.asked[i].question, messages_of(*memory, rows));
  }
  return tally.mean();
}

double objective(const Families& families, const std::set<std::string>& used, const Weights& weights) {
  double sum = 0;
  for (const auto& [name, family] : families) {
    if (!used.contains(name)) continue;
    const RecallScore one = score(family, weights);
    sum += one.recall[0] + one.recall[1] / 2;
  }
  return sum / static_cast<double>(used.size());
}

/// One weight, the others held: the mean of all values that do about as well as the best; `idle` where none does
/// better.
double best_on_grid(const std::vector<double>& grid, double idle, const std::function<double(double)>& worth) {
  std::vector<double> values;
  for (const double value : grid) values.push_back(worth(value));
  const auto [worst, best] = std::minmax_element(values.begin(), values.end());
  if (*best - *worst < kMatters) return idle;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (values[i] < *best - kPlateau) continue;
    sum += grid[i];
    ++count;
  }
  return sum / count;
}

Weights fit(const Families& families, const std::set<std::string>& used) {
  Weights weights = priors();
  for (int pass = 0; pass < kPasses; ++pass)
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = best_on_grid(fitted_weights()[i].grid, fitted_weights()[i].prior, [&](double value) {
        Weights tried = weights;
        tried[i] = value;
        return objective(families, used, tried);
      });
  for (double& weight : weights) weight = std::round(weight * 100) / 100;
  return weights;
}

double standard_error(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  return std::sqrt(std::max(0.0, squares / count - sum / count * sum / count) / (count - 1));
}

std::string source_of(const Weights& weights) {
  ValueObject entries;
  for (std::size_t i = 0; i < weights.size(); ++i) entries.emplace_back(fitted_weights()[i].name, weights[i]);
  return WeightFile("recall", std::move(entries)).source();
}

Result<Families> read_families(const Config& config, const RecallFitOptions& options, Embedder* embedder,
                               const LanguageMeans& means) {
  Families families;
  for (const std::string& set : options.sets) {
    WEFT_TRY(const auto conversations, find_conversations(set, "fit recall"));
    for (const Conversation& one : conversations) {
      auto memory = std::make_unique<EvalMemory>(means);
      memory->set = one.set;
      WEFT_TRY(memory->questions, read_questions(one));
      WEFT_TRY(auto messages, read_messages(one));
      const auto kept = thinned(std::move(messages), memory->questions, options.thin);
      WEFT_CHECK(fill_memory(*memory, config.limits, kept, embedder));
      log_info("eval.replayed", one.stem);
      families[one.set].memories.push_back(std::move(memory));
    }
  }
  return families;
}

/// Tells what belongs to one family from what belongs to the others, where all are in one memory.
std::vector<SaidMessage> marked(std::vector<SaidMessage> messages, const std::string& mark) {
  for (SaidMessage& said : messages) {
    said.session = SessionId(mark + ":" + said.session.str());
    said.message.id = MessageId(mark + ":" + said.message.id.str());
  }
  return messages;
}

std::vector<LabelledQuestion> marked(std::vector<LabelledQuestion> questions, const std::string& mark) {
  for (LabelledQuestion& question : questions)
    for (auto& group : question.groups)
      for (std::string& id : group) id = mark + ":" + id;
  return questions;
}

Result<RecallScore> score_questions(const EvalMemory& memory, const std::vector<LabelledQuestion>& questions,
                                    const Recipe& recipe, Embedder* embedder) {
  RecallTally tally;
  for (const LabelledQuestion& question : questions) {
    if (question.groups.empty()) continue;
    RecallQuery query = query_for(memory, question.query, embedder);
    query.top_k = kCandidates;
    query.now = question.asked;
    WEFT_TRY(const auto rows, recall(memory.index, query, recipe));
    tally.add(question, messages_of(memory, rows));
  }
  return tally.mean();
}

Result<std::map<std::string, SharedMemoryScores>> score_shared(const Config& config, const RecallFitOptions& options,
                                                               const Recipe& recipe, Embedder* embedder,
                                                               const LanguageMeans& means) {
  std::map<std::string, std::vector<LabelledQuestion>> asked;
  std::map<std::string, SharedMemoryScores> scores;
  std::vector<SaidMessage> all;
  for (const std::string& set : options.sets) {
    WEFT_TRY(const auto conversations, find_conversations(set, "fit recall"));
    const Conversation& one = conversations.front();
    if (asked.contains(one.set)) continue;
    WEFT_TRY(const auto read, read_questions(one));
    WEFT_TRY(auto messages, read_messages(one));
    messages = marked(thinned(std::move(messages), read, options.thin), one.set);
    const auto& questions = asked[one.set] = marked(read, one.set);
    EvalMemory alone(means);
    WEFT_CHECK(fill_memory(alone, config.limits, messages, embedder));
    WEFT_TRY(scores[one.set].alone, score_questions(alone, questions, recipe, embedder));
    all.insert(all.end(), messages.begin(), messages.end());
  }
  EvalMemory together(means);
  WEFT_CHECK(fill_memory(together, config.limits, all, embedder));
  for (const auto& [name, questions] : asked) {
    WEFT_TRY(scores[name].together, score_questions(together, questions, recipe, embedder));
  }
  return scores;
}

}  // namespace

Result<FittedRecall> fit_recall(const Config& config, const RecallFitOptions& options, Embedder* embedder,
                                const LanguageMeans& means) {
  WEFT_TRY(Families families, read_families(config, options, embedder, means));
  WEFT_TRY(const Recipe balanced, find_recipe("balanced", config.recall));
  WEFT_TRY(const Recipe words, find_recipe("words", config.recall));
  WEFT_TRY(const Recipe vectors, find_recipe("vectors", config.recall));
  const Recipe first = with_weights(balanced, priors());
  std::set<std::string> used;
  for (auto& [name, family] : families) {
    WEFT_CHECK(ask(family, first, embedder));
    const bool kept_out = std::find(options.keep_out.begin(), options.keep_out.end(), name) != options.keep_out.end();
    if (!kept_out) used.insert(name);
  }
  if (used.size() < 2) return invalid_argument("fit recall: fewer than two families to fit on");
  const Weights weights = fit(families, used);
  FittedRecall fitted;
  fitted.recipe = with_weights(balanced, weights);
  fitted.source = source_of(weights);
  for (const auto& [name, family] : families) {
    FamilyScores& scores = fitted.families[name];
    scores.kept_out = !used.contains(name);
    std::set<std::string> others = used;
    others.erase(name);
    std::vector<double> each;
    scores.left_out = score(family, scores.kept_out ? weights : fit(families, others), &each);
    scores.noise = standard_error(each);
    WEFT_TRY(scores.words, score_by_search(family, words));
    WEFT_TRY(scores.vectors, score_by_search(family, vectors));
    WEFT_TRY(scores.fitted, score_by_search(family, fitted.recipe));
    WEFT_TRY(scores.shipped, score_by_search(family, balanced));
    log_info("fit.family", name);
  }
  WEFT_TRY(fitted.shared, score_shared(config, options, fitted.recipe, embedder, means));
  return fitted;
}

std::string to_json(const FittedRecall& fitted) {
  using Json = nlohmann::ordered_json;
  Json json;
  double macro = 0, gain = 0;
  const auto cuts = [](const RecallScore& one) { return Json(one.recall); };
  for (const auto& [name, one] : fitted.families) {
    json["families"][name] = {
        {"questions", one.left_out.questions}, {"kept_out", one.kept_out},       {"words", cuts(one.words)},
        {"vectors", cuts(one.vectors)},        {"left_out", cuts(one.left_out)}, {"noise", one.noise},
        {"fitted", cuts(one.fitted)},          {"shipped", cuts(one.shipped)}};
    macro += one.left_out.recall[0];
    gain += one.left_out.recall[0] - std::max(one.words.recall[0], one.vectors.recall[0]);
  }
  const auto count = static_cast<double>(fitted.families.size());
  json["macro"] = macro / count;
  json["gain"] = gain / count;
  for (const auto& [name, one] : fitted.shared)
    json["one_memory"][name] = {{"alone", cuts(one.alone)}, {"together", cuts(one.together)}};
  for (const Fitted& one : fitted_weights()) json["weights"][one.name] = fitted.recipe.*one.weight;
  return write_json(json);
}

}  // namespace weft
