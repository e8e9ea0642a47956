// What is known of people and groups over the long run.
#include <charconv>

#include "surface/api/list_operation.h"

namespace weft {
namespace {

struct ProfileText {
  std::string body;
};

}  // namespace

WEFT_DESCRIBED(ProfileText);

template <>
const Record<ProfileText>& record<ProfileText>() {
  static const auto made = Record<ProfileText>("WriteProfile", "A profile as a person words it.", RecordUse::kAsked)
                               .field("body", &ProfileText::body, "the whole text, in Markdown", {.required = true});
  return made;
}

namespace {

Result<EntityKey> entity_of(const Call& call) {
  const auto type = parse_entity_type(call.path("type"));
  if (!type)
    return invalid_argument("a profile is of a user or of a group",
                            "use /v1/profiles/user/ID or /v1/profiles/group/ID");
  WEFT_CHECK(check_id(call.path("id"), "profile"));
  return EntityKey{*type, call.path("id")};
}

// A profile's own path says whose it is; the scope still has to be the same.
Result<Profile> profile(const Call& call) {
  WEFT_TRY(const auto entity, entity_of(call));
  return call.engine.profiles(call.context).read(entity);
}

Result<std::vector<ProfileVersion>> history(const Call& call) {
  WEFT_TRY(const auto entity, entity_of(call));
  return call.engine.profiles(call.context).history(entity);
}

std::string key_of(const ProfileVersion& one) { return number_key(static_cast<std::int64_t>(one.version)); }

Result<std::uint64_t> version_of(const Call& call) {
  const std::string& text = call.path("version");
  std::uint64_t version = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || stop != text.data() + text.size()) return invalid_argument("a version is a whole number");
  return version;
}

Result<Profile> roll_back(const Call& call) {
  WEFT_TRY(const auto entity, entity_of(call));
  WEFT_TRY(const auto version, version_of(call));
  return call.engine.profiles(call.context).roll_back(version, entity);
}

Result<Profile> kept_version(const Call& call) {
  WEFT_TRY(const auto entity, entity_of(call));
  WEFT_TRY(const auto version, version_of(call));
  return call.engine.profiles(call.context).version(version, entity);
}

Result<Profile> write(const Call& call, ProfileText text) {
  WEFT_TRY(const auto entity, entity_of(call));
  return call.engine.profiles(call.context).write(text.body, entity);
}

}  // namespace

std::vector<Operation> profile_operations() {
  return {
      operation("profile", "GET /v1/profiles/{type}/{id}", "the profile of a user or a group", Whose::kScope, profile),
      list_operation("profile_history", "GET /v1/profiles/{type}/{id}/history", "its kept versions", Whose::kScope,
                     ListOrder::kByKey, history, key_of),
      operation("roll_back_profile", "POST /v1/profiles/{type}/{id}/rollback/{version}", "put one of them back",
                Whose::kScope, roll_back),
      operation("profile_version", "GET /v1/profiles/{type}/{id}/history/{version}", "one of them, with its text",
                Whose::kScope, kept_version),
      operation("write_profile", "PUT /v1/profiles/{type}/{id}",
                "put a text in its place; what stood there is kept as a version", Whose::kScope, write),
  };
}

}  // namespace weft
