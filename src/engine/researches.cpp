#include "engine/researches.h"

#include <algorithm>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "agent/research.h"
#include "agent/research_sources.h"
#include "agent/research_stream.h"
#include "agent/run_state.h"
#include "agent/tool.h"
#include "base/call_context.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "engine/historian.h"
#include "engine/learning_budget.h"
#include "engine/lessons.h"
#include "engine/memory_files.h"
#include "engine/questions.h"
#include "engine/run_kit.h"
#include "engine/run_streams.h"
#include "engine/searcher.h"
#include "engine/services.h"
#include "engine/serving.h"
#include "engine/streams.h"
#include "growth/gaps.h"
#include "ports/files/file_system.h"
#include "text/utf8.h"
#include "text/words.h"
#include "weft/research.h"
#include "weft/tool_parameters.h"

namespace weft {

/// What may be made of what was found, beside remembering it.
struct ResearchLearning {
  bool learn = true, ask = true;
};

/// Memory as a source of researches: its hits as `FoundSources`. What an earlier research left there says so by its
/// origin, so that it is no witness of its own.
std::shared_ptr<Tool> research_memory_tool(const Services& services);

/// Keeps what a research found (002, 6.2): all that its tools gave, and its summary, as what happened, in a session of
/// its own; claims that independent sources confirm in MEMORY.md, with date and source; ways of working as candidates
/// for rules, whose origin is the web or a tool, so that none becomes active without a person or an own success; what
/// is missing as questions. Made again it adds nothing. `events` are those of all of its streams. What cannot be kept
/// is noted in the report, which stands all the same.
void learn_from_research(const Services& services, const RequestContext& request, Time now,
                         const ResearchLearning& what, std::span<const BusEvent> events, ResearchReport& report);

// What stays of a research.

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

// Researches: starting, stopping and reading them.

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{5};  // for researches to stop
constexpr std::size_t kByChance = 6;          // digits of an id

Error no_research(const std::string& id) {
  return not_found("there is no research \"" + id.substr(0, 80) + "\"",
                   "`weft research list` and GET /v1/research list them");
}

std::string active_key(const ScopeKey& scope, const std::string& id) { return scope.str() + "\n" + id; }

constexpr std::chrono::milliseconds kLikenessTime{5000}, kBeforeCallEnds{2000};
constexpr std::chrono::seconds kLongestCall{900};

struct ToolArguments {
  std::string question;
  ResearchKind kind = ResearchKind::kFact;
};

// What was found in memory stands in a research's streams and in its report, in the words of the messages.
bool goes(const fs::path& folder, const ErasedMessages& gone) {
  if (gone.everything) return true;
  std::error_code error;
  for (fs::directory_iterator one(folder, error); !error && one != fs::directory_iterator(); one.increment(error))
    if (const auto text = read_file(one->path()); text.ok() && gone.repeats(*text)) return true;
  return false;
}

}  // namespace

Researches::Researches(EngineCore& core, const Services& services, McpServers& mcp)
    : core_(core), services_(services), mcp_(mcp) {}

Researches::~Researches() {
  stop_all();
  std::map<std::string, std::shared_ptr<Active>> active;
  {
    const std::lock_guard lock(mutex_);
    active.swap(active_);
  }
  for (auto& [key, one] : active)
    if (one->thread.joinable()) one->thread.join();
}

void Researches::stop_all() {
  const std::lock_guard lock(mutex_);
  for (auto& [key, one] : active_) one->stop.request_stop();
}

fs::path Researches::folder_of(const ScopeKey& scope, const std::string& id) const {
  return scope_folder(core_.config.workspace, "research", scope) / id;
}

// One Bus a file, as long as anybody has it.
Result<std::shared_ptr<Bus>> Researches::bus_of(const fs::path& path, bool make) {
  const std::lock_guard lock(mutex_);
  if (auto known = buses_[path.string()].lock()) return known;
  std::error_code ignored;
  if (!make && !fs::exists(path, ignored)) return no_research(path.parent_path().filename().string());
  WEFT_TRY(auto opened, Bus::open(disk(), path, *core_.clock));
  std::shared_ptr<Bus> bus = std::move(opened);
  buses_[path.string()] = bus;
  std::erase_if(buses_, [](const auto& one) { return one.second.expired(); });
  return bus;
}

