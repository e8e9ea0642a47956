#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads.h"
#include "ports/embedding/embedder.h"
#include "text/words.h"
#include "weft/memory.h"
#include "weft/result.h"
#include "weft/task.h"

namespace weft {

/// How much the words of each part of a tool count, and BM25's constants. Parameters help where tools are many and
/// alike; all of them at full weight drown the name. A large `b` holds back tools with long schemas.
struct ToolWordWeights {
  double name = 1.5;
  double description = 1;
  double parameter_name = 0.3;
  double parameter_description = 0.3;
  double value = 0.2;  ///< what an enumeration lists
  double k1 = 1.2;
  double b = 0.9;
};

inline constexpr std::size_t kToolParts = 5;

/// The words of each part of a tool, in their order and with repetitions: name, description, names of parameters, their
/// descriptions, and what enumerations list.
using ToolPartWords = std::array<std::vector<Term>, kToolParts>;
ToolPartWords tool_part_words(const ToolInfo& tool);

/// The words of a list of tools, weighted by where they stand (BM25F: the counts of the parts are summed before they
/// saturate, so that a word in the name and in the description is not taken for two). Immutable; safe from any thread.
class ToolWords {
 public:
  explicit ToolWords(std::span<const ToolInfo> tools, const ToolWordWeights& weights = {});

  /// The score of every tool for the words of a text, one entry a tool; 0 where none of them stands there.
  std::vector<float> score(std::string_view text) const;

  /// What a tool would score whose description says every word of the text very often.
  double most(std::string_view text) const;

 private:
  struct Posting {
    Term term;
    std::uint32_t tool;
    float count;  ///< weighted and brought to the usual length
  };

  std::span<const Posting> postings_of(Term term) const;

  std::size_t tools_;
  double k1_;
  std::vector<Posting> postings_;  ///< by term, then by tool
};

/// Vectors of a list of tools, and how near a request is to each. The direction of a tool is the mean of those of its
/// name, its description and its parameters, each embedded by itself: on MetaTool this moves recall@5, by weights that
/// never saw it, from .739 to .774.
///
/// A request and a description are different kinds of text, so each has a common direction of its own, which says
/// nothing and is taken away: of each of the three the mean of the list; of requests the mean of unrelated texts of the
/// language
/// (`Similarity`) and that of requests that ask for nothing in particular. This moves recall@5 by vectors alone on
/// tools that overlap from .63 to .70, and brings a Chinese request to English descriptions.
///
/// A value; not safe for writing while others read.
class ToolVectors {
 public:
  /// Embeds what has no vector yet, in order, until all have one or the deadline has passed; what is done is kept, so
  /// that calling again goes on. Vectors of another model are forgotten. A tool whose text says nothing has no
  /// direction and is near to nothing. Errors as of `Embedder::embed`. `tools` must be the same list each time.
  Status embed(std::span<const ToolInfo> tools, Embedder& embedder, const Similarity& similarity,
               const Deadline& deadline);

  /// Whether every tool has its vector of this model.
  bool complete(std::string_view model) const { return complete_ && model == model_; }

  /// How many texts have their vector, of `of` in all.
  std::size_t done() const { return tools_.size(); }

  /// For each tool how many deviations its cosine lies above the mean of the list. Errors as of `Embedder::embed`;
  /// kUnavailable where the vectors are not complete.
  Result<std::vector<float>> score(std::string_view request, Embedder& embedder, const Similarity& similarity,
                                   const Deadline& deadline) const;

 private:
  Status embed_requests(Embedder& embedder, const Deadline& deadline);
  void centre_tools(std::span<const ToolInfo> tools, const Similarity& similarity);
  Vector centre_request(const Vector& request, Language language, const Similarity& similarity) const;

  std::string model_;
  bool complete_ = false;
  std::vector<Vector> tools_;  ///< directions once complete, till then three vectors in one; empty: says nothing
  std::array<Vector, 2> request_means_;  ///< by Language
};

/// The words of a tool's name and its description, which tell its language.
std::string tool_passage(const ToolInfo& tool);

/// The things that a request asks for one after another: its sentences, cut again where "and then", ", and", "as well
/// as", "，然后", "并且" and their like join two of them. Marks of speakers at line starts ("user:") are left out, and
/// so is what is too short to ask for anything. Empty where the request is a single one; at most `most`, the first and
/// the last ones where there are more. Both languages; linear; safe from any thread.
std::vector<std::string_view> request_clauses(std::string_view request, std::size_t most);

/// How a request and the tools are compared.
struct ToolIndexOptions {
  ToolWordWeights words;
  double vector = 0.5;  ///< what one deviation of the cosine adds; the best tool by words has 1
  double clause_vector = 0.2;  ///< the same within one of the things asked for
  double clause = 1;  ///< what being the best for one thing that is asked for adds
  double trust = 0.35;  ///< power of how much of the request the best tool holds, by which words count
  std::size_t clauses = 12;  ///< things asked for that are looked at; 0: the request as a whole only
  std::size_t clause_vectors = 6;  ///< up to so many of them are embedded; beyond, words alone speak for each
};

/// What the product compares by: weights/tools.json.
const ToolIndexOptions& tool_weights();

/// A tool that was chosen.
struct ToolChoice {
  std::size_t index = 0;  ///< in the list
  double score = 0;  ///< greater is better; comparable within one request only
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
