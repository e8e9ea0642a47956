#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/ids.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// An answer to a request that may be sent again, or its place while the request is at work.
struct FiledAnswer {
  std::string name;  ///< names the file: a digest of who asked and of the key that they drew
  ScopeKey scope;    ///< whose memory it tells of; empty: nobody's
  std::uint64_t request = 0;  ///< hash of what was asked
  int status = 0;             ///< 0 while it is at work
  bool forgotten = false;     ///< what it said went with what was erased
  Time made;
  std::string type, body;
};

/// Such answers as files of a workspace, answers/NAME, which their owner alone may read. Each is written whole and is
/// on disk when `put` returns. Erasing takes turns with writing, also between processes. Safe from many threads.
class AnswerFiles {
 public:
  explicit AnswerFiles(std::filesystem::path workspace) : folder_(std::move(workspace) / "answers") {}

  /// Puts an answer in place of what is there under its name. What was at work when its scope was erased keeps no body.
  Status put(const FiledAnswer& answer);
  /// kNotFound where there is none.
  Result<FiledAnswer> find(const std::string& name) const;
  /// No error where there is none.
  Status remove(const std::string& name);

  /// One of all there are, without its body.
  struct Listed {
    FiledAnswer answer;
    std::size_t bytes = 0;  ///< of the body
  };
  /// Oldest first; what cannot be read is removed.
  Result<std::vector<Listed>> list();

  /// Takes away what answers of a scope said, and those of others whose text `repeats` what goes. Gives how many.
  Result<std::size_t> forget(const ScopeKey& scope, const std::function<bool(std::string_view text)>& repeats);

 private:
  std::filesystem::path path_of(const std::string& name) const { return folder_ / name; }
  std::vector<std::filesystem::path> paths() const;
  Status write(const FiledAnswer& answer) const;

  const std::filesystem::path folder_;
};

/// A response of the Responses API that its client may ask for again.
struct KeptResponse {
  std::string id;
  ScopeKey scope;  ///< whose memory it was made with
  std::string session;
  Time made;
  std::string status;  ///< "queued", "in_progress", "completed", "incomplete", "failed" or "cancelled"
  bool background = false;  ///< made while nobody waited for it
  bool ours = false;  ///< made here; else by the model's server, which has what it says
  std::string object;  ///< as its client gets it, a JSON object; empty where the model's server has it

  bool unfinished() const { return status == "queued" || status == "in_progress"; }
};

/// Responses as files of a workspace, responses/SCOPE/ID.json, ids encoded so that none leaves its folder. Writing and
/// removing take turns over all who have the same workspace open, also in other processes: what somebody has removed
/// does not come back. What nobody has written for long is removed when others are kept. Safe from many threads.
class KeptResponses {
 public:
  /// `kept_for`: since a response was last written.
  explicit KeptResponses(std::filesystem::path workspace, std::chrono::hours kept_for = std::chrono::hours(24 * 30));

  /// Keeps one; it is on disk when this returns success, and with `durable` also after a power cut.
  Status put(const KeptResponse& response, bool durable);
  /// The same in place of one that is kept. kNotFound where it has been removed meanwhile.
  Status replace(const KeptResponse& response);

  /// kNotFound where there is none.
  Result<KeptResponse> find(const ScopeKey& scope, std::string_view id) const;
  /// The same where nobody says whose it is: ids of responses are drawn at random.
  Result<KeptResponse> find(std::string_view id) const;

  /// False: there was none.
  Result<bool> remove(const ScopeKey& scope, std::string_view id);
  /// Removes those of a scope of which `goes` says so, by what they are and the text of their file. Gives how many.
  using Goes = std::function<bool(const KeptResponse& response, std::string_view text)>;
  Result<std::size_t> remove_if(const ScopeKey& scope, const Goes& goes);

  /// After a start: those that this workspace's server was making are there as they are after `end` has changed them.
  Status recover(const std::function<void(KeptResponse&)>& end);

  /// Removes those that were last written before `since`. Gives how many.
  Result<std::size_t> remove_older(std::filesystem::file_time_type since);

 private:
  std::filesystem::path path_of(const ScopeKey& scope, std::string_view id) const;
  Status write(const KeptResponse& response, bool durable) const;

  std::filesystem::path folder_;
  std::chrono::hours kept_for_;
  std::atomic<std::int64_t> looked_through_ = 0;  ///< for what is old, as a day since 1970
};

}  // namespace weft
