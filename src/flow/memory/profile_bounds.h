#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"
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

}  // namespace weft
