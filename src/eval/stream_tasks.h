#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eval/draw.h"
#include "text/words.h"

namespace weft {

/// What goes wrong with a tool for a worker who does not know it.
struct Catch {
  std::string tool;
  std::string error;               ///< what the tool says then
  std::vector<std::string> heeds;  ///< a line that names the tool and holds one of these tells what helps
};

/// A task of a stream.
struct StreamTask {
  std::string text;
  Catch trap;
};

enum class StreamKind { kBuilding, kApart };

/// The tasks of one stream, in order. Building: one tool, one catch, other objects. Apart: another tool each time, no
/// two alike.
std::vector<StreamTask> stream_tasks(StreamKind kind, Language language, std::int64_t count, Draw& draw);

}  // namespace weft
