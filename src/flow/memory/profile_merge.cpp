#include "flow/memory/profile_merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

// The work of merging one piece of information into one body; `merge_profile` and `remove_sources` are its callers.
// For one thread.
class ProfileMerger {
 public:
  /// `info` and `reader` must outlive it.
  ProfileMerger(std::string_view body, const ProfileInfo& info, const ProfileReader& reader);

  /// Merges one sentence, already on one line.
  void add(const std::string& sentence);

  /// Takes the oldest notes and earlier lines away until the body has at most `max` bytes; what people wrote stays.
  void shrink(std::size_t max);

  /// Puts a line back whose end is not known any more: among what holds today, unless something else ends it.
  void restore(ProfileLine line);

  /// The body as it is now, with its flags, and what was done. Once.
  MergeResult result();

 private:
  using Lines = std::vector<ProfileLine>;
  using ProfileStatements = std::vector<ProfileStatement>;

  bool is_known(const std::string& sentence) const;
  void bear_witness(ProfileLine& line, const std::string& sentence);
  std::optional<std::size_t> line_with(const ProfileStatement& now, const std::string& value) const;
  bool confirm(const ProfileStatements& statements, const std::string& sentence);
  std::optional<std::size_t> newer_value(const ProfileStatements& statements, Time time) const;
  void put_late(const std::string& sentence, const ProfileStatements& statements, std::size_t newer);
  void end_only(const std::string& sentence, const ProfileStatements& statements);
  void replace_named(const std::string& sentence);
  std::string end_named();
  void retire(const std::vector<bool>& gone, Lines moved);
  std::string end_former(const ProfileStatements& statements);
  static bool is_all_over(const ProfileStatements& all, const ProfileStatements& over, const ProfileStatements& now);
  static ProfileLine as_earlier(ProfileLine line, std::string_view date, const std::string& event_id);
  ProfileLine as_earlier(ProfileLine line, std::size_t newer) const;
  void mark_over(std::size_t at, const ProfileStatements& over, const ProfileStatements& now);
  void note(const std::string& sentence);
  void end_like(const std::string& sentence);
  void put(ProfileSection section, std::string content);
  void insert(ProfileSection section, Lines bullets);
  void take(const std::vector<bool>& gone);

  Lines lines_;
  const ProfileInfo& info_;
  const ProfileReader& reader_;
  std::string date_;
  std::vector<ProfileStatements> said_;  // by the lines, what each says today
  std::vector<MergeChange> changes_;
  std::vector<std::string> over_;  // events of the lines that the current sentence ends
};

using Lines = std::vector<ProfileLine>;
using ProfileStatements = std::vector<ProfileStatement>;

