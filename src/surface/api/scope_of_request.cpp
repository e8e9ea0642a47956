#include "surface/api/scope_of_request.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "base/edit_distance.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

std::string header_value(const http::Request& request, std::string_view name) {
  return http::percent_decode(request.header(name));
}

// The first that is named decides; that the others are names is seen to all the same.
Status read(const Json& object, const char* field, std::string& into) {
  if (!object.is_object() || !object.contains(field)) return {};
  const auto& value = object[field];
  if (!value.is_string() && !value.is_number_integer() && !value.is_null())
    return invalid_argument(std::string("\"") + field + "\" must be a string, because it says whose memory is meant");
  if (!into.empty() || value.is_null()) return {};
  into = value.is_string() ? value.get<std::string>() : value.dump();
  return {};
}

// Those of a world are read elsewhere.
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

std::size_t distance(std::string_view known, std::string_view name) { return edit_distance(bare(known), bare(name)); }

// Clients send metadata of their own, so only what can hardly be anything else is refused: names with our prefix, and
// ours in another spelling.
Status check_metadata(std::string_view object) {
  if (object.empty() || object == "null") return {};
  if (!object.starts_with('{'))
    return invalid_argument("\"metadata\" must be an object, because it may say whose memory is meant");
  for (const auto& [name, value] : json_members(object)) {
    if (value == "null" || std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end()) continue;
    const std::string shown = name.substr(0, 80);
    const auto nearest = *std::min_element(
        kKnown.begin(), kKnown.end(), [&shown](auto a, auto b) { return distance(a, shown) < distance(b, shown); });
    const std::string plain = bare(shown);
    const auto away = distance(nearest, shown);
    const bool meant = plain.starts_with("weft") || away == 0 || (away == 1 && plain.size() >= 6);
    if (!meant) continue;
    return invalid_argument(
        "metadata.\"" + shown + "\" looks like a name of a user, a group or a session, and is none",
        "did you mean \"" + std::string(nearest) +
            "\"? read are weft_user, weft_group, weft_session, user_id, group_id, session_id, user, "
            "group and session");
  }
  return {};
}

Json member(std::string_view object, std::string_view name) {
  const auto text = json_member(object, name);
  return text.empty() ? Json() : Json::parse(text, nullptr, false);
}

bool is_object(std::string_view body) {
  const auto start = body.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && body[start] == '{' &&
         check_json(body, {.max_bytes = body.size()}, "the body").ok();
}

}  // namespace

Names names_in_headers(const http::Request& request) {
  return {header_value(request, "x-weft-user"), header_value(request, "x-weft-group"),
          header_value(request, "x-weft-session")};
}

Result<Names> names_in_body(std::string_view text) {
  Names out;
  const auto metadata = member(text, "metadata");
  WEFT_CHECK(read(metadata, "weft_user", out.user));
  WEFT_CHECK(read(metadata, "weft_group", out.group));
  WEFT_CHECK(read(metadata, "weft_session", out.session));
  WEFT_CHECK(read(Json{{"user", member(text, "user")}}, "user", out.user));
  WEFT_CHECK(read(metadata, "user_id", out.user));
  WEFT_CHECK(read(metadata, "group_id", out.group));
  WEFT_CHECK(read(metadata, "session_id", out.session));
  WEFT_CHECK(read(metadata, "user", out.user));
  WEFT_CHECK(read(metadata, "group", out.group));
  WEFT_CHECK(read(metadata, "session", out.session));
  WEFT_CHECK(check_metadata(json_member(text, "metadata")));
  return out;
}

Result<Scope> scope_of(const Access& access, const Names& headers, const Names& body, std::string_view default_user) {
  const auto& names = headers.user.empty() && headers.group.empty() ? body : headers;
  const std::string user = names.user.empty() ? std::string(default_user_of(access, default_user)) : names.user;
  WEFT_TRY(auto scope, names.group.empty() ? Scope::private_of(UserId(user))
                                           : Scope::group_of(GroupId(names.group), UserId(names.user)));
  WEFT_CHECK(check_scope(access, scope));
  return scope;
}

namespace {

// Where a header decides, what the body says does not count; that it is a name is seen to all the same.
Status check_body_names(std::string_view body) {
  const auto check = [](std::string_view object, std::string_view name) -> Status {
    const Json value = member(object, name);
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) return {};
    return check_id(value.get_ref<const std::string&>(), name);
  };
  WEFT_CHECK(check(body, "user"));
  const std::string_view metadata = json_member(body, "metadata");
  if (!metadata.starts_with('{')) return {};
  for (const std::string_view name : kKnown) WEFT_CHECK(check(metadata, name));
  return {};
}

}  // namespace

Result<Scope> scope_of_request(const http::Request& request, std::string_view default_user) {
  const auto headers = names_in_headers(request);
  Names body;
  if (request.method == "GET" || request.method == "HEAD" || request.method == "DELETE") {
    const auto value = [&](const char* name) { return request.query.contains(name) ? request.query.at(name) : ""; };
    body = {value("user"), value("group"), {}};
    for (const std::string& name : {body.user, body.group})
      if (!name.empty()) WEFT_CHECK(check_id(name, "user and group"));
  } else if (is_object(request.body)) {
    WEFT_TRY(body, names_in_body(request.body));
    WEFT_CHECK(check_body_names(request.body));
  }
  return scope_of(request.access, headers, body, default_user);
}

}  // namespace weft
