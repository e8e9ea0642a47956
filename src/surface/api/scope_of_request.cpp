#include "surface/api/scope_of_request.h"

#include <nlohmann/json.hpp>

#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

std::string header_value(const http::Request& request, std::string_view name) {
  return http::percent_decode(request.header(name));
}

Status read(const Json& object, const char* field, std::string& into) {
  if (!into.empty() || !object.is_object() || !object.contains(field)) return {};
  const auto& value = object[field];
  if (value.is_string()) {
    into = value.get<std::string>();
  } else if (value.is_number_integer()) {
    into = value.dump();
  } else if (!value.is_null()) {
    return invalid_argument(std::string("\"") + field + "\" must be a string, because it says whose memory is meant");
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
  return out;
}

Result<Scope> scope_of(const Names& headers, const Names& body, std::string_view default_user) {
  const auto& names = headers.user.empty() && headers.group.empty() ? body : headers;
  if (!names.group.empty()) return Scope::group_of(GroupId(names.group), UserId(names.user));
  return Scope::private_of(UserId(names.user.empty() ? std::string(default_user) : names.user));
}

Result<Scope> scope_of_request(const http::Request& request, std::string_view default_user) {
  const auto headers = names_in_headers(request);
  Names body;
  if (request.method == "GET" || request.method == "HEAD") {
    const auto value = [&](const char* name) { return request.query.contains(name) ? request.query.at(name) : ""; };
    body = {value("user"), value("group"), {}};
  } else if (is_object(request.body)) {
    WEFT_TRY(body, names_in_body(request.body));
  }
  return scope_of(headers, body, default_user);
}

}  // namespace weft
