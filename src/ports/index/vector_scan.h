#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft {

/// Vectors of one length in 8 bits a number, for scanning all of them: exact search over a scope, 385 bytes a vector of
/// 384.
///
/// Each vector is kept as round((v − origin) / step) + 128 with its own step. The origin is the mean of the first 128
/// vectors: those of a model share a strong direction and a few large numbers that would take most of the 8 bits;
/// without them the error of a cosine is about 0.00015, half of what it is with them. The query is kept in 14 bits (two
/// passes of 8), since the scan waits for memory and not for arithmetic. Not safe for writing while others read; the
/// owner locks.
class VectorScan {
 public:
  /// Sets the vector of a slot; room is made up to it. The first one sets the length that all have; a caller checks it.
  void set(std::uint32_t slot, std::span<const float> vector);

  /// Forgets the vector of a slot and overwrites it with zeros.
  void clear(std::uint32_t slot);

  bool has(std::uint32_t slot) const { return slot < steps_.size() && steps_[slot] > 0; }

  /// Writes the dot product of `query` with each slot's vector to `scores`, which is as long as there are slots; slots
  /// without a vector, and all where the length is another, get 0.
  void dot(std::span<const float> query, std::span<float> scores) const;

  /// The vector of a slot that has one, as exactly as it is kept.
  std::vector<float> read(std::uint32_t slot) const;

  std::size_t count() const { return count_; }
  std::size_t bytes() const { return steps_.size() * (stride_ + sizeof(float)) + origin_.size() * sizeof(float); }
  std::size_t dimensions() const { return dimensions_; }  ///< 0: no vector yet

 private:
  void write(std::uint32_t slot, std::span<const float> vector);

  /// Moves the origin from zero to the mean of what is held, once.
  void settle();

  std::uint8_t* row(std::size_t slot) { return chunks_[slot / kChunk].get() + slot % kChunk * stride_; }
  const std::uint8_t* row(std::size_t slot) const { return chunks_[slot / kChunk].get() + slot % kChunk * stride_; }

  /// Vectors stand in chunks, so that growing never copies what is there. Of a chunk only the pages that are written to
  /// take memory.
  static constexpr std::size_t kChunk = 1024;
  static constexpr std::size_t kSettle = 128;
  struct Free {
    void operator()(std::uint8_t* chunk) const;
  };

  std::size_t dimensions_ = 0, stride_ = 0;
  std::vector<std::unique_ptr<std::uint8_t, Free>> chunks_;
  std::vector<float> steps_;  ///< 0: no vector
  std::vector<float> origin_;
  std::size_t count_ = 0;
  bool settled_ = false;
};

/// Mean vectors of unrelated texts, one a language. What texts of a language share says nothing of what they are about;
/// without it cosines tell more. Empty: nothing is taken away.
struct LanguageMeans {
  std::array<std::vector<float>, 2> of;  ///< both empty, or as long as the vectors

  bool fit(std::size_t dimensions) const {
    return dimensions > 0 && of[0].size() == dimensions && of[1].size() == dimensions;
  }

  /// The mean that a vector lies nearest to: that of its text's language.
  std::size_t nearest(std::span<const float> vector) const;
};

/// A scan that gives plain products as well as cosines of vectors without the mean of their language. The vectors are
/// kept as they are; beside each stand two numbers. Locking as for `VectorScan`.
class CentredVectors {
 public:
  explicit CentredVectors(LanguageMeans means = {});

  void set(std::uint32_t slot, std::span<const float> vector);
  void clear(std::uint32_t slot) { scan_.clear(slot); }
  bool has(std::uint32_t slot) const { return scan_.has(slot); }

  /// See `VectorScan::dot`.
  void dot(std::span<const float> query, std::span<float> scores) const { scan_.dot(query, scores); }

  /// Cosines of `query` and each slot's vector, both without the mean of their language; plain products where no means
  /// are known. Slots without a vector get 0.
  void cosines(std::span<const float> query, std::span<float> scores) const;

  std::size_t count() const { return scan_.count(); }
  std::size_t bytes() const;  ///< of memory, about
  std::size_t dimensions() const { return scan_.dimensions(); }

 private:
  struct Place {
    float inverse = 0;  ///< of the length without the mean
    std::uint32_t mean = 0;
  };

  LanguageMeans means_;
  std::array<double, 2> mean_squares_{};
  VectorScan scan_;
  std::vector<Place> places_;
};

}  // namespace weft
