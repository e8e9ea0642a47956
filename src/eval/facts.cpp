#include "eval/facts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/strings.h"
#include "eval/json_lines.h"
#include "text/json.h"
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

bool fits_stated(const StatedFact& stated, const SaidFact& fact, const SaidTurn& turn) {
  return fits(stated, fact, subject_of(turn));
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

}  // namespace weft
