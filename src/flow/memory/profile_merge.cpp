#include "flow/memory/profile_merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "flow/memory/profile_body.h"
#include "flow/memory/profile_statements.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

using Lines = std::vector<ProfileLine>;
using Statements = std::vector<Statement>;

constexpr std::size_t kMaxRead = 4000;

template <class List, class Value>
bool holds(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// A sentence as it may stand in a line: on one line, unable to open or close a comment.
std::string as_line(std::string_view sentence, std::size_t max) {
  std::string text;
  for (const char c : sentence) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7F;
    if (!blank) text += c;
    if (blank && !text.empty() && text.back() != ' ') text += ' ';
  }
  text = replaced(std::move(text), "<!--", "< !--");
  text = replaced(std::move(text), "-->", "-- >");
  text = std::string(trim(text));
  if (text.size() <= max) return text;
  return std::string(trim(cut_bytes(text, max))) + " …";
}

// "until 2026-03-01: …" of earlier lines and "2026-03-01: …" of notes.
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

// "(until 2026-03-01: berlin)" in a line that says several things, of which one is over.
std::string over_mark(std::string_view date, const std::string& value, std::string_view content) {
  return language_of(content) == Language::kChinese ? "（至 " + std::string(date) + "：" + value + "）"
                                                    : " (until " + std::string(date) + ": " + value + ")";
}

struct OverMark {
  std::size_t begin = 0, end = 0;
  std::string value;
};

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

// Takes the marks off a line's text and gives what they say is over.
std::vector<std::string> take_marks(std::string& content) {
  std::vector<std::string> over;
  const auto marks = marks_of(content);
  for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) {
    over.push_back(value_key(mark->value));
    content.erase(mark->begin, mark->end - mark->begin);
  }
  return over;
}

// Reads statements with their subject made one: empty for the entity itself.
class Reader {
 public:
  explicit Reader(const ProfileSubject& subject) : group_(subject.type == EntityType::kGroup) {
    for (const std::string_view word : {"user", "the user", "用户", "group", "the group", "本群", "群"}) {
      names_.insert(normalize(word));
    }
    for (const auto& name : subject.names) names_.insert(normalize(trim(name)));
  }

  Statements about_entity(std::string_view sentence) const {
    Statements statements = read_statements(sentence);
    std::erase_if(statements, [&](Statement& statement) {
      std::string name = normalize(statement.subject);
      if (name.empty() || is_self(name)) {
        statement.subject.clear();
        return false;
      }
      statement.subject = std::move(name);
      return !group_;
    });
    return statements;
  }

  // What a line of the body says today.
  Statements of(const ProfileLine& line) const {
    // What is far longer than a line that merging writes says too much to be moved about.
    if (line.content.size() > kMaxRead) return {};
    if (!line.bullet || line.section == ProfileSection::kEarlier || line.section == ProfileSection::kNotes) return {};
    std::string content = line.content;
    const auto over = take_marks(content);
    Statements statements = about_entity(content);
    for (auto& statement : statements) {
      std::erase_if(statement.values, [&](const auto& value) { return holds(over, value); });
    }
    std::erase_if(statements, [](const Statement& statement) { return statement.values.empty(); });
    return statements;
  }

 private:
  // "ann", "ann (123)", "ann(123)": by name, by id, or by both.
  bool is_self(const std::string& name) const {
    if (names_.contains(name)) return true;
    const auto open = name.find('(');
    if (open == std::string::npos || name.back() != ')') return false;
    const std::string outer(trim(name.substr(0, open))), inner(trim(name.substr(open + 1, name.size() - open - 2)));
    return names_.contains(inner) || (names_.contains(outer) && inner.empty());
  }

  std::set<std::string> names_;
  bool group_;
};

bool same_topic(const Statement& a, const Statement& b) { return a.attribute == b.attribute && a.subject == b.subject; }

bool share_value(const Statement& a, const Statement& b) {
  return std::any_of(a.values.begin(), a.values.end(), [&](const auto& value) { return holds(b.values, value); });
}

