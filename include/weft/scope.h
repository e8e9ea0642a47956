#pragma once

#include <string>
#include <string_view>

#include "weft/ids.h"
#include "weft/result.h"

namespace weft {

/// Whose memory is meant. Every read and write needs one, and there is no scope that means "all": private memory of one
/// user and memory of one group are different scopes even when the same person speaks in both.
class Scope {
 public:
  /// The private memory of one user, and the shared memory of a group, by ids as a program has them. An id that is
  /// none (see `check_id`) is an error, which a `Caller` takes as it is: the first call made with it returns it.
  static Result<Scope> of_user(std::string_view user) { return private_of(UserId(std::string(user))); }
  static Result<Scope> of_group(std::string_view group, std::string_view speaker = {}) {
    return group_of(GroupId(std::string(group)), UserId(std::string(speaker)));
  }

  /// The private memory of one user. The id must pass `check_id`.
  static Result<Scope> private_of(UserId user);

  /// The shared memory of a group; `speaker` is who speaks now and may be empty.
  static Result<Scope> group_of(GroupId group, UserId speaker = {});

  bool is_group() const { return !group_.empty(); }
  const UserId& user() const { return user_; }
  const GroupId& group() const { return group_; }

  /// The key under which memory is kept: "user:ID" or "group:ID". The speaker of a group is not part of it.
  ScopeKey key() const;

  friend bool operator==(const Scope& a, const Scope& b) { return a.key() == b.key(); }

 private:
  Scope(UserId user, GroupId group) : user_(std::move(user)), group_(std::move(group)) {}
  UserId user_;
  GroupId group_;
};

/// Accepts an id from outside: 1 to 256 bytes of UTF-8 without control characters. `what` names it in the error.
/// Separators and ".." are allowed, since ids never become file names without being encoded.
Status check_id(std::string_view id, std::string_view what);

}  // namespace weft
