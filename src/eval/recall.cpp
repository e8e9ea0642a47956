#include "eval/recall.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/log.h"
#include "demo/data_files.h"
#include "engine/engine_impl.h"
#include "eval/answers.h"
#include "eval/conversations.h"
#include "text/json.h"
#include "weft/engine.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kRanked = 50;                          // ids asked for and written for each question
constexpr std::chrono::seconds kModelPatience{60};
constexpr std::chrono::hours kEmbeddingPatience{12};

OrderedJson percentiles(std::vector<double> times) {
  if (times.empty()) return {{"p50", 0}, {"p95", 0}};
  std::sort(times.begin(), times.end());
  return {{"p50", times[times.size() / 2]}, {"p95", times[times.size() * 95 / 100]}};
}

OrderedJson score_json(const RecallScore& score) {
  OrderedJson json{{"queries", score.questions}};
  for (std::size_t i = 0; i < RecallScore::kCuts.size(); ++i)
    json["recall@" + std::to_string(RecallScore::kCuts[i])] = score.recall[i];
  json["any@5"] = score.any;
  json["all@5"] = score.all;
  return json;
}

/// One run over all sets.
class RecallEvaluation {
 public:
  RecallEvaluation(Engine& engine, std::string recipe, std::string speakers, std::ostream* predictions)
      : engine_(engine), recipe_(std::move(recipe)), speakers_(std::move(speakers)), predictions_(predictions) {}

  Status replay(const std::vector<Conversation>& conversations) {
    for (const Conversation& one : conversations) {
      WEFT_TRY(const RequestContext request, scope_of(one));
      WEFT_TRY(const auto messages, read_messages(one));
      for (SaidMessage said : messages) {
        if (!speakers_.empty()) write_speaker(said.message);
        const Stopwatch clock;
        const auto observed = engine_.session(request, said.session).observe(said.message);
        observe_ms_.push_back(clock.ms());
        if (!observed.ok()) return observed.error();
      }
      log_info("eval.replayed", one.stem);
    }
    return engine_.drain(std::chrono::duration_cast<std::chrono::milliseconds>(kEmbeddingPatience));
  }

  Status ask(const std::vector<Conversation>& conversations) {
    for (const Conversation& one : conversations) {
      WEFT_TRY(const RequestContext request, scope_of(one));
      WEFT_TRY(const auto questions, read_questions(one));
      for (const LabelledQuestion& question : questions) WEFT_CHECK(ask_one(request, one.set, question));
      log_info("eval.asked", one.stem);
    }
    return {};
  }

  OrderedJson report() const {
    OrderedJson json = score_json(all_.mean());
    for (const auto& [category, score] : all_.mean_by_category()) json["by_category"][category] = score_json(score);
    for (const auto& [set, tally] : by_set_) {
      json["by_set"][set] = score_json(tally.mean());
      for (const auto& [category, score] : tally.mean_by_category())
        json["by_set"][set]["by_category"][category] = score_json(score);
    }
    json["recipe"] = recipe_;
    json["by"] = by_;
    json["messages"] = observe_ms_.size();
    json["observe_ms"] = percentiles(observe_ms_);
    json["search_ms"] = percentiles(search_ms_);
    json["embed_ms"] = percentiles(embed_ms_);
    return json;
  }

 private:
  Status ask_one(const RequestContext& request, const std::string& set, const LabelledQuestion& question) {
    SearchRequest what;
    what.query = question.query;
    what.top_k = kRanked;
    what.kinds = {ItemKind::kMessage};
    what.recipe = recipe_;
    what.asked = question.asked;
    WEFT_TRY(const SearchResult found, engine_.memory(request).search(what));
    search_ms_.push_back(found.search_ms);
    embed_ms_.push_back(found.embed_ms);
    by_ = to_string(found.by);
    std::vector<std::string> ranked;
    for (const Hit& hit : found.hits) {
      for (const MessageId& id : hit.item.sources)
        if (std::find(ranked.begin(), ranked.end(), id.str()) == ranked.end()) ranked.push_back(id.str());
    }
    all_.add(question, ranked);
    by_set_[set].add(question, ranked);
    if (predictions_ != nullptr)
      *predictions_ << write_json(OrderedJson{{"id", question.id}, {"set", set}, {"ranked", ranked}}) << "\n";
    return {};
  }

  void write_speaker(Message& message) const {
    if (message.name.empty()) return;
    std::string lead = speakers_;
    lead.replace(lead.find("NAME"), 4, message.name);
    message.content = lead + message.content;
    message.name.clear();
  }

  Engine& engine_;
  std::string recipe_, speakers_, by_ = "floor";
  std::ostream* predictions_;
  RecallTally all_;
  std::map<std::string, RecallTally> by_set_;
  std::vector<double> observe_ms_, search_ms_, embed_ms_;
};

Result<RecipeName> recipe_for(const Config& config, const std::string& baseline) {
  if (baseline.empty()) return config.recall.recipe;
  if (baseline == "bm25") return RecipeName::kWords;
  if (baseline == "vector") return RecipeName::kVectors;
  if (baseline == "recent") return RecipeName::kRecent;
  return invalid_argument("eval recall: no baseline is called \"" + baseline + "\"",
                          "baselines are bm25, vector and recent");
}

Result<std::unique_ptr<Engine>> open_engine(const Config& config) {
  WEFT_TRY(auto engine, EngineImpl::open(config));
  if (config.embedding.provider != EmbeddingProvider::kNone) WEFT_CHECK(engine->wait_ready(kModelPatience));
  return std::unique_ptr<Engine>(std::move(engine));
}

Result<std::string> workspace_for(const std::string& replayed, const ScratchWorkspace& scratch) {
  if (!replayed.empty()) return replayed;
  if (scratch.path().empty())
    return permission("eval recall: no temporary folder", "set TMPDIR to a folder that can be written");
  return scratch.path();
}

}  // namespace

Result<std::string> run_eval_recall(const Config& config, const std::vector<std::string>& sets,
                                    const RecallEvalOptions& options) {
  WEFT_TRY(const RecipeName recipe, recipe_for(config, options.baseline));
  std::vector<Conversation> conversations;
  for (const std::string& set : sets) {
    WEFT_TRY(const auto found, find_conversations(set, "eval recall"));
    conversations.insert(conversations.end(), found.begin(), found.end());
  }
  std::ofstream out;
  if (!options.predictions.empty()) {
    out.open(options.predictions);
    if (!out) return permission("eval recall: cannot write " + options.predictions);
  }
  const bool known = !options.replayed.empty() && fs::exists(fs::path(options.replayed) / "weft.db");
  const ScratchWorkspace scratch;
  Config own = config;
  WEFT_TRY(own.workspace, workspace_for(options.replayed, scratch));
  own.store.clear();
  // Recall of single messages needs no vectors where words alone are asked for.
  if (options.baseline == "bm25" || options.baseline == "recent") own.embedding.provider = EmbeddingProvider::kNone;
  WEFT_TRY(auto engine, open_engine(own));
  RecallEvaluation evaluation(*engine, std::string(to_string(recipe)), options.speakers_in_text,
                              options.predictions.empty() ? nullptr : &out);
  if (!known) WEFT_CHECK(evaluation.replay(conversations));
  WEFT_CHECK(evaluation.ask(conversations));
  return write_json(evaluation.report());
}

}  // namespace weft
