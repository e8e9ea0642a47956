#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/facets/facet.h"
#include "weft/state.h"
#include "weft/value.h"

namespace weft {

/// One state of a scope by its name: exact values, with a version for each change. A name that is none (see `check_id`)
/// is kInvalidArgument at each call.
class State : public Facet {
 public:
  const std::string& name() const { return name_; }

  /// As it stands, or as it stood after `version` (0: the newest). One that was never written has version 0 and an
  /// empty tree.
  Result<StateView> read(std::int64_t version = 0) const;
  /// The value at a path as operations name it: "hero", "hero.hp", "/bag/items/0". kNotFound names the nearest one.
  Result<Value> get(std::string_view path) const;

  /// Applies operations, all or none.
  Result<StateView> apply(const StateOps& operations) const;
  /// The same from text, as a model writes it.
  Result<StateView> apply(const StateChange& change) const;
  /// Puts a whole tree in the place of what stood there, as one more version.
  Result<StateView> put(const Value& tree, const std::string& author = "program") const;
  Result<StateView> put_json(const std::string& json, const std::string& author = "program") const;

  /// Its versions, oldest first, at most `limit` of the newest, of those below `before` (0: of all).
  Result<std::vector<StateVersion>> log(std::size_t limit = 100, std::int64_t before = 0) const;
  /// Puts a former version back, as one more version.
  Result<StateView> roll_back(std::int64_t version, const std::string& author = "program") const;

  /// The JSON schema that changes have to keep to; empty where there is none.
  Result<std::string> schema() const;
  /// Sets it (draft 7, of the whole tree as `read` gives it, without regular expressions); a null value or an empty
  /// text lifts it. kInvalidArgument for what is no schema, or where the state as it is breaks it.
  Status set_schema(const Value& schema, const std::string& author = "program") const;
  Status set_schema_json(const std::string& schema, const std::string& author = "program") const;

 private:
  friend class Engine;
  friend class Story;
  State(const Services& services, Caller caller, std::string name)
      : Facet(services, std::move(caller)), name_(std::move(name)) {}

  std::string name_;
};

}  // namespace weft
