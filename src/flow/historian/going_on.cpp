#include "flow/historian/going_on.h"

#include <algorithm>

namespace weft {
namespace {

// May be said of anybody and was said by the way.
bool is_vague(const Mention& one) {
  return one.gender == Gender::kUnknown && !one.proper && !one.echo && !one.subject && (!one.animal || one.aside);
}

bool is_telling(const Mention& one) {
  return (one.gender != Gender::kUnknown || one.proper || one.echo) && !one.animal;
}

// Whether nothing is known of any who fit, so that somebody farther back may be meant as well.
bool is_open(const std::vector<Mention>& fitting) {
  const auto said = [](const Mention& one) { return is_telling(one) || (one.animal && !one.aside); };
  if (fitting.front().distance == 0 || std::any_of(fitting.begin(), fitting.end(), said)) return false;
  return fitting.size() > 1 || is_vague(fitting.front());
}

}  // namespace

std::vector<Mention> going_on(std::vector<Mention> fitting) {
  const auto is_echo = [](const Mention& one) { return one.echo; };
  const auto echo = std::find_if(fitting.begin(), fitting.end(), is_echo);
  if (echo == fitting.end() || std::count_if(fitting.begin(), fitting.end(), is_echo) > 1) return fitting;
  const bool other = std::any_of(fitting.begin(), echo, [](const Mention& one) {
    return one.subject || (one.plural && one.distance > 0 && !one.bare);
  });
  return other ? fitting : std::vector<Mention>{*echo};
}

std::vector<Mention> more_telling(std::vector<Mention> fitting, const Reference& reference,
                                  const Antecedents& antecedents, std::vector<std::string> not_these) {
  constexpr int kTries = 3;
  if (fitting.empty()) return fitting;
  // "She told her": not herself.
  if (reference.form != PronounForm::kObject) fitting = going_on(std::move(fitting));
  if (std::any_of(fitting.begin(), fitting.end(), is_telling)) std::erase_if(fitting, is_vague);
  if (!is_open(fitting)) return fitting;
  auto nearer = fitting;
  for (int tries = 0; tries < kTries; ++tries) {
    for (const Mention& mention : nearer) not_these.push_back(mention.text);
    nearer = antecedents.find(MentionKind::kPerson, false, reference.gender, not_these);
    if (nearer.empty() || nearer.front().distance > kFarthestName) break;
    if (std::all_of(nearer.begin(), nearer.end(), is_telling)) return nearer;
    if (!std::all_of(nearer.begin(), nearer.end(), is_vague)) break;
  }
  return fitting;
}

}  // namespace weft
