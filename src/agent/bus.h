#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ports/files/line_log.h"
#include "weft/agent.h"
#include "weft/result.h"

namespace weft {

/// The stream of events of one run: append-only, durable, read by number. What an agent is in follows from it alone, so
/// that a run which was killed goes on from its file. Kept in memory, too: some 300 bytes an event beside its payload.
/// Safe from many threads.
class Bus {
 public:
  /// Opens or makes agents/RUN.jsonl, a line an event. kCorrupt, naming the line, for what is no event or out of order.
  static Result<std::unique_ptr<Bus>> open(FileSystem& files, const std::filesystem::path& path, const Clock& clock);

  /// Adds an event; it is on disk when this returns. `payload` is a JSON object. Times never go back, even where the
  /// clock does.
  Result<BusEvent> emit(BusEventType type, std::string payload);

  /// Tells `noted` of each event once it is on disk, on the thread that emits it. Set before others know the bus.
  void tell(std::function<void(const BusEvent& event)> noted) { noted_ = std::move(noted); }

  /// The events behind this number, oldest first; all of them for 0.
  std::vector<BusEvent> since(std::uint64_t id) const;

  /// The number of the newest event, 0 where there is none.
  std::uint64_t last() const;

  /// Waits until there is an event behind this number, or the deadline has passed. Gives whether there is one.
  bool wait_for_more(std::uint64_t id, const Deadline& deadline) const;

 private:
  explicit Bus(const Clock& clock) : clock_(clock) {}
  Status read(std::string_view line);

  const Clock& clock_;
  std::unique_ptr<LineLog> log_;
  std::mutex emit_mutex_;  ///< events reach the file in the order of their numbers; taken before the other
  mutable std::mutex mutex_;
  mutable std::condition_variable_any more_;
  std::vector<BusEvent> events_;
  std::function<void(const BusEvent& event)> noted_;
};

}  // namespace weft
