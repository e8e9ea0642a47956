#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/call_context.h"
#include "model/records.h"
#include "model/scope_key.h"
#include "surface/api/lists.h"
#include "surface/api/scope_of_request.h"
#include "surface/http/errors.h"
#include "surface/http/router.h"
#include "weft/engine.h"

/// What the server can be asked: each operation stands once, with its path, what it takes and gives, and what it does.
/// The router, `weft help http` and /openapi.json are made from it.
namespace weft {

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

}  // namespace weft
