#pragma once

#include <set>
#include <vector>

#include "ports/store/postgres/connection.h"
#include "ports/store/store.h"

namespace weft::postgres {

/// The statements of a batch in their order. The first one locks the heads of `scopes` and gives a row for each, with
/// scope, version and the version before; there is none where `scopes` is empty.
std::vector<Query> statements_of(const WriteBatch& batch, const std::set<ScopeKey>& scopes);

/// The scopes whose rows a batch names by their scope.
std::set<ScopeKey> named_scopes(const WriteBatch& batch);

/// The numbers of messages and items whose scopes the batch does not name.
std::vector<std::int64_t> unnamed_messages(const WriteBatch& batch);
std::vector<std::int64_t> unnamed_items(const WriteBatch& batch);

}  // namespace weft::postgres
