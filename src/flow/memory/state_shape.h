#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/value.h"

namespace weft {

// What the parts of a state tree are. All functions only look at values and may be called from any thread.

inline constexpr std::string_view kEntityAnchor = "id";
inline constexpr std::string_view kContainerAnchor = "_anchor";
inline constexpr std::string_view kContainerItems = "items";

/// What a value is within a state tree.
enum class StateShape {
  kValue,      ///< a scalar, a described value, a list of such: changed as a whole, has no anchor
  kGroup,      ///< an object that only groups containers (or nothing): holds nothing of its own, has no anchor
  kEntity,     ///< an object with fields; its anchor is its member "id"
  kContainer,  ///< what entities are put into; its anchor is its member "_anchor"
};

/// Where a value stands: the positions among members or elements from the root downwards.
using StatePath = std::vector<std::uint32_t>;

/// Whether this is {"value":…,"description":…} and nothing else, with plain data as its value.
bool is_described(const Value& value);

/// The shape of a member of an object. A list that holds entities is a container that still needs its wrapping.
StateShape shape_of(const Value& member);

/// The shape of an element of a list: every object there is an entity unless it says that it is a container.
StateShape shape_of_element(const Value& element);

/// Whether an anchor of the value (it may have "id" and "_anchor" both) is `name`.
bool has_anchor(const Value& value, std::string_view name);

/// Whether it has any.
bool is_anchored(const Value& value);

/// The anchors of the value; whole numbers count as their digits. "_anchor" comes first.
std::vector<std::string> anchors_of(const Value& value);

/// Members or elements; none for scalars.
std::size_t child_count(const Value& value);
const Value& child_at(const Value& value, std::size_t position);
Value& child_at(Value& value, std::size_t position);

/// The position of the member of that name; `child_count` where there is none.
std::size_t position_of(const Value& object, std::string_view name);

/// The value at the path; null where it leads nowhere.
const Value* value_at(const Value& root, const StatePath& path);
Value* value_at(Value& root, const StatePath& path);

/// Levels of the tree below and with this value: 1 for a scalar. Stops counting at `max + 1`.
std::size_t depth_of(const Value& value, std::size_t max);

/// About how many bytes the value takes as JSON.
std::size_t size_of(const Value& value);

/// The path as a JSON Pointer, for people.
std::string pointer_to(const Value& root, const StatePath& path);

}  // namespace weft
