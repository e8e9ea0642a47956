#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "weft/ids.h"
#include "weft/memory.h"
#include "weft/message.h"

namespace weft {

/// The name of a message among all sessions of a scope: clients number their messages anew in each.
std::string source_key(const SessionId& session, const MessageId& message);

/// What a prompt shows: the messages that are sent, and the sources of the memories that were woven in. Belongs to one
/// assembly; the messages must outlive it.
class Visible {
 public:
  explicit Visible(SessionId session) : session_(std::move(session)) {}

  /// A message that is sent; `stored` is its id in the session, empty where it is not kept there.
  void add(const Message& message, const MessageId& stored);
  /// A memory that is woven in.
  void add(const Item& item);
  void add_source(const std::string& key) { sources_.insert(key); }

  /// Whether any source of the item is sent or woven in already: a source has one slot, in whatever form. Parts of one
  /// long message say different things and may stand beside each other.
  bool shows_source_of(const Item& item) const;
  bool shows(const std::string& source) const { return sources_.contains(source) || parts_.contains(source); }
  /// Whether a message that is sent holds this text. For memories whose sources stand in other sessions, and messages
  /// that are not kept.
  bool shows_text(std::string_view text) const;
  /// Whether a memory that is woven in says this text, or nearly all of it.
  bool repeats_memory(std::string_view text) const;

 private:
  SessionId session_;
  std::unordered_set<std::string> sources_;
  std::unordered_set<std::string> parts_;  ///< messages of which a part is woven in
  std::vector<std::string_view> texts_;
  std::vector<std::string> memories_;
};

}  // namespace weft