bool Researches::at_work(const ScopeKey& scope, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = active_.find(active_key(scope, id));
  return found != active_.end() && !found->second->done;
}

Result<ResearchReport> Researches::read(const RequestContext& request, const std::string& id) {
  const ScopeKey scope = request.scope.key();
  if (!is_job_id(id)) return no_research(id);
  const auto text = read_file(folder_of(scope, id) / "report.json");
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return no_research(id);
  if (!text.ok()) return text.error();
  WEFT_TRY(auto report, parse_record<ResearchReport>(*text, "report.json", {.max_bytes = text->size() + 1}));
  if (report.owner != scope.str()) return no_research(id);
  if (report.status == "running" && !at_work(scope, id)) report.status = "stopped";
  return report;
}

Result<ResearchTask> Researches::read_task(const RequestContext& request, const std::string& id) {
  WEFT_TRY(const auto text, read_file(folder_of(request.scope.key(), id) / "task.json"));
  return parse_record<ResearchTask>(text, "task.json");
}

Status Researches::write(const RequestContext& request, const ResearchReport& report) {
  const fs::path folder = folder_of(request.scope.key(), report.id);
  if (!report.markdown.empty()) WEFT_CHECK(write_file(disk(), folder / "report.md", report.markdown, true));
  return write_file(disk(), folder / "report.json", to_json(report) + "\n", true);
}

Result<ResearchSettings> Researches::settings() const { return read_research_settings(core_.config.workspace); }

Result<ResearchReport> Researches::begin(const RequestContext& request, const std::string& id,
                                         const ResearchTask& task) {
  if (trimmed(task.question).empty()) return invalid_argument("\"question\" is empty", "say what is to be found out");
  if (task.kind == ResearchKind::kRepository && task.folders.empty())
    return invalid_argument("a repository needs its folder", "name it with --sources, or as the first of \"folders\"");
  WEFT_TRY(const ResearchSettings set, settings());
  WEFT_TRY(const auto folders, SourceFolders::open(set.folders_of(task)));  // what is wrong is told before it begins
  (void)folders;
  ResearchReport report;
  report.id = id;
  report.owner = request.scope.key().str();
  report.question = task.question;
  report.kind = task.kind;
  report.status = "running";
  report.started = core_.clock->now();
  report.tool_calls_most = set.calls_of(task);
  const fs::path folder = folder_of(ScopeKey(report.owner), id);
  WEFT_CHECK(make_folder(folder));
  WEFT_CHECK(write_file(disk(), folder / "task.json", to_json(task) + "\n", true));
  WEFT_CHECK(write(request, report));
  return report;
}

Result<std::shared_ptr<Researches::Active>> Researches::take(const ScopeKey& scope, const std::string& id) {
  WEFT_TRY(const ResearchSettings set, settings());
  const std::lock_guard lock(mutex_);
  std::erase_if(active_, [](auto& one) {
    if (!one.second->done) return false;
    if (one.second->thread.joinable()) one.second->thread.join();
    return true;
  });
  const std::string key = active_key(scope, id);
  if (active_.contains(key)) return conflict("the research " + id + " is at work");
  if (active_.size() >= static_cast<std::size_t>(set.runs))
    return conflict(std::to_string(active_.size()) + " researches are at work, and no more may be",
                    "wait for one, or set \"runs\" in research.json");
  auto active = std::make_shared<Active>();
  active->scope = scope;
  active_[key] = active;
  return active;
}

