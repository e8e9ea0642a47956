#include "flow/memory/statement_kinds.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "base/ascii.h"
#include "flow/memory/profile_statements.h"
#include "text/plain_words.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;
using WordSet = std::unordered_set<View>;

WordSet set_of(View list) {
  const auto words = split_list(list, ' ');
  return {words.begin(), words.end()};
}

View last_word(View text) {
  const auto space = text.find_last_of(' ');
  return space == View::npos ? text : text.substr(space + 1);
}

View without_article(View text) {
  for (const View article : {"a ", "an ", "the "})
    if (text.starts_with(article)) return text.substr(article.size());
  return text;
}

bool ends_with_any(View text, View list) {
  const auto endings = split_list(list, ' ');
  return std::any_of(endings.begin(), endings.end(), [&](View one) { return text.ends_with(one); });
}

// Of one person there is one at a time, under several names.
const std::unordered_map<View, View>& synonyms() {
  static const std::unordered_map<View, View> map = [] {
    std::unordered_map<View, View> made;
    const auto add = [&made](View key, View words) {
      for (const View word : split_list(words, '|')) made.emplace(word, key);
    };
    add("phone",
        "phone|phone number|mobile|mobile number|cell|cell number|cell phone|cell phone number|number|telephone|"
        "telephone number|mobile phone number|电话|电话号码|手机号|手机号码|号码|联系电话");
    add("email", "email|e-mail|email address|e-mail address|mail address|邮箱|电子邮箱|邮箱地址|邮件地址|电子邮件");
    add("address", "address|home address|postal address|地址|住址|家庭住址|收货地址");
    add("job", "job|occupation|profession|position|role|job title|工作|职业|职位|岗位|职务");
    add("employer", "employer|company|workplace|公司|单位|雇主|工作单位|东家");
    add("residence", "residence|place of residence|home|city|住处|居住地|所在城市|家");
    add("partner",
        "partner|wife|husband|spouse|girlfriend|boyfriend|fiance|fiancee|fiancé|fiancée|"
        "妻子|丈夫|老婆|老公|伴侣|爱人|女朋友|男朋友|女友|男友|对象|未婚妻|未婚夫|太太|先生");
    add("birthday", "birthday|date of birth|birth date|生日|出生日期");
    add("name", "name|full name|first name|名字|姓名|全名");
    add("nickname", "nickname|昵称|外号|小名");
    add("age", "age|年龄|年纪");
    add("school", "school|university|college|学校|大学");
    add("diet", "diet|饮食|饮食习惯");
    add("time zone", "time zone|timezone|时区");
    add("native language", "native language|mother tongue|first language|母语");
    add("hometown", "hometown|home town|家乡|老家");
    add("vehicle", "car|vehicle|车|汽车|座驾");
    add("boss", "boss|manager|supervisor|line manager|team lead|老板|上司|领导|经理|主管");
    add("doctor", "doctor|gp|family doctor|physician|医生|家庭医生");
    add("landlord", "landlord|landlady|房东");
    add("roommate", "roommate|flatmate|housemate|室友|舍友");
    add("weight", "weight|体重");
    add("height", "height|身高");
    add("salary", "salary|pay|income|wage|工资|薪水|薪资|收入|月薪|年薪");
    add("rent", "rent|房租|租金");
    return made;
  }();
  return map;
}

// "new", "current": which one of several it is does not matter, there is one at a time.
View without_which(View noun) {
  for (bool cut = true; cut;) {
    cut = false;
    for (const View word :
         {"new ", "current ", "usual ", "own ", "present ", "actual ", "latest ", "regular ", "main "})
      if (noun.starts_with(word)) {
        noun.remove_prefix(word.size());
        cut = true;
      }
    for (const View word : {"新的", "现在的", "目前的", "新", "最新的", "当前的"})
      if (noun.starts_with(word) && noun.size() > word.size()) {
        noun.remove_prefix(word.size());
        cut = true;
      }
  }
  return noun;
}

