#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/call_context.h"
#include "model/records.h"
#include "model/rows.h"
#include "surface/api/scope_of_request.h"
#include "surface/http/exchange.h"
#include "weft/engine.h"
#include "weft/result.h"

namespace weft {

// Answers that are lists: an object with one member, so that others may come beside it.

/// Some described things, as an answer.
template <class T>
struct List {
  std::vector<T> all;
};

/// What a list of them is called: "items".
template <class T>
inline constexpr std::string_view kListName = "";
template <>
inline constexpr std::string_view kListName<Item> = "items";
template <>
inline constexpr std::string_view kListName<StoredMessage> = "messages";
template <>
inline constexpr std::string_view kListName<JobInfo> = "jobs";
template <>
inline constexpr std::string_view kListName<UsageRow> = "usage";
template <>
inline constexpr std::string_view kListName<ProfileVersion> = "versions";
template <>
inline constexpr std::string_view kListName<ProfileSummary> = "profiles";
template <>
inline constexpr std::string_view kListName<StateVersion> = "versions";
template <>
inline constexpr std::string_view kListName<Quest> = "quests";
template <>
inline constexpr std::string_view kListName<LoreEntry> = "lore";
template <>
inline constexpr std::string_view kListName<Compaction> = "compactions";
template <>
inline constexpr std::string_view kListName<EraseReceipt> = "receipts";
template <>
inline constexpr std::string_view kListName<GroupTrace> = "groups";
template <>
inline constexpr std::string_view kListName<Preference> = "preferences";
template <>
inline constexpr std::string_view kListName<AgentRun> = "runs";
template <>
inline constexpr std::string_view kListName<BusEvent> = "events";

/// {"items":[…]}
template <class T>
std::string list_json(std::span<const T> all) {
  JsonWriter out;
  out.begin('{');
  out.name(kListName<T>);
  out.begin('[');
  for (const T& one : all) record<T>().write(one, out);
  out.end(']');
  out.end('}');
  return out.take();
}

template <class T>
std::string list_json(const std::vector<T>& all) {
  return list_json(std::span<const T>(all));
}

// What the server can be asked: each operation stands once, with its path, what it takes and gives, and what it does.
// The router, `weft help http` and /openapi.json are made from it.

/// Whose memory an operation works on.
enum class Whose {
  kNobody,  ///< the workspace's own
  kScope,   ///< of the user or the group that the request names
  kUser,    ///< of the user alone: it looks through all groups, and in the name of one it is refused
  kStory,   ///< likewise, or the world's own that ?world= names
};

/// Something in a request's query.
struct Parameter {
  std::string name, doc;
  Value schema;
};

Parameter text_parameter(std::string name, std::string doc);
/// A day as YYYY-MM-DD, or an empty text.
Value day_schema();
Parameter day_parameter(std::string name, std::string doc);
/// An id, as `check_id` wants it.
Parameter id_parameter(std::string name, std::string doc, IdNeed need);
Parameter number_parameter(std::string name, std::string doc, std::int64_t least);
/// How many at most, see `Call::limit`.
Parameter limit_parameter();

/// One call of an operation, its names read and checked.
struct Call {
  Engine& engine;
  const http::Request& request;
  http::ResponseWriter& out;
  RequestContext context;

