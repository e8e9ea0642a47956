#include "flow/historian/antecedents.h"

#include <algorithm>
#include <array>
#include <iterator>

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

std::vector<Mention> mentions_of(TextAnalysis& analysis, const Voices& voices, const std::vector<std::string>& people) {
  auto mentions = english_mentions(analysis.words(), analysis.text(), voices, people);
  auto chinese = chinese_mentions(analysis.text(), analysis.han(), voices, people);
  mentions.insert(mentions.end(), std::make_move_iterator(chinese.begin()), std::make_move_iterator(chinese.end()));
  std::stable_sort(mentions.begin(), mentions.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
  join_named_together(analysis.text(), mentions);
  return mentions;
}

std::vector<Mention> without_labels(std::vector<Mention> mentions, std::string_view text) {
  std::erase_if(mentions, [&](const Mention& mention) {
    const std::string_view behind = text.substr(std::min(mention.end, text.size()));
    if (mention.kind != MentionKind::kPerson) return false;
    // 小李，…: called at the beginning of what is said, but not 小李，他….
    const bool first = mention.begin == 0 || text.substr(0, mention.begin).ends_with("：");
    const bool called = first && behind.starts_with("，") && !behind.starts_with("，他") && !behind.starts_with("，她");
    return called || behind.starts_with("：") || behind.starts_with(": ");
  });
  return mentions;
}

void join_named_together(std::string_view text, std::vector<Mention>& mentions) {
  constexpr auto kAnd = std::to_array<std::string_view>({" and ", " & ", "和", "跟", "与", "、", ", ", "以及"});
  std::vector<Mention> pairs;
  for (std::size_t i = 0; i + 1 < mentions.size(); ++i) {
    const Mention& a = mentions[i];
    const Mention& b = mentions[i + 1];
    // "Lisa and her family": several together, too.
    const bool with_theirs = b.plural && b.bound;
    if (a.kind != MentionKind::kPerson || b.kind != MentionKind::kPerson) continue;
    // "Two cats and a dog".
    const bool of_a_kind = text.substr(a.end).starts_with(" and ") && a.animal == b.animal && a.plural != b.plural &&
                           !a.collective && !b.collective;
    if ((a.plural || (b.plural && !with_theirs)) && !of_a_kind) continue;
    if (b.begin < a.end || b.begin - a.end > 6 || a.text == b.text) continue;
    const std::string_view between = text.substr(a.end, b.begin - a.end);
    if (std::find(kAnd.begin(), kAnd.end(), between) == kAnd.end()) continue;
    const bool chinese = static_cast<unsigned char>(between[0]) >= 0x80;
    Mention both = b;
    both.begin = a.begin;
    both.text = a.text + (chinese ? "和" : " and ") + b.text;
    both.plural = true;
    both.subject = a.subject || b.subject;
    both.bound = false;
    both.gender = a.gender == b.gender ? a.gender : Gender::kUnknown;
    pairs.push_back(std::move(both));
  }
  mentions.insert(mentions.end(), pairs.begin(), pairs.end());
  std::stable_sort(mentions.begin(), mentions.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
}

std::string possessive(const std::string& name, bool plural) {
  return name + (plural && !name.empty() && name.back() == 's' ? "'" : "'s");
}

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
