// 我 becomes the speaker, and the grammar of profiles decides what is a fact. Clauses after one in the first person go
// on with its subject.
#include <algorithm>
#include <array>
#include <utility>

#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "text/lexicon.h"
#include "text/speaker_prefix.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

View without_opening(View clause) {
  static constexpr std::array<View, 42> kOpenings{
      "对了",     "顺便说一下", "顺便说", "顺便",       "其实",     "另外",   "还有",   "嗯",     "哦",
      "补充一下", "记一下",     "记住",   "请记住",     "更新一下", "告诉你", "跟你说", "说一下", "更正",
      "纠正一下", "最近",       "现在",   "目前",       "如今",     "后来",   "不过",   "但是",   "但",
      "而且",     "所以",       "因为",   "那个",       "话说",     "好消息", "坏消息", "今天",   "昨天",
      "刚才",     "刚刚",       "啊",     "上次忘了说", "提醒一下", "首先"};
  for (bool cut = true; cut;) {
    cut = false;
    clause = trim_words(clause, " \t");
    for (const View opening : kOpenings) {
      if (!clause.starts_with(opening)) continue;
      clause.remove_prefix(opening.size());
      cut = true;
    }
  }
  return clause;
}

// 现在在腾讯工作, 又在医院上夜班, 就有点近视 without adverbs; of 还有一只狗 还有 is the verb.
View predicate_of(View rest) {
  if (rest.starts_with("还有")) return rest;
  rest = without_opening(rest);
  for (const auto& [adverb, verb] :
       {std::pair<View, View>{"又", "在"}, {"又", "是"}, {"就", "有"}, {"就", "是"}, {"就", "在"}, {"就", "住"}})
    if (rest.starts_with(adverb) && rest.substr(adverb.size()).starts_with(verb)) return rest.substr(adverb.size());
  return rest;
}

// 青霉素过敏: 对青霉素过敏.
std::string with_cause(std::string rest) {
  constexpr View kTo = "对", kAllergic = "过敏";
  const View all = rest;
  const View cause = longest_entry(lexicon("zh/profile", "allergens"), all);
  return !cause.empty() && all.substr(cause.size()) == kAllergic ? std::string(kTo) + rest : rest;
}

// 养了一条狗, 认识一个人, 有个女儿: the next clause without a subject may be about them.
bool brings_somebody(View clause) {
  for (const View verb : {"养", "有个", "有一", "有位", "有两", "有俩", "认识", "遇到", "遇见", "交了", "带的", "开了",
                          "住的", "生了", "捡", "买了", "领", "新来"})
    if (clause.find(verb) != View::npos) return true;
  return false;
}

// What stands behind 我, 我们 …, and whether 的 stood there; nothing where the clause is nobody's own.
struct Own {
  View rest;
  bool possessive = false;
  bool several = false;  // 我们: mostly a team or a firm
};

std::optional<Own> own_part(View clause) {
  for (const View who : {"我们家", "我家", "我们", "咱们", "本人", "我"}) {
    auto at = clause.find(who);
    if (at == View::npos || clause.substr(0, at).ends_with("自")) continue;  // 自我
    if (at > 0) {
      const View before = trim_words(clause.substr(0, at));
      const auto timed = split_at_time(before);
      constexpr std::size_t kLongestWhen = 30;
      const bool since = before.size() <= kLongestWhen && (before.ends_with("后") || before.ends_with("起") ||
                                                           before.ends_with("以来") || before.ends_with("之前"));
      const bool told = before.ends_with("说") && (before.starts_with("医生") || before.starts_with("大夫"));
      if (!since && !told && (!timed || !timed->before.empty())) return std::nullopt;
    }
    View rest = clause.substr(at + who.size());
    if (who == "我们家" || who == "我家") {
      constexpr View kHome = "家";
      rest = View(rest.data() - kHome.size(), rest.size() + kHome.size());
      if (!rest.starts_with("家在") && !rest.starts_with("家住")) rest.remove_prefix(kHome.size());
    }
    const bool several = who == "我们" || who == "咱们";
    if (rest.starts_with("的")) return Own{rest.substr(std::string_view("的").size()), true, several};
    return Own{rest, false, several};
  }
  return std::nullopt;
}

