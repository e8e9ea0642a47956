#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "surface/http/exchange.h"
#include "weft/scope.h"

namespace weft {

/// Whom a request names: every field may be empty.
struct Names {
  std::string user, group, session;
};

/// The names in the headers X-Weft-User, X-Weft-Group and X-Weft-Session. Values may be percent-encoded, since headers
/// carry ASCII only; one with a '%' that begins no escape is taken as it is.
Names names_in_headers(const http::Request& request);

/// The names in the body, a valid JSON object: `metadata` {weft_user, weft_group, weft_session}, then `user`, then
/// `metadata` {user_id, group_id, session_id}, then `metadata` {user, group, session}. A name that is neither a string
/// nor a whole number is refused, and so is a field of `metadata` that looks like one of these and is none (`groupId`,
/// `weft_grup`): to ignore it would file one person's words under another's.
Result<Names> names_in_body(std::string_view json);

/// The scope that is meant. Where the headers name a user or a group they alone decide, so that a gateway that sets
/// them cannot be overruled by the body of its client; else the body decides, else the user whom the
/// key is for, else `default_user`.
/// kPermission where the caller's key does not open it.
Result<Scope> scope_of(const Access& access, const Names& headers, const Names& body, std::string_view default_user);

/// The scope of an API request; for GET and DELETE the query's `user` and `group` take the place of the body.
Result<Scope> scope_of_request(const http::Request& request, std::string_view default_user);

}  // namespace weft
