#include "growth/gaps.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include "base/prompts.h"
#include "base/strings.h"
#include "growth/preference_signs.h"
#include "model/message_reader.h"
#include "text/json.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/time_expressions.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr double kHedged = 0.2;  // share of sentences from which hedging is more than politeness
constexpr std::size_t kLongestWhat = 200;

enum Sign { kLeftOpen = 1, kPhysicalAction, kRestrictedSystem, kTasteWord, kStrongHedge, kWeakHedge, kWavers };

PhraseTable table_of(std::initializer_list<std::pair<const char*, Sign>> lists) {
  PhraseTable table;
  for (const auto& [list, sign] : lists) table.add_list("curiosity", list, sign);
  return table;
}

struct PhraseHit {
  int sign = 0;
  std::string words;
};

std::vector<PhraseHit> hits_in(const PhraseTable& table, std::string_view sentence) {
  const auto words = plain_words(sentence);
  std::vector<PhraseHit> hits;
  for (std::size_t at = 0; at < words.size();) {
    const auto match = table.longest(words, at);
    if (match.words > 0) {
      PhraseHit hit{match.value, {}};
      for (std::size_t i = at; i < at + match.words; ++i)
        hit.words += (words[i].kind == WordKind::kHan || hit.words.empty() ? "" : " ") + words[i].text;
      hits.push_back(std::move(hit));
    }
    at += std::max<std::size_t>(1, match.words);
  }
  return hits;
}

bool tool_does(std::span<const ToolInfo> tools, const std::string& phrase) {
  const auto wanted = index_terms(phrase);
  return std::any_of(tools.begin(), tools.end(), [&](const ToolInfo& tool) {
    const auto offered = tool_terms(tool);
    const auto shared = std::count_if(wanted.begin(), wanted.end(), [&](Term term) { return offered.contains(term); });
    return shared > 0 && static_cast<std::size_t>(shared) * 2 >= wanted.size();
  });
}

Gap gap_of(int sign, std::string_view sentence) {
  Gap gap;
  gap.what = preview(sentence, kLongestWhat);
  if (sign == kPhysicalAction) gap.kind = GapKind::kPhysical, gap.question = QuestionKind::kAction;
  if (sign == kRestrictedSystem) gap.kind = GapKind::kRestricted, gap.question = QuestionKind::kAction;
  if (sign == kTasteWord) gap.kind = GapKind::kTaste, gap.question = QuestionKind::kJudgement;
  return gap;
}

void add_clashes(std::string_view output, std::span<const Belief> told, std::vector<Gap>& gaps) {
  const auto seen = visible_preferences(output);
  for (const Belief& belief : told) {
    const auto at = seen.find(belief.dimension);
    if (at == seen.end() || at->second == belief.value) continue;
    Gap gap;
    gap.kind = GapKind::kClash;
    gap.question = QuestionKind::kDecision;
    gap.what = belief.dimension + ": " + at->second;
    const Language language = language_of(output);
    gap.choices = {preference_text(belief.dimension, belief.value, language),
                   preference_text(belief.dimension, at->second, language)};
    gap.about = "belief:" + belief.dimension;
    gaps.push_back(std::move(gap));
  }
}

void fill(std::string& text, std::string_view name, std::string_view value) {
  if (const auto at = text.find(name); at != std::string::npos) text.replace(at, name.size(), value);
}

const char* template_of(QuestionKind kind) {
  switch (kind) {
    case QuestionKind::kAction: return "question_action";
    case QuestionKind::kJudgement: return "question_judgement";
    case QuestionKind::kDecision: return "question_decision";
    default: return "question_knowledge";
  }
}

}  // namespace

std::string_view to_string(GapKind kind) {
  switch (kind) {
    case GapKind::kMissing: return "missing";
    case GapKind::kUncertain: return "uncertain";
    case GapKind::kWavering: return "wavering";
    case GapKind::kClash: return "clash";
    case GapKind::kPhysical: return "physical";
    case GapKind::kRestricted: return "restricted";
    case GapKind::kTaste: return "taste";
  }
  return "missing";
}

