#include "flow/compaction/material.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/ascii.h"
#include "flow/compaction/call_outcome.h"
#include "flow/compaction/rule_form.h"
#include "flow/compaction/step_findings.h"
#include "flow/compaction/summary_patterns.h"
#include "text/extract.h"
#include "text/sentences.h"
#include "text/small_talk.h"

namespace weft {
namespace {

using Words = std::vector<PlainWord>;

constexpr std::size_t kStatement = 280;   // bytes of a statement
constexpr std::size_t kRule = 480;        // of a constraint: the number at its end counts
constexpr std::size_t kAnalysed = 4096;   // of a sentence: longer ones are data
constexpr std::size_t kTalk = 120;        // bytes of a sentence that may be nothing but small talk
constexpr std::size_t kCodeArgument = 240;  // an argument longer than this is a file's content
constexpr std::size_t kLastSteps = 3;     // assistant messages at the end whose announcements are still open
constexpr double kFocusBonus = 1.0;

// How much a statement weighs before its circumstances are looked at.
struct Weights {
  double constraint = 2.4, preference = 1.9, goal = 1.6, decision = 1.5, open = 2.0, risk = 1.2, done = 0.8, fact = 1.3,
         rest = 0.25;
};
constexpr Weights kUser = {};
constexpr Weights kAssistant = {0.9, 0.3, 0.4, 1.2, 1.1, 0.6, 0.9, 0.55, 0.12};
constexpr double kStandingRule = 1.9, kGeneralRule = 1.1;  // of a user's statements, told by their form
constexpr double kActs = 0.85, kReads = 0.35, kFailed = 1.1;  // calls of tools
constexpr double kFromUser = 4, kFromAssistant = 3, kFromArguments = 2.5, kFromOutput = 1;  // key facts
constexpr double kRoutine = 0.4;          // share of its weight that is left to a statement said again
constexpr double kNews = 0.25;            // for a statement with a key fact
constexpr std::ptrdiff_t kIdDigits = 3;   // digits from which the name of a field is an id, not a numbered field

constexpr std::array<std::vector<std::string> Summary::*, kSummaryLists> kLists = {
    &Summary::goals,       &Summary::decisions, &Summary::done, &Summary::open_items,
    &Summary::constraints, &Summary::facts,     &Summary::risks};

std::string fingerprint(const std::vector<PlainWord>& words) {
  std::string text;
  for (const PlainWord& word : words) {
    if (word.kind != WordKind::kComma && word.kind != WordKind::kStop) text += word.text + ' ';
  }
  return text;
}

class Gatherer {
 public:
  explicit Gatherer(const MaterialSource& source) : source_(source) {
    for (const Term term : index_terms(source.focus)) focus_.insert(term);
  }

  Material run() {
    find_language();
    if (source_.earlier != nullptr) take_earlier(*source_.earlier);
    take_task();
    find_last_steps();
    for (index_ = 0; index_ < source_.messages.size(); ++index_) {
      ++order_;
      take_message(*source_.messages[index_]);
    }
    fade_routine();
    rank_facts();
    return std::move(material_);
  }

 private:
  void find_language() {
    std::string sample;
    for (const Message* message : source_.messages) {
      if (message->role == Role::kUser) sample.append(message->content, 0, 2000).push_back('\n');
      if (sample.size() > 8000) break;
    }
    material_.language = language_of(sample);
  }

  void find_last_steps() {
    std::size_t seen = 0;
    last_steps_ = source_.messages.size();
    for (std::size_t i = source_.messages.size(); i-- > 0 && seen < kLastSteps;) {
      if (source_.messages[i]->role != Role::kAssistant) continue;
      last_steps_ = i;
      ++seen;
    }
  }

  void take_earlier(const Summary& earlier) {
    constexpr std::array<double, kSummaryLists> kKept = {1.3, 1.6, 0.7, 2.2, 2.6, 0.9, 1.1};
    for (std::size_t i = 0; i < kSummaryLists; ++i) {
      const auto list = static_cast<SummaryList>(i);
      const bool must = list == SummaryList::kOpen || list == SummaryList::kConstraints;
      for (const std::string& statement : list_of(earlier, list)) {
        add(list, statement, kKept[i], must);
        take_facts(statement, {}, kFromAssistant, true);
      }
    }
  }

