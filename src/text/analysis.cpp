#include "text/analysis.h"

#include <algorithm>
#include <array>

#include "text/numerals.h"
#include "text/protected_spans.h"
#include "text/sentences.h"

namespace weft {
namespace {

// Two ordered lists as one without overlaps.
std::vector<Span> united(std::vector<Span> spans, const std::vector<Span>& more) {
  spans.insert(spans.end(), more.begin(), more.end());
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Span> out;
  for (const Span& span : spans) {
    if (!out.empty() && span.begin < out.back().end)
      out.back().end = std::max(out.back().end, span.end);
    else
      out.push_back(span);
  }
  return out;
}

}  // namespace

const std::vector<Span>& TextAnalysis::protected_parts() {
  if (!protected_) protected_ = united(protected_spans(text_, names_), identifier_spans(text_));
  return *protected_;
}

const std::vector<Span>& TextAnalysis::measures() {
  if (!measures_) measures_ = measure_spans(text_);
  return *measures_;
}

const LatinWords& TextAnalysis::words() {
  if (!words_) words_ = read_latin_words(text_, protected_parts());
  return *words_;
}

const std::vector<PlainWord>& TextAnalysis::plain() {
  if (!plain_) plain_ = plain_words(text_);
  return *plain_;
}

const HanBreaks& TextAnalysis::han() {
  if (!han_) han_.emplace(text_);
  return *han_;
}

const std::vector<Span>& TextAnalysis::sentences() {
  if (!sentences_) {
    sentences_.emplace();
    for (const std::string_view sentence : weft::sentences(text_)) {
      const auto begin = static_cast<std::size_t>(sentence.data() - text_.data());
      sentences_->push_back({begin, begin + sentence.size()});
    }
  }
  return *sentences_;
}

const std::vector<TimeExpression>& TextAnalysis::times() {
  if (times_) return *times_;
  times_.emplace();
  if (spoken_.ms == 0) return *times_;
  times_ = find_time_expressions(text_, spoken_, united(protected_parts(), measures()));
  std::erase_if(*times_, [this](const TimeExpression& time) { return cuts_word(time.begin, time.end); });
  return *times_;
}

// 今天是 is one word of the dictionary: a particle behind the time cuts nothing.
bool TextAnalysis::cuts_word(std::size_t begin, std::size_t end) {
  if (han().inside_word(begin)) return true;
  if (!han().inside_word(end)) return false;
  constexpr auto kParticles =
      std::to_array<std::string_view>({"是", "的", "就", "要", "有", "在", "不", "会", "我", "你"});
  const std::string_view word = han().word_at(begin);
  const std::string_view rest =
      begin + word.size() > end ? text_.substr(end, begin + word.size() - end) : std::string_view();
  return std::find(kParticles.begin(), kParticles.end(), rest) == kParticles.end();
}

const std::vector<Reference>& TextAnalysis::references() {
  if (references_) return *references_;
  references_ = find_english_references(words());
  const auto chinese = find_chinese_references(text_, protected_parts());
  references_->insert(references_->end(), chinese.begin(), chinese.end());
  std::sort(references_->begin(), references_->end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return *references_;
}

}  // namespace weft
