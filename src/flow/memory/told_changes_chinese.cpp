#include <algorithm>
#include <array>
#include <map>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/told_changes.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/time_expressions.h"
#include "text/utf8.h"

namespace weft {
namespace {

using View = std::string_view;

constexpr std::size_t kHanSize = 3;  // bytes of a character
constexpr std::size_t kLongestValue = 10 * kHanSize;
constexpr Time kSomeDay{1'772'700'000'000, 0};  // only where times stand is wanted, not which

// What may stand between a matter and its value: words of being and becoming, of moving and setting, particles.
// Without one of them, what stands beside a matter is no value of it.
const std::unordered_map<View, View>& names_of_attributes() {
  static const auto all = lexicon_pairs("zh/changes", "names");
  return all;
}

template <class List>
bool has_any(View text, const List& list) {
  return std::any_of(list.begin(), list.end(), [&](View one) { return text.find(one) != View::npos; });
}

// 家庭医生 of 用户的家庭医生是欧阳医生。
View owned_noun(View text) {
  constexpr View kOf = "的";
  const auto owner = text.find(kOf);
  if (owner == View::npos || owner > 5 * kHanSize) return {};  // only a name before it is an owner
  const View rest = text.substr(owner + kOf.size());
  const auto verb = std::min({rest.find("是"), rest.find("叫"), rest.find("改"), rest.find("换"), rest.find("变")});
  return verb == View::npos || verb > 8 * kHanSize ? View() : rest.substr(0, verb);
}

// 阿托伐他汀 of 用户每天吃20毫克阿托伐他汀.
View medicine_in(const KnownMatter& known) {
  if (!known.attribute.starts_with("medicine ")) return {};
  const auto statements = read_statements(known.text);
  if (statements.empty() || statements.front().parts.empty()) return {};
  const auto at = known.text.find(statements.front().parts.front());
  if (at == View::npos) return {};
  View name = known.text.substr(at, statements.front().parts.front().size());
  for (const View unit : lexicon("zh/changes", "doses"))
    if (const auto dose = name.rfind(unit); dose != View::npos) {
      const View behind = name.substr(dose + unit.size());
      name = behind.empty() ? name.substr(0, name.find_first_of("0123456789")) : behind;
      break;
    }
  return name.size() >= 2 * kHanSize ? name : View();
}

// The words by which a matter may be named, the most exact first: the whole, then its last two characters (课程表 of
// 孩子的课程表), then its first two (瑜伽 of 瑜伽课).
std::vector<std::string> names_of(const KnownMatter& known) {
  std::vector<std::string> names;
  const auto add_parts = [&](View noun) {
    if (noun.empty()) return;
    names.emplace_back(noun);
    if (noun.size() < 3 * kHanSize) return;
    names.emplace_back(noun.substr(noun.size() - 2 * kHanSize));
    names.emplace_back(noun.substr(0, 2 * kHanSize));
  };
  if (known.attribute.starts_with("of ")) {
    View noun = known.attribute.substr(3);
    if (const auto which = noun.rfind("的"); which != View::npos && noun.size() > which + kHanSize) {
      add_parts(noun);
      noun = noun.substr(0, which);  // 看牙的时间: 看牙 names it, 时间 does not
      names.emplace_back(noun);
      return names;
    }
    add_parts(noun);
  } else if (constexpr View kHabit = "habit "; known.attribute.starts_with(kHabit)) {
    const View deed = known.attribute.substr(kHabit.size());  // 上瑜伽课: 瑜伽课
    const bool han = !deed.empty() && static_cast<unsigned char>(deed.front()) >= 0xE0;  // not the K of K歌
    if (han && deed.size() >= 3 * kHanSize) names.emplace_back(deed.substr(kHanSize));
  } else if (const View medicine = medicine_in(known); !medicine.empty()) {
    names.emplace_back(medicine);
  } else {
    add_parts(owned_noun(known.first));
  }
  if (const auto other = names_of_attributes().find(known.attribute); other != names_of_attributes().end()) {
    for (const View name : split_list(other->second, '|')) names.emplace_back(name);
  }
  return names;
}

// 弟弟小磊 of 用户的弟弟小磊住在大连: who is meant, if not the user.
View relation_of(View text) {
  constexpr View kOf = "的";
  const auto owner = text.find(kOf);
  if (owner == View::npos) return {};
  const View rest = text.substr(owner + kOf.size());
  for (const View verb : {"如今", "现在", "住", "搬", "在", "去"})
    if (const auto at = rest.find(verb); at != View::npos && at >= 2 * kHanSize) return rest.substr(0, at);
  return {};
}

enum class Kind { kNumber, kTime, kName, kOther };

// 周五
bool is_weekday(View value) {
  for (const View week : {"周", "星期"})
    if (value.starts_with(week) && value.size() == week.size() + kHanSize &&
        View("一二三四五六日天").find(value.substr(week.size())) != View::npos)
      return true;
  return false;
}

// 每周二
bool holds_weekday(View text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const View week : {"周", "星期"})
      if (is_weekday(text.substr(at, week.size() + kHanSize))) return true;
  return false;
}

Kind kind_of(View value) {
  if (holds_weekday(value)) return Kind::kTime;
  const auto times = find_time_expressions(value, kSomeDay);
  if (std::any_of(times.begin(), times.end(), [](const TimeExpression& one) {
        return one.kind != TimeKind::kDuration && one.kind != TimeKind::kSet;
      }))
    return Kind::kTime;
  if (value.find_first_of("0123456789") != View::npos) return Kind::kNumber;
  return is_name_chinese(value) ? Kind::kName : Kind::kOther;
}

// Takes links from the front or the back of a stretch. True where a firm one was among them.
bool strip_links(View& text, bool front) {
  bool firm = false;
  for (bool cut = true; cut && !text.empty();) {
    cut = false;
    for (const View link : lexicon("zh/changes", "links")) {
      if (front ? !text.starts_with(link) : !text.ends_with(link)) continue;
      firm = firm || has_any(link, lexicon("zh/changes", "firm"));
      front ? text.remove_prefix(link.size()) : text.remove_suffix(link.size());
      cut = true;
      break;
    }
  }
  return firm;
}

View to_mark(View text) {
  std::size_t end = text.size();
  for (const View mark : {"，", "。", "；", "！", ",", ";", "!", "、", "：", ":"}) end = std::min(end, text.find(mark));
  return text.substr(0, end);
}

View from_mark(View text) {
  std::size_t begin = 0;
  for (const View mark : {"，", "。", "；", "！", ",", ";", "!", "、", "：", ":"})
    if (const auto at = text.rfind(mark); at != View::npos) begin = std::max(begin, at + mark.size());
  return text.substr(begin);
}

// A number with its unit at the front or the back.
View number_in(View text, bool front) {
  constexpr View kDigits = "0123456789";
  const auto first = text.find_first_of(kDigits), last = text.find_last_of(kDigits);
  if (first == View::npos || (front && first > 0)) return {};
  if (front) return text;
  return text.size() - last <= 2 * kHanSize + 1 ? text.substr(first) : View();
}

std::optional<std::string> value_in(View text, bool front, bool firm, std::optional<Kind> wanted) {
  View value = text;
  if (!front) {
    // 这个月起我每月交3900元: what stands before the value is linked to it in turn.
    if (const View number = number_in(text, false); !number.empty()) value = number;
  }
  for (const View tail : {"了", "啦", "吧", "呢", "啊", "哦", "交", "上课", "开始", "上学", "读书", "上班", "工作",
                          "安家", "定居", "生活", "落户"})
    if (front && value.ends_with(tail) && value.size() > tail.size()) value.remove_suffix(tail.size());
  if (value.empty() || value.size() > kLongestValue) return std::nullopt;
  const Kind kind = kind_of(value);
  // 12号 is a day or a number.
  const bool figure = kind == Kind::kNumber || kind == Kind::kTime;
  if ((wanted == Kind::kNumber || wanted == Kind::kTime) && !figure) return std::nullopt;
  if ((!firm && !figure) || (wanted == Kind::kName && kind != Kind::kName)) return std::nullopt;
  for (const View word : {"不", "没", "很", "太", "我", "你", "他", "她", "被", "把", "会", "能"})
    if (value.find(word) != View::npos) return std::nullopt;
  return std::string(value);
}

std::optional<Kind> old_kind(const KnownMatter& known, std::string& old) {
  const auto statements = read_statements(known.text);
  if (statements.empty() || statements.front().parts.empty()) return std::nullopt;
  old = statements.front().parts.front();
  return kind_of(old);
}

// 她的医生 is somebody else's.
bool is_of_others(View before) {
  if (before.ends_with("我们的")) return false;
  return before.ends_with("他的") || before.ends_with("她的") || before.ends_with("你的") || before.ends_with("们的");
}

// Of a person nothing but being or becoming tells who it is now: 老婆换工作了 is about her work.
bool tells_who(View behind) {
  for (bool cut = true; cut;) {
    cut = false;
    for (const View adverb : {"现在", "如今", "已经", "最近", "又", "也", "就", "时间", "，", ",", " "})
      if (behind.starts_with(adverb)) behind.remove_prefix(adverb.size()), cut = true;
  }
  constexpr std::array<View, 12> kBecomes{"是",   "叫",   "换成", "换为", "换了", "变成",
                                          "变为", "改成", "改叫", "改为", "由",   "换人"};
  return std::any_of(kBecomes.begin(), kBecomes.end(), [&](View one) { return behind.starts_with(one); });
}

// Where the only number of a text stands, with the words behind it that both numbers have; none where there are
// several.
std::optional<std::pair<std::size_t, std::size_t>> place_of_number(View text, View value) {
  constexpr View kDigits = "0123456789.";
  const auto begin = text.find_first_of(kDigits);
  if (begin == View::npos) return std::nullopt;
  const auto end = std::min(text.find_first_not_of(kDigits, begin), text.size());
  if (text.find_first_of(kDigits, end) != View::npos || !is_digit(value.front())) return std::nullopt;
  const View unit = value.substr(std::min(value.find_first_not_of(kDigits), value.size()));
  if (!text.substr(end).starts_with(unit)) return std::nullopt;
  return std::pair(begin, end + unit.size());
}

// 楼下 of 楼下的房东: whose the matter is, or which one; empty for the speaker's own, or where somebody changed it
// (物业把).
View which_one(View before) {
  View clause = from_mark(before);
  if (clause.find("把") != View::npos) return {};
  if (const auto time = end_of_time_in_front(clause); time > 0) clause.remove_prefix(time);
  (void)strip_links(clause, true);
  (void)strip_links(clause, false);
  return clause;
}

// 涨了500元: by how much, not to what.
bool tells_difference(View link) {
  for (const View by : {"涨了", "降了", "升了", "加了", "减了", "多了", "少了", "提前了", "推迟了", "延了", "延后了"})
    if (link.ends_with(by)) return true;
  return false;
}

std::optional<std::string> value_beside(View sentence, std::size_t at, std::size_t size, std::optional<Kind> wanted,
                                        bool verb, const KnownMatter& known) {
  const auto is_new = [&](const std::optional<std::string>& value) {
    if (!value || known.text.find(*value) != View::npos) return false;
    const auto has_digit = [](View text) { return text.find_first_of("0123456789") != View::npos; };
    return !has_digit(*value) || !has_digit(known.text) || place_of_number(known.text, *value);  // 30块 is no dose
  };
  View behind = sentence.substr(at + size);
  if (is_person_chinese(sentence.substr(at, size)) && !tells_who(behind)) return std::nullopt;
  const View all = behind;
  bool firm = strip_links(behind, true) || verb;  // 我改学德语: a verb's object needs no other word
  const bool difference = tells_difference(all.substr(0, all.size() - behind.size()));
  const bool plain = !difference && which_one(sentence.substr(0, at)).empty();
  if (const auto value = value_in(to_mark(behind), true, firm, wanted); plain && is_new(value)) return value;
  View before = sentence.substr(0, at);
  firm = strip_links(before, false);
  View clause = from_mark(before);
  (void)strip_links(clause, true);
  if (const auto value = value_in(clause, false, firm, wanted); is_new(value)) return value;
  return std::nullopt;
}

std::optional<std::pair<std::size_t, std::size_t>> place_of_weekday(View text) {
  std::optional<std::pair<std::size_t, std::size_t>> place;
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const View week : {"周", "星期"})
      if (is_weekday(text.substr(at, week.size() + kHanSize))) {
        if (place) return std::nullopt;
        place = std::pair(at, at + week.size() + kHanSize);
      }
  return place;
}

}  // namespace

