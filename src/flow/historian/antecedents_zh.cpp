#include <algorithm>
#include <array>

#include "flow/historian/antecedents.h"
#include "flow/historian/people_words.h"
#include "text/given_names.h"
#include "text/lexicon.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kHan = 3;  // bytes of a common Chinese character

bool starts_at(std::string_view text, std::size_t at, std::string_view what) {
  return at <= text.size() && text.compare(at, what.size(), what) == 0;
}

std::string_view character_before(std::string_view text, std::size_t at) {
  return at >= kHan ? text.substr(at - kHan, kHan) : std::string_view();
}

bool is_surname(std::string_view character) { return is_chinese_surname(character); }

Gender gender_of(std::string_view given) {
  switch (chinese_name_gender(given)) {
    case NameGender::kMale: return Gender::kMale;
    case NameGender::kFemale: return Gender::kFemale;
    default: return Gender::kUnknown;
  }
}

bool is_stop(std::string_view character) {
  constexpr auto kStops = std::to_array<std::string_view>(
      {"，", "。", "？", "！", "、", "；", "：", "（", "）", "“",  "”",  "《", "》", "的", "了",
       "吧", "吗", "呢", "啊", "就", "和", "或", "与", "是", "在", "有", "也", "都", "我", "你",
       "您", "他", "她", "它", "这", "那", "哪", "们", "不", "想", "要", "去", "请", "谢", "咱"});
  return std::find(kStops.begin(), kStops.end(), character) != kStops.end();
}

class Reader {
 public:
  Reader(std::string_view text, const HanBreaks& breaks, const Voices& voices, const std::vector<std::string>& names)
      : text_(text), breaks_(breaks), voices_(voices), names_(names) {}