Status Researches::launch(const RequestContext& request, const std::string& id) {
  WEFT_TRY(const ResearchSettings set, settings());
  RequestContext own = request;  // it outlives the call that started it
  own.deadline.reset();
  own.cancel = {};
  WEFT_TRY(const auto active, take(request.scope.key(), id));
  const Deadline deadline = Deadline(std::nullopt, active->stop.get_token()).within(std::chrono::seconds(set.seconds));
  const std::lock_guard lock(mutex_);
  const Status begun = start_thread(
      active->thread, "a research",
      [this, own, id, deadline, active = active.get(), context = CallContext::to_hand_over()] {
        const AtEnd over([active] { active->done = true; });
        const CallScope call(context);
        const CallScope owner(Account{own.scope.key().str(), context.account.key});
        if (const Status done = guarded("the research", [&] { return work(own, id, deadline); }); !done.ok())
          log_warning("research", id + ": " + done.error().message);
      });
  if (!begun.ok()) active->done = true;
  return begun;
}

Result<ResearchReport> Researches::start(const RequestContext& request, const ResearchTask& task) {
  const std::string id = new_job_id(core_.clock->now(), kByChance);
  WEFT_TRY(auto report, begin(request, id, task));
  if (const Status launched = launch(request, id); !launched.ok()) {
    std::error_code ignored;
    fs::remove_all(folder_of(ScopeKey(report.owner), id), ignored);
    return launched.error();
  }
  return report;
}

Result<ResearchReport> Researches::resume(const RequestContext& request, const std::string& id) {
  WEFT_TRY(auto report, read(request, id));
  if (report.status == "ended") return conflict("the research " + id + " has ended", "start another one");
  report.status = "running";
  report.failure.clear();
  WEFT_CHECK(write(request, report));
  WEFT_CHECK(launch(request, id));
  return report;
}

Result<ResearchReport> Researches::stop(const RequestContext& request, const std::string& id) {
  WEFT_TRY(const auto report, read(request, id));
  std::shared_ptr<Active> active;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = active_.find(active_key(ScopeKey(report.owner), id)); found != active_.end())
      active = found->second;
  }
  if (!active || active->done) return conflict("the research " + id + " is not at work");
  active->stop.request_stop();
  const Deadline patience = Deadline::after(kPatience);
  while (!active->done && !patience.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return read(request, id);
}

Result<ResearchReport> Researches::show(const RequestContext& request, const std::string& id) {
  return read(request, id);
}

Result<std::vector<ResearchReport>> Researches::list(const RequestContext& request, std::size_t limit,
                                                     const std::string& after) {
  std::vector<std::string> ids;
  std::error_code error;
  const fs::path folder = folder_of(request.scope.key(), "x").parent_path();
  for (fs::directory_iterator one(folder, error); !error && one != fs::directory_iterator(); one.increment(error))
    if (one->is_directory()) ids.push_back(one->path().filename().string());
  std::sort(ids.rbegin(), ids.rend());
  std::vector<ResearchReport> found;
  for (const std::string& id : ids) {
    if (found.size() >= limit) break;
    if (!after.empty() && id >= after) continue;
    if (auto report = read(request, id); report.ok()) found.push_back(std::move(report).value());
  }
  return found;
}

Result<std::vector<BusEvent>> Researches::events(const RequestContext& request, const std::string& id,
                                                 std::uint64_t since, std::chrono::milliseconds wait) {
  // "ID-s2" is a researcher's stream, in the folder of its research.
  const auto dash = id.rfind("-s");
  const bool below = dash != std::string::npos && id.find_first_not_of("0123456789", dash + 2) == std::string::npos;
  const std::string whole = below ? id.substr(0, dash) : id;
  WEFT_TRY(const auto report, read(request, whole));
  const fs::path path = folder_of(ScopeKey(report.owner), whole) / ((below ? id : std::string(kStream)) + ".jsonl");
  auto bus = bus_of(path, false);
  if (!bus.ok() && bus.error().code == ErrorCode::kNotFound && !below) return std::vector<BusEvent>();
  if (!bus.ok()) return bus.error();
  if (wait.count() > 0) (*bus)->wait_for_more(since, Deadline(request.deadline, request.cancel).within(wait));
  return (*bus)->since(since);
}

// Working a research off, on a thread of its own or as a tool of a run.

WEFT_DESCRIBED(ToolArguments);