template <class List, class Value>
bool holds(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Flags follow from what stands in the lines, so they are made anew each time and vanish with their reason.
void set_flags(Lines& lines, const std::vector<ProfileStatements>& statements) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, int> said;  // bit 1: yes, bit 2: no
  const auto bit = [](const ProfileStatement& s) {
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

// What a person wrote stays.
bool is_prunable(const ProfileLine& line) { return line.bullet && !line.sources.empty(); }

// How much of what two notes say is the same; notes of one subject share most of their words.
double likeness(std::string_view a, std::string_view b) {
  const auto first = index_words(a), second = index_words(b);
  const std::set<std::string> one(first.begin(), first.end()), other(second.begin(), second.end());
  const auto both = std::count_if(one.begin(), one.end(), [&](const auto& word) { return other.contains(word); });
  const auto least = std::min(one.size(), other.size());
  return least == 0 ? 0 : static_cast<double>(both) / static_cast<double>(least);
}

std::string event_or_unknown(const std::string& id) { return id.empty() ? std::string(kUnknownEvent) : id; }

ProfileMerger::ProfileMerger(std::string_view body, const ProfileInfo& info, const ProfileReader& reader)
    : lines_(read_lines(body)), info_(info), reader_(reader), date_(format_date(info.time)) {
  for (const auto& line : lines_) said_.push_back(reader_.of(line));
}

void ProfileMerger::add(const std::string& sentence) {
  if (sentence.empty() || is_known(sentence)) return;
  const ProfileStatements statements = reader_.about_entity(sentence);
  if (!info_.lasts) return end_only(sentence, statements);
  if (statements.empty() && !info_.over.empty()) return replace_named(sentence);
  if (statements.empty()) return note(sentence);
  if (confirm(statements, sentence)) return;
  if (const auto newer = newer_value(statements, info_.time)) return put_late(sentence, statements, *newer);
  std::string old = end_former(statements);
  if (const std::string more = end_named(); !more.empty()) old += (old.empty() ? "" : "; ") + more;
  const bool ended = !old.empty();
  const auto section =
      is_preference(statements.front().attribute) ? ProfileSection::kPreferences : ProfileSection::kFacts;
  put(section, sentence);
  const auto action = ended ? MergeAction::kReplaced : MergeAction::kAdded;
  changes_.push_back({action, statements.front().attribute, sentence, std::move(old), std::exchange(over_, {})});
}

void ProfileMerger::shrink(std::size_t max) {
  std::size_t size = 0;
  for (const auto& line : lines_) size += line.text.size();
  if (size <= max) return;
  std::vector<bool> drop(lines_.size());
  // First what another line of the section says as well.
  std::vector<std::vector<std::string>> words(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!lines_[i].bullet || lines_[i].content.size() > kMaxReadLine) continue;
    words[i] = index_words(without_date(lines_[i].content));
    std::sort(words[i].begin(), words[i].end());
  }
  for (std::size_t i = 0; i < lines_.size() && size > max; ++i) {
    if (!is_prunable(lines_[i]) || words[i].empty()) continue;
    for (std::size_t j = 0; j < lines_.size(); ++j) {
      if (i == j || drop[j] || lines_[j].section != lines_[i].section) continue;
      if (!std::includes(words[j].begin(), words[j].end(), words[i].begin(), words[i].end())) continue;
      changes_.push_back({MergeAction::kDropped, {}, lines_[i].content, lines_[i].text});
      size -= lines_[i].text.size();
      drop[i] = true;
      break;
    }
  }
  for (const auto section : {ProfileSection::kNotes, ProfileSection::kEarlier}) {
    for (std::size_t i = 0; i < lines_.size() && size > max; ++i) {
      if (lines_[i].section != section || !is_prunable(lines_[i]) || drop[i]) continue;
      changes_.push_back({MergeAction::kDropped, {}, lines_[i].content, lines_[i].text});
      size -= lines_[i].text.size();
      drop[i] = true;
    }
  }
  take(drop);
}

void ProfileMerger::restore(ProfileLine line) {
  line.section = ProfileSection::kFacts;
  const ProfileStatements statements = reader_.of(line);
  if (const auto newer = newer_value(statements, line.time.value_or(Time{}))) {
    return insert(ProfileSection::kEarlier, {as_earlier(std::move(line), *newer)});
  }
  const bool preference = !statements.empty() && is_preference(statements.front().attribute);
  render(line);
  insert(preference ? ProfileSection::kPreferences : ProfileSection::kFacts, {std::move(line)});
}

MergeResult ProfileMerger::result() {
  set_flags(lines_, said_);
  return {join_lines(lines_), std::move(changes_)};
}

// Ends the lines that a fact replaces. The fact itself does not last and gets no line.
void ProfileMerger::end_only(const std::string& sentence, const ProfileStatements& statements) {
  if (const auto newer = newer_value(statements, info_.time)) {
    changes_.push_back({MergeAction::kLate, statements.front().attribute, sentence, lines_[*newer].content});
    return;
  }
  std::string old = end_former(statements);
  if (const std::string more = end_named(); !more.empty()) old += (old.empty() ? "" : "; ") + more;
  if (old.empty()) return;
  changes_.push_back({MergeAction::kEnded, {}, sentence, std::move(old), std::exchange(over_, {})});
}

// What the grammar does not understand, but what it takes the place of is known.
void ProfileMerger::replace_named(const std::string& sentence) {
  std::string old = end_named();
  put(ProfileSection::kFacts, sentence);
  const auto action = old.empty() ? MergeAction::kAdded : MergeAction::kReplaced;
  changes_.push_back({action, {}, sentence, std::move(old), std::exchange(over_, {})});
}

// Moves the lines of the events that are over to the earlier ones. Gives what they said.
std::string ProfileMerger::end_named() {
  std::string old;
  Lines moved;
  std::vector<bool> gone(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const ProfileLine& line = lines_[i];
    if (!is_prunable(line) || line.section == ProfileSection::kEarlier) continue;
    if (std::none_of(line.sources.begin(), line.sources.end(), [&](const auto& id) { return holds(info_.over, id); }))
      continue;
    old += (old.empty() ? "" : "; ") + line.content;
    over_.insert(over_.end(), line.sources.begin(), line.sources.end());
    gone[i] = true;
    moved.push_back(as_earlier(line, date_, info_.event_id));
  }
  retire(gone, std::move(moved));
  return old;
}

// Lines that are over go to the earlier ones, as they are to stand there.
void ProfileMerger::retire(const std::vector<bool>& gone, Lines moved) {
  if (moved.empty()) return;
  take(gone);
  insert(ProfileSection::kEarlier, std::move(moved));
}

// Whether this event has said so already, wherever its line has gone since.
bool ProfileMerger::is_known(const std::string& sentence) const {
  return std::any_of(lines_.begin(), lines_.end(), [&](const ProfileLine& line) {
    if (!line.bullet || line.content.size() > kMaxReadLine || !holds(line.sources, info_.event_id)) return false;
    const std::string content = without_marks(std::string(without_date(line.content)));
    return without_date(content) == sentence || line.content == sentence;
  });
}

// One more event from which the line can be known. Not where the line says more than the sentence: when its first
// event is erased, what only that one said must go.
void ProfileMerger::bear_witness(ProfileLine& line, const std::string& sentence) {
  if (line.mixed || !says_no_more(without_date(line.content), sentence)) return;
  if (line.sources.empty() || info_.event_id.empty() || holds(line.sources, info_.event_id)) return;
  line.sources.push_back(info_.event_id);
  if (!line.time || *line.time < info_.time) line.time = info_.time;
  render(line);
  changes_.push_back({MergeAction::kConfirmed, {}, line.content, {}});
}

// The first line that says this value of a statement.
std::optional<std::size_t> ProfileMerger::line_with(const ProfileStatement& now, const std::string& value) const {
  for (std::size_t i = 0; i < said_.size(); ++i) {
    for (const auto& before : said_[i]) {
      if (same_topic(now, before) && now.polarity == before.polarity && holds(before.values, value)) return i;
    }
  }
  return std::nullopt;
}

// All of it stands there already: the lines get one more witness.
bool ProfileMerger::confirm(const ProfileStatements& statements, const std::string& sentence) {
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
std::optional<std::size_t> ProfileMerger::newer_value(const ProfileStatements& statements, Time time) const {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!lines_[i].time || *lines_[i].time < time) continue;
    const bool newer = *lines_[i].time > time || std::any_of(lines_[i].sources.begin(), lines_[i].sources.end(),
                                                             [&](const auto& id) { return holds(info_.later, id); });
    if (!newer) continue;
    for (const auto& before : statements) {
      const auto over = [&](const ProfileStatement& later) { return ends(later, before); };
      if (std::any_of(said_[i].begin(), said_[i].end(), over)) return i;
    }
  }
  return std::nullopt;
}

