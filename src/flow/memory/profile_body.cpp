#include "flow/memory/profile_merge.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::string_view kMarkerBegin = "<!-- ", kMarkerFrom = "from ", kMarkerTime = " at ",
                           kMarkerEnded = "ended by ", kMarkerEnd = " -->";
constexpr std::string_view kFlag = " ⚠ (contradicts another line)", kFlagChinese = " ⚠（与另一行矛盾）";

struct Title {
  ProfileSection section;
  std::string_view english, chinese;
};
// In the order in which new ones are put.
constexpr std::array kTitles{
    Title{ProfileSection::kFacts, "Facts", "基本信息"}, Title{ProfileSection::kPreferences, "Preferences", "偏好"},
    Title{ProfileSection::kNotes, "Notes", "备注"}, Title{ProfileSection::kEarlier, "Earlier", "以前"}};

// Ids come from outside: what could end the comment or the list of ids is encoded.
std::string encode_id(std::string_view id) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : id) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = is_digit(c) || is_letter(c) || byte >= 0x80 || c == ':' || c == '_' || c == '.' || c == '#' ||
                       c == '/' || (c == '-' && (out.empty() || out.back() != '-'));
    if (plain) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string decode_id(std::string_view text) {
  std::string id;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low < 0) {
      id += text[i];
      continue;
    }
    id += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return id;
}

std::string join_ids(const std::vector<std::string>& ids, std::string_view separator) {
  std::string text;
  for (const auto& id : ids) text += (text.empty() ? "" : std::string(separator)) + encode_id(id);
  return text;
}

std::vector<std::string> split_ids(std::string_view text) {
  std::vector<std::string> ids;
  while (!text.empty()) {
    const auto end = text.find_first_of(",+");
    if (const auto id = trimmed(text.substr(0, end)); !id.empty()) ids.push_back(decode_id(id));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return ids;
}

std::string marker(const ProfileLine& line) {
  std::string inner;
  if (!line.sources.empty()) {
    inner = std::string(kMarkerFrom) + join_ids(line.sources, line.mixed ? " + " : ", ");
    if (line.time) inner += std::string(kMarkerTime) + format_time(*line.time);
  }
  if (!line.ended_by.empty()) {
    inner += (inner.empty() ? "" : "; ") + std::string(kMarkerEnded) + join_ids(line.ended_by, ", ");
  }
  return inner.empty() ? "" : " " + std::string(kMarkerBegin) + inner + std::string(kMarkerEnd);
}

// Takes the marker off the end of a bullet. What only looks like one stays part of the text.
void read_marker(std::string_view& rest, ProfileLine& line) {
  if (!rest.ends_with(kMarkerEnd)) return;
  const auto at = rest.rfind(kMarkerBegin);
  if (at == std::string_view::npos || at + kMarkerBegin.size() + kMarkerEnd.size() > rest.size()) return;
  std::string_view inner = rest.substr(at + kMarkerBegin.size());
  inner.remove_suffix(kMarkerEnd.size());
  if (inner.find("-->") != std::string_view::npos) return;
  if (!inner.starts_with(kMarkerFrom) && !inner.starts_with(kMarkerEnded)) return;
  if (const auto ended = inner.rfind(kMarkerEnded); ended != std::string_view::npos) {
    line.ended_by = split_ids(inner.substr(ended + kMarkerEnded.size()));
    inner = inner.substr(0, ended);
    if (inner.ends_with("; ")) inner.remove_suffix(2);
  }
  if (inner.starts_with(kMarkerFrom)) inner.remove_prefix(kMarkerFrom.size());
  if (const auto time_at = inner.rfind(kMarkerTime); time_at != std::string_view::npos) {
    const auto time = parse_time(inner.substr(time_at + kMarkerTime.size()));
    if (time.ok()) {
      line.time = *time;
      inner = inner.substr(0, time_at);
    }
  }
  line.sources = split_ids(inner);
  line.mixed = line.sources.size() > 1 && inner.find('+') != std::string_view::npos;
  rest = trimmed(rest.substr(0, at));
}

void read_bullet(std::string_view text, ProfileLine& line) {
  const auto sign = text.find_first_not_of(" \t");
  if (sign == std::string_view::npos || sign + 1 >= text.size()) return;
  if (std::string_view("-*+").find(text[sign]) == std::string_view::npos || text[sign + 1] != ' ') return;
  std::string_view rest = trimmed(text.substr(sign + 2));
  if (rest.empty()) return;
  line.bullet = true;
  line.indent = text.substr(0, sign + 2);
  read_marker(rest, line);
  for (const auto flag : {trimmed(kFlag), trimmed(kFlagChinese)}) {
    if (!rest.ends_with(flag)) continue;
    line.flagged = true;
    rest = trimmed(rest.substr(0, rest.size() - flag.size()));
  }
  line.content = rest;
}

int heading_level(std::string_view text) {
  const auto level = text.find_first_not_of('#');
  return level != std::string_view::npos && level >= 1 && level <= 6 && text[level] == ' ' ? static_cast<int>(level)
                                                                                           : 0;
}

ProfileSection section_of(std::string_view heading) {
  const std::string title = normalize(trimmed(heading.substr(heading.find_first_not_of('#'))));
  for (const Title& known : kTitles) {
    if (title == normalize(known.english) || title == known.chinese) return known.section;
  }
  if (title == "history" || title == "历史") return ProfileSection::kEarlier;
  return ProfileSection::kOther;
}

bool is_fence(std::string_view line) {
  const auto text = trimmed(line);
  return text.starts_with("```") || text.starts_with("~~~");
}

// Code blocks are left alone. One that is not closed is none, or everything behind it would be out of reach.
std::vector<bool> find_code(const std::vector<std::string_view>& lines) {
  std::vector<bool> code(lines.size());
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_fence(lines[i])) continue;
    if (!open) {
      open = i;
    } else if (trimmed(lines[i]).substr(0, 3) == trimmed(lines[*open]).substr(0, 3)) {
      std::fill(code.begin() + static_cast<std::ptrdiff_t>(*open), code.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                true);
      open.reset();
    }
  }
  return code;
}

