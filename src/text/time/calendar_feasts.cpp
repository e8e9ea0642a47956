// Feasts and memorial days that the Gregorian calendar alone fixes: a day of a month, or one of its weekdays.
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
    {"australia_day|澳大利亚日|澳大利亚国庆日|澳洲日|澳洲国庆日", 1, 26},
    {"republic_day_of_india|indian_republic_day|印度共和日|印度共和国日|共和日", 1, 26},
    {"holocaust_memorial_day|国际大屠杀纪念日|大屠杀纪念日", 1, 27},
    {"waitangi_day|怀唐伊日", 2, 6},
    {"cesar_chavez_day|凯萨查维斯日|塞萨尔查维斯日", 3, 31},
    {"d-day|d_-_day|诺曼底登陆日", 6, 6},
    {"world_teachers_day|世界教师日", 10, 5},
    {"german_unity_day|day_of_german_unity|德国统一日", 10, 3},
    {"patriot_day", 9, 11},
    {"groundhog_day|groundhogs_day|ground_hog_day", 2, 2},
    {"lincolns_birthday|lincoln_birthday|林肯诞辰|林肯诞辰日|林肯纪念日|林肯诞辰纪念日", 2, 12},
    {"vaisakhi|baisakhi|vaishakhi|vasakhi|拜萨哈节|外萨克节|维萨奇节|锡克新年", 4, 14},
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
    {"ambedkar_jayanti|安贝德卡诞辰|安贝德卡诞辰日", 4, 14},
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
    {"juneteenth|六月节|六月独立日|美国六月节", 6, 19},
    {"世界读书日", 4, 23},
    {"world_environment_day|世界环境日", 6, 5},
    {"flag_day|美国国旗日|国旗日", 6, 14},
    {"canada_day|加拿大日|加拿大国庆日|加拿大国庆节|加拿大国庆", 7, 1},
    {"independence_day|fourth_of_july|4th_of_july|美国独立日|美国国庆日|美国国庆节|美国国庆|美国独立纪念日", 7, 4},
    {"bastille_day", 7, 14},
    {"建军节|八一|八一建军节", 8, 1},
    {"patriot_day", 9, 11},
    {"gandhi_jayanti|甘地诞辰|甘地诞辰日|甘地纪念日|甘地诞辰纪念日", 10, 2},
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
    {"kwanzaa|宽扎节|匡扎节", 12, 26},
    // Christian feasts of the calendar
    {"epiphany|three_kings_day|kings_day_of_epiphany|twelfth_night|feast_of_the_epiphany|主显节|三王节|显现节|"
     "东方三博士节",
     1, 6},
    {"orthodox_christmas|orthodox_christmas_day|东正教圣诞节|东正教圣诞", 1, 7},
    {"orthodox_new_year|old_new_year|东正教新年|旧历新年", 1, 14},
    {"candlemas|圣烛节|献主节|圣母行洁净礼日", 2, 2},
    {"annunciation|feast_of_the_annunciation|annunciation_day|lady_day|圣母领报节|天使报喜节|报喜节", 3, 25},
    {"st_john_the_baptist_day|saint_john_the_baptist_day|st_johns_day|midsummer_day|施洗约翰节|圣约翰节|仲夏节|"
     "圣若翰洗者日",
     6, 24},
    {"feast_of_st_peter_and_st_paul|feast_of_saints_peter_and_paul|圣伯多禄圣保禄节", 6, 29},
    {"transfiguration|feast_of_the_transfiguration|主显圣容节|耶稣显圣容节|变容节", 8, 6},
    {"assumption_of_mary|assumption_day|feast_of_the_assumption|圣母升天节|圣母升天日|圣母安息日", 8, 15},
    {"michaelmas|圣米迦勒节", 9, 29},
    {"feast_of_st_francis_of_assisi|feast_of_saint_francis_of_assisi|feast_of_st._francis_of_assisi|feast_of_st_"
     "francis|圣方济各日|亚西西圣方济各日|圣方济节|阿西西的圣方济各节",
     10, 4},
    {"reformation_day|宗教改革日|宗教改革纪念日", 10, 31},
    {"martinmas|st_martins_day|saint_martins_day|圣马丁节", 11, 11},
    {"st_nicholas_day|saint_nicholas_day|feast_of_st_nicholas|圣尼古拉斯日|圣尼古拉节", 12, 6},
    {"immaculate_conception|feast_of_the_immaculate_conception|immaculate_conception_of_mary|圣母无原罪日|圣母无原罪节|"
     "圣母无染原罪节|圣母无染原罪瞻礼|圣母始胎无染原罪节|始胎无染原罪瞻礼",
     12, 8},
    {"st_lucys_day|saint_lucys_day|圣露西亚节|圣露西节", 12, 13},
    {"childermas|holy_innocents_day|诸圣婴孩殉道日|诸圣婴孩庆日", 12, 28},
    {"watch_night|watchnight|跨年夜|除夕之夜|新年前夕|新年前夜|元旦前夕", 12, 31},
    // Days of states and peoples
    {"army_day|indian_army_day|印度陆军节", 1, 15},
    {"martyrs_day|烈士日", 1, 30},
    {"national_science_day", 2, 28},
    {"圣大卫日|圣大卫节", 3, 1},
    {"st_pattys_day|圣帕特里克节|圣帕特里克日|圣派翠克节|圣巴特里爵日|圣博德节", 3, 17},
    {"nowruz|nauruz|norouz|navroz|persian_new_year|iranian_new_year|诺鲁孜节|诺鲁兹节|波斯新年|纳吾肉孜节", 3, 21},
    {"世界水日|world_water_day", 3, 22},
    {"songkran|thai_new_year|water_festival|泼水节|宋干节|泰国新年", 4, 13},
    {"tamil_new_year|puthandu|vishu|mesadi|tamil_puthandu|bengali_new_year|pohela_boishakh|bihu|泰米尔新年|孟加拉新年",
     4, 14},
    {"st_george_day|圣乔治日|圣乔治节|圣佐治日", 4, 23},
    {"澳新军团日|澳纽军团日|军团日", 4, 25},
    {"polish_constitution_day|波兰宪法日|波兰宪法节", 5, 3},
    {"greenery_day|绿之日", 5, 4},
    {"五月五日节|五五节", 5, 5},
    {"ve_day|v-e_day|victory_in_europe_day|欧战胜利纪念日|欧洲胜利日", 5, 8},
    {"victory_day|europe_day|欧洲日|胜利日|欧洲节", 5, 9},
    {"international_nurses_day|nurses_day|国际护士节", 5, 12},
    {"international_day_of_families|国际家庭日", 5, 15},
    {"african_liberation_day|africa_day|非洲解放日|非洲日", 5, 25},
    {"world_no_tobacco_day|世界无烟日", 5, 31},
    {"诺曼底登陆日", 6, 6},
    {"world_oceans_day|世界海洋日", 6, 8},
    {"public_service_day|公共服务日", 6, 23},
    {"international_kissing_day|world_kiss_day|international_kiss_day|国际接吻日|国际接吻节", 7, 6},
    {"orangemens_day|battle_of_the_boyne|奥兰治日|奥兰治人节", 7, 12},
    {"法国国庆日|法国国庆节|法国国庆|巴士底日|巴士底狱日", 7, 14},
    {"indian_independence_day|independence_day_of_india|印度独立日", 8, 15},
    {"emancipation_day_of_canada", 8, 1},
    {"international_youth_day|国际青年日", 8, 12},
    {"teachers_day_of_india", 9, 5},
    {"international_day_of_peace|world_peace_day|peace_day|国际和平日|世界和平日", 9, 21},
    {"mexican_independence_day|墨西哥独立日|墨西哥国庆日|墨西哥国庆节", 9, 16},
    {"world_tourism_day|世界旅游日", 9, 27},
    {"世界素食日|世界素食者日|国际素食日", 10, 1},
    {"world_animal_day|世界动物日", 10, 4},
    {"world_teachers_day|世界教师日|世界教师节", 10, 5},
    {"air_force_day|indian_air_force_day|印度空军节", 10, 8},
    {"leif_erikson_day|莱夫埃里克松日|列夫埃里克森日", 10, 9},
    {"double_ten_day|双十节|双十|辛亥革命纪念日", 10, 10},
    {"world_mental_health_day|世界精神卫生日|世界心理健康日", 10, 10},
    {"world_food_day|世界粮食日", 10, 16},
    {"united_nations_day|un_day|联合国日", 10, 24},
    {"诸灵节|万灵节|追思节|追思亡者节|悼亡节", 11, 2},
    {"day_of_the_dead|dia_de_los_muertos|亡灵节", 11, 2},
    {"万圣日|诸圣日|诸圣瞻礼|天下圣徒日", 11, 1},
    {"世界纯素日|国际纯素日", 11, 1},
    {"盖伊福克斯之夜|盖伊福克斯日", 11, 5},
    {"阵亡将士日|国殇纪念日|退伍军人节|老兵节|停战日|国殇日|退伍军人日|和平纪念日|一战停战日|荣军节", 11, 11},
    {"childrens_day_of_india|bal_diwas", 11, 14},
    {"international_mens_day|mens_day|国际男人节|国际男士日|国际男性日", 11, 19},
    {"universal_childrens_day|world_childrens_day|世界儿童日", 11, 20},
    {"圣安德鲁日|圣安德烈日|圣安得烈日|圣安德鲁节", 11, 30},
    {"世界爱滋病日|国际艾滋病日", 12, 1},
    {"bodhi_day|rohatsu|佛陀成道日|菩提日|成道日|成道节|佛成道日", 12, 8},
    {"珍珠港事件纪念日|珍珠港日|珍珠港纪念日", 12, 7},
    {"national_pearl_harbor_remembrance_day|pearl_harbor_remembrance_day", 12, 7},
    {"人权日|国际人权日", 12, 10},
    {"圣士提反日|圣斯德望日|拆礼物日", 12, 26},
    // Days that people keep
    {"土拨鼠日|土拨鼠节|旱獭节", 2, 2},
    {"white_day|白色情人节|白色情人节日", 3, 14},
    {"圆周率日|派日|国际圆周率日", 3, 14},
    {"world_poetry_day|世界诗歌日", 3, 21},
    {"world_health_day|世界卫生日|世界健康日", 4, 7},
    {"兄弟姐妹日|全国兄弟姐妹日|手足日", 4, 10},
    {"world_book_day|world_book_and_copyright_day|世界图书日|国际图书日", 4, 23},
    {"法律日|忠诚日|国际劳动节|国际示威游行日|五一国际劳动日", 5, 1},
    {"星球大战日|星战日", 5, 4},
    {"programmers_day|programmer_day|程序员节", 9, 13},
    {"爱国者日|爱国日", 9, 11},
    {"宪法日|国家宪法日", 12, 4},
    {"记者节", 11, 8},
    {"航海日|中国航海日", 7, 11},
    {"全民健身日", 8, 8},
    {"烈士纪念日", 9, 30},
    {"抗战胜利纪念日|抗日战争胜利纪念日", 9, 3},
    {"青年日", 5, 4},
    {"白色恋人节", 3, 14},
    {"网络情人节", 5, 20},
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
    {"patriots_day", 4, 1, 3, 0},
    {"teacher_appreciation_day", 5, 2, 1, 0},
    {"early_may_bank_holiday", 5, 1, 1, 0},
    {"spring_bank_holiday", 5, 1, -1, 0},
    {"summer_bank_holiday|late_august_bank_holiday", 8, 1, -1, 0},
    {"election_day|us_election_day|美国选举日|大选日", 11, 1, 1, 1},
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
    {"thanksgiving_of_canada|canadian_thanksgiving|canadian_thanksgiving_day|加拿大感恩节", 10, 1, 2, 0},
    {"coming_of_age_day|成人之日", 1, 1, 2, 0},
    {"victoria_day|维多利亚日", 5, 1, -1, 0},
    {"armed_forces_day", 5, 6, 3, 0},
    {"friendship_day|international_friendship_day|友谊日|国际友谊日", 8, 7, 1, 0},
    {"civic_holiday", 8, 1, 1, 0},
    {"national_thank_you_day_of_bosses", 10, 5, 3, 0},
    {"父母节|双亲节|双亲日|父母日", 7, 7, 4, 0},
    {"祖父母节|祖父母日|祖父节", 9, 7, 2, 0},
    {"联邦日|英联邦日|英联邦纪念日", 3, 1, 2, 0},
    {"哥伦布日|哥伦布纪念日", 10, 1, 2, 0},
    {"军人配偶日|军嫂日|军属日", 5, 5, 2, 0},
    {"美国劳动节|美国劳工节", 9, 1, 1, 0},
    {"植树日|国家植树日|全国植树日|美国植树节", 4, 5, -1, 0},
    {"行政人员专业日|行政专业人员日|行政助理日|秘书节|秘书日|行政人员日", 4, 6, -1, -3},
    {"马丁·路德·金纪念日|马丁路德金纪念日|马丁路德金恩纪念日|民权日|马丁路德金节", 1, 1, 3, 0},
    {"华盛顿诞辰纪念日|华盛顿诞辰|华盛顿生日|总统节", 2, 1, 3, 0},
    {"将士纪念日|军人纪念日|美国阵亡将士纪念日", 5, 1, -1, 0},
    {"剪彩星期一|网购星期一|网购周一|网络周一", 11, 4, 4, 4},
    {"给予星期二|奉献星期二|捐赠星期二", 11, 4, 4, 5},
    {"夏令时开始|夏时制开始", 3, 7, 2, 0},
    {"夏令时结束|夏时制结束", 11, 7, 1, 0},
    {"daylight_saving_start|daylight_savings_start|daylight_saving_time_start", 3, 7, 2, 0},
    {"daylight_saving_end|daylight_savings_end|daylight_saving_time_end", 11, 7, 1, 0},
};