  void take_task() {
    for (const std::string& rule : source_.constraints) add(SummaryList::kConstraints, rule, 3, true);
    for (const std::string& rule : source_.task.constraints) add(SummaryList::kConstraints, rule, 3, true);
    add(SummaryList::kGoals, source_.task.description, 3, true);
    for (const std::string& step : source_.task.done) add(SummaryList::kDone, step, 1, false);
    add(SummaryList::kOpen, source_.task.current, 2.5, true);
    for (const std::string& step : source_.task.remaining) add(SummaryList::kOpen, step, 2.4, true);
    for (const std::string& warning : source_.task.warnings) add(SummaryList::kRisks, warning, 2, false);
  }

  void take_message(const Message& message) {
    const std::size_t before = material_.pieces.size();
    switch (message.role) {
      case Role::kUser:
      case Role::kSystem: take_user(message); break;
      case Role::kAssistant: take_assistant(message); break;
      case Role::kTool: take_output(message); break;
    }
    const bool said_nothing =
        message.role != Role::kTool && message.tool_calls.empty() && !news_ && material_.pieces.size() == before;
    material_.low_signal.push_back(said_nothing);
    if (said_nothing) ++material_.cut;
  }

  // "Flights:" announces what stands in the next lines and says nothing without them.
  static bool is_label(std::string_view text) {
    const auto end = text.find_last_not_of(" *");
    return end != std::string_view::npos && (text[end] == ':' || text.substr(0, end + 1).ends_with("："));
  }

  void take_user(const Message& message) {
    const bool answered = index_ + 1 >= source_.messages.size() || source_.messages[index_ + 1]->role != Role::kUser;
    // What the session was begun for; what opens a later message is a request too, unless it was asked for.
    const bool begins = message.role == Role::kUser && !begun_ && source_.earlier == nullptr;
    begun_ = begun_ || message.role == Role::kUser;
    bool first = true;
    each_sentence(message.content, kFromUser, [&](std::string_view text, const Words& words, bool facts) {
      const Signs signs = find_signs(words);
      const bool rule = signs.constraint() ||
                        (!signs.question && ((signs.negated && signs.any(kSignShould)) || signs.any(kSignRemember)));
      if (rule) return add(SummaryList::kConstraints, text, kUser.constraint, true);
      if (signs.any(kSignPrefers) && !signs.question)
        return add(SummaryList::kConstraints, text, kUser.preference, true);
      if (signs.any(kSignDecision) && !signs.question) return add(SummaryList::kDecisions, text, kUser.decision, false);
      if (signs.any(kSignOpen)) return add(SummaryList::kOpen, text, kUser.open, true);
      const bool opens = std::exchange(first, false);
      if (begins && opens) return add(SummaryList::kGoals, text, kUser.goal + 1, true);
      const bool request = signs.any(kSignRequest);
      if (request || signs.question || (opens && !asked_)) {
        const double weight = (request || !answered ? kUser.goal : kUser.goal / 2) + (opens ? 0.3 : 0) +
                              (facts || signs.number ? kNews : 0);
        return add(answered ? SummaryList::kGoals : SummaryList::kOpen, text, weight, !answered);
      }
      if (signs.any(kSignShould)) return add(SummaryList::kConstraints, text, kUser.preference - 0.5, false);
      if (signs.any(kSignRisk)) return add(SummaryList::kRisks, text, kUser.risk, false);
      // What no table knows may still be a rule by its form.
      const RuleForm form = rule_form(text, words);
      if (form == RuleForm::kStanding) return add(SummaryList::kConstraints, text, kStandingRule, false);
      const double general = form == RuleForm::kGeneric ? kGeneralRule : 0;
      const double fact = facts || signs.number ? kUser.fact : opens ? kUser.fact / 2 : kUser.rest;
      add(SummaryList::kFacts, text, std::max(general, fact), false);
    });
    asked_ = false;
  }

