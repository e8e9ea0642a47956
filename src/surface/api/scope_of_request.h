#pragma once

#include <span>
#include <string>
#include <string_view>

#include "surface/http/exchange.h"
#include "text/json.h"
#include "weft/config.h"
#include "weft/scope.h"

namespace weft {

/// Whom a request names, and in which world they play: every field may be empty.
struct Names {
  std::string user = {}, group = {}, session = {}, world = {};
};

/// What the body of a request is: it decides whether names in it must be readable.
enum class BodyKind {
  kJson,
  kFile,  ///< text in any format; where it is a JSON object, that may name somebody
};

/// Bounds on the JSON of a body. Everything that reads a body reads it within these, names and content alike: a body
/// that one reader takes and another refuses would be filed under the wrong person.
JsonLimits body_limits(std::string_view body, const Config& config);

/// The JSON object that a body is, behind white space and a byte order mark; empty where the body begins otherwise.
std::string_view object_in(std::string_view body);

/// The names in the headers X-Weft-User, X-Weft-Group, X-Weft-Session and X-Weft-World. Values may be percent-encoded,
/// since headers carry ASCII only; one with a '%' that begins no escape is taken as it is. kInvalidArgument for a
/// header that comes twice with different values, and for one with our prefix that is not known.
Result<Names> names_in_headers(const http::Request& request);

/// The names in the body, a valid JSON object: `metadata` {weft_user, weft_group, weft_session, weft_world}, then
/// `user` and `world`, then `metadata` {user_id, group_id, session_id}, then `metadata` {user, group, session}. A name
/// that is neither a string nor a whole number is refused, and so is a field that looks like one of these and is not
/// (`groupId`, `weft_grup`, `User` beside `metadata`): to ignore it would file one person's words under another's. What
/// a file calls its members is the file's own.
Result<Names> names_in_body(std::string_view json, BodyKind kind = BodyKind::kJson);

/// For paths on which the query names nobody but by the parameters `read`: kInvalidArgument for another one that looks
/// like the name of a user or a group.
Status check_query_names(const http::Request& request, std::span<const std::string_view> read = {});

/// For bodies of programs whose users are named by headers alone: kInvalidArgument for a name with our prefix in the
/// body, a valid JSON object, since it would be ignored there.
Status check_names_left_to_headers(std::string_view json);

/// What a request says of itself: its headers, and its body or, for GET, HEAD and DELETE, its query. Where the headers
/// name a user or a group they alone decide, so that a gateway that sets them cannot be overruled by the body of its
/// client. A body that cannot be read for names is an error.
Result<Names> names_of_request(const http::Request& request, const Config& config, BodyKind kind);

/// The scope that is meant: of the headers where they name a user or a group, else of the body, else of the user whom
/// the key is for, else of `server.default_user`. kPermission where the caller's key does not open it, or does not
/// open the speaker's own memory and the settings carry into it what the speaker says in groups.
Result<Scope> scope_of(const Access& access, const Names& headers, const Names& body, const Config& config);

/// The scope of an API request.
Result<Scope> scope_of_request(const http::Request& request, const Config& config, BodyKind kind);

}  // namespace weft
