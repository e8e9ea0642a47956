#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "flow/historian/antecedents.h"
#include "flow/historian/people_words.h"
#include "text/lexicon.h"
#include "text/speaker_prefix.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::string_view kHelper = "助手";  // as an agent is called who has no name

bool is_surname(std::string_view character) { return is_chinese_surname(character); }

Gender gender_of(std::string_view given) {
  switch (chinese_name_gender(given)) {
    case NameGender::kMale: return Gender::kMale;
    case NameGender::kFemale: return Gender::kFemale;
    default: return Gender::kUnknown;
  }
}

// Characters of verbs, numbers and times, which are in no given name or rarely.
bool is_no_given(std::string_view character) {
  constexpr std::string_view kNever =
      "说到来给把被让跟从对向为因所以及会能没还很太最更再又才将把向该应可个些每某各几多少两三五六七八九十百千万年月日"
      "相"
      "号周点分时今昨前后上下左右里外中间叫问看听吃喝买卖做打住用找走跑回进出过得着吗么呢吧啊呀哦嗯哈对错总家店市县省"
      "区路街";
  const std::size_t found = kNever.find(character);
  return found != std::string_view::npos && found % kHanSize == 0;
}

bool belongs_to_another(std::string_view text, std::size_t at) {
  const std::string_view before = character_before(text, at);
  return before == "你" || before == "您" || before == "他" || before == "她" || before == "的" || before == "们";
}

// 来了个新领导: 个 as 一个.
bool leads_to_one(std::string_view text, std::size_t at) {
  constexpr auto kLeads = std::to_array<std::string_view>({"了", "来", "有", "找", "见", "到", "交", "请"});
  return std::find(kLeads.begin(), kLeads.end(), character_before(text, at)) != kLeads.end();
}

// 一位名叫约翰的客户, 一个叫小明的男孩: under the name.
bool named_behind(std::string_view text, std::size_t at) {
  return starts_at(text, at, "叫") || starts_at(text, at, "名叫");
}

