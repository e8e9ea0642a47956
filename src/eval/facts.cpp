#include "eval/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "eval/json_lines.h"
#include "eval/logistic_fit.h"
#include "text/json.h"
#include "text/weight_file.h"
#include "text/words.h"

namespace weft {
namespace {

using Json = nlohmann::json;
using Dialogues = std::map<std::string, SaidDialogue>;

SaidTurn said(const Json& json) {
  const auto text = [&](const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
  };
  SaidTurn out{text("role"), text("name"), json.contains("content") ? text("content") : text("text")};
  const bool plain = out.role == "user" || out.role == "assistant" || out.role == "tool" || out.role == "system";
  if (!plain && out.name.empty()) out.name = out.role;
  if (out.name == "user" || out.name == "assistant") out.name.clear();
  return out;
}

// Messages a line with their session, or dialogues a line with their turns.
Result<Dialogues> read_source(const std::string& path) {
  if (!std::filesystem::exists(path))
    return not_found("cannot read " + path, "name the folder of the data with --data");
  Dialogues all;
  WEFT_CHECK(each_json_line(path, [&](const Json& json, std::size_t) -> Status {
    if (json.contains("session")) {
      all[json["session"].get<std::string>()].push_back(said(json));
      return {};
    }
    SaidDialogue& dialogue = all[json.value("id", "")];
    for (const Json& turn : json.contains("turns") ? json["turns"] : json.value("messages", Json::array()))
      dialogue.push_back(said(turn));
    return {};
  }));
  return all;
}

}  // namespace

Result<const SaidDialogue*> SaidDialogues::find(const std::string& source, const std::string& dialogue,
                                                std::size_t turn) {
  auto at = sources_.find(source);
  if (at == sources_.end()) {
    WEFT_TRY(auto dialogues, read_source(data_ + "/" + source));
    at = sources_.emplace(source, std::move(dialogues)).first;
  }
  const auto found = at->second.find(dialogue);
  if (found == at->second.end() || found->second.size() <= turn)
    return not_found("there is no turn " + std::to_string(turn) + " of \"" + dialogue + "\" in " + source);
  return &found->second;
}

std::string set_of_source(std::string_view source) {
  const std::string_view path = source.substr(source.find('/') + 1);
  return std::string(path.substr(0, path.find_first_of("/.")));
}

namespace {

Result<FactCase> read_case(const Json& json) {
  try {
    FactCase out{json.at("source").get<std::string>(),
                 json.at("dialogue").get<std::string>(),
                 json.at("turn").get<std::size_t>(),
                 {}};
    for (const Json& one : json.at("facts")) {
      const std::string kind = one.value("kind", "fact");
      out.facts.push_back({one.at("holder").get<std::string>(), one.at("value").get<std::vector<std::string>>(),
                           kind == "negated", kind == "light" ? FactGrade::kLight : FactGrade::kWanted});
    }
    return out;
  } catch (const Json::exception& error) {
    return invalid_argument(error.what(), R"(each line needs "source", "dialogue", "turn", "facts")");
  }
}

bool says_no(const std::string& text) {
  for (const std::string_view word :
       {" not ", "n't ", " never ", " no ", " cannot ", "n’t ", " cant ", " dont ", " didnt ", " doesn t ", " won t "})
    if (lowered(text).find(word) != std::string::npos) return true;
  for (const std::string_view word : {"不", "没", "未", "别"})
    if (text.find(word) != std::string::npos) return true;
  return false;
}

bool holds(const std::string& text, const std::string& words) {
  const auto there = index_words(text), wanted = index_words(words);
  if (wanted.empty()) return text.find(words) != std::string::npos;
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
    return std::find(there.begin(), there.end(), word) != there.end();
  });
}

