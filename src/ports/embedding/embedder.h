#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "weft/result.h"

namespace weft {

/// A vector of unit length.
using Vector = std::vector<float>;

/// What the vector will be compared with: models of the e5 family want different prefixes.
enum class EmbedUse {
  kCompare,  ///< with its equals (topics)
  kQuery,    ///< a question, with stored texts
  kPassage,  ///< a stored text, with questions
};

/// The prefixes that a family of models was trained with, by the model's name: "query: " and "passage: " for e5, else
/// none.
struct EmbedPrefixes {
  std::string compare, query, passage;

  static EmbedPrefixes of_family(std::string_view model_name);
  const std::string& of(EmbedUse use) const;
};

/// Turns texts into vectors. All functions may be called from many threads at once.
class Embedder {
 public:
  virtual ~Embedder() = default;

  /// The model's name, stored beside each vector so that vectors of different models never meet.
  virtual std::string name() const = 0;

  /// Length of the vectors.
  virtual std::size_t dimensions() const = 0;

  /// The vector of one text, of unit length. Longer texts than the model takes are cut. Text without any word gives an
  /// error of kInvalidArgument; a deadline that passes kTimeout or kCancelled; a model that is still loading
  /// kUnavailable.
  virtual Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) = 0;

  /// What is put before a text for this use. Uses with equal prefixes have equal vectors.
  virtual std::string prefix(EmbedUse) const { return {}; }

  /// Exact number of tokens of the text, without special ones, where the model has its tokenizer here; else -1.
  virtual std::int64_t count_tokens(std::string_view text) const = 0;

  /// Forgets vectors of texts that it may have kept.
  virtual void clear_cache() {}
};

/// Cosine of two vectors of unit length and equal size.
double cosine(std::span<const float> a, std::span<const float> b);

/// Whether a text says anything: a letter, a digit or a sign that stands for a word; not only blanks and punctuation.
bool has_word(std::string_view text);

/// Scales the vector to length 1. False, and the vector as it was, where it has no direction (zero, not finite).
bool make_unit_length(Vector& vector);

/// The error for a deadline that has passed: kCancelled where the caller gave up, else kTimeout. `what` begins the
/// sentence.
Error deadline_error(const Deadline& deadline, std::string_view what);

}  // namespace weft
