#include "eval/features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>

#include "base/log.h"
#include "base/strings.h"
#include "engine/embedder_model.h"
#include "eval/conversations.h"
#include "eval/facts.h"
#include "eval/json_lines.h"
#include "eval/known.h"
#include "eval/seen_dialogues.h"
#include "eval/skills.h"
#include "eval/tools.h"
#include "flow/context/tool_index.h"
#include "flow/memory/said_facts.h"
#include "flow/recall/recall.h"
#include "flow/stream/topic_shift.h"
#include "growth/skill_match.h"
#include "text/json.h"
#include "text/words.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

/// What a subject's examples are made from, and the file that takes them.
struct Work {
  const Config& config;
  const FeatureOptions& options;
  Embedder* embedder;
  const Similarity& similarity;
  std::ofstream& out;

  void write(const Json& line) const { out << write_json(line) << '\n'; }
  bool keeps_out(const std::string& family) const {
    return std::find(options.keep_out.begin(), options.keep_out.end(), family) != options.keep_out.end();
  }
};

/// Six decimals: what lies behind them is noise of the embedder.
double short_number(double value) { return std::round(value * 1e6) / 1e6; }

Json numbers(std::span<const float> vector) {
  Json list = Json::array();
  for (const float value : vector) list.push_back(short_number(static_cast<double>(value)));
  return list;
}

std::string language_name(Language language) { return language == Language::kChinese ? "chinese" : "english"; }
std::string language_name(std::string_view text) { return language_name(language_of(text)); }

/// The vector of a text; empty where the text has no word.
Result<Vector> embed(const Work& work, std::string_view text, EmbedUse use) {
  auto vector = work.embedder->embed(text, use, Deadline());
  if (!vector.ok() && vector.error().code == ErrorCode::kInvalidArgument) return Vector();
  return vector;
}

/// The same without the mean of its language.
Result<Vector> embed_centred(const Work& work, std::string_view text) {
  WEFT_TRY(const Vector vector, embed(work, text, EmbedUse::kPassage));
  return vector.empty() ? vector : work.similarity.centre(vector, language_of(text));
}

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// ---- wishes

