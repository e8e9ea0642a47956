#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ports/files/file_system.h"
#include "weft/ids.h"
#include "weft/result.h"

namespace weft {

/// An append-only text file of lines, each written once and in order: the form in which people and their tools read
/// what happened. A line is there as a whole or not at all: what a crash cut off behind the last line break is taken
/// away when the log is opened. The file is read whole then, and not held. Safe from many threads; one process writes.
class LineLog {
 public:
  /// Opens or makes the file and its folder, and hands each line to `replay`, in order and without its break.
  static Result<std::unique_ptr<LineLog>> open(FileSystem& files, const std::filesystem::path& path,
                                               const std::function<void(std::string_view line)>& replay = {});

  /// Adds a line. It must hold no line break (kInvalidArgument). It is on disk when this returns success. After a
  /// failure nothing more is taken (kUnavailable) until the log is opened anew: what stands there is not known.
  Status append(std::string_view line);

  const std::filesystem::path& path() const { return path_; }
  /// Bytes that a crash had left behind the last whole line, taken away by `open`.
  std::uint64_t torn_bytes() const { return torn_; }

 private:
  LineLog(std::filesystem::path path, std::unique_ptr<OpenFile> file, std::uint64_t end, std::uint64_t torn)
      : path_(std::move(path)), file_(std::move(file)), end_(end), torn_(torn) {}

  std::filesystem::path path_;
  std::mutex mutex_;
  std::unique_ptr<OpenFile> file_;
  std::uint64_t end_ = 0, torn_ = 0;
  Status trouble_;
};

/// Append-only JSON lines beside the store, for people and their tools: sessions/SCOPE/SESSION.jsonl with the original
/// messages, and compaction/summaries.jsonl. The rows are the truth: a file that is gone is written anew. Ids are
/// encoded, so that none leaves its folder. Safe from many threads.
class SessionLog {
 public:
  explicit SessionLog(std::filesystem::path workspace) : workspace_(std::move(workspace)) {}

  /// How many lines the session's file has.
  Result<std::size_t> lines(const ScopeKey& scope, const std::string& session);

  /// Adds messages, a JSON object each.
  Status append(const ScopeKey& scope, const std::string& session, const std::vector<std::string>& messages);

  /// Adds a line on a compaction: {"scope", "session", …}.
  Status append_summary(const std::string& line);

  /// Takes out what the files say of sessions of a scope; of all of them where the list is empty.
  Status erase(const ScopeKey& scope, const std::vector<std::string>& sessions);

  std::filesystem::path path_of(const ScopeKey& scope, const std::string& session) const;
  std::filesystem::path summaries() const { return workspace_ / "compaction" / "summaries.jsonl"; }

 private:
  std::filesystem::path workspace_;
  std::mutex mutex_;
};

}  // namespace weft
