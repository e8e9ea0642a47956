#pragma once

#include <compare>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

namespace weft {

/// A string that is the id of one kind of thing, so that a user's id cannot be passed for a session's.
/// Opaque: any UTF-8 without control characters, checked where it enters (see `check_id`).
template <class Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string value) : value_(std::move(value)) {}
  const std::string& str() const { return value_; }
  bool empty() const { return value_.empty(); }
  friend auto operator<=>(const Id&, const Id&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Id& id) { return out << id.value_; }

 private:
  std::string value_;
};

/// The key under which memory of a scope is kept, as `Scope::key` writes it.
using ScopeKey = Id<struct ScopeTag>;
using UserId = Id<struct UserTag>;
using GroupId = Id<struct GroupTag>;
using SessionId = Id<struct SessionTag>;
using MessageId = Id<struct MessageTag>;
using BlockId = Id<struct BlockTag>;
using TopicId = Id<struct TopicTag>;
using ItemId = Id<struct ItemTag>;
using JobId = Id<struct JobTag>;

}  // namespace weft

template <class Tag>
struct std::hash<weft::Id<Tag>> {
  std::size_t operator()(const weft::Id<Tag>& id) const noexcept { return std::hash<std::string>{}(id.str()); }
};
