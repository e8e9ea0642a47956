// Requests to change a number, in Chinese. A clause is read whole or not at all: whatever is left over makes it a
// story or another request.
#include <algorithm>
#include <unordered_set>

#include "text/english_verbs.h"
#include "text/quantity_request.h"
#include "text/words.h"

namespace weft {
namespace {

enum Verb : int { kAdd = 1, kTake, kSet, kAddBlood, kTakeBlood, kAddMana, kTakeMana, kAddGold, kTakeGold, kClear };

// Verbs that stand behind the thing (把药水加三瓶) and before the number (加三瓶药水).
const PhraseTable& verbs() {
  static const PhraseTable table = [] {
    PhraseTable verb;
    verb.add_list("zh/games", "verbs add", kAdd);
    verb.add_list("zh/games", "verbs take", kTake);
    verb.add_list("zh/games", "verbs set", kSet);
    verb.add_list("zh/games", "verbs add blood", kAddBlood);
    verb.add_list("zh/games", "verbs take blood", kTakeBlood);
    verb.add_list("zh/games", "verbs add mana", kAddMana);
    verb.add_list("zh/games", "verbs take mana", kTakeMana);
    verb.add_list("zh/games", "verbs add gold", kAddGold);
    verb.add_list("zh/games", "verbs take gold", kTakeGold);
    verb.add_list("zh/games", "verbs clear", kClear);
    return verb;
  }();
  return table;
}

// Verbs that stand only before number and thing.
const PhraseTable& leading_verbs() {
  static const PhraseTable table = [] {
    PhraseTable verb;
    verb.add_list("zh/games", "leading verbs add", kAdd);
    verb.add_list("zh/games", "leading verbs take", kTake);
    return verb;
  }();
  return table;
}

const PhraseTable& courtesy() {
  static const PhraseTable table = phrase_table("zh/games", "courtesy");
  return table;
}

const PhraseTable& courtesy_tail() {
  static const PhraseTable table = phrase_table("zh/games", "courtesy tail");
  return table;
}

// Whom a thing is given to, when it goes to the one who speaks.
const PhraseTable& recipients() {
  static const PhraseTable table = phrase_table("zh/games", "recipients");
  return table;
}

bool one_of(std::string_view set, std::string_view character) {
  return !character.empty() && set.find(character) != std::string_view::npos;
}

// Counters of things. Those of talk and time (句, 种, 次, 天) are not among them.
bool is_measure(const PlainWord& word) {
  return word.kind == WordKind::kHan && one_of(
                                            "个瓶支枝根把件块枚颗粒只条张份袋箱盒本点元滴杯包发卷束串组片套双朵匹头具面"
                                            "口碗壶罐桶级层格株棵筒捆柄剂管盏",
                                            word.text);
}

bool is_other_measure(const PlainWord& word) {
  return word.kind == WordKind::kHan &&
         one_of("句种天段次分遍步页章位名年月日周秒题首篇行字声趟圈回场人倍成折代", word.text);
}

// Pronouns, particles, verbs of telling and asking: no name of a thing holds one of them.
bool breaks_name(const PlainWord& word) {
  if (word.kind == WordKind::kHan)
    return one_of("我你您他她它咱是不没吗呢吧了着过谁哪什么怎这那都也就还很会想说问叫来在有因为但而若当时候给将让跟",
                  word.text);
  return word.kind != WordKind::kWord || is_function_word(word.text);
}

/// Reads a clause from its beginning; every part moves on over what it took.
class Reader : QuantityReader {
 public:
  Reader(ClauseWords words, QuantityCarry carry) : QuantityReader(words, carry) {}

  std::optional<QuantityClause> read() {
    constexpr std::size_t kLongestTail = 3;
    strip_courtesy(courtesy(), courtesy_tail(), kLongestTail);
    if (words_.empty()) return std::nullopt;
    for (const auto way : {&Reader::verb_first, &Reader::thing_first, &Reader::number_first}) {
      at_ = 0;
      clause_ = {};
      if ((this->*way)() && !clause_.request.what.empty()) return clause_;
    }
    return std::nullopt;
  }

