#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/threads.h"
#include "model/rows.h"
#include "ports/files/file_system.h"
#include "weft/config.h"
#include "weft/result.h"
#include "weft/status.h"

namespace weft {

/// What calls of models cost. Totals of each day are kept in usage.jsonl of the workspace, a line for each call that is
/// summed up from time to time; figures since the start go to the metrics, under names whose number is bounded. Safe
/// from any thread.
class UsageLedger {
 public:
  /// Counts the tokens of a text for a model.
  using Count = std::function<std::int64_t(const std::string& model, std::string_view text)>;

  /// Reads what is kept and sums it up. A line that cannot be read is left out and told to the log; kUnavailable and
  /// the like where the file cannot be read or written. The clock must outlive it.
  /// `count` counts tokens if the model's server reports none.
  static Result<std::unique_ptr<UsageLedger>> open(const Config& config, const Clock& clock, Count count);

  /// Tells metrics of a role before its first call.
  void expect(const std::string& role, const std::string& model);

  // `Upkeep` in weft/facets/upkeep.h says what these do.
  void note_model_call(const ModelCall& call);
  Result<std::vector<UsageRow>> usage(const UsageQuery& query);

  /// With `names` also what is told by users and keys.
  void write(MetricsText& into, bool names = true) const;
  /// What is kept of a scope that is forgotten as a whole is put down to nobody.
  Status erase(const ErasedMessages& gone);

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;  // day, scope, key, …
  struct Kept {
    std::map<Key, UsageRow> rows;
    std::map<std::string, std::size_t> rows_of_day;
    FileHandle file;
    std::size_t lines = 0;  ///< in the file
    std::string trouble;  ///< why the last line could not be written; empty: it could
  };
  struct Names {
    BoundedNames scopes, keys, models;
  };

  UsageLedger(const Config& config, const Clock& clock, Count count);
  Result<bool> read(Kept& kept);
  bool drop_old(Kept& kept) const;
  Status sum_up(Kept& kept);
  Status open_file(Kept& kept) const;
  void add(const UsageRow& row, Kept& kept) const;
  void keep(const UsageRow& row);
  void tell(const ModelCall& call, const UsageRow& row);

  const std::filesystem::path path_;
  const std::size_t rows_per_day_;
  const std::int64_t keep_days_;
  const Clock& clock_;
  const Count count_;
  mutable Sync<Kept> kept_;
  Sync<Names> names_;
  CounterFamily calls_, tokens_, counted_, scope_calls_, scope_tokens_, key_calls_, key_tokens_;
  HistogramFamily time_, first_token_;
};

}  // namespace weft