  void take_assistant(const Message& message) {
    each_sentence(message.content, kFromAssistant, [&](std::string_view text, const Words& words, bool facts) {
      const Signs signs = find_signs(words);
      asked_ = signs.question;
      if (is_label(text)) return;
      // What came of it stands in the outcome of the call, unless nothing has yet.
      if (!message.tool_calls.empty() && index_ < last_steps_ && is_announcement(text)) return;
      const double news = facts ? kNews : 0;
      // The user's next words mostly answer it.
      if (signs.question) return add(SummaryList::kOpen, text, index_ >= last_steps_ ? 0.5 : 0.2, false);
      if (signs.any(kSignDecision)) return add(SummaryList::kDecisions, text, kAssistant.decision + news, false);
      if (text.starts_with("[ ]") || text.starts_with("TODO")) return add(SummaryList::kOpen, text, kUser.open, true);
      if (signs.any(kSignOpen)) {
        // What an agent announces it mostly does in its next step; only the last announcements are still open.
        const bool open = index_ >= last_steps_;
        return add(open ? SummaryList::kOpen : SummaryList::kFacts, text,
                   open ? kAssistant.open : kAssistant.rest + news, open);
      }
      if (signs.any(kSignDone)) return add(SummaryList::kDone, text, kAssistant.done + news, false);
      if (signs.any(kSignMust | kSignLimit | kSignSafety))
        return add(SummaryList::kConstraints, text, kAssistant.constraint + news, false);
      if (signs.any(kSignRisk)) return add(SummaryList::kRisks, text, kAssistant.risk + news, false);
      add(SummaryList::kFacts, text, facts || signs.number ? kAssistant.fact : kAssistant.rest, false);
    });
    for (const ToolCall& call : message.tool_calls) take_call(call);
  }

  void take_call(const ToolCall& call) {
    const Message* output = nullptr;
    for (std::size_t i = index_ + 1; i < source_.messages.size() && source_.messages[i]->role == Role::kTool; ++i) {
      if (source_.messages[i]->tool_call_id == call.id) output = source_.messages[i];
      if (output != nullptr) break;
    }
    const CallOutcome outcome = outcome_of(call, output, material_.language);
    if (outcome.failed)
      add(SummaryList::kRisks, outcome.text, kFailed, false);
    else
      add(SummaryList::kDone, outcome.text, outcome.reads ? kReads : kActs, false);
    const auto arguments = json_scalars(call.arguments);
    if (arguments.empty()) take_facts(call.arguments, {}, kFromArguments, true);
    for (const NamedValue& argument : arguments) {
      const bool file = argument.value.size() > kCodeArgument;
      take_facts(argument.value, argument.name, file ? kFromOutput : kFromArguments, !file);
    }
  }

  void take_output(const Message& message) {
    const auto scalars = json_scalars(message.content);
    if (scalars.empty()) take_facts(message.content, {}, kFromOutput, false);
    for (const NamedValue& scalar : scalars) {
      take_facts(scalar.value, scalar.name, kFromOutput, false);
      if (std::count_if(scalar.name.begin(), scalar.name.end(), is_digit<char>) >= kIdDigits)
        take_facts(scalar.name, {}, kFromOutput, false);
    }
  }

  // Takes the key facts of what somebody said, then each sentence that is no small talk and was not read before.
  template <class Take>
  void each_sentence(const std::string& content, double weight, Take take) {
    const auto facts = key_facts(content);
    news_ = take_facts(facts, content.size(), {}, weight, true);
    const bool code = content.find("```") != std::string::npos || content.find("~~~") != std::string::npos;
    const std::string prose = code ? without_code(content) : std::string();
    auto fact = facts.begin();
    for (const std::string_view sentence : sentences(code ? prose : content)) {
      const std::string_view part = sentence.substr(0, kAnalysed);
      while (!code && fact != facts.end() && fact->text.data() < part.data()) ++fact;
      const auto words = plain_words(part);
      if (words.size() < 2 && part.size() < 4) continue;
      if (part.size() < kTalk && is_empty_talk(words, 0, words.size(), capital_words(part))) continue;
      if (!seen_.insert(fingerprint(words)).second) continue;
      const bool holds_fact =
          code ? !key_facts(part).empty() : fact != facts.end() && fact->text.data() < part.data() + part.size();
      take(part, words, holds_fact);
    }
  }

