#include "base/strings.h"
#include "model/records.h"

namespace weft {

// What a session works on, plans, woven prompts and their accounts, compactions.

namespace {

constexpr FieldRule kSparse{.sparse = true};
constexpr FieldRule kShare{.least = 0, .most = 1};

// In plain form, or in that of chat APIs: {"type": "function", "function": {…}}.
Status read_function(std::string_view json, const std::string& place, ToolInfo& into) {
  if (!json.starts_with('{')) return wrong_field(place, "an object");
  for (const auto& [name, value] : json_members(json)) {
    if (value == "null") continue;
    if (name == "name") WEFT_CHECK(JsonForm<std::string>::read(value, place + ".name", {}, into.name));
    if (name == "description")
      WEFT_CHECK(JsonForm<std::string>::read(value, place + ".description", {}, into.description));
    if (name == "parameters" || name == "input_schema") into.parameters = compact_json(value);
  }
  return {};
}

Status check_tool(const ToolInfo& tool, const std::string& place) {
  return tool.name.empty() ? Status(wrong_field(place + ".name", "the name of a tool")) : Status();
}

Value timings_schema(SchemaBook&) {
  return ValueObject{{"type", "object"}, {"additionalProperties", ValueObject{{"type", "number"}}}};
}

void write_timings(const ContextReport& report, JsonWriter& out) {
  out.begin('{');
  for (const auto& [name, ms] : report.timings_ms) {
    out.name(name);
    out.number(ms);
  }
  out.end('}');
}

Value operations_schema() {
  return ValueObject{{"type", "array"}, {"items", ValueObject{{"type", "array"}, {"items", ValueObject{}}}}};
}

}  // namespace

template <>
const Record<Preference>& record<Preference>() {
  static const auto made =
      Record<Preference>("Preference", "What a user likes.", RecordUse::kBoth)
          .field("text", &Preference::text, "in words", {.required = true, .wanted = "what is preferred"})
          .field("confidence", &Preference::confidence, "how sure it is", kShare)
          .field("task_types", &Preference::task_types, "of which tasks it holds; empty: of all", kSparse);
  return made;
}

template <>
const Record<SessionTask>& record<SessionTask>() {
  static const auto made =
      Record<SessionTask>("Task", "What a session works on, until it is ended.", RecordUse::kBoth)
          .field("description", &SessionTask::state, &TaskState::description, "what is to be done",
                 {.sparse = true, .option = "description"})
          .field("type", &SessionTask::state, &TaskState::type, "such as coding; chooses preferences", kSparse)
          .field("done", &SessionTask::state, &TaskState::done, "steps that are done", kSparse)
          .field("current", &SessionTask::state, &TaskState::current, "the step that is worked on", kSparse)
          .field("remaining", &SessionTask::state, &TaskState::remaining, "steps that remain",
                 {.sparse = true, .option = "--remaining"})
          .field("warnings", &SessionTask::state, &TaskState::warnings, "what to take care of",
                 {.sparse = true, .option = "--warning"})
          .field("constraints", &SessionTask::state, &TaskState::constraints, "what must be kept to",
                 {.sparse = true, .option = "--constraint"})
          .field("preferences", &SessionTask::preferences, "that hold for this task", kSparse)
          .field("since", &SessionTask::since, "when it was set", kSparse);
  return made;
}

template <>
const Record<ErrorNote>& record<ErrorNote>() {
  static const auto made = Record<ErrorNote>("ErrorNote", "Something that was tried and failed.", RecordUse::kAsked)
                               .field("tried", &ErrorNote::tried, "what")
                               .field("reason", &ErrorNote::reason, "why it failed")
                               .field("handled", &ErrorNote::handled, "what was done about it");
  return made;
}

template <>
const Record<ToolInfo>& record<ToolInfo>() {
  const auto any_object = [](SchemaBook&) { return Value(ValueObject{{"type", "object"}}); };
  static const auto made =
      Record<ToolInfo>("ToolInfo", "A tool on offer, in plain form or in that of chat APIs.", RecordUse::kTold)
          .field("name", &ToolInfo::name, "its name", kSparse)
          .field("description", &ToolInfo::description, "what it does", kSparse)
          .json("parameters", &ToolInfo::parameters, "JSON schema of its arguments", kSparse,
                ValueObject{{"type", "object"}})
          .also("input_schema", "parameters")
          .custom(
              "function", "the same, in the form of chat APIs", any_object, read_function,
              [](const ToolInfo&, JsonWriter& out) { out.raw("{}"); }, kSparse, [](const ToolInfo&) { return true; })
          .check(check_tool);
  return made;
}

template <>
const Record<DomainWeight>& record<DomainWeight>() {
  static const auto made =
      Record<DomainWeight>("DomainWeight", "How much each kind of the past weighs.", RecordUse::kBoth)
          .field("narrative", &DomainWeight::narrative, "what was told", kShare)
          .field("lore", &DomainWeight::lore, "what is known of the world", kShare)
          .field("event", &DomainWeight::event, "quests", kShare);
  return made;
}

template <>
const Record<SearchIntent>& record<SearchIntent>() {
  static const auto made =
      Record<SearchIntent>("SearchIntent", "What is looked for beside the skeleton.", RecordUse::kBoth)
          .field("enabled", &SearchIntent::enabled, "false: nothing")
          .field("focus_keywords", &SearchIntent::focus_keywords, "what it is about")
          .field("temporal_context", &SearchIntent::temporal_context, "now, past or future")
          .field("domain_weight", &SearchIntent::domain_weight, "how much each kind of source counts");
  return made;
}

// Plans from outside are read by `parse_plan`, which is stricter.
template <>
const Record<PlanContext>& record<PlanContext>() {
  static const auto made =
      Record<PlanContext>("Plan", "What a turn is about.", RecordUse::kBoth)
          .custom(
              "activeQuestId", "the quest in focus",
              [](SchemaBook&) { return Value(ValueObject{{"type", ValueList{"string", "null"}}}); }, nullptr,
              [](const PlanContext& plan, JsonWriter& out) {
                JsonForm<std::optional<std::string>>::write(plan.active_quest_id, out);
              })
          .field("current_goal", &PlanContext::current_goal, "in words")
          .field("templateId", &PlanContext::template_id, "of the skeleton")
          .field("search_intent", &PlanContext::search_intent, "what is looked for beside the skeleton");
  return made;
}

template <>
const Record<ReportItem>& record<ReportItem>() {
  static const auto made = Record<ReportItem>("ReportItem", "What became of one candidate.", RecordUse::kTold)
                               .field("id", &ReportItem::id, "its id")
                               .field("source", &ReportItem::source, "what it is")
                               .field("score", &ReportItem::score, "of the search")
                               .field("tokens", &ReportItem::tokens, "that it takes")
                               .field("kept", &ReportItem::kept, "it stands in the prompt")
                               .field("why", &ReportItem::why, "or does not")
                               .field("preview", &ReportItem::preview, "its first characters");
  return made;
}

template <>
const Record<ReportSection>& record<ReportSection>() {
  static const auto made = Record<ReportSection>("ReportSection", "One section of a prompt.", RecordUse::kTold)
                               .field("name", &ReportSection::name, "which")
                               .field("share", &ReportSection::share, "of the window that it may take")
                               .field("budget", &ReportSection::budget, "in tokens")
                               .field("tokens", &ReportSection::tokens, "that it takes")
                               .field("items", &ReportSection::items, "its candidates");
  return made;
}

template <>
const Record<ContextReport>& record<ContextReport>() {
  using R = ContextReport;
  static const auto made =
      Record<R>("ContextReport", "How a prompt came about.", RecordUse::kTold)
          .field("window", &R::window, "of the model, in tokens")
          .field("usable", &R::usable, "of it without what the answer takes")
          .field("tokens", &R::tokens, "of the prompt")
          .field("token_mode", &R::token_mode, "how they are counted")
          .field("by", &R::by, "\"model\" where vectors took part, else \"floor\"")
          .field("policy", &R::policy, "which recipe")
          .field("layout", &R::layout, "in which order")
          .field("warn_at", &R::warn_at, "tokens from which a compaction is prepared")
          .field("compact_at", &R::compact_at, "and done")
          .field("compaction", &R::compaction, "whose summary stands in the prompt; empty: none")
          .field("compaction_missing", &R::compaction_missing, "rules that a compaction lost; none should be")
          .field("prefix_equal_bytes", &R::prefix_equal_bytes, "that this prompt begins with as the last one did")
          .field("last_prompt_bytes", &R::last_prompt_bytes, "of that last one")
          .field("prefix_break", &R::prefix_break, "the section where they differ; empty: it went on")
          .field("prompt_bytes", &R::prompt_bytes, "of this one")
          .field("sections", &R::sections, "in their order")
          .field("rules", &R::rules, "ids of the learnt rules that it contains", kSparse)
          .field("skills", &R::skills, "ids of the skills that it contains", kSparse)
          .custom("timings_ms", "what each step took", timings_schema, nullptr, write_timings);
  return made;
}

template <>
const Record<WovenContext>& record<WovenContext>() {
  using W = WovenContext;
  static const auto made =
      Record<W>("WovenContext", "A woven prompt.", RecordUse::kTold)
          .field("messages", &W::messages, "to send")
          .field("tools", &W::tools, "names of the tools to offer with it", kSparse)
          .field("plan", &W::plan, "what the turn is about, where that was asked for", kSparse)
          .field("skein", &W::skein, "the whole as one text for plain models, where that was asked for", kSparse)
          .field("answer", &W::answer, "the input only changed numbers: it is done, and this is what to say", kSparse)
          .field("notice", &W::notice, "what was to be changed and was not, and why", kSparse)
          .field("state_version", &W::state_version, "of the state that was rendered or changed", kSparse)
          .field("report", &W::report, "how it came about");
  return made;
}

template <>
const Record<CompactRequest>& record<CompactRequest>() {
  static const auto made =
      Record<CompactRequest>("CompactRequest", "How a session is to be compacted.", RecordUse::kAsked)
          .field("focus", &CompactRequest::focus, "what the summary should keep above all")
          .field("window", &CompactRequest::window, "context window of the model in tokens",
                 {.least = 0, .wanted = "a whole number of tokens"});
  return made;
}

template <>
const Record<Summary>& record<Summary>() {
  static const auto made =
      Record<Summary>("Summary", "What stands for turns that are no longer sent.", RecordUse::kTold)
          .field("id", &Summary::id, "its id")
          .field("session", &Summary::session, "of which session")
          .field("covers", &Summary::covers, "the messages it stands for")
          .field("time", &Summary::time, "of the last of them")
          .field("goals", &Summary::goals, "what is to be reached")
          .field("decisions", &Summary::decisions, "what was decided")
          .field("done", &Summary::done, "what was done")
          .field("open_items", &Summary::open_items, "what is open")
          .field("constraints", &Summary::constraints, "what must be kept to")
          .field("facts", &Summary::facts, "what is known")
          .field("risks", &Summary::risks, "what may go wrong")
          .field("by", &Summary::by, "\"model\" or \"floor\"");
  return made;
}

template <>
const Record<Candidate>& record<Candidate>() {
  using C = Candidate;
  static const auto made =
      Record<C>("Candidate", "Something worth keeping that was found before turns were compacted.", RecordUse::kTold)
          .field("candidate_id", &C::candidate_id, "its id")
          .field("source_session_id", &C::source_session_id, "\"main\", or \"group:\" and its id")
          .field("source_message_ids", &C::source_message_ids, "where it was said")
          .field("candidate_text", &C::candidate_text, "what it says")
          .field("constraint_tags", &C::constraint_tags, "of user_preference, long_term_goal, safety_boundary and fact")
          .field("confidence", &C::confidence, "how sure it is", kShare)
          .field("created_at", &C::created_at, "when it was found");
  return made;
}

template <>
const Record<CompactionReport>& record<CompactionReport>() {
  using R = CompactionReport;
  static const auto made = Record<R>("CompactionReport", "What a compaction did.", RecordUse::kTold)
                               .field("turns_kept", &R::turns_kept, "as they were said")
                               .field("turns_summarised", &R::turns_summarised, "put in short")
                               .field("messages_kept", &R::messages_kept, "as they were said")
                               .field("messages_summarised", &R::messages_summarised, "put in short")
                               .field("messages_cut", &R::messages_cut, "small talk and repeats, in no summary")
                               .field("candidates", &R::candidates, "found worth keeping")
                               .field("tokens_before", &R::tokens_before, "of the history")
                               .field("tokens_after", &R::tokens_after, "of what is left")
                               .field("summary_tokens", &R::summary_tokens, "of the summary")
                               .field("flush_skipped", &R::flush_skipped, "looking for candidates failed or was late")
                               .field("fell_back", &R::fell_back, "no summary: the last turns were kept")
                               .field("by", &R::by, "\"model\" or \"floor\"")
                               .field("restored", &R::restored, "what a check put back")
                               .field("problems", &R::problems, "on the way")
                               .field("ms", &R::ms, "how long it took");
  return made;
}

template <>
const Record<Compaction>& record<Compaction>() {
  static const auto made =
      Record<Compaction>("Compaction", "A compaction of a session. It destroys nothing.", RecordUse::kTold)
          .field("id", &Compaction::id, "its id")
          .field("summary", &Compaction::summary, "of what is not sent any more")
          .field("candidates", &Compaction::candidates, "for long-term memory")
          .field("report", &Compaction::report, "what was done, step by step")
          .field("first_kept", &Compaction::first_kept, "the first message that is sent as it was said")
          .field("shortened", &Compaction::shortened, "outputs that are sent in short form")
          .field("undone", &Compaction::undone, "it was taken back");
  return made;
}

std::string to_json(const ContextReport& report) { return to_json<ContextReport>(report); }

std::string to_json(const WovenContext& woven, bool full) {
  if (full) return to_json<WovenContext>(woven);
  WovenContext plain = woven;
  for (Message& message : plain.messages) message = chat_form(message);
  return to_json<WovenContext>(plain);
}

template <>
const Record<StateView>& record<StateView>() {
  static const auto made = Record<StateView>("StateView", "A state as it stands after a version.", RecordUse::kTold)
                               .field("name", &StateView::name, "which")
                               .field("version", &StateView::version, "0: there is none yet")
                               .field("time", &StateView::time, "of that version")
                               .field("repeated", &StateView::repeated,
                                      "the same request was answered before; nothing was changed now", kSparse)
                               .json("state", &StateView::json, "the tree", kSparse);
  return made;
}

template <>
const Record<StateVersion>& record<StateVersion>() {
  static const auto made =
      Record<StateVersion>("StateVersion", "One version of a state.", RecordUse::kTold)
          .field("version", &StateVersion::version, "its number")
          .field("time", &StateVersion::time, "when it was made")
          .field("author", &StateVersion::author, "who made it")
          .json("operations", &StateVersion::operations, "as they were applied", {}, operations_schema());
  return made;
}

template <>
const Record<StateChange>& record<StateChange>() {
  static const auto made =
      Record<StateChange>("StateChange", "Operations that take effect as a whole or not at all.", RecordUse::kAsked)
          .json(
              "operations", &StateChange::operations,
              "Applied as a whole or not at all: [\"SET\",\"ID.field\",value], [\"ADD\",\"ID.field\",number], "
              "[\"PUSH\",\"CONTAINER\",{…}], [\"POP\",\"CONTAINER\",\"ID\"], [\"DELETE\",\"ID\"]. Paths have an id and "
              "at most one field.",
              {.required = true, .wanted = "an array of operations such as [\"SET\",\"hero.hp\",5]"},
              operations_schema())
          .field("author", &StateChange::author, "who changes it")
          .field("expected_version", &StateChange::expected_version,
                 "refused where the state has another version by now", {.least = 0})
          .field("request_id", &StateChange::request_id, "Sent again with the same id, the change is made once.",
                 {.loose = true});
  return made;
}

template <>
const Record<Quest>& record<Quest>() {
  static const auto made =
      Record<Quest>("Quest", "Something to be reached, and what has to be reached before.", RecordUse::kTold)
          .field("id", &Quest::id, "its id")
          .field("title", &Quest::title, "for people")
          .field("objective", &Quest::objective, "what is to be reached")
          .field("status", &Quest::status, "how far it is")
          .field("progress", &Quest::progress, "in words")
          .field("prerequisites", &Quest::prerequisites, "quests that have to be completed first")
          .field("successors", &Quest::successors, "quests that wait for it")
          .field("tags", &Quest::tags, "its author's")
          .field("outcome", &Quest::outcome, "how it ended");
  return made;
}

template <>
const Record<LoreEntry>& record<LoreEntry>() {
  using L = LoreEntry;
  static const auto made = Record<L>("LoreEntry", "One piece of knowledge about a world.", RecordUse::kTold)
                               .field("id", &L::id, "its id")
                               .field("title", &L::title, "for people")
                               .field("text", &L::text, "what it says")
                               .field("keys", &L::keys, "words that call it up; \"/…/i\" is a pattern")
                               .field("secondary_keys", &L::secondary_keys, "looked at after a key was found")
                               .field("logic", &L::logic, "what the secondary keys ask for")
                               .field("case_sensitive", &L::case_sensitive, "of its keys")
                               .field("whole_words", &L::whole_words, "keys must not be found inside a word")
                               .field("tags", &L::tags, "its author's")
                               .field("constant", &L::constant, "stands in every prompt")
                               .field("enabled", &L::enabled, "false: kept, never used")
                               .field("order", &L::order, "higher stands nearer to the input")
                               .field("position", &L::position, "where it wants to stand")
                               .field("depth", &L::depth, "messages from the end, for history_bottom")
                               .field("role", &L::role, "as whom")
                               .field("probability", &L::probability, "percent; how often it comes when called up")
                               .field("source", &L::source, "the file it came from");
  return made;
}

template <>
const Record<LoreReport>& record<LoreReport>() {
  static const auto made = Record<LoreReport>("LoreReport", "What importing a file of lore did.", RecordUse::kTold)
                               .field("imported", &LoreReport::imported, "entries that were taken")
                               .field("left_out", &LoreReport::left_out, "entries that were not")
                               .field("problems", &LoreReport::problems, "where and why");
  return made;
}

template <>
const Record<SessionSummary>& record<SessionSummary>() {
  using S = SessionSummary;
  static const auto made = Record<S>("SessionSummary", "A conversation, as a list shows it.", RecordUse::kTold)
                               .field("session", &S::session, "its id")
                               .field("title", &S::title, "the beginning of what was said first")
                               .field("last", &S::last, "the beginning of what was said last")
                               .field("started", &S::started, "when its first message was said")
                               .field("newest", &S::newest, "when its newest message was said")
                               .field("turns", &S::turns, "how many, of the living branch")
                               .field("topics", &S::topics, "how many they were cut into")
                               .field("tokens", &S::tokens, "of all of them")
                               .field("open", &S::open, "its last turn waits for an answer");
  return made;
}

template <>
const Record<WatchedTurn>& record<WatchedTurn>() {
  using T = WatchedTurn;
  static const auto made = Record<T>("SessionTurn", "A turn, with what was decided about it.", RecordUse::kTold)
                               .field("block", &T::block, "its id")
                               .field("topic", &T::topic, "which topic it is in", kSparse)
                               .field("status", &T::status, "open, sealed by an answer, or interrupted")
                               .field("first", &T::first, "the number of its first message")
                               .field("last", &T::last, "and of its last one")
                               .field("tokens", &T::tokens, "of its messages")
                               .field("started", &T::started, "when its first message was said")
                               .field("ended", &T::ended, "and its last one")
                               .field("asked", &T::asked, "the beginning of its first message")
                               .custom(
                                   "decision", "why it joined its topic or began one; left out where that was not kept",
                                   [](SchemaBook& book) { return record<Decision>().schema(book); }, nullptr,
                                   [](const T& turn, JsonWriter& out) { out.raw(turn.decision); }, kSparse,
                                   [](const T& turn) { return turn.decision.empty(); });
  return made;
}

template <>
const Record<WatchedTopic>& record<WatchedTopic>() {
  using T = WatchedTopic;
  static const auto made = Record<T>("SessionTopic", "A topic of a conversation.", RecordUse::kTold)
                               .field("topic", &T::topic, "its id")
                               .field("open", &T::open, "turns may still join it")
                               .field("reason", &T::reason, "why it was closed", kSparse)
                               .field("turns", &T::turns, "how many it has")
                               .field("tokens", &T::tokens, "of them")
                               .field("started", &T::started, "when it began")
                               .field("newest", &T::newest, "when its newest message was said")
                               .field("lead", &T::lead, "what an earlier part told, standing at its head", kSparse)
                               .field("written", &T::written, "its memories are written");
  return made;
}

template <>
const Record<WatchedTurns>& record<WatchedTurns>() {
  using S = WatchedTurns;
  static const auto made = Record<S>("WatchedTurns", "How a conversation was cut into topics.", RecordUse::kTold)
                               .field("session", &S::session, "its id")
                               .field("turns", &S::turns, "the newest, oldest first")
                               .field("topics", &S::topics, "that they are in");
  return made;
}

template <>
const Record<PastContext>& record<PastContext>() {
  using P = PastContext;
  static const auto made = Record<P>("PastContext", "A prompt that was woven.", RecordUse::kTold)
                               .field("id", &P::id, "grows by one a prompt since the start")
                               .field("time", &P::time, "when")
                               .field("session", &P::session, "for which session")
                               .field("model", &P::model, "that the caller named", kSparse)
                               .field("input", &P::input, "the beginning of what was asked")
                               .field("report", &P::report, "how it came about");
  return made;
}

template <>
const Record<Happening>& record<Happening>() {
  using H = Happening;
  static const auto made =
      Record<H>("Happening", "Something that happened lately.", RecordUse::kTold)
          .field("id", &H::id, "its number, which grows and is kept over restarts; live events have none", kSparse)
          .field("time", &H::time, "when")
          .field("kind", &H::kind, "what happened; context, job and run are live")
          .field("about", &H::about, "the session or the run", kSparse)
          .json("payload", &H::payload,
                "by kind: a StoredMessage, a Decision, a Flushed topic, an empty object (end), the id of a question or "
                "of a report, kind and id of a document, the id and size of a prompt, the kind and outcome of a job, "
                "or a BusEvent");
  return made;
}

namespace {

constexpr JsonLimits kLimits{.max_bytes = 4 << 20};

}  // namespace

std::string to_json(const SessionTask& task) { return to_json<SessionTask>(task); }

Result<SessionTask> parse_session_task(std::string_view json, std::string_view place) {
  WEFT_CHECK(check_json(json, kLimits, place));
  json = trimmed(json);
  SessionTask task;
  if (json.starts_with('"')) {
    WEFT_TRY(task.state.description, json_text(json));
    return task;
  }
  if (!json.starts_with('{')) return wrong_field(place, "an object, or a description");
  WEFT_CHECK(record<SessionTask>().read(json, "task", task));
  return task;
}

std::string to_json(const std::vector<Preference>& preferences) {
  JsonWriter out;
  JsonForm<std::vector<Preference>>::write(preferences, out);
  return out.take();
}

Result<std::vector<Preference>> parse_preferences(std::string_view json, std::string_view place) {
  WEFT_CHECK(check_json(json, kLimits, place));
  json = trimmed(json);
  std::vector<Preference> preferences;
  if (!json.starts_with('[')) return wrong_field(place, "an array of objects");
  WEFT_CHECK(JsonForm<std::vector<Preference>>::read(json, "preferences", {}, preferences));
  return preferences;
}

TaskState merged(const TaskState& known, const TaskState& given) {
  if (!given.description.empty() && given.description != known.description) return given;
  TaskState task = known;
  const auto take = [](auto& into, const auto& from) {
    if (!from.empty()) into = from;
  };
  take(task.type, given.type);
  take(task.done, given.done);
  take(task.current, given.current);
  take(task.remaining, given.remaining);
  take(task.warnings, given.warnings);
  take(task.constraints, given.constraints);
  return task;
}

}  // namespace weft
