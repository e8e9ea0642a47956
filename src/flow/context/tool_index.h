#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sync.h"
#include "flow/context/tool_vectors.h"
#include "flow/context/tool_words.h"
#include "weft/memory.h"
#include "weft/task.h"

namespace weft {

/// How a request and the tools are compared.
struct ToolIndexOptions {
  ToolWordWeights words;
  double vector = 0.5;  ///< what one deviation of the cosine adds; the best tool by words has 1
  double clause_vector = 0.2;  ///< the same within one of the things asked for
  double clause = 1;    ///< what being the best for one thing that is asked for adds
  double trust = 0.35;  ///< power of how much of the request the best tool holds, by which words count
  std::size_t clauses = 12;  ///< things asked for that are looked at; 0: the request as a whole only
  std::size_t clause_vectors = 6;  ///< up to so many of them are embedded; beyond, words alone speak for each
};

/// What the product compares by: weights/tools.json.
const ToolIndexOptions& tool_weights();

/// A tool that was chosen.
struct ToolChoice {
  std::size_t index = 0;  ///< in the list
  double score = 0;       ///< greater is better; comparable within one request only
  std::vector<Signal> signals;  ///< "words", "vector", "clause"
};

struct ToolChoices {
  std::vector<ToolChoice> ranked;  ///< the best first
  std::string by;  ///< "words", "vectors" or "words+vectors": what spoke
};

/// A list of tools that is searched for those that a request needs.
///
/// Takes a request in English or Chinese. Gives a ranking by words (names, descriptions, parameters), by vectors where
/// an embedder is given and has seen all tools, and by the single things that a request asks for, so that a request for
/// three things finds a tool for each. Promises the same answer for the same list, request and state of the vectors.
/// Costs about 1 ms by words for 4,000 tools, and one embedding of the request and of each of its clauses by vectors.
/// Fails never: where the embedder does not answer, words decide. Safe from any thread.
class ToolIndex {
 public:
  explicit ToolIndex(std::vector<ToolInfo> tools, const ToolIndexOptions& options = tool_weights());

  /// The same of what was read and embedded before, for other weights of the same list; `vectors` may be null.
  ToolIndex(std::vector<ToolInfo> tools, const ToolTerms& terms, std::shared_ptr<const ToolVectors> vectors,
            const ToolIndexOptions& options);

  const std::vector<ToolInfo>& tools() const { return tools_; }

  /// Embeds tools until all have a vector or the deadline has passed; call it again to go on, from the background and
  /// in chunks. Searches meanwhile use words. Only one thread embeds at a time, others wait. Errors as of
  /// `ToolVectors::embed`; kTimeout means that there is more to do.
  Status embed(Embedder& embedder, const Similarity& similarity, const Deadline& deadline);

  /// Whether all tools have their vectors of this model.
  bool embedded(std::string_view model) const;

  /// The models that a choice may use; without them words decide.
  struct Models {
    Embedder* embedder = nullptr;  ///< may be null
    const Similarity* similarity = nullptr;  ///< belongs to the embedder
    bool words = true;  ///< false leaves words out, for measuring
  };

  /// At most `most` tools for the request, the best first; of equals the first of the list. Tools that nothing speaks
  /// for are left out. `candidates`, where not empty, are the only ones that may be chosen; places outside the list are
  /// passed over.
  ToolChoices choose(std::string_view request, std::size_t most, std::span<const std::size_t> candidates,
                     const Models& models, const Deadline& deadline) const;

 private:
  struct Scores;
  struct Asking;
  Scores score(std::string_view text, double vector_weight, const Asking& asking) const;
  std::vector<double> score_clauses(std::span<const std::string_view> clauses, const Asking& asking) const;
  double trust_in_words(double most, double best) const;
  std::vector<std::size_t> pool_of(std::span<const std::size_t> candidates) const;
  std::shared_ptr<const ToolVectors> vectors_of(const Models& models) const;

  std::vector<ToolInfo> tools_;
  ToolIndexOptions options_;
  ToolWords words_;
  Sync<ToolVectors> growing_;
  mutable Sync<std::shared_ptr<const ToolVectors>> ready_;
};

/// The indexes of the lists that were used last, so that a list that comes with every request is indexed and embedded
/// once. Safe from any thread.
class ToolIndexes {
 public:
  explicit ToolIndexes(std::size_t most = 8, const ToolIndexOptions& options = tool_weights())
      : most_(most), options_(options) {}

  /// The index of exactly these tools in this order; made where it is new, and then the one used longest ago is let go.
  std::shared_ptr<ToolIndex> of(std::span<const ToolInfo> tools);

 private:
  struct Entry {
    std::string digest;
    std::shared_ptr<ToolIndex> index;
  };

  std::size_t most_;
  ToolIndexOptions options_;
  Sync<std::vector<Entry>> entries_;  ///< used last comes last
};

/// The digest (XXH3, 128 bit, as hexadecimal) of a list of tools; another order is another list.
std::string digest_of(std::span<const ToolInfo> tools);

}  // namespace weft