std::vector<Gap> gaps_before(std::string_view task, std::span<const std::string> known,
                             std::span<const ToolInfo> tools) {
  static const PhraseTable table = table_of({{"left open", kLeftOpen},
                                             {"physical actions", kPhysicalAction},
                                             {"restricted systems", kRestrictedSystem},
                                             {"taste", kTasteWord}});
  std::vector<Gap> gaps = missing_arguments(task, known, tools);
  for (const std::string_view sentence : sentences(task)) {
    std::set<int> found;
    for (const PhraseHit& hit : hits_in(table, sentence)) {
      const bool boundary = hit.sign == kPhysicalAction || hit.sign == kRestrictedSystem;
      if (boundary && tool_does(tools, hit.words)) continue;
      if (found.insert(hit.sign).second) gaps.push_back(gap_of(hit.sign, sentence));
    }
  }
  return gaps;
}

std::vector<Gap> gaps_after(std::string_view output, std::span<const Belief> told) {
  static const PhraseTable table =
      table_of({{"strong hedges", kStrongHedge}, {"weak hedges", kWeakHedge}, {"wavers", kWavers}});
  std::vector<Gap> gaps;
  const auto all = sentences(output);
  std::size_t hedged = 0;
  std::string_view sure_not, first_hedged, wavering;
  for (const std::string_view sentence : all) {
    bool here = false;
    for (const PhraseHit& hit : hits_in(table, sentence)) {
      if (hit.sign == kWavers && wavering.empty()) wavering = sentence;
      if (hit.sign == kStrongHedge && sure_not.empty()) sure_not = sentence;
      if (hit.sign == kWeakHedge && first_hedged.empty()) first_hedged = sentence;
      here = here || hit.sign != kWavers;
    }
    hedged += here ? 1 : 0;
  }
  const bool often = hedged >= 2 && static_cast<double>(hedged) > kHedged * static_cast<double>(all.size());
  if (!sure_not.empty() || often) {
    Gap gap;
    gap.kind = GapKind::kUncertain;
    gap.ask = false;  // research may make it sure
    gap.what = preview(sure_not.empty() ? first_hedged : sure_not, kLongestWhat);
    gaps.push_back(std::move(gap));
  }
  const auto options = offered_options(output);
  if (!wavering.empty() || !options.empty()) {
    Gap gap;
    gap.kind = GapKind::kWavering;
    gap.question = QuestionKind::kDecision;
    gap.what = preview(wavering.empty() ? all.front() : wavering, kLongestWhat);
    gap.choices = options;
    gaps.push_back(std::move(gap));
  }
  add_clashes(output, told, gaps);
  return gaps;
}

Question question_of(const Gap& gap, std::string_view task, const std::string& fallback) {
  Question question;
  question.kind = gap.question;
  question.choices = gap.choices;
  question.fallback = fallback;
  question.why = preview(task, kLongestWhat);
  question.about = gap.about;
  const bool chinese = language_of(task.empty() ? std::string_view(gap.what) : task) == Language::kChinese;
  const char* language = chinese ? "zh" : "en";
  std::string text(trimmed(shipped_prompt(template_of(gap.question), language).text));
  std::string without;
  if (!fallback.empty()) {
    without = trimmed(shipped_prompt("question_fallback", language).text);
    fill(without, "{fallback}", fallback);
  }
  std::string options;
  for (std::size_t i = 0; i < gap.choices.size(); ++i)
    options += "\n" + std::string(1, static_cast<char>('A' + i)) + ". " + gap.choices[i];
  if (!options.empty()) options += "\n";
  // What is filled in last may hold anything, also braces.
  for (const auto& [name, value] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"{fallback}", without}, {"{question}", gap.text}, {"{options}", options}, {"{what}", gap.what}})
    fill(text, name, value);
  fill(text, "{task}", chinese ? "“" + question.why + "”" : "\"" + question.why + "\"");
  question.text = std::string(trimmed(text));
  return question;
}

