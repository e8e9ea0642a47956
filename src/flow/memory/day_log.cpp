#include "flow/memory/day_log.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/strings.h"

namespace weft {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBegin = " <!-- ", kEnd = " -->";
constexpr const char* kOriginals = "originals";
constexpr std::string_view kShortened = "<!-- shortened -->";

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

std::string clock_of(Time time) { return format_time(time).substr(11, 5); }

bool is_day(std::string_view name) { return name.size() == 10 && name[4] == '-' && name[7] == '-'; }

}  // namespace

Result<std::string> DayLog::read(const std::string& day) const { return files_.read(path_of(day)); }

Status DayLog::add(const std::vector<DayNote>& notes) {
  std::map<std::string, std::vector<const DayNote*>> by_day;
  for (const DayNote& note : notes) by_day[format_date(note.time)].push_back(&note);
  if (!by_day.empty()) WEFT_CHECK(files_.make_folder(folder_));
  for (const auto& [day, some] : by_day) WEFT_CHECK(add_to_day(day, some));
  return {};
}

Result<DayLog::End> DayLog::end_of(const std::string& day) const {
  End end;
  end.day = day;
  end.revision = files_.revision(path_of(day));
  const auto text = read(day);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return end;
  if (!text.ok()) return text.error();
  end.size = text->size();
  if (!text->ends_with('\n')) end.torn = text->substr(text->rfind('\n') + 1);
  for (const std::string_view line : lines_of(*text)) {
    if (is_heading(line))
      end.session = mark_of(line);
    else
      end.marks.emplace(mark_of(line));
  }
  // A day that was shortened has lost marks, which its original still has.
  if (text->find(kShortened) == std::string::npos) return end;
  const std::string original = files_.read(folder_ / kOriginals / (day + ".md")).value_or("");
  for (const std::string_view line : lines_of(original)) end.marks.emplace(mark_of(line));
  return end;
}

Status DayLog::add_to_day(const std::string& day, const std::vector<const DayNote*>& notes) {
  const fs::path path = path_of(day);
  if (end_.day != day || end_.revision != files_.revision(path)) {
    WEFT_TRY(end_, end_of(day));
  }
  End end = std::exchange(end_, {});  // known again when all of it stands there
  const std::string added = lines_for(notes, end);
  if (!added.empty()) WEFT_CHECK(append(path, added, end));
  end.revision = files_.revision(path);
  // Otherwise somebody has changed it in between.
  if (end.revision && end.revision->size == end.size) end_ = std::move(end);
  return {};
}

// What of the notes is not there yet, with the headings that they begin.
std::string DayLog::lines_for(const std::vector<const DayNote*>& notes, End& end) {
  std::string added;
  for (const DayNote* note : notes) {
    if (!end.marks.insert(note->mark).second) continue;
    if (note->session != end.session) {
      added += std::string(end.size == 0 && added.empty() ? "" : "\n") +
               marked("## " + clock_of(note->time) + " - " + note->title, note->session) + "\n";
      end.session = note->session;
    }
    added += marked("- " + note->line, note->mark) + "\n";
  }
  return added;
}

Status DayLog::append(const fs::path& path, const std::string& added, End& end) {
  // A line that was cut off has no mark, so it comes again: what of it stands there would stand twice.
  if (const std::string torn = std::exchange(end.torn, {}); !torn.empty()) {
    WEFT_TRY(std::string text, files_.read(path));
    const bool again = added.find("\n" + torn) != std::string::npos || added.starts_with(torn);
    text = (again ? text.substr(0, text.size() - torn.size()) : text + "\n") + added;
    end.size = text.size();
    return write_file(files_, path, text, true);
  }
  const std::uint64_t size = std::exchange(end.size, end.size + added.size());
  if (size == 0) return write_file(files_, path, added, true);
  WEFT_TRY(const auto file, files_.open(path));
  WEFT_CHECK(file->write_at(added, size));
  return file->sync();
}

Result<std::vector<std::string>> DayLog::days() const {
  const auto paths = files_.list(folder_);
  if (!paths.ok() && paths.error().code == ErrorCode::kNotFound) return std::vector<std::string>();
  if (!paths.ok()) return paths.error();
  std::vector<std::string> days;
  for (const auto& path : *paths)
    if (path.extension() == ".md" && is_day(path.stem().string())) days.push_back(path.stem().string());
  std::sort(days.begin(), days.end());
  return days;
}

Result<std::vector<std::string>> DayLog::headings(const std::string& day, const std::string& but_session) const {
  std::vector<std::string> headings;
  const auto text = read(day);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return headings;
  if (!text.ok()) return text.error();
  for (const std::string_view line : lines_of(*text)) {
    if (!is_heading(line) || (!but_session.empty() && mark_of(line) == but_session)) continue;
    const auto end = line.rfind(kBegin);
    headings.emplace_back(trimmed(line.substr(3, end == std::string_view::npos ? end : end - 3)));
  }
  return headings;
}

// A heading was made of the first line below it, so its words go when that line does.
Result<std::size_t> DayLog::erase_in_day(const std::string& day,
                                         const std::function<bool(std::string_view mark)>& goes) {
  WEFT_TRY(const std::string text, read(day));
  std::string kept, heading;
  std::size_t gone = 0;
  bool first = false, left = false;
  for (const std::string_view line : lines_of(text)) {
    if (is_heading(line)) {
      heading = std::string(line) + "\n";
      first = true;
      continue;
    }
    const std::string_view mark = mark_of(line);
    if (!mark.empty() && goes(mark)) {
      ++gone;
      const auto words = heading.find(" - "), end = heading.rfind(kBegin);
      if (first && words < end && end != std::string::npos) heading.replace(words, end - words, " - …");
      first = false;
      continue;
    }
    kept += std::exchange(heading, {}) + std::string(line) + "\n";
    if (line.starts_with("- ")) left = true, first = false;
  }
  if (gone == 0) return gone;
  WEFT_CHECK(left ? write_file(files_, path_of(day), kept, true) : files_.remove(path_of(day)));
  return gone;
}

Result<std::size_t> DayLog::erase(const std::function<bool(std::string_view mark)>& goes) {
  std::size_t gone = 0;
  for (const std::filesystem::path& folder : {folder_, folder_ / kOriginals}) {
    DayLog log(files_, folder);
    WEFT_TRY(const auto all, log.days());
    for (const std::string& day : all) {
      WEFT_TRY(const std::size_t lines, log.erase_in_day(day, goes));
      gone += lines;
    }
  }
  return gone;
}

Status DayLog::erase_all() {
  for (const std::filesystem::path& folder : {folder_, folder_ / kOriginals}) {
    DayLog log(files_, folder);
    WEFT_TRY(const auto all, log.days());
    for (const std::string& day : all) WEFT_CHECK(files_.remove(log.path_of(day)));
  }
  return {};
}

Result<std::size_t> DayLog::shorten(const std::string& day,
                                    const std::function<std::string(std::string_view)>& summarise,
                                    bool keep_originals) {
  std::size_t shortened = 0;
  WEFT_TRY(const auto all, days());
  for (const std::string& one : all) {
    if (one >= day) break;
    WEFT_TRY(const std::string text, read(one));
    if (text.find(kShortened) != std::string::npos) continue;
    if (keep_originals) {
      WEFT_CHECK(files_.make_folder(folder_ / kOriginals));
      WEFT_CHECK(write_file(files_, folder_ / kOriginals / (one + ".md"), text, true));
    }
    const std::string summary = std::string(kShortened) + "\n\n" + summarise(text);
    WEFT_CHECK(write_file(files_, path_of(one), summary, true));
    ++shortened;
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
