#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/growth_records.h"
#include "model/records.h"
#include "surface/api/operation.h"

namespace weft {

// Bodies of requests that are more than one object of fields.

/// The bounds on messages that the configuration sets.
MessageLimits message_limits(const Config& config);

/// Sets who said each message of a group, where the message says so by "sender_id". Only calls of our own API say it,
/// whose names are checked.
Status read_senders(std::vector<Message>& messages);

/// What observe takes: one message, an array, or {"messages":[…]}.
struct Observed {
  std::vector<Message> all;
};

template <>
struct BodyForm<Observed> {
  static Result<Observed> read(std::string_view body, const Config& config);
  static Value schema(SchemaBook& book);
  static constexpr std::string_view kType = "application/json";
};

WEFT_DESCRIBED(ContextRequest);

/// Its messages are read where they stand, since each is kept as it came.
template <>
struct BodyForm<ContextRequest> {
  static Result<ContextRequest> read(std::string_view body, const Config& config);
  static Value schema(SchemaBook& book);
  static constexpr std::string_view kType = "application/json";
};

/// An object of the task's fields, or a text that is its description.
template <>
struct BodyForm<SessionTask> {
  static Result<SessionTask> read(std::string_view body, const Config& config);
  static Value schema(SchemaBook& book);
  static constexpr std::string_view kType = "application/json";
};

/// An array.
template <>
struct BodyForm<std::vector<Preference>> {
  static Result<std::vector<Preference>> read(std::string_view body, const Config& config);
  static Value schema(SchemaBook& book);
  static constexpr std::string_view kType = "application/json";
};

/// An object with "operations", or an array of operations alone.
template <>
struct BodyForm<StateChange> {
  static Result<StateChange> read(std::string_view body, const Config& config);
  static Value schema(SchemaBook& book);
  static constexpr std::string_view kType = "application/json";
};

/// The body is a file as it stands.
struct FileBody {
  std::string bytes;
};

template <>
struct BodyForm<FileBody> {
  static Result<FileBody> read(std::string_view body, const Config&) { return FileBody{std::string(body)}; }
  static Value schema(SchemaBook&) { return ValueObject{{"type", "string"}}; }
  static constexpr std::string_view kType = "text/plain";
};

/// JSON that is looked at by whoever it is for.
struct AnyJson {
  std::string json;
};

template <>
struct BodyForm<AnyJson> {
  static Result<AnyJson> read(std::string_view body, const Config&) { return AnyJson{std::string(body)}; }
  static Value schema(SchemaBook&) { return ValueObject{{"type", "object"}}; }
  static constexpr std::string_view kType = "application/json";
};

template <>
struct ReplyForm<AnyJson> {
  static std::string write(const AnyJson& answer) { return answer.json; }
  static Value schema(SchemaBook&) { return ValueObject{{"type", "object"}}; }
};

/// A report as it comes from outside: what is kept of old ones may lack what a new one has to say.
struct ReportBody {
  TaskReport report;
};

template <>
struct BodyForm<ReportBody> {
  static Result<ReportBody> read(std::string_view body, const Config& config) {
    WEFT_TRY(auto report, BodyForm<TaskReport>::read(body, config));
    if (report.id.empty()) return wrong_field("id", "given: by which it counts once");
    if (report.task.empty()) return wrong_field("task", "given: as it was asked for");
    return ReportBody{std::move(report)};
  }

