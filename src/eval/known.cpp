#include "eval/known.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/log.h"
#include "engine/model_set.h"
#include "eval/known_fit.h"
#include "eval/memories.h"
#include "eval/vector_file.h"
#include "flow/recall/recall.h"
#include "text/json.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kHits = 10;  // of each question that are looked at
constexpr std::chrono::seconds kModelPatience{60};

struct Memory : EvalMemory {
  using EvalMemory::EvalMemory;
  std::vector<bool> question_held_out;
};

using Memories = std::vector<std::unique_ptr<Memory>>;

bool is_question_of(const LabelledQuestion& question, const std::string& id) {
  return std::any_of(question.groups.begin(), question.groups.end(),
                     [&](const auto& group) { return std::find(group.begin(), group.end(), id) != group.end(); });
}

/// The text with the names of one memory's speakers exchanged for those of another, in their order.
std::string exchange_names(std::string text, const std::vector<std::string>& from, const std::vector<std::string>& to) {
  std::vector<std::string> others;
  for (const std::string& name : to)
    if (!name.empty()) others.push_back(name);
  std::size_t place = 0;
  for (const std::string& name : from) {
    if (name.empty() || others.empty()) continue;
    const std::string& other = others[place++ % others.size()];
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + other.size()))
      text.replace(at, name.size(), other);
  }
  return text;
}

class KnownEvaluation {
 public:
  KnownEvaluation(const Config& config, const Recipe& recipe, const ModelSet& models, Embedder* embedder,
                  const KnownOptions& options)
      : config_(config),
        recipe_(recipe),
        embedder_(embedder),
        means_(means_of(*models.similarity())),
        options_(options) {}

  Status add_conversation(const Conversation& one) {
    WEFT_TRY(const auto messages, read_messages(one));
    WEFT_TRY(auto questions, read_questions(one));
    return add_memory(one.set, messages, std::move(questions));
  }

  Status add_passages(const std::string& name) {
    WEFT_TRY(const auto passages, read_passages(name));
    WEFT_TRY(const auto questions, read_passage_questions(name));
    const auto middle = static_cast<std::ptrdiff_t>(passages.size() / 2);
    const std::string set = fs::path(name).filename().string();
    const std::vector<std::vector<SaidMessage>> halves{{passages.begin(), passages.begin() + middle},
                                                       {passages.begin() + middle, passages.end()}};
    for (const auto& half : halves) {
      std::vector<LabelledQuestion> about;
      for (const LabelledQuestion& question : questions) {
        const bool here = std::any_of(half.begin(), half.end(), [&](const SaidMessage& said) {
          return is_question_of(question, said.message.id.str());
        });
        if (here) about.push_back(question);
      }
      WEFT_CHECK(add_memory(set, half, std::move(about)));
    }
    return {};
  }

  Status ask_all() {
    hold_out();
    for (std::size_t place = 0; place < memories_.size(); ++place) {
      const Memory& own = *memories_[place];
      const auto near = next_of_set(place);
      const auto far = of_other_sets(own);
      for (std::size_t i = 0; i < own.questions.size(); ++i) {
        const LabelledQuestion& question = own.questions[i];
        const bool held_out = own.question_held_out[i];
        WEFT_CHECK(ask(own, question, question.query, own, held_out));
        if (near != place) {
          const Memory& other = *memories_[near];
          const std::string text = exchange_names(question.query, own.index.speakers(), other.index.speakers());
          WEFT_CHECK(ask(own, question, text, other, held_out));
        }
        if (!far.empty()) WEFT_CHECK(ask(own, question, question.query, *far[i % far.size()], held_out));
      }
      log_info("eval.asked", own.set + " " + std::to_string(place));
    }
    return {};
  }

  std::string report() {
    Json json;
    if (options_.fit) json["curve"] = fit();
    std::map<std::string, std::vector<const KnownCase*>> sets;
    std::vector<const KnownCase*> all;
    for (const KnownCase& one : cases_) {
      if (!one.held_out) continue;
      sets[one.set].push_back(&one);
      all.push_back(&one);
    }
    json["held_out"] = tally(all);
    for (const auto& [set, cases] : sets) json["by_set"][set] = tally(cases);
    json["threshold"] = config_.recall.known_threshold;
    json["recipe"] = recipe_.name;
    json["by"] = embedder_ != nullptr ? embedder_->name() : "floor";
    return write_json(json);
  }

  Status write_features() const {
    std::ofstream out(options_.features);
    if (!out) return permission("eval known: cannot write " + options_.features);
    for (const KnownCase& one : cases_) {
      Json hits = Json::array();
      for (std::size_t i = 0; i < one.hits.size(); ++i) {
        Json hit{{"gold", static_cast<bool>(one.gold[i])}, {"vectors", one.hits[i].vectors}};
        for (const RelevanceWeight& weight : relevance_curves().weights)
          hit[std::string(weight.name)] = one.hits[i].*weight.value;
        hit["mean"] = one.hits[i].mean;
        hit["spread"] = one.hits[i].spread;
        hit["count"] = one.hits[i].count;
        hits.push_back(std::move(hit));
      }
      out << write_json(Json{{"set", one.set},
                             {"question", one.question},
                             {"own", one.own},
                             {"far", one.far},
                             {"held_out", one.held_out},
                             {"hits", std::move(hits)}})
          << "\n";
    }
    return {};
  }

