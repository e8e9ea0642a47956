#pragma once

#include "flow/stream/topic_shift.h"

namespace weft {

/// A vector in bytes; empty for an empty or a zero one.
PackedVector pack(std::span<const float> vector);
Vector unpack(const PackedVector& packed);

/// Cosine, where both are there and of one length.
std::optional<double> cosine_with(const Vector& vector, const PackedVector& packed);

/// Speakers are kept as numbers; those under this stand for speakers that nobody named.
inline constexpr std::uint32_t kFirstKnownSpeaker = 8;
std::uint32_t speaker_hash(std::string_view name);

/// A unit with what is worked out of it and of its likeness to a trace.
struct TopicTrace::View {
  Cues query;
  std::vector<Term> query_terms;
  std::vector<Term> all_terms;
  Vector vector;  // centred
  bool chinese = false;
  std::uint32_t speaker = 0;
  std::optional<double> kernel;
  std::optional<double> last;
  std::optional<double> best;  // of the recent units
};

}  // namespace weft