  // As it is told, and with what a new one has to say.
  static Value schema(SchemaBook& book) {
    return book.use("NewTaskReport", [](SchemaBook&) {
      SchemaBook inlined(true);
      Value known = BodyForm<TaskReport>::schema(inlined);
      for (const char* name : {"id", "task"})
        known.find("properties")->find(name)->object()->emplace_back("minLength", 1);
      known.object()->emplace_back("required", ValueList{"id", "task"});
      return known;
    });
  }
  static constexpr std::string_view kType = "application/json";
};

/// Which part of a kept message is wanted.
struct ReadOutput {
  std::string id;
  std::size_t from_line = 1;
  std::size_t lines = 200;
  std::string find;  ///< only lines that hold it; empty: all
};

/// A line of a message that holds what was looked for.
struct LineFound {
  std::size_t line = 0;
  std::string text;
};

/// Lines of a message as it was said: those asked for, or those that hold what was looked for.
struct OutputPart {
  std::string id, session;
  Role role = Role::kTool;
  std::size_t lines = 0;  ///< of the whole message
  std::optional<std::size_t> from_line, to_line;
  std::optional<std::string> text;
  std::optional<std::vector<LineFound>> matches;
  std::size_t more = 0;  ///< matches that were left out
};

WEFT_DESCRIBED(ReadOutput);
WEFT_DESCRIBED(LineFound);
WEFT_DESCRIBED(OutputPart);

/// Reads a part of a message. The same id may stand in several sessions: that of `session` is meant, where it is given
/// and has one, else the newest. kNotFound names the id.
Result<OutputPart> read_output(Engine& engine, const RequestContext& request, const SessionId& session,
                               const ReadOutput& what);

/// A search as people and programs ask for it. Times are in RFC 3339, dates, or words such as "last week" and 三月.
struct SearchBody {
  std::string query;
  std::size_t top_k = 10;
  std::vector<ItemKind> kinds;
  std::string from, to, as_of;
  std::optional<Time> asked;
  std::optional<SessionId> session, not_session;
  std::string who, topic;
  std::string recipe;
  std::optional<EventFilter> where;
  double min_relevance = 0;
  bool compact = false;
  std::optional<std::string> cursor;  ///< of the page that is wanted; empty: the first one
};

WEFT_DESCRIBED(SearchBody);

/// What the engine is asked, its times read as seen from `asked`, else from `now`. Errors name the wrong field.
/// Where `who` or `topic` is given, more is asked for than is wanted, see `keep_wanted`.
Result<SearchRequest> search_request(const SearchBody& body, Time now);

/// Leaves of what was found what the body wants: sure enough, by whom it was said, in which topic, and not more than
/// `top_k`. For person and topic the best thousand hits are looked through.
void keep_wanted(const SearchBody& body, SearchResult& result);

// A search a page at a time. Ranks change while memories are added, so a cursor holds which hits were given (as short
// marks), and a page gives the best of the others: each hit comes once.

/// Hits that earlier pages gave.
struct GivenHits {
  std::set<std::string> marks;

  /// Out of a cursor's place; kInvalidArgument where it is none.
  static Result<GivenHits> at(std::string_view place);
  /// As a place: these, and the hits of the page.
  std::string with(const SearchResult& page) const;
};

/// What decides what a search finds, for its cursor: the body but for its page.
Result<std::string> search_name(std::string_view body);

/// Asks for so much more that a page behind these is full.
void look_behind(const GivenHits& given, SearchRequest& what);

/// Takes out of a result what was given before.
void leave_out(const GivenHits& given, SearchResult& result);

/// Whether another page may follow this one.
bool may_go_on(const GivenHits& given, const SearchBody& body, const SearchResult& page);

/// What a model needs of a hit: a short id, its day, who said it, what it says, until when it held, and a warning where
/// a tool said it and it reads as if it gave orders.
struct CompactHit {
  std::string id, date, who, text, until, warning;
};

/// What a model needs of a search's result; nothing empty, no scores:
/// {"known":true,"hits":[{"id":"9f3a01c2","date":"2026-05-03","who":"Ann","text":"…","until":"2026-05-20"}]}
struct CompactResult {
  bool known = false;
  std::vector<CompactHit> hits;
};

WEFT_DESCRIBED(CompactHit);
WEFT_DESCRIBED(CompactResult);

CompactResult compact_result(const SearchResult& result);

/// The short id of an item: eight hexadecimal digits made from its id. Two of a scope may share one by chance.
std::string short_id(const ItemId& id);

}  // namespace weft