  const std::string& path(const std::string& name) const { return request.params.at(name); }
  /// The session in the path, {id}.
  Result<SessionId> session() const;
  /// ?limit=, a whole number from 1 to 10000; `otherwise` where it is left out.
  Result<std::size_t> limit(std::size_t otherwise) const;
  /// A whole number in the query, `otherwise` where it is left out.
  Result<std::int64_t> number(const std::string& name, std::int64_t otherwise) const;
  /// A text in the query; empty where it is left out.
  std::string text(const std::string& name) const;
};

/// Names of users and worlds may stand beside the fields of every body.
inline constexpr std::array<std::string_view, 3> kBesideFields{"user", "metadata", "world"};

/// How a body is read and described. This one is for described structs.
template <class Body>
struct BodyForm {
  static Result<Body> read(std::string_view body, const Config& config) {
    return parse_record<Body>(body, "the body", body_limits(body, config), kBesideFields);
  }
  static Value schema(SchemaBook& book) { return record<Body>().schema(book); }
  static constexpr std::string_view kType = "application/json";
};

/// How an answer is written and described.
template <class Answer>
struct ReplyForm {
  static std::string write(const Answer& answer) { return to_json<Answer>(answer); }
  static Value schema(SchemaBook& book) { return record<Answer>().schema(book); }
};

template <class T>
struct ReplyForm<List<T>> {
  static std::string write(const List<T>& list) { return list_json(std::span<const T>(list.all)); }
  static Value schema(SchemaBook& book) {
    const std::string name(kListName<T>);
    return ValueObject{{"type", "object"},
                       {"properties", ValueObject{{name, JsonForm<std::vector<T>>::schema(book, {})}}},
                       {"required", ValueList{name}}};
  }
};

template <class A, class B>
struct ReplyForm<std::variant<A, B>> {
  static std::string write(const std::variant<A, B>& answer) {
    return std::visit([](const auto& one) { return ReplyForm<std::decay_t<decltype(one)>>::write(one); }, answer);
  }
  static Value schema(SchemaBook& book) {
    return ValueObject{{"anyOf", ValueList{ReplyForm<A>::schema(book), ReplyForm<B>::schema(book)}}};
  }
};

/// One thing that the server can be asked.
struct Operation {
  std::string id;  ///< stable: "search"
  std::string method, path, summary;
  Whose whose = Whose::kScope;
  Right right = Right::kWrite;   ///< that a caller's key must have
  bool tells_of_nobody =
      false;  ///< of what belongs to nobody: every key opens it, also one that is for some users only
  bool tells_no_text = false;  ///< nothing that was said stands in its answer, which may outlive an erasure
  std::vector<Parameter> query;
  std::function<Value(SchemaBook&)> body;  ///< null: it takes none
  std::string body_type;
  BodyKind body_kind = BodyKind::kJson;
  bool body_needed = true;
  std::function<Value(SchemaBook&)> answer;  ///< null: not JSON
  std::string answer_type = "application/json";
  bool lists = false;  ///< it answers a list a page at a time, see list_operation.h
  std::vector<int> also;  ///< other codes that come with the same answer
  std::function<void(Engine&, const http::Request&, http::ResponseWriter&)> run;
};

/// Reads the names of a request. `kNobody` reads none.
Result<Call> call_of(Engine& engine, const http::Request& request, http::ResponseWriter& out, Whose whose,
                     BodyKind kind = BodyKind::kJson);

/// Whom models that a call asks are put down to.
Account account_of(const Call& call, Whose whose);

/// Does `work` for whoever a request names, and puts the models that it asks down to them; else answers what is wrong.
template <class Work>
void with_call(Engine& engine, const http::Request& request, http::ResponseWriter& out, Whose whose, BodyKind kind,
               Work work) {
  const auto call = call_of(engine, request, out, whose, kind);
  if (!call.ok()) return http::send_error(out, call.error());
  const CallScope scope(account_of(*call, whose));
  work(*call);
}

/// An operation without a body. `line` is its method and path.
Operation bare_operation(std::string id, std::string_view line, std::string summary, Whose whose,
                         std::vector<Parameter> query);

template <class Answer>
void send(const Result<Answer>& answer, http::ResponseWriter& out) {
  if (!answer.ok()) return http::send_error(out, answer.error());
  out.send(200, "application/json", ReplyForm<Answer>::write(*answer));
}

/// The caller's key goes as far as the operation, and whom the request names. What concerns the whole workspace is not
/// for keys of some users.
Status check_access(const Operation& operation, const http::Request& request, const Config& config);

/// What takes no fields says so, where its caller sends some.
Status check_no_body(const http::Request& request);

template <class Answer>
Operation operation(std::string id, std::string_view line, std::string summary, Whose whose,
                    Result<Answer> (*work)(const Call&), std::vector<Parameter> query = {}) {
  Operation made = bare_operation(std::move(id), line, std::move(summary), whose, std::move(query));
  made.answer = [](SchemaBook& book) { return ReplyForm<Answer>::schema(book); };
  made.run = [work, whose](Engine& engine, const http::Request& request, http::ResponseWriter& out) {
    if (auto bare = check_no_body(request); !bare.ok()) return http::send_error(out, bare.error());
    with_call(engine, request, out, whose, BodyKind::kJson, [&](const Call& call) { send(work(call), out); });
  };
  return made;
}

template <class Body, class Answer>
Operation operation(std::string id, std::string_view line, std::string summary, Whose whose,
                    Result<Answer> (*work)(const Call&, Body), std::vector<Parameter> query = {}) {
  Operation made = bare_operation(std::move(id), line, std::move(summary), whose, std::move(query));
  made.body = [](SchemaBook& book) { return BodyForm<Body>::schema(book); };
  made.body_type = BodyForm<Body>::kType;
  made.body_kind = made.body_type == "application/json" ? BodyKind::kJson : BodyKind::kFile;
  made.answer = [](SchemaBook& book) { return ReplyForm<Answer>::schema(book); };
  made.run = [work, whose, kind = made.body_kind](Engine& engine, const http::Request& request,
                                                  http::ResponseWriter& out) {
    with_call(engine, request, out, whose, kind, [&](const Call& call) {
      auto body = BodyForm<Body>::read(request.body, engine.config());
      send(body.ok() ? work(call, std::move(body).value()) : Result<Answer>(body.error()), out);
    });
  };
  return made;
}

/// All operations of the REST interface, in the order in which they are told.
const std::vector<Operation>& operations();

// Its parts.
std::vector<Operation> session_operations();
std::vector<Operation> memory_operations();
std::vector<Operation> profile_operations();
std::vector<Operation> story_operations();
std::vector<Operation> care_operations();
std::vector<Operation> knowledge_operations();
std::vector<Operation> growth_operations();
std::vector<Operation> agent_operations();
std::vector<Operation> research_operations();
std::vector<Operation> reflection_operations();
std::vector<Operation> skill_operations();
std::vector<Operation> adaptation_operations();
std::vector<Operation> watch_operations();
std::vector<Operation> usage_operations();

/// The longest cursor that is given or taken, in bytes.
inline constexpr std::size_t kMaxCursor = 4096;
/// That of a search, which stands in a body.
inline constexpr std::size_t kMaxSearchCursor = 16'384;

/// A place in a list as clients carry it, in hexadecimal. `list` names the list with all that decides what is in it:
/// whose it is, and its filters. It needs no memory of the server's, so it outlives a restart.
std::string cursor_of(std::string_view list, std::string_view place);

/// The place that a cursor holds; empty for an empty cursor. kInvalidArgument for what is no cursor, and for one of
/// another list.
Result<std::string> place_of_cursor(std::string_view list, std::string_view cursor, std::size_t most = kMaxCursor);

/// A short mark of a text, always the same for the same text: 16 hexadecimal digits.
std::string mark_of(std::string_view text);

/// What is said of a cursor that nobody was given.
Error no_cursor();

// Lists a page at a time. A place is the key of the last thing that a page gave: whatever is added meanwhile, the next
// page begins behind it.

/// Which stretch of a list is wanted.
struct PageWanted {
  std::size_t limit = 100;
  std::string after;  ///< the place that the page before ended at; empty: from the beginning

