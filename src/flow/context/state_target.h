#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/quantity_request.h"
#include "weft/result.h"

namespace weft {

/// A field of an entity that holds a number.
struct NumericField {
  std::string name;
  double value = 0;
};

/// What the planner has to know of an entity of the state.
struct StateEntity {
  std::string anchor;  ///< the first part of the path of an operation
  std::string name;    ///< as people call it; may be empty
  std::vector<std::string> aliases;  ///< other names, also in the other language
  std::string container;  ///< name of what holds it; empty: not known
  std::vector<NumericField> fields;
};

/// A change of one number of the state, ready to be applied.
struct NumberChange {
  std::string anchor, field;
  std::uint32_t entity = 0;  ///< its place in `StateIndex::entities`
  std::string called;  ///< the field as the request calls it
  QuantityOperation operation = QuantityOperation::kAdd;
  double amount = 0;
  double before = 0, after = 0;
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
  /// kInvalidArgument where a number would fall below zero or rise above its maximum. All or nothing, never a guess.
  Result<std::vector<NumberChange>> resolve(const std::vector<QuantityRequest>& requests) const;

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
  Places find(const QuantityRequest& request) const;
  Places counted(const Entities& entities) const;
  Places owned(std::string_view owner, std::string_view field) const;
  Places split_owner(const std::string& what) const;
  void keep_held_by(const std::string& where, Places& places) const;
  void keep_own(Places& places) const;
  bool is_player(std::uint32_t entity) const;

  std::vector<StateEntity> entities_;
  std::shared_ptr<Names> names_;
};

/// The changes as a JSON array of operations: [["ADD","item_potion_02.count",3]].
std::string operations_json(const std::vector<NumberChange>& changes);

}  // namespace weft
