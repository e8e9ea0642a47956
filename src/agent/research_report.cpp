// What was found, as a report.
#include <algorithm>
#include <map>
#include <set>

#include "agent/research.h"
#include "agent/research_sources.h"
#include "base/strings.h"
#include "growth/rule_words.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostMethods = 3, kLongestLine = 400;

/// The fixed words of a report.
struct Words {
  const char *summary, *disputes, *gaps, *methods, *sources, *notes, *by, *limit, *none, *copy, *line, *against;
};

const Words& words_of(bool chinese) {
  static const Words english{"Summary",
                             "Disputed",
                             "Not found",
                             "Ways of working",
                             "Sources",
                             "Notes",
                             "Made by",
                             "Limit reached: it ends with what there is",
                             "Nothing was found.",
                             "same witness as",
                             "line",
                             "against"};
  static const Words han{"摘要",
                         "有争议",
                         "没有找到",
                         "方法",
                         "来源",
                         "说明",
                         "生成方式",
                         "已达到上限，以现有结果结束",
                         "没有找到相关内容。",
                         "与此为同一来源",
                         "行",
                         "与之相对"};
  return chinese ? han : english;
}

std::string state_told(const ResearchClaim& claim, bool chinese) {
  const std::string count = std::to_string(claim.independent);
  switch (claim.state) {
    case ClaimState::kConfirmed:
      return chinese ? "已证实，" + count + " 个独立来源" : "confirmed by " + count + " independent sources";
    case ClaimState::kDisputed: return chinese ? "有争议" : "disputed";
    case ClaimState::kSingle: break;
  }
  if (claim.independent == 0) return chinese ? "没有独立来源" : "no independent source";
  return chinese ? "仅一个来源" : "one source";
}

std::string marks_of(const ResearchClaim& claim) {
  std::string marks;
  for (const ResearchCitation& one : claim.citations) marks += "[" + std::to_string(one.source) + "]";
  return marks;
}

// Only what is cited stands in the list, in the order in which it is cited first.
void renumber(ResearchReport& report, const SourceBook& book) {
  std::vector<FoundSource> cited;
  std::map<std::int64_t, std::int64_t> numbers;
  for (ResearchClaim& claim : report.claims)
    for (ResearchCitation& one : claim.citations) {
      auto [at, fresh] = numbers.try_emplace(one.source, static_cast<std::int64_t>(cited.size()) + 1);
      if (fresh) cited.push_back(*book.find(one.source));
      one.source = at->second;
    }
  report.sources.clear();
  for (const FoundSource& one : cited)
    report.sources.push_back({static_cast<std::int64_t>(report.sources.size()) + 1, one.origin, one.title, one.date,
                              one.kind, one.provenance, one.tool, 0});
  mark_copies(cited, report.sources);
}

// What several researchers found alike stands once.
void merge_repeated(std::vector<ResearchClaim>& claims, std::vector<ResearchDispute>& disputes) {
  std::vector<ResearchClaim> kept;
  std::vector<std::int64_t> places{0};
  std::map<std::string, std::size_t> known;
  for (ResearchClaim& claim : claims) {
    const auto [at, fresh] = known.try_emplace(normalize(claim.text), kept.size());
    places.push_back(static_cast<std::int64_t>(at->second) + 1);
    if (fresh) {
      kept.push_back(std::move(claim));
      continue;
    }
    auto& citations = kept[at->second].citations;
    for (ResearchCitation& one : claim.citations) {
      const bool there = std::any_of(citations.begin(), citations.end(),
                                     [&](const ResearchCitation& other) { return other.source == one.source; });
      if (!there) citations.push_back(std::move(one));
    }
  }
  claims = std::move(kept);
  for (ResearchDispute& dispute : disputes)
    for (std::int64_t& claim : dispute.claims) claim = places[static_cast<std::size_t>(claim)];
}

void add_model_disputes(ResearchReport& report, const std::vector<ResearchDispute>& disputes) {
  for (const ResearchDispute& one : disputes) {
    const bool known = std::any_of(report.disputes.begin(), report.disputes.end(),
                                   [&](const ResearchDispute& other) { return other.claims == one.claims; });
    if (known || one.claims.size() < 2 || one.claims[0] == one.claims[1]) continue;
    for (const std::int64_t claim : one.claims)
      report.claims[static_cast<std::size_t>(claim) - 1].state = ClaimState::kDisputed;
    report.disputes.push_back(one);
  }
}

// What sources recommend, where nothing speaks against it.
void find_methods(ResearchReport& report) {
  static const PhraseTable cues = phrase_table("sources", "recommends");
  for (const ResearchClaim& claim : report.claims)
    if (report.methods.size() < kMostMethods && claim.state != ClaimState::kDisputed &&
        cues.any_in(plain_words(claim.text)) && !loosens_safety(claim.text))
      add_once(report.methods, claim.text);
}

std::string source_line(const ResearchSource& source, const Words& words) {
  std::string line = std::to_string(source.number) + ". " + preview(source.title, kLongestLine);
  if (!source.title.empty()) line += " — ";
  line += source.origin + " (" + std::string(to_string(source.kind));
  if (!source.date.empty()) line += ", " + source.date;
  if (source.copy_of != 0 && source.copy_of != source.number)
    line += ", " + std::string(words.copy) + " [" + std::to_string(source.copy_of) + "]";
  return line + ")";
}