bool within(const Statement& inner, const Statement& outer) {
  return std::all_of(inner.values.begin(), inner.values.end(), [&](const auto& v) { return holds(outer.values, v); });
}

// Whether a new statement puts an end to an old one.
bool ends(const Statement& now, const Statement& before) {
  if (!same_topic(now, before)) return false;
  if (now.polarity == Polarity::kNoLonger) return before.polarity != Polarity::kNoLonger && share_value(now, before);
  if (before.polarity == Polarity::kNoLonger) return now.polarity == Polarity::kYes && share_value(now, before);
  return now.single && now.polarity == Polarity::kYes && before.polarity == Polarity::kYes && !share_value(now, before);
}

// Flags follow from what stands in the lines, so they are made anew each time and vanish with their reason.
void set_flags(Lines& lines, const std::vector<Statements>& statements) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, int> said;  // bit 1: yes, bit 2: no
  const auto bit = [](const Statement& s) {
    return s.polarity == Polarity::kYes ? 1 : s.polarity == Polarity::kNo ? 2 : 0;
  };
  for (const auto& line : statements) {
    for (const auto& s : line) {
      for (const auto& value : s.values) said[{s.subject, s.attribute, value}] |= bit(s);
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    bool flagged = false;
    for (const auto& s : statements[i]) {
      for (const auto& value : s.values) flagged |= bit(s) != 0 && said[{s.subject, s.attribute, value}] == 3;
    }
    if (flagged == lines[i].flagged || !lines[i].bullet) continue;
    lines[i].flagged = flagged;
    render(lines[i]);
  }
}

// Whether all content words of a line are in a sentence.
bool says_no_more(std::string_view line, std::string_view sentence) {
  const auto words = index_words(sentence);
  const std::set<std::string> known(words.begin(), words.end());
  const auto said = index_words(line);
  return std::all_of(said.begin(), said.end(), [&](const auto& word) { return known.contains(word); });
}

std::string event_or_unknown(const std::string& id) { return id.empty() ? std::string(kUnknownEvent) : id; }

// One merge of one piece of information.
class Merge {
 public:
  Merge(std::string_view body, const ProfileInfo& info, const Reader& reader)
      : lines_(read_lines(body)), info_(info), reader_(reader), date_(format_date(info.time)) {
    for (const auto& line : lines_) said_.push_back(reader_.of(line));
  }

  void add(const std::string& sentence) {
    if (sentence.empty() || is_known(sentence)) return;
    const Statements statements = reader_.about_entity(sentence);
    if (statements.empty()) return note(sentence);
    if (confirm(statements, sentence)) return;
    if (const auto newer = newer_value(statements, info_.time)) return put_late(sentence, statements, *newer);
    std::string old = end_former(statements);
    const bool ended = !old.empty();
    const std::string against = ended ? std::string() : contradicted(statements);
    const auto section =
        is_preference(statements.front().attribute) ? ProfileSection::kPreferences : ProfileSection::kFacts;
    put(section, sentence);
    const auto action = ended ? MergeAction::kReplaced : against.empty() ? MergeAction::kAdded : MergeAction::kConflict;
    changes_.push_back({action, statements.front().attribute, sentence, ended ? std::move(old) : against});
  }

  void shrink(std::size_t max) {
    std::size_t size = 0;
    for (const auto& line : lines_) size += line.text.size();
    std::vector<bool> drop(lines_.size());
    for (const auto section : {ProfileSection::kNotes, ProfileSection::kEarlier}) {
      for (std::size_t i = 0; i < lines_.size() && size > max; ++i) {
        if (lines_[i].section != section || lines_[i].sources.empty()) continue;
        changes_.push_back({MergeAction::kDropped, {}, lines_[i].content, {}});
        size -= lines_[i].text.size();
        drop[i] = true;
      }
    }
    take(drop);
  }

