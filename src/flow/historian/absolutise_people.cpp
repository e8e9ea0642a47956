#include <algorithm>

#include "flow/historian/absolutise_parts.h"

#include "base/ascii.h"

namespace weft {
namespace {

constexpr std::size_t kMostCandidates = 3;

bool is_word_byte(char c) { return is_letter(c) || (static_cast<unsigned char>(c) >= 0x80); }

// Whether a text calls somebody by name: "Ann, can you …", "thanks, Ann!", 小王，….
bool calls(std::string_view text, const std::string& name) {
  constexpr std::string_view kSeparators = ",!?.:";
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + name.size())) {
    const std::size_t end = at + name.size();
    const bool stop_behind = end == text.size() || kSeparators.find(text[end]) != std::string_view::npos ||
                             text.compare(end, 3, "，") == 0 || text.compare(end, 3, "！") == 0 ||
                             text.compare(end, 3, "：") == 0;
    if (!stop_behind) continue;
    std::size_t before = at;
    while (before > 0 && text[before - 1] == ' ') --before;
    if (before == 0 || text[before - 1] == ',' || text[before - 1] == '@' ||
        (before >= 3 && text.compare(before - 3, 3, "，") == 0))
      return true;
    // "Hey Ann!": one word before it.
    std::size_t word = before;
    while (word > 0 && is_word_byte(text[word - 1])) --word;
    if (word == 0 && before - word <= 6) return true;
  }
  return false;
}

void add_name(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// The one who is spoken to, where it is certain.
std::string find_addressee(const Speech& speech, std::string_view text, const std::vector<std::string>& others) {
  if (speech.addressee) return name_of(*speech.addressee);
  if (speech.mentions.size() == 1) return name_of(speech.mentions.front());
  if (speech.reply_to) return name_of(*speech.reply_to);
  if (others.size() == 1) return others.front();
  std::vector<std::string> called;
  std::copy_if(others.begin(), others.end(), std::back_inserter(called),
               [&](const auto& name) { return calls(text, name); });
  return called.size() == 1 ? called.front() : std::string();
}

}  // namespace

std::string name_of(const Person& person) { return person.name.empty() ? person.id : person.name; }

std::string alternatives(const std::vector<std::string>& candidates, Language language) {
  const bool chinese = language == Language::kChinese;
  const std::size_t count = std::min(candidates.size(), kMostCandidates);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += i + 1 == count ? (chinese ? "或" : " or ") : (chinese ? "、" : ", ");
    text += candidates[i];
  }
  return text;
}

std::string Candidates::remark(const Meant& meant, Language language) {
  if (meant.sure || meant.candidates.empty() || !told_.insert(meant.candidates).second) return {};
  const std::string names = alternatives(meant.candidates, language);
  return language == Language::kChinese ? "（可能是" + names + "）" : " (possibly " + names + ")";
}

Meant meant_by(const std::vector<Mention>& fitting, const std::string& fallback, bool plural_fallback) {
  Meant meant;
  if (fitting.size() == 1) {
    meant.text = fitting.front().text;
    meant.plural = fitting.front().plural;
    return meant;
  }
  meant.sure = false;
  meant.text = fallback;
  meant.plural = plural_fallback;
  for (std::size_t i = 0; i < fitting.size() && i < kMostCandidates; ++i) meant.candidates.push_back(fitting[i].text);
  return meant;
}

People::People(const Speech& speech, std::string_view text, Language language)
    : chinese_(language == Language::kChinese) {
  sender_ = name_of(speech.sender);
  std::vector<std::string> rest;
  for (const Person& person : speech.participants) add_name(rest, name_of(person));
  for (const Person& person : speech.mentions) add_name(rest, name_of(person));
  if (speech.addressee) add_name(rest, name_of(*speech.addressee));
  if (speech.reply_to) add_name(rest, name_of(*speech.reply_to));
  rest.erase(std::remove(rest.begin(), rest.end(), sender_), rest.end());
  addressee_ = find_addressee(speech, text, rest);
  add_name(names_, sender_);
  for (const std::string& name : rest) add_name(names_, name);
}

std::vector<std::string> People::others() const {
  std::vector<std::string> rest;
  std::copy_if(names_.begin(), names_.end(), std::back_inserter(rest),
               [&](const auto& name) { return name != sender_; });
  return rest;
}

std::string People::join(const std::vector<std::string>& names) const {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? (chinese_ ? "和" : " and ") : (chinese_ ? "、" : ", ");
    text += names[i];
  }
  return text;
}

Meant People::me() const {
  if (!sender_.empty()) return {sender_, false, true, {}};
  return {chinese_ ? "说话人" : "the speaker", false, false, {}};
}

Meant People::you() const {
  if (!addressee_.empty()) return {addressee_, false, true, {}};
  return {chinese_ ? "对方" : "the addressee", false, false, others()};
}

Meant People::you_all() const {
  const auto rest = others();
  // In a small circle everybody else is meant; else somebody and those with them.
  if (rest.size() > 1 && rest.size() <= 4) return {join(rest), true, true, {}};
  const Meant one = you();
  return {one.text + (chinese_ ? "等人" : " and others"), true, false, {}};
}

Meant People::us(bool inclusive) const {
  const Meant self = me();
  const auto rest = others();
  if (inclusive && !addressee_.empty()) return {join({self.text, addressee_}), true, true, {}};
  if (inclusive && !rest.empty() && rest.size() <= 4) {
    std::vector<std::string> all = {self.text};
    all.insert(all.end(), rest.begin(), rest.end());
    return {join(all), true, true, {}};
  }
  // The speaker is meant for certain; who else, only the speaker knows.
  return {self.text + (chinese_ ? "等人" : " and others"), true, false,
          rest.size() <= 4 ? rest : std::vector<std::string>()};
}

}  // namespace weft