template <>
const Record<ToolArguments>& record<ToolArguments>() {
  static const auto made = Record<ToolArguments>("ResearchArguments", "", RecordUse::kAsked)
                               .field("question", &ToolArguments::question, "", {.required = true})
                               .field("kind", &ToolArguments::kind, "");
  return made;
}

Result<ResearchTools> Researches::tools_of(const ResearchTask& task, const ResearchSettings& set) {
  ResearchTools tools;
  tools.memory = research_memory_tool(services_);
  const auto folders = set.folders_of(task);
  WEFT_TRY(const auto opened, SourceFolders::open(folders));
  if (!folders.empty()) {
    const auto likeness = std::make_shared<ServingLikeness>(core_, kLikenessTime);
    for (auto& tool : folder_tools(opened, likeness)) {
      const std::string& name = tool->info().name;
      (name == kFolderSearch ? tools.folders : name == kFolderList ? tools.list : tools.read_file) = std::move(tool);
    }
  }
  if (set.search_tools.empty() && set.read_tools.empty()) return tools;
  ToolRegistry registry;
  WEFT_CHECK(mcp_.add_tools(registry));
  Permissions permissions;
  WEFT_CHECK(permissions.add(core_.config.agent.permissions));
  for (const ToolInfo& info : registry.infos()) {
    // Nobody is there to be asked.
    if (permissions.of(info.name) != Permission::kAllow) continue;
    if (fits_any(set.search_tools, info.name)) tools.search.push_back(registry.share(info.name));
    if (fits_any(set.read_tools, info.name)) tools.read.push_back(registry.share(info.name));
  }
  return tools;
}

Status Researches::work(const RequestContext& request, const std::string& id, const Deadline& deadline) {
  WEFT_TRY(const ResearchTask task, read_task(request, id));
  WEFT_TRY(ResearchReport report, read(request, id));
  report.status = "running";
  const fs::path folder = folder_of(ScopeKey(report.owner), id);
  WEFT_TRY(const auto bus, bus_of(folder / (std::string(kStream) + ".jsonl"), true));
  if (bus->last() == 0) {
    RunStarted start;
    start.task = task.question;
    start.type = "research";
    start.owner = report.owner;
    start.limits.tool_calls = report.tool_calls_most;
    start.learn = task.learn;
    WEFT_TRY(const BusEvent first, bus->emit(BusEventType::kRunStarted, to_json(start)));
    (void)first;
  }
  const ServingLikeness likeness(core_, kLikenessTime);
  WEFT_TRY(const ResearchSettings set, settings());
  WEFT_TRY(auto tools, tools_of(task, set));
  std::mutex streams_mutex;
  std::vector<std::shared_ptr<Bus>> streams{bus};
  const ResearchParts parts{std::move(tools),
                            task.without_model ? nullptr : core_.models->chat("main"),
                            task.without_model ? nullptr : core_.models->chat("fast"),
                            likeness,
                            threads_,
                            request,
                            deadline,
                            std::chrono::seconds(set.call_seconds),
                            std::chrono::seconds(set.model_seconds),
                            set.researchers,
                            [&](const std::string& own) -> Result<std::shared_ptr<Bus>> {
                              WEFT_TRY(auto opened, bus_of(folder / (own + ".jsonl"), true));
                              const std::lock_guard lock(streams_mutex);
                              streams.push_back(opened);
                              report.researchers.push_back(own);
                              return opened;
                            }};
  report.researchers.clear();
  ResearchStream stream(id, *bus, parts, report.tool_calls_most);
  auto made = run_research(stream, report);
  if (!made.ok() && deadline.cancelled()) return made.error();
  if (made.ok()) {
    made->researchers = report.researchers;
    std::vector<BusEvent> events;
    for (const auto& one : streams)
      for (BusEvent& event : one->since(0)) events.push_back(std::move(event));
    const bool learns = set.learn && task.learn && RunLearning(core_.config.workspace).from(request.scope.key());
    learn_from_research(services_, request, core_.clock->now(), {learns, set.ask}, events, *made);
    report = std::move(*made);
  }
  report.status = made.ok() ? "ended" : "failed";
  if (!made.ok()) report.failure = made.error().message;
  report.ended = core_.clock->now();
  WEFT_CHECK(write(request, report));
  AgentOutput output{report.summary, report.failure, made.ok() ? Outcome::kUnknown : Outcome::kFailure, bus->last()};
  return stream.emit(BusEventType::kAgentOutput, to_json(output));
}

