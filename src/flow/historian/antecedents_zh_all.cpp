#include <algorithm>
#include <iterator>

#include "flow/historian/antecedents.h"
#include "flow/historian/chinese_text.h"
#include "text/lexicon.h"

namespace weft {
namespace {

// 我同事李雷 is one, under his name.
void merge_with_relatives(std::vector<Mention>& mentions) {
  for (std::size_t i = 1; i < mentions.size(); ++i) {
    Mention& name = mentions[i];
    const Mention& relative = mentions[i - 1];
    const bool apposed = name.kind == MentionKind::kPerson && name.proper && relative.kind == MentionKind::kPerson &&
                         !relative.proper && !relative.plural && relative.end == name.begin;
    if (!apposed) continue;
    name.begin = relative.begin;
    if (relative.gender != Gender::kUnknown) name.gender = relative.gender;
    mentions.erase(mentions.begin() + static_cast<std::ptrdiff_t>(--i));
  }
}

// 杨总您好, 有请杨总: spoken to. Who then speaks is not "he".
void mark_called(std::string_view text, std::vector<Mention>& mentions) {
  static const auto kBefore = lexicon("zh/people", "before who is called"),
                    kBehind = lexicon("zh/people", "behind who is called");
  for (Mention& mention : mentions) {
    const std::string_view before = text.substr(0, mention.begin), behind = text.substr(mention.end);
    mention.called =
        std::any_of(kBefore.begin(), kBefore.end(), [&](std::string_view word) { return before.ends_with(word); }) ||
        std::any_of(kBehind.begin(), kBehind.end(), [&](std::string_view word) { return behind.starts_with(word); });
  }
}

// Whether people of a kind stand inside a person's mention, or are the role of one: 名叫约翰的客户. The persons are in
// the order of their ends.
bool is_of_person(std::string_view text, const Mention& kind, const std::vector<Mention>& persons) {
  const std::size_t from = kind.begin >= kHanSize ? kind.begin - kHanSize : 0;
  auto near =
      std::partition_point(persons.begin(), persons.end(), [from](const Mention& person) { return person.end < from; });
  for (std::size_t looked_at = 0; near != persons.end() && looked_at < 4; ++near, ++looked_at) {
    if (near->begin < kind.end && kind.begin < near->end) return true;
    const std::string_view before = text.substr(0, near->begin);
    const bool called = before.ends_with("叫") || before.ends_with("名为");
    if (called && near->end + kHanSize == kind.begin && starts_at(text, near->end, "的")) return true;
  }
  return false;
}

}  // namespace

std::vector<Mention> chinese_mentions(std::string_view text, const HanBreaks& breaks, const Voices& voices,
                                      const std::vector<std::string>& names) {
  auto mentions = chinese_persons(text, breaks, voices, names);
  merge_with_relatives(mentions);
  mark_called(text, mentions);
  std::vector<Mention> kinds = chinese_people_of_a_kind(text, breaks);
  std::erase_if(kinds, [&](const Mention& kind) { return is_of_person(text, kind, mentions); });
  mentions.insert(mentions.end(), std::make_move_iterator(kinds.begin()), std::make_move_iterator(kinds.end()));
  for (Mention& thing : chinese_things(text)) mentions.push_back(std::move(thing));
  for (Mention& it : chinese_its(text, breaks, voices)) mentions.push_back(std::move(it));
  std::stable_sort(mentions.begin(), mentions.end(), [](const Mention& a, const Mention& b) { return a.end < b.end; });
  return mentions;
}

}  // namespace weft
