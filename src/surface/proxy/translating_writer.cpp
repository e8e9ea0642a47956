#include "surface/proxy/translating_writer.h"

namespace weft::proxy {

bool TranslatingWriter::begin(int status, std::string_view) {
  return out_.begin(status, "text/event-stream; charset=utf-8");
}

bool TranslatingWriter::write(std::string_view bytes) {
  reader_.feed(bytes, [this](const SseEvent& event) { take(event.data); });
  const std::string made = taken();
  return made.empty() ? !out_.client_gone() : out_.write(made);
}

void TranslatingWriter::end() {
  finish();
  if (const std::string made = taken(); !made.empty()) out_.write(made);
  out_.end();
}

}  // namespace weft::proxy
