#include "flow/compaction/material.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "flow/compaction/tool_output.h"
#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/small_talk.h"

namespace weft {
namespace {

// How much the form of a sentence says that it holds from now on, whatever words it is said in.
enum class RuleForm {
  kNone,      ///< a question, a report, something about the speaker
  kGeneric,   ///< tells how things are done in general: present tense, or an order without a scope
  kStanding,  ///< an order or a general statement that says for which cases it holds: every, whenever, before …, 凡是,
              ///< 一律
};

using Words = std::vector<PlainWord>;

bool is_word(const PlainWord& word) { return word.kind == WordKind::kWord; }

bool is_break(const PlainWord& word) { return word.kind == WordKind::kComma || word.kind == WordKind::kStop; }

// ---- English ----

// Bound the cases that a sentence holds for.
bool bounds_a_case(const std::string& word) {
  static const LexiconWords words = lexicon_words("en/modality", "cases");
  return words.contains(word);
}

bool is_connector(const std::string& word) {
  static const LexiconWords words = lexicon_words("en/modality", "connectors");
  return words.contains(word);
}

bool is_speaker(const std::string& word) { return word == "i" || word == "we" || word == "my" || word == "me"; }

bool is_determiner(const std::string& word) {
  static const LexiconWords words = lexicon_words("en/modality", "before nouns");
  return words.contains(word);
}

// "goes", "carries", "holds": the base of a third person, empty where there is none.
bool is_third_person(const std::string& word) {
  if (word == "is" || word == "has" || word == "does" || word == "are") return true;
  if (word.size() < 4 || !word.ends_with("s") || word.ends_with("ss")) return false;
  const std::string stem = word.substr(0, word.size() - 1);
  if (is_base_verb(stem)) return true;
  if (word.ends_with("ies")) return is_base_verb(word.substr(0, word.size() - 3) + "y");
  return word.ends_with("es") && is_base_verb(word.substr(0, word.size() - 2));
}

// Reads one English sentence from left to right.
class English {
 public:
  explicit English(const Words& words) : words_(words) {}

  RuleForm form() const {
    if (tells_what_was() || speaks_of_oneself()) return RuleForm::kNone;
    const bool bound = std::any_of(words_.begin(), words_.end(),
                                   [](const PlainWord& word) { return is_word(word) && bounds_a_case(word.text); });
    const bool order = gives_an_order();
    const bool present = order || tells_how_it_is();
    if (!present && !bound) return RuleForm::kNone;
    return bound || order ? RuleForm::kStanding : RuleForm::kGeneric;
  }

 private:
  // Past tense outside a passive ("are saved") and outside what stands before a noun ("the signed form").
  bool tells_what_was() const {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      const std::string& word = words_[at].text;
      if (word == "was" || word == "were" || word == "did" || word == "ago" || word == "yesterday") return true;
      if (at == 0 || !is_speaker(words_[at - 1].text)) continue;
      if (is_past_form(word) || word == "have" || word == "am") return true;
    }
    return false;
  }

  bool speaks_of_oneself() const {
    const std::size_t at = begin_of_clause(0);
    return at < words_.size() && (words_[at].text == "i" || words_[at].text == "it" || words_[at].text == "there");
  }

  std::size_t begin_of_clause(std::size_t at) const {
    while (at < words_.size() && (is_break(words_[at]) || is_connector(words_[at].text))) ++at;
    return at;
  }

  bool is_order_at(std::size_t at) const {
    if (at >= words_.size() || !is_word(words_[at]) || !is_base_verb(words_[at].text)) return false;
    if (at + 1 >= words_.size()) return false;
    // "Plan is", "Works best": a noun before its verb.
    const std::string& next = words_[at + 1].text;
    return !is_third_person(next) && !is_modal(next) && !is_auxiliary(next);
  }

  bool gives_an_order() const {
    if (is_order_at(begin_of_clause(0))) return true;
    for (std::size_t at = 0; at < words_.size(); ++at)
      if (is_break(words_[at]) && is_order_at(begin_of_clause(at + 1))) return true;
    return false;
  }

  bool tells_how_it_is() const {
    for (std::size_t at = 1; at < words_.size(); ++at) {
      const std::string& word = words_[at].text;
      const std::string& before = words_[at - 1].text;
      if (!is_word(words_[at]) || is_determiner(before) || is_break(words_[at - 1])) continue;
      if (is_third_person(word)) return true;
      const bool plural = before.size() > 3 && before.ends_with("s");
      if (plural && is_base_verb(word)) return true;
    }
    return false;
  }

  const Words& words_;
};

// ---- Chinese: a word a character ----

bool has_any(std::string_view text, std::string_view list) {
  const auto phrases = lexicon("zh/modality", list);
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return text.find(phrase) != std::string_view::npos; });
}

