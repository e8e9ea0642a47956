#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace weft {

/// One event of a text/event-stream.
struct SseEvent {
  std::string type;  ///< "message" where the stream names none
  std::string data;
  std::string id;
};

/// Reads a stream of server-sent events as the HTML standard defines it: lines may end in CR, LF or CRLF, a leading byte
/// order mark is skipped, chunks may be cut anywhere. Not safe for several threads.
class SseReader {
 public:
  explicit SseReader(std::size_t max_event_bytes = 16 * 1024 * 1024) : max_event_bytes_(max_event_bytes) {}

  /// Takes the next bytes and calls `on_event` for each event they complete. Returns false when an event grows past the
  /// limit: the stream is then unusable.
  bool feed(std::string_view bytes, const std::function<void(const SseEvent&)>& on_event);

 private:
  bool take_line(std::string_view line, const std::function<void(const SseEvent&)>& on_event);

  std::size_t max_event_bytes_;
  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool last_was_cr_ = false;
  bool at_start_ = true;
};

}  // namespace weft
