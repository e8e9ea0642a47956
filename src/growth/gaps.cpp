#include "growth/gaps.h"

#include <algorithm>
#include <set>

#include "base/prompts.h"
#include "base/strings.h"
#include "growth/gap_slots.h"
#include "growth/preference_signs.h"
#include "text/plain_words.h"
#include "text/sentences.h"
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

}  // namespace weft
