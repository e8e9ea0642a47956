#pragma once

#include <atomic>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"

namespace weft {

// X(point, name, "what has been done when the program comes to the point")
#define WEFT_FAULT_POINTS(X)                                                                                       \
  X(kStoreApplied, "store.applied", "the rows of a transaction are changed, and nothing is committed")             \
  X(kStoreCommitted, "store.committed", "a transaction is committed, and its writers do not know it")              \
  X(kReaderRead, "reader.read", "a reader of the log has made its effect, and nothing is written")                 \
  X(kReaderWritten, "reader.written", "effect and cursor of a reader are committed, and no file shows the effect") \
  X(kReadersPassed, "readers.passed", "readers had no effect, and their cursors have not moved")                   \
  X(kFileWritten, "file.written", "a file is written beside its place, and not yet renamed")                       \
  X(kFileRenamed, "file.renamed", "a file has its name, and its folder is not flushed")                            \
  X(kDocumentInFile, "document.in_file", "the file of a document is written, and the row of what it shows is not") \
  X(kDocumentShown, "document.shown", "file and row of a document are written, and its earlier versions are not")  \
  X(kDocumentGone, "document.gone", "the file of a document that is removed is gone, and its rows are not")        \
  X(kDayInFile, "day.in_file", "the file of a day is written")                                                     \
  X(kStreamKept, "stream.kept", "a change of a session is committed, and the index in memory does not have it")    \
  X(kAnswersWait, "answers.wait", "messages are kept, and changes of a state in them are not applied")             \
  X(kAnswerApplied, "answer.applied", "the changes of a state in a message are applied, and their job is there")   \
  X(kEndQueued, "end.queued", "the end of a turn is queued")                                                       \
  X(kJobTaken, "job.taken", "a job is taken up, and nothing is done")                                              \
  X(kJobDone, "job.done", "the effect of a job is kept")                                                           \
  X(kVectorsKept, "vectors.kept", "vectors are in the store, and not in the index in memory")                      \
  X(kCompactionKept, "compaction.kept", "a compaction is committed, and nothing that follows from it is done")     \
  X(kErasePlanned, "erase.planned", "the record of an erasure is on disk, and everything else is there")           \
  X(kEraseFiles, "erase.files", "files, documents and jobs that were made of erased messages are gone")            \
  X(kEraseRest, "erase.rest", "rows that belong to no session are gone")                                           \
  X(kEraseTopics, "erase.topics", "topics and blocks of a session are mended, and items and messages are there")   \
  X(kEraseItems, "erase.items", "items of a session are gone, and messages are there")                             \
  X(kEraseSession, "erase.session", "the erased messages of a session are gone")                                   \
  X(kEraseRows, "erase.rows", "all rows are gone, and free pages still hold texts")                                \
  X(kEraseTraces, "erase.traces", "no byte of an erased text is left, and the receipt is not written")             \
  X(kEraseReceipt, "erase.receipt", "the receipt is written, and the record of the pending erasure is there")

/// Steps of the engine at which a test can stop the program, or have the step fail.
enum class FaultPoint {
#define WEFT_POINT(point, name, text) point,
  WEFT_FAULT_POINTS(WEFT_POINT)
#undef WEFT_POINT
};

struct FaultPointInfo {
  FaultPoint point;
  std::string_view name;  ///< "store.applied"
  std::string_view text;  ///< what has been done when the program comes to it
};

/// All points, in the order of the list.
std::span<const FaultPointInfo> fault_points();

enum class FaultAction {
  kKill,  ///< the process dies by SIGKILL
  kFail,  ///< the step fails with kUnavailable; where a step cannot fail, nothing happens
};

/// What happens at a point, once.
struct Fault {
  FaultPoint point;
  std::string detail;  ///< which reader, kind of job or kind of document; empty: any
  int passes = 0;      ///< how often the program passes the point before it happens
  FaultAction action = FaultAction::kKill;
};

/// Arms these faults in the place of those that were armed. Only tests call it. Safe from any thread.
void arm_faults(std::vector<Fault> faults);

namespace fault {
extern std::atomic<bool> is_armed;
Status pass(FaultPoint point, std::string_view detail, bool can_fail);
}  // namespace fault

/// A step that can fail: kUnavailable where a test has asked for it. Costs one relaxed load where nothing is armed.
inline Status fault_point(FaultPoint point, std::string_view detail = {}) {
  if (!fault::is_armed.load(std::memory_order_relaxed)) [[likely]]
    return {};
  return fault::pass(point, detail, true);
}

/// A step that cannot fail: there a test can only kill the program.
inline void kill_point(FaultPoint point, std::string_view detail = {}) {
  if (fault::is_armed.load(std::memory_order_relaxed)) [[unlikely]]
    (void)fault::pass(point, detail, false);
}

}  // namespace weft