bool is_supposed(View clause) {
  for (const View word :
       {"如果", "假如", "要是", "假设", "好像",   "似乎", "可能", "也许", "希望", "想要", "帮我", "给我",
        "教我", "问我", "怎么", "什么", "为什么", "如何", "请",   "你",   "您",   "？",   "?"})
    if (clause.find(word) != View::npos) return true;
  return false;
}

// The clauses of a sentence; 喜欢香菜但是不喜欢葱 has two.
std::vector<View> told_clauses(View sentence) {
  std::vector<View> clauses;
  View time;  // 明年，我住在上海: it belongs to what stands behind it
  for (View clause : chinese_clauses(sentence)) {
    if (!time.empty()) clause = View(time.data(), static_cast<std::size_t>(clause.end() - time.begin()));
    time = {};
    const auto end = end_of_time_in_front(clause);
    if (end > 0 && trim_marks(clause.substr(end)).empty()) {
      time = clause;
      continue;
    }
    for (const View but : lexicon("zh/lasting", "but")) {
      const auto at = clause.find(but);
      if (at == View::npos || at == 0) continue;
      clauses.push_back(clause.substr(0, at));
      clause.remove_prefix(at);
    }
    clauses.push_back(clause);
  }
  if (!time.empty()) clauses.push_back(time);
  return clauses;
}

// 如果下雨，我开车上班: what the rest of the sentence says holds then only.
bool is_condition(View clause) {
  const auto words = lexicon("zh/lasting", "conditions");
  return std::any_of(words.begin(), words.end(), [&](View word) { return clause.starts_with(word); });
}

// 小王结婚了, 他说…: a clause about somebody else goes on with no subject before it.
bool has_other_subject(View clause) {
  for (const View one : lexicon("zh/lasting", "others"))
    if (clause.starts_with(one)) return true;
  constexpr std::size_t kCharacter = 3;
  const View first = clause.substr(0, kCharacter), second = clause.substr(std::min(clause.size(), kCharacter));
  const bool called =
      (first == "小" || first == "老" || first == "阿") && is_chinese_surname(second.substr(0, kCharacter));
  return called || clause.find("说") < 4 * kCharacter;
}

// Behind 爱: what is loved, and no other verb or word.
bool loves_plainly(View behind) {
  for (const auto& [file, list] : {std::pair<View, View>{"zh/profile", "goings"}, {"zh/animals", "animals"}})
    if (!longest_entry(lexicon(file, list), behind).empty()) return true;
  return !behind.empty() && longest_entry(lexicon("zh/profile", "behind love"), behind).empty() &&
         !begins_with_kin(behind);
}

// 超爱香菜, 巨讨厌下雨: the verb of liking alone.
std::string without_degrees(std::string rest) {
  constexpr std::size_t kNear = 12;
  for (const View liking : lexicon("zh/profile", "likings")) {
    for (const View degree : lexicon("zh/profile", "degrees")) {
      const auto at = rest.find(std::string(degree) + std::string(liking));
      if (at > kNear || View(rest).substr(0, at).ends_with("不")) continue;
      rest.erase(at, degree.size());
      if (liking == "爱" && loves_plainly(View(rest).substr(at + liking.size())))
        rest.replace(at, liking.size(), "喜欢");
      return without_degrees(std::move(rest));
    }
  }
  return rest;
}

// 爱跑步, 又不爱跑步: 喜欢 without doubt.
std::string with_plain_liking(std::string rest) {
  constexpr View kLoves = "爱";
  const View text = rest;
  std::size_t at = 0;
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::span<const View> words : {adverbs_chinese(), lexicon("zh/profile", "before liking")})
      if (const View word = longest_entry(words, text.substr(at)); !word.empty()) at += word.size(), cut = true;
  }
  if (text.substr(at).starts_with(kLoves) && loves_plainly(text.substr(at + kLoves.size())))
    rest.replace(at, kLoves.size(), "喜欢");
  return rest;
}