namespace {

using Json = nlohmann::json;

/// What an argument takes, as far as its schema tells.
enum class Slot { kTime, kMail, kLink, kPath, kNumber, kMatter, kName };

std::set<Term> terms_of(std::string_view text) {
  const auto all = index_terms(text);
  return {all.begin(), all.end()};
}

std::string spaced(std::string name) {
  std::string out;
  for (const char c : name) {
    if (is_upper(c) && !out.empty()) out += ' ';
    out += c == '_' || c == '-' || c == '.' ? ' ' : to_lower(c);
  }
  return out;
}

std::string text_at(const Json& schema, const char* name) {
  const auto at = schema.find(name);
  return at != schema.end() && at->is_string() ? at->get<std::string>() : std::string();
}

bool names_one_of(const std::set<Term>& name, std::string_view words) {
  const auto wanted = terms_of(words);
  return std::any_of(name.begin(), name.end(), [&](Term term) { return wanted.contains(term); });
}

Slot slot_of(const std::string& name, const Json& schema) {
  const auto words = terms_of(spaced(name));
  const std::string format = text_at(schema, "format"), type = text_at(schema, "type");
  if (format.starts_with("date") || format == "time" ||
      names_one_of(words, "date time day when deadline start end begin until since 日期 时间"))
    return Slot::kTime;
  if (format == "email" || names_one_of(words, "email mail 邮箱")) return Slot::kMail;
  if (format == "uri" || format == "url" || names_one_of(words, "url link uri 网址")) return Slot::kLink;
  if (names_one_of(words, "path file filename folder directory 路径 文件")) return Slot::kPath;
  if (type == "number" || type == "integer") return Slot::kNumber;
  // What a call is about is what the task says as a whole.
  if (names_one_of(words,
                   "query text content message topic title body subject question prompt code command task input "
                   "description summary data keyword expression pattern 内容 主题 问题 标题"))
    return Slot::kMatter;
  return Slot::kName;
}

// A capital inside a sentence, something in quotes, or a word behind a Chinese preposition of place or person.
bool holds_a_name(std::string_view text) {
  for (const std::string_view quote : {"\"", "“", "「", "《", "‘"})
    if (text.find(quote) != std::string_view::npos) return true;
  for (std::size_t i = 2; i < text.size(); ++i)
    if (is_upper(text[i]) && text[i - 1] == ' ' && text[i - 2] != '.' && text[i - 2] != '!' && text[i - 2] != '?' &&
        i + 1 < text.size() && is_letter(text[i + 1]))
      return true;
  for (const std::string_view before : {"在", "到", "给", "向", "叫", "去", "从"}) {
    const auto at = text.find(before);
    if (at != std::string_view::npos && at + 3 * before.size() <= text.size()) return true;
  }
  return false;
}

bool is_said(const std::string& name, const Json& schema, const std::string& text, const std::set<Term>& said) {
  if (const auto choices = schema.find("enum"); choices != schema.end() && choices->is_array())
    return std::any_of(choices->begin(), choices->end(), [&](const Json& one) {
      return one.is_string() && names_one_of(said, spaced(one.get<std::string>()));
    });
  switch (slot_of(name, schema)) {
    case Slot::kTime: return !find_time_expressions(text, {}).empty();
    case Slot::kMail: return text.find('@') != std::string::npos;
    case Slot::kLink: return text.find("://") != std::string::npos || text.find("www.") != std::string::npos;
    case Slot::kPath: return text.find('/') != std::string::npos || text.find('.') + 1 < text.size();
    case Slot::kNumber: {
      const auto words = plain_words(text);
      return std::any_of(words.begin(), words.end(), [](const PlainWord& w) { return w.kind == WordKind::kNumber; });
    }
    case Slot::kMatter: return true;
    case Slot::kName: return holds_a_name(text) || names_one_of(said, spaced(name));
  }
  return true;
}

// A task speaks of a tool with two of its words, or with all of its name.
bool is_spoken_of(const ToolInfo& tool, const std::set<Term>& said) {
  const auto name = terms_of(spaced(tool.name));
  const auto all = tool_terms(tool);
  const auto has = [&](Term term) { return said.contains(term); };
  return (!name.empty() && std::all_of(name.begin(), name.end(), has)) ||
         std::count_if(all.begin(), all.end(), has) >= 2;
}

}  // namespace

std::set<Term> tool_terms(const ToolInfo& tool) { return terms_of(spaced(tool.name) + " " + tool.description); }

