#include "flow/memory/day_log.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/fault_point.h"
#include "base/log.h"
#include "base/strings.h"

namespace weft {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBegin = " <!-- ", kEnd = " -->", kExtension = ".md";
constexpr std::string_view kShortened = "<!-- shortened -->";
constexpr const char *kAdded = "weft", *kReplaced = "edit";  // authors of versions: of lines, and of whole days
constexpr int kTries = 20;                                   // another program may be faster
constexpr std::size_t kAll = std::numeric_limits<std::int32_t>::max();

bool is_heading(std::string_view line) { return line.starts_with("## "); }

std::string marked(std::string line, const std::string& mark) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  for (auto at = line.find("<!--"); at != std::string::npos; at = line.find("<!--", at)) line.replace(at, 4, "< !--");
  return line + std::string(kBegin) + mark + std::string(kEnd);
}

// The mark at the end of a line; empty where there is none.
std::string_view mark_of(std::string_view line) {
  const auto at = line.rfind(kBegin);
  if (at == std::string_view::npos || !line.ends_with(kEnd)) return {};
  return line.substr(at + kBegin.size(), line.size() - at - kBegin.size() - kEnd.size());
}

bool has_mark(std::string_view text, const std::string& mark) {
  return text.find(std::string(kBegin) + mark + std::string(kEnd)) != std::string_view::npos;
}

// The session of the last heading.
std::string_view last_session(std::string_view text) {
  std::string_view session;
  for (const std::string_view line : lines_of(text))
    if (is_heading(line)) session = mark_of(line);
  return session;
}

std::string clock_of(Time time) { return format_time(time).substr(11, 5); }

bool is_folder(const fs::path& path) {
  std::error_code none;
  const bool is = fs::is_directory(path, none);
  if (is) log_warning("daily.show", path.string() + " is a folder, so the day is not shown; move it away");
  return is;
}

// The notes that a day lacks as lines, with the headings that they begin.
std::string lines_for(const std::vector<const DayNote*>& notes, std::string_view day) {
  std::string added, session(last_session(day));
  const std::string_view break_off = day.empty() || day.ends_with('\n') ? "" : "\n";
  for (const DayNote* note : notes) {
    if (has_mark(day, note->mark) || has_mark(added, note->mark)) continue;
    if (note->session != session) {
      added += std::string(day.empty() && added.empty() ? "" : "\n") +
               marked("## " + clock_of(note->time) + " - " + note->title, note->session) + "\n";
      session = note->session;
    }
    added += marked("- " + note->line, note->mark) + "\n";
  }
  if (!added.empty()) added.insert(0, break_off);
  return added;
}

// A day without the lines whose mark `goes`; empty if no line is left. A heading was made of the first line below it,
// so its words go with that line.
struct Remaining {
  std::string text;
  std::size_t gone = 0;
};
Remaining without_lines(std::string_view text, const std::function<bool(std::string_view mark)>& goes) {
  Remaining out;
  std::string heading;
  bool first = false, left = false;
  for (const std::string_view line : lines_of(text)) {
    if (is_heading(line)) {
      heading = std::string(line) + "\n";
      first = true;
      continue;
    }
    const std::string_view mark = mark_of(line);
    if (!mark.empty() && goes(mark)) {
      ++out.gone;
      const auto words = heading.find(" - "), end = heading.rfind(kBegin);
      if (first && words < end && end != std::string::npos) heading.replace(words, end - words, " - …");
      first = false;
      continue;
    }
    out.text += std::exchange(heading, {}) + std::string(line) + "\n";
    if (line.starts_with("- ")) left = true, first = false;
  }
  if (!left) out.text.clear();
  return out;
}

}  // namespace

bool is_day(const std::string& text) { return text.size() == 10 && parse_time(text).ok(); }

fs::path DayLog::path_of(const Day& day) const {
  const fs::path folder = day.kind == kOriginalKind ? folder_ / "originals" : folder_;
  return folder / (day.id + std::string(kExtension));
}

Result<DayLog::Day> DayLog::stored(const char* kind, const std::string& id) const {
  Day day{.kind = kind, .id = id};
  WEFT_TRY(const auto versions, store_.documents().versions(scope_, kind, id, 0, kAll));
  for (const DocumentRow& row : versions) {
    if (row.author == kAdded) day.added.push_back(day.text.size());
    day.text += row.body;
    day.version = row.version;
  }
  return day;
}

