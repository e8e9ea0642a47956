#include "ports/index/vector_scan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define WEFT_SCAN_X86 1
// g++ 12 warns about its own header where an intrinsic begins with an undefined register.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

namespace weft {
namespace {

constexpr std::size_t kAlign = 64;

/// A query as whole numbers high · split + low, each half within −127 … 127, times `step`.
struct Query {
  std::vector<std::int8_t> high, low;
  std::int32_t split = 0;
  float step = 0;
  std::uint32_t bias = 0;  ///< what the +128 of the stored side adds to the product
};

/// The products are summed in 32 bits that may overflow on the way, since only the end matters: it fits as long as
/// 127 · 127 · split · length does.
std::int32_t split_for(std::size_t length) {
  constexpr std::size_t kWidest = 64, kFits = (std::size_t{1} << 31) / (127 * 127);
  return static_cast<std::int32_t>(std::clamp<std::size_t>(kFits / std::max<std::size_t>(length, 1), 1, kWidest));
}

Query quantize(std::span<const float> values, std::size_t stride) {
  Query query;
  query.high.assign(stride, 0);
  query.low.assign(stride, 0);
  query.split = split_for(values.size());
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  if (largest <= 0) return query;
  const auto split = static_cast<float>(query.split);
  query.step = largest / (126 * split);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float whole = std::round(values[i] / query.step);
    const float high = std::round(whole / split);
    query.high[i] = static_cast<std::int8_t>(high);
    query.low[i] = static_cast<std::int8_t>(std::clamp(whole - high * split, -127.0f, 127.0f));
    sum += std::int64_t{query.high[i]} * query.split + query.low[i];
  }
  query.bias = static_cast<std::uint32_t>(sum * 128);
  return query;
}

/// Σ row · (high · split + low), modulo 2^32.
using Kernel = std::uint32_t (*)(const std::uint8_t* row, const Query& query, std::size_t stride);

std::uint32_t dot_portable(const std::uint8_t* row, const Query& query, std::size_t stride) {
  std::int32_t high = 0, low = 0;
  for (std::size_t i = 0; i < stride; ++i) {
    high += row[i] * query.high[i];
    low += row[i] * query.low[i];
  }
  return static_cast<std::uint32_t>(high) * static_cast<std::uint32_t>(query.split) + static_cast<std::uint32_t>(low);
}

#ifdef WEFT_SCAN_X86

/// 8 bit products are widened to 16 bits first: the instruction that multiplies bytes directly saturates.
__attribute__((target("avx2"))) std::uint32_t dot_avx2(const std::uint8_t* row, const Query& query,
                                                       std::size_t stride) {
  __m256i high = _mm256_setzero_si256(), low = _mm256_setzero_si256();
  for (std::size_t i = 0; i < stride; i += 16) {
    const __m256i stored = _mm256_cvtepu8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(row + i)));
    const auto half = [i](const std::vector<std::int8_t>& values) {
      return reinterpret_cast<const __m128i*>(values.data() + i);
    };
    high = _mm256_add_epi32(high, _mm256_madd_epi16(stored, _mm256_cvtepi8_epi16(_mm_loadu_si128(half(query.high)))));
    low = _mm256_add_epi32(low, _mm256_madd_epi16(stored, _mm256_cvtepi8_epi16(_mm_loadu_si128(half(query.low)))));
  }
  const __m256i both = _mm256_add_epi32(_mm256_mullo_epi32(high, _mm256_set1_epi32(query.split)), low);
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(sum));
}

__attribute__((target("avx512f,avx512bw,avx512vnni"))) std::uint32_t dot_vnni(const std::uint8_t* row,
                                                                              const Query& query, std::size_t stride) {
  __m512i high = _mm512_setzero_si512(), low = _mm512_setzero_si512();
  for (std::size_t i = 0; i < stride; i += 64) {
    const __m512i stored = _mm512_load_si512(row + i);
    high = _mm512_dpbusd_epi32(high, stored, _mm512_loadu_si512(query.high.data() + i));
    low = _mm512_dpbusd_epi32(low, stored, _mm512_loadu_si512(query.low.data() + i));
  }
  const __m512i both = _mm512_add_epi32(_mm512_mullo_epi32(high, _mm512_set1_epi32(query.split)), low);
  return static_cast<std::uint32_t>(_mm512_reduce_add_epi32(both));
}

#endif

/// The processor itself fetches ahead only to the end of a page, which is ten vectors.
constexpr std::size_t kAhead = 16;

void prefetch([[maybe_unused]] const std::uint8_t* at, [[maybe_unused]] std::size_t bytes) {
#if defined(__GNUC__) || defined(__clang__)
  for (std::size_t i = 0; i < bytes; i += kAlign) __builtin_prefetch(at + i);
#endif
}

// The fastest that this processor runs.
Kernel choose_kernel() {
#ifdef WEFT_SCAN_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni")) return dot_vnni;
  if (__builtin_cpu_supports("avx2")) return dot_avx2;
#endif
  return dot_portable;
}

// In four sums, which the processor adds side by side.
double product(std::span<const float> a, std::span<const float> b) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += double{a[i + k]} * double{b[i + k]};
  for (; i < a.size(); ++i) sums[0] += double{a[i]} * double{b[i]};
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Of |v − mean|; never 0.
double length_without(std::span<const float> vector, std::span<const float> mean) {
  const double square = product(vector, vector) - 2 * product(vector, mean) + product(mean, mean);
  return std::sqrt(std::max(square, 1e-12));
}

}  // namespace

void VectorScan::Free::operator()(std::uint8_t* chunk) const { std::free(chunk); }

