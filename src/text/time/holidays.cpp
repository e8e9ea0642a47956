// Holidays by name. Those of the calendar alone are a table; the others count from Easter or stand in an almanac.
#include <algorithm>
#include <string>

#include "text/time/rules_parts.h"

namespace weft::timex {
namespace {

struct FixedDay {
  std::string_view words;
  int month, day;
};

constexpr FixedDay kFixed[] = {
    {"new_years|new_years_day|new_year_day|new_year|yuandan|元旦|元旦节|新历新年|阳历新年", 1, 1},
    {"new_years_eve|new_year_eve", 12, 31},
    {"lohri|bhogi|bogi_pandigai", 1, 13},
    {"australia_day", 1, 26},
    {"republic_day_of_india|indian_republic_day", 1, 26},
    {"holocaust_memorial_day", 1, 27},
    {"groundhog_day|groundhogs_day|ground_hog_day", 2, 2},
    {"lincolns_birthday|lincoln_birthday", 2, 12},
    {"makar_sankranti|makara_sankranti|makara_sankranthi|pongal|thai_pongal|印度丰收节|庞格尔节|淡米尔丰收节", 1, 14},
    {"maattu_pongal|mattu_pongal", 1, 15},
    {"kaanum_pongal|kanum_pongal|kanni_pongal", 1, 16},
    {"vaisakhi|baisakhi|vaishakhi|vasakhi", 4, 14},
    {"world_vegetarian_day", 10, 1},
    {"valentines_day|valentine_day|valentines|st_valentines_day|saint_valentines_day|情人节|圣瓦伦丁节", 2, 14},
    {"womens_day|international_womens_day|妇女节|国际妇女节|三八妇女节|女人节|三八节", 3, 8},
    {"植树节", 3, 12},
    {"pi_day", 3, 14},
    {"消费者权益日|国际消费者权益日|三一五|315", 3, 15},
    {"st_davids_day|saint_davids_day", 3, 1},
    {"st_patricks_day|saint_patricks_day|st._patricks_day|st_paddys_day|saint_paddys_day|saint_paddy_day|st_patrick_"
     "day",
     3, 17},
    {"april_fools_day|april_fools|april_fool|愚人节|all_fools_day", 4, 1},
    {"siblings_day|national_siblings_day", 4, 10},
    {"ambedkar_jayanti", 4, 14},
    {"st_georges_day|saint_georges_day|feast_of_saint_george", 4, 23},
    {"anzac_day", 4, 25},
    {"earth_day|international_earth_day|世界地球日|地球日", 4, 22},
    {"may_day|international_workers_day|intl_workers_day|law_day|loyalty_day|劳动节|五一|五一劳动节|五一国际劳动节|"
     "五一节",
     5, 1},
    {"star_wars_day", 5, 4},
    {"青年节|五四青年节|五四", 5, 4},
    {"cinco_de_mayo", 5, 5},
    {"护士节", 5, 12},
    {"儿童节|六一儿童节|六一|国际儿童节|childrens_day", 6, 1},
    {"建党节|七一", 7, 1},
    {"香港回归纪念日", 7, 1},
    {"juneteenth", 6, 19},
    {"世界读书日", 4, 23},
    {"world_environment_day|世界环境日", 6, 5},
    {"flag_day", 6, 14},
    {"canada_day", 7, 1},
    {"independence_day|fourth_of_july|4th_of_july", 7, 4},
    {"bastille_day", 7, 14},
    {"建军节|八一|八一建军节", 8, 1},
    {"patriot_day", 9, 11},
    {"gandhi_jayanti", 10, 2},
    {"教师节", 9, 10},
    {"国庆|国庆节|十一国庆|国庆日|十一国庆节", 10, 1},
    {"halloween|halloween_day|万圣夜|万圣节前夜|万圣节|all_hallows_eve", 10, 31},
    {"all_saints_day|诸圣节", 11, 1},
    {"world_vegan_day|vegan_day", 11, 1},
    {"all_souls_day", 11, 2},
    {"guy_fawkes_day|guy_fawkes_night|bonfire_night", 11, 5},
    {"veterans_day|veteran_day|armistice_day|remembrance_day", 11, 11},
    {"光棍节|双十一|双11|singles_day", 11, 11},
    {"双十二|双12", 12, 12},
    {"澳门回归纪念日", 12, 20},
    {"christmas_eve|xmas_eve|平安夜|圣诞前夕|圣诞夜", 12, 24},
    {"christmas|christmas_day|xmas|xmas_day|圣诞|圣诞节|圣诞日|耶诞节", 12, 25},
    {"st_andrews_day|saint_andrews_day", 11, 30},
    {"world_aids_day|世界艾滋病日", 12, 1},
    {"pearl_harbor_day", 12, 7},
    {"human_rights_day|世界人权日", 12, 10},
    {"国家公祭日", 12, 13},
    {"boxing_day|节礼日|st_stephens_day", 12, 26},
    {"kwanzaa", 12, 26},
};

/// The n-th weekday of a month; from the end with -1. `shift` days later.
struct FloatingDay {
  std::string_view words;
  int month, weekday, nth, shift;
};

constexpr FloatingDay kFloating[] = {
    {"martin_luther_king_day|martin_luther_kings_day|mlk_day|martin_luther_king_jr._day|civil_rights_day|马丁路德金日",
     1, 1, 3, 0},
    {"presidents_day|president_day|washingtons_birthday|washington_birthday|总统日", 2, 1, 3, 0},
    {"mothers_day|mother_day|母亲节", 5, 7, 2, 0},
    {"military_spouse_day", 5, 5, 2, 0},
    {"memorial_day|decoration_day|阵亡将士纪念日", 5, 1, -1, 0},
    {"fathers_day|father_day|父亲节", 6, 7, 3, 0},
    {"parents_day", 7, 7, 4, 0},
    {"labor_day|labour_day", 9, 1, 1, 0},
    {"grandparents_day", 9, 7, 2, 0},
    {"commonwealth_day", 3, 1, 2, 0},
    {"arbor_day", 4, 5, -1, 0},
    {"columbus_day|indigenous_peoples_day", 10, 1, 2, 0},
    {"thanksgiving|thanksgiving_day|thanks_giving|turkey_day|感恩节", 11, 4, 4, 0},
    {"black_friday|黑色星期五|黑五", 11, 4, 4, 1},
    {"cyber_monday|网络星期一", 11, 4, 4, 4},
    {"giving_tuesday", 11, 4, 4, 5},
    {"administrative_professionals_day|administrative_professional_day|secretaries_day|admins_day", 4, 6, -1, -3},
    {"daylight_saving_start|daylight_savings_start|daylight_saving_time_start", 3, 7, 2, 0},
    {"daylight_saving_end|daylight_savings_end|daylight_saving_time_end", 11, 7, 1, 0},
};

struct EasterDay {
  std::string_view words;
  int shift;
};

constexpr EasterDay kEaster[] = {
    {"mardi_gras|shrove_tuesday|pancake_day|pancake_tuesday|fat_tuesday|忏悔星期二|忏悔节", -47},
    {"ash_wednesday|carnival_end|圣灰星期三|圣灰节|圣灰礼仪日|大斋首日", -46},
    {"palm_sunday|branch_sunday|棕枝主日|圣枝主日|圣树主日", -7},
    {"maundy_thursday|holy_thursday|covenant_thursday|thu_of_mysteries|thursday_of_mysteries|神圣星期四|圣周四|"
     "神圣周四|濯足节|"
     "濯足星期四|主的晚餐",
     -3},
    {"good_friday|great_friday|受难日|主受难日|主受难节|耶稣受难日|耶稣受难节|圣周五|神圣周五|沉默周五", -2},
    {"holy_saturday|black_saturday|easter_eve|圣周六|神圣周六|黑色星期六|复活节前夜|主受难节翌日|耶稣受难日翌日", -1},
    {"easter|easter_sunday|easter_day|复活节|主复活日", 0},
    {"easter_monday|easter_mon|复活节星期一", 1},
    {"ascension_day|ascension|ascension_thursday|耶稣升天节|升天节|主升天日", 39},
    {"pentecost|whit_sunday|white_sunday|whitsun|五旬节|圣灵降临日|圣灵降临节", 49},
    {"whit_monday|monday_of_the_holy_spirit|pentecost_monday|圣灵节庆日|圣灵降临节星期一", 50},
    {"trinity_sunday|圣三一主日|三一主日|天主圣三一节|圣三节", 56},
    {"corpus_christi|feast_of_corpus_christi|基督圣体节|基督圣体圣血节", 60},
};

struct AlmanacDay {
  std::string_view words;
  Almanac almanac;
  int month, day;
  int length;  ///< days
  int shift = 0;  ///< days from that on which the feast is counted
};

// Jewish days begin on the evening before, and the feasts with it.
constexpr AlmanacDay kAlmanac[] = {
    {"chinese_new_year|chinese_new_years_day|chinese_lunar_new_year|chinese_lunar_new_years_day|lunar_new_year|spring_"
     "festival|春节|新春|农历新年|农历年|新正|正月朔日|大年|过年|阴历新年",
     Almanac::kChinese, 1, 1, 1},
    {"lantern_festival|元宵节|元宵|上元节|正月十五", Almanac::kChinese, 1, 15, 1},
    {"dragon_boat_festival|端午|端午节|端阳节", Almanac::kChinese, 5, 5, 1},
    {"qixi|qixi_festival|七夕|七夕节|乞巧节", Almanac::kChinese, 7, 7, 1},
    {"ghost_festival|中元节|鬼节|盂兰节", Almanac::kChinese, 7, 15, 1},
    {"mid-autumn_festival|mid-autumn_day|moon_festival|mooncake_festival|中秋|中秋节|仲秋节", Almanac::kChinese, 8, 15,
     1},
    {"double_ninth_festival|重阳|重阳节|重九", Almanac::kChinese, 9, 9, 1},
    {"vesak|vesak_day|buddha_day|buddhas_birthday|佛诞|佛诞日|浴佛节|卫塞节|威瑟节", Almanac::kChinese, 4, 15, 1},
    {"龙抬头|龙抬头节|春龙节", Almanac::kChinese, 2, 2, 1},
    {"上巳节", Almanac::kChinese, 3, 3, 1},
    {"寒衣节", Almanac::kChinese, 10, 1, 1},
    {"下元节", Almanac::kChinese, 10, 15, 1},
    {"小年|小年夜", Almanac::kChinese, 12, 23, 1},
    {"laba_festival|腊八|腊八节", Almanac::kChinese, 12, 8, 1},
    {"rosh_hashanah|rosh_hashana|rosh_hashanna|yom_teruah|jewish_new_year|犹太新年", Almanac::kHebrew, 1, 1, 3, -1},
    {"yom_kippur|day_of_atonement|赎罪日", Almanac::kHebrew, 1, 10, 1, -1},
    {"sukkot|sukkos|succot|feast_of_booths|feast_of_tabernacles|feast_of_the_ingathering|住棚节", Almanac::kHebrew, 1,
     15, 9, -1},
    {"shemini_atzeret|圣会节", Almanac::kHebrew, 1, 22, 1, -1},
    {"simchat_torah|simhat_torah|诵经节|转经节|律法节|西赫托拉节|欢庆圣法节", Almanac::kHebrew, 1, 23, 1, -1},
    {"hanukkah|chanukah|hanukah|hannukkah|chanukkah|hanukka|festival_of_lights|光明节|修殿节|献殿节|哈努卡节",
     Almanac::kHebrew, 3, 25, 8, -1},
    {"tu_bishvat|tu_bshevat|图比舍巴特节|犹太植树节|树木新年", Almanac::kHebrew, 5, 15, 1, -1},
    {"purim|普珥节", Almanac::kHebrew, 7, 14, 1, -1},
    {"passover|pesach|逾越节", Almanac::kHebrew, 8, 15, 9, -1},
    {"lag_baomer|lag_bomer|lag_laomer|篝火节|犹太教篝火节", Almanac::kHebrew, 9, 18, 1, -1},
    {"shavuot|feast_of_weeks|七七节|收获节|沙夫幼特节|新果实节", Almanac::kHebrew, 10, 6, 3, -1},
    {"islamic_new_year|amun_jadid|muslim_new_year|伊斯兰新年|伊斯兰教新年|回历新年", Almanac::kIslamic, 1, 1, 1},
    {"ashura|day_of_ashura|阿舒拉节", Almanac::kIslamic, 1, 10, 1},
    {"mawlid|mawlid_al-nabi|圣纪节", Almanac::kIslamic, 3, 12, 1},
    {"isra_and_miraj|the_prophets_ascension|ascension_to_heaven|the_night_journey|登霄节", Almanac::kIslamic, 7, 27, 1},
    {"ramadan|ramadhan|ramzan|ramadaan|斋月|穆斯林斋月", Almanac::kIslamic, 9, 1, 30},
    {"laylat_al-qadr|night_of_power|night_of_measures|night_of_destiny|法令之夜|权力之夜", Almanac::kIslamic, 9, 27, 1},
    {"eid_al-fitr|eid_ul-fitr|id_al-fitr|eid_ul_fitr|festival_of_breaking_the_fast|开斋节|肉孜节|尔代节",
     Almanac::kIslamic, 10, 1, 1},
    {"eid_al-adha|eid_ul-adha|id_ul-adha|eid_al-azha|eidul_azha|bakr_id|bakr-eid|sacrifice_feast|古尔邦节|宰牲节|"
     "尔德节",
     Almanac::kIslamic, 12, 10, 1},
};

}  // namespace

Rule holiday(std::string_view words, std::function<std::optional<Moment>(std::int64_t)> day, int length) {
  When when = date_of(yearly([day = std::move(day), length](std::int64_t year) -> std::optional<Interval> {
                        const auto at = day(year);
                        if (!at) return std::nullopt;
                        return Interval{*at, *at + length * kDaySeconds, Grain::kDay};
                      }),
                      length > 1 ? Grain::kWeek : Grain::kDay, kHolidayField);
  return constant(words, time_node(std::move(when)));
}

namespace {

Moment floating(std::int64_t year, const FloatingDay& day) {
  if (day.nth > 0) {
    const Moment first = midnight(year, day.month, 1);
    return first + ((day.weekday - weekday(first) + 7) % 7 + (day.nth - 1) * 7 + day.shift) * kDaySeconds;
  }
  const Moment last = midnight(year, day.month + 1, 1) - kDaySeconds;
  return last + (day.shift - (weekday(last) - day.weekday + 7) % 7) * kDaySeconds;
}

/// 16 October, or the next working day.
Moment boss_day(std::int64_t year) {
  const Moment day = midnight(year, 10, 16);
  const int at = weekday(day);
  return day + (at == 6 ? -1 : at == 7 ? 1 : 0) * kDaySeconds;
}

using Result = std::optional<Node>;

Result with_time(const Args& a, const When& day, const When& other) {
  static_cast<void>(a);
  When when = day;
  if (!other.date || (other.fields & (kMonthField | kDayField)) != 0) return std::nullopt;
  when.date = within(day.date, other.date);
  when.fields |= other.fields;
  when.dated = other.dated;
  when.deictic = other.deictic;
  return time_node(std::move(when));
}

}  // namespace

std::vector<Rule> holiday_rules() {
  std::vector<Rule> rules;
  for (const FixedDay& day : kFixed) {
    rules.push_back(holiday(day.words, [=](std::int64_t year) { return midnight(year, day.month, day.day); }));
  }
  for (const FloatingDay& day : kFloating) {
    rules.push_back(holiday(day.words, [=](std::int64_t year) { return floating(year, day); }));
  }
  static std::vector<std::unique_ptr<std::string>> patterns;  // rules hold views
  for (const EasterDay& day : kEaster) {
    rules.push_back(
        holiday(day.words, [=](std::int64_t year) { return easter(year, false) + day.shift * kDaySeconds; }));
    std::string orthodox;
    for (std::string_view rest = day.words; !rest.empty();) {
      const auto bar = rest.find('|');
      const std::string word(rest.substr(0, bar));
      if (!orthodox.empty()) orthodox += '|';
      orthodox += (static_cast<unsigned char>(word.front()) < 0x80 ? "orthodox_" : "东正教") + word;
      rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
    }
    patterns.push_back(std::make_unique<std::string>(std::move(orthodox)));
    rules.push_back(
        holiday(*patterns.back(), [=](std::int64_t year) { return easter(year, true) + day.shift * kDaySeconds; }));
  }
  for (const AlmanacDay& day : kAlmanac) {
    rules.push_back(holiday(
        day.words,
        [=](std::int64_t year) -> std::optional<Moment> {
          const auto at = almanac_day(day.almanac, year, day.month, day.day);
          if (!at) return std::nullopt;
          return *at + day.shift * kDaySeconds;
        },
        day.length));
  }
  rules.push_back(holiday("除夕|大年三十|大年夜|年三十|年夜|chinese_new_years_eve|lunar_new_years_eve",
                          [](std::int64_t year) { return lunar_new_years_eve(year); }));
  append(rules, computed_feasts());
  rules.push_back(holiday(
      "lent|四旬期|四旬节|大斋期|大斋节", [](std::int64_t year) { return easter(year, false) - 46 * kDaySeconds; },
      46));
  rules.push_back(holiday("clean_monday|orthodox_shrove_monday",
                          [](std::int64_t year) { return easter(year, true) - 48 * kDaySeconds; }));
  rules.push_back(
      holiday("lazarus_saturday|拉撒路圣周六", [](std::int64_t year) { return easter(year, true) - 8 * kDaySeconds; }));
  rules.push_back(holiday("boss_day|bosses_day|bosss_day|老板节", boss_day));
  const auto join = [](const Args& a) { return with_time(a, a.when(0), a.when(1)); };
  rules.push_back({"<holiday> of|in|,|,_in? <yeartime>", join});
  rules.push_back(
      {"<holiday> of|in|,? <yyyy>", [](const Args& a) { return with_time(a, a.when(0), year_when(a.integer(1))); }});
  rules.push_back({"<yeartime> 的? <holiday>", [](const Args& a) { return with_time(a, a.when(1), a.when(0)); }});
  rules.push_back({"<holiday> in|, <int> year|years", [](const Args& a) {
                     return with_time(a, a.when(0), unit_when(a.setting, Grain::kYear, a.integer(1)));
                   }});
  rules.push_back({"<holiday> <int> year|years ago", [](const Args& a) {
                     return with_time(a, a.when(0), unit_when(a.setting, Grain::kYear, -a.integer(1)));
                   }});
  return rules;
}

}  // namespace weft::timex