  void add(SummaryList list, std::string_view text, double weight, bool must) {
    std::string line = one_line(text, list == SummaryList::kConstraints || must ? kRule : kStatement);
    if (line.empty() || !taken_.insert(line).second) return;
    if (!focus_.empty() && touches_focus(line)) weight += kFocusBonus;
    material_.pieces.push_back({list, std::move(line), weight, order_, must});
  }

  bool touches_focus(std::string_view text) const {
    const auto terms = index_terms(text);
    return std::any_of(terms.begin(), terms.end(), [this](Term term) { return focus_.contains(term); });
  }

  // Whether the text holds a fact that was not there before.
  bool take_facts(std::string_view text, const std::string& name, double weight, bool said) {
    return take_facts(key_facts(text), text.size(), name, weight, said);
  }

  bool take_facts(const std::vector<KeyFact>& facts, std::size_t size, const std::string& name, double weight,
                  bool said) {
    bool news = false;
    for (const KeyFact& fact : facts) {
      auto at = places_.find(fact.text);
      if (at == places_.end()) {
        news = true;
        RankedFact& made = found_.emplace_back();
        made.text = fact.text;
        made.kind = fact.kind;
        at = places_.emplace(made.text, Count{&made, 0, index_ + 1}).first;
        at->second.last = index_ + 2;  // so that the first message counts
      }
      Count& count = at->second;
      RankedFact& entry = *count.fact;
      if (entry.name.empty() && !name.empty() && name.size() <= 40 && fact.text.size() == size) entry.name = name;
      entry.order = order_;
      entry.said = entry.said || said;
      entry.weight = std::max(entry.weight, weight);
      if (count.last == index_) continue;
      count.last = index_;
      ++count.messages;
    }
    return news;
  }

  // What is said again with other numbers is routine: the last time stands for it.
  void fade_routine() {
    std::unordered_set<std::string> shapes;
    for (auto piece = material_.pieces.rbegin(); piece != material_.pieces.rend(); ++piece) {
      std::string shape = piece->text;
      std::erase_if(shape, is_digit<char>);
      if (!shapes.insert(std::move(shape)).second && !piece->must) piece->weight *= kRoutine;
    }
  }

  // What is named often and late is needed again.
  void rank_facts() {
    const double end = static_cast<double>(order_ + 1);
    for (auto& [text, count] : places_) {
      RankedFact& fact = *count.fact;
      const bool name = fact.kind == FactKind::kName;
      if (name && !fact.said && count.messages < 2)
        fact.weight = 0;
      else
        fact.weight += std::log2(1.0 + static_cast<double>(count.messages)) * 0.6 + (name ? 0 : 1) +
                       0.8 * static_cast<double>(fact.order) / end;
    }
    for (RankedFact& fact : found_) {
      if (fact.weight > 0) material_.facts.push_back(std::move(fact));
    }
    std::stable_sort(material_.facts.begin(), material_.facts.end(),
                     [](const RankedFact& a, const RankedFact& b) { return a.weight > b.weight; });
  }

  struct Count {
    RankedFact* fact;
    std::size_t messages, last;
  };

  const MaterialSource& source_;
  Material material_;
  std::unordered_set<Term> focus_;
  std::unordered_set<std::string> seen_, taken_;  // sentences read, statements taken
  std::deque<RankedFact> found_;                  // addresses stay
  std::unordered_map<std::string_view, Count> places_;
  std::size_t index_ = 0, order_ = 0, last_steps_ = 0;
  bool news_ = false;
  bool begun_ = false;  // a user has spoken
  bool asked_ = false;  // the assistant's last sentence was a question
};

}  // namespace

std::vector<std::string>& list_of(Summary& summary, SummaryList list) {
  return summary.*kLists[static_cast<std::size_t>(list)];
}

const std::vector<std::string>& list_of(const Summary& summary, SummaryList list) {
  return summary.*kLists[static_cast<std::size_t>(list)];
}

Material gather_material(const MaterialSource& source) { return Gatherer(source).run(); }

}  // namespace weft