  // Puts a line back whose end is not known any more: among what holds today, unless something else ends it.
  void restore(ProfileLine line) {
    line.section = ProfileSection::kFacts;
    const Statements statements = reader_.of(line);
    if (const auto newer = newer_value(statements, line.time.value_or(Time{}))) {
      return insert(ProfileSection::kEarlier, {as_earlier(std::move(line), *newer)});
    }
    const bool preference = !statements.empty() && is_preference(statements.front().attribute);
    render(line);
    insert(preference ? ProfileSection::kPreferences : ProfileSection::kFacts, {std::move(line)});
  }

  MergeResult result() {
    set_flags(lines_, said_);
    return {join_lines(lines_), std::move(changes_)};
  }

 private:
  // Whether this event has said so already, wherever its line has gone since.
  bool is_known(const std::string& sentence) const {
    return std::any_of(lines_.begin(), lines_.end(), [&](const ProfileLine& line) {
      if (!line.bullet || line.content.size() > kMaxRead || !holds(line.sources, info_.event_id)) return false;
      std::string content(without_date(line.content));
      take_marks(content);
      return without_date(content) == sentence || line.content == sentence;
    });
  }

  // One more event from which the line can be known. Not where the line says more than the sentence: when its first
  // event is erased, what only that one said must go.
  void bear_witness(ProfileLine& line, const std::string& sentence) {
    if (line.mixed || !says_no_more(without_date(line.content), sentence)) return;
    if (line.sources.empty() || info_.event_id.empty() || holds(line.sources, info_.event_id)) return;
    line.sources.push_back(info_.event_id);
    if (!line.time || *line.time < info_.time) line.time = info_.time;
    render(line);
    changes_.push_back({MergeAction::kConfirmed, {}, line.content, {}});
  }

  // The first line that says this value of a statement.
  std::optional<std::size_t> line_with(const Statement& now, const std::string& value) const {
    for (std::size_t i = 0; i < said_.size(); ++i) {
      for (const auto& before : said_[i]) {
        if (same_topic(now, before) && now.polarity == before.polarity && holds(before.values, value)) return i;
      }
    }
    return std::nullopt;
  }

  // All of it stands there already: the lines get one more witness.
  bool confirm(const Statements& statements, const std::string& sentence) {
    std::set<std::size_t> witnesses;
    for (const auto& now : statements) {
      for (const auto& value : now.values) {
        const auto line = line_with(now, value);
        if (!line) return false;
        witnesses.insert(*line);
      }
    }
    for (const auto at : witnesses) bear_witness(lines_[at], sentence);
    return true;
  }

