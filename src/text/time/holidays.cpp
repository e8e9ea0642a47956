// Holidays by name: those that count from Easter or stand in an almanac, and what is said around them.
#include <algorithm>
#include <iterator>
#include <string>

#include "text/time/lunar.h"
#include "text/time/rules_parts.h"

namespace weft::timex {
namespace {

struct EasterDay {
  std::string_view words;
  int shift;
};

constexpr EasterDay kEaster[] = {
    {"mardi_gras|shrove_tuesday|pancake_day|pancake_tuesday|fat_tuesday|忏悔星期二|忏悔节|忏悔火曜日|煎饼星期二|薄饼日|"
     "油腻星期二|肥胖星期二|懊悔节|谢肉节",
     -47},
    {"ash_wednesday|carnival_end|圣灰星期三|圣灰节|圣灰礼仪日|大斋首日|灰星期三|圣灰瞻礼|涂灰日|圣灰周三|圣灰日|"
     "大斋节首日|灰水曜日",
     -46},
    {"palm_sunday|branch_sunday|棕枝主日|圣枝主日|圣树主日|棕榈主日|基督苦难主日|圣枝节|棕榈主日节|棕枝全日|圣枝星期日",
     -7},
    {"maundy_thursday|holy_thursday|covenant_thursday|thu_of_mysteries|thursday_of_mysteries|神圣星期四|圣周四|"
     "神圣周四|濯足节|濯足星期四|主的晚餐|主立圣餐日|设立圣餐日|耶稣立圣餐日|建立圣体日|洗足礼拜四",
     -3},
    {"shrove_monday|rose_monday|rosenmontag|collop_monday|忏悔星期一|玫瑰星期一|狂欢星期一", -48},
    {"spy_wednesday|holy_wednesday|圣周三|神圣星期三", -4},
    {"holy_monday|圣周一", -6},
    {"holy_tuesday|圣周二", -5},
    {"passion_sunday|苦难主日", -14},
    {"laetare_sunday|喜乐主日", -21},
    {"rogation_sunday", 35},
    {"sacred_heart|feast_of_the_sacred_heart|耶稣圣心节|耶稣圣心瞻礼|圣心节", 68},
    {"divine_mercy_sunday|low_sunday|quasimodo_sunday|救主慈悲主日|神慈主日|慈悲星期日", 7},
    {"good_friday|great_friday|受难日|主受难日|主受难节|耶稣受难日|耶稣受难节|圣周五|神圣周五|沉默周五|圣星期五|"
     "耶稣受难瞻礼|圣金曜日|圣礼拜五",
     -2},
    {"holy_saturday|black_saturday|easter_eve|easter_saturday|圣周六|神圣周六|黑色星期六|复活节前夜|主受难节翌日|"
     "耶稣受难日翌日|"
     "圣星期六|神圣星期六|望复活|圣礼拜六|复活节前夕|圣土曜日",
     -1},
    {"easter|easter_sunday|easter_day|复活节|主复活日|复活主日|主复活节|耶稣复活日|耶稣复活节|复活瞻礼|复活大节", 0},
    {"easter_monday|easter_mon|复活节星期一|复活节周一|复活节翌日|复活节次日|天使星期一|湿身星期一", 1},
    {"ascension_day|ascension|feast_of_the_ascension|ascension_thursday|耶稣升天节|升天节|主升天日|耶稣升天日|主升天节|"
     "耶稣升天瞻礼|"
     "基督升天日",
     39},
    {"pentecost|whit_sunday|white_sunday|whitsun|五旬节|圣灵降临日|圣灵降临节|圣神降临节|圣神降临瞻礼|降灵节|降灵日|"
     "白色星期日|圣灵节|圣神降临日",
     49},
    {"whit_monday|monday_of_the_holy_spirit|pentecost_monday|圣灵节庆日|圣灵降临节星期一|圣灵降临日次日|"
     "圣灵降临后的星期一|降灵节次日|降灵星期一",
     50},
    {"trinity_sunday|圣三一主日|三一主日|天主圣三一节|圣三节|圣三一节|圣三一日|三一节|天主圣三节|三位一体主日|"
     "三一主日节",
     56},
    {"corpus_christi|feast_of_corpus_christi|基督圣体节|基督圣体圣血节|耶稣圣体圣血瞻礼|圣体节|圣体瞻礼|耶稣圣体节|"
     "基督圣体圣血瞻礼|圣体血节",
     60},
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
    {"chinese_new_year|seollal|tet|tet_festival|chinese_new_years_day|chinese_lunar_new_year|chinese_lunar_new_years_"
     "day|lunar_new_year|spring_"
     "festival|春节|新春|农历新年|农历年|新正|正月朔日|大年|过年|阴历新年",
     Almanac::kChinese, 1, 1, 1},
    {"lantern_festival|元宵节|元宵|上元节|正月十五", Almanac::kChinese, 1, 15, 1},
    {"dragon_boat_festival|端午|端午节|端阳节", Almanac::kChinese, 5, 5, 1},
    {"qixi|qixi_festival|七夕|七夕节|乞巧节", Almanac::kChinese, 7, 7, 1},
    {"ghost_festival|hungry_ghost_festival|中元节|鬼节|盂兰节", Almanac::kChinese, 7, 15, 1},
    {"mid-autumn_festival|mid_autumn_festival|mid_autumn|chuseok|mid-autumn_day|moon_festival|mooncake_festival|中秋|"
     "中秋节|仲秋节",
     Almanac::kChinese, 8, 15, 1},
    {"double_ninth_festival|double_ninth|chongyang|chongyang_festival|重阳|重阳节|重九", Almanac::kChinese, 9, 9, 1},
    {"vesak|vesak_day|buddha_day|buddhas_birthday|卫塞节|威瑟节|比萨宝蕉节|毗舍佉节|维莎迦节|"
     "吠舍佉节",
     Almanac::kChinese, 4, 15, 1},
    {"佛诞|佛诞日|佛诞节|浴佛节", Almanac::kChinese, 4, 8, 1},
    {"龙抬头|龙抬头节|春龙节", Almanac::kChinese, 2, 2, 1},
    {"上巳节", Almanac::kChinese, 3, 3, 1},
    {"破五|破五节|迎财神", Almanac::kChinese, 1, 5, 1},
    {"花朝节", Almanac::kChinese, 2, 12, 1},
    {"天贶节", Almanac::kChinese, 6, 6, 1},
    {"寒衣节", Almanac::kChinese, 10, 1, 1},
    {"下元节", Almanac::kChinese, 10, 15, 1},
    {"little_new_year|小年|小年夜", Almanac::kChinese, 12, 23, 1},
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
    {"shushan_purim|书珊普珥节", Almanac::kHebrew, 7, 15, 1, -1},
    {"hoshana_rabbah|hoshana_rabba|hoshanah_rabbah|大和散那", Almanac::kHebrew, 1, 21, 1, -1},
    {"yom_yerushalayim|jerusalem_day|耶路撒冷日", Almanac::kHebrew, 9, 28, 1, -1},
    {"lag_baomer|lag_bomer|lag_laomer|篝火节|犹太教篝火节", Almanac::kHebrew, 9, 18, 1, -1},
    {"tu_bav|犹太情人节", Almanac::kHebrew, 12, 15, 1, -1},
    {"shavuot|feast_of_weeks|七七节|收获节|沙夫幼特节|新果实节", Almanac::kHebrew, 10, 6, 3, -1},
    {"islamic_new_year|hijri_new_year|arabic_new_year|amun_jadid|muslim_new_year|伊斯兰新年|伊斯兰教新年|回历新年",
     Almanac::kIslamic, 1, 1, 1},
    {"ashura|day_of_ashura|阿舒拉节", Almanac::kIslamic, 1, 10, 1},
    {"mawlid|mawlid_al-nabi|mawlid_an-nabi|milad|milad_un-nabi|eid-e-milad|eid_milad-un-nabi|prophets_birthday|prophet_"
     "muhammads_birthday|圣纪节|圣忌节|先知诞辰",
     Almanac::kIslamic, 3, 12, 1},
    {"isra_and_miraj|the_prophets_ascension|ascension_to_heaven|the_night_journey|laylat_al_miraj|lailat_al-miraj|shab-"
     "e-miraj|al-isra|登霄节",
     Almanac::kIslamic, 7, 27, 1},
    {"ramadan|ramadhan|ramzan|ramadaan|斋月|穆斯林斋月", Almanac::kIslamic, 9, 1, 30},
    {"mid-shaban|mid_shaban|shab-e-barat|shab_e_barat|shab-e-baraat|laylat_al-baraat|laylat_al-baraah|"
     "night_of_forgiveness|night_of_records|白拉特夜|拜拉特夜|赦免之夜",
     Almanac::kIslamic, 8, 15, 1},
    {"day_of_arafah|arafah_day|day_of_arafat|arafat_day|阿拉法特日|阿拉法日|驻阿拉法特日", Almanac::kIslamic, 12, 9, 1},
    {"laylat_al-qadr|night_of_power|night_of_measures|night_of_destiny|法令之夜|权力之夜", Almanac::kIslamic, 9, 27, 1},
    {"eid_al-fitr|hari_raya|hari_raya_puasa|hari_raya_aidilfitri|ramzan_id|ramzan_eid|eid_ul-fitr|id_al-fitr|eid_ul_"
     "fitr|festival_of_breaking_the_fast|开斋节|肉孜节|尔代节",
     Almanac::kIslamic, 10, 1, 1},
    {"eid_al-adha|eid_ul-adha|id_ul-adha|eid_al-azha|eidul_azha|bakr_id|bakr-eid|bakrid|hari_raya_haji|hari_raya_"
     "aidiladha|kurban_bayram|tabaski|feast_of_the_sacrifice|festival_of_the_sacrifice|festival_of_sacrifice|feast_of_"
     "sacrifice|sacrifice_feast|古尔邦节|宰牲节|"
     "尔德节",
     Almanac::kIslamic, 12, 10, 1},
};

/// "st_davids_day" as it is written with a dot as well.
std::string with_dots(std::string_view words) {
  std::string all(words);
  for (std::string_view rest = words; !rest.empty();) {
    const auto bar = rest.find('|');
    const std::string_view word = rest.substr(0, bar);
    if (word.starts_with("st_")) all += "|st._" + std::string(word.substr(3));
    rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
  }
  return all;
}

struct SolarTerm {
  std::string_view words;
  int longitude;
};

// 雨水, 小满, 小雪 and 大雪 are rain, a name and snow as well, so they are not here.
constexpr SolarTerm kSolarTerms[] = {
    {"立春", 315},
    {"惊蛰", 345},
    {"春分|vernal_equinox|spring_equinox", 0},
    {"清明|清明节|qingming|qingming_festival|tomb-sweeping_day|tomb_sweeping_day", 15},
    {"谷雨", 30},
    {"立夏", 45},
    {"芒种", 75},
    {"夏至|summer_solstice", 90},
    {"小暑", 105},
    {"大暑", 120},
    {"立秋", 135},
    {"处暑", 150},
    {"白露", 165},
    {"秋分|autumnal_equinox|fall_equinox|autumn_equinox", 180},
    {"寒露", 195},
    {"霜降", 210},
    {"立冬", 225},
    {"冬至|冬至节|winter_solstice", 270},
    {"小寒", 285},
    {"大寒", 300},
};

struct IndianFeast {
  std::string_view words;
  int month, lunar_day;
  IndianHour hour;
  int shift = 0, length = 1;
};

constexpr IndianFeast kIndianFeasts[] = {
    {"ugadi|yugadi|gudi_padwa|chaitra_sukhladi|samvatsaradi|hindu_new_year|telugu_new_year|乌加迪节|泰卢固新年|"
     "卡纳达新年|印度教新年",
     1, 1, IndianHour::kSunrise},
    {"rama_navami|ram_navami|rama_navmi|罗摩诞辰|罗摩节|罗摩诞生日|罗摩神诞", 1, 9, IndianHour::kNoon},
    {"mahavir_jayanti|mahavira_jayanti|mahaveer_jayanti|mahaveer_janma_kalyanak|mahavir_janma_kalyanak|大雄诞辰|"
     "马哈维拉诞辰",
     1, 13, IndianHour::kSunrise},
    {"hanuman_jayanti|哈努曼诞辰|哈努曼节|神猴诞辰", 1, 15, IndianHour::kSunrise},
    {"akshaya_tritiya|akha_teej", 2, 3, IndianHour::kNoon},
    {"buddha_purnima|buddha_jayanti", 2, 15, IndianHour::kSunrise},
    {"ratha-yatra|ratha_yatra|rathayatra|rath_yatra|chariot_festival|乘车节|战车节", 4, 2, IndianHour::kSunrise},
    {"guru_purnima", 4, 15, IndianHour::kSunrise},
    {"raksha_bandhan|rakshabandhan|rakhi|rakhi_purnima|拉克沙班丹节|保护节|护身绳节", 5, 15, IndianHour::kAfternoon},
    {"krishna_janmashtami|janmashtami|janmashtmi|gokulashtami|krishnashtami|saatam_aatham|sree_jayanti|黑天诞辰|"
     "黑天诞辰日|黑天神诞辰",
     5, 23, IndianHour::kMidnight},
    {"ganesh_chaturthi|vinayaka_chaturthi|vinayaka_chavithi|象头神节|葛内舍节|犍尼萨节", 6, 4, IndianHour::kNoon},
    {"maha_saptami|mahasaptami|大七日节|摩诃萨普塔米", 7, 7, IndianHour::kSunrise},
    {"maha_ashtami|durga_ashtami", 7, 8, IndianHour::kSunrise},
    {"maha_navami|mahanavami|大九日节|摩诃纳瓦米", 7, 9, IndianHour::kSunrise},
    {"sharad_purnima|kojagiri_purnima", 7, 15, IndianHour::kEvening},
    {"valmiki_jayanti|maharishi_valmiki_jayanti|pargat_diwas|蚁垤诞辰|瓦尔米基诞辰", 7, 15, IndianHour::kSunrise},
    {"karva_chauth|karwa_chauth|卡瓦乔斯节|卡尔瓦乔斯节", 7, 19, IndianHour::kEvening},
    {"dhanteras|dhanatrayodashi|dhanvantari_trayodashi|丹特拉斯节|印度财富节", 7, 28, IndianHour::kEvening},
    {"naraka_chaturdashi|narak_chaturdashi|choti_diwali|chhoti_diwali|choti_deepavali|kali_chaudas|小排灯节|小屠妖节|"
     "小万灯节",
     7, 30, IndianHour::kEvening, -1},
    {"diwali|deepavali|divali|lakshmi_puja|kali_puja|festival_of_lights_of_india|排灯节|印度灯节|屠妖节|万灯节", 7, 30,
     IndianHour::kEvening},
    {"govardhan_puja|annakut", 8, 1, IndianHour::kSunrise},
    {"bhai_dooj|bhai_duj|bhau_beej|bhai_phonta|bhaiya_dooj|兄妹节|印度兄妹节|拜兄节", 8, 2, IndianHour::kNoon},
    {"chhath|chhath_puja|chhathi|dala_puja|dala_chhath|surya_shashthi|恰特节|查特节|太阳神节", 8, 6,
     IndianHour::kSunrise},
    {"guru_nanak_jayanti|guru_nanak_gurpurab|guru_nanaks_birthday|guru_nanak_birthday|gurpurab|古鲁那纳克诞辰", 8, 15,
     IndianHour::kSunrise},
    {"guru_gobind_singh_jayanti|guru_gobind_singh_birthday|guru_govind_singh_jayanti|guru_gobind_singhs_birthday|"
     "古鲁戈宾德辛格诞辰|戈宾德辛格诞辰",
     10, 7, IndianHour::kSunrise},
    {"vasant_panchami|basant_panchami|春五节|辩才天女节|瓦桑特节", 11, 5, IndianHour::kSunrise},
    {"guru_ravidas_jayanti|guru_ravidass_jayanti|guru_ravidas_birthday|guru_ravidass_birthday|ravidas_jayanti|"
     "拉维达斯诞辰|古鲁拉维达斯诞辰",
     11, 15, IndianHour::kSunrise},
    {"maha_shivaratri|mahashivratri|maha_shivratri|shivaratri|shivratri|湿婆神节|湿婆节", 11, 29,
     IndianHour::kMidnight},
    {"holika_dahan|chhoti_holi|choti_holi|kamudu_pyre", 12, 15, IndianHour::kEvening},
    {"holi|rangwali_holi|dhulandi|dhuleti|phagwah", 12, 15, IndianHour::kEvening, 1},
    // In Chinese the feast is counted from the evening of the full moon.
    {"洒红节|侯丽节|胡里节|霍利节|欢悦节|五彩节|好利节|荷丽节|色彩节", 12, 15, IndianHour::kEvening},
    {"hola_mohalla|hola_mahalla", 12, 15, IndianHour::kEvening, 1},
    {"maharishi_dayananda_saraswati_jayanti|dayananda_saraswati_jayanti|dayanand_saraswati_jayanti|"
     "saraswati_jayanti|maharishi_dayanand_saraswati_jayanti",
     11, 25, IndianHour::kSunrise},
};

/// The nearest weekday to a day at the weekend, as offices keep it.
Moment observed(Moment day) {
  const int at = weekday(day);
  return day + (at == 6 ? -1 : at == 7 ? 1 : 0) * kDaySeconds;
}

Moment emancipation_day(std::int64_t year) { return observed(midnight(year, 4, 16)); }

/// 15 April, or the first working day after it in the capital.
Moment tax_day(std::int64_t year) {
  Moment day = midnight(year, 4, 15);
  while (weekday(day) > 5 || day == emancipation_day(year)) day += kDaySeconds;
  return day;
}

/// Most states vote on one day, which the parties choose anew for each presidential election.
std::optional<Moment> super_tuesday(std::int64_t year) {
  struct Day {
    int year, month, day;
  };
  static constexpr Day kDays[] = {{1984, 3, 13}, {1988, 3, 8}, {1992, 3, 10}, {1996, 3, 12}, {2000, 3, 7}, {2004, 3, 2},
                                  {2008, 2, 5},  {2012, 3, 6}, {2016, 3, 1},  {2020, 3, 3},  {2024, 3, 5}};
  for (const Day& day : kDays) {
    if (day.year == year) return midnight(year, day.month, day.day);
  }
  return std::nullopt;
}

/// The 25th of the first month of the Bengali year.
Moment rabindra_jayanti(std::int64_t year) { return midnight(year, 5, year % 4 == 0 ? 8 : 9); }

/// The birthday of the king; the queen's was on 30 April.
Moment kings_day(std::int64_t year) {
  const Moment day = year < 2014 ? midnight(year, 4, 30) : midnight(year, 4, 27);
  return weekday(day) == 7 ? day + (year < 1980 ? 1 : -1) * kDaySeconds : day;
}

/// The day of the harvest: the sun enters Capricorn among the stars, after sunset for the next day.
Moment makar_sankranti(std::int64_t year) {
  constexpr double kSiderealYear = 365.256363;
  constexpr Moment kSunset = 18 * kHourSeconds;
  const Moment known = midnight(2018, 1, 14) + 13 * kHourSeconds + 46 * kMinuteSeconds;  // in India
  const Moment at = known + static_cast<Moment>(static_cast<double>(year - 2018) * kSiderealYear * kDaySeconds);
  const Moment day = floor_to(at, Grain::kDay);
  return at - day < kSunset ? day : day + kDaySeconds;
}

/// The lights go out on the last Saturday of March, a week earlier where that is the eve of Easter.
Moment earth_hour(std::int64_t year) {
  const Moment last = midnight(year, 3, 31);
  const Moment saturday = last - (weekday(last) + 1) % 7 * kDaySeconds;
  return saturday + kDaySeconds == easter(year, false) ? saturday - 7 * kDaySeconds : saturday;
}

When earth_hour_when() {
  return date_of(yearly([](std::int64_t year) -> std::optional<Interval> {
                   const Moment from = earth_hour(year) + 20 * kHourSeconds + 30 * kMinuteSeconds;
                   return Interval{from, from + kHourSeconds, Grain::kMinute};
                 }),
                 Grain::kDay, kHolidayField);
}

/// From the new moon of autumn to the day of victory.
When navaratri_when() {
  return date_of(yearly([](std::int64_t year) -> std::optional<Interval> {
                   const auto first = indian_day(year, 7, 1, IndianHour::kSunrise), last = vijayadashami(year);
                   if (!first || !last || *last < *first) return std::nullopt;
                   return Interval{*first, *last + kDaySeconds, Grain::kDay};
                 }),
                 Grain::kWeek, kHolidayField);
}

/// Three days of April, announced anew for each year.
std::optional<Moment> youth_service_day(std::int64_t year) {
  static constexpr int kFridays[] = {20, 26, 11, 17, 15, 21, 20, 26, 17, 23};
  constexpr int kFirst = 2012;
  if (year < kFirst || year >= kFirst + static_cast<int>(std::size(kFridays))) return std::nullopt;
  return midnight(year, 4, kFridays[year - kFirst]);
}

/// The first Sunday of February, a week later since the season has one more round.
std::optional<Moment> super_bowl(std::int64_t year) {
  constexpr int kFebruarySince = 2004, kLaterSince = 2022;
  if (year < kFebruarySince) return std::nullopt;
  return weekday_of_month(year, 2, 7, year < kLaterSince ? 1 : 2);
}

/// The president is sworn in, in public on the Monday where the day is a Sunday.
std::optional<Moment> inauguration_day(std::int64_t year) {
  if (year % 4 != 1) return std::nullopt;
  const Moment day = midnight(year, 1, year > 1936 ? 20 : 4);
  return weekday(day) == 7 ? day + kDaySeconds : day;
}

/// The Tuesday of February on which most states voted in 2008, and the few that did in 2004.
std::optional<Moment> giga_tuesday(std::int64_t year) {
  return year == 2008 ? std::optional<Moment>(midnight(2008, 2, 5)) : std::nullopt;
}
std::optional<Moment> mini_tuesday(std::int64_t year) {
  return year == 2004 ? std::optional<Moment>(midnight(2004, 2, 3)) : std::nullopt;
}

/// A year of 365 days without leap days.
Moment parsi_new_year(std::int64_t year) { return midnight(2018, 8, 17) + 365 * (year - 2018) * kDaySeconds; }

std::optional<Moment> last_friday_of_ramadan(std::int64_t year) {
  const auto after = almanac_day(Almanac::kIslamic, year, 10, 1);
  if (!after) return std::nullopt;
  return *after - kDaySeconds - (weekday(*after - kDaySeconds) + 2) % 7 * kDaySeconds;
}

/// Remembrance and independence give way to the sabbath. Jewish days begin on the evening before.
std::optional<Moment> israel_independence(std::int64_t year) {
  const auto day = almanac_day(Almanac::kHebrew, year, 9, 5);
  if (!day) return std::nullopt;
  const int at = weekday(*day);  // Monday, Wednesday, Friday or Saturday
  const int shift = at == 5 ? -1 : at == 6 ? -2 : at == 1 && year >= 2004 ? 1 : 0;
  return *day + (shift - 1) * kDaySeconds;
}

std::optional<Moment> shoah_day(std::int64_t year) {
  const auto day = almanac_day(Almanac::kHebrew, year, 8, 27);
  if (!day) return std::nullopt;
  const int at = weekday(*day);
  const int shift = at == 5 ? -1 : at == 7 ? 1 : 0;
  return *day + (shift - 1) * kDaySeconds;
}

/// The fast is put off where it falls on the sabbath.
std::optional<Moment> tisha_bav(std::int64_t year) {
  const auto day = almanac_day(Almanac::kHebrew, year, 12, 9);
  if (!day) return std::nullopt;
  return *day + (weekday(*day) == 6 ? 0 : -1) * kDaySeconds;
}

}  // namespace

Rule holiday(std::string_view words, std::function<std::optional<Moment>(std::int64_t)> day, int length) {
  When when = date_of(yearly([day = std::move(day), length](std::int64_t year) -> std::optional<Interval> {
                        const auto at = day(year);
                        if (!at) return std::nullopt;
                        return Interval{*at, *at + length * kDaySeconds, Grain::kDay};
                      }),
                      length > 1 ? Grain::kWeek : Grain::kDay, kHolidayField);
  static std::vector<std::unique_ptr<std::string>> patterns;  // rules hold views
  patterns.push_back(std::make_unique<std::string>(with_dots(words)));
  return constant(*patterns.back(), time_node(std::move(when)));
}

namespace {

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

/// The Sundays before Christmas Day, counted from the fourth before it.
When advent_sunday(int nth) {
  return date_of(yearly([nth](std::int64_t year) -> std::optional<Interval> {
                   const Moment christmas = midnight(year, 12, 25);
                   const Moment fourth = christmas - weekday(christmas) * kDaySeconds;
                   return unit_at(fourth - (4 - nth) * 7 * kDaySeconds, Grain::kDay);
                 }),
                 Grain::kDay, kHolidayField);
}

}  // namespace

std::vector<Rule> holiday_rules() {
  std::vector<Rule> rules;
  append(rules, calendar_feasts());
  append(rules, world_days());
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
      "lent|四旬期|四旬节|大斋期|大斋节|封斋期|预苦期|大斋",
      [](std::int64_t year) { return easter(year, false) - 46 * kDaySeconds; }, 46));
  rules.push_back(holiday(
      "great_lent|great_fast|orthodox_lent|great_40_days|大四旬期|东正教四旬期|东正教大斋期|东正教四旬节",
      [](std::int64_t year) { return easter(year, true) - 48 * kDaySeconds; }, 40));
  rules.push_back(
      holiday("clean_monday|orthodox_shrove_monday|orthodox_ash_monday|orthodox_clean_monday|清洁星期一|净星期一|"
              "洁净星期一|纯净星期一",
              [](std::int64_t year) { return easter(year, true) - 48 * kDaySeconds; }));
  rules.push_back(holiday("mothering_sunday|uk_mothers_day|英国母亲节",
                          [](std::int64_t year) { return easter(year, false) - 21 * kDaySeconds; }));
  rules.push_back(holiday(
      "holy_week|passion_week|semana_santa|圣周|受难周",
      [](std::int64_t year) { return easter(year, false) - 7 * kDaySeconds; }, 7));
  rules.push_back(holiday("pascha|greek_easter|orthodox_pascha|东正教复活节",
                          [](std::int64_t year) { return easter(year, true); }));
  rules.push_back(holiday("forgiveness_sunday|cheesefare_sunday",
                          [](std::int64_t year) { return easter(year, true) - 49 * kDaySeconds; }));
  rules.push_back(holiday("寒食|寒食节|cold_food_festival",
                          [](std::int64_t year) { return chinese_solar_day(year, 15) - kDaySeconds; }));
  rules.push_back(holiday("leap_day|闰日", [](std::int64_t year) -> std::optional<Moment> {
    return is_day(year, 2, 29) ? std::optional<Moment>(midnight(year, 2, 29)) : std::nullopt;
  }));
  rules.push_back({"the? <ordinal> sunday of|in? advent", [](const Args& a) {
                     const int nth = a.integer(0);
                     return nth > 4 ? Result() : Result(time_node(advent_sunday(nth)));
                   }});
  rules.push_back(constant("advent_sunday", time_node(advent_sunday(1))));
  rules.push_back(
      constant("christ_the_king|feast_of_christ_the_king|基督君王节|基督君王瞻礼", time_node(advent_sunday(0))));
  rules.push_back({"<ordinal> advent", [](const Args& a) {
                     const int nth = a.integer(0);
                     return nth > 4 ? Result() : Result(time_node(advent_sunday(nth)));
                   }});
  rules.push_back(holiday("lazarus_saturday|拉撒路圣周六|拉匝路周六|拉撒路星期六|拉匝禄星期六|拉撒路周六",
                          [](std::int64_t year) { return easter(year, true) - 8 * kDaySeconds; }));
  const auto join = [](const Args& a) { return with_time(a, a.when(0), a.when(1)); };
  rules.push_back({"last_years <holiday>",
                   [](const Args& a) { return with_time(a, a.when(0), unit_when(a.setting, Grain::kYear, -1)); }});
  rules.push_back({"next_years <holiday>",
                   [](const Args& a) { return with_time(a, a.when(0), unit_when(a.setting, Grain::kYear, 1)); }});
  rules.push_back({"<holiday> eve", [](const Args& a) -> Result {
                     When eve = a.when(0);
                     eve.grain = Grain::kDay;
                     eve.date = mapped(a.when(0).date, [](const Interval& day) -> std::optional<Interval> {
                       return unit_at(day.from - kDaySeconds, Grain::kDay);
                     });
                     return time_node(std::move(eve));
                   }});
  rules.push_back({"the? <ordinal> night of <holiday>",
                   [](const Args& a) -> Result { return if_time(nth_unit(a.when(1), Grain::kDay, a.integer(0))); }});
  rules.push_back({"the? <holiday> before_last", [](const Args& a) -> Result {
                     const Moment today = floor_to(a.setting.now, Grain::kDay);
                     auto found = a.when(0).date->previous(today);
                     if (found && found->to > today) found = a.when(0).date->previous(found->from);
                     if (found) found = a.when(0).date->previous(found->from);
                     if (!found) return std::nullopt;
                     When when = date_of(only(*found), a.when(0).grain, kAllFields);
                     when.deictic = true;
                     return time_node(std::move(when));
                   }});
  rules.push_back({"national|international|world|happy|merry|this_years|us|american|uk|british <holiday>",
                   [](const Args& a) -> Result { return time_node(a.when(0)); }});
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

