#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace weft {

/// One event of a text/event-stream.
struct SseEvent {
  std::string type;  ///< "message" where the stream names none
  std::string data;  ///< the data lines, joined by LF
  std::string id;    ///< the last id that the stream named, also by an earlier event
};

/// Reads a stream of server-sent events as the HTML standard defines it: lines may end in CR, LF or CRLF, a leading
/// byte order mark is skipped, chunks may be cut anywhere, and an event that the stream ends in the middle of is
/// dropped. Not safe for several threads.
class SseReader {
 public:
  explicit SseReader(std::size_t max_event_bytes = 16 * 1024 * 1024) : max_event_bytes_(max_event_bytes) {}

  /// Takes the next bytes and calls `on_event` for each event they complete. Returns false when an event grows past the
  /// limit: the stream is then unusable, and every further call returns false.
  bool feed(std::string_view bytes, const std::function<void(const SseEvent&)>& on_event);

 private:
  void take_line(std::string_view line, const std::function<void(const SseEvent&)>& on_event);
  void dispatch(const std::function<void(const SseEvent&)>& on_event);
  bool within_limit() { return usable_ = line_.size() + event_.data.size() <= max_event_bytes_; }

  std::size_t max_event_bytes_;
  std::string line_;  // what has come of the current line
  SseEvent event_;
  bool has_data_ = false;
  bool last_was_cr_ = false;  // a LF that follows belongs to the same line end
  bool at_start_ = true;
  bool usable_ = true;
};

}  // namespace weft