bool fits(const StatedFact& stated, const SaidFact& fact, const std::string& subject) {
  // What is light is no matter of whose it is or of yes and no.
  if (stated.grade == FactGrade::kLight) return holds_value(fact.text, stated);
  const bool own = stated.holder == "user";
  if (!holds(fact.text, own ? subject : stated.holder)) return false;
  if (stated.negated && !says_no(fact.text)) return false;
  return std::any_of(stated.values.begin(), stated.values.end(), [&](const std::string& value) {
    // "No longer than they are": what is said of the value itself has no "not" in it.
    if (!stated.negated && says_no(fact.text) && !says_no(" " + value + " ") && !says_no(fact.quote)) return false;
    return holds(fact.text, value);
  });
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// What another reader found, as if it had been read by a program.
std::vector<SaidFact> facts_of_reader(const FactCase& one, const std::string& subject) {
  std::vector<SaidFact> facts;
  for (const StatedFact& stated : one.facts) {
    if (stated.grade == FactGrade::kLight) continue;
    std::string text = (stated.holder == "user" ? subject : stated.holder) + (stated.negated ? " not " : " ");
    for (const std::string& value : stated.values) text += value + " ";
    facts.push_back({text, text, std::string(kSaidAttribute), {}});
  }
  return facts;
}

std::string subject_of(const SaidTurn& turn) {
  if (language_of(turn.text) == Language::kChinese) return "用户";
  return turn.name.empty() ? "The user" : turn.name;
}

using CaseKey = std::tuple<std::string, std::string, std::size_t>;
CaseKey key_of(const FactCase& one) { return {one.source, one.dialogue, one.turn}; }

Result<std::map<CaseKey, FactCase>> read_readers(const std::vector<std::string>& files) {
  std::map<CaseKey, FactCase> all;
  for (const std::string& file : files) {
    WEFT_TRY(auto cases, read_fact_cases(file));
    for (FactCase& one : cases) all.emplace(key_of(one), std::move(one));
  }
  return all;
}

Json counts_json(const FactCounts& counts) {
  return {{"messages", counts.messages}, {"stated", counts.stated}, {"right", counts.right},
          {"read", counts.read},         {"light", counts.light},   {"wrong", counts.wrong}};
}

}  // namespace

void FactCounts::add(const FactCounts& other) {
  messages += other.messages;
  stated += other.stated;
  right += other.right;
  read += other.read;
  light += other.light;
  wrong += other.wrong;
}

Result<std::vector<FactCase>> read_fact_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) return not_found("facts: cannot read " + path);
  std::vector<FactCase> cases;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const std::string place = path + ":" + std::to_string(number);
    WEFT_TRY(const Json json, read_json(line, {.max_bytes = line.size()}, place));
    auto one = read_case(json);
    if (!one.ok()) return invalid_argument(place + ": " + one.error().message, one.error().hint);
    cases.push_back(std::move(*one));
  }
  return cases;
}

bool holds_value(std::string_view text, const StatedFact& stated) {
  return std::any_of(stated.values.begin(), stated.values.end(),
                     [&](const std::string& value) { return holds(std::string(text), value); });
}

FactCounts count_facts(const FactCase& one, const SaidTurn& turn, const std::vector<SaidFact>& read,
                       std::vector<std::string>* misses) {
  const std::string subject = subject_of(turn);
  const auto tell = [&](const std::string& what) {
    if (misses != nullptr) misses->push_back(one_line(what + " | " + turn.text));
  };
  FactCounts counts;
  counts.messages = 1;
  counts.read = static_cast<std::int64_t>(read.size());
  for (const StatedFact& stated : one.facts) {
    if (stated.grade == FactGrade::kLight) continue;
    const bool right =
        std::any_of(read.begin(), read.end(), [&](const SaidFact& fact) { return fits(stated, fact, subject); });
    ++counts.stated;
    counts.right += right ? 1 : 0;
    if (!right) tell("missed " + stated.holder + ": " + stated.values.front());
  }
  for (const SaidFact& fact : read) {
    const auto is_of = [&](FactGrade grade) {
      return std::any_of(one.facts.begin(), one.facts.end(), [&](const StatedFact& stated) {
        return stated.grade == grade && fits(stated, fact, subject);
      });
    };
    if (is_of(FactGrade::kWanted)) continue;
    const bool light = is_of(FactGrade::kLight);
    ++(light ? counts.light : counts.wrong);
    if (!light) tell("wrong  " + fact.text + " (" + fact.attribute + ")");
  }
  return counts;
}

