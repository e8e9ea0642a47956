#include "eval/known.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/log.h"
#include "engine/model_set.h"
#include "eval/conversations.h"
#include "flow/recall/recall.h"
#include "ports/embedding/vector_file.h"
#include "text/json.h"

namespace weft {
double area_under_curve(std::vector<double> own, std::vector<double> foreign) {
  if (own.empty() || foreign.empty()) return 0.5;
  std::sort(foreign.begin(), foreign.end());
  double above = 0;
  for (const double value : own) {
    const auto less = std::lower_bound(foreign.begin(), foreign.end(), value);
    const auto equal = std::upper_bound(less, foreign.end(), value);
    above += static_cast<double>(less - foreign.begin()) + 0.5 * static_cast<double>(equal - less);
  }
  return above / static_cast<double>(own.size() * foreign.size());
}

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kHits = 10;  // of each question that are looked at
constexpr std::chrono::seconds kModelPatience{60};

using Memories = std::vector<std::unique_ptr<EvalMemory>>;

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

/// Asks every question where it is answered and where it is not.
class Asking {
 public:
  Asking(const Config& config, const Recipe& recipe, LanguageMeans means, Embedder* embedder, std::size_t questions)
      : config_(config), recipe_(recipe), embedder_(embedder), means_(std::move(means)), questions_(questions) {}

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

  Result<std::vector<KnownCase>> ask_all() {
    for (std::size_t place = 0; place < memories_.size(); ++place) {
      const EvalMemory& own = *memories_[place];
      const auto near = next_of_set(place);
      const auto far = of_other_sets(own);
      for (std::size_t i = 0; i < own.questions.size(); ++i) {
        const LabelledQuestion& question = own.questions[i];
        WEFT_CHECK(ask(own, question, question.query, own));
        if (near != place) {
          const EvalMemory& other = *memories_[near];
          const std::string text = exchange_names(question.query, own.index.speakers(), other.index.speakers());
          WEFT_CHECK(ask(own, question, text, other));
        }
        if (!far.empty()) WEFT_CHECK(ask(own, question, question.query, *far[i % far.size()]));
      }
      log_info("eval.asked", own.set + " " + std::to_string(place));
    }
    return std::move(cases_);
  }

 private:
  Status add_memory(const std::string& set, const std::vector<SaidMessage>& messages,
                    std::vector<LabelledQuestion> questions) {
    auto memory = std::make_unique<EvalMemory>(means_);
    memory->set = set;
    WEFT_CHECK(fill_memory(*memory, config_.limits, messages, embedder_));
    const std::size_t most = questions_ == 0 ? questions.size() : std::min(questions_, questions.size());
    for (std::size_t i = 0; i < most; ++i) memory->questions.push_back(questions[i * questions.size() / most]);
    memories_.push_back(std::move(memory));
    log_info("eval.replayed", set + " " + std::to_string(memories_.size()));
    return {};
  }

  std::size_t next_of_set(std::size_t place) const {
    for (std::size_t step = 1; step < memories_.size(); ++step) {
      const std::size_t other = (place + step) % memories_.size();
      if (memories_[other]->set == memories_[place]->set) return other;
    }
    return place;
  }

  std::vector<const EvalMemory*> of_other_sets(const EvalMemory& own) const {
    std::vector<const EvalMemory*> others;
    for (const auto& one : memories_)
      if (one->set != own.set && one->language == own.language) others.push_back(one.get());
    return others;
  }

  Status ask(const EvalMemory& own, const LabelledQuestion& question, const std::string& text,
             const EvalMemory& asked) {
    RecallQuery query = query_for(asked, text, recipe_.uses_vectors() ? embedder_ : nullptr);
    query.top_k = kHits;
    WEFT_TRY(const auto rows, recall(asked.index, query, recipe_));
    KnownCase one;
    one.set = own.set;
    one.question = text;
    one.own = &own == &asked && !question.groups.empty();  // without evidence it was never said
    one.far = own.set != asked.set;
    for (const ScoredRow& row : rows) {
      one.hits.push_back(row.features);
      one.vectors = one.vectors || row.features.vectors;
      one.relevance = std::max(one.relevance, row.relevance);
    }
    cases_.push_back(std::move(one));
    return {};
  }

