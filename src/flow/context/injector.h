#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/context/build_context.h"
#include "flow/context/candidates.h"
#include "weft/lore.h"
#include "weft/message.h"
#include "weft/plan.h"

namespace weft {

/// Where its author wants an entry to stand; what is absent is as configured.
struct EntryPlacement {
  std::optional<BlockPlace> position;
  std::optional<std::int64_t> depth, priority;
  std::optional<Role> role;

  /// Whether it asks for a place of its own; its priority alone orders it among the others.
  bool any() const { return position || depth || role; }
};

/// What was chosen, with its full text.
struct CuratedEntry {
  std::string id;    ///< the candidate's
  std::string type;  ///< "item", "character", …; "lore", "narrative" or "event" where nothing better is known
  std::string name;  ///< may be empty
  std::string text;  ///< as it is stored, not escaped
  std::int64_t turn = 0;  ///< in which turn it happened; 0: not known
  Chain chain = Chain::kLore;
  double score = 0;
  EntryPlacement placement;
  std::optional<Item> item;  ///< what it was made from, where that is an item of memory
};

/// Fetches the full text of a candidate. `id`, `chain` and `score` are filled in by the caller. kNotFound where it has
/// gone meanwhile.
using FetchEntry = std::function<Result<CuratedEntry>(const CurationCandidate&)>;

/// The entries of those places of a pool, in that order. What cannot be fetched or says nothing is left out and noted.
std::vector<CuratedEntry> fetch_entries(const CandidatePool& pool, const std::vector<std::size_t>& places,
                                        const FetchEntry& fetch, std::vector<std::string>& notes);

/// What stands around the entries.
struct LayerLabels {
  std::string model;      ///< who chose; empty: no model
  std::string rationale;  ///< why, in a sentence; may be empty
};

/// Writes entries as one text, all that is stored in it escaped.
using RenderEntries = std::function<std::string(const std::vector<CuratedEntry>&, const LayerLabels&)>;

/// <context_layer type="probabilistic"> with <knowledge_base> for lore and <relevant_memories> for the rest. Empty for
/// no entries.
std::string render_entries(const std::vector<CuratedEntry>& entries, const LayerLabels& labels);

struct InjectOptions {
  BlockPlace position = BlockPlace::kHistoryTop;
  std::int64_t depth = 0;
  std::int64_t priority = 10;
  Role role = Role::kSystem;
  bool block_per_entry = false;  ///< each entry floats on its own; else those without a placement stand together
};

/// The blocks of the entries: those that ask for no place of their own are one, the first, and those that ask for the
/// same place are one, in the order of their priorities; with `block_per_entry` one each, in the order of the entries.
/// A block's `id` is its entry's, or "curation" where entries stand together. `render` empty: `render_entries`.
std::vector<FloatingBlock> make_blocks(const std::vector<CuratedEntry>& entries, const LayerLabels& labels,
                                       const InjectOptions& options, const RenderEntries& render = {});

/// What stands beside the history of a planned prompt: lore that its keys called up, and what curation chose.
struct EntriesToWeave {
  std::vector<CuratedEntry> called;  ///< lore, by the words of the last messages
  std::vector<CuratedEntry> chosen;  ///< lore, memories, quests, the best first
  LayerLabels labels;
  InjectOptions options;
  std::string query;  ///< what shortening goes by
};

/// Fits entries into a room, what is called first, then what is chosen: each that fits is whole, one that is too large
/// by itself is shortened to what has to do with the query, the rest is left out and reported. What the prompt shows
/// already (`room.shown`) is left out, too. Entries that ask for no place of their own are one block.
Curated weave_entries(EntriesToWeave entries, const CurationRoom& room, const TokenCounter& tokens);

/// Lore that always stands, as one text, higher orders later; empty for none. All stored text in it is escaped.
std::string standing_lore(const std::vector<const LoreEntry*>& constant);

}  // namespace weft