std::vector<SaidFact> facts_of_turn(const SaidTurn& turn, const FactWeights* weights, const SentenceVector& vector_of) {
  const std::string name = language_of(turn.text) == Language::kChinese ? "" : turn.name;
  std::vector<SaidFact> facts = read_said(turn.text, name).facts;
  if (weights != nullptr) {
    const auto judged = judge_facts(turn.text, name, *weights, vector_of, facts);
    facts.insert(facts.end(), judged.begin(), judged.end());
  }
  std::erase_if(facts, [](const SaidFact& fact) { return fact.text.empty() || fact.attribute.starts_with("wish:"); });
  return facts;
}

Result<FactReport> eval_facts(const std::vector<std::string>& files, const FactOptions& options) {
  FactReport report;
  SaidDialogues dialogues(options.data);
  WEFT_TRY(const auto readers, read_readers(options.readers));
  const FactWeights* weights = options.embedder == nullptr ? nullptr : fact_weights(options.embedder->name());
  const SentenceVector vector_of = [&](std::string_view sentence) {
    const auto vector = options.embedder->embed(sentence, EmbedUse::kPassage, Deadline{});
    // What has no word has no vector: left to the grammar, as in the product.
    return vector.ok() ? options.similarity->centre(*vector, language_of(sentence)) : Vector();
  };
  for (const std::string& path : files) {
    WEFT_TRY(const auto cases, read_fact_cases(path));
    for (const FactCase& one : cases) {
      const auto reader = readers.find(key_of(one));
      if (!options.readers.empty() && reader == readers.end()) continue;
      WEFT_TRY(const SaidDialogue* dialogue, dialogues.find(one.source, one.dialogue, one.turn));
      const SaidTurn& turn = (*dialogue)[one.turn];
      const std::string set = set_of_source(one.source);
      const bool explained = std::find(options.explain.begin(), options.explain.end(), set) != options.explain.end();
      const auto read = options.readers.empty() ? facts_of_turn(turn, weights, vector_of)
                                                : facts_of_reader(reader->second, subject_of(turn));
      report.by_source[set].add(count_facts(one, turn, read, explained ? &report.misses : nullptr));
    }
  }
  return report;
}

