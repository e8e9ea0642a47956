#include "ports/net/sse.h"

namespace weft {

bool SseReader::feed(std::string_view bytes, const std::function<void(const SseEvent&)>& on_event) {
  if (!usable_) return false;
  if (last_was_cr_ && !bytes.empty()) {
    if (bytes.front() == '\n') bytes.remove_prefix(1);
    last_was_cr_ = false;
  }
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of("\r\n");
    line_.append(bytes.substr(0, end));
    if (!within_limit()) return false;
    if (end == std::string_view::npos) break;
    const bool is_cr = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (is_cr && bytes.empty()) last_was_cr_ = true;
    if (is_cr && !bytes.empty() && bytes.front() == '\n') bytes.remove_prefix(1);
    std::string line;
    line.swap(line_);
    take_line(line, on_event);
  }
  return within_limit();
}

void SseReader::take_line(std::string_view line, const std::function<void(const SseEvent&)>& on_event) {
  if (at_start_ && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  at_start_ = false;
  if (line.empty()) return dispatch(on_event);
  const std::size_t colon = line.find(':');
  if (colon == 0) return;  // a comment, sent to keep the connection open
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  } else if (field == "event") {
    event_.type = value;
  } else if (field == "id" && value.find('\0') == std::string_view::npos) {
    event_.id = value;
  }
}

void SseReader::dispatch(const std::function<void(const SseEvent&)>& on_event) {
  if (has_data_) {
    if (event_.type.empty()) event_.type = "message";
    on_event(event_);
  }
  event_.type.clear();
  event_.data.clear();
  has_data_ = false;
}

}  // namespace weft
