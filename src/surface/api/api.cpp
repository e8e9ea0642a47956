#include "surface/api/api.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "surface/access/key_ring.h"
#include "surface/api/openapi.h"
#include "surface/api/operation.h"
#include "surface/api/scope_of_request.h"
#include "surface/http/exchange.h"
#include "text/json.h"
#include "text/utf8.h"
#include "weft/scope.h"

namespace weft {
namespace {

/// Hands a whole answer to `keep` before the client has it: who asks again at once, because the answer was lost on its
/// way, finds it kept.
class KeepingWriter final : public http::PassingWriter {
 public:
  using Keep = std::function<void(int status, std::string_view type, std::string_view body)>;

  KeepingWriter(http::ResponseWriter& out, Keep keep) : PassingWriter(out), keep_(std::move(keep)) {}

  void send(int code, std::string_view content_type, std::string_view text) override {
    keep_(code, content_type, text);
    PassingWriter::send(code, content_type, text);
  }

 private:
  Keep keep_;
};

// Whose key it is: two callers may draw the same one. Neither is written down.
std::string name_of(const http::Request& request) {
  std::string key(request.header("idempotency-key"));
  for (const std::string_view part :
       {std::string_view(request.access.name), request.header("x-weft-user"), request.header("x-weft-group")})
    key.append("\n").append(part);
  return sha256_of(key);
}

std::uint64_t hash_of(const http::Request& request) {
  std::string all = request.method + " " + request.path + "\n";
  for (const auto& [name, value] : request.query) all.append(name).append("=").append(value).append("\n");
  all += request.body;
  return XXH3_64bits(all.data(), all.size());
}

// What the server could not do, and what its client did not wait for, may be tried again.
bool is_kept(int status) {
  constexpr int kGaveUp = 499;
  return status < kGaveUp;
}

void send_conflict(http::ResponseWriter& out, const char* what, const char* advice) {
  http::send_error(out, conflict(what, advice));
}

}  // namespace

RepeatedCalls::RepeatedCalls(std::filesystem::path workspace, RepeatLimits limits)
    : limits_(limits), files_(std::move(workspace)) {}

// What a program that ended has left: of a call without an answer nobody knows how it ended.
Status RepeatedCalls::read_once() {
  if (read_) return {};
  WEFT_TRY(auto all, files_.list());
  for (auto& [answer, bytes] : all) {
    const State state = answer.status == 0 ? State::kUnknown : State::kKept;
    calls_.push_back({std::move(answer), state, ++number_, bytes});
    places_.emplace(calls_.back().answer.name, std::prev(calls_.end()));
    bytes_ += bytes;
  }
  read_ = true;
  return {};
}

void RepeatedCalls::forget(Place place) {
  if (const Status gone = files_.remove(place->answer.name); !gone.ok()) log_warning("answers", gone.error().message);
  bytes_ -= place->bytes;
  places_.erase(place->answer.name);
  calls_.erase(place);
}

// What is at work keeps its place: it would be worked off twice.
void RepeatedCalls::forget_old(Time now) {
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(limits_.age).count();
  for (auto one = calls_.begin(); one != calls_.end();) {
    const bool old = now.ms - one->answer.made.ms > age;
    if (!old && calls_.size() <= limits_.answers && bytes_ <= limits_.bytes) return;
    const Place place = one++;
    if (place->state != State::kAtWork) forget(place);
  }
}

void RepeatedCalls::repeat(const Call& former, std::uint64_t request, http::ResponseWriter& out) const {
  if (former.answer.request != request) {
    constexpr int kOtherContent = 422;
    const auto error = conflict("this Idempotency-Key came with another request", "draw a new one");
    return out.send(kOtherContent, "application/json", http::error_json(error));
  }
  if (former.state == State::kAtWork)
    return send_conflict(out, "the first request with this Idempotency-Key is still at work", "ask again in a moment");
  const auto kept = former.state == State::kKept ? files_.find(former.answer.name) : not_found("");
  if (!kept.ok())
    return send_conflict(out,
                         "the server ended while the first request with this Idempotency-Key was at work: how far it "
                         "came is not known, and it was not done again",
                         "look whether what it was to change has changed (GET it); if not, send it with a new key");
  if (kept->forgotten)
    return send_conflict(out, "this request was worked off once, and what was answered has been erased since",
                         "GET what it was to change; draw a new Idempotency-Key to do it again");
  out.header("Idempotent-Replayed", "true");
  out.send(kept->status, kept->type, kept->body);
}

void RepeatedCalls::answer(const http::Request& request, const ScopeKey& scope, http::ResponseWriter& out,
                           const Work& work, Time now) {
  if (const Status fine = check_id(request.header("idempotency-key"), "Idempotency-Key"); !fine.ok())
    return http::send_error(out, fine.error());
  FiledAnswer call{name_of(request), scope, hash_of(request), 0, false, now, {}, {}};
  std::unique_lock lock(mutex_);
  if (const Status read = read_once(); !read.ok()) return http::send_error(out, read.error());
  forget_old(now);
  if (const auto known = places_.find(call.name); known != places_.end()) {
    const Call former = *known->second;
    lock.unlock();
    return repeat(former, call.request, out);
  }
  const std::uint64_t number = ++number_;
  calls_.push_back({call, State::kAtWork, number, 0});
  places_.emplace(call.name, std::prev(calls_.end()));
  lock.unlock();
  const AtEnd settled([&] { guarded_or_logged("answers", [&] { give_up(call.name, number); }); });
  if (const Status noted = files_.put(call); !noted.ok()) return http::send_error(out, noted.error());
  KeepingWriter kept(out, [&](int status, std::string_view type, std::string_view body) {
    if (!is_kept(status)) return give_up(call.name, number);
    call.status = status;
    call.type = type;
    call.body = body;
    keep(call, number);
  });
  work(kept);
}

RepeatedCalls::Place RepeatedCalls::at_work(const std::string& name, std::uint64_t number) {
  const auto own = places_.find(name);
  const bool open = own != places_.end() && own->second->number == number && own->second->state == State::kAtWork;
  return open ? own->second : calls_.end();
}

// The file first: from then on nobody can be given another answer. One that cannot be written is told all the same.
void RepeatedCalls::keep(const FiledAnswer& answer, std::uint64_t number) {
  const Status written = files_.put(answer);
  if (!written.ok()) log_warning("answers", written.error().message);
  const std::lock_guard lock(mutex_);
  const Place own = at_work(answer.name, number);
  if (own == calls_.end()) return;
  own->state = written.ok() ? State::kKept : State::kUnknown;
  own->bytes = answer.body.size();
  bytes_ += own->bytes;
}

void RepeatedCalls::give_up(const std::string& name, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (const Place own = at_work(name, number); own != calls_.end()) forget(own);
}

namespace {

constexpr std::size_t kMostCharacters = 128;  // of an id in the log
constexpr std::size_t kMostIds = 20;          // that one answer adds

/// A member of a body or an answer, and how the log calls it.
struct Named {
  std::string_view member, noun;
};

/// What is noted of an operation beside who called it.
struct Noted {
  std::string_view operation;
  std::string_view noun = {};            ///< of {id} or {name} in the path
  std::vector<Named> body = {};          ///< ids, closed choices and numbers; never words
  std::vector<Named> answer = {};
  std::string_view list = {};            ///< a list of the answer whose members have these
};

const std::vector<Noted>& all_noted() {
  static const std::vector<Noted> all{
      {"erase", {}, {{"session", "session"}}, {{"id", "receipt"}}},
      {"erase_in_groups", {}, {}, {{"id", "receipt"}}, "receipts"},
      {"export"},
      {"backup", "backup"},
      {"retry", "job"},
      {"retry_failed"},
      {"plan_learning"},
      {"change_rule", "rule", {{"action", "action"}, {"version", "version"}}},
      {"propose_mutations", {}, {{"skill", "skill"}}, {{"id", "mutation"}}, "mutations"},
      {"judge_mutation", "mutation", {{"approve", "approve"}}},
      {"teach_skill", {}, {}, {{"skill_id", "skill"}}},
      {"import_skill", {}, {}, {{"skill_id", "skill"}}},
      {"put_skill", "skill", {}, {{"version", "version"}}},
      {"change_skill", "skill", {{"action", "action"}, {"version", "version"}}},
      {"write_profile", "profile"},
      {"roll_back_profile", "profile"},
      {"put_knowledge"},
      {"confirm_knowledge"},
      {"answer_task", "run", {{"question", "question"}}},
      {"answer_question", "question"},
  };
  return all;
}

const Noted* find_noted(std::string_view id) {
  const auto found =
      std::find_if(all_noted().begin(), all_noted().end(), [&](const Noted& one) { return one.operation == id; });
  return found == all_noted().end() ? nullptr : &*found;
}

void add(std::vector<std::string>& what, std::string_view noun, std::string_view value) {
  if (!value.empty()) what.push_back(std::string(noun) + " " + preview(value, kMostCharacters));
}

void add_path(std::vector<std::string>& what, std::string_view noun, const http::Request& request) {
  const auto param = [&](const char* name) {
    const auto found = request.params.find(name);
    return found == request.params.end() ? std::string() : found->second;
  };
  const std::string type = param("type"), id = param("id").empty() ? param("name") : param("id");
  add(what, noun.empty() ? "id" : noun, type.empty() ? id : type + ":" + id);
  add(what, "version", param("version"));
}

// Texts, numbers and switches; whatever has parts is no id.
void add_members(std::vector<std::string>& what, std::span<const Named> wanted, std::string_view object) {
  for (const Named& one : wanted) {
    const std::string_view json = json_member(object, one.member);
    if (json.empty() || json == "null" || json.front() == '{' || json.front() == '[') continue;
    add(what, one.noun, json.front() == '"' ? json_text(json).value_or("") : std::string(json));
  }
}

bool is_object(std::string_view json) {
  return json.starts_with('{') && check_json(json, {.max_bytes = json.size() + 1}, "it").ok();
}

}  // namespace

bool is_audited(const Operation& operation) {
  return find_noted(operation.id) != nullptr || (operation.right == Right::kAdmin && operation.method != "GET");
}

std::vector<std::string> acted_on(const Operation& operation, const http::Request& request, std::string_view answer) {
  static const Noted kOnlyItsPath{};
  const Noted* found = find_noted(operation.id);
  const Noted& noted = found == nullptr ? kOnlyItsPath : *found;
  std::vector<std::string> what;
  add_path(what, noted.noun, request);
  if (answer.empty()) return what;
  if (!noted.body.empty() && is_object(request.body)) add_members(what, noted.body, request.body);
  if (noted.answer.empty() || !is_object(answer)) return what;
  if (noted.list.empty()) {
    add_members(what, noted.answer, answer);
    return what;
  }
  const std::string_view list = json_member(answer, noted.list);
  if (!list.starts_with('[')) return what;
  const auto each = json_elements(list);
  for (std::size_t i = 0; i < std::min(each.size(), kMostIds); ++i)
    if (each[i].starts_with('{')) add_members(what, noted.answer, each[i]);
  return what;
}

namespace {

constexpr std::size_t kShown = 80;  // bytes of a name that errors repeat

std::vector<std::string> known_names(const Operation& operation, std::string_view method) {
  std::vector<std::string> names;
  for (const Parameter& one : operation.query) names.push_back(one.name);
  if (operation.whose == Whose::kNobody) return names;
  // Elsewhere the body says whose memory is meant.
  const bool names_owner = method == "GET" || method == "HEAD" || method == "DELETE";
  if (names_owner) names.insert(names.end(), {"user", "group"});
  if (operation.whose == Whose::kStory) names.emplace_back("world");
  return names;
}

std::string told(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Error unknown(const std::string& name, const std::vector<std::string>& known, const Operation& operation) {
  const std::string what =
      "there is no parameter \"" + name.substr(0, kShown) + "\" of " + operation.method + " " + operation.path;
  if (known.empty()) return invalid_argument(what, "it takes none");
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return edit_distance(a, name.substr(0, kShown)) < edit_distance(b, name.substr(0, kShown));
  });
  const bool near = edit_distance(*nearest, name.substr(0, kShown)) <= 2;
  return invalid_argument(what, (near ? "did you mean \"" + *nearest + "\"? " : "") + "known are: " + told(known));
}

/// Refuses what an operation does not read in a query, naming what it does, and what is there more than once: a filter
/// with a slip in its name would otherwise be no filter.
Status check_query(const Operation& operation, const http::Request& request) {
  if (request.query.empty()) return {};
  const auto known = known_names(operation, request.method);
  for (const auto& [name, value] : request.query)
    if (std::find(known.begin(), known.end(), name) == known.end()) return unknown(name, known, operation);
  const auto repeated = http::repeated_name(request.query_text);
  if (!repeated) return {};
  return invalid_argument("the parameter \"" + repeated->substr(0, kShown) + "\" is there more than once",
                          "say it once, since only one can hold");
}

/// Hands an answer on, and tells of it before the client can see it.
class NotedWriter final : public http::PassingWriter {
 public:
  NotedWriter(http::ResponseWriter& out, std::function<void(int status, std::string_view body)> tell)
      : PassingWriter(out), tell_(std::move(tell)) {}