std::string to_json(const FactReport& report) {
  FactCounts all;
  Json sets = Json::object();
  for (const auto& [name, counts] : report.by_source) {
    sets[name] = counts_json(counts);
    all.add(counts);
  }
  Json out = {{"by_set", sets}, {"all", counts_json(all)}};
  if (!report.misses.empty()) out["misses"] = report.misses;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr double kVectorPenalty = 4, kSignPenalty = 3, kBiasPenalty = 1e-3;
constexpr std::size_t kFolds = 5, kLanguages = 2;
constexpr std::int64_t kEnough = 40;  // facts of a language by which its limit is chosen
constexpr double kWrongCosts = 2;     // facts that are found
constexpr double kLeastRight = 0.7, kMostWrong = 0.1;  // of those stated, and of those read: what is to be reached
constexpr double kGradedCounts = 5;   // of a message whose light facts are told apart, against any other
constexpr std::array kLimits{-2.0, -1.75, -1.5, -1.25, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5};

struct Sentence {
  SignalRow row;
  bool fact = false;
  bool light = false;  // states something, but nothing that is wanted: no example of either
};

struct JudgedMessage {
  FactCase judged;
  SaidTurn turn;
  std::string family, file;
  std::size_t fold = 0;
  bool graded = false;  // by a file that tells light facts from those that are wanted
  std::vector<Sentence> sentences;
};

bool is_graded(const std::vector<FactCase>& cases) {
  return std::any_of(cases.begin(), cases.end(), [](const FactCase& one) {
    return std::any_of(one.facts.begin(), one.facts.end(),
                       [](const StatedFact& fact) { return fact.grade == FactGrade::kLight; });
  });
}

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// What a limit is worth: facts found, less two for each wrong one; of limits that read too little or too much wrongly,
// which are all worth less, by how much they do on their worse side.
double gain(const FactCounts& counts) {
  constexpr double kAnyThatHolds = 1e6;
  const double margin =
      std::min(share(counts.right, counts.stated) - kLeastRight, kMostWrong - share(counts.wrong, counts.read));
  if (margin < 0) return margin - kAnyThatHolds;
  return static_cast<double>(counts.right) - kWrongCosts * static_cast<double>(counts.wrong);
}

std::string family_of(const std::string& source) {
  const std::string set = set_of_source(source);
  return set.substr(0, set.find('_'));
}

// The vector, the signs of each language, and a 1 for each: a row has the signs of its own language only.
SignalRow row_of(Language language, const FactSigns& signs, std::span<const float> vector) {
  SignalRow row(vector.begin(), vector.end());
  for (std::size_t one = 0; one < kLanguages; ++one) {
    const bool own = one == static_cast<std::size_t>(language);
    for (const double sign : signs) row.push_back(own ? sign : 0);
    row.push_back(own ? 1 : 0);
  }
  return row;
}

FactWeights weights_of(const std::vector<double>& fitted, std::string_view embedder) {
  FactWeights weights;
  weights.embedder = embedder;
  const std::size_t size = fitted.size() - kLanguages * (kFactSigns + 1);
  weights.vector.assign(fitted.begin(), fitted.begin() + static_cast<std::ptrdiff_t>(size));
  for (std::size_t one = 0; one < kLanguages; ++one) {
    const std::size_t begin = size + one * (kFactSigns + 1);
    for (std::size_t i = 0; i < kFactSigns; ++i) weights.languages[one].signs[i] = fitted[begin + i];
    weights.languages[one].bias = fitted[begin + kFactSigns];
  }
  return weights;
}

class Fit {
 public:
  Fit(const FactFitOptions& options, Embedder& embedder, const Similarity& similarity)
      : options_(options), embedder_(embedder), similarity_(similarity) {}

  Status read() {
    SaidDialogues dialogues(options_.data);
    for (const std::string& path : options_.files) {
      WEFT_TRY(const bool labelled, read_sentences(path));
      if (labelled) continue;
      WEFT_TRY(auto cases, read_fact_cases(path));
      const std::string name = std::filesystem::path(path).stem().string();
      const bool graded = is_graded(cases);
      for (FactCase& one : cases) {
        WEFT_TRY(const SaidDialogue* dialogue, dialogues.find(one.source, one.dialogue, one.turn));
        JudgedMessage message{one, (*dialogue)[one.turn], family_of(one.source), name, 0, graded, {}};
        const auto place = folds_.emplace(one.source + "\n" + one.dialogue, folds_.size());
        message.fold = place.first->second % kFolds;
        WEFT_CHECK(add_sentences(message));
        messages_.push_back(std::move(message));
      }
    }
    if (messages_.empty()) return invalid_argument("fit facts: there are no judged messages");
    return {};
  }

  using Chosen = std::function<bool(const JudgedMessage&)>;

  FactWeights fit_on(const Chosen& chosen) const {
    std::vector<SignalRow> rows;
    std::vector<bool> facts;
    std::vector<double> counts;
    const auto add = [&](const Sentence& one, double count) {
      rows.push_back(one.row);
      facts.push_back(one.fact);
      counts.push_back(count);
    };
    for (const Sentence& one : made_) add(one, 1);
    for (const JudgedMessage& message : messages_)
      if (!is_kept_out(message) && chosen(message))
        for (const Sentence& one : message.sentences)
          if (!one.light) add(one, message.graded ? kGradedCounts : 1);
    std::vector<double> penalties(embedder_.dimensions(), kVectorPenalty);
    for (std::size_t one = 0; one < kLanguages; ++one) {
      penalties.insert(penalties.end(), kFactSigns, kSignPenalty);
      penalties.push_back(kBiasPenalty);
    }
    return weights_of(fit_logistic(rows, facts, counts, penalties), family_);
  }

  /// Weights that saw nothing of a family, for each, and of a fifth of the conversations, and what limits do with them.
  void leave_out() {
    for (std::size_t fold = 0; fold < kFolds; ++fold)
      folds_fitted_.push_back(fit_on([fold](const JudgedMessage& one) { return one.fold != fold; }));
    const bool graded =
        std::any_of(messages_.begin(), messages_.end(), [](const JudgedMessage& one) { return one.graded; });
    for (const JudgedMessage& one : messages_) {
      auto [place, fresh] = without_.try_emplace(one.family);
      if (fresh) place->second = fit_on([&](const JudgedMessage& other) { return other.family != one.family; });
      if (is_kept_out(one) || one.graded != graded) continue;
      try_limits(one, place->second, tried_left_out_);
      try_limits(one, folds_fitted_[one.fold], tried_folds_);
    }
  }

  /// Sets each language's limit for what ships, or for a family of which nothing was seen, by what limits do for the
  /// others; a language of which there is too little has that of both together.
  void set_limits(FactWeights& weights, const std::string& without) const {
    const Tried& tried = without.empty() ? tried_folds_ : tried_left_out_;
    for (std::size_t language = 0; language < kLanguages; ++language) {
      std::array<FactCounts, kLimits.size()> own, both;
      for (std::size_t at = 0; at < kLimits.size(); ++at)
        for (const auto& [family, counts] : tried[at]) {
          if (family == without) continue;
          own[at].add(counts[language]);
          for (const FactCounts& one : counts) both[at].add(one);
        }
      const auto& chosen = own.front().stated >= kEnough ? own : both;
      const auto best = std::max_element(chosen.begin(), chosen.end(),
                                         [](const auto& a, const auto& b) { return gain(a) < gain(b); });
      weights.languages[language].limit = kLimits[static_cast<std::size_t>(best - chosen.begin())];
    }
  }

  FactCounts count(const JudgedMessage& one, const FactWeights* weights) const {
    return count_facts(one.judged, one.turn, facts_of_turn(one.turn, weights, vectors_), nullptr);
  }

  std::map<std::string, FactFitRow> measure(const FactWeights& shipped) {
    for (FactWeights& fold : folds_fitted_)
      for (std::size_t at = 0; at < kLanguages; ++at) fold.languages[at].limit = shipped.languages[at].limit;
    for (auto& [family, weights] : without_) set_limits(weights, family);
    std::map<std::string, FactFitRow> rows;
    for (const JudgedMessage& one : messages_) {
      FactFitRow& row = rows[one.family + " " + one.file];
      row.graded = one.graded;
      row.grammar.add(count(one, nullptr));
      row.left_out.add(count(one, &without_.at(one.family)));
      row.all.add(count(one, &shipped));
      if (!is_kept_out(one)) row.folds.add(count(one, &folds_fitted_[one.fold]));
    }
    return rows;
  }

  const std::string& family() const { return family_; }

 private:
  bool is_kept_out(const JudgedMessage& one) const {
    return std::find(options_.keep_out.begin(), options_.keep_out.end(), one.family) != options_.keep_out.end();
  }

  Result<Sentence> read_sentence(const FactSentence& sentence, const std::string& subject) {
    const auto vector = embedder_.embed(sentence.text, EmbedUse::kPassage, Deadline{});
    Sentence out;
    // What has no word has no vector, and is left to the grammar.
    if (!vector.ok() && vector.error().code == ErrorCode::kInvalidArgument) return out;
    if (!vector.ok()) return vector.error();
    const Language language = language_of(sentence.text);
    const auto centred = similarity_.centre(*vector, language);
    known_.emplace(sentence.text, centred);
    out.row = row_of(language, fact_signs(sentence, subject), centred);
    return out;
  }

  Status add_sentences(JudgedMessage& message) {
    const std::string name = language_of(message.turn.text) == Language::kChinese ? "" : message.turn.name;
    for (const FactSentence& sentence : fact_sentences(message.turn.text))
      for (const std::string_view part : judged_parts(sentence.text)) {
        WEFT_TRY(Sentence one, read_sentence({part, sentence.heading, sentence.said_at_once}, name));
        for (const StatedFact& stated : message.judged.facts)
          if (holds_value(part, stated)) (stated.grade == FactGrade::kLight ? one.light : one.fact) = true;
        one.light = one.light && !one.fact;
        if (!one.row.empty()) message.sentences.push_back(std::move(one));
      }
    return {};
  }

  // Whether a file is of sentences that are labelled as such; then they are taken.
  Result<bool> read_sentences(const std::string& path) {
    std::ifstream file(path);
    if (!file) return not_found("fit facts: cannot read " + path);
    std::string line;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
      if (line.empty()) continue;
      const std::string place = path + ":" + std::to_string(number);
      WEFT_TRY(const auto json, read_json(line, {.max_bytes = line.size()}, place));
      if (!json.is_object() || !json.contains("text")) return false;
      if (!json["text"].is_string() || !json.contains("fact") || !json["fact"].is_boolean())
        return invalid_argument(place + ": no labelled sentence", R"(each line needs "text" and "fact")");
      const std::string text = json["text"].get<std::string>();
      WEFT_TRY(Sentence one, read_sentence({.text = text}, {}));
      one.fact = json["fact"].get<bool>();
      if (!one.row.empty()) made_.push_back(std::move(one));
    }
    return true;
  }

  using ByLanguage = std::array<FactCounts, kLanguages>;
  using Tried = std::array<std::map<std::string, ByLanguage>, kLimits.size()>;  // by limit and family

  void try_limits(const JudgedMessage& one, FactWeights weights, Tried& tried) const {
    for (std::size_t at = 0; at < kLimits.size(); ++at) {
      for (auto& language : weights.languages) language.limit = kLimits[at];
      tried[at][one.family][static_cast<std::size_t>(language_of(one.turn.text))].add(count(one, &weights));
    }
  }

  const FactFitOptions& options_;
  Embedder& embedder_;
  const Similarity& similarity_;
  std::string family_ = embedder_.name().substr(0, embedder_.name().rfind("-q"));
  std::vector<JudgedMessage> messages_;
  std::vector<Sentence> made_;
  std::map<std::string, std::size_t> folds_;  // by conversation
  std::map<std::string, Vector, std::less<>> known_;
  SentenceVector vectors_ = [this](std::string_view sentence) {
    const auto at = known_.find(sentence);
    return at == known_.end() ? Vector() : at->second;
  };
  std::map<std::string, FactWeights> without_;  // by the family that they saw nothing of
  std::vector<FactWeights> folds_fitted_;
  Tried tried_left_out_, tried_folds_;
};