  std::vector<Mention> run() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t begin = at;
      next_code_point(text_, at);
      if (static_cast<unsigned char>(text_[begin]) < 0xE2) continue;
      read(begin);
    }
    for (const std::string& name : names_) find_name(name);
    std::stable_sort(found_.begin(), found_.end(), [](const Mention& a, const Mention& b) { return a.end < b.end; });
    return std::move(found_);
  }

 private:
  void add(std::string text, MentionKind kind, std::size_t begin, std::size_t end, bool proper,
           Gender gender = Gender::kUnknown, bool plural = false) {
    Mention mention;
    mention.begin = begin;
    mention.text = std::move(text);
    mention.kind = kind;
    mention.end = end;
    mention.proper = proper;
    mention.gender = gender;
    mention.plural = plural;
    found_.push_back(std::move(mention));
  }

  void find_name(const std::string& name) {
    if (name.empty() || static_cast<unsigned char>(name[0]) < 0x80)
      return;  // names in letters are read as English ones
    for (std::size_t at = text_.find(name); at != std::string_view::npos; at = text_.find(name, at + name.size()))
      add(name, MentionKind::kPerson, at, at + name.size(), true, gender_of(name.substr(std::min(name.size(), kHan))));
  }

  bool is_known(std::string_view name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }

  // 李雷, 韩梅梅: a surname that is a word by itself, one or two characters that begin no other word than a name, and
  // what stands behind a subject or an object.
  void full_name(std::size_t at) {
    if (at < name_end_ || breaks_.inside_word(at) || starts_at(text_, at + kHan, "家")) return;
    const std::string_view before = character_before(text_, at);
    if (before == "小" || before == "老" || before == "阿" || before == "大" || before == "姓") return;
    for (const std::size_t given : {2 * kHan, kHan}) {
      const std::size_t end = at + kHan + given;
      if (end > text_.size() || breaks_.inside_word(end)) continue;
      const std::string_view name = text_.substr(at + kHan, given);
      if (!may_be_given(at, name) || !ends_name(end)) continue;
      const std::string full(text_.substr(at, kHan + given));
      name_end_ = end;
      if (!is_known(full)) add(full, MentionKind::kPerson, at, end, true, gender_of(name));
      return;
    }
  }

  bool may_be_given(std::size_t at, std::string_view given) const {
    // A word of the dictionary that begins with the surname is that word: 高兴, 方便, 周末.
    const std::string_view word = breaks_.word_at(at);
    if (word.size() > kHan) return false;
    // 高管, 冷启动, 白酒: surnames that are as often another word.
    constexpr std::string_view kAmbiguous = "高冷白黄金温康江石段毛牛马熊龙雷叶梅甘柳夏汤包蓝翁耿贺盛危穆童阳尚乐";
    const std::size_t ambiguous = kAmbiguous.find(text_.substr(at, kHan));
    const bool gendered = chinese_name_gender(given) != NameGender::kUnknown;
    if (ambiguous != std::string_view::npos && ambiguous % kHan == 0 && !gendered) return false;
    for (std::size_t i = 0; i < given.size(); i += kHan) {
      const std::string_view character = given.substr(i, kHan);
      if (is_stop(character) || static_cast<unsigned char>(character[0]) < 0xE4 || is_no_given(character)) return false;
    }
    return true;
  }

  // Characters of verbs, numbers and times, which are in no given name or rarely.
  static bool is_no_given(std::string_view character) {
    constexpr std::string_view kNever =
        "说到来给把被让跟从对向为因所以及会能没还很太最更再又才将把向该应可个些每某各几多少两三五六七八九十百千万年月日"
        "相"
        "号周点分时今昨前后上下左右里外中间叫问看听吃喝买卖做打住用找走跑回进出过得着吗么呢吧啊呀哦嗯哈对错总家店市县省"
        "区路街";
    const std::size_t found = kNever.find(character);
    return found != std::string_view::npos && found % kHan == 0;
  }

  // What may stand behind a name: a mark, the end, a verb, a particle, a time; two characters of it are looked at.
  bool ends_name(std::size_t end) const {
    if (end >= text_.size() || static_cast<unsigned char>(text_[end]) < 0xE4) return true;
    const std::string_view next = text_.substr(end, kHan);
    if (is_stop(next) || breaks_.word_at(end).size() > kHan) return true;
    constexpr std::string_view kFollow =
        "说到来给把被让跟从对向为因所以及会能没还很太最更再又才刚将该应可今昨明前后上下叫问看听吃喝买卖做打住用找走跑回"
        "进出过"
        "得着等告建觉喜爱讨认决答同负参约邀送带教帮提写发推搬换升结离生考拿收开工学毕周早晚每两三下周五六七八九十总家介"
        "表先自因"
        "最爸妈哥姐弟妹老儿女朋妻太丈";
    const std::size_t found = kFollow.find(next);
    return found != std::string_view::npos && found % kHan == 0;
  }

  void read(std::size_t at) {
    if (starts_at(text_, at, "《")) return title(at);
    if (starts_at(text_, at, "我") || starts_at(text_, at, "你")) return relative(at);
    if (people(at) || own_relative(at) || named(at)) return;
    if (starts_at(text_, at, "小") || starts_at(text_, at, "老") || starts_at(text_, at, "阿")) return nickname(at);
    if (starts_at(text_, at, "推荐") || starts_at(text_, at, "预订") || starts_at(text_, at, "选择")) return chosen(at);
    if (at == 0 || is_clause_mark(character_before(text_, at))) {
      topic(at);
      defined(at);
    }
    if (starts_at(text_, at, "去") || starts_at(text_, at, "到") || starts_at(text_, at, "在")) return destination(at);
    if (at + kHan <= text_.size() && is_surname(text_.substr(at, kHan))) return honorific(at);
    plural_nouns(at);
  }

  void title(std::size_t at) {
    constexpr std::size_t kLongest = 120;
    const std::size_t close = text_.substr(0, std::min(text_.size(), at + kLongest)).find("》", at);
    if (close != std::string_view::npos)
      add(std::string(text_.substr(at, close + kHan - at)), MentionKind::kThing, at, close + kHan, true);
  }

  // 我妈, 我的同事, 你女儿.
  void relative(std::size_t at) {
    std::size_t noun = at + kHan;
    if (starts_at(text_, noun, "的")) noun += kHan;
    const std::string& owner = starts_at(text_, at, "我") ? voices_.speaker : voices_.hearer;
    if (owner.empty()) return;
    for (const PersonWord& kin : chinese_relatives()) {
      if (!starts_at(text_, noun, kin.word)) continue;
      if (starts_at(text_, noun + kin.word.size(), "们")) {
        add(owner + "的" + std::string(kin.word) + "们", MentionKind::kPerson, at, noun + kin.word.size() + kHan, false,
            kin.gender, true);
      } else {
        add(owner + "的" + std::string(kin.word), MentionKind::kPerson, at, noun + kin.word.size(), false, kin.gender);
      }
      return;
    }
  }

  // 爸妈, 人们, 多位摄影师, 图书馆员: people of whom 他们 may be said.
  bool people(std::size_t at) {
    static const auto kTogether = lexicon("zh/people", "several");
    for (const std::string_view word : kTogether) {
      if (!starts_at(text_, at, word)) continue;
      const bool own = word != "人们" && word != "夫妇" && !belongs_to_another(at) && !voices_.speaker.empty();
      add(own ? voices_.speaker + "的" + std::string(word) : std::string(word), MentionKind::kPerson, at,
          at + word.size(), false, Gender::kUnknown, true);
      return true;
    }
    static const auto kSeveral = lexicon("zh/people", "many");
    for (const std::string_view count : kSeveral)
      if (starts_at(text_, at, count)) return kind_of_people(at + count.size());
    return (at == 0 || is_clause_mark(character_before(text_, at))) && kind_of_people(at);
  }

  // A word for people by what they do, up to a function word: 图书馆员, 摄影师, 志愿者.
  bool kind_of_people(std::size_t at) {
    static const auto kKinds = lexicon("zh/people", "kinds");
    constexpr std::size_t kLongest = 6 * kHan;
    const std::size_t end = end_of_run(at, "们会能可应需如为把被对从到分通已正将");
    const std::string_view words = text_.substr(std::min(at, text_.size()), end - std::min(at, text_.size()));
    if (words.size() < 2 * kHan || words.size() > kLongest) return false;
    const bool people =
        std::any_of(kKinds.begin(), kKinds.end(), [&](std::string_view kind) { return words.ends_with(kind); });
    if (!people || words.starts_with("一") || words.ends_with("先生") || words.ends_with("医生")) return false;
    add(std::string(words), MentionKind::kPerson, at, end, false, Gender::kUnknown, true);
    return true;
  }

  bool belongs_to_another(std::size_t at) const {
    const std::string_view before = character_before(text_, at);
    return before == "你" || before == "您" || before == "他" || before == "她" || before == "的" || before == "们";
  }

  // 和爸爸在江边: the speaker's own, where nobody else's is said and nobody is called.
  bool own_relative(std::size_t at) {
    if (voices_.speaker.empty() || at == 0 || belongs_to_another(at) || character_before(text_, at) == "我")
      return false;
    for (const PersonWord& kin : chinese_relatives()) {
      if (kin.word.size() < 2 * kHan || kin.word == "朋友" || kin.word == "同事" || kin.word == "老板" ||
          kin.word == "同学" || !starts_at(text_, at, kin.word))
        continue;
      const std::size_t end = at + kin.word.size();
      const bool called = starts_at(text_, end, "，") || starts_at(text_, end, "：") || starts_at(text_, end, "！");
      if (called || starts_at(text_, end, "们")) return false;
      add(voices_.speaker + "的" + std::string(kin.word), MentionKind::kPerson, at, end, false, kin.gender);
      return true;
    }
    return false;
  }

  // 一位名叫约翰·多伊的客户.
  bool named(std::size_t at) {
    constexpr std::size_t kLongest = 12 * kHan;
    for (const std::string_view lead : {"名叫", "名为", "叫做"}) {
      if (!starts_at(text_, at, lead)) continue;
      const std::size_t begin = at + lead.size();
      std::size_t end = begin;
      while (end < text_.size() && end < begin + kLongest && static_cast<unsigned char>(text_[end]) >= 0xC2 &&
             !is_stop(text_.substr(end, kHan)))
        next_code_point(text_, end);
      if (end < begin + 2 * kHan || end >= begin + kLongest) return false;
      add(std::string(text_.substr(begin, end - begin)), MentionKind::kPerson, begin, end, true);
      return true;
    }
    return false;
  }

  // 小王, 老李; 小然, 阿远 where a name is to be expected.
  void nickname(std::size_t at) {
    const std::string_view next = text_.substr(std::min(text_.size(), at + kHan), kHan);
    if (next.size() < kHan || static_cast<unsigned char>(next[0]) < 0xE4) return;
    if (starts_at(text_, at + kHan, "白") || starts_at(text_, at + kHan, "石")) return;
    const std::string_view before = character_before(text_, at);
    if (before == "大" || before == "古") return;
    if (!is_surname(next)) {
      constexpr auto kLeads =
          std::to_array<std::string_view>({"跟", "和", "与", "给", "找", "问", "让", "叫", "见", "陪", "约"});
      const bool led =
          before.empty() || is_clause_mark(before) || std::find(kLeads.begin(), kLeads.end(), before) != kLeads.end();
      const bool words = breaks_.word_at(at).size() == kHan && breaks_.word_at(at + kHan).size() == kHan;
      if (!led || !words || starts_at(text_, at, "老") || is_stop(next) || is_no_given(next) ||
          !ends_name(at + 2 * kHan))
        return;
    }
    add(std::string(text_.substr(at, 2 * kHan)), MentionKind::kPerson, at, at + 2 * kHan, true);
  }

  // 王老师, 张小明先生.
  void honorific(std::size_t at) {
    for (std::size_t given = 0; given <= 2; ++given) {
      const std::size_t behind = at + kHan * (1 + given);
      for (const PersonWord& rank : chinese_titles()) {
        if (!starts_at(text_, behind, rank.word) || (given > 0 && rank.word.size() == kHan)) continue;
        if (rank.word == "总" && (starts_at(text_, behind + kHan, "是") || starts_at(text_, behind + kHan, "共")))
          continue;
        const std::size_t end = behind + rank.word.size();
        add(std::string(text_.substr(at, end - at)), MentionKind::kPerson, at, end, true, rank.gender);
        return;
      }
      if (is_stop(text_.substr(std::min(text_.size(), behind), kHan))) break;
    }
    full_name(at);
  }

  static bool is_clause_mark(std::string_view character) {
    constexpr auto kMarks = std::to_array<std::string_view>({"，", "。", "？", "！", "；", "："});
    return std::find(kMarks.begin(), kMarks.end(), character) != kMarks.end();
  }

  // 合并排序是一种算法: what a clause defines.
  void defined(std::size_t at) {
    constexpr auto kDefining = std::to_array<std::string_view>({"是一", "是什么", "是指", "被用", "指的是"});
    const std::size_t end = end_of_run(at, "指被");
    const std::string_view words = text_.substr(at, end - at);
    if (words.empty() || words.size() > 10 * kHan) return;
    const auto defines = [&](auto word) { return starts_at(text_, end, word); };
    if (std::any_of(kDefining.begin(), kDefining.end(), defines))
      add(std::string(words), MentionKind::kThing, at, end, true);
  }

  // The name of a place that begins a clause: 香山饭店很不错.
  void topic(std::size_t at) {
    const std::size_t end = end_of_run(at, "很都也真太非常比较挺提供可以能够位于");
    const std::string_view words = text_.substr(at, end - at);
    if (words.size() < 3 * kHan || !names_a_place(words)) return;
    add(std::string(words), MentionKind::kThing, at, end, true);
  }

  // 推荐您香山饭店: what is behind the verb and whom it is for.
  void chosen(std::size_t at) {
    std::size_t begin = at + 2 * kHan;
    for (bool more = true; more;) {
      more = false;
      for (const std::string_view skip : {"您", "你", "给", "去", "了", "到"}) {
        if (!starts_at(text_, begin, skip)) continue;
        begin += skip.size();
        more = true;
      }
    }
    const std::size_t end = end_of_run(begin, "游玩用餐住宿就餐附近周边");
    const std::string_view words = text_.substr(begin, end - begin);
    if (words.size() < 3 * kHan || !names_a_place(words)) return;
    add(std::string(words), MentionKind::kPlace, begin, end, true);
    add(std::string(words), MentionKind::kThing, begin, end, true);
  }

  // From `at` to a mark, a function word or one of `ends`; `at` where that is too far.
  std::size_t end_of_run(std::size_t at, std::string_view ends) const {
    constexpr std::size_t kLongest = 20 * kHan;
    std::size_t end = std::min(at, text_.size());
    while (end < text_.size()) {
      const std::string_view character = text_.substr(end, kHan);
      const std::size_t listed = ends.find(character);
      if (is_stop(character) || static_cast<unsigned char>(text_[end]) < 0xE4) break;
      if (listed != std::string_view::npos && listed % kHan == 0) break;
      next_code_point(text_, end);
      if (end > at + kLongest) return at;
    }
    return end;
  }

  // 去天坛公园游玩: what stands behind the verb up to the next verb or mark.
  void destination(std::size_t at) {
    static const auto kEnds = lexicon("zh/places", "behind a place");
    constexpr std::size_t kLongest = 14 * kHan;
    if (starts_at(text_, at + kHan, "了") || starts_at(text_, at + kHan, "过")) at += kHan;
    std::size_t end = at + kHan;
    while (end < text_.size() && end < at + kLongest) {
      const std::string_view rest = text_.substr(end);
      if (is_stop(rest.substr(0, kHan)) || static_cast<unsigned char>(rest[0]) < 0xE4) break;
      if (std::any_of(kEnds.begin(), kEnds.end(), [&](auto word) { return rest.substr(0, word.size()) == word; }))
        break;
      std::size_t next = end;
      next_code_point(text_, next);
      end = next;
    }
    const std::string_view place = text_.substr(at + kHan, end - at - kHan);
    if (place.size() < 2 * kHan || end >= at + kLongest || !names_a_place(place)) return;
    add(std::string(place), MentionKind::kPlace, at + kHan, end, true);
    add(std::string(place), MentionKind::kThing, at + kHan, end, true);
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

  // 同学们, 老师们, 孩子们.
  void plural_nouns(std::size_t at) {
    if (!starts_at(text_, at, "们") || at < 2 * kHan) return;
    const std::string_view noun = text_.substr(at - 2 * kHan, 2 * kHan);
    if (is_stop(noun.substr(0, kHan)) || is_stop(noun.substr(kHan))) return;
    add(std::string(noun) + "们", MentionKind::kPerson, at - 2 * kHan, at + kHan, false, Gender::kUnknown, true);
  }

  std::string_view text_;
  const HanBreaks& breaks_;
  const Voices& voices_;
  const std::vector<std::string>& names_;
  std::vector<Mention> found_;
  std::size_t name_end_ = 0;
};

// 我同事李雷 is one, under his name.
void merge_with_relatives(std::vector<Mention>& mentions) {
  for (std::size_t i = 1; i < mentions.size(); ++i) {
    Mention& name = mentions[i];
    const Mention& relative = mentions[i - 1];
    const bool apposed = name.kind == MentionKind::kPerson && name.proper && relative.kind == MentionKind::kPerson &&
                         !relative.proper && !relative.plural && relative.end == name.begin;
    if (!apposed) continue;
    name.begin = relative.begin;
    if (relative.gender != Gender::kUnknown) name.gender = relative.gender;
    mentions.erase(mentions.begin() + static_cast<std::ptrdiff_t>(--i));
  }
}

}  // namespace

std::vector<Mention> chinese_mentions(std::string_view text, const HanBreaks& breaks, const Voices& voices,
                                      const std::vector<std::string>& names) {
  auto mentions = Reader(text, breaks, voices, names).run();
  merge_with_relatives(mentions);
  return mentions;
}

}  // namespace weft
