#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "ports/store/store.h"
#include "text/record.h"

namespace weft {

/// Records of one kind in the store: each is a document of its scope, and of its versions only the newest is kept. `T`
/// is described as a `Record<T>`. A record that cannot be read is logged and left out. Safe from many threads.
template <class T>
class KeptRecords {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::int32_t>::max();
  struct Kept {
    T value;
    std::string id;
    std::int64_t version = 0;  ///< 0: not in the store
  };

  /// `store` must outlive it. `kind` is the kind of its documents.
  KeptRecords(Store& store, std::string kind) : store_(store), kind_(std::move(kind)) {}

  Result<std::optional<Kept>> find(const ScopeKey& scope, const std::string& id) const {
    WEFT_TRY(const auto row, store_.documents().newest(scope, kind_, id));
    return row ? read(*row) : std::nullopt;
  }

  /// Those of a scope with the newest times, in the order of time; by default all.
  Result<std::vector<Kept>> latest(const ScopeKey& scope, std::size_t limit = kAll) const {
    WEFT_TRY(const auto rows, store_.documents().latest(scope, kind_, limit));
    return read(rows);
  }

  /// Those of every scope whose time is not before `first`, in the order of time.
  Result<std::vector<Kept>> since(Time first) const {
    WEFT_TRY(const auto rows, store_.documents().of_kind(kind_, first.ms));
    return read(rows);
  }

  /// Writes a record with other rows, in place of the version `before` (0: no version). The write is a kConflict if
  /// that is not the newest version any more.
  void put(const ScopeKey& scope, const std::string& id, const T& value, std::int64_t before, Time time,
           WriteBatch& batch) const {
    expect(scope, id, before, batch);
    if (before > 0) batch.erased_versions.emplace_back(DocumentKey{scope, kind_, id}, before + 1);
    batch.documents.push_back({scope, kind_, id, before + 1, time, "weft", to_json(value)});
  }

  /// The write is a kConflict unless `version` is the newest version of the record (0: the record does not exist).
  void expect(const ScopeKey& scope, const std::string& id, std::int64_t version, WriteBatch& batch) const {
    batch.expected_documents.emplace_back(DocumentKey{scope, kind_, id}, version);
  }

  /// Removes a record with other rows.
  void remove(const ScopeKey& scope, const std::string& id, WriteBatch& batch) const {
    if (!id.empty()) batch.erased_documents.push_back({scope, kind_, id});
  }
  /// Removes all of a scope with other rows.
  void remove_all(const ScopeKey& scope, WriteBatch& batch) const {
    batch.erased_documents.push_back({scope, kind_, {}});
  }

 private:
  std::optional<Kept> read(const DocumentRow& row) const {
    auto value = parse_record<T>(row.body, kind_ + " " + row.id);
    if (value.ok()) return Kept{std::move(value).value(), row.id, row.version};
    log_warning("records.read", value.error().message);
    return std::nullopt;
  }

  std::vector<Kept> read(const std::vector<DocumentRow>& rows) const {
    std::vector<Kept> kept;
    for (const DocumentRow& row : rows)
      if (auto one = read(row)) kept.push_back(std::move(*one));
    return kept;
  }

  Store& store_;
  const std::string kind_;
};

}  // namespace weft
