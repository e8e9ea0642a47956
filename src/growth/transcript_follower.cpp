#include "growth/transcript_follower.h"

#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#include "ports/files/file_system.h"
#include "text/record.h"

namespace weft {

WEFT_DESCRIBED(ReadSoFar);

template <>
const Record<ReadSoFar>& record<ReadSoFar>() {
  static const auto made = Record<ReadSoFar>("ReadSoFar", "How far a file of another agent was read.", RecordUse::kBoth)
                               .field("file", &ReadSoFar::file, "hash of its path", {.required = true})
                               .field("inode", &ReadSoFar::inode, "of the file system")
                               .field("at", &ReadSoFar::at, "bytes that were worked off")
                               .field("head_bytes", &ReadSoFar::head_bytes, "how many of the beginning are hashed")
                               .field("head", &ReadSoFar::head, "their hash")
                               .field("tail_bytes", &ReadSoFar::tail_bytes, "how many before `at` are hashed")
                               .field("tail", &ReadSoFar::tail, "their hash")
                               .field("session", &ReadSoFar::session, "as the file names it")
                               .field("tasks", &ReadSoFar::tasks, "that were counted");
  return made;
}

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kHashed = 512;  // bytes by which a file is known again
constexpr std::uint64_t kLargest = 512ULL * 1024 * 1024;
constexpr std::size_t kMostReports = 200;  // of one look, so that they are kept before more are read
constexpr int kUnanswered = 12;

std::string hash_of(std::string_view text) {
  std::array<char, 20> hash{};
  std::snprintf(hash.data(), hash.size(), "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  return hash.data();
}

Result<std::string> read_part(const fs::path& path, std::uint64_t from, std::uint64_t to) {
  std::ifstream in(path, std::ios::binary);
  std::string text(to > from ? to - from : 0, '\0');
  in.seekg(static_cast<std::streamoff>(from));
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in.is_open())) return unavailable(path.string() + ": it cannot be read");
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

bool is_document(const fs::path& path) { return path.extension() == ".json" || path.extension() == ".traj"; }

bool is_followed(const fs::path& path) {
  return is_document(path) || path.filename().string().find(".jsonl") != std::string::npos;
}

// Whether the file is the one that was read: it begins with the same bytes, and has the same before the place.
bool is_same(const fs::path& path, std::uint64_t size, const ReadSoFar& known) {
  if (size < known.at || size < known.head_bytes) return false;
  const auto head = read_part(path, 0, known.head_bytes);
  const auto tail = read_part(path, known.at - known.tail_bytes, known.at);
  return head.ok() && tail.ok() && hash_of(*head) == known.head && hash_of(*tail) == known.tail;
}

Status mark(const fs::path& path, std::uint64_t size, ReadSoFar& so_far) {
  so_far.head_bytes = std::min(size, kHashed);
  so_far.tail_bytes = std::min(so_far.at, kHashed);
  WEFT_TRY(const std::string head, read_part(path, 0, so_far.head_bytes));
  WEFT_TRY(const std::string tail, read_part(path, so_far.at - so_far.tail_bytes, so_far.at));
  so_far.head = hash_of(head);
  so_far.tail = hash_of(tail);
  return {};
}

bool is_answered(const TaskReport& report) { return !report.output.empty(); }

// What somebody only began to ask is no task yet, and what belongs to a task that was counted is none of its own.
bool is_task(const TaskReport& report) { return !report.task.empty() && !report.steps.empty(); }

}  // namespace

fs::path followed_log(const fs::path& workspace, const ScopeKey& scope) {
  return scope_folder(workspace, "followed", scope) / "transcripts.jsonl";
}

Result<TranscriptFollower> TranscriptFollower::open(FileSystem& files, const fs::path& log, FollowedFiles which) {
  TranscriptFollower made(files, std::move(which));
  const auto take = [&](std::string_view line) {
    ++made.lines_;
    if (auto one = parse_record<ReadSoFar>(line, "line"); one.ok()) made.known_[one->file] = std::move(*one);
  };
  WEFT_TRY(made.log_, LineLog::open(files, log, take));
  WEFT_CHECK(made.keep_small(log));
  return made;
}

// Of each file only the newest line counts.
Status TranscriptFollower::keep_small(const fs::path& log) {
  if (lines_ <= 4 * known_.size() + 1000) return {};
  std::string text;
  for (const auto& [file, so_far] : known_) text += to_json(so_far) + "\n";
  log_ = nullptr;
  WEFT_CHECK(write_file(files_, log, text, true));
  lines_ = known_.size();
  WEFT_TRY(log_, LineLog::open(files_, log));
  return {};
}

