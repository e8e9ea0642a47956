#pragma once

#include <functional>
#include <string_view>

#include "weft/engine.h"

namespace weft {

/// Who is shown the demonstration.
struct Audience {
  std::function<void(std::string_view text)> write;  ///< called as it happens
  bool colours = false;  ///< the text may hold terminal codes
  bool json = false;     ///< instead of a story, one line of JSON at the end: all that was seen
};

/// Plays the conversation of data/demo into an engine, shows what is remembered of it, and what context is woven for
/// six questions two weeks later. `engine` is one of a new workspace. Waits a minute each for models and historian.
Status demonstrate(Engine& engine, const RequestContext& request, const Audience& audience);

}  // namespace weft