  void send(int status, std::string_view content_type, std::string_view body) override {
    tell_(status, body);
    PassingWriter::send(status, content_type, body);
  }
  bool begin(int status, std::string_view content_type) override {
    tell_(status, {});
    return PassingWriter::begin(status, content_type);
  }

 private:
  std::function<void(int status, std::string_view body)> tell_;
};

// Empty: nobody's, or it cannot be said.
ScopeKey scope_told_of(Engine& engine, const Operation& operation, const http::Request& request) {
  if (operation.whose == Whose::kNobody) return {};
  const auto scope = scope_of_request(request, engine.config(), operation.body_kind);
  return scope.ok() ? scope->key() : ScopeKey();
}

void note(const AuditLog& audit, Engine& engine, const Operation& operation, const http::Request& request, int status,
          std::string_view answer) {
  AuditEntry entry{SystemClock().now(), request.access.name, request.client, operation.id, {}, "done", {}};
  entry.what = acted_on(operation, request, status < 400 ? answer : std::string_view());
  entry.whose = scope_told_of(engine, operation, request).str();
  if (status >= 400) entry.outcome = "refused with " + std::to_string(status);
  audit.note(entry);
}

}  // namespace

void run_operation(Engine& engine, const Operation& operation, const http::Request& request, http::ResponseWriter& out,
                   const AuditLog* audit) {
  Status allowed = check_access(operation, request, engine.config());
  if (allowed.ok()) allowed = check_query(operation, request);
  const auto run = [&](http::ResponseWriter& to) {
    allowed.ok() ? operation.run(engine, request, to) : http::send_error(to, allowed.error());
  };
  if (audit == nullptr || !is_audited(operation)) return run(out);
  // Who has the answer finds the act in the log.
  NotedWriter told(
      out, [&](int status, std::string_view answer) { note(*audit, engine, operation, request, status, answer); });
  run(told);
}

void add_api(http::Router& router, Engine& engine, const AuditLog* audit) {
  const ServerSettings& settings = engine.config().server;
  const auto repeated = std::make_shared<RepeatedCalls>(
      engine.config().workspace, RepeatLimits{static_cast<std::size_t>(settings.answers_kept),
                                              static_cast<std::size_t>(settings.answers_kept_bytes),
                                              std::chrono::hours(settings.answers_kept_hours)});
  for (const Operation& operation : operations()) {
    router.add(operation.method, operation.path,
               [&engine, &operation, audit, repeated](const http::Request& request, http::ResponseWriter& out) {
                 if (request.method == "GET" || request.header("idempotency-key").empty())
                   return run_operation(engine, operation, request, out, audit);
                 const auto work = [&](http::ResponseWriter& first) {
                   run_operation(engine, operation, request, first, audit);
                 };
                 const ScopeKey scope =
                     operation.tells_no_text ? ScopeKey() : scope_told_of(engine, operation, request);
                 repeated->answer(request, scope, out, work, SystemClock().now());
               });
  }
  router.add("GET", "/openapi.json", [](const http::Request&, http::ResponseWriter& out) {
    static const std::string document = openapi_json();
    out.send(200, "application/json", document);
  });
}

}  // namespace weft
