// Parts of the day.
#include "text/time/rules_parts.h"

namespace weft::timex::english {
namespace {

using Result = std::optional<Node>;

struct PartWords {
  std::string_view words;
  PartName name;
  int from, to;
};

// In hours. These parts cover the day without gaps, so that what was said of the evening is found in it.
constexpr PartWords kParts[] = {
    {"morning|mornings", PartName::kMorning, 0, 12},
    {"early_morning|early_mornings|early_in_the_morning", PartName::kMorning, 0, 9},
    {"mid_morning|mid-morning|midmorning", PartName::kMorning, 9, 11},
    {"late_morning|late_mornings", PartName::kMorning, 10, 12},
    {"afternoon|afternoons|afternoonish", PartName::kAfternoon, 12, 19},
    {"mid_afternoon|mid-afternoon|midafternoon", PartName::kAfternoon, 14, 16},
    {"daytime|day_time|day-time", PartName::kOther, 8, 18},
    {"early_afternoon", PartName::kAfternoon, 12, 14},
    {"late_afternoon", PartName::kAfternoon, 14, 19},
    {"evening|evenings", PartName::kEvening, 18, 24},
    {"early_evening", PartName::kEvening, 18, 20},
    {"late_evening", PartName::kEvening, 20, 24},
    {"night|nights", PartName::kNight, 18, 24},
    {"early_night", PartName::kNight, 20, 22},
    {"late_night|late_nite", PartName::kNight, 21, 24},
    {"breakfast|breakfast_time|breakfasttime", PartName::kMorning, 6, 10},
    {"lunch|lunchtime|lunch_time", PartName::kNoon, 12, 14},
    {"after_lunch", PartName::kAfternoon, 13, 17},
    {"after_school", PartName::kAfternoon, 15, 21},
    {"after_work", PartName::kEvening, 17, 21},
    {"dinner_time|dinnertime", PartName::kEvening, 18, 21},
    {"dawn|daybreak|sunrise|first_light", PartName::kMorning, 4, 8},
    {"dusk|sunset|sundown|twilight|nightfall", PartName::kEvening, 17, 21},
    {"wee_hours|small_hours|early_hours|early_hours_of_the_morning|wee_hours_of_the_morning|small_hours_of_the_morning",
     PartName::kNight, 0, 5},
    {"business_hours|working_hours|work_hours|office_hours", PartName::kOther, 8, 18},
};

/// "early tomorrow morning": the first or second half of a part, of the morning until nine.
Result half_of_part(const When& day, const PartOfDay& part, bool second) {
  const int from = part.from / 60, to = part.to / 60;
  const int middle = part.name == PartName::kMorning && !second ? 9 : (from + to) / 2;
  return if_time(combine(day, part_when(part.name, second ? middle : from, second ? to : middle)));
}

}  // namespace

Rules parts() {
  Rules rules;
  for (const PartWords& part : kParts) {
    rules.push_back(constant(part.words, time_node(part_when(part.name, part.from, part.to), true)));
  }
  const auto today_part = [](const Args& a, int days) {
    return if_time(combine(unit_when(a.setting, Grain::kDay, days), a.when(0)));
  };
  append(
      rules,
      {
          {"in|during the? <part>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
          {"at <part>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
          {"this <part>", [=](const Args& a) { return today_part(a, 0); }},
          {"last night|evening",
           [](const Args& a) {
             return if_time(combine(unit_when(a.setting, Grain::kDay, -1), part_when(PartName::kNight, 18, 24)));
           }},
          {"late last night",
           [](const Args& a) {
             return if_time(combine(unit_when(a.setting, Grain::kDay, -1), part_when(PartName::kNight, 21, 24)));
           }},
          {"tonight|tonite|this_evening",
           [](const Args& a) {
             return if_time(combine(unit_when(a.setting, Grain::kDay, 0), part_when(PartName::kEvening, 18, 24)));
           }},
          {"<clock> tonight|tonite", [](const Args& a) { return if_time(small_hours_tonight(a.when(0), a.setting)); }},
          {"tonight|tonite at|@ <clock>",
           [](const Args& a) { return if_time(small_hours_tonight(a.when(0), a.setting)); }},
          {"late tonight",
           [](const Args& a) {
             return if_time(combine(unit_when(a.setting, Grain::kDay, 0), part_when(PartName::kNight, 21, 24)));
           }},
          {"<clock> in_the|of_the|at|during_the|in|this|-? <part>",
           [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},
          {"<clock> this <part>",
           [](const Args& a) {
             const auto both = combine(a.when(0), a.when(1));
             if (!both) return Result();
             return if_time(combine(*both, unit_when(a.setting, Grain::kDay, 0)));
           }},
          {"<part> at|@|around|,? <clock>", [](const Args& a) { return if_time(combine(a.when(0), a.when(1))); }},
          {"<date> in_the|at|during_the|in|,|,_in_the|,_at? <part>",
           [](const Args& a) -> Result {
             // "3.18 in the morning" is a time on the clock.
             if (a[0].latent && a.when(0).fields == (kMonthField | kDayField)) return std::nullopt;
             return if_time(combine(a.when(0), a.when(1)));
           }},
          {"in_the? <part> of|on|,|,_on? <date>", [](const Args& a) { return if_time(combine(a.when(1), a.when(0))); }},
          {"the <part> of|on <date>", [](const Args& a) { return if_time(combine(a.when(1), a.when(0))); }},
          // "7.30 pm" is a time on the clock.
          {"<date> am",
           [](const Args& a) {
             if (a[0].latent) return Result();
             return if_time(combine(a.when(0), part_when(PartName::kMorning, 0, 12)));
           }},
          {"<date> pm",
           [](const Args& a) {
             if (a[0].latent) return Result();
             return if_time(combine(a.when(0), part_when(PartName::kAfternoon, 12, 24)));
           }},
          {"early this <part>",
           [](const Args& a) { return half_of_part(unit_when(a.setting, Grain::kDay, 0), *a.when(0).part, false); }},
          {"late this <part>",
           [](const Args& a) { return half_of_part(unit_when(a.setting, Grain::kDay, 0), *a.when(0).part, true); }},
          {"early on <daydate>",
           [](const Args& a) { return if_time(combine(a.when(0), part_when(PartName::kMorning, 0, 9))); }},
          {"early <daydate> <part>", [](const Args& a) { return half_of_part(a.when(0), *a.when(1).part, false); }},
          {"late <daydate> <part>", [](const Args& a) { return half_of_part(a.when(0), *a.when(1).part, true); }},
          {"first_thing <daydate> morning|in_the_morning",
           [](const Args& a) { return if_time(combine(a.when(0), part_when(PartName::kMorning, 0, 9))); }},
          {"<daydate> first_thing|first_thing_in_the_morning",
           [](const Args& a) { return if_time(combine(a.when(0), part_when(PartName::kMorning, 0, 9))); }},
          {"early|first_thing <daydate>",
           [](const Args& a) { return if_time(combine(a.when(0), part_when(PartName::kMorning, 0, 9))); }},
      });
  return rules;
}

}  // namespace weft::timex::english