std::string with_value_chinese(const KnownMatter& known, const std::string& value) {
  std::string old;
  const std::optional<Kind> kind = old_kind(known, old);
  if (old.empty() || value.empty()) return {};
  const View text = known.text;
  std::optional<std::pair<std::size_t, std::size_t>> place;
  const bool figure = value.find_first_of("0123456789") != std::string::npos;
  if (is_weekday(value)) {
    place = place_of_weekday(text);
  } else if (figure) {
    place = place_of_number(text, value);
  } else if (kind && kind_of(value) == *kind && *kind != Kind::kTime && old.find_first_of("0123456789") == View::npos) {
    const auto at = text.find(old);
    if (at != View::npos && text.find(old, at + 1) == View::npos) place = std::pair(at, at + old.size());
  }
  if (!place) return {};
  return std::string(text.substr(0, place->first)) + value + std::string(text.substr(place->second));
}

std::optional<std::string> other_value_chinese(std::string_view sentence, const KnownMatter& known) {
  if (has_any(sentence, lexicon("zh/changes", "unsettled"))) return std::nullopt;
  std::string old;
  const std::optional<Kind> wanted = old_kind(known, old);
  if (!old.empty() && sentence.find(old) != View::npos) return std::nullopt;
  const View relation = relation_of(known.first);
  const bool own = relation.empty();
  if (!own && sentence.find(relation.substr(relation.size() - 2 * kHanSize)) == View::npos) return std::nullopt;
  const bool verb = known.attribute == "residence" || known.attribute == "learns" || known.attribute == "prefers";
  std::vector<std::string> names = names_of(known);
  const bool place = known.attribute == "residence" || known.attribute == "school" || known.attribute == "employer";
  if (place && !own) names.insert(names.begin(), std::string(relation.substr(relation.size() - 2 * kHanSize)));
  for (const std::string& name : names) {
    for (auto at = sentence.find(name); at != View::npos; at = sentence.find(name, at + name.size())) {
      const View before = sentence.substr(0, at);
      if (own && (is_of_others(before) || (verb && before.find("我") == View::npos))) continue;
      if (auto value = value_beside(sentence, at, name.size(), wanted, own && verb, known)) return value;
    }
  }
  return std::nullopt;
}

}  // namespace weft