 private:
  bool take_phrase(const PhraseTable& table) {
    if (done()) return false;
    const std::size_t words = table.longest(words_, at_).words;
    at_ += words;
    return words > 0;
  }

  bool number(double& amount) {
    if (done()) return false;
    const auto value = quantity_number(words_[at_]);
    if (!value) return false;
    amount = *value;
    ++at_;
    return done() || words_[at_].kind == WordKind::kHan || words_[at_].kind == WordKind::kWord;
  }

  bool unit_and_end() {
    if (!done() && is_measure(words_[at_])) ++at_;
    return done();
  }

  // Words [begin, end) as the name of a thing; says whose it is on the way.
  bool name(std::size_t begin, std::size_t end, std::string& what) {
    const auto text = [this](std::size_t at) -> const std::string& { return words_[at].text; };
    if (end - begin > 1 && text(begin) == "我") {
      clause_.request.own = true;
      begin += text(begin + 1) == "们" ? 2 : 1;
    }
    if (begin < end && text(begin) == "的") ++begin;
    if (end - begin > 2 && text(end - 2) == "数" && (text(end - 1) == "量" || text(end - 1) == "目")) end -= 2;
    if (begin < end && text(end - 1) == "的") --end;
    constexpr std::size_t kMost = 12;
    if (begin >= end || end - begin > kMost || text(begin) == "把") return false;
    const ClauseWords words = ClauseWords(words_).subspan(begin, end - begin);
    if (std::any_of(words.begin(), words.end(), breaks_name)) return false;
    for (std::size_t tail = 1; tail <= std::min<std::size_t>(3, words.size()); ++tail) {
      if (is_uncountable_noun(join_words(words.last(tail)))) return false;
      // 星期练剑; a single character begins names too (人参, 月光石).
      if (tail > 1 && is_uncountable_noun(join_words(words.first(tail)))) return false;
    }
    what = join_words(words);
    return true;
  }

  // N 瓶 药水 up to the end.
  bool count_of_thing(int sign) {
    double amount = 0;
    if (!number(amount) || done() || is_other_measure(words_[at_])) return false;
    if (is_measure(words_[at_])) ++at_;
    take("的");
    const bool read = name(at_, words_.size(), clause_.request.what);
    at_ = words_.size();
    return read && add(amount, sign);
  }

  // 从背包里, 往箭袋里, 给我, before the verb. Leaves `at_` behind it; false where what is there is neither.
  bool frame(bool& given) {
    if (is("给") || is("替")) {
      const std::size_t mark = at_++;
      if (take_phrase(recipients()) && !is("的")) {
        clause_.request.own = given = true;
        return true;
      }
      at_ = mark;
      return true;
    }
    if (!(is("从") || is("往") || is("向") || is("在"))) return true;
    const std::size_t begin = at_ + 1;
    std::size_t end = begin;
    while (end < words_.size() && !one_of("里中内", words_[end].text)) ++end;
    if (end == words_.size()) return false;
    at_ = end + 1;
    take("面");
    return name(begin, end, clause_.request.where);
  }

  // 加三瓶药水, 给我三瓶药水, 从背包里拿走两支箭, 扣血5点; of oneself only changes of a statistic.
  bool verb_first() {
    bool given = false;
    const bool told = take("我");
    if (!frame(given)) return false;
    const std::size_t begin = at_;
    if (given && count_of_thing(+1)) return true;
    at_ = begin;
    if (done()) return false;
    for (const PhraseTable* table : {&leading_verbs(), &verbs()}) {
      const auto verb = table->longest(words_, begin);
      at_ = begin + verb.words;
      if (verb.words == 0) continue;
      const bool mine = words_.size() - at_ > 1 && words_[at_ + 1].kind == WordKind::kNumber && take("我");
      const bool read = (verb.value == kAdd || verb.value == kTake) ? count_of_thing(verb.value == kAdd ? +1 : -1)
                                                                    : implied(verb.value);
      if (!read) continue;
      clause_.request.own = clause_.request.own || told || mine;
      return !told || !stat_of(name_key(clause_.request.what)).empty();
    }
    return false;
  }