class PeopleReader {
 public:
  PeopleReader(std::string_view text, const HanBreaks& breaks, const Voices& voices,
               const std::vector<std::string>& names)
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
      add(name, MentionKind::kPerson, at, at + name.size(), true,
          gender_of(name.substr(std::min(name.size(), kHanSize))));
  }

  bool is_known(std::string_view name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }

  // 李雷, 韩梅梅: a surname that is a word by itself, one or two characters that begin no other word than a name, and
  // what stands behind a subject or an object.
  void full_name(std::size_t at) {
    if (at < name_end_ || breaks_.inside_word(at) || starts_at(text_, at + kHanSize, "家")) return;
    const std::string_view before = character_before(text_, at);
    if (names_place(text_, at) || is_counted(text_, at) || before == "‘" || before == "“") return;
    if (before == "小" || before == "老" || before == "阿" || before == "大" || before == "姓") return;
    for (const std::size_t given : {2 * kHanSize, kHanSize}) {
      const std::size_t end = at + kHanSize + given;
      if (end > text_.size() || breaks_.inside_word(end)) continue;
      const std::string_view name = text_.substr(at + kHanSize, given);
      // 张玻璃, 顾服务: a noun behind a measure or the end of another word.
      const bool noun = given == 2 * kHanSize && breaks_.word_at(at + kHanSize).size() == given;
      if (noun && chinese_name_gender(name) == NameGender::kUnknown) return;
      if (!may_be_given(at, name) || !ends_name(end)) continue;
      const std::string full(text_.substr(at, kHanSize + given));
      name_end_ = end;
      if (!is_known(full)) add(full, MentionKind::kPerson, at, end, true, gender_of(name));
      return;
    }
  }

  bool may_be_given(std::size_t at, std::string_view given) const {
    // A word of the dictionary that begins with the surname is that word: 高兴, 方便, 周末.
    const std::string_view word = breaks_.word_at(at);
    if (word.size() > kHanSize) return false;
    // 高管, 冷启动, 白酒: surnames that are as often another word.
    constexpr std::string_view kAmbiguous = "高冷白黄金温康江石段毛牛马熊龙雷叶梅甘柳夏汤包蓝翁耿贺盛危穆童阳尚乐";
    const std::size_t ambiguous = kAmbiguous.find(text_.substr(at, kHanSize));
    const bool gendered = chinese_name_gender(given) != NameGender::kUnknown;
    if (ambiguous != std::string_view::npos && ambiguous % kHanSize == 0 && !gendered) return false;
    for (std::size_t i = 0; i < given.size(); i += kHanSize) {
      const std::string_view character = given.substr(i, kHanSize);
      if (is_stop(character) || static_cast<unsigned char>(character[0]) < 0xE4 || is_no_given(character)) return false;
    }
    return true;
  }

  // What may stand behind a name: a mark, the end, a verb, a particle, a time; two characters of it are looked at.
  bool ends_name(std::size_t end) const {
    if (end >= text_.size() || static_cast<unsigned char>(text_[end]) < 0xE4) return true;
    const std::string_view next = text_.substr(end, kHanSize);
    if (is_stop(next) || breaks_.word_at(end).size() > kHanSize) return true;
    constexpr std::string_view kFollow =
        "说到来给把被让跟从对向为因所以及会能没还很太最更再又才刚将该应可今昨明前后上下叫问看听吃喝买卖做打住用找走跑回"
        "进出过"
        "得着等告建觉喜爱讨认决答同负参约邀送带教帮提写发推搬换升结离生考拿收开工学毕周早晚每两三下周五六七八九十总家介"
        "表先自因"
        "最爸妈哥姐弟妹老儿女朋妻太丈";
    const std::size_t found = kFollow.find(next);
    return found != std::string_view::npos && found % kHanSize == 0;
  }

  void read(std::size_t at) {
    if (starts_at(text_, at, "我") || starts_at(text_, at, "你")) return relative(at);
    if (people(at) || own_relative(at) || named(at) || somebody(at)) return;
    if (starts_at(text_, at, "小") || starts_at(text_, at, "老") || starts_at(text_, at, "阿")) return nickname(at);
    if (begins_clause(text_, at) && known_by_place(at)) return;
    if (surname_size(at) > 0) return honorific(at);
    plural_nouns(at);
  }

  // 我妈, 我的同事, 你女儿, 我家孩子, 我有个朋友.
  void relative(std::size_t at) {
    std::size_t noun = at + kHanSize;
    for (const std::string_view skip : {"家", "的"})
      if (starts_at(text_, noun, skip)) noun += kHanSize;
    if (const std::size_t one = after_one(noun); one > 0) noun = one;
    const std::string& owner = starts_at(text_, at, "我") ? voices_.speaker : voices_.hearer;
    const PersonWord* kin = chinese_relatives().at(text_, noun);
    if (owner.empty() || kin == nullptr || is_aged(noun)) return;
    std::size_t end = noun + kin->word.size();
    // 我女儿的老师: the teacher.
    if (starts_at(text_, end, "的"))
      if (const PersonWord* theirs = chinese_somebody().at(text_, end + kHanSize); theirs != nullptr) {
        kin = theirs;
        end += kHanSize + theirs->word.size();
      }
    const bool several = starts_at(text_, end, "们");
    const std::string who = std::string(text_.substr(noun, end - noun)) + (several ? "们" : "");
    add(owner + "的" + who, MentionKind::kPerson, at, end + (several ? kHanSize : 0), false, kin->gender, several);
    told_end_ = end;
  }

  // 对象 of 我对象是 is somebody, 我对象棋 is not: a word of the dictionary goes on.
  bool is_aged(std::size_t noun) const {
    const PersonWord* kin = chinese_relatives().at(text_, noun);
    return kin != nullptr && breaks_.inside_word(noun + kin->word.size());
  }

  // Behind 一位, 有个, 那名 at this byte; 0 where none stands there.
  std::size_t after_one(std::size_t at) const {
    static const auto kOne = lexicon("zh/people", "one of them");
    std::size_t end = 0;
    for (const std::string_view one : kOne)
      if (starts_at(text_, at, one)) end = std::max(end, at + one.size());
    return end;
  }

  // 一位刚毕业的学生, 那个女孩: somebody who is told of.
  bool somebody(std::size_t at) {
    constexpr std::size_t kLongest = 10 * kHanSize;
    const std::size_t begin = starts_at(text_, at, "个") && !leads_to_one(text_, at) ? 0 : after_one(at);
    if (begin == 0 || at < told_end_) return false;
    for (std::size_t end = begin; end < text_.size() && end < begin + kLongest;) {
      const bool digit = text_[end] >= '0' && text_[end] <= '9';
      if (static_cast<unsigned char>(text_[end]) < 0xE4 && !digit) return false;
      const PersonWord* who = chinese_somebody().at(text_, end);
      std::size_t behind = end + (who == nullptr ? 0 : who->word.size());
      // 邻居大哥
      if (const PersonWord* more = who == nullptr ? nullptr : chinese_somebody().at(text_, behind); more != nullptr) {
        who = more;
        behind += more->word.size();
      }
      // 那个概念的中介: a thing and its noun.
      const bool pointed = starts_at(text_, at, "这") || starts_at(text_, at, "那");
      if (pointed && end > begin + 4 * kHanSize) return false;
      if (who != nullptr && !breaks_.inside_word(behind) && !breaks_.inside_word(end) &&
          !starts_at(text_, behind, "的") && !starts_at(text_, behind, "们")) {
        if (named_behind(text_, behind) || named_later(who->word, behind)) return false;
        add("那位" + std::string(who->word), MentionKind::kPerson, at, behind, false, who->gender);
        return true;
      }
      next_code_point(text_, end);
    }
    return false;
  }

  // 爸妈, 人们, 多位摄影师, 图书馆员: people of whom 他们 may be said.
  bool people(std::size_t at) {
    static const auto kTogether = lexicon("zh/people", "several");
    for (const std::string_view word : kTogether) {
      if (!starts_at(text_, at, word)) continue;
      const bool own = word != "人们" && word != "夫妇" && word != "孩子们" && !belongs_to_another(text_, at);
      add((own ? owner() : "") + std::string(word), MentionKind::kPerson, at, at + word.size(), false, Gender::kUnknown,
          true);
      told_end_ = at + word.size();
      return true;
    }
    return false;
  }

  // 和爸爸在江边: the speaker's own, where nobody else's is said and nobody is called.
  bool own_relative(std::size_t at) {
    if (at == 0 || at < told_end_ || belongs_to_another(text_, at) || character_before(text_, at) == "我") return false;
    const PersonWord* kin = chinese_relatives().at(text_, at);
    if (kin == nullptr || kin->gender == Gender::kUnknown || breaks_.inside_word(at)) return false;
    const bool parent = kin->word == "爸" || kin->word == "妈";
    if (kin->word.size() < 2 * kHanSize && !(parent && is_parent(at))) return false;
    const std::size_t end = at + kin->word.size();
    const bool called = (begins_clause(text_, at) && starts_at(text_, end, "，")) || starts_at(text_, end, "：") ||
                        starts_at(text_, end, "！");
    if (called || starts_at(text_, end, "们") || breaks_.inside_word(end)) return false;
    add(owner() + std::string(kin->word), MentionKind::kPerson, at, end, false, kin->gender);
    return true;
  }

  // Whose relatives are spoken of without a word. Whoever helps somebody has none: the helper speaks of the other's.
  std::string owner() const {
    return voices_.speaker.empty() || voices_.speaker == kHelper ? std::string() : voices_.speaker + "的";
  }

  // 提醒爸，…: a word by itself, not at the beginning, where it may call.
  bool is_parent(std::size_t at) const {
    const std::string_view before = character_before(text_, at);
    const bool word = breaks_.word_at(at).size() == kHanSize && static_cast<unsigned char>(before[0]) >= 0xE4;
    return word && !is_surname(before) && before != "阿" && before != "老" && before != "奶" && before != "干" &&
           before != "爸";
  }

  // 楼下的保安 at the beginning of a clause.
  bool known_by_place(std::size_t at) {
    constexpr std::size_t kLongest = 6 * kHanSize;
    const std::size_t of = end_of_run(text_, at, "");
    if (of == at || of > at + kLongest || !starts_at(text_, of, "的")) return false;
    const PersonWord* who = chinese_somebody().at(text_, of + kHanSize);
    if (who == nullptr) return false;
    const std::size_t end = of + kHanSize + who->word.size();
    if (breaks_.inside_word(end) || starts_at(text_, end, "的") || starts_at(text_, end, "们")) return false;
    add(std::string(text_.substr(at, end - at)), MentionKind::kPerson, at, end, false, who->gender);
    return true;
  }

  // 一位客户 …… 客户林志豪是: told by the name that stands behind the same word.
  bool named_later(std::string_view word, std::size_t from) const {
    for (std::size_t at = text_.find(word, from); at != std::string_view::npos;
         at = text_.find(word, at + word.size())) {
      const std::size_t name = at + word.size();
      if (name + 2 * kHanSize <= text_.size() && is_surname(text_.substr(name, kHanSize)) &&
          !breaks_.inside_word(name) && may_be_given(name, text_.substr(name + kHanSize, kHanSize)))
        return true;
    }
    return false;
  }

  // 一位名叫约翰·多伊的客户.
  bool named(std::size_t at) {
    constexpr std::size_t kLongest = 12 * kHanSize;
    for (const std::string_view lead : {"名叫", "名为", "叫做"}) {
      if (!starts_at(text_, at, lead)) continue;
      const std::size_t begin = at + lead.size();
      std::size_t end = begin;
      while (end < text_.size() && end < begin + kLongest && static_cast<unsigned char>(text_[end]) >= 0xC2 &&
             !is_stop(text_.substr(end, kHanSize)))
        next_code_point(text_, end);
      if (end < begin + 2 * kHanSize || end >= begin + kLongest) return false;
      // 叫做市场: things are called so as well.
      const bool person = starts_at(text_, end, "的") && chinese_somebody().at(text_, end + kHanSize) != nullptr;
      if (lead != "名叫" && !person) return false;
      add(std::string(text_.substr(begin, end - begin)), MentionKind::kPerson, begin, end, true);
      return true;
    }
    return false;
  }

  // 小王, 老李; 小然, 阿远 where a name is to be expected.
  void nickname(std::size_t at) {
    const std::string_view next = text_.substr(std::min(text_.size(), at + kHanSize), kHanSize);
    if (next.size() < kHanSize || static_cast<unsigned char>(next[0]) < 0xE4) return;
    if (starts_at(text_, at + kHanSize, "白") || starts_at(text_, at + kHanSize, "石") || breaks_.inside_word(at))
      return;
    const std::string_view before = character_before(text_, at);
    if (before == "大" || before == "古") return;
    if (!is_surname(next)) {
      constexpr auto kLeads =
          std::to_array<std::string_view>({"跟", "和", "与", "给", "找", "问", "让", "叫", "见", "陪", "约"});
      const bool led =
          before.empty() || is_clause_mark(before) || std::find(kLeads.begin(), kLeads.end(), before) != kLeads.end();
      const bool words = breaks_.word_at(at).size() == kHanSize && breaks_.word_at(at + kHanSize).size() == kHanSize;
      if (!led || !words || starts_at(text_, at, "老") || is_stop(next) || is_no_given(next) ||
          !ends_name(at + 2 * kHanSize))
        return;
    }
    add(std::string(text_.substr(at, 2 * kHanSize)), MentionKind::kPerson, at, at + 2 * kHanSize, true);
  }

  // 王老师, 张小明先生.
  void honorific(std::size_t at) {
    const std::size_t surname = surname_size(at);
    for (std::size_t given = 0; given <= 2; ++given) {
      const std::size_t behind = at + surname + kHanSize * given;
      if (behind > text_.size()) break;
      const PersonWord* rank = chinese_titles().at(text_, behind);
      // 谢吴校长: thanks to 吴校长; 何把医生 of 如何把医生: no name.
      if (given == 1 && rank != nullptr && is_surname(text_.substr(at + surname, kHanSize))) return;
      if (given > 0 && is_no_given(text_.substr(behind - kHanSize, kHanSize))) break;
      const bool shown = rank != nullptr && (given == 0 || rank->word.size() > kHanSize) && !is_sum(behind);
      if (shown) {
        const std::size_t end = behind + rank->word.size();
        add(std::string(text_.substr(at, end - at)), MentionKind::kPerson, at, end, true, rank->gender);
        return;
      }
      if (is_stop(text_.substr(std::min(text_.size(), behind), kHanSize))) break;
    }
    if (surname == kHanSize) full_name(at);
  }

  // Bytes of the surname that begins here, 李 or 欧阳; 0 where none does.
  std::size_t surname_size(std::size_t at) const {
    static const auto kTwo = lexicon("zh/given_names", "surnames of two characters");
    for (const std::string_view two : kTwo) {
      if (starts_at(text_, at, two)) return two.size();
      if (at >= kHanSize && starts_at(text_, at - kHanSize, two)) return 0;
    }
    return at + kHanSize <= text_.size() && is_surname(text_.substr(at, kHanSize)) ? kHanSize : 0;
  }

  // 李总是, 王总共: an adverb.
  bool is_sum(std::size_t at) const {
    return starts_at(text_, at, "总是") || starts_at(text_, at, "总共") || starts_at(text_, at, "总算");
  }

  // 同学们, 老师们, 孩子们.
  void plural_nouns(std::size_t at) {
    if (!starts_at(text_, at, "们") || at < 2 * kHanSize || at < told_end_) return;
    std::size_t begin = at - 2 * kHanSize;
    for (const std::size_t size : {4 * kHanSize, 3 * kHanSize})
      if (at >= size && breaks_.word_at(at - size).size() == size) begin = at - size;
    const PersonWord* known = chinese_somebody().ending(text_.substr(0, at));
    if (known != nullptr && known->word.size() > at - begin) begin = at - known->word.size();
    const std::string_view noun = text_.substr(begin, at - begin);
    if (is_stop(noun.substr(0, kHanSize)) || is_stop(noun.substr(kHanSize, kHanSize))) return;
    add(std::string(noun) + "们", MentionKind::kPerson, begin, at + kHanSize, false, Gender::kUnknown, true);
  }

  std::string_view text_;
  const HanBreaks& breaks_;
  const Voices& voices_;
  const std::vector<std::string>& names_;
  std::vector<Mention> found_;
  std::size_t name_end_ = 0, told_end_ = 0;
};

}  // namespace

