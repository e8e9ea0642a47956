#include "flow/historian/gate.h"

#include <algorithm>
#include <array>
#include <optional>

#include "flow/historian/relative_time.h"
#include "text/protected_spans.h"
#include "text/references.h"

namespace weft {
namespace {

struct Listed {
  GateKind kind;
  std::string_view word;
};

constexpr GateKind kPronoun = GateKind::kPronoun;
constexpr GateKind kTime = GateKind::kTime;
constexpr GateKind kPlace = GateKind::kPlace;

// The lists as they are specified. Of two words with the same beginning the longer one comes first, so that a hit names
// the whole word; whether there is a hit does not depend on it.
constexpr auto kListed = std::to_array<Listed>(
    {{kPronoun, "他们"}, {kPronoun, "她们"}, {kPronoun, "它们"}, {kPronoun, "我"},   {kPronoun, "你"},
     {kPronoun, "他"},   {kPronoun, "她"},   {kPronoun, "它"},   {kPronoun, "这位"}, {kPronoun, "那位"},
     {kTime, "今天"},    {kTime, "昨天"},    {kTime, "明天"},    {kTime, "刚才"},    {kTime, "刚刚"},
     {kTime, "稍后"},    {kTime, "上周"},    {kTime, "下周"},    {kTime, "最近"},    {kPlace, "这里"},
     {kPlace, "那边"},   {kPlace, "本地"},   {kPlace, "当地"},   {kPlace, "这儿"},   {kPlace, "那儿"}});

std::optional<Listed> listed_at(std::string_view text, std::size_t at) {
  if (static_cast<unsigned char>(text[at]) < 0xE4) return std::nullopt;
  const auto found = std::find_if(kListed.begin(), kListed.end(), [&](const Listed& listed) {
    return text.compare(at, listed.word.size(), listed.word) == 0;
  });
  return found == kListed.end() ? std::nullopt : std::optional<Listed>(*found);
}

std::vector<GateHit> check_literal(std::string_view text) {
  std::vector<GateHit> hits;
  for (std::size_t at = 0; at < text.size();) {
    const auto listed = listed_at(text, at);
    if (listed) hits.push_back({listed->kind, std::string(listed->word), at});
    at += listed ? listed->word.size() : 1;
  }
  return hits;
}

// Chinese words beyond the lists (您, 此处) are resolved where they can be, but do not make a text fail.
bool on_the_lists(std::string_view text, const Reference& reference) {
  return reference.language == Language::kEnglish || listed_at(text, reference.begin).has_value();
}

GateKind kind_of(const Reference& reference) {
  return reference.kind == ReferenceKind::kHere || reference.kind == ReferenceKind::kThere ? kPlace : kPronoun;
}

std::vector<GateHit> check_balanced(std::string_view text, const std::vector<std::string>& names) {
  std::vector<GateHit> hits;
  const auto spans = protected_spans(text, names);
  for (const Reference& reference : find_references(text, spans)) {
    if (!on_the_lists(text, reference)) continue;
    hits.push_back({kind_of(reference), std::string(text.substr(reference.begin, reference.end - reference.begin)),
                    reference.begin});
  }
  for (const RelativeTime& time : find_relative_times(text, spans)) {
    if (time.language == Language::kChinese && !listed_at(text, time.begin)) continue;
    hits.push_back({kTime, std::string(text.substr(time.begin, time.end - time.begin)), time.begin});
  }
  std::sort(hits.begin(), hits.end(), [](const GateHit& a, const GateHit& b) { return a.offset < b.offset; });
  return hits;
}

}  // namespace

std::string_view to_string(GateKind kind) {
  switch (kind) {
    case kPronoun: return "pronoun";
    case kTime: return "time";
    case kPlace: return "place";
  }
  return "";
}

std::vector<GateHit> check(std::string_view text, GateMode mode, const std::vector<std::string>& names) {
  return mode == GateMode::kLiteral ? check_literal(text) : check_balanced(text, names);
}

}  // namespace weft
