#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// One call of a chat model, as it is accounted for.
struct ModelCall {
  std::string scope;  ///< key of whose it was, such as "user:ann"; empty: nobody's
  std::string key;    ///< name of the server's key that it came with; empty: none
  std::string role;   ///< what the model was used for: "proxy", "main", "historian" …
  std::string model;  ///< its name
  std::string outcome = "answered";  ///< or how it failed, by a stable word such as "timeout"
  std::int64_t input_tokens = -1;    ///< as the model's server counted them; -1: it did not
  std::int64_t output_tokens = -1;
  /// What is counted where the server did not; needed only during the call.
  std::string_view input_text = {}, output_text = {};
  double seconds = 0;              ///< until the end of the answer
  double first_token_seconds =
      -1;  ///< until the first piece of a streamed answer; -1: none came, or it was not streamed

  bool answered() const { return outcome == "answered"; }
};

/// Totals of model calls. What rows are not told apart by is empty.
struct UsageRow {
  std::string day;  ///< in UTC, "2026-11-26"
  std::string scope, key, role, model;
  std::uint64_t calls = 0;   ///< answered and failed ones
  std::uint64_t failed = 0;  ///< of these
  std::uint64_t counted = 0;  ///< of these, those whose tokens were counted here, since the server told none
  std::int64_t input_tokens = 0, output_tokens = 0;
  double seconds = 0;  ///< of all calls together
};

/// Which totals are wanted.
struct UsageQuery {
  std::string scope = {};     ///< only those of this scope, by its key; empty: of all
  std::string from = {}, to = {};  ///< days, both included; empty: no bound
  /// What they are told apart by: "day", "scope", "key", "role", "model".
  std::vector<std::string> by = {"day", "role", "model"};
};

}  // namespace weft