std::vector<Mention> chinese_persons(std::string_view text, const HanBreaks& breaks, const Voices& voices,
                                     const std::vector<std::string>& names) {
  return PeopleReader(text, breaks, voices, names).run();
}

// Animals and things of which 它 may be said: 我家的猫, 一台相机.

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

namespace {

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

// 杨总您好, 有请杨总: spoken to. Who then speaks is not "he".
void mark_called(std::string_view text, std::vector<Mention>& mentions) {
  static const auto kBefore = lexicon("zh/people", "before who is called"),
                    kBehind = lexicon("zh/people", "behind who is called");
  for (Mention& mention : mentions) {
    const std::string_view before = text.substr(0, mention.begin), behind = text.substr(mention.end);
    mention.called =
        std::any_of(kBefore.begin(), kBefore.end(), [&](std::string_view word) { return before.ends_with(word); }) ||
        std::any_of(kBehind.begin(), kBehind.end(), [&](std::string_view word) { return behind.starts_with(word); });
  }
}

// Whether people of a kind stand inside a person's mention, or are the role of one: 名叫约翰的客户. The persons are in
// the order of their ends.
bool is_of_person(std::string_view text, const Mention& kind, const std::vector<Mention>& persons) {
  const std::size_t from = kind.begin >= kHanSize ? kind.begin - kHanSize : 0;
  auto near =
      std::partition_point(persons.begin(), persons.end(), [from](const Mention& person) { return person.end < from; });
  for (std::size_t looked_at = 0; near != persons.end() && looked_at < 4; ++near, ++looked_at) {
    if (near->begin < kind.end && kind.begin < near->end) return true;
    const std::string_view before = text.substr(0, near->begin);
    const bool called = before.ends_with("叫") || before.ends_with("名为");
    if (called && near->end + kHanSize == kind.begin && starts_at(text, near->end, "的")) return true;
  }
  return false;
}

}  // namespace

std::vector<Mention> chinese_mentions(std::string_view text, const HanBreaks& breaks, const Voices& voices,
                                      const std::vector<std::string>& names) {
  auto mentions = chinese_persons(text, breaks, voices, names);
  merge_with_relatives(mentions);
  mark_called(text, mentions);
  std::vector<Mention> kinds = chinese_people_of_a_kind(text, breaks);
  std::erase_if(kinds, [&](const Mention& kind) { return is_of_person(text, kind, mentions); });
  mentions.insert(mentions.end(), std::make_move_iterator(kinds.begin()), std::make_move_iterator(kinds.end()));
  for (Mention& thing : chinese_things(text)) mentions.push_back(std::move(thing));
  for (Mention& it : chinese_its(text, breaks, voices)) mentions.push_back(std::move(it));
  std::stable_sort(mentions.begin(), mentions.end(), [](const Mention& a, const Mention& b) { return a.end < b.end; });
  return mentions;
}

}  // namespace weft
