#pragma once

#include <array>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/index_check.h"
#include "engine/serving.h"
#include "weft/result.h"

namespace weft {

struct EngineCore;

/// Compares the index with what it was made from, scope by scope, and makes anew what is not as it should be. What
/// changes meanwhile is looked at again before it counts. Used once, by one thread; calls of others go on.
class IndexCheckup {
 public:
  IndexCheckup(EngineCore& core, bool mend);
  Result<IndexCheck> run();

 private:
  /// What is wrong in one scope.
  struct Scope {
    ScopeKey key;
    std::array<ShelfCheck, kItemKinds.size()> shelves;
    std::vector<std::pair<SessionId, std::int64_t>> words;  ///< entries under wrong words: session and row
    std::vector<VectorUpdate> vectors;                      ///< wrong ones, to be made again
    std::vector<MessageRow> missing;

    ShelfCheck& of(ItemKind kind) { return shelves[static_cast<std::size_t>(kind)]; }
  };
  /// A vector that may be made again, to see whether it is the same.
  struct Drawn {
    std::string text;
    std::vector<float> vector;
  };

  Status look_at_file();
  Status look_at(Scope& scope);
  void look_at_entry(Scope& scope, ItemRow&& row);
  void look_at_vector(Scope& scope, ItemRow&& row);
  Status look_at_messages(Scope& scope, std::unordered_map<std::string, ItemId> indexed, std::int64_t last_seq);
  Status look_at_memory(Scope& scope, const std::unordered_map<std::int64_t, ItemKind>& kinds, std::int64_t last_row);
  Result<bool> is_there(const ScopeKey& scope, std::int64_t row);
  void draw(ItemRow&& row);
  Status compare_drawn();

  Status mend(Scope& scope);
  Status mend_words(Scope& scope);
  Status mend_missing(Scope& scope);
  Status forget_all_vectors();

  EngineCore& core_;
  const bool mend_;
  const std::shared_ptr<Serving> serving_;
  std::size_t dimensions_ = 0;  ///< of the model that serves; 0: not known yet
  IndexCheck found_;
  std::vector<Drawn> drawn_;
  std::size_t candidates_ = 0;
  std::minstd_rand random_;  ///< the same sample each time, of the same entries
};

}  // namespace weft
