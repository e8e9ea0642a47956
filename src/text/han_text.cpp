#include "text/han_text.h"

#include <unicode/brkiter.h>
#include <unicode/utext.h>
#include <opencc/SimpleConverter.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>

#include "base/log.h"
#include "text/utf8.h"

namespace weft {
namespace {

icu::BreakIterator* words() {
  thread_local std::unique_ptr<icu::BreakIterator> iterator = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::BreakIterator> made(icu::BreakIterator::createWordInstance(icu::Locale("zh"), status));
    return U_SUCCESS(status) ? std::move(made) : nullptr;
  }();
  return iterator.get();
}

bool is_han(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]) >= 0xE3 && is_cjk(next_code_point(text, at));
}

}  // namespace

HanBreaks::HanBreaks(std::string_view text) : text_(text) {
  icu::BreakIterator* breaks = words();
  const bool chinese =
      std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xE3; });
  if (breaks == nullptr || !chinese) return;
  UErrorCode status = U_ZERO_ERROR;
  UText bytes = UTEXT_INITIALIZER;
  utext_openUTF8(&bytes, text.data(), static_cast<std::int64_t>(text.size()), &status);
  breaks->setText(&bytes, status);
  if (U_SUCCESS(status)) {
    auto begin = breaks->first();
    for (auto end = breaks->next(); end != icu::BreakIterator::DONE; begin = end, end = breaks->next()) {
      if (!is_han(text, static_cast<std::size_t>(begin))) continue;
      begins_.push_back(static_cast<std::size_t>(begin));
      ends_.push_back(static_cast<std::size_t>(end));
    }
  }
  utext_close(&bytes);
}

bool HanBreaks::inside_word(std::size_t at) const {
  const auto next = std::lower_bound(begins_.begin(), begins_.end(), at);
  if (next == begins_.begin()) return false;
  return ends_[static_cast<std::size_t>(next - begins_.begin()) - 1] > at;
}

std::string_view HanBreaks::word_at(std::size_t at) const {
  const auto found = std::lower_bound(begins_.begin(), begins_.end(), at);
  if (found == begins_.end() || *found != at) return {};
  return text_.substr(at, ends_[static_cast<std::size_t>(found - begins_.begin())] - at);
}

// Character by character, although OpenCC also knows phrases: converting whole texts takes microseconds a character,
// and a comparison needs the same result whatever stands around. What the phrases would have told apart is folded
// together.

namespace {

// Variants that OpenCC converts in some phrases only, or not at all. 著 is 着 in most of its uses and the same word in
// both scripts otherwise; 妳 is 你 where nobody asks for the gender.
struct Variant {
  char32_t from, to;
};
constexpr Variant kVariants[] = {
    {U'著', U'着'}, {U'瞭', U'了'}, {U'覆', U'复'}, {U'藉', U'借'}, {U'鍊', U'链'}, {U'沈', U'沉'}, {U'鍾', U'钟'},
    {U'锺', U'钟'}, {U'衹', U'只'}, {U'妳', U'你'}, {U'噁', U'恶'}, {U'𫫇', U'恶'}, {U'甚', U'什'},
};

// In these words the traditional 畫 is the simplified 划: 計畫, 規畫, 企畫, 策畫, 籌畫.
constexpr std::u32string_view kBeforePlan = U"计规企策筹";

constexpr char32_t kFirst = 0x3400, kLast = 0x9FFF;
constexpr char32_t kFirstRare = 0x20000, kLastRare = 0x323AF;

char32_t variant_of(char32_t c) {
  for (const Variant& variant : kVariants) {
    if (variant.from == c) return variant.to;
  }
  return c;
}

// OpenCC behind a lock, asked once for each character.
class Simplifier {
 public:
  Simplifier() {
    try {
      converter_ = std::make_unique<opencc::SimpleConverter>("t2s.json");
    } catch (const std::exception& error) {
      log_warning("text.opencc_missing",
                  std::string("traditional Chinese is not compared with simplified: ") + error.what());
    }
  }

  char32_t simplify(char32_t c) {
    if (converter_ == nullptr) return c;
    std::string text;
    append_code_point(text, c);
    const std::lock_guard lock(mutex_);
    const std::string converted = converter_->Convert(text);
    std::size_t at = 0;
    const char32_t simple = converted.empty() ? c : next_code_point(converted, at);
    return at == converted.size() ? simple : c;
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<opencc::SimpleConverter> converter_;
};

char32_t compute_fold(char32_t c) {
  static Simplifier simplifier;
  if (const char32_t variant = variant_of(c); variant != c) return variant;
  return variant_of(simplifier.simplify(c));
}

}  // namespace

char32_t fold_han(char32_t c) {
  // Zero: not seen yet. Two threads may compute the same entry; they write the same value.
  static std::array<std::atomic<char32_t>, kLast - kFirst + 1> common;
  static std::array<std::atomic<char32_t>, kLastRare - kFirstRare + 1> rare;
  std::atomic<char32_t>* slot = nullptr;
  if (c >= kFirst && c <= kLast) {
    slot = &common[c - kFirst];
  } else if (c >= kFirstRare && c <= kLastRare) {
    slot = &rare[c - kFirstRare];
  } else {
    return c;
  }
  char32_t folded = slot->load(std::memory_order_relaxed);
  if (folded == 0) {
    folded = compute_fold(c);
    slot->store(folded, std::memory_order_relaxed);
  }
  return folded;
}

std::string fold_han(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  char32_t before = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      before = 0;
      out.push_back(text[at++]);
      continue;
    }
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    char32_t folded = fold_han(c);
    if (folded == U'画' && kBeforePlan.find(before) != std::u32string_view::npos) folded = U'划';
    before = folded;
    if (folded == c) {
      out.append(text, begin, at - begin);
    } else {
      append_code_point(out, folded);
    }
  }
  return out;
}

}  // namespace weft
