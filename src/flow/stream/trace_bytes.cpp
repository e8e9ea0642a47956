#include <algorithm>
#include <bit>
#include <utility>

#include "flow/stream/topic_shift.h"

namespace weft {
namespace {

constexpr std::uint32_t kVersion = 1;
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
  void real(float value) { word(std::bit_cast<std::uint32_t>(value)); }
  void vector(const PackedVector& vector) {
    word(static_cast<std::uint32_t>(vector.values.size()));
    real(vector.step);
    for (const auto value : vector.values) out_ += static_cast<char>(value);
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
  std::size_t length(std::size_t most) {
    const std::size_t value = word();
    if (value > most) ok_ = false;
    return ok_ ? value : 0;
  }
  PackedVector vector() {
    PackedVector vector;
    const std::size_t size = length(kMostDimensions);
    vector.step = real();
    if (bytes_.size() - at_ < size) ok_ = false;
    if (!ok_) return {};
    for (std::size_t i = 0; i < size; ++i) vector.values.push_back(static_cast<std::int8_t>(bytes_[at_ + i]));
    at_ += size;
    return vector;
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
  out.number((options_.first_anchor ? 1U : 0U) | (options_.turns ? 2U : 0U) | (last_time_ ? 4U : 0U), 1);
  out.number(std::bit_cast<std::uint64_t>(options_.rate), 8);
  for (const auto value : {units_, turns_, since_, cuts_}) out.word(value);
  out.real(length_sum_);
  const Time time = last_time_.value_or(Time{});
  out.number(static_cast<std::uint64_t>(time.ms), 8);
  out.word(static_cast<std::uint32_t>(time.offset_minutes));
  for (const auto& usual : usual_) {
    out.real(usual.mean);
    out.real(usual.weight);
  }
  out.word(static_cast<std::uint32_t>(last_turns_.size()));
  for (const auto& turn : last_turns_) {
    out.word(turn.cues);
    out.real(turn.length);
    out.word(turn.speaker);
  }
  out.word(static_cast<std::uint32_t>(speakers_.size()));
  for (const auto& mark : speakers_) {
    out.word(mark.speaker);
    for (const float value : {mark.asked, mark.said, mark.opened}) out.real(value);
  }
  out.word(static_cast<std::uint32_t>(terms_.size()));
  for (const auto& mark : terms_) {
    out.word(mark.term);
    out.word(mark.last);
    out.number(mark.count, 2);
    out.number(mark.recent, 1);
    out.number(mark.topic, 1);
  }
  out.word(static_cast<std::uint32_t>(recent_.size()));
  for (const auto& vector : recent_) out.vector(vector);
  for (const auto* vector : {&kernel_, &first_, &mean_}) out.vector(*vector);
  return out.take();
}

Result<TopicTrace> TopicTrace::load(std::string_view bytes) {
  Reader in(bytes);
  const bool ours = in.word() == kMagic;
  if (!ours || in.word() != kVersion) return corrupt("topic trace: not of a form this version reads");
  TopicTrace trace;
  const auto flags = in.number(1);
  trace.options_.first_anchor = (flags & 1U) != 0;
  trace.options_.turns = (flags & 2U) != 0;
  trace.options_.rate = std::bit_cast<double>(in.number(8));
  for (auto* value : {&trace.units_, &trace.turns_, &trace.since_, &trace.cuts_}) *value = in.word();
  trace.length_sum_ = in.real();
  const auto ms = static_cast<std::int64_t>(in.number(8));
  const auto offset = static_cast<std::int32_t>(in.word());
  if ((flags & 4U) != 0) trace.last_time_ = Time{ms, offset};
  for (auto& usual : trace.usual_) {
    usual.mean = in.real();
    usual.weight = in.real();
  }
  trace.last_turns_.resize(in.length(2));
  for (auto& turn : trace.last_turns_) {
    turn.cues = in.word();
    turn.length = in.real();
    turn.speaker = in.word();
  }
  trace.speakers_.resize(in.length(kMostEntries));
  for (auto& mark : trace.speakers_) {
    mark.speaker = in.word();
    for (auto* value : {&mark.asked, &mark.said, &mark.opened}) *value = in.real();
  }
  trace.terms_.resize(in.length(kMostEntries));
  for (auto& mark : trace.terms_) {
    mark.term = in.word();
    mark.last = in.word();
    mark.count = static_cast<std::uint16_t>(in.number(2));
    mark.recent = static_cast<std::uint8_t>(in.number(1));
    mark.topic = static_cast<std::uint8_t>(in.number(1));
  }
  trace.recent_.resize(in.length(kRecentUnits));
  for (auto& vector : trace.recent_) vector = in.vector();
  for (auto* vector : {&trace.kernel_, &trace.first_, &trace.mean_}) *vector = in.vector();
  const bool sorted = std::is_sorted(trace.terms_.begin(), trace.terms_.end(),
                                     [](const auto& a, const auto& b) { return a.term < b.term; });
  if (!in.ok() || !in.at_end() || !sorted) return corrupt("topic trace: broken bytes");
  return trace;
}

}  // namespace weft