// "path:12" or "path:12-14", as editors and terminals open it.
std::string place_of(const ResearchReport& report, const ResearchCitation& one) {
  std::string place = report.sources[static_cast<std::size_t>(one.source) - 1].origin;
  if (one.first_line > 0) place += ":" + std::to_string(one.first_line);
  if (one.last_line > one.first_line) place += "-" + std::to_string(one.last_line);
  return place;
}

std::string claim_block(const ResearchReport& report, const ResearchClaim& claim, bool chinese) {
  std::string text = "- " + claim.text + " " + marks_of(claim) + " *(" + state_told(claim, chinese) + ")*\n";
  for (const ResearchCitation& one : claim.citations)
    text += "  - [" + std::to_string(one.source) + "] `" + place_of(report, one) + "` “" +
            preview(one.quote, kLongestLine) + "”\n";
  return text;
}

void add_list(std::string& text, const char* heading, const std::vector<std::string>& entries) {
  if (entries.empty()) return;
  text += "\n## " + std::string(heading) + "\n\n";
  for (const std::string& one : entries) text += "- " + one + "\n";
}

std::string claims_told(const ResearchReport& report, bool chinese) {
  std::string text;
  std::set<std::size_t> told;
  std::vector<std::string> aspects = report.outline;
  for (const ResearchClaim& claim : report.claims) add_once(aspects, claim.aspect);
  for (const std::string& aspect : aspects) {
    std::string block;
    for (const ResearchClaim& claim : report.claims)
      if (claim.aspect == aspect) block += claim_block(report, claim, chinese);
    if (!block.empty()) text += "\n## " + aspect + "\n\n" + block;
  }
  return text;
}

}  // namespace

void fill_report(ResearchReport& report, Findings found, const Likeness& likeness) {
  report.outline = std::move(found.outline);
  merge_repeated(found.claims, found.disputes);
  report.claims = std::move(found.claims);
  renumber(report, found.sources);
  report.disputes = judge_claims(report.claims, report.sources, likeness);
  add_model_disputes(report, found.disputes);
  report.by = found.by_model ? MadeBy::kModel : MadeBy::kFloor;
  report.gaps = std::move(found.gaps);
  report.methods = std::move(found.methods);
  if (report.methods.empty() && !found.by_model) find_methods(report);
  report.notes = std::move(found.notes);
  report.limit = std::move(found.limit);
  report.tool_calls = found.tool_calls;
  report.summary = floor_summary(report);
}

std::string floor_summary(const ResearchReport& report, std::size_t most) {
  const bool chinese = language_of(report.question) == Language::kChinese;
  if (report.claims.empty()) return words_of(chinese).none;
  std::string text;
  for (const ClaimState state : {ClaimState::kConfirmed, ClaimState::kDisputed, ClaimState::kSingle})
    for (const ResearchClaim& claim : report.claims) {
      if (claim.state != state) continue;
      std::string date;
      for (const ResearchCitation& one : claim.citations)
        if (const auto& source = report.sources[static_cast<std::size_t>(one.source) - 1]; date.empty())
          date = source.date;
      const std::string line = "- " + preview(claim.text, kLongestLine) + " " + marks_of(claim) + " (" +
                               state_told(claim, chinese) + (date.empty() ? "" : ", " + date) + ")\n";
      if (text.size() + line.size() > most && !text.empty()) return text;
      text += line;
    }
  return text;
}

std::string report_markdown(const ResearchReport& report) {
  const bool chinese = language_of(report.question) == Language::kChinese;
  const Words& words = words_of(chinese);
  std::string text = "# " + report.question + "\n\n## " + words.summary + "\n\n" + report.summary;
  if (!text.ends_with('\n')) text += '\n';
  text += claims_told(report, chinese);
  if (!report.disputes.empty()) {
    text += "\n## " + std::string(words.disputes) + "\n\n";
    for (const ResearchDispute& one : report.disputes) {
      std::string line;
      for (const std::int64_t place : one.claims) {
        const ResearchClaim& claim = report.claims[static_cast<std::size_t>(place) - 1];
        line += (line.empty() ? "" : " — " + std::string(words.against) + ": ") + claim.text + " " + marks_of(claim);
      }
      text += "- " + line + " (" + std::string(to_string(one.what)) + (one.why.empty() ? "" : ": " + one.why) + ")\n";
    }
  }
  add_list(text, words.gaps, report.gaps);
  add_list(text, words.methods, report.methods);
  std::vector<std::string> notes = report.notes;
  if (!report.limit.empty()) notes.insert(notes.begin(), std::string(words.limit) + " (" + report.limit + ")");
  add_list(text, words.notes, notes);
  if (!report.sources.empty()) text += "\n## " + std::string(words.sources) + "\n\n";
  for (const ResearchSource& one : report.sources) text += source_line(one, words) + "\n";
  text += "\n---\n" + std::string(words.by) + ": " + std::string(to_string(report.by)) +
          (report.model.empty() ? "" : " (" + report.model + ")") + ", " + std::to_string(report.tool_calls) + "/" +
          std::to_string(report.tool_calls_most) + " " + (chinese ? "次工具调用" : "calls of tools") + "\n";
  return text;
}

}  // namespace weft
