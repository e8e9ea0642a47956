#include <algorithm>
#include <array>

#include "flow/historian/antecedents.h"
#include "flow/historian/chinese_text.h"
#include "text/lexicon.h"
#include "text/utf8.h"

namespace weft {
namespace {

class ThingReader {
 public:
  explicit ThingReader(std::string_view text) : text_(text) {}

  std::vector<Mention> run() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t begin = at;
      next_code_point(text_, at);
      if (static_cast<unsigned char>(text_[begin]) >= 0xE2) read(begin);
    }
    return std::move(found_);
  }

 private:
  void read(std::size_t at) {
    if (starts_at(text_, at, "《")) return title(at);
    if (starts_at(text_, at, "推荐") || starts_at(text_, at, "预订") || starts_at(text_, at, "选择")) return chosen(at);
    if (begins_clause(text_, at)) {
      topic(at);
      defined(at);
    }
    if (starts_at(text_, at, "去") || starts_at(text_, at, "到") || starts_at(text_, at, "在")) destination(at);
  }

  void add(std::string_view words, MentionKind kind, std::size_t begin, std::size_t end) {
    Mention mention;
    mention.text = std::string(words);
    mention.kind = kind;
    mention.proper = true;
    mention.begin = begin;
    mention.end = end;
    found_.push_back(std::move(mention));
  }

  void title(std::size_t at) {
    constexpr std::size_t kLongest = 120;
    const std::size_t close = text_.substr(0, std::min(text_.size(), at + kLongest)).find("》", at);
    if (close != std::string_view::npos)
      add(text_.substr(at, close + kHanSize - at), MentionKind::kThing, at, close + kHanSize);
  }

  // 合并排序是一种算法: what a clause defines.
  void defined(std::size_t at) {
    constexpr auto kDefining = std::to_array<std::string_view>({"是一", "是什么", "是指", "被用", "指的是"});
    const std::size_t end = end_of_run(text_, at, "指被");
    const std::string_view words = text_.substr(at, end - at);
    if (words.empty() || words.size() > 10 * kHanSize) return;
    const auto defines = [&](auto word) { return starts_at(text_, end, word); };
    if (std::any_of(kDefining.begin(), kDefining.end(), defines)) add(words, MentionKind::kThing, at, end);
  }

  // The name of a place that begins a clause: 香山饭店很不错.
  void topic(std::size_t at) {
    const std::size_t end = end_of_run(text_, at, "很都也真太非常比较挺提供可以能够位于");
    const std::string_view words = text_.substr(at, end - at);
    if (words.size() < 3 * kHanSize || !names_a_place(words)) return;
    add(words, MentionKind::kThing, at, end);
  }

  // 推荐您香山饭店: what is behind the verb and whom it is for.
  void chosen(std::size_t at) {
    std::size_t begin = at + 2 * kHanSize;
    for (bool more = true; more;) {
      more = false;
      for (const std::string_view skip : {"您", "你", "给", "去", "了", "到"}) {
        if (!starts_at(text_, begin, skip)) continue;
        begin += skip.size();
        more = true;
      }
    }
    const std::size_t end = end_of_run(text_, begin, "游玩用餐住宿就餐附近周边");
    const std::string_view words = text_.substr(begin, end - begin);
    if (words.size() < 3 * kHanSize || !names_a_place(words)) return;
    add(words, MentionKind::kPlace, begin, end);
    add(words, MentionKind::kThing, begin, end);
  }

  // 去天坛公园游玩: what stands behind the verb up to the next verb or mark.
  void destination(std::size_t at) {
    static const auto kEnds = lexicon("zh/places", "behind a place");
    constexpr std::size_t kLongest = 14 * kHanSize;
    if (starts_at(text_, at + kHanSize, "了") || starts_at(text_, at + kHanSize, "过")) at += kHanSize;
    std::size_t end = at + kHanSize;
    while (end < text_.size() && end < at + kLongest) {
      const std::string_view rest = text_.substr(end);
      if (is_stop(rest.substr(0, kHanSize)) || static_cast<unsigned char>(rest[0]) < 0xE4) break;
      if (std::any_of(kEnds.begin(), kEnds.end(), [&](auto word) { return rest.substr(0, word.size()) == word; }))
        break;
      std::size_t next = end;
      next_code_point(text_, next);
      end = next;
    }
    const std::string_view place = text_.substr(at + kHanSize, end - at - kHanSize);
    if (place.size() < 2 * kHanSize || end >= at + kLongest || !names_a_place(place)) return;
    add(place, MentionKind::kPlace, at + kHanSize, end);
    add(place, MentionKind::kThing, at + kHanSize, end);
  }

  static bool names_a_place(std::string_view words) {
    for (const std::string_view lead :
         {"一家", "一个", "然后", "例如", "比如", "像", "最好", "附近", "周边", "哪", "其"}) {
      if (words.substr(0, lead.size()) == lead) return false;
    }
    static const auto kKinds = lexicon("zh/places", "ends");
    if (std::any_of(kKinds.begin(), kKinds.end(), [&](auto kind) {
          return words.size() > kind.size() && words.substr(words.size() - kind.size()) == kind;
        }))
      return true;
    static const auto kCities = lexicon("zh/places", "cities and countries");
    return std::find(kCities.begin(), kCities.end(), words) != kCities.end();
  }

  std::string_view text_;
  std::vector<Mention> found_;
};

}  // namespace

std::vector<Mention> chinese_things(std::string_view text) { return ThingReader(text).run(); }

}  // namespace weft
