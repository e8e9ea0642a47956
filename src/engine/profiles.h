#pragma once

#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/sync.h"
#include "engine/log_readers.h"
#include "flow/context/build_context.h"
#include "flow/historian/members.h"
#include "flow/historian/queued_jobs.h"
#include "flow/memory/profile_merge.h"
#include "ports/store/store.h"
#include "weft/profile.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

struct EngineCore;

/// Profiles: new information is merged into them, callers read and edit them, searches find them. Reads the log to show
/// profiles in their files if the program was killed before it did. Safe from any thread.
class Profiles final : public LogReader {
 public:
  explicit Profiles(EngineCore& core) : core_(core) {}

  // `ScopeProfiles` in weft/facets/scope_profiles.h says what these do.
  Result<Profile> profile(const RequestContext& request, const EntityKey& entity);
  Result<std::vector<ProfileVersion>> profile_history(const RequestContext& request, const EntityKey& entity);
  Result<Profile> profile_version(const RequestContext& request, const EntityKey& entity, std::uint64_t version);
  Result<Profile> roll_back_profile(const RequestContext& request, const EntityKey& entity, std::uint64_t version);
  Result<Profile> write_profile(const RequestContext& request, const EntityKey& entity, const std::string& body);
  Result<std::string> profile_path(const RequestContext& request, const EntityKey& entity);
  Result<std::vector<ProfileSummary>> list_profiles(EntityType type);

  /// Merges the new information of an end into the profiles that it belongs to, and adds to `batch` what changes by
  /// that: the profile, its item, and events that have ceased to hold. `view` is the event in the speaker's private
  /// memory, if any.
  Status update_profiles(const EndJob& end, ItemRow& event, std::optional<ItemRow>& view, WriteBatch& batch,
                         std::stop_token stop);

  /// Shows the profiles of `written` in their files.
  void show(const WriteBatch& written);
  const std::string& name() const override;
  Result<WriteBatch> read(const LogPart& part) override;

  /// How a profile is read: of a group, who its members are.
  Result<ProfileSubject> subject_of(const EntityKey& entity);

  /// Puts what stands in a profile into the index.
  Status index_profile(const Profile& profile);

  /// Does so for the files that people have changed since a prompt saw them.
  void index_changed_profiles();

  /// The profiles that stand in a prompt of the request's scope. Files that people have changed are indexed later.
  std::vector<ProfileText> profiles_for(const RequestContext& request);

 private:
  struct WordedProfile {
    std::string before, after;  ///< what the model was given, and what it made of it
  };
  struct Merged {
    Profile profile;
    std::vector<std::string> over;  ///< events that no longer hold
    std::string newer;  ///< the line that was said later than the information and says otherwise
    std::vector<std::string> lost;  ///< lines that the profile has no room for
    bool has_changed = false;  ///< whether the body has changed
  };
  Result<std::vector<std::string>> end_beside(const EndJob& end, ItemRow& event, ProfileInfo info,
                                              const ProfileSubject& subject);
  Result<Merged> merge_into(Profile profile, const EndJob& end, const ItemRow& event, ProfileInfo info,
                            const ProfileSubject& subject, const Members& members, const WordedProfile& worded);
  Result<std::vector<std::string>> said_later(const ItemRow& event, Time time, std::string_view body);
  Result<ItemRow> profile_item(const ScopeKey& scope, const Profile& profile);
  WordedProfile word_profile(const EntityKey& entity, const ProfileInfo& info, const ProfileSubject& subject,
                             std::stop_token stop);
  Status update_profile(const EndJob& end, const EntityKey& entity, ItemRow& event, WriteBatch& batch,
                        std::stop_token stop);
  Result<std::map<std::string, UserId>> senders_in(const ScopeKey& scope, std::string_view body);
  Status supersede(const EndJob& end, ItemRow& event, const std::vector<std::string>& old_events, WriteBatch& batch);
  void index_later(const RequestContext& request, const EntityKey& entity, const std::string& body);

  EngineCore& core_;
  struct Changed {
    std::map<std::string, std::size_t> glanced;  ///< digest of each profile when a prompt saw it last, by entity
    std::vector<std::pair<Scope, EntityKey>> waiting;
  };
  Sync<Changed> changed_profiles_;
};

}  // namespace weft