Moment floating(std::int64_t year, const FloatingDay& day) {
  return weekday_of_month(year, day.month, day.weekday, day.nth) + day.shift * kDaySeconds;
}

/// 16 October, or the next working day.
Moment boss_day(std::int64_t year) {
  const Moment day = midnight(year, 10, 16);
  const int at = weekday(day);
  return day + (at == 6 ? -1 : at == 7 ? 1 : 0) * kDaySeconds;
}

}  // namespace

Moment weekday_of_month(std::int64_t year, int month, int weekday, int nth) {
  if (nth > 0) {
    const Moment first = midnight(year, month, 1);
    return first + ((weekday - timex::weekday(first) + 7) % 7 + (nth - 1) * 7) * kDaySeconds;
  }
  const Moment last = midnight(year, month + 1, 1) - kDaySeconds;
  return last - (timex::weekday(last) - weekday + 7) % 7 * kDaySeconds;
}

Rules calendar_feasts() {
  Rules rules;
  for (const FixedDay& day : kFixed) {
    rules.push_back(holiday(day.words, [=](std::int64_t year) { return midnight(year, day.month, day.day); }));
  }
  for (const FloatingDay& day : kFloating) {
    rules.push_back(holiday(day.words, [=](std::int64_t year) { return floating(year, day); }));
  }
  rules.push_back(
      holiday("boss_day|bosses_day|bosss_day|national_boss_day|boss_s_day|老板节|上司节|老板日|领导节", boss_day));
  return rules;
}

}  // namespace weft::timex