  // 加血10点: the verb names the thing.
  bool implied(int verb) {
    double amount = 0;
    if (verb < kAddBlood || verb == kClear || !number(amount) || !unit_and_end()) return false;
    clause_.request.what = verb <= kTakeBlood ? "血" : verb <= kTakeMana ? "蓝" : "金币";
    return add(amount, verb == kAddBlood || verb == kAddMana || verb == kAddGold ? +1 : -1);
  }

  // 把药水加三瓶, 生命值设为80, 金币减5, 金币 -5, 金币清零, 给剑加5点攻击力.
  bool thing_first() {
    const bool marked = take("把") || take("将") || take("给") || take("让") || take("使") || take("为") || take("对");
    const bool given = marked && words_[0].text == "给";
    const std::size_t begin = at_;
    for (std::size_t at = begin + 1; at < words_.size(); ++at) {
      if (words_[at].kind == WordKind::kNumber || words_[at].kind == WordKind::kSign) return signed_number(begin, at);
      const auto verb = verbs().longest(words_, at);
      if (verb.words == 0) continue;
      at_ = at + verb.words;
      if (verb.value == kClear && done())
        return name(begin, at, clause_.request.what) && finish(QuantityOperation::kSet, 0, QuantityCarry::kNone);
      if (done() || words_[at_].kind != WordKind::kNumber) continue;
      return changed(begin, at, verb.value, given);
    }
    return false;
  }

  // The name stands in [begin, end), the number follows.
  bool changed(std::size_t begin, std::size_t end, int verb, bool given) {
    double amount = 0;
    const std::size_t mark = at_;
    if (!number(amount)) return false;
    if (verb != kAdd && verb != kTake && verb != kSet) return false;
    if (unit_and_end()) {
      if (!name(begin, end, clause_.request.what)) return false;
      if (verb == kSet) return finish(QuantityOperation::kSet, amount, QuantityCarry::kSet);
      return add(amount, verb == kAdd ? +1 : -1);
    }
    at_ = mark;
    return given && verb != kSet && name(begin, end, clause_.request.where) && count_of_thing(verb == kAdd ? +1 : -1);
  }

  bool signed_number(std::size_t begin, std::size_t end) {
    at_ = end;
    double amount = 0;
    const bool set = take("=");
    const bool plus = !set && take("+");
    if (plus) take("=");
    if (!set && !plus && !words_[at_].text.starts_with('-')) return false;
    if (!number(amount) || !unit_and_end() || (plus && amount < 0)) return false;
    return name(begin, end, clause_.request.what) &&
           finish(set ? QuantityOperation::kSet : QuantityOperation::kAdd, amount, QuantityCarry::kNone);
  }

  // +5金币, -10点血; 两支箭 behind 给我三瓶药水和.
  bool number_first() {
    const bool plus = take("+");
    const bool minus = !plus && words_[0].text.starts_with('-');
    if (!plus && !minus) {
      if (carry_ == QuantityCarry::kAdd) return count_of_thing(+1);
      return carry_ == QuantityCarry::kTake && count_of_thing(-1);
    }
    double amount = 0;
    if (!number(amount) || (plus && amount < 0) || done() || is_other_measure(words_[at_])) return false;
    if (is_measure(words_[at_])) ++at_;
    return name(at_, words_.size(), clause_.request.what) &&
           finish(QuantityOperation::kAdd, amount, QuantityCarry::kNone);
  }
};

}  // namespace

std::optional<QuantityClause> read_chinese_quantity(ClauseWords words, QuantityCarry carry) {
  return Reader(words, carry).read();
}

}  // namespace weft
