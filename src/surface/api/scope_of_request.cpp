#include "surface/api/scope_of_request.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/strings.h"
#include "surface/access/access.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kShown = 80;  // bytes of a name that errors repeat

/// An object that was scanned once: its names, and where their values stand.
using JsonMembers = std::vector<std::pair<std::string, std::string_view>>;

JsonMembers object_members(std::string_view value) {
  return value.starts_with('{') ? json_members(value) : JsonMembers();
}

std::string_view member_text(const JsonMembers& object, std::string_view name) {
  const auto at = std::find_if(object.begin(), object.end(), [&](const auto& one) { return one.first == name; });
  return at == object.end() ? std::string_view() : at->second;
}

// Two that differ would be one person for a gateway and another for us.
Result<std::string> header_value(const http::Request& request, std::string_view name) {
  const std::string_view first = request.header(name);
  for (const auto& [key, value] : request.headers)
    if (key == name && value != first)
      return invalid_argument("the header " + std::string(name) + " comes twice, with different values",
                              "send it once");
  return http::percent_decode(first);
}

// The first that is named decides; that the others are names is checked all the same.
Status read(const JsonMembers& object, const char* field, std::string& into) {
  const std::string_view text = member_text(object, field);
  if (text.empty()) return {};
  const Json value = Json::parse(text, nullptr, false);
  // An integer of any size: the parser would round one of more than 64 bits.
  const bool is_integer = value.is_number() && text.find_first_of(".eE") == std::string_view::npos;
  if (!value.is_string() && !is_integer && !value.is_null())
    return invalid_argument(std::string("\"") + field + "\" must be a string, because it says whose memory is meant");
  const std::string name = value.is_string() ? value.get<std::string>() : is_integer ? std::string(text) : "";
  if (!name.empty()) WEFT_CHECK(check_id(name, field));
  if (into.empty()) into = name;
  return {};
}

constexpr std::array<std::string_view, 10> kKnown = {"weft_user", "weft_group", "weft_session", "weft_world",
                                                     "user_id",   "group_id",   "session_id",   "user",
                                                     "group",     "session"};

// Without case and separators: "groupId", "GROUP-ID" and "group_id" are one.
std::string bare(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '_' && c != '-' && c != '.' && c != ' ') out += to_lower(c);
  return out;
}

// Nobody else's names begin so.
bool has_our_prefix(std::string_view name) {
  const std::string plain = bare(name.substr(0, kShown));
  return plain.starts_with("weft") || plain.starts_with("xweft");
}

std::size_t distance(std::string_view known, std::string_view name) { return edit_distance(bare(known), bare(name)); }

std::string_view nearest_to(std::string_view name) {
  return *std::min_element(kKnown.begin(), kKnown.end(),
                           [name](auto a, auto b) { return distance(a, name) < distance(b, name); });
}

// What headers of ours there are, as they are written.
constexpr std::array<std::string_view, 8> kHeaders = {"X-Weft-User",   "X-Weft-Group",  "X-Weft-Session",
                                                      "X-Weft-World",  "X-Weft-Memory", "X-Weft-Window",
                                                      "X-Weft-Output", "X-Weft-Key"};

// One that is ours by its name and that nobody reads: whoever sends it means something by it.
Status check_headers(const http::Request& request) {
  for (const auto& [name, value] : request.headers) {
    if (!has_our_prefix(name)) continue;
    const bool known = std::any_of(kHeaders.begin(), kHeaders.end(), [&](auto one) { return lowered(one) == name; });
    if (known) continue;
    const std::string shown = name.substr(0, kShown);
    const auto nearest = *std::min_element(kHeaders.begin(), kHeaders.end(),
                                           [&](auto a, auto b) { return distance(a, shown) < distance(b, shown); });
    std::string all;
    for (const std::string_view one : kHeaders) all.append(all.empty() ? "" : ", ").append(one);
    return invalid_argument("the header \"" + shown + "\" is not known",
                            "did you mean " + std::string(nearest) + "? known are " + all);
  }
  return {};
}

// "User" is not "user" for a reader of JSON, and it is for whoever writes it.
Status check_spelling(const JsonMembers& object) {
  for (const auto& [name, value] : object) {
    if (value.starts_with('{') || value.starts_with('[') || value == "null") continue;
    for (const std::string_view known : {"user", "world"})
      if (name != known && bare(name.substr(0, kShown)) == known)
        return invalid_argument("\"" + name.substr(0, kShown) + "\" is not read where it stands",
                                "did you mean \"" + std::string(known) + "\"?");
  }
  return {};
}

