#pragma once

#include <string>

#include "weft/memory.h"

namespace weft::test {

/// A hit of another session, from a message of its own.
inline Hit hit(const std::string& id, const std::string& text, double score) {
  Hit made;
  made.item.id = ItemId(id);
  made.item.session = SessionId("old");
  made.item.text = text;
  made.item.sources = {MessageId("src-" + id)};
  made.score = score;
  made.relevance = 0.9;
  return made;
}

}  // namespace weft::test