ProfileLine plain_line(std::string text, ProfileSection section) {
  ProfileLine line;
  line.text = std::move(text);
  line.section = section;
  return line;
}

// Puts a section that is missing before the first that comes after it, else at the end. Gives where it begins and where
// its first bullet goes.
std::pair<std::size_t, std::size_t> make_section(std::vector<ProfileLine>& lines, ProfileSection section,
                                                 Language language) {
  const auto later = std::find_if(lines.begin(), lines.end(),
                                  [&](const ProfileLine& line) { return line.heading > 0 && line.section > section; });
  auto at = static_cast<std::size_t>(later - lines.begin());
  if (at > 0 && !lines[at - 1].text.ends_with('\n')) lines[at - 1].text += '\n';
  const std::string name(section_title(section, language));
  std::vector<ProfileLine> added;
  if (at > 0 && !trimmed(lines[at - 1].text).empty()) added.push_back(plain_line("\n", lines[at - 1].section));
  added.push_back(plain_line("## " + name + "\n", section));
  added.back().heading = 2;
  added.push_back(plain_line("\n", section));
  const std::size_t behind = at + added.size();
  if (at < lines.size()) added.push_back(plain_line("\n", section));
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), added.begin(), added.end());
  return {at, behind};
}

}  // namespace

std::string_view section_title(ProfileSection section, Language language) {
  const auto title = std::find_if(kTitles.begin(), kTitles.end(), [&](const Title& t) { return t.section == section; });
  if (title == kTitles.end()) return {};
  return language == Language::kChinese ? title->chinese : title->english;
}

std::string_view profile_title(EntityType type, Language language) {
  const bool user = type == EntityType::kUser;
  if (language == Language::kChinese) return user ? "# 用户侧写" : "# 群侧写";
  return user ? "# User profile" : "# Group profile";
}