// The file that holds the weights: those of the vector as whole numbers of one step.
WeightFile file_of(const FactWeights& weights) {
  constexpr double kSteps = 127;  // of a weight, to each side
  ValueObject entries{{"embedder", weights.embedder}};
  constexpr std::array<const char*, kLanguages> kNames{"english", "chinese"};
  for (std::size_t at = 0; at < kLanguages; ++at) {
    const std::string name = kNames[at];
    ValueList signs;
    for (const double sign : weights.languages[at].signs) signs.emplace_back(rounded(sign, 4));
    entries.emplace_back(name + ".bias", rounded(weights.languages[at].bias, 4));
    entries.emplace_back(name + ".limit", weights.languages[at].limit);
    entries.emplace_back(name + ".signs", std::move(signs));
  }
  float most = 0;
  for (const float one : weights.vector) most = std::max(most, std::abs(one));
  const double step = static_cast<double>(most) / kSteps;
  ValueList vector;
  for (const float one : weights.vector)
    vector.emplace_back(std::int64_t{std::lround(static_cast<double>(one) / step)});
  entries.emplace_back("step", rounded(step, 8));
  entries.emplace_back("vector", std::move(vector));
  return {"facts", std::move(entries)};
}

}  // namespace

Result<FittedFacts> fit_facts(const FactFitOptions& options, Embedder& embedder, const Similarity& similarity) {
  Fit fit(options, embedder, similarity);
  WEFT_CHECK(fit.read());
  fit.leave_out();
  FittedFacts fitted;
  fitted.weights = fit.fit_on([](const JudgedMessage&) { return true; });
  fit.set_limits(fitted.weights, {});
  fitted.weights.embedder = fit.family();
  const WeightFile file = file_of(fitted.weights);
  fitted.source = file.source();
  fitted.weights = read_fact_weights(file);
  fitted.rows = fit.measure(fitted.weights);
  return fitted;
}

