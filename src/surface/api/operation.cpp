#include "surface/api/operation.h"

#include <charconv>
#include <iterator>

#include "surface/access/named_people.h"

namespace weft {
namespace {

constexpr std::int64_t kDefaultLimit = 100;
constexpr std::int64_t kMaxLimit = 10000;
constexpr std::int64_t kMostNumber = (std::int64_t{1} << 53) - 1;  // what every reader of JSON keeps exactly

/// No field at all.
struct Nothing {};

}  // namespace

WEFT_DESCRIBED(Nothing);

template <>
const Record<Nothing>& record<Nothing>() {
  static const Record<Nothing> made("Nothing", "", RecordUse::kAsked);
  return made;
}

Parameter text_parameter(std::string name, std::string doc) {
  return {std::move(name), std::move(doc), ValueObject{{"type", "string"}}};
}

Value day_schema() {
  return ValueObject{{"anyOf", ValueList{ValueObject{{"type", "string"}, {"format", "date"}},
                                         ValueObject{{"type", "string"}, {"maxLength", 0}}}}};
}

Parameter day_parameter(std::string name, std::string doc) { return {std::move(name), std::move(doc), day_schema()}; }

Parameter id_parameter(std::string name, std::string doc, IdNeed need) {
  return {std::move(name), std::move(doc), id_schema(need)};
}

Parameter number_parameter(std::string name, std::string doc, std::int64_t least) {
  return {std::move(name), std::move(doc),
          ValueObject{{"type", "integer"}, {"minimum", least}, {"maximum", kMostNumber}}};
}

Parameter limit_parameter() {
  return {"limit", "how many of the newest",
          ValueObject{{"type", "integer"}, {"minimum", 1}, {"maximum", kMaxLimit}, {"default", kDefaultLimit}}};
}

Result<SessionId> Call::session() const {
  const auto& id = request.params.at("id");
  WEFT_CHECK(check_id(id, "session"));
  return SessionId(id);
}

Result<std::int64_t> Call::number(const std::string& name, std::int64_t otherwise) const {
  const auto given = request.query.find(name);
  if (given == request.query.end()) return otherwise;
  const auto& text = given->second;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMostNumber)
    return invalid_argument(name + " must be a whole number, at most " + std::to_string(kMostNumber));
  return value;
}

Result<std::size_t> Call::limit(std::size_t otherwise) const {
  const auto value = number("limit", static_cast<std::int64_t>(otherwise));
  if (!value.ok() || *value == 0 || *value > kMaxLimit)
    return invalid_argument("limit must be a whole number from 1 to " + std::to_string(kMaxLimit));
  return static_cast<std::size_t>(*value);
}

std::string Call::text(const std::string& name) const {
  const auto given = request.query.find(name);
  return given == request.query.end() ? std::string() : given->second;
}

Result<Call> call_of(Engine& engine, const http::Request& request, http::ResponseWriter& out, Whose whose,
                     BodyKind kind) {
  if (whose == Whose::kNobody) {
    WEFT_TRY(auto nobody, Scope::private_of(UserId(engine.config().server.default_user)));
    return Call{engine, request, out, RequestContext{std::move(nobody), std::nullopt, out.cancel(), {}, false}};
  }
  WEFT_TRY(const Names names, names_of_request(request, engine.config(), kind));
  WEFT_TRY(auto scope, scope_of(request.access, names, {}, engine.config()));
  Call call{engine, request, out, {std::move(scope), std::nullopt, out.cancel(), names.world, false}};
  const auto named = request.query.find("world");
  if (whose != Whose::kStory || named == request.query.end() || named->second.empty()) return call;
  WEFT_CHECK(check_id(named->second, "world"));
  call.context.world = named->second;
  call.context.of_world = true;
  return call;
}

Operation bare_operation(std::string id, std::string_view line, std::string summary, Whose whose,
                         std::vector<Parameter> query) {
  Operation made;
  made.id = std::move(id);
  made.method = line.substr(0, line.find(' '));
  made.path = line.substr(line.find(' ') + 1);
  made.summary = std::move(summary);
  made.whose = whose;
  const bool looks = made.method == "GET" || made.method == "HEAD";
  made.right = looks ? Right::kRead : (whose == Whose::kNobody ? Right::kAdmin : Right::kWrite);
  made.query = std::move(query);
  return made;
}

Status check_access(const Operation& operation, const http::Request& request, const Config& config) {
  const Access& access = request.access;
  WEFT_CHECK(check_right(access, operation.right));
  if (!access.bound() || operation.tells_of_nobody) return {};
  if (operation.whose == Whose::kNobody)
    return permission(
        "the key \"" + access.name + "\" is for some users or groups, and this concerns the whole workspace",
        "use a key that was made without --for-user and --for-group");
  WEFT_TRY(const Scope scope, scope_of_request(request, config, operation.body_kind));
  return check_named(access, scope, config, operation.id, request.params, request.body);
}

Account account_of(const Call& call, Whose whose) {
  return {whose == Whose::kNobody ? std::string() : call.context.scope.key().str(), call.request.access.name};
}

Status check_no_body(const http::Request& request) {
  const bool reads = request.method == "GET" || request.method == "HEAD" || request.method == "DELETE";
  if (reads || request.body.find_first_not_of(" \t\r\n") == std::string::npos) return {};
  WEFT_TRY(const Nothing nothing, BodyForm<Nothing>::read(request.body, {}));
  (void)nothing;
  return {};
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> made;
    for (auto* part :
         {session_operations, memory_operations, profile_operations, story_operations, care_operations,
          knowledge_operations, growth_operations, agent_operations, reflection_operations, skill_operations,
          adaptation_operations, watch_operations, usage_operations, research_operations}) {
      auto some = part();
      std::move(some.begin(), some.end(), std::back_inserter(made));
    }
    return made;
  }();
  return all;
}

}  // namespace weft
