#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/profile_merge.h"
#include "ports/store/store.h"

namespace weft {

/// The members of a group: who they are is their id, what they are called is for people to read. Members who share a
/// name are told apart by their id: "Ann(1004)", 小明（1005）. Nothing for a private scope. Value type; const members
/// are safe from any thread.
class Members {
 public:
  Members() = default;
  explicit Members(std::vector<MemberName> names);

  static Result<Members> read(Store& store, const ScopeKey& scope);

  bool empty() const { return names_.empty(); }

  /// How a speaker is written. One whose id is not known, but whose name is that of a member, gets a question mark:
  /// "Ann(?)". Without a name the id is written.
  std::string label(const UserId& member, const std::string& name) const;

  /// Messages of users get the label of their sender as their name.
  void label(Message& message) const;

  /// The words for a member in the sentences of a profile: each name that is the member's alone, and every label.
  std::vector<MemberLabel> labels() const;

  /// Whether some name is that of several members, or some member has had several names.
  bool need_labels() const { return need_labels_; }

  /// An item as it is shown: who said it, and where its sender's name begins a line, under the label.
  void tell_apart(Item& item) const;

  /// The body of the group's profile in which each line that begins with a name of the member who said it begins with
  /// that one's label of today. `senders`: who said the events, by id.
  std::string tell_apart(std::string_view body, const std::map<std::string, UserId>& senders) const;

 private:
  /// A name under which somebody is written.
  struct Label {
    std::string text;
    UserId member;
    bool sure = true;  ///< nobody else is written so
  };

  bool is_shared(const UserId& member, const std::string& name) const;
  std::string newest_label(const UserId& member) const;
  const Label* label_at_start(std::string_view text) const;
  std::string relabelled(std::string_view text, const UserId& sender, bool renamed) const;

  std::vector<MemberName> names_;  ///< by member, the newest name last
  std::map<std::string, std::vector<UserId>> called_;  ///< by name, folded: who is called so, or has such an id
  std::vector<Label> labels_;  ///< the longest first
  bool need_labels_ = false;
};

}  // namespace weft