Rules computed_feasts() {
  Rules rules;
  for (const SolarTerm& term : kSolarTerms) {
    rules.push_back(holiday(term.words, [=](std::int64_t year) { return chinese_solar_day(year, term.longitude); }));
  }
  for (const IndianFeast& feast : kIndianFeasts) {
    rules.push_back(holiday(
        feast.words,
        [=](std::int64_t year) -> std::optional<Moment> {
          const auto day = indian_day(year, feast.month, feast.lunar_day, feast.hour);
          if (!day) return std::nullopt;
          return *day + feast.shift * kDaySeconds;
        },
        feast.length));
  }
  append(
      rules,
      {
          holiday("dussehra|dussera|dasara|dashain|vijayadashami|vijaya_dashami|vijayadasami|凯旋节|十胜节|圣母节|"
                  "维贾雅达沙米",
                  vijayadashami),
          constant("navaratri|navratri|sharad_navaratri|durga_puja|durga_pooja|durgotsava|九夜节|难近母节|杜尔加女神节",
                   time_node(navaratri_when())),
          holiday("onam|thiruvonam|thiru_onam|thiruonam|onam_festival|欧南节|奥南节", onam),
          holiday("emancipation_day|解放纪念日|奴隶解放日|解放奴隶纪念日", emancipation_day),
          holiday("tax_day|报税日|美国报税日|缴税日", tax_day),
          holiday("rabindra_jayanti|rabindranath_jayanti|rabindra_joyonti|泰戈尔诞辰|泰戈尔诞辰日", rabindra_jayanti),
          holiday("super_tuesday|超级星期二|超级周二", super_tuesday),
          holiday("kings_day|koningsdag|king_s_day|国王节|荷兰国王节|国王日|荷兰国王日", kings_day),
          holiday("parsi_new_year|jamshedi_navroz|jamshedi_navroze|jamshedi_navaroz|帕西新年|巴斯新年", parsi_new_year),
          holiday(
              "jumuatul-wida|jumu_atul-wida|jamat_ul-vida|jumat-ul-vida|jumat_ul-wida|斋月最后一个星期五|最后聚礼日",
              last_friday_of_ramadan),
          holiday("yom_haatzmaut|israeli_independence_day|israel_independence_day|以色列独立日|以色列国庆节",
                  israel_independence),
          holiday("yom_hashoah|yom_hashoa|holocaust_day|holocaust_remembrance_day|犹太人大屠杀纪念日", shoah_day),
          holiday("yom_hazikaron|yom_ha_zikaron|israeli_memorial_day|以色列阵亡将士纪念日",
                  [](std::int64_t year) -> std::optional<Moment> {
                    const auto day = israel_independence(year);
                    return day ? std::optional<Moment>(*day - kDaySeconds) : std::nullopt;
                  }),
          holiday("lohri|bhogi|bogi_pandigai|boghi|bhogi_pongal|印度丰收节第一天|庞格尔节第一天|淡米尔丰收节第一天",
                  [](std::int64_t year) { return makar_sankranti(year) - kDaySeconds; }),
          holiday("makar_sankranti|makara_sankranti|makara_sankranthi|makar_sankranthi|pongal|thai_pongal|"
                  "surya_pongal|perum_pongal|maghi|maghi_sangrand|uttarayan|印度丰收节|庞格尔节|淡米尔丰收节|"
                  "印度丰收节第二天|庞格尔节第二天|淡米尔丰收节第二天|太阳庞格尔|太阳庞格尔节",
                  makar_sankranti),
          holiday("maattu_pongal|mattu_pongal|印度丰收节第三天|庞格尔节第三天|淡米尔丰收节第三天",
                  [](std::int64_t year) { return makar_sankranti(year) + kDaySeconds; }),
          holiday("kaanum_pongal|kanum_pongal|kanni_pongal|印度丰收节第四天|庞格尔节第四天|淡米尔丰收节第四天",
                  [](std::int64_t year) { return makar_sankranti(year) + 2 * kDaySeconds; }),
          constant("earth_hour|地球一小时|地球一小时活动|地球熄灯一小时", time_node(earth_hour_when())),
          holiday("global_youth_service_day|national_youth_service_day|gysd|national_global_youth_service_day|"
                  "全球青年服务日|国际青年服务日|全国青年服务日",
                  youth_service_day, 3),
          holiday("super_bowl|super_bowl_sunday|superbowl|superbowl_sunday|超级碗", super_bowl),
          holiday("inauguration_day|presidential_inauguration_day|美国总统就职日", inauguration_day),
          holiday("giga_tuesday|tsunami_tuesday|super_duper_tuesday|giga-tuesday|tsunami-tuesday", giga_tuesday),
          holiday("mini-tuesday|mini_tuesday", mini_tuesday),
          holiday("tisha_bav|tisha_b_av|圣殿被毁日|禁食日", tisha_bav),
      });
  return rules;
}

}  // namespace weft::timex
