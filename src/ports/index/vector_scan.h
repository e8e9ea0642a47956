#pragma once

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

}  // namespace weft
