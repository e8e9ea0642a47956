// What stays of a research.
#include "engine/research_learning.h"
#include "engine/answers.h"

#include <algorithm>

#include "agent/research_records.h"
#include "agent/research_sources.h"
#include "agent/run_events.h"
#include "agent/tool.h"
#include "engine/ends.h"
#include "engine/knowledge.h"
#include "engine/rules.h"
#include "engine/searcher.h"
#include "engine/services.h"
#include "engine/skills.h"
#include "engine/streams.h"
#include "growth/gaps.h"
#include "text/utf8.h"
#include "text/words.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

constexpr std::size_t kHits = 8, kMostKept = 8, kMostAsked = 2, kMostOutput = 64 << 10, kLongestOrigin = 120;

struct MemoryQuestion {
  std::string query;
};

}  // namespace

WEFT_DESCRIBED(MemoryQuestion);

template <>
const Record<MemoryQuestion>& record<MemoryQuestion>() {
  static const auto made = Record<MemoryQuestion>("MemoryQuestion", "", RecordUse::kAsked)
                               .field("query", &MemoryQuestion::query, "", {.required = true});
  return made;
}

namespace {

RequestContext within(const ToolRequest& request) {
  RequestContext context = request.request;
  context.deadline = request.deadline.until();
  context.cancel = request.deadline.cancel();
  return context;
}

bool is_of_research(const std::string& session) { return session.starts_with(kResearchSession); }

// The research that an entry of MEMORY.md comes from; empty for a person's or another's.
std::string research_of(const std::vector<KnowledgeEntry>& entries, const std::string& text) {
  constexpr std::string_view kMark = "research ";
  for (const KnowledgeEntry& one : entries)
    if (text.find(one.text) != std::string::npos && one.source.starts_with(kMark))
      return std::string(kResearchSession) + one.source.substr(kMark.size());
  return {};
}

Result<ToolOutcome> ask_memory(const Services& services, const ToolRequest& request) {
  WEFT_TRY(const auto what, parse_record<MemoryQuestion>(request.arguments, "the arguments"));
  const RequestContext own = within(request);
  SearchRequest search;
  search.query = what.query;
  search.top_k = kHits;
  WEFT_TRY(const auto found, services.search->search(own, search));
  FoundSources sources;
  if (!found.known) return ToolOutcome{to_json(sources), false, Provenance::kOwnRun};
  const auto file = services.knowledge->knowledge(own);
  const std::vector<KnowledgeEntry> entries = file.ok() ? file->entries : std::vector<KnowledgeEntry>();
  for (const Hit& hit : found.hits) {
    const Item& item = hit.item;
    if (item.who == "tool") continue;  // outputs of tools are cited where they came from, not from memory
    FoundSource source;
    std::string session = item.session.str();
    if (item.kind == ItemKind::kKnowledge) session = research_of(entries, item.text);
    source.origin = "memory:" + (session.empty() ? std::string(to_string(item.kind)) : session) + "/" + item.id.str();
    source.title = std::string(to_string(item.kind));
    source.date = format_date(item.time);
    source.kind = SourceKind::kMemory;
    source.provenance = is_of_research(session) ? Provenance::kWeb : Provenance::kOwnRun;
    source.tool = "memory_search";
    source.whole = true;
    source.sketch = text_sketch(item.text);
    source.parts.push_back({0, 0, false, item.text});
    sources.sources.push_back(std::move(source));
  }
  return ToolOutcome{to_json(sources), false, Provenance::kOwnRun};
}

// What a tool found, as people and searches read it: "origin:line: text".
std::string readable(const std::string& output) {
  const auto found = parse_record<FoundSources>(output, "", {.max_bytes = output.size() + 1});
  if (!found.ok()) return std::string(cut_bytes(output, kMostOutput));
  std::string text;
  for (const FoundSource& source : found->sources)
    for (const FoundPart& part : source.parts)
      text +=
          source.origin + (part.first_line > 0 ? ":" + std::to_string(part.first_line) : "") + ": " + part.text + "\n";
  return std::string(cut_bytes(text.empty() ? "nothing was found" : text, kMostOutput));
}

Message with_id(Message message, const std::string& id) {
  message.id = MessageId(id);
  return message;
}

Status keep_episode(const Services& services, const RequestContext& request, std::span<const BusEvent> events,
                    const ResearchReport& report) {
  const std::string session = std::string(kResearchSession) + report.id;
  std::vector<Message> told{with_id(Message::user(report.question), session + "-q")};
  std::string call;
  std::size_t number = 0;
  for (const BusEvent& event : events) {
    if (event.type == BusEventType::kToolIntent) {
      const auto made = payload_of<Intended>(event);
      if (!made.ok()) continue;
      call = session + "-" + std::to_string(++number);
      told.push_back(with_id(Message::step("", {{call, made->name, made->arguments}}), call + "-call"));
    } else if (event.type == BusEventType::kToolResult && !call.empty()) {
      const auto made = payload_of<ToolAnswered>(event);
      if (!made.ok()) continue;
      const std::string text = readable(made->output);
      told.push_back(with_id(made->failed ? Message::failure(call, text) : Message::output(call, text), call + "-out"));
      call.clear();
    }
  }
  // A call that was made again after a kill has two intents; the first one has no output.
  std::vector<Message> whole;
  for (std::size_t i = 0; i < told.size(); ++i)
    if (told[i].tool_calls.empty() || (i + 1 < told.size() && told[i + 1].role == Role::kTool))
      whole.push_back(told[i]);
  whole.push_back(with_id(Message::assistant(report.summary), session + "-a"));
  WEFT_TRY(const auto observed, services.streams->observe(request, SessionId(session), whole));
  WEFT_TRY(const auto saved, services.streams->save(request, SessionId(session)));
  (void)observed, (void)saved;
  return {};
}

// "--" would end the comment in which a source stands.
std::string in_a_comment(std::string text) {
  for (auto at = text.find("--"); at != std::string::npos; at = text.find("--")) text.erase(at, 1);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

bool is_own(const ResearchReport& report, const ResearchClaim& claim) {
  return std::all_of(claim.citations.begin(), claim.citations.end(), [&](const ResearchCitation& one) {
    const SourceKind kind = report.sources[static_cast<std::size_t>(one.source) - 1].kind;
    return kind == SourceKind::kMemory || kind == SourceKind::kProject;
  });
}

// What independent sources confirm, and memory or the project itself do not merely repeat.
Status keep_knowledge(const Services& services, const RequestContext& request, Time now, const ResearchReport& report) {
  const bool chinese = language_of(report.question) == Language::kChinese;
  std::size_t kept = 0;
  for (const ResearchClaim& claim : report.claims) {
    if (claim.state != ClaimState::kConfirmed || is_own(report, claim) || kept >= kMostKept) continue;
    KnowledgeEntry entry;
    entry.section = chinese ? "研究所得" : "Research";
    entry.text = preview(claim.text, 600);
    entry.date = format_date(now);
    const ResearchSource& first = report.sources[static_cast<std::size_t>(claim.citations.front().source) - 1];
    entry.source = "research " + report.id + " " + in_a_comment(preview(first.origin, kLongestOrigin));
    WEFT_TRY(const auto added, services.knowledge->add_knowledge(request, entry));
    (void)added;
    ++kept;
  }
  return {};
}

// The weakest of all that was cited: what anybody may have written is not believed by itself.
Provenance provenance_of(const ResearchReport& report) {
  const bool web = std::any_of(report.sources.begin(), report.sources.end(),
                               [](const ResearchSource& one) { return one.provenance == Provenance::kWeb; });
  return web ? Provenance::kWeb : Provenance::kTool;
}

Status hand_on_methods(const Services& services, const RequestContext& request, Time now,
                       const ResearchReport& report) {
  if (report.methods.empty()) return {};
  Reflection reflection;
  reflection.id = "research-" + report.id;
  reflection.time = now;
  reflection.owner = report.owner;
  reflection.session = std::string(kResearchSession) + report.id;
  reflection.task = report.question;
  reflection.reports = {report.id};
  reflection.provenance = provenance_of(report);
  reflection.assessment = "what a research found of ways of working";
  reflection.by = report.by;
  reflection.model = report.model;
  for (const std::string& method : report.methods) {
    Suggestion one;
    one.strategy = preview(method, 400);
    one.applies_to = preview(report.question, 200);
    one.confidence = Grade::kMedium;
    reflection.suggestions.push_back(std::move(one));
  }
  return services.rules->take_reflection(request, reflection);
}

// What research could not find is asked of the one who wanted to know it.
Status ask_about_gaps(const Services& services, const RequestContext& request, ResearchReport& report) {
  const bool chinese = language_of(report.question) == Language::kChinese;
  for (std::size_t i = 0; i < std::min(report.gaps.size(), kMostAsked); ++i) {
    Gap gap;
    gap.what = report.gaps[i];
    gap.text = chinese ? "你知道吗，或者知道哪里有资料？" : "Do you know it, or where it stands?";
    Question question = question_of(gap, report.question, chinese ? "不考虑这一点" : "go on without it");
    question.session = std::string(kResearchSession) + report.id;
    question.run = report.id;
    question.urgency = Grade::kLow;
    WEFT_TRY(const Question asked, services.questions->ask(request, question));
    if (std::find(report.questions.begin(), report.questions.end(), asked.id) == report.questions.end())
      report.questions.push_back(asked.id);
  }
  return {};
}

}  // namespace

std::shared_ptr<Tool> research_memory_tool(const Services& services) {
  return make_tool({"memory_search", "Searches what is remembered.", ToolParameters().text("query", "what")},
                   ToolEffects::kNone,
                   [&services](const ToolRequest& request) { return ask_memory(services, request); });
}

void learn_from_research(const Services& services, const RequestContext& request, Time now,
                         const ResearchLearning& what, std::span<const BusEvent> events, ResearchReport& report) {
  const auto try_to = [&](const char* failed, const Status& done) {
    if (!done.ok()) report.notes.push_back(std::string(failed) + ": " + done.error().message);
  };
  try_to("what was found is not in memory", keep_episode(services, request, events, report));
  if (what.learn) {
    try_to("MEMORY.md was not changed", keep_knowledge(services, request, now, report));
    try_to("ways of working were not handed on", hand_on_methods(services, request, now, report));
  }
  if (what.ask) try_to("nothing was asked", ask_about_gaps(services, request, report));
}

}  // namespace weft
