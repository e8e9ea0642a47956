#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "eval/draw.h"
#include "text/words.h"
#include "weft/config.h"
#include "weft/result.h"

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

/// How a simulated worker fared over streams of tasks, with what it learns and without.
struct StreamTally {
  std::int64_t tasks = 0;
  std::int64_t without = 0, with = 0;  ///< tasks that succeeded
  std::int64_t told = 0;               ///< with growth: prompts that told what this task needs
  std::int64_t beside = 0;             ///< with growth: rules in prompts that are of another matter

  /// Points of success that growth adds.
  double gain() const {
    return tasks == 0 ? 0 : 100.0 * static_cast<double>(with - without) / static_cast<double>(tasks);
  }
};

struct StreamsPlan {
  std::int64_t streams = 10;  ///< of each kind and language
  std::int64_t tasks = 30;    ///< of a stream, one a day
  std::uint64_t seed = 1;
};

struct StreamsReport {
  std::map<std::string, StreamTally> kinds;  ///< "building en", "apart zh", …
};

/// Plays streams whose tasks build on each other (the same tool has the same catch in each) and streams whose tasks do
/// not (each has a tool and a catch of its own), in English and Chinese, through the engine's own path: a prompt is
/// woven for each task, the worker reads nothing but it, its report is reflected on without a chat model and counted. A
/// worker that is told of the catch succeeds in nine of ten tasks, another in under half of them, and each rule of
/// another matter costs it half a point. The same draws are used with and without growth. Chat models are not asked.
Result<StreamsReport> play_streams(const Config& config, const StreamsPlan& plan);

std::string to_json(const StreamsReport& report);

}  // namespace weft
