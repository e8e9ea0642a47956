#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "text/value.h"

namespace weft {

/// A field of an entity that holds a number.
struct NumericField {
  std::string name;
  double value = 0;
  std::string path;  ///< of an operation; empty: the entity's anchor and the name
  std::optional<double> least, most;  ///< that the state itself writes beside the value
};

inline constexpr std::uint32_t kNoHolder = std::numeric_limits<std::uint32_t>::max();

/// What the planner has to know of an entity of the state.
struct StateEntity {
  std::string anchor;  ///< the first part of the path of an operation; empty: the state itself
  std::string name;    ///< as people call it; may be empty
  std::vector<std::string> aliases;  ///< other names, also in the other language
  std::string container;  ///< name of what holds it; empty: not known
  std::vector<NumericField> fields;
  std::uint32_t holder = kNoHolder;  ///< place of the entity that it stands in; none: the state itself
  bool group = false;   ///< only holds others; called by the member that it is
  bool player = false;  ///< said to be the player's own figure, by its id, name, role or place
};

/// The entities of a state, whatever its shape: objects with an id in lists, groups and one another. A value that is
/// written with its bounds ({"hp":{"value":40,"max":50}}, [{"name":"HP","current":40,"max":50}]) is a field of what
/// holds it. Single numbers of the state itself belong to an entity without an anchor, which is the last one.
std::vector<StateEntity> entities_of(const Value& root);

}  // namespace weft