bool DayLog::is_quiet(const fs::path& path) const {
  std::error_code none;
  const auto changed = fs::last_write_time(path, none);
  return none || fs::file_time_type::clock::now() - changed >= patience_;
}

// What an edit of a day makes of it: lines that were added behind all that the edit knows are kept.
std::string DayLog::edited_text(const Day& day, std::string edit) {
  std::size_t kept = day.text.size();
  for (auto begin = day.added.rbegin(); begin != day.added.rend(); ++begin) {
    const auto lines = lines_of(std::string_view(day.text).substr(*begin, kept - *begin));
    const bool is_known = std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
      const std::string mark(is_heading(line) ? std::string_view() : mark_of(line));
      return !mark.empty() && has_mark(edit, mark);
    });
    if (is_known) break;
    kept = *begin;
  }
  if (kept == day.text.size()) return edit;
  return edit + (edit.ends_with('\n') ? "" : "\n") + day.text.substr(kept);
}

// The day of the store and its file brought together.
Result<DayLog::Day> DayLog::settled(const char* kind, const std::string& id, Writes writes) {
  WEFT_TRY(Day day, stored(kind, id));
  if (store_.is_shared()) return day;
  const fs::path path = path_of(day);
  if (is_folder(path)) return day;
  const auto revision = files_.revision(path);
  auto file = files_.read(path);
  if (!file.ok() && file.error().code != ErrorCode::kNotFound) return file.error();
  const std::string shown = file.value_or("");
  if (shown == day.text) {
    day.revision = revision;
    return day;
  }
  std::string text = day.text.starts_with(shown) ? day.text : edited_text(day, shown);
  if (text != shown && writes == Writes::kWhenQuiet && file.ok() && !is_quiet(path)) return day;
  WEFT_CHECK(text == day.text ? show_whole(day, text) : replace(day, std::move(text)));
  return day;
}

// A file that shows the text already stays as it is.
Status DayLog::show_whole(Day& day, const std::string& text) {
  const fs::path path = path_of(day);
  if (is_folder(path)) return {};
  if (files_.read(path).value_or("") != text || text.empty()) {
    if (!text.empty()) WEFT_CHECK(files_.make_folder(path.parent_path()));
    WEFT_CHECK(text.empty() ? files_.remove(path) : write_file(files_, path, text, true));
  }
  day.revision = files_.revision(path);
  return {};
}

// One version in the place of all that the day has.
void DayLog::put_whole(const Day& day, const std::string& text, WriteBatch& batch) const {
  const DocumentKey key{scope_, day.kind, day.id};
  const std::int64_t next = day.version + 1;
  batch.expected_documents.emplace_back(key, day.version);
  batch.erased_versions.emplace_back(key, next);
  batch.documents.push_back({scope_, day.kind, day.id, next, parse_time(day.id).value_or(Time{}), kReplaced, text});
}

// The file goes first: if a crash leaves the store behind, the file counts as an edit of the same kind.
Status DayLog::replace(Day& day, std::string text, WriteBatch batch) {
  last_ = {};
  const DocumentKey key{scope_, day.kind, day.id};
  if (!store_.is_shared()) WEFT_CHECK(show_whole(day, text));
  WEFT_CHECK(fault_point(FaultPoint::kDayInFile));
  if (text.empty()) {
    batch.expected_documents.emplace_back(key, day.version);
    batch.erased_documents.push_back(key);
  } else {
    put_whole(day, text, batch);
  }
  WEFT_CHECK(store_.write(batch));
  day.version = text.empty() ? 0 : day.version + 1;
  day.added.clear();
  day.text = std::move(text);
  return {};
}