// 我手机号是…: things that have a value, and people; not 我的一个是….
bool add_owned(const std::string& text, View quote, const std::string& subject, std::vector<SaidFact>& facts) {
  std::vector<SaidFact> found;
  if (!add_facts(text, quote, subject, found)) return false;
  const std::size_t before = facts.size();
  for (SaidFact& fact : found) {
    constexpr View kOf = "of ";
    const View thing = fact.attribute.starts_with(kOf) ? View(fact.attribute).substr(kOf.size()) : View();
    if (!fact.attribute.starts_with(kOf) || has_value_chinese(thing) || is_person_chinese(thing))
      facts.push_back(std::move(fact));
  }
  return facts.size() > before;
}

// 我们的预算是10万: of what, only the talk tells.
bool is_measure_alone(const std::string& text, View quote, const std::string& subject, bool several) {
  std::vector<SaidFact> found;
  return add_facts(text, quote, subject, found) && lacks_matter(found.front(), several);
}

bool tells_of_home(View rest) {
  for (const View word :
       {"结婚", "婚", "搬", "住", "孩子", "猫", "狗", "家", "房", "俩", "蜜月", "旅行", "怀孕", "女儿", "儿子"})
    if (rest.find(word) != View::npos) return true;
  return false;
}

// 作为ENTJ，我…: what the speaker is.
View said_as(View clause) {
  constexpr View kAs = "作为";
  constexpr std::size_t kLongest = 30;
  if (!clause.starts_with(kAs)) return {};
  View what = clause.substr(kAs.size());
  for (const View one : {"一名", "一位", "一个"})
    if (what.starts_with(one)) what.remove_prefix(one.size());
  return what.size() <= kLongest && what.find("的") == View::npos ? what : View();
}

// 喜欢吃辣了: that it is new is told by the day on which it was said.
std::string without_change(std::string rest) {
  constexpr View kOver = "了";
  const bool liked = View(rest).substr(0, 4 * kOver.size()).find("喜欢") != View::npos ||
                     View(rest).substr(0, 3 * kOver.size()).find("爱") != View::npos;
  if (liked && rest.ends_with(kOver) && rest.find("不") == std::string::npos) rest.resize(rest.size() - kOver.size());
  return rest;
}

// 女儿朵朵 of 我女儿朵朵，不能吃虾: of whom the next clauses tell; empty where the clause is more or less than that.
View named_kin(const Own& own) {
  constexpr std::size_t kCharacter = 3;
  std::size_t kin = 0;
  for (const View one : lexicon("zh/lasting", "kin"))
    if (own.rest.starts_with(one)) kin = std::max(kin, one.size());
  const View name = trim_marks(own.rest.substr(kin));
  if (kin == 0 || own.several || name.size() < 2 * kCharacter || name.size() > 3 * kCharacter) return {};
  const View first = name.substr(0, kCharacter), second = name.substr(kCharacter);
  const bool called = first == "小" || first == "阿" || is_chinese_surname(first) || first == second;
  return called && is_name_chinese(name) && !name.ends_with("了") ? trim_marks(own.rest) : View();
}

// 刚结束…, 终于搬了…: who tells it has done it.
bool begins_with_what_was_done(View clause) { return clause.starts_with("刚") || clause.starts_with("终于"); }

}  // namespace

