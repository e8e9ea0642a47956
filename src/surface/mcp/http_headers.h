#pragma once

#include <optional>

#include "surface/http/exchange.h"
#include "surface/mcp/rpc.h"

namespace weft::mcp {

/// Whether what the client takes ("Accept") holds a type.
bool accepts(const http::Request& request, std::string_view type);

/// Whether the headers of a request of the stateless revision say what its message says: the revision, the method, and
/// the name of what is called or read. An error of kHeaderMismatch names the first that does not.
std::optional<RpcError> header_mismatch(const http::Request& request, const RpcMessage& message);

}  // namespace weft::mcp