// Journeys are told apart by where they go.
std::string journey_key(View noun) {
  static const WordSet journeys = set_of("trip flight journey visit holiday vacation travel train drive move");
  const auto to = noun.find(" to ");
  if (to == View::npos || !journeys.contains(last_word(noun.substr(0, to)))) return {};
  return "trip to " + value_key(noun.substr(to + 4));
}

}  // namespace

std::string_view kind_of_person(std::string_view word) {
  static const std::unordered_map<View, View> kinds = [] {
    std::unordered_map<View, View> made;
    for (const View one :
         split_list("vegan vegetarian pescatarian pescetarian flexitarian omnivore carnivore keto halal "
                    "kosher gluten-free dairy-free plant-based 素食者 素食主义者 纯素食者 吃素 吃全素 纯素 "
                    "生酮饮食",
                    ' '))
      made.emplace(one, "diet");
    for (const View one :
         split_list("single married divorced engaged widowed separated 单身 已婚 离异 未婚 离婚 结婚 订婚 丧偶", ' '))
      made.emplace(one, "relationship");
    for (const View one :
         split_list("retired unemployed self-employed freelance freelancing 退休 失业 待业 自由职业 自由职业者", ' '))
      made.emplace(one, "job");
    return made;
  }();
  const auto at = kinds.find(word);
  return at == kinds.end() ? View() : at->second;
}

bool is_occupation_english(std::string_view value) {
  static const WordSet jobs = set_of(
      "nurse doctor chef cook clerk judge pilot tailor artist surgeon architect accountant journalist lawyer attorney "
      "engineer developer programmer designer teacher professor lecturer student researcher scientist physicist "
      "chemist "
      "biologist analyst consultant manager director producer editor writer author poet musician singer actor actress "
      "dancer painter photographer carpenter plumber electrician mechanic welder builder driver conductor captain "
      "sailor "
      "soldier officer detective firefighter paramedic midwife dentist vet veterinarian pharmacist psychologist "
      "psychiatrist therapist physiotherapist counsellor counselor coach trainer athlete referee librarian archivist "
      "curator historian translator interpreter secretary receptionist assistant cashier barista bartender waiter "
      "waitress baker butcher farmer gardener florist fisherman miner janitor cleaner guard postman courier salesman "
      "saleswoman salesperson realtor broker banker trader economist statistician auditor actuary entrepreneur founder "
      "ceo cto cfo intern apprentice trainee freelancer contractor technician operator tester administrator recruiter "
      "stylist hairdresser barber beautician optician radiologist cardiologist oncologist paediatrician pediatrician "
      "geologist astronomer mathematician philosopher politician diplomat priest pastor monk nun model illustrator "
      "animator composer violinist pianist guitarist drummer potter sculptor jeweller jeweler locksmith roofer tiler "
      "beekeeper");
  const View head = last_word(without_article(value));
  return jobs.contains(head) && std::count(value.begin(), value.end(), ' ') <= 5;
}

bool is_occupation_chinese(std::string_view value) {
  constexpr std::size_t kLongest = 24;
  return value.size() <= kLongest && value.find("的") == View::npos &&
         ends_with_any(
             value,
             "师 员 医生 学生 研究生 博士生 作家 画家 科学家 作曲家 企业家 专家 歌手 水手 司机 警察 军人 护士 教授 "
             "经理 "
             "主管 总监 主任 老板 编辑 记者 翻译 导演 演员 顾问 助理 秘书 会计 出纳 保安 保姆 农民 工人 木匠 "
             "裁缝 厨子 船长 机长 队长 校长 院长 店长 大夫 法官 检察官 外交官 程序猿 模特 主播 博主 自由职业者 研究者");
}

namespace {

// "son's new coach" is the son's coach, 儿子的新教练 as well.
std::string without_inner_which(std::string_view noun, std::string_view of) {
  std::string key;
  for (std::size_t at = 0; at <= noun.size();) {
    const auto end = noun.find(of, at);
    key += without_which(noun.substr(at, end == View::npos ? View::npos : end - at));
    if (end == View::npos) break;
    key += of;
    at = end + of.size();
  }
  return key;
}

}  // namespace

std::string thing_key_english(std::string_view said) {
  const std::string noun = without_inner_which(said, "'s ");
  if (std::string journey = journey_key(noun); !journey.empty()) return journey;
  const auto known = synonyms().find(noun);
  if (known != synonyms().end()) return std::string(known->second);
  return "of " + value_key(noun);
}

