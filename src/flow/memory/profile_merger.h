#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/profile_body.h"
#include "flow/memory/profile_merge.h"
#include "flow/memory/profile_reader.h"
#include "flow/memory/profile_statements.h"

namespace weft {

/// The work of merging one piece of information into one body; `merge_profile` and `remove_sources` are its callers.
/// For one thread.
class ProfileMerger {
 public:
  /// `info` and `reader` must outlive it.
  ProfileMerger(std::string_view body, const ProfileInfo& info, const ProfileReader& reader);

  /// Merges one sentence, already on one line.
  void add(const std::string& sentence);

  /// Takes the oldest notes and earlier lines away until the body has at most `max` bytes; what people wrote stays.
  void shrink(std::size_t max);

  /// Puts a line back whose end is not known any more: among what holds today, unless something else ends it.
  void restore(ProfileLine line);

  /// The body as it is now, with its flags, and what was done. Once.
  MergeResult result();

 private:
  using Lines = std::vector<ProfileLine>;
  using ProfileStatements = std::vector<ProfileStatement>;

  bool is_known(const std::string& sentence) const;
  void bear_witness(ProfileLine& line, const std::string& sentence);
  std::optional<std::size_t> line_with(const ProfileStatement& now, const std::string& value) const;
  bool confirm(const ProfileStatements& statements, const std::string& sentence);
  std::optional<std::size_t> newer_value(const ProfileStatements& statements, Time time) const;
  void put_late(const std::string& sentence, const ProfileStatements& statements, std::size_t newer);
  void end_only(const std::string& sentence, const ProfileStatements& statements);
  void replace_named(const std::string& sentence);
  std::string end_named();
  void retire(const std::vector<bool>& gone, Lines moved);
  std::string end_former(const ProfileStatements& statements);
  static bool is_all_over(const ProfileStatements& all, const ProfileStatements& over, const ProfileStatements& now);
  static ProfileLine as_earlier(ProfileLine line, std::string_view date, const std::string& event_id);
  ProfileLine as_earlier(ProfileLine line, std::size_t newer) const;
  void mark_over(std::size_t at, const ProfileStatements& over, const ProfileStatements& now);
  void note(const std::string& sentence);
  void end_like(const std::string& sentence);
  void put(ProfileSection section, std::string content);
  void insert(ProfileSection section, Lines bullets);
  void take(const std::vector<bool>& gone);

  Lines lines_;
  const ProfileInfo& info_;
  const ProfileReader& reader_;
  std::string date_;
  std::vector<ProfileStatements> said_;  // by the lines, what each says today
  std::vector<MergeChange> changes_;
  std::vector<std::string> over_;  // events of the lines that the current sentence ends
};

}  // namespace weft
