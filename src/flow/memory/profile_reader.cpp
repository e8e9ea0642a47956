#include "flow/memory/profile_reader.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "flow/memory/profile_phrases.h"
#include "text/words.h"

namespace weft {
namespace {

using ProfileStatements = std::vector<ProfileStatement>;

template <class List, class Value>
bool holds(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// No name of somebody who is not known begins so.
std::string subject_of(const std::string& member) { return "@" + member; }

}  // namespace

ProfileReader::ProfileReader(const ProfileSubject& subject)
    : members_(subject.members), group_(subject.type == EntityType::kGroup) {
  for (const std::string_view word : {"user", "the user", "用户", "group", "the group", "本群", "群"}) {
    names_.insert(normalize(word));
  }
  for (const auto& name : subject.names) names_.insert(normalize(trimmed(name)));
  for (const MemberLabel& one : members_) {
    if (one.id.empty())
      names_.insert(normalize(one.label));
    else
      ids_.emplace(normalize(one.label), one.id);
  }
}

// A member's name may be written in any way: the grammar reads "the user" in its place.
ProfileStatements ProfileReader::about_entity(std::string_view sentence) const {
  const MemberLabel* const member = member_at_start(sentence);
  std::string of_user;
  if (member != nullptr) {
    const std::string_view rest = sentence.substr(member->label.size());
    of_user = (language_of(rest) == Language::kChinese ? "用户" : "The user") + std::string(rest);
  }
  const std::string whose = member == nullptr || member->id.empty() ? "" : subject_of(member->id);
  ProfileStatements statements = read_statements(member == nullptr ? sentence : of_user);
  std::erase_if(statements, [&](ProfileStatement& statement) {
    std::string name = normalize(statement.subject);
    if (name.empty() || is_self(name)) {
      statement.subject = whose;
      return false;
    }
    if (const auto known = ids_.find(name); known != ids_.end()) {
      statement.subject = subject_of(known->second);
      return false;
    }
    // What is said of those who belong to somebody is known of somebody.
    const std::string related = relation_of(name);
    statement.subject = related.empty() ? std::move(name) : (related.starts_with('\'') ? whose : "") + related;
    return !group_ && related.empty();
  });
  return statements;
}

// By the longest of the labels; "Ann" does not begin "Annabel".
const MemberLabel* ProfileReader::member_at_start(std::string_view sentence) const {
  const auto at = std::find_if(members_.begin(), members_.end(), [&](const MemberLabel& one) {
    if (!sentence.starts_with(one.label)) return false;
    const std::string_view rest = sentence.substr(one.label.size());
    return rest.empty() || (!is_letter(rest.front()) && !is_digit(rest.front()));
  });
  return at == members_.end() ? nullptr : &*at;
}

ProfileStatements ProfileReader::of(const ProfileLine& line) const {
  if (line.content.size() > kMaxReadLine) return {};
  if (!line.bullet || line.section == ProfileSection::kEarlier || line.section == ProfileSection::kNotes) return {};
  std::vector<std::string> over;
  for (const auto& mark : marks_of(line.content)) over.push_back(value_key(mark.value));
  ProfileStatements statements = about_entity(without_marks(line.content));
  for (auto& statement : statements) {
    std::erase_if(statement.values, [&](const auto& value) { return holds(over, value); });
  }
  std::erase_if(statements, [](const ProfileStatement& statement) { return statement.values.empty(); });
  return statements;
}

// "ann", "ann (123)", "ann(123)": by name, by id, or by both.
bool ProfileReader::is_self(const std::string& name) const {
  if (names_.contains(name)) return true;
  const auto open = name.find('(');
  if (open == std::string::npos || name.back() != ')') return false;
  const std::string outer(trimmed(name.substr(0, open))), inner(trimmed(name.substr(open + 1, name.size() - open - 2)));
  return names_.contains(inner) || (names_.contains(outer) && inner.empty());
}

// "the user's sister", "ann's sister", 用户的妹妹: whose she is, said in one way. Empty where it is nobody of theirs.
std::string ProfileReader::relation_of(const std::string& name) const {
  for (const std::string_view mark : {"'s ", "的"}) {
    const auto at = name.find(mark);
    if (at == std::string::npos || at + mark.size() >= name.size()) continue;
    const std::string owner(trimmed(std::string_view(name).substr(0, at)));
    const std::string of = "'s " + std::string(trimmed(std::string_view(name).substr(at + mark.size())));
    if (is_self(owner)) return of;
    if (const auto known = ids_.find(owner); known != ids_.end()) return subject_of(known->second) + of;
  }
  return {};
}

bool same_topic(const ProfileStatement& a, const ProfileStatement& b) {
  const bool any = a.attribute == kAnyAttribute || b.attribute == kAnyAttribute;
  return (any || a.attribute == b.attribute) && a.subject == b.subject;
}

bool share_value(const ProfileStatement& a, const ProfileStatement& b) {
  return std::any_of(a.values.begin(), a.values.end(), [&](const auto& value) { return holds(b.values, value); });
}

namespace {

// Whether all words of a value stand in another one: "dog" in "dog called rex".
bool is_part_of(const std::string& value, const std::string& whole) {
  return (" " + whole + " ").find(" " + value + " ") != std::string::npos;
}

// Whether one says that somebody has what the other says they do not: "has a dog called Rex", "has two dogs".
bool speaks_of_same_thing(const ProfileStatement& lacks, const ProfileStatement& has) {
  constexpr std::string_view kNumber = "number of ";
  if (lacks.attribute != "has" || lacks.subject != has.subject) return false;
  const bool counted = has.attribute.starts_with(kNumber);
  if (!counted && has.attribute != "has") return false;
  return std::any_of(lacks.values.begin(), lacks.values.end(), [&](const std::string& thing) {
    if (counted) return has.attribute.substr(kNumber.size()) == thing;
    return std::any_of(has.values.begin(), has.values.end(), [&](const auto& one) { return is_part_of(thing, one); });
  });
}

bool is_yes(const ProfileStatement& statement) { return statement.polarity == Polarity::kYes; }

}  // namespace

bool covers(const ProfileStatement& now, const ProfileStatement& before) {
  return std::all_of(before.values.begin(), before.values.end(), [&](const std::string& old) {
    return std::any_of(now.values.begin(), now.values.end(), [&](const std::string& value) {
      return value == old || (now.attribute == "has" && (is_part_of(value, old) || is_part_of(old, value)));
    });
  });
}

bool ends(const ProfileStatement& now, const ProfileStatement& before) {
  if (is_yes(now) != is_yes(before) && speaks_of_same_thing(is_yes(now) ? before : now, is_yes(now) ? now : before))
    return true;
  if (!same_topic(now, before)) return false;
  if (now.polarity == Polarity::kNoLonger) return before.polarity != Polarity::kNoLonger && share_value(now, before);
  if (is_yes(now) != is_yes(before)) return share_value(now, before);
  // "Takes atorvastatin with food" tells no other dose.
  const auto has_number = [](const ProfileStatement& one) {
    return one.value.find_first_of("0123456789") != std::string::npos;
  };
  if (now.attribute.starts_with("medicine ") && has_number(before) && !has_number(now)) return false;
  return now.single && is_yes(now) && is_yes(before) && !share_value(now, before);
}

std::string dated(std::string_view date, std::string_view text, bool until) {
  const bool chinese = language_of(text) == Language::kChinese;
  const std::string_view word = !until ? "" : chinese ? "至 " : "until ";
  return std::string(word) + std::string(date) + (chinese ? "：" : ": ") + std::string(text);
}

std::string_view without_date(std::string_view content) {
  for (const std::string_view word : {"until ", "至 "}) {
    if (content.starts_with(word)) content.remove_prefix(word.size());
  }
  constexpr std::size_t kDate = 10;
  if (content.size() <= kDate || content[4] != '-' || content[7] != '-') return content;
  const auto behind = content.substr(kDate);
  for (const std::string_view colon : {": ", "："}) {
    if (behind.starts_with(colon)) return behind.substr(colon.size());
  }
  return content;
}

std::string over_mark(std::string_view date, const std::string& value, std::string_view content) {
  return language_of(content) == Language::kChinese ? "（至 " + std::string(date) + "：" + value + "）"
                                                    : " (until " + std::string(date) + ": " + value + ")";
}

std::vector<OverMark> marks_of(std::string_view content) {
  constexpr std::string_view kOpen = " (until ", kOpenChinese = "（至 ";
  std::vector<OverMark> marks;
  for (std::size_t at = 0; at < content.size();) {
    const auto english = content.find(kOpen, at), chinese = content.find(kOpenChinese, at);
    const auto open = std::min(english, chinese);
    if (open == std::string_view::npos) break;
    const std::string_view colon = open == english ? ": " : "：", close = open == english ? ")" : "）";
    const auto value = content.find(colon, open), end = content.find(close, open);
    if (value == std::string_view::npos || end == std::string_view::npos || value > end) break;
    marks.push_back(
        {open, end + close.size(), std::string(content.substr(value + colon.size(), end - value - colon.size()))});
    at = end + close.size();
  }
  return marks;
}

std::string without_marks(std::string content) {
  const auto marks = marks_of(content);
  for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) content.erase(mark->begin, mark->end - mark->begin);
  return content;
}

}  // namespace weft
