// Chinese is read by clauses: a phrase, or a frame such as 在…工作 or 对…过敏, with the subject before it.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "text/lexicon.h"
#include "text/speaker_prefix.h"

namespace weft {
namespace {

std::optional<std::string> chinese_subject(std::string_view text) {
  if (is_unsure_chinese(text) || text.ends_with("忍") || text.ends_with("禁")) return std::nullopt;  // 忍不住在
  for (bool cut = true; cut;) {
    text = trim_words(text);
    cut = false;
    std::size_t longest = 0;  // 真的, not 的
    for (const auto adverb : adverbs_chinese())
      if (text.ends_with(adverb)) longest = std::max(longest, adverb.size());
    text.remove_suffix(longest);
    cut = longest > 0;
  }
  constexpr std::size_t kLongestName = 60;
  text = without_time_at_end(text);  // 用户上个月
  // 用户在医院 of 用户在医院上夜班
  if (const auto place = text.rfind("在");
      place != std::string_view::npos && place > 0 && text.find("的", place) == std::string_view::npos)
    text = trim_words(text.substr(0, place));
  if (text.size() > kLongestName) return std::nullopt;
  return std::string(text);
}

struct Found {
  std::string_view before, value;
  Phrase phrase;
};

// The phrase that comes first, the longest of those that begin there.
std::optional<Found> find_phrase(std::string_view clause) {
  std::optional<Found> best;
  std::size_t best_at = std::string_view::npos, best_size = 0;
  for (const ChinesePhrase& entry : chinese_phrases()) {
    const auto at = clause.find(entry.words);
    if (at == std::string_view::npos || at > best_at || (at == best_at && entry.words.size() <= best_size)) continue;
    // 喜欢上班: 上 belongs to what is liked.
    constexpr std::string_view kUpon = "上";
    const std::string_view rest = clause.substr(at + entry.words.size() - kUpon.size());
    if (entry.words.ends_with(kUpon) && !longest_entry(lexicon("zh/profile", "goings"), rest).empty()) continue;
    best_at = at;
    best_size = entry.words.size();
    best = Found{clause.substr(0, at), clause.substr(at + best_size), entry.phrase};
  }
  return best;
}

// Not the 在 of 现在.
std::size_t frame_start(std::string_view clause, std::string_view before) {
  for (std::size_t at = clause.find(before); at != std::string_view::npos; at = clause.find(before, at + 1)) {
    const std::string_view left = clause.substr(0, at);
    if (!left.ends_with("现") && !left.ends_with("正") && !left.ends_with("实")) return at;
  }
  return std::string_view::npos;
}

// Where what stands before `end` ends without adverbs: 对花生严重过敏.
std::size_t without_adverb_at_end(std::string_view clause, std::size_t end) {
  for (bool cut = true; cut;) {
    cut = false;
    for (const auto adverb : adverbs_chinese()) {
      if (!clause.substr(0, end).ends_with(adverb)) continue;
      end -= adverb.size();
      cut = true;
    }
  }
  return end;
}

// 在找工作, 在认真上班: what is being done, no place.
bool is_doing(std::string_view value) {
  const auto deeds = lexicon("zh/profile", "no places");
  return std::any_of(deeds.begin(), deeds.end(), [&](std::string_view deed) { return value.starts_with(deed); });
}

// 在…工作, 对…过敏: a value between two parts.
std::optional<Found> find_frame(std::string_view clause) {
  for (const ChineseFrame& frame : chinese_frames()) {
    if (!clause.ends_with(frame.behind)) continue;
    const auto at = frame_start(clause, frame.before);
    if (at == std::string_view::npos) continue;
    const auto begin = at + frame.before.size(),
               end = without_adverb_at_end(clause, clause.size() - frame.behind.size());
    if (begin >= end) continue;
    const std::string_view value = clause.substr(begin, end - begin);
    if (frame.before == "在" && is_doing(value)) continue;
    return Found{clause.substr(0, at), value, frame.phrase};
  }
  return std::nullopt;
}

std::vector<std::string_view> clauses_of(std::string_view text) {
  std::vector<std::string_view> clauses;
  while (!text.empty()) {
    const auto end = text.find_first_of(",;");
    const auto clause = trim_words(text.substr(0, end));
    if (!clause.empty()) clauses.push_back(clause);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return clauses;
}

// What stands between a thing and its value, the longest first.
constexpr std::array<std::string_view, 38> kBetween{
    {"变更为", "变更成",   "提高到了",   "提高到",   "降低到",   "涨到了", "涨到", "降到",   "更新为", "更改为",
     "调整为", "换为",     "现在改成了", "现在改成", "已经改成", "改成了", "改成", "改为",   "改到了", "改到",
     "换成了", "换成",     "换到了",     "换到",     "变成了",   "变成",   "变为", "调到了", "调到",   "推迟到了",
     "推迟到", "提前到了", "提前到",     "定在了",   "定在",     "现在是", "叫",   "是"}};

bool can_be_value_chinese(std::string_view value) {
  const bool latin = std::any_of(value.begin(), value.end(), [](char c) { return is_digit(c) || is_letter(c); });
  if (latin) return true;
  const auto timed = split_at_time(value);
  return timed && timed->before.empty();
}

// 小明的手机号是…, 小明把预算提高到…: owner, thing, value.
std::optional<Found> find_owned(std::string_view clause) {
  constexpr std::size_t kLongestThing = 36;
  constexpr std::string_view kOf = "的", kTakes = "把";
  const auto takes = clause.find(kTakes);
  const bool taken = takes != std::string_view::npos && takes < clause.find(kOf);
  const auto of = taken ? takes : clause.find(kOf);
  if (of == std::string_view::npos) return std::nullopt;
  std::string_view owner = clause.substr(0, of);
  const std::string_view rest = clause.substr(of + kOf.size());
  if (rest.starts_with(kTakes)) return std::nullopt;
  // 我最喜欢的颜色
  bool favourite = false;
  for (const std::string_view best : {"最喜欢", "最爱"})
    if (owner.ends_with(best)) owner.remove_suffix(best.size()), favourite = true;
  std::size_t best = std::string_view::npos, size = 0;
  for (const std::string_view between : kBetween) {
    const auto at = rest.find(between);
    if (at == std::string_view::npos || at == 0 || at > best || (at == best && between.size() <= size)) continue;
    best = at;
    size = between.size();
  }
  if (best == std::string_view::npos || best > kLongestThing) return std::nullopt;
  std::string_view thing = rest.substr(0, best);
  // 把我的预算…: the thing is one's own.
  if (taken && thing.find(kOf) != std::string_view::npos) return std::nullopt;
  for (const std::string_view adverb : {"现在", "目前", "已经", "今天", "以后", "从今天起", "从下周起", "下周起"})
    if (thing.ends_with(adverb) && thing.size() > adverb.size()) thing.remove_suffix(adverb.size());
  thing = without_time_at_end(thing);
  const std::string_view value = trim_words(rest.substr(best + size));
  const bool name = (rest.substr(best, size) == "叫" && value.size() <= kLongestThing) ||
                    (is_person_chinese(thing) && is_name_chinese(value));
  if (value.empty() || value.starts_with("不")) return std::nullopt;
  if (!(name || favourite || has_value_chinese(thing) || can_be_value_chinese(value) || is_occupation_chinese(value)))
    return std::nullopt;
  return Found{
      owner, value, {favourite ? "favourite " + std::string(thing) : thing_key_chinese(thing), true, Polarity::kYes}};
}

// 开大众牌的车
std::optional<Found> find_vehicle(std::string_view clause) {
  if (!clause.ends_with("车")) return std::nullopt;
  for (const std::string_view drive : {"开的是", "开着", "开的", "开"}) {
    const auto at = clause.find(drive);
    if (at == std::string_view::npos || at == 0) continue;
    if (clause.substr(0, at).ends_with("会") || clause.substr(0, at).ends_with("能")) return std::nullopt;
    return Found{clause.substr(0, at), clause.substr(at + drive.size()), {"vehicle", true, Polarity::kYes}};
  }
  return std::nullopt;
}

// 叫陈默: a name, and nothing but that.
std::optional<Found> find_name(std::string_view clause) {
  constexpr std::string_view kCalled = "叫";
  const auto at = clause.find(kCalled);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view value = trim_words(clause.substr(at + kCalled.size()));
  constexpr std::size_t kHan = 3, kLongest = 4 * kHan;
  const bool latin = !value.empty() && is_letter(value.front()) && value.find(' ') == std::string_view::npos;
  const bool called = value.size() >= 2 * kHan && value.size() <= kLongest &&
                      (is_chinese_surname(value.substr(0, kHan)) || is_chinese_surname(value.substr(0, 2 * kHan)) ||
                       value.starts_with("小") || value.starts_with("阿"));
  if (!(latin || called) || !is_name_chinese(value) ||
      !longest_entry(lexicon("zh/lasting", "called for"), value).empty())
    return std::nullopt;
  std::string_view before = clause.substr(0, at);
  constexpr std::string_view kRenamed = "改名";
  if (before.ends_with(kRenamed)) before.remove_suffix(kRenamed.size());
  if (before.find("的") != std::string_view::npos || before.ends_with("名") || before.ends_with("大"))
    return std::nullopt;
  return Found{before, value, {"name", true, Polarity::kYes}};
}

// 姓王
std::optional<Found> find_surname(std::string_view clause) {
  constexpr std::string_view kNamed = "姓";
  const auto at = clause.find(kNamed);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view value = trim_words(clause.substr(at + kNamed.size()));
  if (!is_chinese_surname(value) || clause.substr(0, at).ends_with("不")) return std::nullopt;
  return Found{clause.substr(0, at), value, {"surname", true, Polarity::kYes}};
}

// 是四川人
std::optional<Found> find_origin(std::string_view clause) {
  constexpr std::string_view kIs = "是", kPerson = "人";
  const auto at = clause.find(kIs);
  if (at == std::string_view::npos || at == 0 || !clause.ends_with(kPerson)) return std::nullopt;
  const std::string_view value = clause.substr(at + kIs.size());
  std::string_view place = value.substr(0, value.size() - std::min(value.size(), kPerson.size()));
  constexpr std::size_t kLongestPlace = 18;
  const auto places = lexicon("zh/profile", "origins");
  const bool known =
      std::any_of(places.begin(), places.end(), [&](std::string_view one) { return place.starts_with(one); });
  if (!known || place.size() > kLongestPlace || place.find("的") != std::string_view::npos ||
      clause.substr(0, at).ends_with("不"))
    return std::nullopt;
  return Found{clause.substr(0, at), value, {"origin", true, Polarity::kYes}};
}

// 今年七十四: without 岁.
std::optional<Found> find_age(std::string_view clause) {
  constexpr std::string_view kThisYear = "今年", kNumerals = "一二三四五六七八九十";
  constexpr std::size_t kHan = 3;
  const auto at = clause.find(kThisYear);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view value = clause.substr(at + kThisYear.size());
  bool number = !value.empty() && value.size() <= 3 * kHan;
  const bool digits = !value.empty() && value.size() <= 2 && is_digit(value.front()) && is_digit(value.back());
  for (std::size_t i = 0; number && !digits && i < value.size(); i += kHan)
    number = value.size() % kHan == 0 && kNumerals.find(value.substr(i, kHan)) != std::string_view::npos;
  if (!number) return std::nullopt;
  return Found{clause.substr(0, at), value, {"age", true, Polarity::kYes}};
}

// 每周三晚上打羽毛球: of each thing that comes again there is one time.
std::optional<Found> find_habit(std::string_view clause) {
  const auto at = clause.find("每");
  constexpr std::size_t kLongestDeed = 30;
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::size_t size = begins_again(clause.substr(at));
  const std::string_view deed = trim_words(clause.substr(at + size));
  if (size == 0 || deed.empty() || deed.size() > kLongestDeed) return std::nullopt;
  // 每天都很累
  for (const auto adverb : adverbs_chinese())
    if (deed.starts_with(adverb)) return std::nullopt;
  return Found{clause.substr(0, at), clause.substr(at, size), {"habit " + std::string(deed), true, Polarity::kYes}};
}

// 收银员 of 超市的收银员, 焊工 of 焊工十一年: the occupation alone.
std::string_view occupation_in(std::string_view value) {
  constexpr std::string_view kOf = "的";
  value = without_time_at_end(trim_words(value));
  const auto of = value.rfind(kOf);
  return of == std::string_view::npos ? value : value.substr(of + kOf.size());
}

// 是木匠, 不是医生: an occupation without a measure word.
std::optional<Found> find_occupation(std::string_view clause) {
  constexpr std::string_view kIs = "是";
  const auto at = clause.find(kIs);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  std::string_view before = clause.substr(0, at);
  const std::string_view value = trim_words(clause.substr(at + kIs.size()));
  constexpr std::size_t kLongest = 36;
  if (value.size() > kLongest || !is_occupation_chinese(occupation_in(value)) || end_of_time_in_front(value) > 0)
    return std::nullopt;
  // 是一名老师 is read as a phrase; 是来找医生, 是不是木匠 and 是说木匠 are no occupations.
  for (const std::string_view one :
       {"一", "个", "名", "位", "不", "说", "否", "想", "因", "要", "来", "去", "为", "在", "找", "看", "叫", "给",
        "被", "从", "用", "跟", "和", "帮", "问", "听", "陪", "送", "等", "请", "你", "他", "她", "这", "那"})
    if (value.starts_with(one)) return std::nullopt;
  for (const std::string_view no : lexicon("zh/profile", "no occupations"))
    if (value.ends_with(no)) return std::nullopt;
  Polarity polarity = Polarity::kYes;
  for (const auto& [word, says] :
       {std::pair{std::string_view("不再"), Polarity::kNoLonger}, std::pair{std::string_view("不"), Polarity::kNo}})
    if (polarity == Polarity::kYes && before.ends_with(word)) {
      before.remove_suffix(word.size());
      polarity = says;
    }
  // 我妈妈是医生 and 我的目标是老师 tell of somebody and something else.
  if (before.find("的") != std::string_view::npos) return std::nullopt;
  return Found{before, value, {"job", true, polarity}};
}

// 有糖尿病, 患有哮喘, 得了高血压.
std::optional<Found> find_ailment(std::string_view clause) {
  constexpr std::size_t kHan = 3, kLongest = 10 * kHan;
  for (const auto& [has, says] : {std::pair<std::string_view, Polarity>{"没有", Polarity::kNo},
                                  {"患有", Polarity::kYes},
                                  {"患了", Polarity::kYes},
                                  {"得了", Polarity::kYes},
                                  {"确诊了", Polarity::kYes},
                                  {"被诊断出", Polarity::kYes},
                                  {"被诊断为", Polarity::kYes},
                                  {"被诊断患有", Polarity::kYes},
                                  {"查出了", Polarity::kYes},
                                  {"有", Polarity::kYes}}) {
    const auto at = clause.find(has);
    if (at == std::string_view::npos || at == 0) continue;
    const std::string_view value = trim_words(clause.substr(at + has.size()));
    if (value.size() < 2 * kHan || value.size() > kLongest || value.find("的") != std::string_view::npos)
      return std::nullopt;
    const auto ends = lexicon("zh/profile", "ailments");
    const bool known =
        std::any_of(ends.begin(), ends.end(), [&](std::string_view one) { return value.ends_with(one); });
    const auto others = lexicon("zh/profile", "no ailments");
    if (!known || std::any_of(others.begin(), others.end(), [&](std::string_view one) { return value.ends_with(one); }))
      return std::nullopt;
    return Found{clause.substr(0, at), value, {"conditions", false, says}};
  }
  return std::nullopt;
}

// 阿托伐他汀 of 阿托伐他汀20毫克.
std::string_view without_dose(std::string_view value) {
  for (const std::string_view unit : lexicon("zh/changes", "doses")) {
    if (!value.ends_with(unit)) continue;
    const std::string_view before = value.substr(0, value.size() - unit.size());
    const auto last = before.find_last_not_of("0123456789. ");
    if (last != std::string_view::npos && last + 1 < before.size()) return before.substr(0, last + 1);
  }
  return value;
}

// 每天吃二甲双胍, 在服用降压药: of each medicine one dose at a time.
std::optional<Found> find_medicine(std::string_view clause) {
  constexpr std::size_t kHan = 3;
  for (const std::string_view takes : {"服用", "注射", "吃", "打"}) {
    const auto at = clause.find(takes);
    if (at == std::string_view::npos || at == 0) continue;
    std::string_view before = clause.substr(0, at);
    const std::string_view value = trim_words(clause.substr(at + takes.size()));
    for (const std::string_view no : {"不", "没", "别", "不再"})
      if (before.ends_with(no)) return std::nullopt;
    if (value.starts_with("了") || value.starts_with("过") || value.starts_with("完")) return std::nullopt;
    for (const std::string_view one : lexicon("zh/profile", "medicines")) {
      if (!without_dose(value).ends_with(one) || value.size() < 2 * kHan) continue;
      if (before.ends_with("在")) before.remove_suffix(kHan);
      return Found{
          before, value, {"medicine " + std::string(one.size() >= 2 * kHan ? one : value), true, Polarity::kYes}};
    }
  }
  return std::nullopt;
}

// 吃素, 单身, 退休了, 三十四岁: what somebody is.
std::optional<Found> find_kind(std::string_view clause) {
  constexpr std::size_t kLongestKind = 18;
  for (std::size_t at = clause.size() > kLongestKind ? clause.size() - kLongestKind : 0; at < clause.size(); ++at) {
    if ((static_cast<unsigned char>(clause[at]) & 0xC0) == 0x80) continue;
    const auto kind = kind_of_person(clause.substr(at));
    if (kind.empty()) continue;
    std::string_view before = clause.substr(0, at);
    Polarity polarity = Polarity::kYes;
    for (const auto& [word, says] :
         {std::pair{std::string_view("不再是"), Polarity::kNoLonger},
          std::pair{std::string_view("不再"), Polarity::kNoLonger}, std::pair{std::string_view("不是"), Polarity::kNo},
          std::pair{std::string_view("不"), Polarity::kNo}, std::pair{std::string_view("成了"), Polarity::kYes},
          std::pair{std::string_view("变成"), Polarity::kYes}, std::pair{std::string_view("是"), Polarity::kYes},
          std::pair{std::string_view("开始"), Polarity::kYes}}) {
      if (!before.ends_with(word)) continue;
      before.remove_suffix(word.size());
      if (polarity == Polarity::kYes) polarity = says;
    }
    const bool single = kind != "allergies" && kind != "conditions" && kind != "drinks";
    return Found{before, clause.substr(at), {std::string(kind), single, polarity}};
  }
  return std::nullopt;
}

// 用户5月3日去罗马出差: of each journey there is one moment at a time.
std::optional<Found> find_plan(std::string_view clause) {
  const auto timed = split_at_time(clause);
  if (!timed || timed->before.empty()) return std::nullopt;
  const auto behind = clause.substr(static_cast<std::size_t>(timed->time.data() - clause.data()) + timed->time.size());
  for (const std::string_view go : {"出发去", "飞往", "前往", "飞去", "飞到", "要去", "会去", "想去", "去", "飞"}) {
    const auto at = behind.find(go);
    if (at == std::string_view::npos || at > 12) continue;
    std::string_view place = behind.substr(at + go.size());
    // 不去, 没去, 去不了, 去得成: no journey, or none of which a moment is known.
    const std::string_view before = behind.substr(0, at);
    for (const std::string_view no : {"不", "没", "别", "未"})
      if (before.ends_with(no) || place.starts_with(no)) return std::nullopt;
    if (place.starts_with("得") || place.starts_with("过") || place.starts_with("世")) return std::nullopt;
    // 去看爸妈, 去买票: what for, not where to.
    for (const std::string_view does :
         {"看", "买", "吃", "拿", "取", "做", "参加", "接", "送", "找", "见", "办", "探", "逛", "听", "上班", "上课"})
      if (place.starts_with(does)) return std::nullopt;
    for (const std::string_view purpose : {"出差", "旅游", "旅行", "度假", "开会", "看展", "玩", "了"}) {
      const auto end = place.find(purpose);
      if (end != std::string_view::npos) place = place.substr(0, end);
    }
    place = trim_words(place);
    constexpr std::size_t kLongestPlace = 24;
    if (place.empty() || place.size() > kLongestPlace) return std::nullopt;
    return Found{timed->before, timed->time, {"trip to " + value_key(place), true, Polarity::kYes}};
  }
  return std::nullopt;
}

// 养了两只猫: how many of what.
std::optional<Found> find_number(std::string_view clause) {
  for (const std::string_view have : {"养了", "养着", "养", "有"}) {
    const auto at = clause.find(have);
    if (at == std::string_view::npos) continue;
    const std::string_view value = clause.substr(at + have.size());
    for (const std::string_view measure : {"只", "条", "匹", "个", "位"}) {
      const auto behind = value.find(measure);
      if (behind == std::string_view::npos || behind == 0 || !is_count(value.substr(0, behind))) continue;
      const std::string_view noun = trim_words(value.substr(behind + measure.size()));
      if (!is_kept_thing_chinese(noun)) continue;
      return Found{clause.substr(0, at), value, {"number of " + value_key(noun), true, Polarity::kYes}};
    }
  }
  return std::nullopt;
}

// 没有狗了, 不养狗了, 的狗死了: what is there no more. The clause has lost its 了.
std::optional<Found> find_lack(std::string_view clause) {
  for (const std::string_view lack : {"没有养", "没养", "不再养", "不养", "没有", "没"}) {
    const auto at = clause.find(lack);
    if (at == std::string_view::npos) continue;
    std::string_view value = trim_words(clause.substr(at + lack.size()));
    for (const std::string_view one : {"一只", "一条", "一个", "任何"})
      if (value.starts_with(one)) value.remove_prefix(one.size());
    if (is_kept_thing_chinese(value)) return Found{clause.substr(0, at), value, {"has", false, Polarity::kNo}};
  }
  const auto of = clause.find("的");
  if (of == std::string_view::npos) return std::nullopt;
  const std::string_view rest = clause.substr(of + std::string_view("的").size());
  const std::string_view pet = longest_entry(lexicon("zh/animals", "animals"), rest);
  if (pet.empty() || pet.size() == rest.size()) return std::nullopt;
  for (const std::string_view end : lexicon("zh/profile", "ends of pets"))
    if (rest.ends_with(end)) return Found{clause.substr(0, of), pet, {"has", false, Polarity::kNoLonger}};
  return std::nullopt;
}

// 在医院当护士: the place before the occupation.
std::optional<Found> find_post(std::string_view clause) {
  for (const std::string_view post : {"被录用当", "被录用为", "被聘为", "改行当", "改行做", "转行当", "转行做", "担任",
                                      "当上了", "当了", "当上", "当", "做了", "做"}) {
    const auto at = clause.find(post);
    if (at == std::string_view::npos || at == 0) continue;
    std::string_view value = clause.substr(at + post.size());
    for (const std::string_view one : {"一名", "一个", "一位", "个"})
      if (value.starts_with(one)) value.remove_prefix(one.size());
    if (!is_occupation_chinese(occupation_in(value))) continue;
    std::string_view before = clause.substr(0, at);
    if (before.ends_with("里")) return std::nullopt;  // 在话剧里当医生
    for (const std::string_view change : {"改行", "转行", "开始", "去"})
      if (before.ends_with(change)) before.remove_suffix(change.size());
    if (const auto place = before.find("在"); place != std::string_view::npos) before = before.substr(0, place);
    return Found{before, value, {"job", true, Polarity::kYes}};
  }
  return std::nullopt;
}

std::optional<Found> find_any(std::string_view clause) {
  for (const auto find : {find_lack, find_frame, find_owned, find_post, find_plan, find_ailment, find_medicine,
                          find_number, find_vehicle, find_age, find_surname, find_name, find_occupation, find_origin})
    if (auto found = find(clause)) return found;
  auto found = find_phrase(clause);
  // 不吃素 is a kind that somebody is not, not a food.
  if (auto kind = find_kind(clause);
      kind && (!found || (found->phrase.attribute == "eats" && kind->phrase.attribute == "diet")))
    return kind;
  if (!found) return find_habit(clause);
  if (found->phrase.attribute == "is") {
    if (const auto kind = kind_of_person(trim_words(found->value)); !kind.empty())
      found->phrase = {std::string(kind), true, found->phrase.polarity};
    else if (is_occupation_chinese(trim_words(found->value)))
      found->phrase = {"job", true, found->phrase.polarity};
  }
  return found;
}

// Whether the value is a time, or holds one.
bool is_timed(const Phrase& phrase) {
  return phrase.attribute == "birthday" || phrase.attribute == "age" || phrase.attribute == "waking time" ||
         phrase.attribute == "bedtime" || phrase.attribute == "start of work" || phrase.attribute == "end of work" ||
         phrase.attribute.starts_with("of ") || phrase.attribute.starts_with("trip to ") ||
         phrase.attribute.starts_with("habit ");
}

// A verb before 的 is part of a name for a thing, one before 与 is a noun; a colon is the end of a sender's name.
bool is_value_chinese(std::string_view value) {
  for (const std::string_view word : {"的", "与", "和", "是", "了"}) {
    if (value.starts_with(word)) return false;
  }
  return value.find(':') == std::string_view::npos;
}

// 搬到Notion了, 搬到飞书: what one works with is no home.
bool is_tool_chinese(std::string_view value) {
  static const LexiconWords tools = lexicon_words("en/profile", "tools");
  std::string word;
  for (const char c : value.substr(0, value.find(' '))) {
    if (!is_letter(c) && !is_digit(c)) break;
    word += to_lower(c);
  }
  return tools.contains(word) || !longest_entry(lexicon("zh/profile", "tools"), value).empty();
}

// 搬到二楼, 搬到新办公室, 住在永利酒店: within a house, or for some nights; 望京花园3号楼 is a home.
bool is_no_home_chinese(std::string_view value) {
  constexpr std::size_t kLongestRoom = 15;
  const auto ends_with = [&](std::string_view one) { return value.ends_with(one); };
  static constexpr std::array<std::string_view, 11> kRooms{"楼",   "办公室", "工位", "座位", "床上", "前排",
                                                           "后排", "房间",   "卧室", "客厅", "沙发"};
  static constexpr std::array<std::string_view, 7> kStays{"酒店", "宾馆", "旅馆", "民宿", "招待所", "医院", "病房"};
  return (value.size() <= kLongestRoom && std::any_of(kRooms.begin(), kRooms.end(), ends_with)) ||
         std::any_of(kStays.begin(), kStays.end(), ends_with);
}

// Sentences without subject say these of anything at all.
bool needs_subject(std::string_view attribute) { return attribute == "origin" || attribute == "is"; }

}  // namespace

std::vector<ProfileStatement> read_chinese(std::string_view text) {
  std::vector<ProfileStatement> statements;
  std::string subject;
  bool first = true;
  const auto clauses = clauses_of(text);
  for (std::string_view clause : clauses) {
    if (clause.ends_with("了") && clause.size() > 6) clause.remove_suffix(std::string_view("了").size());
    const auto found = find_any(clause);
    if (!found) continue;
    const auto named = chinese_subject(found->before);
    // After a clause that was not understood nobody knows whom a clause without subject is about.
    if (!named || (named->empty() && first && clause.data() != clauses.front().data())) return {};
    if (first || (!named->empty() && !is_pronoun_chinese(*named))) subject = *named;
    first = false;
    if (is_no_name_chinese(subject)) return {};
    if (!is_value_chinese(found->value) || (subject.empty() && needs_subject(found->phrase.attribute))) continue;
    if (found->phrase.attribute == "residence" && (is_tool_chinese(found->value) || is_no_home_chinese(found->value)))
      continue;
    std::string_view value = is_timed(found->phrase) ? found->value : without_time_at_end(found->value);
    // 不再喜欢吃榴莲 as 喜欢吃榴莲, whose verb stands in the list
    for (const std::string_view taken : {"吃", "喝"})
      if (found->phrase.attribute == "likes" && value.starts_with(taken) && value.size() > taken.size())
        value.remove_prefix(taken.size());
    auto made = make_statement(subject, found->phrase, value);
    if (!made) continue;
    // 喜欢下雨天的: the particle says nothing of what is liked.
    constexpr std::string_view kOf = "的";
    if (made->attribute == "likes" && made->parts.size() == 1 && made->parts.front().ends_with(kOf) &&
        made->parts.front().size() >= 3 * kOf.size()) {
      made->parts.front().resize(made->parts.front().size() - kOf.size());
      made->values.front() = value_key(made->parts.front());
    }
    statements.push_back(std::move(*made));
  }
  return statements;
}

}  // namespace weft