Result<ToolOutcome> Researches::run_tool(const ToolRequest& call, bool learn) {
  WEFT_TRY(const auto what, parse_record<ToolArguments>(call.arguments, "the arguments"));
  const std::string id = call.run + "-" + call.call;
  if (!is_job_id(id)) return invalid_argument("a research cannot be named after the call " + id);
  RequestContext own = call.request;
  own.deadline.reset();
  own.cancel = {};
  auto known = read(own, id);
  if (!known.ok()) {
    ResearchTask task;
    task.question = what.question;
    task.kind = what.kind;
    task.learn = learn;
    WEFT_TRY(known, begin(own, id, task));
  }
  if (known->status != "ended") {
    WEFT_TRY(const auto active, take(own.scope.key(), id));
    const Status done = [&] {
      const AtEnd over([&active] { active->done = true; });
      const std::stop_callback with_run(call.deadline.cancel(), [&active] { active->stop.request_stop(); });
      const auto left = std::max(call.deadline.left(kLongestCall) - kBeforeCallEnds, std::chrono::milliseconds(1));
      return work(own, id, Deadline(std::nullopt, active->stop.get_token()).within(left));
    }();
    WEFT_CHECK(done);
    WEFT_TRY(known, read(own, id));
  }
  std::string text = known->summary;
  for (const ResearchSource& one : known->sources)
    text += "\n[" + std::to_string(one.number) + "] " + one.origin + (one.date.empty() ? "" : ", " + one.date);
  text += "\nresearch " + id + ": " + std::to_string(known->claims.size()) + " claims" +
          (known->limit.empty() ? "" : ", ended by its limit of " + known->limit);
  return ToolOutcome{text, known->status != "ended", Provenance::kWeb};
}

Status Researches::add_tool(const RunState& state, ToolRegistry& into) {
  constexpr const char* kName = "research";
  const auto& wanted = state.start.tools.names;
  if (!wanted.empty() && !fits_any(wanted, kName)) return {};
  return into.add(make_tool(
      {kName,
       "Finds something out from memory, files and the web, with citations: says what independent sources confirm and "
       "what is disputed.",
       ToolParameters()
           .text("question", "in words, with all that must be known to understand it")
           .choice("kind", "fact: is one thing so; topic: a matter from several sides; deep: with several researchers",
                   {"fact", "topic", "deep"})
           .optional()},
      ToolEffects::kKeyed,
      [this, learn = state.start.learn](const ToolRequest& request) { return run_tool(request, learn); }));
}

// Researches and what is erased.

Status Researches::erase(const ErasedMessages& lost) {
  const ScopeKey& scope = lost.scope;
  std::vector<std::shared_ptr<Active>> own;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [key, one] : active_)
      if (one->scope == scope) own.push_back(one);
  }
  for (const auto& one : own) one->stop.request_stop();
  const Deadline patience = Deadline::after(kPatience);
  for (const auto& one : own)
    while (!one->done && !patience.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const fs::path folder = folder_of(scope, "x").parent_path();
  std::error_code error;
  // Below the folder of the command's own user lie those of the others, which have no task.
  std::vector<fs::path> gone;
  for (fs::directory_iterator one(folder, error); !error && one != fs::directory_iterator(); one.increment(error))
    if (fs::exists(one->path() / "task.json") && goes(one->path(), lost)) gone.push_back(one->path());
  for (const fs::path& one : gone) {
    std::error_code failed;
    fs::remove_all(one, failed);
    if (failed) return unavailable("removing " + one.string() + ": " + failed.message());
  }
  return {};
}

}  // namespace weft
