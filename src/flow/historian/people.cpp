#include "flow/historian/people.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"

namespace weft {
namespace {

constexpr std::size_t kMostCandidates = 3;
constexpr std::size_t kSmallCircle = 4;  // others: among so few, everybody can be named

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

std::string joined(const std::vector<std::string>& names, Language language) {
  const bool chinese = language == Language::kChinese;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? (chinese ? "和" : " and ") : (chinese ? "、" : ", ");
    text += names[i];
  }
  return text;
}

}  // namespace

std::string name_of(const Person& person) { return person.name.empty() ? person.id : person.name; }

People::People(const Speech& speech, std::string_view text) {
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

std::vector<std::string> People::me() const {
  return sender_.empty() ? std::vector<std::string>() : std::vector<std::string>{sender_};
}

std::vector<std::string> People::you() const {
  if (!addressee_.empty()) return {addressee_};
  auto rest = others();
  return rest.size() <= kMostCandidates ? rest : std::vector<std::string>();
}

std::vector<std::string> People::you_all(Language language, bool& plural) const {
  const auto rest = others();
  plural = true;
  // In a small circle everybody else is meant.
  if (rest.size() > 1 && rest.size() <= kSmallCircle) return {joined(rest, language)};
  plural = false;
  return addressee_.empty() ? std::vector<std::string>() : std::vector<std::string>{addressee_};
}

std::vector<std::string> People::us(Language language, bool inclusive) const {
  if (sender_.empty()) return {};
  if (inclusive && !addressee_.empty()) return {joined({sender_, addressee_}, language)};
  const auto rest = others();
  if (inclusive && !rest.empty() && rest.size() <= kSmallCircle) {
    std::vector<std::string> all = {sender_};
    all.insert(all.end(), rest.begin(), rest.end());
    return {joined(all, language)};
  }
  // The speaker is meant for certain; who else, only the speaker knows.
  return {sender_ + (language == Language::kChinese ? "等人" : " and others")};
}

}  // namespace weft
