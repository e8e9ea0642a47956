#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "flow/memory/profile_merge.h"
#include "flow/memory/said_facts.h"
#include "model/documents.h"
#include "model/rows.h"
#include "ports/chat/chat_model.h"
#include "weft/profile.h"
#include "weft/result.h"

namespace weft {

/// What a model's rewrite of a profile may do.
struct MergeBounds {
  double max_lost = 0.25;              ///< share of the old statements that may be gone
  std::size_t max_growth = 4096;       ///< bytes that may come on top of twice the old body
  std::size_t max_body = 32 * 1024;    ///< bytes, unless the old body is longer
  std::vector<std::string> own_keys = {"tags", "updated_at", "source_event_id"};  ///< front matter keys it may set
};

/// What a rewrite keeps of what stood there.
struct KeptStatements {
  std::size_t statements = 0;      ///< of the old body: list items and sentences, headings aside
  std::vector<std::string> lost;  ///< those of which less than two thirds of the content words are in the new body
};

/// Compares by content words, of which rare ones count more: a name that stands in every line says little about one.
/// Linear in the size of the bodies. Safe from any thread.
KeptStatements compare_statements(std::string_view before, std::string_view after);

/// Whether a model's rewrite may be written. kInvalidArgument, saying which bound it breaks and by what: the body is
/// empty or too large; more than a quarter of the statements is gone; a front matter key that is not its own is
/// touched; events are named that the old profile did not name and `new_event_id` is not.
Status check_model_merge(const Profile& before, const Profile& after, std::string_view new_event_id,
                         const MergeBounds& bounds = {});

/// A model gives text without markers, but erasure must find what came from an event. So a line of the rewrite gets the
/// events of all old lines that it is like, and `new_event_id` (if any) unless it is word for word an old one; as a
/// mixture, so that it goes with the first of them. Running text becomes list items. Lines as a person wrote them get
/// none.
std::string carry_sources(std::string_view before, std::string_view after, std::string_view new_event_id, Time time);

/// What a model found users to state of themselves.
struct FactsOfModel {
  std::map<std::int64_t, std::vector<SaidFact>> facts;  ///< by the number of the message that says it
  std::string prompt;  ///< by name and version, as Writing has it
  std::string why_floor;  ///< why the answer was not taken, for the log
};

/// Asks a model, once, which lasting facts and standing wishes users state in these messages. Each must name the
/// message that says it and quote its words; what holds a number, a name or an id that stands neither there nor in the
/// speaker's name is left out, as is what the quote does not bear. At most 40 messages are shown, the newest. The
/// caller must hold no lock.
FactsOfModel facts_by_model(ChatModel& model, std::span<const MessageRow> messages,
                            const std::function<std::string(const MessageRow&)>& speaker, const Deadline& deadline);

/// A model's merge of new information into a profile.
struct ModelMerge {
  std::string body;  ///< with the marks of its sources; empty where it was not taken
  std::string why_floor;  ///< why not, for the log
  int model_calls = 0;
};

/// Lets a model word the profile anew. `draft` is what merging without a model made of it: the model's answer has to
/// hold what is new there, keep its names and numbers, and stay within the bounds on a model's merge. One that does
/// not is given back once with the reason. The caller must hold no lock.
ModelMerge merge_by_model(ChatModel& model, const Profile& before, const Profile& draft, const ProfileInfo& info,
                          const Deadline& deadline);

}  // namespace weft
