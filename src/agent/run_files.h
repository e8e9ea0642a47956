#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "ports/files/file_system.h"
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

/// Outputs of tools as they came, where a prompt holds only a part: agents/results/RUN/HANDLE.txt. Safe from many
/// threads.
class ResultStore {
 public:
  ResultStore(FileSystem& files, std::filesystem::path folder) : files_(files), folder_(std::move(folder)) {}
  /// Puts an output under its handle; it is on disk when this returns.
  Status keep(const std::string& run, const std::string& handle, std::string_view text);
  /// Takes one away, or all of a run; success also where there is none.
  Status remove(const std::string& run, const std::string& handle);
  Status remove_all(const std::string& run);
  /// kNotFound for a handle that the run has not.
  Result<std::string> read(const std::string& run, const std::string& handle);

 private:
  Result<std::filesystem::path> path_of(const std::string& run, const std::string& handle) const;
  FileSystem& files_;
  std::filesystem::path folder_;
};

/// What of an output a model sees.
struct ShownOutput {
  std::string text;
  bool cut = false;
  std::int64_t hidden = 0;  ///< characters that deceive, taken out
};

/// The output as it is, or its beginning and end within `most` bytes with the way to the rest by `handle` between. What
/// is no text is told in words; characters that nobody sees are taken out.
ShownOutput shown_output(std::string_view output, std::size_t most, const std::string& handle);

/// Which runs are ending: an empty file agents/ending/RUN, on disk before the answer is, and gone when all that follows
/// from it is done (it is kept as a talk, reflected on, counted). What a kill leaves is made up for at the next start.
/// Safe from many threads.
class EndingMarks {
 public:
  EndingMarks(FileSystem& files, std::filesystem::path folder);
  Status set(const std::string& run);
  Status clear(const std::string& run);
  bool has(const std::string& run) const;
  std::vector<std::string> all() const;

 private:
  FileSystem& files_;
  const std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::set<std::string> runs_;
};

/// Which of a run's messages are erased.
struct RunRedaction {
  std::function<bool(const std::string& message)> goes;  ///< by the message's id
  std::function<bool(std::string_view text)> repeats;  ///< whether a text made of other runs holds erased words
};

/// What is left of a run.
struct RedactedRun {
  bool changed = false;
  bool nothing_left = false;  ///< all of its messages go
  std::vector<BusEvent> events;  ///< numbered as before; without the words that go
  std::vector<std::string> handles;  ///< of outputs that go and were kept whole
  std::vector<std::string> questions;  ///< ids of those that were asked in what goes, or answered by it
  /// Files that the run wrote by calls that go, below the work folder, with what it wrote.
  std::vector<std::pair<std::string, std::string>> files;
};

/// Takes the words of erased messages out of a run's events: out of the messages themselves, and of what says the same
/// again: intents, questions, answers, what sub-agents were told, the final output. Numbers and kinds of events stay,
/// so that they fold as before. Events that say nothing of their type lose their payload.
RedactedRun redact_run(const std::string& run, std::span<const BusEvent> events, const RunRedaction& redaction);

}  // namespace weft