RuleForm chinese_form(std::string_view text) {
  // Aspect and adverbs of what has happened; 了 before 解, 除了 and 为了 is none.
  static constexpr std::string_view kNoAspect[] = {"了解", "除了", "为了", "了如", "明了"};
  std::size_t done = 0;
  for (std::size_t at = text.find("了"); at != std::string_view::npos; at = text.find("了", at + 1)) ++done;
  for (const std::string_view word : kNoAspect)
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
      if (done > 0) --done;
  const bool past = has_any(text, "past");
  const bool speaker = text.starts_with("我") || text.starts_with("咱");
  const bool bound = has_any(text, "cases");
  if (past || speaker || done > 0) return RuleForm::kNone;
  const bool pronoun =
      text.starts_with("他") || text.starts_with("她") || text.starts_with("它") || text.starts_with("这");
  if (bound) return RuleForm::kStanding;
  return pronoun ? RuleForm::kNone : RuleForm::kGeneric;
}

// Judges by grammar, English and Chinese: tense and aspect, person, the mood of the verb, and the closed classes of
// words that bound a case (quantifiers, conjunctions, prepositions). No list of what rules are about. Linear.
RuleForm rule_form(std::string_view sentence, const Words& words) {
  if (words.size() < 3 || sentence.ends_with("?") || sentence.ends_with("？")) return RuleForm::kNone;
  const auto han =
      std::count_if(words.begin(), words.end(), [](const PlainWord& word) { return word.kind == WordKind::kHan; });
  if (han * 2 >= static_cast<std::ptrdiff_t>(words.size())) return chinese_form(sentence);
  return English(words).form();
}

constexpr std::size_t kStatement = 280;  // bytes of a statement
constexpr std::size_t kRule = 480;  // of a constraint: the number at its end counts
constexpr std::size_t kAnalysed = 4096;  // of a sentence: longer ones are data
constexpr std::size_t kTalk = 120;  // bytes of a sentence that may be nothing but small talk
constexpr std::size_t kCodeArgument = 240;  // an argument longer than this is a file's content
constexpr std::size_t kLastSteps = 3;  // assistant messages at the end whose announcements are still open
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
constexpr double kRoutine = 0.4;  // share of its weight that is left to a statement said again
constexpr double kNews = 0.25;  // for a statement with a key fact
constexpr std::ptrdiff_t kIdDigits = 3;  // digits from which the name of a field is an id, not a numbered field

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
  std::deque<RankedFact> found_;  // addresses stay
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

namespace {

struct Meaning {
  Moods moods;
  std::uint32_t signs;
  bool negated = false;
};

constexpr Meaning kMeanings[] = {
    {Moods(Mood::kForbids), kSignMust, true},
    {Moods(Mood::kNotTo, Mood::kNotToDo), kSignShould, true},
    {Moods(Mood::kUnasked), kSignSafety, true},
    {Moods(Mood::kNegates), 0, true},
    {Moods(Mood::kMust), kSignMust},
    {Moods(Mood::kShould), kSignShould},
    {Moods(Mood::kAtMost, Mood::kAtLeast, Mood::kNotOver, Mood::kBelow, Mood::kAbove, Mood::kLimits), kSignLimit},
    {Moods(Mood::kDecision), kSignDecision},
    {Moods(Mood::kDone), kSignDone},
    {Moods(Mood::kOpen), kSignOpen},
    {Moods(Mood::kRisk), kSignRisk},
    {Moods(Mood::kPrefers), kSignPrefers},
    {Moods(Mood::kHabit), kSignPrefers | kSignMust},
    {Moods(Mood::kLongTerm), kSignLongTerm},
    {Moods(Mood::kSafety), kSignSafety},
    {Moods(Mood::kSensitive), kSignSensitive},
    {Moods(Mood::kRemember), kSignRemember},
    {Moods(Mood::kFromNowOn), kSignRemember | kSignShould},
    {Moods(Mood::kRequest), kSignRequest},
    // What only keeps shorter phrases inside it from being found.
    {Moods(Mood::kNoNegation, Mood::kNoRule), 0},
};

constexpr Moods all_moods() {
  Moods all;
  for (const Meaning& meaning : kMeanings) all = all | meaning.moods;
  return all;
}

// "一个", "两次": numbers that are written out count as numbers too.
bool is_number_word(const PlainWord& word) {
  static const LexiconWords words = lexicon_both_words("modality", "number words");
  return word.kind == WordKind::kNumber || words.contains(word.text);
}

}  // namespace

Signs find_signs(const std::vector<PlainWord>& words) {
  Signs signs;
  for (std::size_t at = 0; at < words.size();) {
    const Modal match = modal_at(words, at, all_moods());
    for (const Meaning& meaning : kMeanings) {
      if (!match.moods.any(meaning.moods)) continue;
      signs.bits |= meaning.signs;
      signs.negated |= meaning.negated;
    }
    const std::size_t next = at + std::max<std::size_t>(match.words, 1);
    for (; at < next; ++at) signs.number |= is_number_word(words[at]);
  }
  signs.question = !words.empty() && words.back().kind == WordKind::kQuestion;
  if (!signs.number) signs.bits &= ~static_cast<std::uint32_t>(kSignLimit);
  if (signs.any(kSignSensitive) && signs.negated && signs.any(kSignMust | kSignShould)) signs.bits |= kSignSafety;
  return signs;
}

}  // namespace weft