void ProfileMerger::put_late(const std::string& sentence, const ProfileStatements& statements, std::size_t newer) {
  const std::string now = lines_[newer].content;
  insert(ProfileSection::kEarlier, {as_earlier(make_bullet(sentence, info_.event_id, info_.time), newer)});
  changes_.push_back({MergeAction::kLate, statements.front().attribute, sentence, now});
}

// Moves lines that are over to the earlier ones; marks them where they say more than that. Gives what is over.
std::string ProfileMerger::end_former(const ProfileStatements& statements) {
  std::string old;
  Lines moved;
  std::vector<bool> gone(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    ProfileStatements over = said_[i];
    std::erase_if(over, [&](const ProfileStatement& before) {
      return std::none_of(statements.begin(), statements.end(),
                          [&](const ProfileStatement& now) { return ends(now, before); });
    });
    if (over.empty()) continue;
    old += (old.empty() ? "" : "; ") + lines_[i].content;
    over_.insert(over_.end(), lines_[i].sources.begin(), lines_[i].sources.end());
    if (is_all_over(said_[i], over, statements)) {
      gone[i] = true;
      moved.push_back(as_earlier(lines_[i], date_, info_.event_id));
    } else {
      mark_over(i, over, statements);
    }
  }
  retire(gone, std::move(moved));
  return old;
}

bool ProfileMerger::is_all_over(const ProfileStatements& all, const ProfileStatements& over,
                                const ProfileStatements& now) {
  if (over.size() != all.size()) return false;
  return std::all_of(over.begin(), over.end(), [&](const ProfileStatement& before) {
    return std::any_of(now.begin(), now.end(), [&](const ProfileStatement& later) {
      return ends(later, before) && (before.single || covers(later, before));
    });
  });
}

ProfileLine ProfileMerger::as_earlier(ProfileLine line, std::string_view date, const std::string& event_id) {
  line.indent = "- ";
  line.flagged = false;
  line.content = dated(date, line.content, true);
  line.ended_by.push_back(event_or_unknown(event_id));
  render(line);
  return line;
}

ProfileLine ProfileMerger::as_earlier(ProfileLine line, std::size_t newer) const {
  const auto& sources = lines_[newer].sources;
  return as_earlier(std::move(line), format_date(*lines_[newer].time), sources.empty() ? "" : sources.front());
}

