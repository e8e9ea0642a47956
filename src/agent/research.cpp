#include "agent/research.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "agent/research_sources.h"
#include "agent/researcher.h"
#include "base/call_context.h"
#include "base/strings.h"
#include "base/threads.h"
#include "growth/rule_words.h"
#include "ports/files/file_system.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {

namespace {

std::int64_t most_calls(const ResearchSettings& set, ResearchKind kind) {
  switch (kind) {
    case ResearchKind::kFact: return set.fact_calls;
    case ResearchKind::kTopic: return set.topic_calls;
    case ResearchKind::kRepository: return set.repository_calls;
    case ResearchKind::kDeep: return set.deep_calls;
  }
  return set.fact_calls;
}

}  // namespace

std::int64_t ResearchSettings::calls_of(const ResearchTask& task) const {
  const std::int64_t most = most_calls(*this, task.kind);
  return task.tool_calls > 0 ? std::min(task.tool_calls, most) : most;
}

std::vector<std::string> ResearchSettings::folders_of(const ResearchTask& task) const {
  std::vector<std::string> all = task.folders;
  for (const std::string& one : folders)
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  return all;
}

template <>
const Record<ResearchSettings>& record<ResearchSettings>() {
  constexpr FieldRule kCalls{.least = 1, .most = 1000}, kSeconds{.least = 1, .most = 86'400},
      kSome{.least = 1, .most = 64};
  static const auto made =
      Record<ResearchSettings>("ResearchSettings", "research.json.", RecordUse::kBoth)
          .field("fact_calls", &ResearchSettings::fact_calls, "calls of tools that the check of a fact may make",
                 kCalls)
          .field("topic_calls", &ResearchSettings::topic_calls, "of a topic", kCalls)
          .field("repository_calls", &ResearchSettings::repository_calls, "of a repository", kCalls)
          .field("deep_calls", &ResearchSettings::deep_calls, "of a deep research, all researchers together", kCalls)
          .field("search_tools", &ResearchSettings::search_tools, "tools of mcp.json that search")
          .field("read_tools", &ResearchSettings::read_tools, "tools of mcp.json that read an address")
          .field("folders", &ResearchSettings::folders, "folders of sources")
          .field("researchers", &ResearchSettings::researchers, "at the same time", kSome)
          .field("runs", &ResearchSettings::runs, "researches at the same time", kSome)
          .field("seconds", &ResearchSettings::seconds, "of a research", kSeconds)
          .field("call_seconds", &ResearchSettings::call_seconds, "of one call of a tool", kSeconds)
          .field("model_seconds", &ResearchSettings::model_seconds, "of one model call", kSeconds)
          .field("learn", &ResearchSettings::learn, "keep what is confirmed")
          .field("ask", &ResearchSettings::ask, "ask about what nothing was found of");
  return made;
}

Result<ResearchSettings> read_research_settings(const std::filesystem::path& workspace) {
  const auto text = disk().read(workspace / "research.json");
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return ResearchSettings();
  if (!text.ok()) return text.error();
  return parse_record<ResearchSettings>(*text, "research.json");
}

namespace {

constexpr std::size_t kMostPoints = 5, kMostFollowed = 3;
constexpr std::int64_t kLeastShare = 3, kReserve = 5;  // calls of a researcher; one of so many is kept for the critic

/// One researcher of several.
struct Worker {
  std::string id;
  OutlinePoint point;
  std::shared_ptr<Bus> bus;
  Result<Findings> found = internal("it has not run");
};

Status begin_worker(ResearchStream& stream, Worker& worker, std::int64_t share) {
  WEFT_TRY(worker.bus, stream.parts().open_stream(worker.id));
  if (worker.bus->last() > 0) return {};
  RunStarted start;
  start.task = worker.point.question;
  start.type = "research";
  start.owner = stream.parts().request.scope.key().str();
  start.parent = stream.id();
  start.depth = 1;
  start.limits.tool_calls = share;
  WEFT_TRY(const BusEvent first, worker.bus->emit(BusEventType::kRunStarted, to_json(start)));
  (void)first;
  const SubAgent told{worker.id, "", worker.point.question, "", ""};
  return stream.emit(BusEventType::kSubAgentStarted, to_json(told));
}

bool has_ended(const Bus& bus) {
  const auto events = bus.since(0);
  return !events.empty() && events.back().type == BusEventType::kAgentOutput;
}

Status end_worker(ResearchStream& stream, Worker& worker) {
  if (!worker.found.ok()) {
    stream.note(worker.id + ": " + worker.found.error().message);
    return {};
  }
  if (has_ended(*worker.bus)) return {};
  AgentOutput output;
  for (const ResearchClaim& claim : worker.found->claims) output.text += "- " + claim.text + "\n";
  output.why = std::to_string(worker.found->claims.size()) + " claims";
  output.outcome = worker.found->claims.empty() ? Outcome::kFailure : Outcome::kUnknown;
  output.seen = worker.bus->last();
  WEFT_TRY(const BusEvent last, worker.bus->emit(BusEventType::kAgentOutput, to_json(output)));
  (void)last;
  const SubAgent told{worker.id, "", worker.point.question, "ended", output.why};
  return stream.emit(BusEventType::kSubAgentEnded, to_json(told));
}

// A few at a time, each on a thread and a stream of its own: none sees what another found.
void work_in_parallel(ResearchStream& stream, std::vector<Worker>& workers, std::int64_t share) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&, context = CallContext::to_hand_over()] {
    const CallScope scope(context);
    for (std::size_t i = next++; i < workers.size(); i = next++) {
      ResearchStream own(workers[i].id, *workers[i].bus, stream.parts(), share);
      workers[i].found =
          guarded("the search", [&] { return Researcher(own, workers[i].point.question, ResearchKind::kTopic).run(); });
    }
  };
  std::vector<std::jthread> threads;
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(1, stream.parts().researchers));
  for (std::size_t i = 0; i < std::min(most, workers.size()); ++i) {
    std::jthread thread;
    if (const Status begun = start_thread(thread, "a researcher", work); !begun.ok()) {
      log_warning("research", begun.error().message + "; " + std::to_string(threads.size()) + " work at a time");
      break;
    }
    threads.push_back(std::move(thread));
  }
  if (threads.empty()) work();
}