  // A line that ends what is said now, and was said later.
  std::optional<std::size_t> newer_value(const Statements& statements, Time time) const {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i].time || *lines_[i].time <= time) continue;
      for (const auto& before : statements) {
        const auto over = [&](const Statement& later) { return ends(later, before); };
        if (std::any_of(said_[i].begin(), said_[i].end(), over)) return i;
      }
    }
    return std::nullopt;
  }

  void put_late(const std::string& sentence, const Statements& statements, std::size_t newer) {
    const std::string now = lines_[newer].content;
    insert(ProfileSection::kEarlier, {as_earlier(make_bullet(sentence, info_.event_id, info_.time), newer)});
    changes_.push_back({MergeAction::kLate, statements.front().attribute, sentence, now});
  }

  // Moves lines that are over to the earlier ones; marks them where they say more than that. Gives what is over.
  std::string end_former(const Statements& statements) {
    std::string old;
    Lines moved;
    std::vector<bool> gone(lines_.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      Statements over = said_[i];
      std::erase_if(over, [&](const Statement& before) {
        return std::none_of(statements.begin(), statements.end(),
                            [&](const Statement& now) { return ends(now, before); });
      });
      if (over.empty()) continue;
      old += (old.empty() ? "" : "; ") + lines_[i].content;
      if (is_all_over(said_[i], over, statements)) {
        gone[i] = true;
        moved.push_back(as_earlier(lines_[i], date_, info_.event_id));
      } else {
        mark_over(i, over, statements);
      }
    }
    if (moved.empty()) return old;
    take(gone);
    insert(ProfileSection::kEarlier, std::move(moved));
    return old;
  }

  static bool is_all_over(const Statements& all, const Statements& over, const Statements& now) {
    if (over.size() != all.size()) return false;
    return std::all_of(over.begin(), over.end(), [&](const Statement& before) {
      return std::any_of(now.begin(), now.end(), [&](const Statement& later) {
        return ends(later, before) && (before.single || within(before, later));
      });
    });
  }

  static ProfileLine as_earlier(ProfileLine line, std::string_view date, const std::string& event_id) {
    line.indent = "- ";
    line.flagged = false;
    line.content = dated(date, line.content, true);
    line.ended_by.push_back(event_or_unknown(event_id));
    render(line);
    return line;
  }
  ProfileLine as_earlier(ProfileLine line, std::size_t newer) const {
    const auto& sources = lines_[newer].sources;
    return as_earlier(std::move(line), format_date(*lines_[newer].time), sources.empty() ? "" : sources.front());
  }

  void mark_over(std::size_t at, const Statements& over, const Statements& now) {
    ProfileLine& line = lines_[at];
    const std::string before = line.content;
    for (const auto& statement : over) {
      for (std::size_t i = 0; i < statement.parts.size(); ++i) {
        const std::string key = value_key(statement.parts[i]);
        if (!holds(statement.values, key)) continue;  // over already
        const bool is_over = std::any_of(now.begin(), now.end(), [&](const Statement& later) {
          return ends(later, statement) && (statement.single || holds(later.values, key));
        });
        if (!is_over) continue;
        line.content += over_mark(date_, statement.parts[i], before);
        line.ended_by.push_back(event_or_unknown(info_.event_id));
      }
    }
    render(line);
    said_[at] = reader_.of(line);
  }

  std::string contradicted(const Statements& statements) const {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      for (const auto& before : said_[i]) {
        for (const auto& now : statements) {
          const bool against = (now.polarity == Polarity::kYes && before.polarity == Polarity::kNo) ||
                               (now.polarity == Polarity::kNo && before.polarity == Polarity::kYes);
          if (against && same_topic(now, before) && share_value(now, before)) return lines_[i].content;
        }
      }
    }
    return {};
  }

  void note(const std::string& sentence) {
    for (auto& line : lines_) {
      if (line.section == ProfileSection::kNotes && line.bullet && without_date(line.content) == sentence) {
        return bear_witness(line, sentence);
      }
      // What a person wrote in the same words needs no note.
      if (line.bullet && line.content == sentence) return bear_witness(line, sentence);
    }
    put(ProfileSection::kNotes, dated(date_, sentence, false));
    changes_.push_back({MergeAction::kNoted, {}, sentence, {}});
  }

  void put(ProfileSection section, std::string content) {
    insert(section, {make_bullet(std::move(content), info_.event_id, info_.time)});
  }

  void insert(ProfileSection section, Lines bullets) {
    const Language language = language_of(bullets.front().content);
    const auto in = add_to_section(lines_, section, std::move(bullets), language);
    const auto first = static_cast<std::ptrdiff_t>(in.first);
    said_.insert(said_.begin() + first, in.count, Statements());
    for (std::size_t i = in.first; i < in.first + in.count; ++i) said_[i] = reader_.of(lines_[i]);
  }

  void take(const std::vector<bool>& gone) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (gone[i]) continue;
      if (left != i) {
        lines_[left] = std::move(lines_[i]);
        said_[left] = std::move(said_[i]);
      }
      ++left;
    }
    lines_.resize(left);
    said_.resize(left);
  }

  Lines lines_;
  const ProfileInfo& info_;
  const Reader& reader_;
  std::string date_;
  std::vector<Statements> said_;  // by the lines, what each says today
  std::vector<MergeChange> changes_;
};

