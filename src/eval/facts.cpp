#include "eval/facts.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/lowered.h"
#include "eval/said_dialogues.h"
#include "flow/memory/said_facts.h"
#include "text/json.h"
#include "text/words.h"

namespace weft {
namespace {

using Json = nlohmann::json;

struct Stated {
  std::string holder;
  std::vector<std::string> values;
  bool negated = false;
};

struct Case {
  std::string source, dialogue;
  std::size_t turn = 0;
  std::vector<Stated> facts;
};

Result<Case> read_case(const Json& json) {
  try {
    Case out{json.at("source").get<std::string>(),
             json.at("dialogue").get<std::string>(),
             json.at("turn").get<std::size_t>(),
             {}};
    for (const Json& one : json.at("facts"))
      out.facts.push_back({one.at("holder").get<std::string>(), one.at("value").get<std::vector<std::string>>(),
                           one.value("kind", "fact") == "negated"});
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

bool fits(const Stated& stated, const SaidFact& fact, const std::string& subject) {
  const bool own = stated.holder == "user";
  if (!holds(fact.text, own ? subject : stated.holder)) return false;
  if (stated.negated && !says_no(fact.text)) return false;
  return std::any_of(stated.values.begin(), stated.values.end(), [&](const std::string& value) {
    // "No longer than they are": what is said of the value itself has no "not" in it.
    if (!stated.negated && says_no(fact.text) && !says_no(" " + value + " ") && !says_no(fact.quote)) return false;
    return holds(fact.text, value);
  });
}

class Judge {
 public:
  explicit Judge(const FactOptions& options) : options_(options), dialogues_(options.data) {}

  Status add(const Case& one) {
    WEFT_TRY(const SaidDialogue* dialogue, dialogues_.find(one.source, one.dialogue, one.turn));
    const SaidTurn& turn = (*dialogue)[one.turn];
    const std::string& text = turn.text;
    const bool chinese = language_of(text) == Language::kChinese;
    const std::string subject = chinese ? "用户" : turn.name.empty() ? "The user" : turn.name;
    std::vector<SaidFact> read = read_said(text, chinese ? "" : turn.name).facts;
    std::erase_if(read, [](const SaidFact& fact) { return fact.attribute.starts_with("wish:"); });
    FactCounts& counts = report_.by_source[set_of_source(one.source)];
    ++counts.messages;
    counts.stated += static_cast<std::int64_t>(one.facts.size());
    counts.read += static_cast<std::int64_t>(read.size());
    for (const Stated& stated : one.facts) {
      const bool right =
          std::any_of(read.begin(), read.end(), [&](const SaidFact& fact) { return fits(stated, fact, subject); });
      counts.right += right ? 1 : 0;
      if (!right) tell(one, "missed " + stated.holder + ": " + stated.values.front(), text);
    }
    for (const SaidFact& fact : read) {
      const bool right = std::any_of(one.facts.begin(), one.facts.end(),
                                     [&](const Stated& stated) { return fits(stated, fact, subject); });
      counts.wrong += right ? 0 : 1;
      if (!right) tell(one, "wrong  " + fact.text + " (" + fact.attribute + ")", text);
    }
    return {};
  }

  FactReport take() { return std::move(report_); }

 private:
  void tell(const Case& one, std::string what, const std::string& text) {
    const auto& sets = options_.explain;
    if (std::find(sets.begin(), sets.end(), set_of_source(one.source)) == sets.end()) return;
    what += " | " + text;
    std::replace(what.begin(), what.end(), '\n', ' ');
    report_.misses.push_back(std::move(what));
  }

  const FactOptions& options_;
  SaidDialogues dialogues_;
  FactReport report_;
};

Json to_json(const FactCounts& counts) {
  return {{"messages", counts.messages},
          {"stated", counts.stated},
          {"right", counts.right},
          {"read", counts.read},
          {"wrong", counts.wrong}};
}

}  // namespace

Result<FactReport> eval_facts(const std::vector<std::string>& files, const FactOptions& options) {
  Judge judge(options);
  for (const std::string& path : files) {
    std::ifstream file(path);
    if (!file) return not_found("eval facts: cannot read " + path);
    std::string line;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
      if (line.empty()) continue;
      const std::string place = path + ":" + std::to_string(number);
      WEFT_TRY(const Json json, read_json(line, {.max_bytes = line.size()}, place));
      const auto one = read_case(json);
      if (!one.ok()) return invalid_argument(place + ": " + one.error().message, one.error().hint);
      WEFT_CHECK(judge.add(*one));
    }
  }
  return judge.take();
}

std::string to_json(const FactReport& report) {
  FactCounts all;
  Json sets = Json::object();
  for (const auto& [name, counts] : report.by_source) {
    sets[name] = to_json(counts);
    all.messages += counts.messages;
    all.stated += counts.stated;
    all.right += counts.right;
    all.read += counts.read;
    all.wrong += counts.wrong;
  }
  Json out = {{"by_set", sets}, {"all", to_json(all)}};
  if (!report.misses.empty()) out["misses"] = report.misses;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace weft
