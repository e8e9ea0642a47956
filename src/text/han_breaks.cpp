#include "text/han_breaks.h"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <algorithm>
#include <memory>

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

}  // namespace weft
