// Feasts whose days are computed: solar terms, Indian feasts by the lunar day, and those that laws and churches move.
#include <iterator>

#include "text/time/lunar.h"
#include "text/time/rules_parts.h"

namespace weft::timex {
namespace {

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