std::string thing_key_chinese(std::string_view said) {
  const std::string noun = without_inner_which(said, "的");
  const auto known = synonyms().find(noun);
  return known != synonyms().end() ? std::string(known->second) : "of " + noun;
}

bool has_value_english(std::string_view noun) {
  static const WordSet values = set_of(
      "number code password passcode pin address date deadline size weight height budget salary rent price fee name "
      "nickname colour color brand model goal target diet plate email username handle major hobby sport instrument "
      "birthday anniversary age hometown timezone dose dosage allowance limit destination venue");
  static const WordSet called = set_of("email diet birthday age hometown name nickname weight height salary rent");
  if (noun.starts_with("favourite ") || noun.starts_with("favorite ")) return true;
  if (values.contains(last_word(noun))) return true;
  const auto known = synonyms().find(without_which(noun));
  return known != synonyms().end() &&
         (called.contains(known->second) || known->second == "time zone" || known->second == "native language");
}

bool has_value_chinese(std::string_view noun) {
  return ends_with_any(
      noun,
      "号 号码 密码 口令 地址 日期 截止日期 期限 尺码 尺寸 体重 身高 预算 工资 薪水 房租 价格 费用 名字 昵称 颜色 品牌 "
      "型号 目标 车牌 邮箱 用户名 账号 专业 爱好 乐器 生日 纪念日 年龄 家乡 老家 母语 时区 剂量 码 职业 职位 "
      "公司 单位 饮食 时间");
}

bool is_person_chinese(std::string_view noun) {
  return ends_with_any(
      noun,
      "老板 上司 经理 主管 领导 老师 班主任 导师 教练 医生 牙医 律师 会计 房东 房客 室友 舍友 同事 同桌 搭档 朋友 闺蜜 "
      "邻居 男友 女友 老婆 老公 妻子 丈夫 对象 儿子 女儿 哥哥 弟弟 姐姐 妹妹 爸爸 妈妈 父亲 母亲 保姆 阿姨 司机 助理 "
      "秘书 "
      "客户 偶像 师傅 师父 银行 学校 公司 医院 健身房 超市 球队");
}

bool is_name_chinese(std::string_view value) {
  constexpr std::size_t kLongestName = 21;
  if (value.size() > kLongestName || value.ends_with("人") || value.ends_with("的")) return false;
  const auto opens =
      split_list("很 非常 不 挺 太 特别 比较 有点 个 一个 一位 一名 在 要 会 能 谁 什么 怎么 最 真 好", ' ');
  return std::none_of(opens.begin(), opens.end(), [&](View word) { return value.starts_with(word); });
}

bool is_kept_thing_english(std::string_view noun) {
  static const WordSet kept = set_of(
      "dog dogs puppy cat cats kitten rabbit rabbits hamster parrot horse horses pony fish goldfish turtle tortoise "
      "snake lizard budgie canary chicken chickens goat goats sheep bee bees kid kids child children son sons daughter "
      "daughters brother brothers sister sisters sibling siblings twin twins baby babies grandson granddaughter "
      "grandchild grandchildren nephew nephews niece nieces stepson stepdaughter husband wife girlfriend boyfriend");
  return kept.contains(last_word(noun));
}

bool is_kept_thing_chinese(std::string_view noun) {
  static const WordSet kept = set_of(
      "猫 狗 兔子 仓鼠 鹦鹉 马 鱼 金鱼 乌龟 龟 蛇 蜥蜴 鸟 鸡 羊 猪 牛 小猫 小狗 孩子 儿子 女儿 哥哥 弟弟 姐姐 妹妹 "
      "兄弟 姐妹 孙子 孙女 "
      "侄子 侄女 外甥 外甥女");
  return kept.contains(noun);
}

bool is_count(std::string_view word) {
  static const WordSet counts =
      set_of("no two three four five six seven eight nine ten eleven twelve 零 一 两 二 三 四 五 六 七 八 九 十 俩 仨");
  return counts.contains(word) ||
         (!word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c); }));
}

}  // namespace weft