std::vector<SaidFact> chinese_facts(std::string_view sentence, const std::string& name) {
  const std::string subject = name.empty() ? "用户" : name;
  std::vector<SaidFact> facts;
  bool speaks = false;
  View last;  // the speaker's clause before
  View as;  // what the speaker called themselves just before
  bool elsewhen = false;  // 两周后我们搬家，住在元旦小区: what goes on holds at that time
  View relative;  // 我女儿朵朵，不能吃虾: of whom the clause tells
  bool intends = false;  // 我想搬到成都，住在老城区: what goes on is only meant
  for (const View clause : told_clauses(sentence)) {
    const View plain = without_opening(clause);
    if (is_condition(plain)) break;
    if (is_supposed(plain)) {
      speaks = false;
      continue;
    }
    auto own = own_part(plain);
    if (own && !as.empty()) facts.push_back(told_fact(subject + "是" + std::string(as) + "。", as));
    as = own ? View() : said_as(plain);
    const bool goes_on = !own;
    if (!own && kin_lasts(plain)) {
      facts.push_back(told_fact(subject + "的" + std::string(plain) + "。", clause));
      continue;
    }
    const bool other = has_other_subject(plain);
    if (own || other) relative = {};
    if (!relative.empty() &&
        add_facts(subject + "的" + std::string(relative) + std::string(plain) + "。", clause, subject, facts))
      continue;
    if (own) relative = named_kin(*own);
    if (!own && !other && (speaks || begins_with_what_was_done(trim_words(clause)) || ails_chinese(plain)))
      own = Own{plain};
    speaks = own.has_value();
    if (!own) continue;
    if (goes_on && intends && plain.find("了") == View::npos) continue;
    if (!goes_on || end_of_time_in_front(plain) > 0) elsewhen = is_at_another_time(plain);
    if (goes_on && elsewhen) continue;
    intends = holds_any(own->rest.substr(0, 4 * View("想").size()), lexicon("zh/lasting", "meant"));
    if (goes_on && brings_somebody(last)) continue;
    last = plain;
    const std::string plainly = with_cause(with_plain_liking(without_degrees(std::string(predicate_of(own->rest)))));
    std::string rest = chinese_in_third_person(without_change(plainly), subject);
    rest.resize(rest.size() - View("。").size());
    const auto with = [&](View between) { return subject + std::string(between) + rest + "。"; };
    if (own->possessive) {
      speaks = false;  // 我的血压是…，略高: of that
      if (is_measure_alone(with("的"), clause, subject, own->several)) continue;
      if (!add_facts(with("的"), clause, subject, facts) && own_thing_lasts_chinese(own->rest))
        facts.push_back(told_fact(with("的"), clause));
      continue;
    }
    // 我手机号是…, 我妹妹住在…: whose it is goes without 的.
    if (add_facts(with(""), clause, subject, facts)) continue;
    // 我在学校的座位是…: 用户的学校的座位是….
    constexpr std::string_view kAt = "在";
    const bool at_place = rest.starts_with(kAt) && rest.find("的") != std::string::npos;
    const std::string owned = at_place ? rest.substr(kAt.size()) : rest;
    // 我老公是…: what follows is said of him.
    const bool kin = begins_with_kin(own->rest);
    if (kin) speaks = false;
    // A household tells of home and family, and what is long was not said in passing.
    constexpr std::size_t kLongest = 120;
    const bool household = !own->several || tells_of_home(own->rest);
    const bool lasts = household && clause.size() <= kLongest && lasts_chinese(own->rest, goes_on);
    // 我想知道距离，单位是英里: what a clause without a subject names is nobody's own.
    const bool thing = (longest_entry(adverbs_chinese(), owned).empty() || owned.starts_with("最")) &&
                       !owned.starts_with("给") && !owned.starts_with("跟") && !owned.starts_with("和");
    if (thing && (kin || (!lasts && !goes_on)) && add_owned(subject + "的" + owned + "。", clause, subject, facts))
      continue;
    if (lasts) facts.push_back(told_fact(with(kin ? "的" : ""), clause));
  }
  return facts;
}

std::string chinese_in_third_person(std::string_view sentence, const std::string& name) {
  const std::string subject = name.empty() ? "用户" : name;
  std::string text;
  View close;  // of the quotation at hand, whose words stay
  for (std::size_t at = 0; at < sentence.size();) {
    static constexpr std::array<std::pair<View, View>, 3> kQuotes{{{"“", "”"}, {"「", "」"}, {"『", "』"}}};
    for (const auto& [open, end] : kQuotes)
      if (close.empty() && sentence.substr(at).starts_with(open)) close = end;
    if (!close.empty()) {
      const auto end = std::min(sentence.find(close, at), sentence.size() - close.size()) + close.size();
      text += sentence.substr(at, end - at);
      at = end;
      close = {};
      continue;
    }
    View who;
    for (const View one : {"我们家", "我们", "咱们", "本人", "我"})
      if (who.empty() && sentence.substr(at).starts_with(one)) who = one;
    // 自我介绍 has no speaker in it.
    if (who.empty() || sentence.substr(0, at).ends_with("自")) {
      text += sentence[at++];
    } else {
      text += subject + (who == "我们家" ? "家" : "");
      at += who.size();
      // 我老公: whose he is goes without 的 only in the first person.
      if (who == "我" && begins_with_kin(sentence.substr(at))) text += "的";
    }
  }
  const View bare = trim_marks(text);
  return std::string(bare) + "。";
}

}  // namespace weft