Result<std::vector<OutlinePoint>> plan(ResearchStream& stream, Researcher& planner, const std::string& question) {
  WEFT_CHECK(planner.ask_memory());
  if (auto points = model_outline(stream, question, ResearchKind::kDeep, {})) return std::move(*points);
  WEFT_CHECK(planner.search(question));
  return floor_outline(question, planner.sources().numbered(ResearchKind::kDeep), kMostPoints);
}

// Takes the claims out that their quotes do not bear out; disputes keep the places of the others.
void drop_unsupported(ResearchStream& stream, Findings& found, const std::vector<std::int64_t>& unsupported) {
  std::vector<std::int64_t> places(found.claims.size() + 1, 0);
  std::vector<ResearchClaim> kept;
  for (std::size_t i = 0; i < found.claims.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i + 1);
    if (std::find(unsupported.begin(), unsupported.end(), place) != unsupported.end()) {
      stream.note("the critic found a claim not borne out by its quotes: " + found.claims[i].text);
      continue;
    }
    kept.push_back(std::move(found.claims[i]));
    places[i + 1] = static_cast<std::int64_t>(kept.size());
  }
  found.claims = std::move(kept);
  for (ResearchDispute& one : found.disputes) {
    for (std::int64_t& claim : one.claims) claim = places[static_cast<std::size_t>(claim)];
    std::erase(one.claims, 0);
  }
  std::erase_if(found.disputes, [](const ResearchDispute& one) { return one.claims.size() < 2; });
}

