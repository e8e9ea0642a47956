#include <algorithm>
#include <array>
#include <span>

#include "flow/historian/antecedents.h"
#include "flow/historian/chinese_text.h"
#include "flow/historian/people_words.h"
#include "text/lexicon.h"
#include "text/speaker_prefix.h"
#include "text/utf8.h"

namespace weft {
namespace {

bool one_of(std::string_view word, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool any_ends(std::string_view text, std::span<const std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return text.ends_with(end); });
}

class KindReader {
 public:
  KindReader(std::string_view text, const HanBreaks& breaks) : text_(text), breaks_(breaks) {}

  std::vector<Mention> run() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t begin = at;
      next_code_point(text_, at);
      if (static_cast<unsigned char>(text_[begin]) < 0xE4 || breaks_.inside_word(begin)) continue;
      if (const std::size_t end = read(begin); end > at) at = end;
    }
    return std::move(found_);
  }

 private:
  // The end of what was read; 0 where there is nothing.
  std::size_t read(std::size_t at) {
    if (const std::size_t end = vague(at); end > 0) return end;
    const std::size_t end = noun_end(at);
    if (end == 0 || is_part_of_more(at, end) || is_called(at, end) || is_compared(at)) return end;
    Mention& mention = add(MentionKind::kOfAKind, at, end);
    if (const PersonWord* word = chinese_somebody().at(text_, at); word != nullptr && at + word->word.size() == end)
      mention.gender = word->gender;
    static const auto kTogether = lexicon("zh/people", "always several");
    static const auto kSeveral = lexicon("zh/people", "before several"), kOne = lexicon("zh/people", "before one");
    mention.plural = any_ends(text_.substr(0, at), kSeveral) || one_of(mention.text, kTogether);
    mention.single = !mention.plural && any_ends(text_.substr(0, at), kOne);
    return end;
  }

  Mention& add(MentionKind kind, std::size_t begin, std::size_t end) {
    Mention mention;
    mention.kind = kind;
    mention.text = std::string(text_.substr(begin, end - begin));
    mention.begin = begin;
    mention.end = end;
    mention.leads = begins_clause(text_, begin);
    found_.push_back(std::move(mention));
    return found_.back();
  }

  // 这个人, 公司; 他妹妹: not known without knowing him.
  std::size_t vague(std::size_t at) {
    static const auto kVague = lexicon("zh/people", "vague");
    std::size_t end = at;
    for (const std::string_view word : kVague)
      if (starts_at(text_, at, word)) end = std::max(end, at + word.size());
    if (end > at && !breaks_.inside_word(end)) {
      add(MentionKind::kVague, at, end);
    } else {
      static const auto kBodies = lexicon("zh/people", "bodies");
      for (const std::string_view word : kBodies)
        if (starts_at(text_, at, word)) end = std::max(end, at + word.size());
      if (end > at && !breaks_.inside_word(end)) add(MentionKind::kVague, at, end).collective = true;
    }
    if (!found_.empty() && found_.back().end == end) {
      return end;
    }
    if (!starts_at(text_, at, "他") && !starts_at(text_, at, "她")) return 0;
    std::size_t noun = at + kHanSize;
    if (starts_at(text_, noun, "的")) noun += kHanSize;
    const PersonWord* kin = chinese_relatives().at(text_, noun);
    if (kin == nullptr || breaks_.inside_word(noun + kin->word.size())) return 0;
    add(MentionKind::kVague, at, noun + kin->word.size()).gender = kin->gender;
    return noun + kin->word.size();
  }

  // The end of a noun for people that begins here: a listed one, or a word with 者, 员, 师 or 学家 at its end.
  std::size_t noun_end(std::size_t at) const {
    static const ChinesePersonWords kNouns = nouns();
    if (const PersonWord* noun = kNouns.at(text_, at); noun != nullptr && !breaks_.inside_word(at + noun->word.size()))
      return at + noun->word.size();
    const std::string_view word = breaks_.word_at(at);
    if (word.size() < 2 * kHanSize) return 0;
    static const auto kNobody = lexicon("zh/people", "nobody");
    const std::size_t end = at + word.size();
    if ((word.ends_with("者") || word.ends_with("员")) && !one_of(word, kNobody)) return end;
    if (word.size() > 2 * kHanSize && (word.ends_with("师") || word.ends_with("学家"))) return end;
    constexpr auto kSuffixes = std::to_array<std::string_view>({"者", "员", "师"});
    const std::string_view next = breaks_.word_at(end);
    if (one_of(next, kSuffixes)) return end + next.size();
    // 图书|馆|员
    const std::string_view last = breaks_.word_at(end + next.size());
    const bool three = next.size() == kHanSize && !is_stop(next) && one_of(last, kSuffixes);
    return three ? end + next.size() + last.size() : 0;
  }

  static ChinesePersonWords nouns() {
    std::vector<PersonWord> all;
    const auto kVerbs = lexicon("zh/people", "only behind one of them");
    for (const char* list :
         {"somebody", "somebody female", "somebody male", "of either", "of a kind", "always several", "anybody"})
      for (const std::string_view word : lexicon("zh/people", list))
        if (word.size() >= 2 * kHanSize && !one_of(word, kVerbs)) all.push_back({word});
    return ChinesePersonWords(all);
  }

  // 王老师, 我同事, 志愿者们, 用户名: read elsewhere, or no people.
  bool is_part_of_more(std::size_t at, std::size_t end) const {
    static const auto kBehind = lexicon("zh/people", "of things behind people");
    const auto follows = [&](std::string_view word) { return starts_at(text_, end, word); };
    if (follows("们") || std::any_of(kBehind.begin(), kBehind.end(), follows)) return true;
    const std::string_view before = character_before(text_, at);
    constexpr auto kOwners = std::to_array<std::string_view>({"我", "你", "您", "他", "她"});
    if (one_of(before, kOwners)) return true;
    constexpr auto kOwned = std::to_array<std::string_view>({"我的", "你的", "您的", "他的", "她的"});
    if (any_ends(text_.substr(0, at), kOwned)) return true;
    // A title: what stands before is a name, unless a word or a mark ends there.
    if (chinese_titles().at(text_, at) == nullptr || before.empty() || is_stop(before)) return false;
    if (static_cast<unsigned char>(before[0]) < 0xE4) return false;
    return is_chinese_surname(before) || chinese_name_gender(before) != NameGender::kUnknown;
  }

  // 各位老师, 老师您, 同学，: spoken to.
  bool is_called(std::size_t at, std::size_t end) const {
    constexpr auto kLeads =
        std::to_array<std::string_view>({"各位", "亲爱的", "尊敬的", "谢谢", "感谢", "请问", "有请", "（"});
    if (any_ends(text_.substr(0, at), kLeads)) return true;
    if (starts_at(text_, end, "您") || starts_at(text_, end, "你") || starts_at(text_, end, "好，")) return true;
    return begins_clause(text_, at) && starts_at(text_, end, "，");
  }

  // 比老师做得好, 相对同龄人, 他是工程师: not what the sentence goes on about.
  bool is_compared(std::size_t at) const {
    static const auto kNoCopulas = lexicon("zh/people", "end like a copula");
    const std::string_view before = text_.substr(0, at);
    if (before.ends_with("是") && !any_ends(before, kNoCopulas)) return true;
    constexpr std::size_t kFar = 6 * kHanSize;
    const std::size_t from = at > kFar ? at - kFar : 0;
    const std::string_view near = text_.substr(from, at - from);
    static const auto kLeads = lexicon("zh/people", "before who is compared");
    return std::any_of(kLeads.begin(), kLeads.end(), [&](std::string_view lead) {
      const std::size_t found = near.rfind(lead);
      if (found == std::string_view::npos || breaks_.inside_word(from + found) ||
          breaks_.inside_word(from + found + lead.size()))
        return false;
      const std::string_view between = near.substr(found);
      return between.find("，") == std::string_view::npos && between.find("。") == std::string_view::npos;
    });
  }

  std::string_view text_;
  const HanBreaks& breaks_;
  std::vector<Mention> found_;
};

}  // namespace

std::vector<Mention> chinese_people_of_a_kind(std::string_view text, const HanBreaks& breaks) {
  return KindReader(text, breaks).run();
}

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
