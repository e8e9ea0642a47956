#include "flow/historian/antecedents.h"

#include <algorithm>

namespace weft {
namespace {

// Farther back nothing is meant by a pronoun; it also bounds the work for each.
constexpr std::size_t kReach = 24;

bool fits(const Mention& mention, MentionKind kind, bool plural, Gender gender) {
  if (mention.kind != kind || mention.plural != plural) return false;
  return mention.gender == Gender::kUnknown || gender == Gender::kUnknown || mention.gender == gender;
}

}  // namespace

void Antecedents::advance(std::size_t at) {
  for (; next_ < within_.size() && within_[next_].end <= at; ++next_) mentions_.push_back(within_[next_]);
}

std::vector<Mention> Antecedents::find(MentionKind kind, bool plural, Gender gender,
                                       const std::vector<std::string>& not_these) const {
  std::vector<Mention> found;
  const std::size_t reach = std::min(mentions_.size(), kReach);
  for (std::size_t i = 0; i < reach; ++i) {
    const Mention& mention = mentions_[mentions_.size() - 1 - i];
    if (!found.empty() && mention.distance > found.front().distance) break;
    if (!fits(mention, kind, plural, gender)) continue;
    const auto same = [&](const auto& other) { return other.text == mention.text; };
    if (std::any_of(found.begin(), found.end(), same)) continue;
    if (std::find(not_these.begin(), not_these.end(), mention.text) != not_these.end()) continue;
    found.push_back(mention);
  }
  return found;
}

std::string possessive(const std::string& name, bool plural) {
  return name + (plural && !name.empty() && name.back() == 's' ? "'" : "'s");
}

}  // namespace weft
