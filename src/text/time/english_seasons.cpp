// Seasons that run, have been or come, and times by their nearness to others: "two summers ago", "the second closest
// Monday to 5 October".
#include <algorithm>
#include <cstdlib>

#include "text/time/rules_parts.h"

namespace weft::timex::english {
namespace {

using Result = std::optional<Node>;

Result season_at(Moment at) {
  for (int season = 0; season < 4; ++season) {
    const auto found = season_when(season).date->previous(at + 1);
    if (!found || found->to <= at) continue;
    When when = date_of(only(*found), Grain::kQuarter, kSeasonField | kYearField);
    when.deictic = true;
    return time_node(std::move(when));
  }
  return std::nullopt;
}

/// The season that runs, or one of those around it.
Result season_away(const Setting& setting, int count) {
  constexpr Moment kMiddle = 45 * kDaySeconds;
  auto here = season_at(setting.now);
  for (int i = 0; here && i < std::abs(count); ++i) {
    const auto unit = here->when->date->next(0);
    if (!unit) return std::nullopt;
    here = season_at(count > 0 ? unit->to + kMiddle : unit->from - kMiddle);
  }
  return here;
}

/// The n-th before now, the running one apart: "two winters ago".
Result seasons_ago(const Args& a, const When& season, int n) {
  auto found = season.date->previous(a.setting.now);
  if (found && found->to > a.setting.now) found = season.date->previous(found->from);
  for (int i = 1; found && i < std::min(n, 100); ++i) found = season.date->previous(found->from);
  if (!found) return std::nullopt;
  When when = date_of(only(*found), Grain::kQuarter, kSeasonField | kYearField);
  when.deictic = true;
  return time_node(std::move(when));
}

/// The n-th nearest of all days that a name means.
Result closest(const When& named, const When& to, int n, const Setting& setting) {
  const auto begin = begin_of(to, setting);
  if (!begin || !named.date || named.has_time() || n < 1 || n > 100) return std::nullopt;
  auto before = named.date->previous(*begin), after = named.date->next(*begin);
  std::optional<Interval> found;
  for (int i = 0; i < n; ++i) {
    const bool back = before && (!after || *begin - before->from <= after->from - *begin);
    found = back ? before : after;
    if (!found) return std::nullopt;
    (back ? before : after) = back ? named.date->previous(found->from) : named.date->next(found->to);
  }
  When when = date_of(only(*found), named.grain, kAllFields);
  when.deictic = !to.dated;
  return time_node(std::move(when));
}

}  // namespace

Rules seasons() {
  Rules rules;
  struct Plural {
    std::string_view words;
    int season;
  };
  constexpr Plural kPlurals[] = {
      {"<int> springs ago", 0}, {"<int> summers ago", 1}, {"<int> autumns|falls ago", 2}, {"<int> winters ago", 3}};
  for (const Plural& plural : kPlurals) {
    rules.push_back({plural.words, [season = plural.season](const Args& a) {
                       return seasons_ago(a, season_when(season), a.integer(0));
                     }});
  }
  append(rules,
         {
             {"the? this|current|present season|seasons", [](const Args& a) { return season_away(a.setting, 0); }},
             {"the? last|past|previous season|seasons", [](const Args& a) { return season_away(a.setting, -1); }},
             {"the? next|coming|upcoming season|seasons", [](const Args& a) { return season_away(a.setting, 1); }},
             {"<season> before_last", [](const Args& a) { return seasons_ago(a, a.when(0), 2); }},
             {"the <season> before_last", [](const Args& a) { return seasons_ago(a, a.when(0), 2); }},
             {"<season> of|in? ' <yy>",
              [](const Args& a) -> Result {
                const int year = a.integer(1);
                When when = a.when(0);
                const When full = year_when(year < 30 ? 2000 + year : 1900 + year);
                when.date = within(a.when(0).date, full.date);
                when.fields |= kYearField;
                when.dated = true;
                return time_node(std::move(when));
              }},
             {"the? closest|nearest <point> to <point>",
              [](const Args& a) { return closest(a.when(0), a.when(1), 1, a.setting); }},
             {"the? <ordinal> closest|nearest <point> to <point>",
              [](const Args& a) { return closest(a.when(1), a.when(2), a.integer(0), a.setting); }},
         });
  return rules;
}

}  // namespace weft::timex::english
