#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/json.h"
#include "text/quantity_request.h"
#include "weft/result.h"

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

/// A change of one number of the state, ready to be applied.
struct NumberChange {
  std::string anchor, field;
  std::string path;  ///< of the operation
  std::uint32_t entity = 0;  ///< its place in `StateIndex::entities`
  std::string called;  ///< the field as the request calls it
  QuantityOperation operation = QuantityOperation::kAdd;
  double amount = 0;
  double before = 0, after = 0;
};

/// Why a change of a number is not made.
struct NumberDoubt {
  enum Why { kUnknown, kAmbiguous, kBelowLeast, kAboveMost, kNotWhole };
  Why why = kUnknown;
  std::string what;  ///< as the request calls it
  struct Number {
    std::string of, field;  ///< the entity, as people call it (may be empty), and its field
    double value = 0;
  };
  std::vector<Number> numbers;  ///< that may be meant; the first few
  double wanted = 0;            ///< what it would have become, where it is clear which is meant
  double bound = 0;             ///< that forbids it
};

/// The entities of one version of a state, in a form in which what people say is found without walking through all.
/// Their names are looked through when they are first asked for, once for all versions that differ in numbers only.
/// Read-only, safe from any thread; copies share the names.
class StateIndex {
 public:
  StateIndex() : StateIndex(std::vector<StateEntity>()) {}
  explicit StateIndex(std::vector<StateEntity> entities);
  /// The same, with what `earlier` knows of the names where they are the same ones in the same order.
  StateIndex(std::vector<StateEntity> entities, const StateIndex& earlier);

  /// The numbers that the requests mean, in their order. Fields are found by name, by the statistic they stand for in
  /// either language, things by name, alias or the end of their name ("potions" where there is only one kind). An error
  /// says why there is no answer: kNotFound where nothing is meant, kConflict where more than one number may be meant,
  /// kInvalidArgument where a number would fall below zero or rise above its maximum; `doubt`, where it is given, is
  /// filled in then. All or nothing, never a guess.
  ///
  /// A number that the sentence does not say whose it is, is the player's own where the player has it, the nearest to
  /// the player's figure where it holds others: `players` are further names of that figure; where nothing is said to be
  /// the player, the numbers of the state itself are.
  Result<std::vector<NumberChange>> resolve(const std::vector<QuantityRequest>& requests,
                                            const std::vector<std::string>& players = {},
                                            NumberDoubt* doubt = nullptr) const;

  const std::vector<StateEntity>& entities() const { return entities_; }

  /// A number that another one of the same process has only where the names are the same.
  std::uint64_t names_number() const;

 private:
  struct Place {
    std::uint32_t entity = 0, field = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  using Places = std::vector<Place>;
  using Entities = std::vector<std::uint32_t>;

  class Names;

  const Names& names() const;
  struct Own;  // which entities are the player's

  Places find(const QuantityRequest& request, const Own& own) const;
  Places counted(const Entities& entities) const;
  Places owned(std::string_view owner, std::string_view field, const Own& own) const;
  Places split_owner(const std::string& what, const Own& own) const;
  std::uint32_t steps_to(std::uint32_t entity, const Entities& holders) const;
  void keep_held_by(const std::string& where, Places& places) const;
  Own own_of(const std::vector<std::string>& players) const;
  void keep_own(const Own& own, Places& places) const;
  NumberDoubt doubt_of(const QuantityRequest& request, const Places& places) const;

  std::vector<StateEntity> entities_;
  std::shared_ptr<Names> names_;
};

/// The changes as a JSON array of operations: [["ADD","item_potion_02.count",3]].
std::string operations_json(const std::vector<NumberChange>& changes);

}  // namespace weft
