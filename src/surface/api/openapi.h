#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "surface/api/operation.h"
#include "text/json.h"
#include "weft/value.h"

namespace weft {

/// One path of the server, for people.
struct PathInfo {
  std::string path;  ///< "POST /v1/search"
  std::string text;
};

/// Every path that a server answers, those of the proxy last.
std::vector<PathInfo> http_paths();

/// The names in a path: "/v1/sessions/{id}/messages" has "id".
std::vector<std::string> names_in_path(std::string_view path);

// The doors of a server that are no operations of its own interface: the proxy, the Model Context Protocol, the page.
// Forms of what goes in and out belong to those whose protocols they are, so they are named and not described.

/// What goes through such a door.
enum class DoorKind {
  kProxy,   ///< calls of models in the form of OpenAI or Anthropic
  kMcp,     ///< messages of the Model Context Protocol
  kPage,    ///< the page and this description: without a key
};

struct OtherPath {
  std::string_view line;  ///< method and path
  std::string_view text;  ///< what it is, for people
  DoorKind kind = DoorKind::kProxy;
  std::string_view whose;     ///< in whose form, with the name of the call in it: "OpenAI Chat Completions"
  bool streams = false;       ///< may be answered with server-sent events
};

/// All of them.
std::span<const OtherPath> other_paths();

/// One of them as OpenAPI describes an operation.
Value other_path_told(const OtherPath& path);

/// Completes the schemas of what clients send, in `schemas` (by name) and where `paths` uses them as bodies:
///
/// - a field that may be left out may be null, too, which is read as left out;
/// - beside the fields of a body may stand the names of user and world, and nowhere deeper. A schema that is used
///   within others as well stays closed there; as a body it has a second form, "NAMEBody".
void describe_bodies(Value& paths, ValueObject& schemas);

/// The operation, whose body has to fit `more`, too: what a description of fields one by one cannot say. Tools of
/// models are told it in words.
Operation narrowed(Operation operation, Value more);

/// The description of the REST interface as an OpenAPI 3.1 document (JSON), made from `operations`.
std::string openapi_json();

}  // namespace weft