// The day that is added to: as this log left it, with lines that other programs have added since.
Result<const DayLog::Day*> DayLog::current(const std::string& day) {
  WEFT_TRY(const auto newest, store_.documents().newest(scope_, kKind, day));
  const std::int64_t version = newest ? newest->version : 0;
  bool is_known = last_.id == day && last_.version > 0 && last_.version <= version;
  if (!store_.is_shared()) is_known = is_known && last_.revision && last_.revision == files_.revision(path_of(last_));
  if (is_known && last_.version < version) {
    WEFT_TRY(const auto added, store_.documents().versions(scope_, kKind, day, last_.version + 1, kAll));
    is_known = store_.is_shared() &&
               std::all_of(added.begin(), added.end(), [](const DocumentRow& row) { return row.author == kAdded; });
    for (const DocumentRow& row : added) last_.text += row.body;
    last_.version = version;
  }
  // A day that was erased begins with the same numbers again.
  is_known = is_known && last_.text.ends_with(newest->body);
  if (!is_known) {
    WEFT_TRY(last_, settled(kKind, day));
  }
  return &last_;
}

Status DayLog::add(const std::vector<DayNote>& notes, WriteBatch& batch) {
  std::map<std::string, std::vector<const DayNote*>> by_day;
  for (const DayNote& note : notes) by_day[format_date(note.time)].push_back(&note);
  for (const auto& [id, some] : by_day) {
    WEFT_TRY(const Day* day, current(id));
    std::string added = lines_for(some, day->text);
    if (added.empty()) continue;
    batch.expected_documents.emplace_back(DocumentKey{scope_, kKind, id}, day->version);
    batch.documents.push_back({scope_, kKind, id, day->version + 1, some.back()->time, kAdded, std::move(added)});
  }
  return {};
}

Status DayLog::show(const WriteBatch& written) {
  for (const DocumentRow& row : written.documents) {
    if (row.kind != kKind || row.scope != scope_) continue;
    const bool is_next = last_.id == row.id && last_.version + 1 == row.version;
    if (is_next) {
      last_.version = row.version;
      last_.added.push_back(last_.text.size());
      last_.text += row.body;
    }
    if (store_.is_shared()) continue;
    if (is_next) {
      WEFT_CHECK(append_to_file(row.body));
    } else {
      WEFT_TRY(last_, settled(kKind, row.id));
    }
  }
  return {};
}

Status DayLog::append_to_file(const std::string& added) {
  Day day = std::exchange(last_, {});  // known again when its file shows it
  const fs::path path = path_of(day);
  const std::uint64_t size = day.text.size() - added.size();
  if (size == 0 || !day.revision || day.revision != files_.revision(path)) {
    WEFT_TRY(last_, settled(kKind, day.id));
    return {};
  }
  {
    WEFT_TRY(const auto file, files_.open(path));
    WEFT_CHECK(file->write_at(added, size));
    WEFT_CHECK(fault_point(FaultPoint::kDayInFile));
    WEFT_CHECK(file->sync());
  }
  day.revision = files_.revision(path);
  if (day.revision && day.revision->size == day.text.size()) last_ = std::move(day);
  return {};
}

Result<std::string> DayLog::read(const std::string& day) {
  WEFT_TRY(Day known, settled(kKind, day));
  if (known.text.empty()) return not_found("there is no day " + day);
  return std::move(known.text);
}

// Days that only a file shows are of a former release, or a person has written them.
Result<std::vector<std::string>> DayLog::days_of(const char* kind) {
  std::set<std::string> days, shown;
  WEFT_TRY(const auto rows, store_.documents().all(scope_, kind));
  for (const DocumentRow& row : rows) days.insert(row.id);
  if (!store_.is_shared()) {
    const auto paths = files_.list(path_of({.kind = kind}).parent_path());
    if (!paths.ok() && paths.error().code != ErrorCode::kNotFound) return paths.error();
    if (paths.ok())
      for (const fs::path& path : *paths)
        if (path.extension() == kExtension && is_day(path.stem().string())) shown.insert(path.stem().string());
    for (const std::string& day : std::vector(days.begin(), days.end())) {
      if (shown.contains(day)) continue;
      WEFT_TRY(const Day known, settled(kind, day));
      if (known.text.empty()) days.erase(day);
    }
    days.merge(shown);
  }
  return std::vector(days.begin(), days.end());
}

Result<std::vector<std::string>> DayLog::days() { return days_of(kKind); }