  const Config& config_;
  const Recipe& recipe_;
  Embedder* embedder_;
  LanguageMeans means_;
  std::size_t questions_;
  Memories memories_;
  std::vector<KnownCase> cases_;
};

Json json_of(const KnownTally& tally) {
  const auto share = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  return {{"own", tally.own},
          {"foreign", tally.foreign},
          {"auc", tally.auc},
          {"own_refused", share(tally.own_refused)},
          {"foreign_accepted", share(tally.foreign_accepted)},
          {"near_accepted", share(tally.near_accepted)},
          {"far_accepted", share(tally.far_accepted)}};
}

}  // namespace

Result<std::vector<KnownCase>> ask_known(const Config& config, const std::vector<std::string>& sets,
                                         std::size_t questions, Embedder* embedder, const LanguageMeans& means) {
  WEFT_TRY(const Recipe recipe, find_recipe(to_string(config.recall.recipe), config.recall));
  Asking asking(config, recipe, means, embedder, questions);
  for (const std::string& set : sets) {
    if (fs::exists(set + ".passages.jsonl")) {
      WEFT_CHECK(asking.add_passages(set));
      continue;
    }
    WEFT_TRY(const auto found, find_conversations(set, "known"));
    for (const Conversation& one : found) WEFT_CHECK(asking.add_conversation(one));
  }
  return asking.ask_all();
}

KnownTally tally(const std::vector<const KnownCase*>& cases, double threshold) {
  std::vector<double> own, near, far, foreign;
  for (const KnownCase* one : cases) {
    (one->own ? own : one->far ? far : near).push_back(one->relevance);
    if (!one->own) foreign.push_back(one->relevance);
  }
  const auto share = [threshold](const std::vector<double>& all) -> std::optional<double> {
    if (all.empty()) return std::nullopt;
    const auto above = std::count_if(all.begin(), all.end(), [&](double value) { return value >= threshold; });
    return static_cast<double>(above) / static_cast<double>(all.size());
  };
  KnownTally counted;
  counted.own = own.size();
  counted.foreign = foreign.size();
  counted.auc = area_under_curve(own, foreign);
  if (!own.empty()) counted.own_refused = 1 - *share(own);
  counted.foreign_accepted = share(foreign);
  counted.near_accepted = share(near);
  counted.far_accepted = share(far);
  return counted;
}

Result<std::string> run_eval_known(const Config& config, const std::vector<std::string>& sets,
                                   const KnownOptions& options) {
  WEFT_TRY(const auto models, ModelSet::open(config));
  if (models->embedder() != nullptr) WEFT_CHECK(models->wait_ready(Deadline::after(kModelPatience)));
  Embedder* embedder = models->embedder();
  std::unique_ptr<VectorFile> kept;
  if (embedder != nullptr && !options.vectors.empty()) {
    WEFT_TRY(kept, VectorFile::open(options.vectors, *embedder));
    embedder = kept.get();
  }
  WEFT_TRY(const auto cases, ask_known(config, sets, options.questions, embedder, means_of(*models->similarity())));
  const double threshold = config.recall.known_threshold;
  std::map<std::string, std::vector<const KnownCase*>> by_set;
  std::vector<const KnownCase*> all;
  for (const KnownCase& one : cases) {
    by_set[one.set].push_back(&one);
    all.push_back(&one);
  }
  Json json{{"all", json_of(tally(all, threshold))}};
  for (const auto& [set, some] : by_set) json["by_set"][set] = json_of(tally(some, threshold));
  json["threshold"] = threshold;
  json["recipe"] = to_string(config.recall.recipe);
  json["by"] = embedder != nullptr ? embedder->name() : "floor";
  return write_json(json);
}

}  // namespace weft
