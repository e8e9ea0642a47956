// Animals and things of which 它 may be said: 我家的猫, 一台相机.
#include <algorithm>
#include <span>

#include "flow/historian/antecedents.h"
#include "flow/historian/chinese_text.h"
#include "text/lexicon.h"
#include "text/longest_entry.h"
#include "text/utf8.h"

namespace weft {
namespace {

using View = std::string_view;
using List = std::span<const View>;

// Bytes of the longest entry that begins at a byte; 0 where none does.
std::size_t size_at(View text, std::size_t at, List list) {
  return longest_entry(list, text.substr(std::min(at, text.size()))).size();
}

bool any_ends(View text, List list) {
  return std::any_of(list.begin(), list.end(), [&](View one) { return text.ends_with(one); });
}

class ItReader {
 public:
  ItReader(View text, const HanBreaks& breaks, const Voices& voices) : text_(text), breaks_(breaks), voices_(voices) {}

  std::vector<Mention> run() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t begin = at;
      next_code_point(text_, at);
      if (static_cast<unsigned char>(text_[begin]) < 0xE4) continue;
      if (const std::size_t end = std::max(animal(begin), thing(begin)); end > at) at = end;
    }
    return std::move(found_);
  }

 private:
  void add(std::string words, std::size_t begin, std::size_t end, bool animal, bool plural) {
    Mention mention;
    mention.text = std::move(words);
    mention.kind = MentionKind::kIt;
    mention.animal = animal;
    mention.plural = plural;
    mention.begin = begin;
    mention.end = end;
    found_.push_back(std::move(mention));
  }

  // The end of the animal that begins here; 0 where none does.
  std::size_t animal(std::size_t at) {
    static const auto kAnimals = lexicon("zh/animals", "animals"), kElse = lexicon("zh/animals", "no animals");
    const std::size_t size = size_at(text_, at, kAnimals);
    if (size == 0) return 0;
    const std::size_t end = at + size;
    const std::string name = name_behind(end);
    // The dictionary takes 猫叫 of 一只猫叫年糕 for a word.
    const bool word = !breaks_.inside_word(at) && (!breaks_.inside_word(end) || !name.empty());
    if (!word || size_at(text_, end, kElse) > 0) return end;
    const View before = text_.substr(0, at);
    const bool several = !measure_behind(before, lexicon("zh/animals", "several")).empty();
    std::string whose = owner(before);
    if (const View one = measure_behind(before, lexicon("zh/animals", "one")); whose.empty() && !one.empty())
      whose = "那" + std::string(one);
    // 养猫, 像狗一样: of the kind, and not of one.
    if (!several && whose.empty() && name.empty() && !before.ends_with("的")) return end;
    add(!name.empty() ? name : whose + std::string(text_.substr(at, size)), at, end, true, several);
    return end;
  }

  // The measure that ends a text behind a word of the list: 只 of 一只, 头 of 两头; empty where none does.
  static View measure_behind(View before, List list) {
    for (const View measure : lexicon("zh/animals", "measures of animals"))
      if (before.ends_with(measure) && any_ends(before.substr(0, before.size() - measure.size()), list)) return measure;
    return {};
  }

  // Of 我家的猫: 张三的; empty where it is not said to be the speaker's.
  std::string owner(View before) const {
    for (const View mine : {"我家的", "我家", "我们家的", "我们家", "我的", "家里的", "自家的"})
      if (before.ends_with(mine)) return voices_.speaker.empty() ? std::string() : voices_.speaker + "的";
    return {};
  }

  // 有只猫叫年糕, 小狗（豆豆）: the name.
  std::string name_behind(std::size_t at) const {
    constexpr std::size_t kLongest = 4 * kHanSize;
    for (const View lead : {"名叫", "叫做", "叫"}) {
      if (!starts_at(text_, at, lead)) continue;
      const std::size_t begin = at + lead.size();
      std::size_t end = begin;
      while (end < text_.size() && end <= begin + kLongest && static_cast<unsigned char>(text_[end]) >= 0xE4 &&
             !is_clause_mark(text_.substr(end, kHanSize)))
        next_code_point(text_, end);
      if (end > begin && end <= begin + kLongest) return std::string(text_.substr(begin, end - begin));
    }
    return {};
  }

  // 一台很轻的相机 up to the mark behind it; 0 where no thing is counted here.
  std::size_t thing(std::size_t at) {
    static const auto kOne = lexicon("zh/animals", "one"), kMeasures = lexicon("zh/animals", "measures of things"),
                      kNone = lexicon("zh/animals", "no thing");
    constexpr std::size_t kLongest = 10 * kHanSize;
    const std::size_t measure = size_at(text_, at, kMeasures);
    if (measure == 0 || !any_ends(text_.substr(0, at), kOne)) return 0;
    const std::size_t begin = at + measure;
    std::size_t end = begin;
    while (end < text_.size() && end <= begin + kLongest && !is_clause_mark(text_.substr(end, kHanSize))) {
      if (static_cast<unsigned char>(text_[end]) < 0xE4 && text_[end] < '0') break;
      next_code_point(text_, end);
    }
    const View words = text_.substr(begin, end - begin);
    const bool none = std::any_of(kNone.begin(), kNone.end(), [&](View one) { return words.find(one) != View::npos; });
    if (words.size() < kHanSize || words.size() > kLongest || none) return 0;
    add("那" + std::string(text_.substr(at, end - at)), at, end, false, false);
    return end;
  }

  View text_;
  const HanBreaks& breaks_;
  const Voices& voices_;
  std::vector<Mention> found_;
};

}  // namespace

std::vector<Mention> chinese_its(std::string_view text, const HanBreaks& breaks, const Voices& voices) {
  return ItReader(text, breaks, voices).run();
}

}  // namespace weft