// What the users say in one message or a conversation; nothing where the line is neither.
std::optional<std::vector<LabelledWish>> talk_of(const nlohmann::json& json) {
  const auto text_of = [](const nlohmann::json& one) -> std::optional<std::string> {
    for (const char* key : {"text", "content"})
      if (one.contains(key) && one[key].is_string()) return one[key].get<std::string>();
    return std::nullopt;
  };
  std::vector<LabelledWish> talk;
  const auto add = [&](const nlohmann::json& one) {
    if (!one.is_object() || one.value("role", nlohmann::json()) != "user") return;
    if (auto text = text_of(one)) talk.push_back({std::move(*text), false, true});
  };
  if (!json.is_object()) return std::nullopt;
  for (const char* list : {"turns", "messages"}) {
    if (!json.contains(list) || !json[list].is_array()) continue;
    for (const nlohmann::json& one : json[list]) add(one);
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
    WEFT_CHECK(each_json_line(path, [&](const nlohmann::json& json, std::size_t) -> Status {
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

namespace {

/// A curve that finds every sentence sure that `vector_of` gives 1 for, and none that it gives -1 for.
constexpr double kCertain = 1e6;

Status write_wish(const Work& work, const std::string& family, std::size_t number, const LabelledWish& one,
                  bool kept_out) {
  WishWeights certain;
  certain.vector = {static_cast<float>(kCertain)};
  const auto found_where = [&](std::string_view sure) {
    return tells_wish(one.text, certain,
                      [sure](std::string_view sentence) { return Vector{sentence == sure ? 1.0F : -1.0F}; });
  };
  const auto example = [&](std::string_view sentence, bool fits, bool tells) -> Status {
    WEFT_TRY(const Vector vector, embed_centred(work, sentence));
    if (vector.empty()) return {};
    const WishSigns signs = wish_signs(sentence);
    work.write({{"family", family},
                {"message", number},
                {"label", one.wish},
                {"fits", fits},
                {"tells", tells},
                {"features",
                 {{"clause", signs.clause ? 1 : 0}, {"general", signs.general ? 1 : 0}, {"vector", numbers(vector)}}}});
    return {};
  };
  work.write({{"family", family},
              {"message", number},
              {"wish", one.wish},
              {"found", found_where({})},
              {"kept_out", kept_out}});
  bool whole = one.talk;
  for (const std::string_view sentence : wish_sentences(one.text)) {
    WEFT_CHECK(example(sentence, !kept_out && (one.talk || sentence == one.text), found_where(sentence)));
    whole = whole || sentence == one.text;
  }
  // A labelled sentence is an example as a whole, also where its message would not be looked at.
  return whole || kept_out ? Status() : example(one.text, true, false);
}

Status write_wishes(const Work& work) {
  std::size_t number = 0;
  for (const bool kept_out : {false, true})
    for (const std::string& file : kept_out ? work.options.check : work.options.files) {
      WEFT_TRY(const auto data, read_wishes({file}));
      const std::string family = stem_of(file);
      for (const LabelledWish& one : data)
        WEFT_CHECK(write_wish(work, family, number++, one, kept_out || work.keeps_out(family)));
    }
  return {};
}

// ---- facts

Json facts_features(const FactSigns& signs, const Vector& vector) {
  Json list = Json::array();
  for (const double sign : signs) list.push_back(short_number(sign));
  return {{"signs", std::move(list)}, {"vector", numbers(vector)}};
}

/// A message of judged facts: what is read of it, for each of its sentences where that is likely and where it is not.
class JudgedMessage {
 public:
  JudgedMessage(const FactCase& judged, const SaidTurn& turn) : judged_(judged), turn_(turn) {
    certain_.vector = {static_cast<float>(kCertain)};
    for (const SaidFact& fact : facts_of_turn(turn, nullptr, {})) grammar_.insert(number_of(fact));
  }

  /// What changes where one part of a sentence is likely, and all others of that sentence are not: facts that go and
  /// facts that come. `part` has no text: where the sentence is unlikely.
  Json changes(std::string_view sentence, std::string_view part) {
    const auto within = [](std::string_view inner, std::string_view outer) {
      return inner.data() >= outer.data() && inner.data() + inner.size() <= outer.data() + outer.size();
    };
    std::set<std::size_t> read;
    const auto facts = facts_of_turn(turn_, &certain_, [&](std::string_view asked) {
      if (!within(asked, sentence)) return Vector();
      return Vector{asked.data() == part.data() && asked.size() == part.size() ? 1.0F : -1.0F};
    });
    for (const SaidFact& fact : facts) read.insert(number_of(fact));
    Json gone = Json::array(), come = Json::array();
    for (const std::size_t fact : grammar_)
      if (!read.contains(fact)) gone.push_back(fact);
    for (const std::size_t fact : read)
      if (!grammar_.contains(fact)) come.push_back(fact);
    return {{"gone", std::move(gone)}, {"come", std::move(come)}};
  }

  /// What is read, by number: which of the stated facts it is, and whether it is a light one.
  Json facts() const {
    Json list = Json::array();
    for (const SaidFact& fact : facts_) {
      Json right = Json::array();
      bool light = false;
      std::size_t wanted = 0;
      for (const StatedFact& stated : judged_.facts) {
        const bool fits = fits_stated(stated, fact, turn_);
        if (stated.grade == FactGrade::kLight) {
          light = light || fits;
          continue;
        }
        if (fits) right.push_back(wanted);
        ++wanted;
      }
      list.push_back({{"right", std::move(right)}, {"light", light}});
    }
    return list;
  }
  const std::set<std::size_t>& grammar() const { return grammar_; }

 private:
  std::size_t number_of(const SaidFact& fact) {
    const auto same = [&](const SaidFact& one) {
      return one.text == fact.text && one.quote == fact.quote && one.attribute == fact.attribute;
    };
    const auto at = std::find_if(facts_.begin(), facts_.end(), same);
    if (at != facts_.end()) return static_cast<std::size_t>(at - facts_.begin());
    facts_.push_back(fact);
    return facts_.size() - 1;
  }

  const FactCase& judged_;
  const SaidTurn& turn_;
  FactWeights certain_;
  std::vector<SaidFact> facts_;
  std::set<std::size_t> grammar_;
};

Status write_fact_message(const Work& work, const FactCase& judged, const SaidTurn& turn, std::size_t number,
                          Json line) {
  const std::string name = language_of(turn.text) == Language::kChinese ? "" : turn.name;
  const std::string family = line["family"];
  JudgedMessage message(judged, turn);
  Json sentences = Json::array();
  std::vector<Json> examples;
  for (const FactSentence& sentence : fact_sentences(turn.text)) {
    const Json unlikely = message.changes(sentence.text, {});
    Json likely = unlikely;
    for (const std::string_view part : judged_parts(sentence.text)) {
      WEFT_TRY(const Vector vector, embed_centred(work, part));
      if (vector.empty()) continue;
      Json changes = message.changes(sentence.text, part);
      const bool acts = changes != unlikely;
      if (acts) likely = std::move(changes);
      const FactSigns signs = fact_signs({part, sentence.heading, sentence.said_at_once}, name);
      bool fact = false, light = false;
      for (const StatedFact& stated : judged.facts)
        if (holds_value(part, stated)) (stated.grade == FactGrade::kLight ? light : fact) = true;
      examples.push_back({{"family", family},
                          {"message", number},
                          {"sentence", sentences.size()},
                          {"language", language_name(part)},
                          {"label", light && !fact ? Json(nullptr) : Json(fact)},
                          {"acts", acts},
                          {"features", facts_features(signs, vector)}});
    }
    sentences.push_back({{"likely", std::move(likely)}, {"unlikely", unlikely}});
  }
  line["grammar"] = message.grammar();
  line["facts"] = message.facts();
  line["sentences"] = std::move(sentences);
  work.write(line);
  for (const Json& example : examples) work.write(example);
  return {};
}

/// Sentences that were made up and labelled as such; false where the file is of judged messages.
Result<bool> write_made_facts(const Work& work, const std::string& file) {
  bool made = false;
  WEFT_CHECK(each_json_line(
      file,
      [&](const nlohmann::json& json, std::size_t) -> Status {
        if (!json.contains("text")) return {};
        made = true;
        const std::string text = json.at("text").get<std::string>();
        const bool fact = json.at("fact").get<bool>();
        WEFT_TRY(const Vector vector, embed_centred(work, text));
        if (vector.empty()) return {};
        work.write({{"family", "made"},
                    {"message", nullptr},
                    {"language", language_name(text)},
                    {"label", fact},
                    {"features", facts_features(fact_signs({.text = text}, {}), vector)}});
        return {};
      },
      R"(a labelled sentence needs "text" and "fact")"));
  return made;
}

Status write_facts(const Work& work) {
  SaidDialogues dialogues(work.options.data);
  std::size_t number = 0;
  for (const std::string& file : work.options.files) {
    WEFT_TRY(const bool made, write_made_facts(work, file));
    if (made) continue;
    WEFT_TRY(const auto cases, read_fact_cases(file));
    const bool graded = std::any_of(cases.begin(), cases.end(), [](const FactCase& one) {
      return std::any_of(one.facts.begin(), one.facts.end(),
                         [](const StatedFact& fact) { return fact.grade == FactGrade::kLight; });
    });
    for (const FactCase& one : cases) {
      WEFT_TRY(const SaidDialogue* dialogue, dialogues.find(one.source, one.dialogue, one.turn));
      const SaidTurn& turn = (*dialogue)[one.turn];
      const std::string set = set_of_source(one.source), family = set.substr(0, set.find('_'));
      const auto stated = std::count_if(one.facts.begin(), one.facts.end(),
                                        [](const StatedFact& fact) { return fact.grade == FactGrade::kWanted; });
      WEFT_CHECK(write_fact_message(work, one, turn, number,
                                    {{"family", family},
                                     {"message", number},
                                     {"file", stem_of(file)},
                                     {"group", one.source + "#" + one.dialogue},
                                     {"language", language_name(turn.text)},
                                     {"graded", graded},
                                     {"kept_out", work.keeps_out(family)},
                                     {"stated", stated}}));
      ++number;
    }
  }
  return number > 0 ? Status() : invalid_argument("features facts: there are no judged messages");
}

// ---- topics

Status write_topics(const Work& work) {
  SegmentFeatureOptions what;
  what.labelled = work.options.files;
  what.talks = work.options.talks;
  what.uncut = work.options.uncut;
  what.keep_out = work.options.keep_out;
  what.joins = work.options.joins;
  what.joined_talks = work.options.joined_talks;
  WEFT_TRY(const auto groups, gather_dialogues(what, *work.embedder, work.similarity));
  const auto names = shift_signal_names();
  std::size_t number = 0;
  for (const SeenGroup& group : groups)
    for (const SeenDialogue& dialogue : group.dialogues) {
      for (std::size_t turn = 1; turn < dialogue.signals.size(); ++turn) {
        Json features = Json::object();
        for (std::size_t i = 0; i < names.size(); ++i)
          if (const double value = dialogue.signals[turn][i]; value != 0)
            features[std::string(names[i])] = short_number(value);
        work.write({{"family", group.family},
                    {"kind", group.kind},
                    {"fits", group.fits},
                    {"dialogue", number},
                    {"turn", turn},
                    {"question", static_cast<bool>(dialogue.question[turn])},
                    {"label", std::binary_search(dialogue.starts.begin(), dialogue.starts.end(), turn)},
                    {"features", std::move(features)}});
      }
      ++number;
    }
  return {};
}

// ---- known

Status write_known(const Work& work) {
  for (const bool vectors : {false, true}) {
    if (vectors && work.embedder == nullptr) continue;
    WEFT_TRY(const auto cases, ask_known(work.config, work.options.files, work.options.questions,
                                         vectors ? work.embedder : nullptr, means_of(work.similarity)));
    for (const KnownCase& one : cases) {
      Json features = Json::object();
      for (const RelevanceWeight& weight : relevance_curves().weights) {
        Json values = Json::array();
        for (const RelevanceFeatures& hit : one.hits) values.push_back(short_number(hit.*weight.value));
        features[std::string(weight.name)] = std::move(values);
      }
      work.write({{"family", one.set},
                  {"by", vectors ? "vectors" : "words"},
                  {"vectors", one.vectors},
                  {"kept_out", work.keeps_out(one.set)},
                  {"label", one.own},
                  {"far", one.far},
                  {"features", std::move(features)}});
    }
  }
  return {};
}

Json known_header() {
  Json weights = Json::array();
  for (const RelevanceWeight& weight : relevance_curves().weights) {
    const bool chosen = weight.sign == RelevanceWeight::Sign::kChosen;
    const char* sign = chosen ? "chosen" : weight.sign == RelevanceWeight::Sign::kFor ? "for" : "any";
    Json one{{"name", weight.name}, {"sign", sign}};
    if (chosen) one.update({{"words", weight.words}, {"vectors", weight.vectors}});
    weights.push_back(std::move(one));
  }
  return weights;
}

// ---- recall

/// A weight of the recipe that is fitted, the signal that it weighs, and its value in the first ranking.
struct RecallWeight {
  const char* name;
  double Recipe::* weight;
  const char* signal;
  double first;
};

constexpr std::array<RecallWeight, 7> kRecallWeights{{{"words", &Recipe::words, "words", 0.35},
                                                      {"assistant", &Recipe::assistant, "assistant", 1},
                                                      {"question", &Recipe::question, "question", 1},
                                                      {"day", &Recipe::day, "days", 3},
                                                      {"relative_day", &Recipe::relative_day, "dates", 1},
                                                      {"other_speaker", &Recipe::other_speaker, "speaker", 1},
                                                      {"asked", &Recipe::asked, "asked", 0.1}}};

constexpr std::size_t kCandidates = 200;  // the best of a first ranking, which weights then order anew

/// Of a question's hits, the best first: which message each belongs to, which pieces of evidence that message is, what
/// no fitted weight changes of its score, and each signal at a weight of 1.
Json recall_example(const EvalMemory& memory, const LabelledQuestion& question, const std::vector<ScoredRow>& rows) {
  std::map<std::string, std::size_t> messages;
  Json of = Json::array(), answers = Json::array(), row_numbers = Json::array();
  std::map<std::string, std::vector<double>> values;
  for (std::size_t hit = 0; hit < rows.size(); ++hit) {
    const std::string& id = memory.ids.at(rows[hit].row);
    of.push_back(messages.try_emplace(id, messages.size()).first->second);
    row_numbers.push_back(rows[hit].row);
    for (std::size_t group = 0; group < question.groups.size(); ++group)
      if (const auto& ids = question.groups[group]; std::find(ids.begin(), ids.end(), id) != ids.end())
        answers.push_back({hit, group});
    for (const Signal& signal : rows[hit].signals) {
      const auto known = std::find_if(kRecallWeights.begin(), kRecallWeights.end(),
                                      [&](const RecallWeight& one) { return signal.name == one.signal; });
      const bool fitted = known != kRecallWeights.end();
      auto& list = values[fitted ? known->name : "fixed"];
      list.resize(rows.size());
      list[hit] += fitted ? signal.share / known->first : signal.share;
    }
  }
  Json features = Json::object();
  for (const auto& [name, list] : values) {
    Json shown = Json::array();
    for (const double value : list) shown.push_back(short_number(value));
    features[name] = std::move(shown);
  }
  return {{"label", std::move(answers)},
          {"pieces", question.groups.size()},
          {"message", std::move(of)},
          {"row", std::move(row_numbers)},
          {"features", std::move(features)}};
}

Status write_recall(const Work& work) {
  WEFT_TRY(Recipe first, find_recipe("balanced", work.config.recall));
  for (const RecallWeight& one : kRecallWeights) first.*one.weight = one.first;
  const LanguageMeans means = means_of(work.similarity);
  for (const std::string& set : work.options.files) {
    WEFT_TRY(const auto conversations, find_conversations(set, "features recall"));
    for (const Conversation& one : conversations) {
      EvalMemory memory(means);
      WEFT_TRY(memory.questions, read_questions(one));
      WEFT_TRY(const auto messages, read_messages(one));
      WEFT_CHECK(fill_memory(memory, work.config.limits, messages, work.embedder));
      for (const LabelledQuestion& question : memory.questions) {
        if (question.groups.empty()) continue;
        RecallQuery query = query_for(memory, question.query, work.embedder);
        query.top_k = kCandidates;
        query.now = question.asked;
        WEFT_TRY(const auto rows, recall(memory.index, query, first));
        Json line{{"family", one.set}, {"kept_out", work.keeps_out(one.set)}};
        line.update(recall_example(memory, question, rows));
        work.write(line);
      }
      log_info("eval.replayed", one.stem);
    }
  }
  return {};
}

// ---- similarity

constexpr std::size_t kTextsOfLanguage = 1500;  // that are embedded, spread over the dialogues

Status write_similarity(const Work& work) {
  std::array<std::vector<LabelledDialogue>, 2> by_language;
  for (const std::string& file : work.options.files) {
    WEFT_TRY(auto dialogues, read_labelled_dialogues(file));
    for (LabelledDialogue& dialogue : dialogues) {
      std::string all;
      for (const LabelledTurn& turn : dialogue.turns) all += turn.text + " ";
      by_language[static_cast<std::size_t>(language_of(all))].push_back(std::move(dialogue));
    }
  }
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    const auto& dialogues = by_language[static_cast<std::size_t>(language)];
    std::size_t turns = 0, texts = 0;
    for (const LabelledDialogue& dialogue : dialogues) turns += dialogue.turns.size();
    const std::size_t step = std::max<std::size_t>(1, turns / kTextsOfLanguage);
    for (std::size_t d = 0; d < dialogues.size() && texts < kTextsOfLanguage; d += step)
      for (std::size_t i = 0; i < dialogues[d].turns.size() && texts < kTextsOfLanguage; ++i) {
        WEFT_TRY(const Vector vector, embed(work, dialogues[d].turns[i].text, EmbedUse::kCompare));
        if (vector.empty()) continue;
        ++texts;
        const auto& starts = dialogues[d].starts;
        work.write({{"family", language_name(language)},
                    {"dialogue", d},
                    {"label", std::upper_bound(starts.begin(), starts.end(), i) - starts.begin()},
                    {"features", {{"vector", numbers(vector)}}}});
      }
  }
  return {};
}

// ---- skills

Status write_skills(const Work& work) {
  WEFT_TRY(const SkillSet set, read_skill_sets(work.options.files));
  std::vector<std::vector<std::string>> phrases;
  for (std::size_t s = 0; s < set.skills.size(); ++s) {
    phrases.push_back(skill_phrases(set.skills[s]));
    Json vectors = Json::array();
    for (const std::string& phrase : phrases.back()) {
      WEFT_TRY(const Vector vector, work.embedder->embed(phrase, EmbedUse::kCompare, Deadline()));
      vectors.push_back(numbers(vector));
    }
    work.write({{"family", stem_of(work.options.files[set.files[s]])},
                {"skill", s},
                {"language", language_name(phrases.back().back())},
                {"phrases", std::move(vectors)}});
  }
  for (const SkillTask& task : set.tasks) {
    if (task.held) continue;
    WEFT_TRY(const Vector vector, work.embedder->embed(task.text, EmbedUse::kCompare, Deadline()));
    Json words = Json::array();  // of each skill the most that one of its phrases shares
    for (const auto& of_skill : phrases) {
      const auto shared = WordLikeness().to_all(task.text, of_skill);
      words.push_back(short_number(*std::max_element(shared.begin(), shared.end())));
    }
    work.write({{"family", stem_of(work.options.files[task.file])},
                {"label", task.skill ? Json(*task.skill) : Json(nullptr)},
                {"language", language_name(task.text)},
                {"features", {{"words", std::move(words)}, {"vector", numbers(vector)}}}});
  }
  return {};
}

// ---- tools

/// Each distinct word of a text.
std::vector<Term> words_of_request(std::string_view text) {
  std::vector<Term> terms = index_terms(text);
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

/// The words of a request, or of one of the things that it asks for, and by how many deviations each tool is near.
Result<Json> tool_part(const Work& work, const ToolVectors* vectors, std::string_view text) {
  Json part{{"words", words_of_request(text)}};
  if (vectors == nullptr) return part;
  WEFT_TRY(const auto near, vectors->score(text, *work.embedder, work.similarity, Deadline()));
  Json list = Json::array();
  for (const float value : near) list.push_back(std::round(static_cast<double>(value) * 1e3) / 1e3);
  part["vector"] = std::move(list);
  return part;
}

Status write_tools(const Work& work) {
  constexpr std::array<const char*, kToolParts> kParts{"name", "description", "parameter_name", "parameter_description",
                                                       "value"};
  const ToolIndexOptions limits;
  for (const std::string& prefix : work.options.files) {
    WEFT_TRY(const ToolSet set, read_tool_set(prefix));
    ToolVectors vectors;
    if (work.embedder != nullptr) WEFT_CHECK(vectors.embed(set.tools, *work.embedder, work.similarity, Deadline()));
    for (const ToolInfo& tool : set.tools) {
      Json line{{"family", set.name}, {"tool", tool.name}};
      const ToolPartWords terms = tool_part_words(tool);
      for (std::size_t i = 0; i < kToolParts; ++i) line[kParts[i]] = terms[i];
      work.write(line);
    }
    for (const LabelledRequest& request : set.requests) {
      const auto clauses = request_clauses(request.query, limits.clauses);
      const ToolVectors* near = work.embedder != nullptr ? &vectors : nullptr;
      Json parts = Json::array();
      WEFT_TRY(Json whole, tool_part(work, near, request.query));
      parts.push_back(std::move(whole));
      for (const std::string_view clause : clauses) {
        WEFT_TRY(Json part, tool_part(work, clauses.size() > limits.clause_vectors ? nullptr : near, clause));
        parts.push_back(std::move(part));
      }
      work.write({{"family", set.name},
                  {"category", request.category},
                  {"kept_out", work.keeps_out(set.name)},
                  {"label", request.gold},
                  {"features", {{"parts", std::move(parts)}}}});
    }
    log_info("eval.asked", set.name);
  }
  return {};
}

struct Subject {
  const char* name;
  Status (*write)(const Work&);
  bool needs_embedder;
};

constexpr std::array<Subject, 8> kSubjects{{{"facts", write_facts, true},
                                            {"known", write_known, false},
                                            {"recall", write_recall, false},
                                            {"similarity", write_similarity, true},
                                            {"skills", write_skills, true},
                                            {"tools", write_tools, false},
                                            {"topics", write_topics, true},
                                            {"wishes", write_wishes, true}}};

}  // namespace

std::vector<std::string> feature_subjects() {
  std::vector<std::string> names;
  for (const Subject& one : kSubjects) names.emplace_back(one.name);
  return names;
}

Status write_features(std::string_view subject, const Config& config, const FeatureOptions& options, Embedder* embedder,
                      const Similarity& similarity, const std::string& path) {
  const auto known =
      std::find_if(kSubjects.begin(), kSubjects.end(), [&](const Subject& one) { return one.name == subject; });
  if (known == kSubjects.end())
    return invalid_argument("features: no subject is called \"" + std::string(subject) + "\"");
  if (known->needs_embedder && embedder == nullptr)
    return unavailable("features: no embedder", "`weft doctor` says why");
  std::ofstream out(path);
  if (!out) return permission("features: cannot write " + path);
  Json header{{"subject", subject}, {"embedder", embedder == nullptr ? std::string() : embedder->name()}};
  if (subject == "known") header["weights"] = known_header();
  if (subject == "topics")
    header["signals"] = std::vector<std::string>(shift_signal_names().begin(), shift_signal_names().end());
  const Work work{config, options, embedder, similarity, out};
  work.write(header);
  WEFT_CHECK(known->write(work));
  out.close();
  return out ? Status() : permission("features: cannot write " + path);
}

}  // namespace weft