void ProfileMerger::mark_over(std::size_t at, const ProfileStatements& over, const ProfileStatements& now) {
  ProfileLine& line = lines_[at];
  const std::string before = line.content;
  for (const auto& statement : over) {
    for (std::size_t i = 0; i < statement.parts.size(); ++i) {
      const std::string key = value_key(statement.parts[i]);
      if (!holds(statement.values, key)) continue;  // over already
      const bool is_over = std::any_of(now.begin(), now.end(), [&](const ProfileStatement& later) {
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

void ProfileMerger::note(const std::string& sentence) {
  for (auto& line : lines_) {
    if (line.section == ProfileSection::kNotes && line.bullet && without_date(line.content) == sentence) {
      return bear_witness(line, sentence);
    }
    // What a person wrote in the same words needs no note.
    if (line.bullet && line.content == sentence) return bear_witness(line, sentence);
  }
  if (reader_.is_of_group()) end_like(sentence);
  put(ProfileSection::kNotes, dated(date_, sentence, false));
  changes_.push_back({MergeAction::kNoted, {}, sentence, {}});
}

// A group's notes are no diary: what is said anew of a matter takes the place of what was said of it before.
void ProfileMerger::end_like(const std::string& sentence) {
  constexpr double kSameMatter = 0.7;
  std::vector<bool> gone(lines_.size());
  Lines moved;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const ProfileLine& line = lines_[i];
    if (line.section != ProfileSection::kNotes || !is_prunable(line)) continue;
    if (likeness(without_date(line.content), sentence) < kSameMatter) continue;
    gone[i] = true;
    ProfileLine former = line;
    former.content = std::string(without_date(line.content));
    moved.push_back(as_earlier(std::move(former), date_, info_.event_id));
  }
  retire(gone, std::move(moved));
}

// In a group what is known of one person stands together.
void ProfileMerger::put(ProfileSection section, std::string content) {
  ProfileLine bullet = make_bullet(std::move(content), info_.event_id, info_.time);
  bullet.section = section;
  const ProfileStatements says = reader_.of(bullet);
  if (!reader_.is_of_group() || says.empty()) return insert(section, {std::move(bullet)});
  for (std::size_t i = lines_.size(); i-- > 0;) {
    if (lines_[i].section != section || said_[i].empty() || said_[i].front().subject != says.front().subject) continue;
    if (!lines_[i].text.ends_with('\n')) lines_[i].text += '\n';
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(bullet));
    said_.insert(said_.begin() + static_cast<std::ptrdiff_t>(i) + 1, says);
    return;
  }
  insert(section, {std::move(bullet)});
}

void ProfileMerger::insert(ProfileSection section, Lines bullets) {
  const Language language = language_of(bullets.front().content);
  const auto in = add_to_section(lines_, section, std::move(bullets), language);
  const auto first = static_cast<std::ptrdiff_t>(in.first);
  said_.insert(said_.begin() + first, in.count, ProfileStatements());
  for (std::size_t i = in.first; i < in.first + in.count; ++i) said_[i] = reader_.of(lines_[i]);
}

void ProfileMerger::take(const std::vector<bool>& gone) {
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
  text = std::string(trimmed(text));
  if (text.size() <= max) return text;
  return std::string(trimmed(cut_bytes(text, max))) + " …";
}

}  // namespace

std::string_view to_string(MergeAction action) {
  switch (action) {
    case MergeAction::kAdded: return "added";
    case MergeAction::kReplaced: return "replaced";
    case MergeAction::kConfirmed: return "confirmed";
    case MergeAction::kLate: return "late";
    case MergeAction::kNoted: return "noted";
    case MergeAction::kEnded: return "ended";
    case MergeAction::kDropped: return "dropped";
  }
  return "?";
}

MergeResult merge_profile(std::string_view body, const ProfileInfo& info, const ProfileSubject& subject,
                          const MergeLimits& limits) {
  const std::string text = repair_utf8(info.text);
  const auto parts = sentences(text);
  if (parts.empty()) return {std::string(body), {}};
  const ProfileReader reader(subject);
  const bool fresh = trimmed(body).empty();
  ProfileMerger merge(fresh ? std::string(profile_title(subject.type, language_of(text))) + "\n" : std::string(body),
                      info, reader);
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
  const ProfileReader reader(subject);
  const ProfileInfo nothing;
  ProfileMerger merge(join_lines(left), nothing, reader);
  for (auto& line : revived) merge.restore(std::move(line));
  removed.body = merge.result().body;
  return removed;
}

}  // namespace weft
