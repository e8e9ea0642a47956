#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "surface/imports/foreign_chats.h"
#include "weft/result.h"

namespace weft {

/// What Python's pickle holds, as data: dictionaries, lists, texts, numbers. Nothing is run: an object is its state,
/// and what a function would have made is null. Protocols 2 to 5, as far as programs write plain records with them.
/// kCorrupt, with the place, for what is none.
Result<nlohmann::json> read_pickle(std::string_view bytes);

/// Whether a path is a store of another system as it lies on disk, rather than an export of one.
bool is_foreign_store(const std::filesystem::path& path);

/// Reads it; which one it is shows in its tables:
///
///   chroma  the folder of a persistent client, or its chroma.sqlite3: the documents of all collections
///   mem0    history.db, or the folder with it: of each memory what it says last, without those that were deleted
///   qdrant  the folder of a client of Qdrant without a server: what points say in their payload
///
/// Memories that mem0 keeps in Chroma or Qdrant are best read there, since its history does not say whose they are. The
/// store is not changed; its program need not end. kInvalidArgument where nothing in it is known, kCorrupt where it is
/// damaged.
Result<ForeignFile> read_foreign_store(const std::filesystem::path& path);

}  // namespace weft
