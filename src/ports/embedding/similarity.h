#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "ports/embedding/embedder.h"
#include "text/words.h"
#include "weft/result.h"

namespace weft {

/// Makes the cosines of one embedder mean the same as those of any other: the mean vector of unrelated texts of the
/// language is taken away, and a logistic curve maps what is left to [0, 1] so that 0.6 is the best cut between texts
/// of one topic and texts of two. A value; immutable, safe from any thread.
class Similarity {
 public:
  /// No centring, no curve: cosines as the embedder gives them.
  static Similarity raw();

  /// What weights/similarity/ knows of an embedder by its name; for an unknown one a curve that leaves the cosine
  /// nearly as it is, with a warning in the log.
  static Similarity for_embedder(std::string_view name);

  /// Reads a file of weights/similarity/, or NAME.calibration.json beside a model.
  static Result<Similarity> parse(std::string_view json);

  /// A calibration from its parts; an empty mean centres nothing.
  Similarity(std::string embedder, Vector english_mean, Vector chinese_mean, double slope, double middle);

  /// The vector without the mean of its language, of unit length again. A vector of another length than the mean passes
  /// through.
  Vector centre(std::span<const float> vector, Language language) const;

  /// The mean that `centre` takes away; empty where it is not known.
  std::span<const float> mean(Language language) const { return means_[static_cast<std::size_t>(language)]; }

  /// What a cosine of two centred vectors means, in [0, 1]; the cosine itself for `raw`.
  double scale(double cosine) const;

  /// Similarity of two vectors that are not centred yet.
  double between(std::span<const float> a, Language a_language, std::span<const float> b, Language b_language) const;

  const std::string& embedder() const { return embedder_; }
  bool is_raw() const { return raw_; }
  /// Whether it was fitted for this embedder, not guessed.
  bool is_fitted() const { return fitted_; }

 private:
  Similarity() = default;
  std::string embedder_;
  std::array<Vector, 2> means_;  // by Language
  double slope_ = 1;
  double middle_ = 0;
  bool raw_ = false;
  bool fitted_ = false;
};

}  // namespace weft