  /// The place as the number that it was made of, 0 for the beginning. kInvalidArgument where it is none.
  Result<std::int64_t> number() const;
};

/// A page: the answer as it is without pages, and where it ended.
template <class Answer>
struct Paged {
  Answer answer;
  std::string place;  ///< empty: nothing follows
};

/// How a list that is read as a whole goes on behind a place.
enum class ListOrder {
  kByKey,  ///< it is put in the order of keys, so it goes on also where the thing at the place is gone
  kAsGiven,  ///< it stands in an order of its own, and goes on behind the thing at the place, or one shortly before it
};

/// Where a page of such a list begins, by its keys in order; its place beyond the end where nothing follows.
/// kConflict where all things that the place names are gone.
Result<std::size_t> begin_of_page(std::span<const std::string> keys, ListOrder order, const PageWanted& wanted);

/// The place of the thing with this number: its key and, `kAsGiven`, those of some before it.
std::string place_at(std::span<const std::string> keys, ListOrder order, std::size_t last);

/// Keys that several things share get numbers, so that each is one thing's alone.
void make_unique(std::vector<std::string>& keys);

/// A number as a key: texts of them are in the order of the numbers.
std::string number_key(std::int64_t number);

/// A page of a list that is there as a whole.
template <class T, class KeyOf>
Result<Paged<std::vector<T>>> page_of(std::vector<T> all, ListOrder order, const PageWanted& wanted, KeyOf key_of) {
  if (order == ListOrder::kByKey)
    std::stable_sort(all.begin(), all.end(), [&](const T& a, const T& b) { return key_of(a) < key_of(b); });
  std::vector<std::string> keys;
  for (const T& one : all) keys.push_back(key_of(one));
  make_unique(keys);
  WEFT_TRY(const std::size_t begin, begin_of_page(keys, order, wanted));
  const std::size_t end = std::min(all.size(), begin + wanted.limit);
  Paged<std::vector<T>> page;
  for (std::size_t i = begin; i < end; ++i) page.answer.push_back(std::move(all[i]));
  if (end < all.size()) page.place = place_at(keys, order, end - 1);
  return page;
}

// Operations that answer a list. Each takes ?limit= and ?cursor=, and gives "next" where more follows: the cursor of
// the next page.

/// Lists that were always cut give this many, where nobody says how many are wanted.
inline constexpr std::size_t kUsualPage = 100;
/// Lists that were always whole stay so for whoever asks for no pages, up to the most that a page can hold.
inline constexpr std::size_t kWholePage = 10'000;

/// What is wanted of a list, by the call's limit and cursor. kInvalidArgument for a cursor of another list.
Result<PageWanted> page_wanted(const Call& call, const std::string& operation, std::size_t limit);

/// What is said of a "next" in answers.
inline constexpr const char* kNextDoc = "the cursor of the next page; not there where this is the last one";

/// The cursor of a place of the call's list; empty for an empty one.
std::string next_cursor(const Call& call, const std::string& operation, const std::string& place);

/// A list as JSON, with a "next" where that is not empty.
std::string with_next(std::string list, const std::string& next);

/// Answers that are no bare lists have a field of their own for the cursor of the next page.
template <class Answer>
std::string page_json(Answer& answer, std::string next) {
  if constexpr (requires { answer.next; }) {
    answer.next = std::move(next);
    return ReplyForm<Answer>::write(answer);
  } else {
    return with_next(ReplyForm<Answer>::write(answer), next);
  }
}

/// Adds to an operation what all lists take, and to the schema of its answer what they give.
Operation listing(Operation made, std::size_t limit);

/// An operation that answers a list; `limit` holds where nobody says how many are wanted.
template <class Answer>
Operation list_operation(std::string id, std::string_view line, std::string summary, Whose whose,
                         Result<Paged<Answer>> (*work)(const Call&, const PageWanted&),
                         std::vector<Parameter> query = {}, std::size_t limit = kUsualPage) {
  Operation made = bare_operation(std::move(id), line, std::move(summary), whose, std::move(query));
  made.answer = [](SchemaBook& book) { return ReplyForm<Answer>::schema(book); };
  made.run = [work, whose, limit, id = made.id](Engine& engine, const http::Request& request,
                                                http::ResponseWriter& out) {
    with_call(engine, request, out, whose, BodyKind::kJson, [&](const Call& call) {
      const auto wanted = page_wanted(call, id, limit);
      if (!wanted.ok()) return http::send_error(out, wanted.error());
      auto page = work(call, *wanted);
      if (!page.ok()) return http::send_error(out, page.error());
      out.send(200, "application/json", page_json(page->answer, next_cursor(call, id, page->place)));
    });
  };
  return listing(std::move(made), limit);
}

/// One that answers what there is of a kind as a whole, cut into pages here. `list` gives all, `key` names one of them.
template <class T>
Operation list_operation(std::string id, std::string_view line, std::string summary, Whose whose, ListOrder order,
                         Result<std::vector<T>> (*list)(const Call&), std::string (*key)(const T&),
                         std::vector<Parameter> query = {}, std::size_t limit = kWholePage) {
  Operation made = bare_operation(std::move(id), line, std::move(summary), whose, std::move(query));
  made.answer = [](SchemaBook& book) { return ReplyForm<List<T>>::schema(book); };
  made.run = [list, key, order, whose, limit, id = made.id](Engine& engine, const http::Request& request,
                                                            http::ResponseWriter& out) {
    with_call(engine, request, out, whose, BodyKind::kJson, [&](const Call& call) {
      const auto wanted = page_wanted(call, id, limit);
      if (!wanted.ok()) return http::send_error(out, wanted.error());
      auto all = list(call);
      if (!all.ok()) return http::send_error(out, all.error());
      auto page = page_of(std::move(all).value(), order, *wanted, key);
      if (!page.ok()) return http::send_error(out, page.error());
      out.send(200, "application/json", with_next(list_json(page->answer), next_cursor(call, id, page->place)));
    });
  };
  return listing(std::move(made), limit);
}

/// Of one more than wanted, newest last: the page of the newest, whose place is what `place` says of its first one.
template <class T, class PlaceOf>
Paged<List<T>> newest_page(std::vector<T> found, const PageWanted& wanted, PlaceOf place) {
  Paged<List<T>> page;
  if (found.size() > wanted.limit) {
    found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(wanted.limit));
    page.place = place(found.front());
  }
  page.answer.all = std::move(found);
  return page;
}

/// Of one more than wanted, in the order of the list: the page of the first, whose place is what `place` says of its
/// last one.
template <class T, class PlaceOf>
Paged<List<T>> first_page(std::vector<T> found, const PageWanted& wanted, PlaceOf place) {
  Paged<List<T>> page;
  if (found.size() > wanted.limit) {
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(wanted.limit), found.end());
    page.place = place(found.back());
  }
  page.answer.all = std::move(found);
  return page;
}

}  // namespace weft