std::string title_of(EntityType type, std::string_view text) {
  const bool chinese = language_of(text) == Language::kChinese, user = type == EntityType::kUser;
  return chinese ? (user ? "# 用户侧写\n" : "# 群侧写\n") : (user ? "# User profile\n" : "# Group profile\n");
}

}  // namespace

std::string_view to_string(MergeAction action) {
  switch (action) {
    case MergeAction::kAdded: return "added";
    case MergeAction::kReplaced: return "replaced";
    case MergeAction::kConfirmed: return "confirmed";
    case MergeAction::kLate: return "late";
    case MergeAction::kNoted: return "noted";
    case MergeAction::kConflict: return "conflict";
    case MergeAction::kDropped: return "dropped";
  }
  return "?";
}

MergeResult merge_profile(std::string_view body, const ProfileInfo& info, const ProfileSubject& subject,
                          const MergeLimits& limits) {
  const std::string text = repair_utf8(info.text);
  const auto parts = sentences(text);
  if (parts.empty()) return {std::string(body), {}};
  const Reader reader(subject);
  const bool fresh = trim(body).empty();
  Merge merge(fresh ? title_of(subject.type, text) : std::string(body), info, reader);
  for (std::size_t i = 0; i < parts.size() && i < limits.max_sentences; ++i) {
    merge.add(as_line(parts[i], limits.max_line));
  }
  merge.shrink(limits.max_body);
  MergeResult result = merge.result();
  if (fresh && result.changes.empty()) result.body = body;
  return result;
}

namespace {

using Ids = std::set<std::string>;

// Whether a line has nothing left to stand on. Takes the erased events off it else.
bool takes_away(ProfileLine& line, const Ids& gone) {
  const auto before = line.sources.size();
  std::erase_if(line.sources, [&](const auto& id) { return gone.contains(id); });
  return line.sources.size() < before && (line.mixed || line.sources.empty());
}

// Takes back what erased events had brought to an end. True if the line as a whole holds again.
bool revives(ProfileLine& line, const Ids& gone) {
  const bool whole = line.section == ProfileSection::kEarlier;
  auto ended = line.ended_by;
  bool revived = false;
  if (whole && !ended.empty()) {
    revived = gone.contains(ended.back());
    ended.pop_back();
  }
  // Marks of people stand before ours; the last ones belong to the events.
  const auto marks = marks_of(line.content);
  const std::size_t ours = std::min(marks.size(), ended.size());
  for (std::size_t i = ours; i > 0; --i) {
    if (!gone.contains(ended[ended.size() - ours + i - 1])) continue;
    const OverMark& mark = marks[marks.size() - ours + i - 1];
    line.content.erase(mark.begin, mark.end - mark.begin);
  }
  std::erase_if(line.ended_by, [&](const auto& id) { return gone.contains(id); });
  if (revived) line.content = std::string(without_date(line.content));
  return revived;
}

}  // namespace

RemovedSources remove_sources(std::string_view body, const std::vector<std::string>& event_ids,
                              const ProfileSubject& subject) {
  const Ids gone(event_ids.begin(), event_ids.end());
  Lines left, revived;
  RemovedSources removed;
  bool touched = false;
  for (auto& line : read_lines(body)) {
    const auto named = [&](const auto& id) { return gone.contains(id); };
    if (std::none_of(line.sources.begin(), line.sources.end(), named) &&
        std::none_of(line.ended_by.begin(), line.ended_by.end(), named)) {
      left.push_back(std::move(line));
      continue;
    }
    touched = true;
    if (takes_away(line, gone)) {
      removed.lines.push_back(std::move(line.content));
      continue;
    }
    ++removed.kept;
    const bool again = revives(line, gone);
    if (!again) render(line);
    (again ? revived : left).push_back(std::move(line));
  }
  if (!touched) return {std::string(body), {}, 0};
  const Reader reader(subject);
  const ProfileInfo nothing;
  Merge merge(join_lines(left), nothing, reader);
  for (auto& line : revived) merge.restore(std::move(line));
  removed.body = merge.result().body;
  return removed;
}

}  // namespace weft