// Clients send metadata of their own, so only what can hardly be anything else is refused: names with our prefix, and
// ours in another spelling.
Status check_metadata(std::string_view text, const JsonMembers& object) {
  if (text.empty() || text == "null") return {};
  if (!text.starts_with('{'))
    return invalid_argument("\"metadata\" must be an object, because it may say whose memory is meant");
  for (const auto& [name, value] : object) {
    if (value == "null" || std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end()) continue;
    const std::string shown = name.substr(0, kShown);
    const auto nearest = nearest_to(shown);
    const std::string plain = bare(shown);
    const auto away = distance(nearest, shown);
    const bool meant = has_our_prefix(shown) || away == 0 || (away == 1 && plain.size() >= 6);
    if (!meant) continue;
    return invalid_argument(
        "metadata.\"" + shown + "\" looks like the name of a user, a group or a session, and is not read",
        "did you mean \"" + std::string(nearest) +
            "\"? read are weft_user, weft_group, weft_session, user_id, group_id, session_id, user, "
            "group and session");
  }
  return {};
}

Status check_no_prefix(const JsonMembers& object, const char* remedy) {
  for (const auto& [name, value] : object) {
    if (value == "null" || !has_our_prefix(name)) continue;
    return invalid_argument("\"" + name.substr(0, kShown) + "\" is not read where it stands", remedy);
  }
  return {};
}

Status check_world(const JsonMembers& object, const char* field) {
  const std::string_view text = member_text(object, field);
  if (text.empty() || text.starts_with('"') || text == "null") return {};
  return invalid_argument(std::string("\"") + field + "\" must be the name of a world");
}

bool is_named_by_query(std::string_view method) { return method == "GET" || method == "HEAD" || method == "DELETE"; }

Result<Names> names_in_query(const http::Request& request) {
  Names out;
  for (const auto& [name, into] : {std::pair{"user", &out.user}, {"group", &out.group}}) {
    const auto given = request.query.find(name);
    if (given == request.query.end() || given->second.empty()) continue;
    WEFT_CHECK(check_id(given->second, name));
    *into = given->second;
  }
  return out;
}

// A body that is no JSON object names nobody.
Result<Names> names_in_any(const http::Request& request, const Config& config, BodyKind kind) {
  const std::string_view object = object_in(request.body);
  if (object.empty()) return Names{};
  if (const Status read = check_json(request.body, body_limits(request.body, config), "the body"); !read.ok()) {
    const bool other_format = kind == BodyKind::kFile && read.error().code == ErrorCode::kInvalidArgument;
    return other_format ? Result<Names>(Names{}) : read.error();
  }
  return names_in_body(object, kind);
}

// Whoever is named in the query and in the body must be the same.
Status check_same(const Names& query, const Names& body) {
  const bool both = !(query.user.empty() && query.group.empty()) && !(body.user.empty() && body.group.empty());
  if (!both || (query.user == body.user && query.group == body.group)) return {};
  return invalid_argument("the query and the body name different people", "name them once");
}

// A gateway sets the headers, so a body cannot change the user or the group that they name. The body may name the
// speaker in a group of the headers.
void settle_people(Names& headers, const Names& body) {
  if (!headers.user.empty()) return;
  headers.user = body.user;
  if (headers.group.empty()) headers.group = body.group;
}

// Readers of JSON differ in which of two members of one name they take.
Status check_named_once(const JsonMembers& object) {
  std::set<std::string> seen;
  for (const auto& [name, value] : object) {
    const bool names = name == "user" || name == "metadata" || name == "world" ||
                       std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end();
    if (names && !seen.insert(name).second)
      return invalid_argument("\"" + name + "\" comes twice, and says whose memory is meant", "send it once");
  }
  return {};
}

}  // namespace

JsonLimits body_limits(std::string_view body, const Config& config) {
  constexpr std::size_t kAroundMessage = 2;  // a message stands in a list within the body
  const auto deepest = std::max(static_cast<std::size_t>(config.limits.max_depth), JsonLimits{}.max_depth);
  return {.max_bytes = body.size() + 1, .max_depth = deepest + kAroundMessage};
}

std::string_view object_in(std::string_view body) {
  const auto start = body.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return start != std::string_view::npos && body[start] == '{' ? body.substr(start) : std::string_view();
}