// Without a model the critic sees what points have no claims; what contradicts what is seen at the end in any case.
std::vector<std::string> criticise(ResearchStream& stream, const std::string& question, Findings& found) {
  const auto critique = model_critique(stream, question, found.outline, found.claims, found.sources);
  if (!critique) return found.gaps;
  for (const ResearchDispute& one : critique->disputes) found.disputes.push_back(one);
  drop_unsupported(stream, found, critique->unsupported);
  return critique->gaps;
}

Status follow_up(ResearchStream& stream, const std::string& question, Findings& found, std::vector<std::string> gaps) {
  gaps.resize(std::min(gaps.size(), kMostFollowed));
  std::vector<std::string> open;
  for (const std::string& gap : gaps) {
    if (stream.left() == 0) {
      add_once(open, gap);
      continue;
    }
    Researcher again(stream, question, ResearchKind::kTopic);
    WEFT_CHECK(again.search(gap));
    WEFT_CHECK(again.read_best(1));
    again.draw_claims({gap});
    Findings more = again.take();
    more.tool_calls = 0;  // those of this stream are counted at its end
    if (more.claims.empty()) add_once(open, gap);
    found.take(std::move(more));
  }
  found.gaps = std::move(open);
  return {};
}

}  // namespace

Result<Findings> research_deeply(ResearchStream& stream, const std::string& question) {
  Researcher planner(stream, question, ResearchKind::kDeep);
  WEFT_TRY(auto points, plan(stream, planner, question));
  const std::int64_t for_all = stream.left() - stream.left() / kReserve;
  points.resize(std::min(points.size(), static_cast<std::size_t>(std::max<std::int64_t>(1, for_all / kLeastShare))));
  const std::int64_t share = for_all / static_cast<std::int64_t>(points.size());
  Findings found = planner.take();
  found.tool_calls = 0;
  std::vector<Worker> workers;
  for (std::size_t i = 0; i < points.size(); ++i) {
    found.outline.push_back(points[i].question);
    workers.push_back({stream.id() + "-s" + std::to_string(i + 1), points[i], nullptr, internal("it has not run")});
    WEFT_CHECK(begin_worker(stream, workers.back(), share));
  }
  WEFT_CHECK(stream.progress(found.outline, 0));
  work_in_parallel(stream, workers, share);
  const std::vector<std::string> outline = found.outline;
  for (Worker& worker : workers) {
    if (!worker.found.ok() && worker.found.error().code == ErrorCode::kCancelled) return worker.found.error();
    WEFT_CHECK(end_worker(stream, worker));
    if (!worker.found.ok()) continue;
    stream.spend(worker.found->tool_calls);
    worker.found->tool_calls = 0;
    for (ResearchClaim& claim : worker.found->claims) claim.aspect = worker.point.question;
    found.take(std::move(*worker.found));
  }
  found.outline = outline;
  WEFT_CHECK(stream.progress(found.outline, found.outline.size()));
  WEFT_CHECK(follow_up(stream, question, found, criticise(stream, question, found)));
  found.outline = outline;
  for (const std::string& note : stream.notes()) add_once(found.notes, note);
  if (found.limit.empty()) found.limit = stream.limit();
  found.tool_calls = stream.used();
  return found;
}

Result<ResearchReport> run_research(ResearchStream& stream, ResearchReport draft) {
  const auto find_out = [&]() -> Result<Findings> {
    switch (draft.kind) {
      case ResearchKind::kRepository: return explore_repository(stream, draft.question);
      case ResearchKind::kDeep: return research_deeply(stream, draft.question);
      case ResearchKind::kFact:
      case ResearchKind::kTopic: break;
    }
    return Researcher(stream, draft.question, draft.kind).run();
  };
  WEFT_TRY(Findings found, find_out());
  fill_report(draft, std::move(found), stream.parts().likeness);
  if (const auto summary = model_summary(stream, draft)) draft.summary = *summary;
  if (stream.asked_a_model() && stream.parts().model != nullptr) draft.model = stream.parts().model->name();
  for (const std::string& note : stream.notes()) add_once(draft.notes, note);
  draft.markdown = report_markdown(draft);
  return draft;
}

// What was found, as a report.

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
