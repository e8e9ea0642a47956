#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/profile_body.h"
#include "flow/memory/profile_merge.h"
#include "flow/memory/profile_statements.h"

namespace weft {

/// Lines longer than this, in bytes, are nothing that merging wrote and say too much to be moved about: they are only
/// kept.
inline constexpr std::size_t kMaxReadLine = 4000;

/// Reads what is said of an entity, with the subject made one: empty for the entity itself, a folded name for others in
/// a group. Safe from any thread.
class ProfileReader {
 public:
  explicit ProfileReader(const ProfileSubject& subject);

  bool is_of_group() const { return group_; }

  /// What a sentence states of the entity.
  std::vector<ProfileStatement> about_entity(std::string_view sentence) const;

  /// What a line of a body says today: nothing where it is a note or over, and without the parts that are over.
  std::vector<ProfileStatement> of(const ProfileLine& line) const;

 private:
  const MemberLabel* member_at_start(std::string_view sentence) const;
  bool is_self(const std::string& name) const;
  std::string relation_of(const std::string& name) const;

  std::set<std::string> names_;
  std::vector<MemberLabel> members_;
  std::map<std::string, std::string> ids_;  ///< of members, by label, folded
  bool group_;
};

bool same_topic(const ProfileStatement& a, const ProfileStatement& b);
bool share_value(const ProfileStatement& a, const ProfileStatement& b);

/// Whether a new statement puts an end to an old one.
bool ends(const ProfileStatement& now, const ProfileStatement& before);

/// Whether it speaks of all values of the old one: "dog" of "a dog called Rex".
bool covers(const ProfileStatement& now, const ProfileStatement& before);

/// "until DATE: …" for earlier lines, "DATE: …" for notes, in the language of the text; and the text without it.
std::string dated(std::string_view date, std::string_view text, bool until);
std::string_view without_date(std::string_view content);

/// " (until DATE: VALUE)": stands behind a line that says several things, of which one is over.
struct OverMark {
  std::size_t begin = 0, end = 0;
  std::string value;
};
std::string over_mark(std::string_view date, const std::string& value, std::string_view content);
std::vector<OverMark> marks_of(std::string_view content);
std::string without_marks(std::string content);

}  // namespace weft