Result<std::vector<std::string>> DayLog::headings(const std::string& day, const std::string& but_session) {
  std::vector<std::string> headings;
  WEFT_TRY(const Day known, settled(kKind, day));
  for (const std::string_view line : lines_of(known.text)) {
    if (!is_heading(line) || (!but_session.empty() && mark_of(line) == but_session)) continue;
    const auto end = line.rfind(kBegin);
    headings.emplace_back(trimmed(line.substr(3, end == std::string_view::npos ? end : end - 3)));
  }
  return headings;
}

// Replaces a day with what `change` returns. False: it returned nothing, and the day stays.
Result<bool> DayLog::rewrite(const char* kind, const std::string& id, const Change& change) {
  for (int tries = 0;; ++tries) {
    WEFT_TRY(Day day, settled(kind, id, Writes::kAtOnce));
    auto text = change(day.text);
    if (!text) return false;
    const Status written = replace(day, std::move(*text));
    if (written.ok()) return true;
    if (written.error().code != ErrorCode::kConflict || tries >= kTries) return written.error();
  }
}

Result<std::size_t> DayLog::erase(const std::function<bool(std::string_view mark)>& goes) {
  std::size_t all_gone = 0;
  for (const char* kind : {kKind, kOriginalKind}) {
    WEFT_TRY(const auto all, days_of(kind));
    for (const std::string& id : all) {
      std::size_t gone = 0;
      const auto without = [&](std::string_view text) {
        Remaining left = without_lines(text, goes);
        gone = left.gone;
        return gone > 0 ? std::optional(std::move(left.text)) : std::nullopt;
      };
      WEFT_CHECK(rewrite(kind, id, without));
      all_gone += gone;
    }
  }
  return all_gone;
}

Status DayLog::erase_all() {
  last_ = {};
  WriteBatch batch;
  for (const char* kind : {kKind, kOriginalKind}) {
    batch.erased_documents.push_back({scope_, kind, {}});
    if (store_.is_shared()) continue;
    const auto paths = files_.list(path_of({.kind = kind}).parent_path());
    if (!paths.ok() && paths.error().code != ErrorCode::kNotFound) return paths.error();
    if (!paths.ok()) continue;
    for (const fs::path& path : *paths)
      if (path.extension() == kExtension && is_day(path.stem().string()) && !is_folder(path))
        WEFT_CHECK(files_.remove(path));
  }
  return store_.write(batch);
}

// The original and the summary are one transaction.
Result<bool> DayLog::shorten_one(const std::string& id, const std::function<std::string(std::string_view)>& summarise,
                                 bool keep_original) {
  for (int tries = 0;; ++tries) {
    WEFT_TRY(Day whole, settled(kKind, id, Writes::kAtOnce));
    if (whole.text.empty() || whole.text.find(kShortened) != std::string::npos) return false;
    WriteBatch batch;
    if (keep_original) {
      WEFT_TRY(Day original, stored(kOriginalKind, id));
      if (!store_.is_shared()) WEFT_CHECK(show_whole(original, whole.text));
      put_whole(original, whole.text, batch);
    }
    const std::string summary = std::string(kShortened) + "\n\n" + summarise(whole.text);
    const Status written = replace(whole, summary, std::move(batch));
    if (written.ok()) return true;
    if (written.error().code != ErrorCode::kConflict || tries >= kTries) return written.error();
  }
}

Result<std::size_t> DayLog::shorten(const std::string& day,
                                    const std::function<std::string(std::string_view)>& summarise,
                                    bool keep_originals) {
  std::size_t shortened = 0;
  WEFT_TRY(const auto all, days());
  for (const std::string& id : all) {
    if (id >= day) break;
    WEFT_TRY(const bool is_shortened, shorten_one(id, summarise, keep_originals));
    shortened += is_shortened ? 1 : 0;
  }
  return shortened;
}

std::string shorten_day(std::string_view text) {
  std::string out, last;
  bool first = false;
  const auto close = [&] {
    if (!last.empty()) out += last + "\n";
    last.clear();
  };
  for (const std::string_view line : lines_of(text)) {
    if (is_heading(line)) {
      close();
      out += std::string(out.empty() ? "" : "\n") + std::string(line) + "\n";
      first = true;
    } else if (line.starts_with("- ")) {
      if (first)
        out += std::string(line) + "\n";
      else
        last = line;
      first = false;
    }
  }
  close();
  return out;
}

}  // namespace weft
