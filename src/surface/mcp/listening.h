#pragma once

#include <string>

#include "surface/mcp/watcher.h"
#include "weft/result.h"

/// What is said on a stream that a client listens to (`subscriptions/listen` of the stateless revision).
namespace weft::mcp {

/// What of a wish is honoured.
struct Listening {
  Interest interest;
  Value acknowledged;  ///< as the client is told of it
};

/// Reads the parameters of `subscriptions/listen`.
Result<Listening> listening_of(const Value& params);

/// The same parameters of a notification with the stream they belong to; `id` is the JSON of its request's id.
Value of_stream(const Value& params, const std::string& id);

/// The first thing that is said on it.
std::string acknowledgement(const Listening& listening, const std::string& id);

/// What its request is answered with when the server ends it.
Value end_of_stream(const std::string& id);

}  // namespace weft::mcp
