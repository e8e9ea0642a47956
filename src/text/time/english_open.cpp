// Times that are open to one side: "June or later", "no earlier than Friday", "as late as 2017".
#include "text/time/rules_parts.h"

namespace weft::timex::english {
namespace {

using Result = std::optional<Node>;

/// "18 or older", "through the second": a number or a word that is a time only among others. Years are not.
bool is_unsure(const Node& node) { return node.latent && (node.when->fields & kYearField) == 0; }

Result from_on(const Node& node) {
  const When& when = *node.when;
  if (is_unsure(node) || when.is_stretch() || when.is_now) return std::nullopt;
  return time_node(open_from(when, false));
}

Result up_to(const Node& node, bool through_it) {
  const When& when = *node.when;
  if (is_unsure(node) || when.is_stretch() || when.is_now) return std::nullopt;
  return time_node(open_to(when, through_it));
}

}  // namespace

Rules open_ended() {
  return {
      {"<point> or|and later|after|onward|onwards|newer|beyond|thereafter",
       [](const Args& a) { return from_on(a[0]); }},
      {"<point> onward|onwards|forward|forwards|and_on", [](const Args& a) { return from_on(a[0]); }},
      {"from <point> forward|forwards|and_on", [](const Args& a) { return from_on(a[0]); }},
      {"<point> or|and earlier|before|older|prior", [](const Args& a) { return up_to(a[0], false); }},
      {"<point> at_the_earliest", [](const Args& a) { return from_on(a[0]); }},
      {"<point> at_the_latest|latest", [](const Args& a) { return up_to(a[0], true); }},
      {"at_or_after|on_or_later_than|not_before|not_earlier_than|no_sooner_than|not_until|as_early_as|"
       "beginning_on|beginning_from|beginning_in|starting_in|starting_at|commencing|commencing_on|effective|as_of|as_"
       "from "
       "<point>",
       [](const Args& a) { return from_on(a[0]); }},
      {"beginning <point>", [](const Args& a) { return a[0].latent ? Result() : from_on(a[0]); }},
      {"at_or_before|not_later_than|not_after|ending|ending_on|ending_in|finishing|finishing_on <point>",
       [](const Args& a) { return up_to(a[0], false); }},
      {"through|thru|up_to_and_including|until_and_including|as_late_as|until_the_end_of <point>",
       [](const Args& a) -> Result {
         // "Through the night" is all of it.
         if (a.when(0).has_time() || !a.when(0).date) return std::nullopt;
         return up_to(a[0], true);
       }},
      // "What are you up to this evening?" asks for no time.
      {"up_to|up_until <point>",
       [](const Args& a) -> Result {
         if (a.when(0).part) return std::nullopt;
         return up_to(a[0], false);
       }},
      {"all_of|throughout|the_whole_of|the_entirety_of|all_through <coarse>",
       [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"all <coarse>", [](const Args& a) { return a[0].latent ? Result() : Result(time_node(a.when(0))); }},
      {"all_day|the_whole_day <daydate>", [](const Args& a) -> Result { return time_node(a.when(0)); }},
      {"<daydate> all_day", [](const Args& a) -> Result { return time_node(a.when(0)); }},
  };
}

}  // namespace weft::timex::english
