#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// Whom a profile is about.
enum class EntityType { kUser, kGroup };

std::string_view to_string(EntityType type);  ///< "user", "group"
std::optional<EntityType> parse_entity_type(std::string_view text);

/// Names one profile.
struct EntityKey {
  EntityType type = EntityType::kUser;
  std::string id;

  std::string str() const { return std::string(to_string(type)) + ":" + id; }  ///< "user:1708213363"
  friend auto operator<=>(const EntityKey&, const EntityKey&) = default;
};

/// A front matter key that is not Weft's own. Its text is kept as it was written; comment lines have an empty key.
struct ExtraKey {
  std::string key;
  std::string text;  ///< whole lines of YAML, the last with its line end

  friend bool operator==(const ExtraKey&, const ExtraKey&) = default;
};

/// What is known of a user or a group over the long run. It lies in a file that people read and edit.
struct Profile {
  EntityKey entity;
  std::string name;  ///< what people call the entity; may be empty
  std::vector<std::string> tags;
  Time updated_at;
  std::string source_event_id;  ///< the event of the last change; empty if a person made it
  std::vector<ExtraKey> extra;
  std::string body;  ///< Markdown

  friend bool operator==(const Profile&, const Profile&) = default;
};

/// One kept version of a profile.
struct ProfileVersion {
  std::uint64_t version = 0;  ///< grows by one a version
  Time taken;  ///< when it was put aside
  std::string origin;  ///< "weft", or "edit" where a person had written it
};

/// A profile in a list.
struct ProfileSummary {
  EntityKey entity;
  std::string name;
  Time updated_at;
  std::string problem;  ///< why its file cannot be read; empty if it can
};

}  // namespace weft