void VectorScan::set(std::uint32_t slot, std::span<const float> vector) {
  if (dimensions_ == 0) {
    dimensions_ = vector.size();
    stride_ = (dimensions_ + kAlign - 1) / kAlign * kAlign;
    origin_.assign(dimensions_, 0);
  }
  while (chunks_.size() * kChunk <= slot) {
    auto* chunk = static_cast<std::uint8_t*>(std::aligned_alloc(kAlign, kChunk * stride_));
    if (chunk == nullptr) throw std::bad_alloc();
    chunks_.emplace_back(chunk);
  }
  if (steps_.size() <= slot) steps_.resize(slot + 1, 0);
  clear(slot);
  write(slot, vector);
  if (++count_ == kSettle && !settled_) settle();
}

void VectorScan::write(std::uint32_t slot, std::span<const float> vector) {
  float largest = 0;
  for (std::size_t i = 0; i < dimensions_; ++i) largest = std::max(largest, std::abs(vector[i] - origin_[i]));
  // The vector that is the origin itself still is one.
  const float step = std::max(largest, 1e-9f) / 127;
  std::uint8_t* to = row(slot);
  std::memset(to, 128, stride_);
  // Truncation rounds, since no sum is negative.
  const float inverse = 1 / step;
  for (std::size_t i = 0; i < dimensions_; ++i)
    to[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>((vector[i] - origin_[i]) * inverse + 128.5F));
  steps_[slot] = step;
}

std::vector<float> VectorScan::read(std::uint32_t slot) const {
  std::vector<float> vector(dimensions_);
  const std::uint8_t* from = row(slot);
  for (std::size_t i = 0; i < dimensions_; ++i)
    vector[i] = origin_[i] + static_cast<float>(from[i] - 128) * steps_[slot];
  return vector;
}

void VectorScan::settle() {
  std::vector<std::vector<float>> held;
  std::vector<std::uint32_t> slots;
  std::vector<float> mean(dimensions_, 0);
  for (std::uint32_t slot = 0; slot < steps_.size(); ++slot) {
    if (!has(slot)) continue;
    slots.push_back(slot);
    held.push_back(read(slot));
    for (std::size_t i = 0; i < dimensions_; ++i) mean[i] += held.back()[i] / static_cast<float>(kSettle);
  }
  origin_ = std::move(mean);
  for (std::size_t i = 0; i < slots.size(); ++i) write(slots[i], held[i]);
  settled_ = true;
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
  const float at_origin = std::inner_product(query.begin(), query.end(), origin_.begin(), 0.0f);
  static const Kernel kernel = choose_kernel();
  const std::size_t slots = std::min(scores.size(), steps_.size());
  for (std::size_t begin = 0; begin < slots; begin += kChunk) {
    const std::uint8_t* at = row(begin);
    const std::size_t end = std::min(begin + kChunk, slots);
    for (std::size_t slot = begin; slot < end; ++slot, at += stride_) {
      prefetch(at + kAhead * stride_, stride_);
      if (steps_[slot] <= 0) continue;
      const auto product = static_cast<std::int32_t>(kernel(at, wanted, stride_) - wanted.bias);
      scores[slot] = at_origin + static_cast<float>(product) * wanted.step * steps_[slot];
    }
  }
}

std::size_t LanguageMeans::nearest(std::span<const float> vector) const {
  return length_without(vector, of[1]) < length_without(vector, of[0]) ? 1 : 0;
}

CentredVectors::CentredVectors(LanguageMeans means) : means_(std::move(means)) {
  for (std::size_t i = 0; i < mean_squares_.size(); ++i) mean_squares_[i] = product(means_.of[i], means_.of[i]);
}

std::size_t CentredVectors::bytes() const {
  return scan_.bytes() + places_.capacity() * sizeof(Place) +
         (means_.of[0].size() + means_.of[1].size()) * sizeof(float);
}

void CentredVectors::set(std::uint32_t slot, std::span<const float> vector) {
  scan_.set(slot, vector);
  if (!means_.fit(vector.size())) return;
  if (places_.size() <= slot) places_.resize(slot + 1);
  const double square = product(vector, vector);
  const auto distance = [&](std::size_t mean) {  // to a mean, squared; never 0
    return std::max(square - 2 * product(vector, means_.of[mean]) + mean_squares_[mean], 1e-12);
  };
  const std::array<double, 2> distances{distance(0), distance(1)};
  const std::uint32_t mean = distances[1] < distances[0] ? 1 : 0;
  places_[slot] = {static_cast<float>(1 / std::sqrt(distances[mean])), mean};
}

// With q' = (q − mean) / |q − mean|, the cosine is (q'·v − q'·mean of v) / |v − mean of v|.
void CentredVectors::cosines(std::span<const float> query, std::span<float> scores) const {
  if (!means_.fit(query.size())) return scan_.dot(query, scores);
  const std::vector<float>& mean = means_.of[means_.nearest(query)];
  const double length = length_without(query, mean);
  std::vector<float> centred(query.size());
  for (std::size_t i = 0; i < centred.size(); ++i) centred[i] = static_cast<float>((query[i] - mean[i]) / length);
  const std::array<float, 2> at{static_cast<float>(product(centred, means_.of[0])),
                                static_cast<float>(product(centred, means_.of[1]))};
  scan_.dot(centred, scores);
  const std::size_t slots = std::min(scores.size(), places_.size());
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    if (scan_.has(slot)) scores[slot] = (scores[slot] - at[places_[slot].mean]) * places_[slot].inverse;
}

}  // namespace weft