 private:
  Status add_memory(const std::string& set, const std::vector<SaidMessage>& messages,
                    std::vector<LabelledQuestion> questions) {
    auto memory = std::make_unique<Memory>(means_);
    memory->set = set;
    WEFT_CHECK(fill_memory(*memory, config_.limits, messages, embedder_));
    const std::size_t most =
        options_.questions == 0 ? questions.size() : std::min(options_.questions, questions.size());
    for (std::size_t i = 0; i < most; ++i) memory->questions.push_back(questions[i * questions.size() / most]);
    memories_.push_back(std::move(memory));
    log_info("eval.replayed", set + " " + std::to_string(memories_.size()));
    return {};
  }

  void hold_out() {
    std::map<std::string, std::size_t> of_set, seen;
    for (const auto& memory : memories_) ++of_set[memory->set];
    for (auto& memory : memories_) {
      const bool odd = seen[memory->set]++ % 2 == 1;
      for (std::size_t i = 0; i < memory->questions.size(); ++i)
        memory->question_held_out.push_back(of_set[memory->set] > 1 ? odd : i % 2 == 1);
    }
  }

  std::size_t next_of_set(std::size_t place) const {
    for (std::size_t step = 1; step < memories_.size(); ++step) {
      const std::size_t other = (place + step) % memories_.size();
      if (memories_[other]->set == memories_[place]->set) return other;
    }
    return place;
  }

  std::vector<const Memory*> of_other_sets(const Memory& own) const {
    std::vector<const Memory*> others;
    for (const auto& one : memories_)
      if (one->set != own.set && one->language == own.language) others.push_back(one.get());
    return others;
  }

  Status ask(const Memory& own, const LabelledQuestion& question, const std::string& text, const Memory& asked,
             bool held_out) {
    RecallQuery query = query_for(asked, text, recipe_.uses_vectors() ? embedder_ : nullptr);
    query.top_k = kHits;
    WEFT_TRY(const auto rows, recall(asked.index, query, recipe_));
    KnownCase one;
    one.set = own.set;
    one.question = text;
    one.own = &own == &asked;
    one.far = own.set != asked.set;
    one.held_out = held_out;
    for (const ScoredRow& row : rows) {
      one.hits.push_back(row.features);
      one.gold.push_back(one.own && is_question_of(question, asked.ids.at(row.row)));
      one.vectors = one.vectors || row.features.vectors;
      one.relevance = std::max(one.relevance, row.relevance);
    }
    cases_.push_back(std::move(one));
    return {};
  }

  Json fit() {
    const bool vectors = embedder_ != nullptr && recipe_.uses_vectors();
    const FittedCurve curve = fit_relevance(cases_, vectors, options_.refused);
    Json json{{"vectors", vectors}, {"bias", curve.bias}};
    for (std::size_t i = 0; i < curve.weights.size(); ++i)
      json[std::string(relevance_curves().weights[i].name)] = curve.weights[i];
    for (KnownCase& one : cases_) {
      one.relevance = 0;
      for (const RelevanceFeatures& hit : one.hits) one.relevance = std::max(one.relevance, relevance_by(curve, hit));
    }
    return json;
  }

  Json tally(const std::vector<const KnownCase*>& cases) const {
    std::vector<double> own, near, far, foreign;
    for (const KnownCase* one : cases) {
      (one->own ? own : one->far ? far : near).push_back(one->relevance);
      if (!one->own) foreign.push_back(one->relevance);
    }
    const double threshold = config_.recall.known_threshold;
    const auto share = [threshold](const std::vector<double>& all) {
      if (all.empty()) return Json(nullptr);
      const auto above = std::count_if(all.begin(), all.end(), [&](double value) { return value >= threshold; });
      return Json(static_cast<double>(above) / static_cast<double>(all.size()));
    };
    Json json{{"own", own.size()}, {"foreign", foreign.size()}, {"auc", area_under_curve(own, foreign)}};
    json["own_refused"] = own.empty() ? Json(nullptr) : Json(1 - share(own).get<double>());
    json["foreign_accepted"] = share(foreign);
    json["near_accepted"] = share(near);
    json["far_accepted"] = share(far);
    return json;
  }

  const Config& config_;
  const Recipe& recipe_;
  Embedder* embedder_;
  LanguageMeans means_;
  const KnownOptions& options_;
  Memories memories_;
  std::vector<KnownCase> cases_;
};

}  // namespace

Result<std::string> run_eval_known(const Config& config, const std::vector<std::string>& sets,
                                   const KnownOptions& options) {
  WEFT_TRY(const Recipe recipe, find_recipe(config.recall.recipe, config.recall));
  WEFT_TRY(const auto models, ModelSet::open(config));
  if (models->embedder() != nullptr) WEFT_CHECK(models->wait_ready(Deadline::after(kModelPatience)));
  Embedder* embedder = models->embedder();
  std::unique_ptr<VectorFile> kept;
  if (embedder != nullptr && !options.vectors.empty()) {
    WEFT_TRY(kept, VectorFile::open(options.vectors, *embedder));
    embedder = kept.get();
  }
  KnownEvaluation evaluation(config, recipe, *models, embedder, options);
  for (const std::string& set : sets) {
    if (fs::exists(set + ".passages.jsonl")) {
      WEFT_CHECK(evaluation.add_passages(set));
      continue;
    }
    WEFT_TRY(const auto found, find_conversations(set, "eval known"));
    for (const Conversation& one : found) WEFT_CHECK(evaluation.add_conversation(one));
  }
  WEFT_CHECK(evaluation.ask_all());
  std::string report = evaluation.report();
  if (!options.features.empty()) WEFT_CHECK(evaluation.write_features());
  return report;
}

}  // namespace weft