bool is_profile_title(std::string_view line) {
  for (const EntityType type : {EntityType::kUser, EntityType::kGroup})
    for (const Language language : {Language::kEnglish, Language::kChinese})
      if (trimmed(line) == profile_title(type, language)) return true;
  return false;
}

std::vector<ProfileLine> read_lines(std::string_view body) {
  std::vector<std::string_view> texts;
  while (!body.empty()) {
    const auto end = body.find('\n');
    texts.push_back(body.substr(0, end == std::string_view::npos ? body.size() : end + 1));
    body.remove_prefix(texts.back().size());
  }
  const auto code = find_code(texts);
  std::vector<ProfileLine> lines(texts.size());
  ProfileSection section = ProfileSection::kOther;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ProfileLine& line = lines[i];
    line.text = texts[i];
    if (!code[i]) {
      line.heading = heading_level(texts[i]);
      if (line.heading > 0) {
        section = section_of(texts[i]);
      } else {
        read_bullet(texts[i], line);
      }
    }
    line.section = section;
  }
  return lines;
}

std::string join_lines(const std::vector<ProfileLine>& lines) {
  std::string body;
  for (const auto& line : lines) body += line.text;
  return body;
}

void render(ProfileLine& line) {
  const bool windows = line.text.ends_with("\r\n");
  const bool chinese = language_of(line.content) == Language::kChinese;
  line.text = line.indent + line.content;
  if (line.flagged) line.text += chinese ? kFlagChinese : kFlag;
  line.text += marker(line) + (windows ? "\r\n" : "\n");
}

ProfileLine make_bullet(std::string content, std::string event_id, Time time) {
  ProfileLine line;
  line.bullet = true;
  line.indent = "- ";
  line.content = std::move(content);
  if (!event_id.empty()) line.sources = {std::move(event_id)};
  line.time = time;
  render(line);
  return line;
}

InsertedLines add_to_section(std::vector<ProfileLine>& lines, ProfileSection section, std::vector<ProfileLine> bullets,
                             Language language) {
  const std::size_t before = lines.size();
  const auto heading = std::find_if(
      lines.begin(), lines.end(), [&](const ProfileLine& line) { return line.heading > 0 && line.section == section; });
  std::size_t at = 0, first = 0;
  if (heading == lines.end()) {
    const auto made = make_section(lines, section, language);
    first = made.first;
    at = made.second;
  } else {
    at = static_cast<std::size_t>(heading - lines.begin()) + 1;
    std::size_t last = at;  // behind the section's last line that is not blank
    for (; at < lines.size() && lines[at].heading == 0; ++at) {
      if (!trimmed(lines[at].text).empty()) last = at + 1;
    }
    at = first = last;
    if (!lines[at - 1].text.ends_with('\n')) lines[at - 1].text += '\n';
    if (lines[at - 1].heading > 0 && at < lines.size() && lines[at].heading == 0) {
      first = ++at;  // the blank line under the heading is there
    } else if (lines[at - 1].heading > 0) {
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), plain_line("\n", section));
      ++at;
    }
  }
  for (auto& bullet : bullets) {
    bullet.section = section;
    if (!lines.front().text.ends_with("\r\n")) continue;
    bullet.text = "\r\n";  // the line end that is kept
    render(bullet);
  }
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(bullets.begin()),
               std::make_move_iterator(bullets.end()));
  return {first, lines.size() - before};
}

std::string without_markers(std::string_view body) {
  auto lines = read_lines(body);
  for (auto& line : lines) {
    if (line.sources.empty() && line.ended_by.empty()) continue;
    line.sources.clear();
    line.ended_by.clear();
    render(line);
  }
  return join_lines(lines);
}

std::vector<std::string> body_sources(std::string_view body) {
  std::vector<std::string> ids;
  for (const auto& line : read_lines(body)) {
    ids.insert(ids.end(), line.sources.begin(), line.sources.end());
    ids.insert(ids.end(), line.ended_by.begin(), line.ended_by.end());
  }
  std::erase(ids, kUnknownEvent);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

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
