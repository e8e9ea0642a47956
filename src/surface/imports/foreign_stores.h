#pragma once

#include <filesystem>

#include "surface/imports/foreign_chats.h"
#include "weft/result.h"

namespace weft {

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
