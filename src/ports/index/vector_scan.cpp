#include "ports/index/vector_scan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define WEFT_SCAN_X86 1
#include <immintrin.h>
#endif

namespace weft {
namespace {

constexpr std::size_t kAlign = 64;
constexpr std::size_t kMeanOf = 64;  // vectors from which the mean is taken: enough for the common direction

/// A query as high · kSplit + low, both in −127 … 127, times `step`; and what the +128 of the stored side adds.
struct Query {
  std::vector<std::int8_t> high, low;
  float step = 0;
  std::int64_t bias_high = 0, bias_low = 0;
};

constexpr float kSplit = 128;

Query quantize(std::span<const float> values, std::size_t stride) {
  Query query;
  query.high.assign(stride, 0);
  query.low.assign(stride, 0);
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  if (largest <= 0) return query;
  query.step = largest / (126 * kSplit);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float whole = std::round(values[i] / query.step);
    const float high = std::round(whole / kSplit);
    query.high[i] = static_cast<std::int8_t>(high);
    query.low[i] = static_cast<std::int8_t>(std::clamp(whole - high * kSplit, -127.0f, 127.0f));
    query.bias_high += 128 * query.high[i];
    query.bias_low += 128 * query.low[i];
  }
  return query;
}

struct Sums {
  std::int32_t high = 0, low = 0;
};

using Kernel = Sums (*)(const std::uint8_t* row, const std::int8_t* high, const std::int8_t* low, std::size_t stride);

Sums dot_portable(const std::uint8_t* row, const std::int8_t* high, const std::int8_t* low, std::size_t stride) {
  Sums sums;
  for (std::size_t i = 0; i < stride; ++i) {
    sums.high += row[i] * high[i];
    sums.low += row[i] * low[i];
  }
  return sums;
}

#ifdef WEFT_SCAN_X86

__attribute__((target("avx2"))) std::int32_t sum_lanes(__m256i lanes) {
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1));
  return _mm_cvtsi128_si32(half);
}

/// 8 bit products are widened to 16 bits first: the instruction that multiplies bytes directly saturates.
__attribute__((target("avx2"))) Sums dot_avx2(const std::uint8_t* row, const std::int8_t* high, const std::int8_t* low,
                                              std::size_t stride) {
  __m256i sum_high = _mm256_setzero_si256(), sum_low = _mm256_setzero_si256();
  for (std::size_t i = 0; i < stride; i += 16) {
    const __m256i stored = _mm256_cvtepu8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(row + i)));
    const __m256i h = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(high + i)));
    const __m256i l = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low + i)));
    sum_high = _mm256_add_epi32(sum_high, _mm256_madd_epi16(stored, h));
    sum_low = _mm256_add_epi32(sum_low, _mm256_madd_epi16(stored, l));
  }
  return {sum_lanes(sum_high), sum_lanes(sum_low)};
}

__attribute__((target("avx512f,avx512bw,avx512vnni"))) Sums dot_vnni(const std::uint8_t* row, const std::int8_t* high,
                                                                     const std::int8_t* low, std::size_t stride) {
  __m512i sum_high = _mm512_setzero_si512(), sum_low = _mm512_setzero_si512();
  for (std::size_t i = 0; i < stride; i += 64) {
    const __m512i stored = _mm512_load_si512(row + i);
    sum_high = _mm512_dpbusd_epi32(sum_high, stored, _mm512_loadu_si512(high + i));
    sum_low = _mm512_dpbusd_epi32(sum_low, stored, _mm512_loadu_si512(low + i));
  }
  // Through memory, since g++ 12 warns about its own header at the instructions that fold the lanes.
  alignas(kAlign) std::int32_t lanes[32];
  _mm512_store_si512(lanes, sum_high);
  _mm512_store_si512(lanes + 16, sum_low);
  Sums sums;
  for (int i = 0; i < 16; ++i) {
    sums.high += lanes[i];
    sums.low += lanes[16 + i];
  }
  return sums;
}

#endif

struct Variant {
  Kernel kernel;
  std::string_view name;
};

Variant choose_variant() {
#ifdef WEFT_SCAN_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni")) return {dot_vnni, "avx512vnni"};
  if (__builtin_cpu_supports("avx2")) return {dot_avx2, "avx2"};
#endif
  return {dot_portable, "portable"};
}