Status check_query_names(const http::Request& request, std::span<const std::string_view> read) {
  for (const auto& [name, value] : request.query) {
    if (std::find(read.begin(), read.end(), name) != read.end()) continue;
    const std::string shown = name.substr(0, kShown);
    const std::string plain = bare(shown);
    const bool person = plain == "user" || plain == "userid" || plain == "group" || plain == "groupid";
    if (!person && !has_our_prefix(shown)) continue;
    std::string all;
    for (const std::string_view one : read) all.append(all.empty() ? "?" : ", ?").append(one).append("=");
    return invalid_argument("the parameter \"" + shown + "\" of the address is not read here",
                            (all.empty() ? "" : "say " + all + ", or ") +
                                "name the user by the header X-Weft-User, the group by X-Weft-Group");
  }
  return {};
}

Result<Names> names_in_headers(const http::Request& request) {
  Names out;
  WEFT_CHECK(check_headers(request));
  WEFT_TRY(out.user, header_value(request, "x-weft-user"));
  WEFT_TRY(out.group, header_value(request, "x-weft-group"));
  WEFT_TRY(out.session, header_value(request, "x-weft-session"));
  WEFT_TRY(out.world, header_value(request, "x-weft-world"));
  return out;
}

Result<Names> names_in_body(std::string_view text, BodyKind kind) {
  Names out;
  const JsonMembers beside = json_members(text);
  const std::string_view metadata_text = member_text(beside, "metadata");
  const JsonMembers metadata = object_members(metadata_text);
  WEFT_CHECK(check_named_once(beside));
  WEFT_CHECK(check_named_once(metadata));
  WEFT_CHECK(read(metadata, "weft_user", out.user));
  WEFT_CHECK(read(metadata, "weft_group", out.group));
  WEFT_CHECK(read(metadata, "weft_session", out.session));
  WEFT_CHECK(read(beside, "user", out.user));
  WEFT_CHECK(read(metadata, "user_id", out.user));
  WEFT_CHECK(read(metadata, "group_id", out.group));
  WEFT_CHECK(read(metadata, "session_id", out.session));
  WEFT_CHECK(read(metadata, "user", out.user));
  WEFT_CHECK(read(metadata, "group", out.group));
  WEFT_CHECK(read(metadata, "session", out.session));
  WEFT_CHECK(check_world(beside, "world"));
  WEFT_CHECK(read(beside, "world", out.world));
  WEFT_CHECK(check_world(metadata, "weft_world"));
  WEFT_CHECK(read(metadata, "weft_world", out.world));
  WEFT_CHECK(check_metadata(metadata_text, metadata));
  WEFT_CHECK(check_no_prefix(beside, "put it into \"metadata\": {\"weft_user\": \"ID\"}"));
  if (kind == BodyKind::kJson) WEFT_CHECK(check_spelling(beside));
  return out;
}

Status check_names_left_to_headers(std::string_view json) {
  constexpr const char* kRemedy = "name the user by the header X-Weft-User, the group by X-Weft-Group";
  const JsonMembers object = json_members(json);
  WEFT_CHECK(check_named_once(object));
  WEFT_CHECK(check_no_prefix(object, kRemedy));
  return check_no_prefix(object_members(member_text(object, "metadata")), kRemedy);
}

Result<Names> names_of_request(const http::Request& request, const Config& config, BodyKind kind) {
  WEFT_TRY(Names named, names_in_headers(request));
  WEFT_TRY(Names body, names_in_any(request, config, kind));
  if (is_named_by_query(request.method)) {
    WEFT_TRY(const Names query, names_in_query(request));
    WEFT_CHECK(check_same(query, body));
    if (body.user.empty() && body.group.empty()) body.user = query.user, body.group = query.group;
  }
  settle_people(named, body);
  if (named.session.empty()) named.session = body.session;
  if (named.world.empty()) named.world = body.world;
  if (!named.world.empty()) WEFT_CHECK(check_id(named.world, "world"));
  return named;
}

Result<Scope> scope_of(const Access& access, const Names& headers, const Names& body, const Config& config) {
  Names names = headers;
  settle_people(names, body);
  const std::string user =
      names.user.empty() ? std::string(default_user_of(access, config.server.default_user)) : names.user;
  WEFT_TRY(auto scope, names.group.empty() ? Scope::private_of(UserId(user))
                                           : Scope::group_of(GroupId(names.group), UserId(names.user)));
  WEFT_CHECK(check_scope(access, scope));
  WEFT_CHECK(check_speaker(access, scope, scope.user().str(), config));
  return scope;
}

Result<Scope> scope_of_request(const http::Request& request, const Config& config, BodyKind kind) {
  WEFT_TRY(const Names names, names_of_request(request, config, kind));
  return scope_of(request.access, names, {}, config);
}

}  // namespace weft
