#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "ports/embedding/embedder.h"

namespace weft {

/// Vectors of texts, all of one embedder.
struct TextVectors {
  std::string embedder;                          ///< its name; empty: there is none
  std::shared_ptr<const Similarity> similarity;  ///< null: there is none
  std::vector<Vector> vectors;  ///< in the order of the texts; empty ones did not come in time, or say nothing
};

/// How alike short texts are in meaning, from 0 to 1: 0.6 is the best cut between texts on one matter and texts on two
/// (see `Similarity`). Safe from any thread.
class Likeness {
 public:
  virtual ~Likeness() = default;

  /// Of the text with each of the others, in their order. Never fails: what has no words is like nothing.
  virtual std::vector<double> to_all(std::string_view text, std::span<const std::string> others) const = 0;

  double between(std::string_view a, std::string_view b) const {
    const std::string other(b);
    return to_all(a, std::span(&other, 1)).front();
  }

  /// Vectors of texts to be compared with each other, as far as they are there in time; none where words alone count.
  virtual TextVectors vectors(std::span<const std::string>) const { return {}; }

  /// Whether meaning is looked at, or words alone.
  virtual bool by_meaning() const = 0;
};

/// By the words that they share, stemmed and without those of grammar: what serves where no model of vectors is there.
class WordLikeness final : public Likeness {
 public:
  std::vector<double> to_all(std::string_view text, std::span<const std::string> others) const override;
  bool by_meaning() const override { return false; }
};

/// By vectors, on the calibrated scale; by words where the embedder does not answer within `limit`. Both must outlive
/// it. Vectors are not kept here: the embedder has a cache.
class VectorLikeness final : public Likeness {
 public:
  VectorLikeness(Embedder& embedder, std::shared_ptr<const Similarity> similarity, std::chrono::milliseconds limit)
      : embedder_(embedder), similarity_(std::move(similarity)), limit_(limit) {}
  std::vector<double> to_all(std::string_view text, std::span<const std::string> others) const override;
  TextVectors vectors(std::span<const std::string> texts) const override;
  bool by_meaning() const override { return true; }

 private:
  Embedder& embedder_;
  std::shared_ptr<const Similarity> similarity_;
  std::chrono::milliseconds limit_;
};

}  // namespace weft