namespace {

OrderedJson shares(const FactCounts& counts) {
  const auto rounded = [](double value) { return std::round(value * 1000) / 1000; };
  return {{"right", rounded(share(counts.right, counts.stated))},
          {"wrong", rounded(share(counts.wrong, counts.read))},
          {"light", rounded(share(counts.light, counts.read))}};
}

OrderedJson row_json(const FactFitRow& row) {
  OrderedJson json = {{"messages", row.all.messages},
                      {"stated", row.all.stated},
                      {"grammar", shares(row.grammar)},
                      {"left_out", shares(row.left_out)}};
  if (row.folds.messages > 0) json["folds"] = shares(row.folds);
  json["all"] = shares(row.all);
  return json;
}

// Of graded files or of the others, families with enough facts to speak of; where another reader judged some, those
// alone.
OrderedJson macro_json(std::map<std::string, FactFitRow> rows, std::string_view language, bool graded) {
  std::erase_if(rows, [&](const auto& one) { return one.second.graded != graded; });
  constexpr std::int64_t kFewest = 5;
  std::map<std::string, FactFitRow> families;
  std::set<std::string> second;
  const auto family_of_row = [](const std::string& name) { return name.substr(0, name.find(' ')); };
  const auto of_language = [&](const std::string& name) {
    return name.substr(name.find(' ') + 1).starts_with(language);
  };
  for (const auto& [name, row] : rows)
    if (of_language(name) && name.ends_with("_second") && row.all.stated >= kFewest) second.insert(family_of_row(name));
  for (const auto& [name, row] : rows) {
    if (!of_language(name) || (second.contains(family_of_row(name)) && !name.ends_with("_second"))) continue;
    FactFitRow& family = families[family_of_row(name)];
    family.grammar.add(row.grammar);
    family.left_out.add(row.left_out);
    family.folds.add(row.folds);
    family.all.add(row.all);
  }
  std::erase_if(families, [](const auto& one) { return one.second.all.stated < kFewest; });
  OrderedJson json = {{"families", families.size()}};
  for (const auto& [name, counts] : {std::pair("grammar", &FactFitRow::grammar),
                                     {"left_out", &FactFitRow::left_out},
                                     {"folds", &FactFitRow::folds},
                                     {"all", &FactFitRow::all}}) {
    double right = 0, wrong = 0;
    for (const auto& [family, row] : families) {
      right += share((row.*counts).right, (row.*counts).stated) / static_cast<double>(families.size());
      wrong += share((row.*counts).wrong, (row.*counts).read) / static_cast<double>(families.size());
    }
    json[name] = {{"right", std::round(right * 1000) / 1000}, {"wrong", std::round(wrong * 1000) / 1000}};
  }
  return json;
}

}  // namespace

std::string to_json(const FittedFacts& fitted) {
  OrderedJson rows = OrderedJson::object();
  for (const auto& [name, row] : fitted.rows) rows[name] = row_json(row);
  OrderedJson limits = {{"en", fitted.weights.languages[0].limit}, {"zh", fitted.weights.languages[1].limit}};
  return OrderedJson{
      {"limits", limits},
      {"macro", {{"en", macro_json(fitted.rows, "en", false)}, {"zh", macro_json(fitted.rows, "zh", false)}}},
      {"graded", {{"en", macro_json(fitted.rows, "en", true)}, {"zh", macro_json(fitted.rows, "zh", true)}}},
      {"rows", rows}}
      .dump();
}

}  // namespace weft
