#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "flow/stream/topic_shift.h"

namespace weft {
namespace {

constexpr std::uint32_t kVersion = 3;
constexpr std::uint32_t kMagic = 0x54465457;  // "WTFT"
constexpr std::size_t kMostEntries = 4096;    // of any list: a broken length must not ask for memory
constexpr std::size_t kMostDimensions = 65536;

/// Little-endian bytes on every machine.
class Writer {
 public:
  void number(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out_ += static_cast<char>((value >> (8 * i)) & 0xFFU);
  }
  void word(std::uint32_t value) { number(value, 4); }
  void exact(double value) { number(std::bit_cast<std::uint64_t>(value), 8); }
  void real(float value) { word(std::bit_cast<std::uint32_t>(value)); }
  template <class Number>
  void vector(const PackedVector<Number>& vector) {
    word(static_cast<std::uint32_t>(vector.values.size()));
    real(vector.step);
    for (const auto value : vector.values) number(static_cast<std::make_unsigned_t<Number>>(value), sizeof(Number));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Reads the same; after the end everything is zero and `ok` false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return at_ == bytes_.size(); }

  std::uint64_t number(std::size_t bytes) {
    if (bytes_.size() - at_ < bytes) {
      ok_ = false;
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    at_ += bytes;
    return value;
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(number(4)); }
  float real() { return std::bit_cast<float>(word()); }
  double exact() { return std::bit_cast<double>(number(8)); }
  std::size_t length(std::size_t most) {
    const std::size_t value = word();
    if (value > most) ok_ = false;
    return ok_ ? value : 0;
  }
  template <class Number>
  void vector(PackedVector<Number>& vector) {
    const std::size_t size = length(kMostDimensions);
    vector.step = real();
    if ((bytes_.size() - at_) / sizeof(Number) < size) ok_ = false;
    if (!ok_) return;
    for (std::size_t i = 0; i < size; ++i)
      vector.values.push_back(static_cast<Number>(static_cast<std::make_unsigned_t<Number>>(number(sizeof(Number)))));
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace

std::string TopicTrace::save() const {
  Writer out;
  out.word(kMagic);
  out.word(kVersion);
  out.number((options_.first_anchor ? 1U : 0U) | (last_short_ ? 2U : 0U) | (last_time_ ? 4U : 0U), 1);
  out.exact(options_.rate);
  for (const auto value : {turns_, age_, last_cues_, vectors_}) out.word(value);
  const Time time = last_time_.value_or(Time{});
  out.number(static_cast<std::uint64_t>(time.ms), 8);
  out.word(static_cast<std::uint32_t>(time.offset_minutes));
  for (const auto* usual : {&usual_last_, &usual_three_})
    for (const double value : {usual->mean, usual->square, usual->weight}) out.exact(value);
  for (const double value : {rate_.expected, rate_.turns}) out.exact(value);
  out.word(static_cast<std::uint32_t>(terms_.size()));
  for (const auto& mark : terms_) {
    out.word(mark.term);
    out.word(mark.last);
    out.number(mark.count, 2);
  }
  out.word(static_cast<std::uint32_t>(recent_.size()));
  for (const auto& vector : recent_) out.vector(vector);
  out.vector(kernel_);
  out.vector(mean_);
  return out.take();
}

Result<TopicTrace> TopicTrace::load(std::string_view bytes) {
  Reader in(bytes);
  const bool ours = in.word() == kMagic;
  if (!ours || in.word() != kVersion) return corrupt("topic trace: not of a form this version reads");
  TopicTrace trace;
  const auto flags = in.number(1);
  trace.options_.first_anchor = (flags & 1U) != 0;
  trace.last_short_ = (flags & 2U) != 0;
  trace.options_.rate = in.exact();
  for (auto* value : {&trace.turns_, &trace.age_, &trace.last_cues_, &trace.vectors_}) *value = in.word();
  const auto ms = static_cast<std::int64_t>(in.number(8));
  const auto offset = static_cast<std::int32_t>(in.word());
  if ((flags & 4U) != 0) trace.last_time_ = Time{ms, offset};
  for (auto* usual : {&trace.usual_last_, &trace.usual_three_})
    for (auto* value : {&usual->mean, &usual->square, &usual->weight}) *value = in.exact();
  for (auto* value : {&trace.rate_.expected, &trace.rate_.turns}) *value = in.exact();
  trace.terms_.resize(in.length(kMostEntries));
  for (auto& mark : trace.terms_) {
    mark.term = in.word();
    mark.last = in.word();
    mark.count = static_cast<std::uint16_t>(in.number(2));
  }
  trace.recent_.resize(in.length(kRecentVectors));
  for (auto& vector : trace.recent_) in.vector(vector);
  in.vector(trace.kernel_);
  in.vector(trace.mean_);
  const bool sorted = std::is_sorted(trace.terms_.begin(), trace.terms_.end(),
                                     [](const auto& a, const auto& b) { return a.term < b.term; });
  if (!in.ok() || !in.at_end() || !sorted) return corrupt("topic trace: broken bytes");
  return trace;
}

}  // namespace weft