std::vector<Gap> missing_arguments(std::string_view task, std::span<const std::string> known,
                                   std::span<const ToolInfo> tools) {
  static const std::set<Term> researchable = [] {
    std::set<Term> terms;
    for (const std::string_view word : lexicon_both("curiosity", "researchable"))
      for (const Term term : index_terms(word)) terms.insert(term);
    return terms;
  }();
  std::vector<Gap> gaps;
  const std::set<Term> asked = terms_of(task);
  std::string text(task);
  for (const std::string& one : known) text += "\n" + one;
  const std::set<Term> said = terms_of(text);
  for (const ToolInfo& tool : tools) {
    if (tool.parameters.empty() || !is_spoken_of(tool, asked)) continue;
    const Json schema = lenient_json<Json>(tool.parameters);
    if (!schema.is_object() || !schema.contains("required") || !schema["required"].is_array()) continue;
    const Json properties = schema.value("properties", Json::object());
    for (const Json& required : schema["required"]) {
      if (!required.is_string() || !properties.is_object()) continue;
      const auto name = required.get<std::string>();
      const Json one = properties.value(name, Json::object());
      if (!one.is_object() || one.contains("default") || is_said(name, one, text, said)) continue;
      Gap gap;
      const std::string description = text_at(one, "description");
      gap.what = tool.name + ": " + (description.empty() ? spaced(name) : spaced(name) + " (" + description + ")");
      const auto words = terms_of(spaced(name));
      gap.ask = std::none_of(words.begin(), words.end(), [&](Term term) { return researchable.contains(term); });
      if (const auto choices = one.find("enum"); choices != one.end() && choices->is_array())
        for (const Json& choice : *choices)
          if (choice.is_string()) gap.choices.push_back(choice.get<std::string>());
      if (!gap.choices.empty()) gap.question = QuestionKind::kDecision;
      gaps.push_back(std::move(gap));
    }
  }
  return gaps;
}

// What is missing, as a model says it.

namespace {

constexpr const char* kSchema =
    R"({"type":"object","required":["gaps"],"properties":{"gaps":{"type":"array","maxItems":8,
"items":{"type":"object","required":["what","by","kind"],"properties":{"what":{"type":"string"},
"by":{"enum":["research","person"]},"kind":{"enum":["knowledge","decision","action","judgement"]},
"question":{"type":"string"},"choices":{"type":"array","maxItems":6,"items":{"type":"string"}}}}}}})";
constexpr std::size_t kMostGaps = 8, kMostTools = 60, kMostKnown = 40, kLongest = 400, kMostChoices = 6;

std::string string_of(const Json& one, const char* name) {
  const auto at = one.find(name);
  return at != one.end() && at->is_string() ? preview(at->get<std::string>(), kLongest) : std::string();
}

Gap read_gap(const Json& one) {
  Gap gap;
  gap.what = string_of(one, "what");
  gap.text = string_of(one, "question");
  gap.ask = string_of(one, "by") != "research";
  const std::string kind = string_of(one, "kind");
  if (kind == "decision") gap.question = QuestionKind::kDecision;
  if (kind == "action") gap.question = QuestionKind::kAction, gap.kind = GapKind::kPhysical;
  if (kind == "judgement") gap.question = QuestionKind::kJudgement, gap.kind = GapKind::kTaste;
  if (const auto choices = one.find("choices"); choices != one.end() && choices->is_array())
    for (const Json& choice : *choices)
      if (choice.is_string() && gap.choices.size() < kMostChoices)
        gap.choices.push_back(preview(choice.get<std::string>(), kLongest));
  return gap;
}

}  // namespace

ModelGaps model_gaps(ChatModel& model, std::string_view task, std::span<const std::string> known,
                     std::span<const ToolInfo> tools, const Deadline& deadline) {
  ModelGaps found;
  const Prompt prompt = shipped_prompt("gaps", language_of(task) == Language::kChinese ? "zh" : "en");
  found.prompt = prompt.id;
  Json data{{"task", task}, {"known", Json::array()}, {"tools", Json::array()}};
  for (const std::string& one : known.first(std::min(known.size(), kMostKnown)))
    data["known"].push_back(preview(one, kLongest));
  for (const ToolInfo& tool : tools.first(std::min(tools.size(), kMostTools)))
    data["tools"].push_back({{"name", tool.name}, {"description", preview(tool.description, kLongest)}});
  ChatRequest request;
  request.json_schema = kSchema;
  request.messages = {make_message(Role::kSystem, std::string(prompt.text)),
                      make_message(Role::kUser, data.dump(1, ' ', false, Json::error_handler_t::replace))};
  const auto reply = model.complete(request, deadline);
  if (!reply.ok()) {
    found.failed = reply.error().message;
    return found;
  }
  const Json answer = lenient_json<Json>(reply->message.content);
  if (!answer.is_object() || !answer.contains("gaps") || !answer["gaps"].is_array()) {
    found.failed = "the answer is no object with gaps";
    return found;
  }
  for (const Json& one : answer["gaps"]) {
    if (!one.is_object() || found.gaps.size() >= kMostGaps) continue;
    Gap gap = read_gap(one);
    if (!gap.what.empty()) found.gaps.push_back(std::move(gap));
  }
  return found;
}

}  // namespace weft
