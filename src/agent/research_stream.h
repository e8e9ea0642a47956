#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/run_files.h"
#include "agent/run_state.h"
#include "agent/tool.h"
#include "flow/memory/likeness.h"
#include "ports/chat/chat_model.h"
#include "text/record.h"
#include "weft/research.h"

namespace weft {

// The descriptions of researches, and of what their tools give.

inline constexpr std::array kResearchKinds{ResearchKind::kFact, ResearchKind::kTopic, ResearchKind::kRepository,
                                           ResearchKind::kDeep};
template <>
inline constexpr std::span<const ResearchKind> kEnumValues<ResearchKind>{kResearchKinds};
inline constexpr std::array kSourceKinds{SourceKind::kOfficial, SourceKind::kEncyclopaedia, SourceKind::kPaper,
                                         SourceKind::kNews,     SourceKind::kOfficialBlog,  SourceKind::kReport,
                                         SourceKind::kMemory,   SourceKind::kProject,       SourceKind::kOther};
template <>
inline constexpr std::span<const SourceKind> kEnumValues<SourceKind>{kSourceKinds};
inline constexpr std::array kClaimStates{ClaimState::kConfirmed, ClaimState::kSingle, ClaimState::kDisputed};
template <>
inline constexpr std::span<const ClaimState> kEnumValues<ClaimState>{kClaimStates};
inline constexpr std::array kDisputesOf{DisputeOf::kNumber, DisputeOf::kDate, DisputeOf::kPolarity, DisputeOf::kModel};
template <>
inline constexpr std::span<const DisputeOf> kEnumValues<DisputeOf>{kDisputesOf};

/// A stretch of a source: a paragraph, a heading, an entry of a list.
struct FoundPart {
  std::int64_t first_line = 0, last_line = 0;  ///< of a file, from 1; 0: unknown
  bool heading = false;
  std::string text;  ///< its lines as they stand, with their breaks
};

/// A source as a tool found it, with the stretches that it gave of it.
struct FoundSource {
  std::string origin, title, date;
  SourceKind kind = SourceKind::kOther;
  Provenance provenance = Provenance::kTool;
  std::string tool;
  bool whole = false;       ///< all of it is there, or as much of it as one call gives
  std::vector<std::uint32_t> sketch;  ///< of the whole text, see `text_sketch`; none where only a part is known
  std::vector<FoundPart> parts;
};

/// What one call of a tool found.
struct FoundSources {
  std::vector<FoundSource> sources;
  std::vector<std::string> notes;
};

WEFT_DESCRIBED(ResearchTask);
WEFT_DESCRIBED(ResearchSource);
WEFT_DESCRIBED(ResearchCitation);
WEFT_DESCRIBED(ResearchClaim);
WEFT_DESCRIBED(ResearchDispute);
WEFT_DESCRIBED(ResearchReport);
WEFT_DESCRIBED(FoundPart);
WEFT_DESCRIBED(FoundSource);
WEFT_DESCRIBED(FoundSources);

/// The tools of a research, by what they are for. Those of others are named in the settings.
struct ResearchTools {
  std::shared_ptr<Tool> memory;               ///< gives `FoundSources`; null: there is none
  std::shared_ptr<Tool> folders;              ///< folder_search; null: no folder was given
  std::shared_ptr<Tool> list, read_file;      ///< folder_list and folder_read
  std::vector<std::shared_ptr<Tool>> search;  ///< of others
  std::vector<std::shared_ptr<Tool>> read;    ///< of others: an address to its text
};

/// What a research works with. All of it outlives the research, and is safe from many threads.
struct ResearchParts {
  ResearchTools tools;
  ChatModel* model = nullptr;  ///< null: by the floor
  ChatModel* quick = nullptr;  ///< for the summary; null: as `model`
  const Likeness& likeness;
  CallThreads& threads;
  const RequestContext& request;
  Deadline deadline;  ///< of the whole research: when it passes, the research ends with what there is
  std::chrono::milliseconds call_time{60'000}, model_time{60'000};
  std::int64_t researchers = 3;  ///< at the same time
  /// Opens or makes the stream of a researcher.
  std::function<Result<std::shared_ptr<Bus>>(const std::string& id)> open_stream;
};

/// One stream of a research: calls of tools and of the model, each written down before and after it is made. What the
/// stream has already is not made again, so that a research that was killed goes on where it was. Used by one thread at
/// a time.
class ResearchStream {
 public:
  /// `most`: calls of tools that may be made in it.
  ResearchStream(std::string id, Bus& bus, const ResearchParts& parts, std::int64_t most);

  /// Makes a call. Nothing where no more may be made; the first time an event says so. An output that failed is noted
  /// and given all the same. kCancelled where the research is to stop.
  Result<std::optional<ToolOutcome>> call(const std::shared_ptr<Tool>& tool, const std::string& arguments);

  /// Asks the model by a prompt of prompts/*/research_NAME.md about `data`, JSON, with an answer bound to `schema`.
  /// Nothing where there is no model, or its answer cannot be used: why is noted, and the floor is to do it.
  std::optional<std::string> ask(const std::string& name, const std::string& data, const std::string& schema,
                                 bool quick = false);

  Status emit(BusEventType type, const std::string& payload);
  /// What is looked at, as far as it has come.
  Status progress(const std::vector<std::string>& all, std::size_t done);
  void note(std::string text);
  /// Calls that were made for it in other streams count, too.
  void spend(std::int64_t calls) { used_ += calls; }

  const std::string& id() const { return id_; }
  const ResearchParts& parts() const { return parts_; }
  std::int64_t used() const { return used_; }
  std::int64_t left() const { return used_ < most_ ? most_ - used_ : 0; }
  bool is_over() const { return over_; }  ///< the time has passed
  const std::string& limit() const { return limit_; }
  bool asked_a_model() const { return asked_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  Status reach(const char* limit, const char* what, std::int64_t value);

  const std::string id_;
  Bus& bus_;
  const ResearchParts& parts_;
  std::int64_t most_, used_ = 0;
  bool over_ = false, asked_ = false;
  std::string limit_;
  std::vector<std::string> notes_;
  std::map<std::string, std::vector<ToolAnswered>> answered_;  ///< by name and arguments; what is kept of before
  std::map<std::string, std::string> replies_;  ///< by the digest of what was asked
  std::vector<std::string> limits_told_, progress_told_;
};

}  // namespace weft
