#include "flow/context/visible.h"

#include <algorithm>

#include "base/strings.h"

namespace weft {
namespace {

constexpr std::size_t kLittleMore = 2;  // of a memory's text by which another may be longer and still repeat it

// A message that is longer than what is embedded at once is kept in parts, numbered behind its id.
bool is_part(const Item& item) {
  return item.kind == ItemKind::kMessage && item.id.str().find('#') != std::string::npos;
}

}  // namespace

std::string source_key(const SessionId& session, const MessageId& message) {
  return session.str() + "\n" + message.str();
}

void Visible::add(const Message& message, const MessageId& stored) {
  if (!stored.empty()) sources_.insert(source_key(session_, stored));
  if (!message.content.empty()) texts_.push_back(message.content);
}

void Visible::add(const Item& item) {
  auto& into = is_part(item) ? parts_ : sources_;
  for (const MessageId& id : item.sources) into.insert(source_key(item.session, id));
  memories_.emplace_back(trimmed(item.text));
}

bool Visible::shows_source_of(const Item& item) const {
  return std::any_of(item.sources.begin(), item.sources.end(), [&](const MessageId& id) {
    const std::string key = source_key(item.session, id);
    return sources_.contains(key) || (!is_part(item) && parts_.contains(key));
  });
}

bool Visible::shows_text(std::string_view text) const {
  const std::string_view wanted = trimmed(text);
  if (wanted.empty()) return false;
  return std::any_of(texts_.begin(), texts_.end(),
                     [&](std::string_view one) { return one.find(wanted) != std::string_view::npos; });
}

bool Visible::repeats_memory(std::string_view text) const {
  const std::string_view said = trimmed(text);
  return std::any_of(memories_.begin(), memories_.end(), [&](const std::string& one) {
    const bool within = one.find(said) != std::string::npos;
    // "You said: …" adds nothing worth a place of its own.
    return within || (said.size() <= one.size() + one.size() / kLittleMore && said.find(one) != std::string_view::npos);
  });
}

}  // namespace weft