const Variant& chosen_variant() {
  static const Variant variant = choose_variant();
  return variant;
}

}  // namespace

void VectorScan::Free::operator()(std::uint8_t* chunk) const { std::free(chunk); }

void VectorScan::set(std::uint32_t slot, std::span<const float> vector) {
  if (dimensions_ == 0) {
    dimensions_ = vector.size();
    stride_ = (dimensions_ + kAlign - 1) / kAlign * kAlign;
  }
  while (chunks_.size() * kChunk <= slot) {
    auto* chunk = static_cast<std::uint8_t*>(std::aligned_alloc(kAlign, kChunk * stride_));
    if (chunk == nullptr) throw std::bad_alloc();
    std::memset(chunk, 128, kChunk * stride_);
    chunks_.emplace_back(chunk);
  }
  if (steps_.size() <= slot) steps_.resize(slot + 1, 0);
  clear(slot);
  if (std::all_of(vector.begin(), vector.end(), [](float value) { return value == 0; })) return;
  quantize_into(slot, vector);
  ++count_;
  if (mean_.empty() && count_ == kMeanOf) settle_mean();
}

void VectorScan::quantize_into(std::uint32_t slot, std::span<const float> vector) {
  const auto difference = [&](std::size_t i) { return mean_.empty() ? vector[i] : vector[i] - mean_[i]; };
  float largest = std::numeric_limits<float>::min();  // a vector that is the mean itself still has a step
  for (std::size_t i = 0; i < dimensions_; ++i) largest = std::max(largest, std::abs(difference(i)));
  const float step = largest / 127;
  std::uint8_t* to = row(slot);
  for (std::size_t i = 0; i < dimensions_; ++i)
    to[i] = static_cast<std::uint8_t>(std::lround(difference(i) / step) + 128);
  steps_[slot] = step;
}

// The first vectors are read back from their 8 bits, once: an error in the mean is the same for all and changes no
// order.
void VectorScan::settle_mean() {
  const auto read = [this](std::size_t slot) {
    std::vector<float> vector(dimensions_);
    for (std::size_t i = 0; i < dimensions_; ++i) vector[i] = static_cast<float>(row(slot)[i] - 128) * steps_[slot];
    return vector;
  };
  std::vector<float> mean(dimensions_, 0);
  for (std::size_t slot = 0; slot < steps_.size(); ++slot) {
    if (steps_[slot] <= 0) continue;
    const auto vector = read(slot);
    for (std::size_t i = 0; i < dimensions_; ++i) mean[i] += vector[i] / static_cast<float>(count_);
  }
  for (std::size_t slot = 0; slot < steps_.size(); ++slot) {
    if (steps_[slot] <= 0) continue;
    const auto vector = read(slot);
    mean_ = mean;
    quantize_into(static_cast<std::uint32_t>(slot), vector);
  }
  mean_ = std::move(mean);
}

void VectorScan::clear(std::uint32_t slot) {
  if (!has(slot)) return;
  std::memset(row(slot), 128, stride_);
  steps_[slot] = 0;
  --count_;
}

void VectorScan::dot(std::span<const float> query, std::span<float> scores) const {
  std::fill(scores.begin(), scores.end(), 0.0f);
  if (query.size() != dimensions_) return;
  const Query wanted = quantize(query, stride_);
  const Kernel kernel = chosen_variant().kernel;
  const std::size_t slots = std::min(scores.size(), steps_.size());
  const auto high_step = wanted.step * kSplit;
  float common = 0;
  for (std::size_t i = 0; i < mean_.size(); ++i) common += query[i] * mean_[i];
  for (std::size_t slot = 0; slot < slots; ++slot) {
    if (steps_[slot] <= 0) continue;
    const Sums sums = kernel(row(slot), wanted.high.data(), wanted.low.data(), stride_);
    const auto high = static_cast<float>(sums.high - wanted.bias_high);
    const auto low = static_cast<float>(sums.low - wanted.bias_low);
    scores[slot] = common + (high * high_step + low * wanted.step) * steps_[slot];
  }
}

std::size_t VectorScan::bytes() const { return chunks_.size() * kChunk * stride_ + steps_.capacity() * sizeof(float); }

std::string_view VectorScan::variant() { return chosen_variant().name; }

}  // namespace weft