Result<std::vector<TranscriptFollower::File>> TranscriptFollower::list() const {
  std::error_code failed;
  std::vector<File> found;
  const auto now = fs::file_time_type::clock::now();
  auto at = fs::recursive_directory_iterator(which_.folder, fs::directory_options::skip_permission_denied, failed);
  if (failed)
    return not_found("watch: the folder " + which_.folder.string() + " cannot be read: " + failed.message(),
                     "name the folder in which the other agent keeps its sessions");
  for (; at != fs::recursive_directory_iterator(); at.increment(failed)) {
    if (failed) break;
    struct stat info{};
    if (!is_followed(at->path()) || ::stat(at->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    File file{at->path(), static_cast<std::uint64_t>(info.st_size), info.st_ino, {}, {}};
    file.changed = fs::last_write_time(file.path, failed);
    if (failed) continue;
    file.rests = std::chrono::duration_cast<std::chrono::seconds>(now - file.changed);
    found.push_back(std::move(file));
  }
  // The oldest first: what was done earlier is learnt earlier.
  std::sort(found.begin(), found.end(),
            [](const File& a, const File& b) { return std::tie(a.changed, a.path) < std::tie(b.changed, b.path); });
  return found;
}

// Of the same path; or of a file that was renamed, which has the same number and begins with the same bytes.
ReadSoFar TranscriptFollower::so_far(const File& file) const {
  const std::string name = hash_of(file.path.string());
  const auto at = known_.find(name);
  if (at != known_.end() && is_same(file.path, file.size, at->second)) return at->second;
  for (const auto& [other, so_far] : known_)
    if (so_far.inode == file.inode && other != name && so_far.head_bytes > 0 && is_same(file.path, file.size, so_far)) {
      ReadSoFar renamed = so_far;
      renamed.file = name;
      return renamed;
    }
  ReadSoFar fresh;
  fresh.file = name;
  return fresh;
}

Result<TranscriptFollower::Look> TranscriptFollower::look() {
  WEFT_TRY(const auto files, list());
  Look look;
  std::size_t reports = 0;
  std::map<fs::path, Seen> seen;
  for (const File& file : files) {
    const auto before = seen_.find(file.path);
    Seen now = before == seen_.end() ? Seen{} : before->second;
    const bool changed = before == seen_.end() || now.size != file.size || now.changed != file.changed;
    if (changed || (now.waits && file.rests >= *now.waits)) {
      if (reports >= kMostReports) {
        look.more = true;
        continue;  // it was not seen yet
      }
      now.size = file.size;
      now.changed = file.changed;
      WEFT_TRY(Found found, read(file, now));
      reports += found.reports.size();
      if (!found.reports.empty() || !found.problems.empty()) look.found.push_back(std::move(found));
    }
    look.files += now.is_transcript;
    if (now.waits) {
      const auto left = std::max(*now.waits - file.rests, std::chrono::seconds(1));
      look.due = look.due ? std::min(*look.due, left) : left;
    }
    seen[file.path] = now;
  }
  seen_ = std::move(seen);
  return look;
}

// Reports are what is made here.
bool TranscriptFollower::is_wanted(TranscriptFormat format) const {
  return which_.format ? format == *which_.format : format != TranscriptFormat::kTaskReports;
}

Result<TranscriptFollower::Found> TranscriptFollower::read(const File& file, Seen& seen) {
  Found found;
  found.file = file.path;
  found.so_far = so_far(file);
  found.so_far.inode = file.inode;
  seen.waits = std::nullopt;
  if (file.size - found.so_far.at > kLargest) {
    found.problems.push_back(file.path.string() + ": too large to be read");
    return found;
  }
  WEFT_CHECK(is_document(file.path) ? read_document(file, seen, found) : read_lines(file, seen, found));
  if (!found.reports.empty()) WEFT_CHECK(mark(file.path, file.size, found.so_far));
  return found;
}

// A document is written anew as a whole: it is read when it rests, and the run in it counts once.
Status TranscriptFollower::read_document(const File& file, Seen& seen, Found& found) {
  if (found.so_far.at == file.size) return {};
  if (file.rests < which_.quiet) {
    seen.waits = which_.quiet;
    return {};
  }
  WEFT_TRY(const std::string text, read_part(file.path, 0, file.size));
  auto read = read_transcripts(text, {.file = file.path.string(), .source = file.path.string(), .whole = true});
  if (!read.ok() || !is_wanted(read->format)) return {};
  seen.is_transcript = true;
  for (TaskReport& report : read->reports)
    if (is_task(report)) found.reports.push_back(std::move(report));
  found.so_far.at = file.size;
  found.so_far.tasks = static_cast<std::int64_t>(found.reports.size());
  return {};
}

// What stands behind the last line break is still being written, unless it is whole and the file rests.
Status TranscriptFollower::read_lines(const File& file, Seen& seen, Found& found) {
  WEFT_TRY(std::string text, read_part(file.path, found.so_far.at, file.size));
  const auto end = text.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  const bool rest = text.find_first_not_of(" \t\r", whole) != std::string::npos;
  const bool rests = file.rests >= which_.quiet;
  if (rest && !rests) seen.waits = which_.quiet;
  if (!rest || !rests || !check_json(std::string_view(text).substr(whole), {}, "line").ok()) text.resize(whole);
  return text.empty() ? Status() : take_part(file, text, seen, found);
}

Status TranscriptFollower::take_part(const File& file, std::string_view text, Seen& seen, Found& found) {
  ReadSoFar& so_far = found.so_far;
  auto read = read_transcripts(
      text,
      {.file = file.path.string(), .source = file.path.string(), .session = so_far.session, .tasks = so_far.tasks});
  if (!read.ok() || !is_wanted(read->format)) return {};
  seen.is_transcript = true;
  const std::uint64_t begin = so_far.at;
  std::size_t told = 0;
  for (std::size_t i = 0; i < read->reports.size(); ++i) {
    TaskReport& report = read->reports[i];
    const bool open = read->open && i + 1 == read->reports.size();
    if (open && is_task(report)) {
      const auto waits = is_answered(report) ? which_.quiet : which_.quiet * kUnanswered;
      if (file.rests < waits) {
        seen.waits = std::min(waits, seen.waits.value_or(waits));
        break;
      }
    } else if (open) {
      break;
    }
    if (!report.session.starts_with("imported/")) so_far.session = report.session;
    so_far.at = begin + read->ends[i];
    if (!is_task(report)) continue;
    ++so_far.tasks;
    ++told;
    found.reports.push_back(std::move(report));
  }
  if (told > 0) found.problems = std::move(read->problems);
  return {};
}

Status TranscriptFollower::taken(const Found& found) {
  if (found.reports.empty()) return {};
  WEFT_CHECK(log_->append(to_json(found.so_far)));
  known_[found.so_far.file] = found.so_far;
  return {};
}

}  // namespace weft
