#include "flow/memory/memory_file.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/numerals.h"
#include "text/statement.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::string_view kContradicted = "  - contradicted: ";
constexpr std::string_view kBegin = " <!-- ", kEnd = " -->";
// On the scale of `Likeness`: the same in other words, and on the same matter.
constexpr double kSame = 0.97, kNearlySame = 0.93, kSameMatter = 0.6;

bool is_heading(std::string_view line) { return line.starts_with("## "); }

// "2026-11-24 flush today" behind an entry.
void read_note(std::string_view note, KnowledgeEntry& entry) {
  const bool dated = note.size() >= 10 && note[4] == '-' && note[7] == '-';
  entry.date = dated ? std::string(note.substr(0, 10)) : "";
  entry.source = std::string(trimmed(dated ? note.substr(10) : note));
}

std::optional<KnowledgeEntry> read_entry(std::string_view line, const std::string& section) {
  KnowledgeEntry entry;
  entry.section = section;
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  std::string_view rest;
  if (line.starts_with(kContradicted)) {
    rest = line.substr(kContradicted.size());
    entry.against = "?";
  } else if (line.starts_with("- ") || line.starts_with("* ")) {
    rest = line.substr(2);
  } else {
    return std::nullopt;
  }
  const auto note = rest.rfind(kBegin);
  if (note != std::string_view::npos && rest.ends_with(kEnd)) {
    read_note(rest.substr(note + kBegin.size(), rest.size() - note - kBegin.size() - kEnd.size()), entry);
    rest = rest.substr(0, note);
  }
  entry.text = std::string(trimmed(rest));
  if (entry.text.empty()) return std::nullopt;
  return entry;
}

std::string line_of(const KnowledgeEntry& entry) {
  std::string line = std::string(entry.against.empty() ? "- " : kContradicted) + entry.text;
  std::string note = entry.date;
  if (!entry.source.empty()) note += (note.empty() ? "" : " ") + entry.source;
  if (!note.empty()) line += std::string(kBegin) + note + std::string(kEnd);
  return line;
}

// One line without what would end a comment or a line.
std::string one_line(std::string_view text) {
  std::string out(trimmed(text));
  std::replace(out.begin(), out.end(), '\n', ' ');
  std::replace(out.begin(), out.end(), '\r', ' ');
  for (auto at = out.find("-->"); at != std::string::npos; at = out.find("-->", at)) out.replace(at, 3, "-- >");
  for (auto at = out.find("<!--"); at != std::string::npos; at = out.find("<!--", at)) out.replace(at, 4, "< !--");
  return out;
}

}  // namespace

MemoryFile MemoryFile::parse(std::string_view markdown) {
  MemoryFile file;
  std::string section, above;
  bool code = false;
  for (const std::string_view line : lines_of(markdown)) {
    Line read{std::string(line), {}};
    if (line.starts_with("```")) code = !code;
    if (!code && is_heading(line)) section = std::string(trimmed(line.substr(3)));
    if (!code) read.entry = read_entry(line, section);
    if (read.entry && !read.entry->against.empty()) {
      // Without an entry above there is nothing that it could be against.
      read.entry->against = above;
      if (above.empty()) read.entry.reset();
    } else {
      above = read.entry ? read.entry->text : "";
    }
    file.lines_.push_back(std::move(read));
  }
  return file;
}

std::string MemoryFile::text() const {
  std::string text;
  for (const Line& line : lines_) text += line.raw + "\n";
  return text;
}

std::vector<KnowledgeEntry> MemoryFile::entries() const {
  std::vector<KnowledgeEntry> entries;
  for (const Line& line : lines_)
    if (line.entry) entries.push_back(*line.entry);
  return entries;
}

std::size_t MemoryFile::end_of_section(const std::string& heading) const {
  std::optional<std::size_t> end;
  bool inside = heading.empty(), has_entry = false;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (is_heading(lines_[i].raw)) inside = trimmed(std::string_view(lines_[i].raw).substr(3)) == heading;
    // Behind the last entry; text of people below the list stays below it.
    const bool entry = lines_[i].entry.has_value();
    if (inside && (entry || (!has_entry && !trimmed(lines_[i].raw).empty()))) end = i + 1;
    has_entry = has_entry || (inside && entry);
  }
  return end.value_or(lines_.size() + 1);
}

// The entry that is on the same matter and cannot hold together with the new one.
std::optional<std::size_t> MemoryFile::contradicted_by(const KnowledgeEntry& entry, const std::vector<double>& likeness,
                                                       const std::vector<std::size_t>& places) const {
  std::optional<std::size_t> found;
  double best = kSameMatter;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const KnowledgeEntry& old = *lines_[places[i]].entry;
    if (likeness[i] < best || !old.against.empty() || !contradict(old.text, entry.text)) continue;
    best = likeness[i];
    found = places[i];
  }
  return found;
}

KnowledgeAdded MemoryFile::add(const KnowledgeEntry& given, const Likeness& likeness) {
  KnowledgeEntry entry = given;
  entry.text = one_line(entry.text);
  entry.section = one_line(entry.section);
  entry.source = one_line(entry.source);
  entry.against.clear();
  std::vector<std::size_t> places;
  std::vector<std::string> texts;
  const Statement statement(entry.text);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!lines_[i].entry) continue;
    if (Statement(lines_[i].entry->text).says_the_same(statement)) return KnowledgeAdded::kKnown;
    places.push_back(i);
    texts.push_back(lines_[i].entry->text);
  }
  const auto alike = likeness.to_all(entry.text, texts);
  if (const auto old = contradicted_by(entry, alike, places)) {
    entry.against = lines_[*old].entry->text;
    entry.section = lines_[*old].entry->section;
    std::size_t at = *old + 1;
    while (at < lines_.size() && lines_[at].entry && !lines_[at].entry->against.empty()) ++at;
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(at), Line{line_of(entry), entry});
    return KnowledgeAdded::kContradicts;
  }
  // A high likeness alone proves nothing: "the mother of Ann is a nurse" is very like "the brother of Ann is a nurse".
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (alike[i] >= kSame && has_words_of(texts[i], entry.text)) return KnowledgeAdded::kKnown;
  std::size_t at = end_of_section(entry.section);
  if (at > lines_.size()) {
    if (!lines_.empty() && !trimmed(lines_.back().raw).empty()) lines_.push_back({});
    if (!entry.section.empty()) lines_.push_back({"## " + entry.section, {}});
    at = lines_.size();
  }
  lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(at), Line{line_of(entry), entry});
  return KnowledgeAdded::kNew;
}

Result<KnowledgeEntry> MemoryFile::confirm(std::string_view text) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!lines_[i].entry || lines_[i].entry->against.empty()) continue;
    std::size_t old = i;
    while (old > 0 && !(lines_[old].entry && lines_[old].entry->against.empty())) --old;
    const bool newer = lines_[i].entry->text == text;
    if (!newer && lines_[old].entry->text != text) continue;
    const std::size_t place = newer ? old : i;
    KnowledgeEntry gone = *lines_[place].entry;
    if (newer) {
      lines_[old].entry = *lines_[i].entry;
      lines_[old].entry->against.clear();
      lines_[old].raw = line_of(*lines_[old].entry);
    }
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(i));
    return gone;
  }
  return not_found("no entry \"" + std::string(text) + "\" is part of a contradiction");
}

// What contradicts an entry goes with it: it would stand below another one.
std::size_t MemoryFile::end_of_entry(std::size_t place) const {
  std::size_t end = place + 1;
  while (end < lines_.size() && lines_[end].entry && !lines_[end].entry->against.empty()) ++end;
  return end;
}

void MemoryFile::take(std::size_t place, std::vector<KnowledgeEntry>& gone) {
  const std::size_t end = end_of_entry(place);
  for (std::size_t i = place; i < end; ++i) gone.push_back(*lines_[i].entry);
  lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(place), lines_.begin() + static_cast<std::ptrdiff_t>(end));
}

std::vector<KnowledgeEntry> MemoryFile::shrink(std::size_t max_bytes, const Likeness& likeness,
                                               const std::vector<std::string>& least_used) {
  std::vector<KnowledgeEntry> gone;
  const std::size_t most = entries().size() / 4;
  const auto done = [&] { return text().size() <= max_bytes || gone.size() >= most; };
  const auto may_go = [&](std::size_t i) { return gone.size() + end_of_entry(i) - i <= most; };
  for (std::size_t i = 0; i < lines_.size() && !done(); ++i) {
    if (!lines_[i].entry) continue;
    std::vector<std::string> later;
    for (std::size_t j = i + 1; j < lines_.size(); ++j)
      later.push_back(lines_[j].entry && lines_[j].entry->against.empty() ? lines_[j].entry->text : "");
    const auto alike = likeness.to_all(lines_[i].entry->text, later);
    for (std::size_t j = 0; j < later.size(); ++j) {
      if (alike[j] < kNearlySame || !has_words_of(lines_[i].entry->text, later[j]) || !may_go(i)) continue;
      take(i--, gone);
      break;
    }
  }
  std::map<std::string, std::size_t> rank;
  for (std::size_t i = 0; i < least_used.size(); ++i) rank.emplace(least_used[i], i);
  while (!done()) {
    std::optional<std::size_t> worst;
    const auto key = [&](std::size_t i) {
      const KnowledgeEntry& entry = *lines_[i].entry;
      const auto found = rank.find(entry.text);
      return std::pair(found == rank.end() ? least_used.size() : found->second, entry.date);
    };
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i].entry && lines_[i].entry->against.empty() && may_go(i) && (!worst || key(i) < key(*worst)))
        worst = i;
    if (!worst) break;
    take(*worst, gone);
  }
  return gone;
}

std::size_t MemoryFile::remove_sources(const std::set<std::string>& sources) {
  std::size_t gone = 0;
  for (std::size_t i = lines_.size(); i-- > 0;) {
    if (!lines_[i].entry) continue;
    // The archive says besides until when an entry stood.
    const std::string source = lines_[i].entry->source.substr(0, lines_[i].entry->source.find(", until "));
    if (!sources.contains(source)) continue;
    const std::size_t end = lines_[i].entry->against.empty() ? end_of_entry(i) : i + 1;
    if (end > i + 1) {
      KnowledgeEntry& next = *lines_[i + 1].entry;
      next.against.clear();
      lines_[i + 1].raw = line_of(next);
      for (std::size_t other = i + 2; other < end; ++other) lines_[other].entry->against = next.text;
    }
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(i));
    ++gone;
  }
  return gone;
}

Status MemoryFile::check_rewrite(const MemoryFile& before, const MemoryFile& after) {
  const auto old = before.entries(), now = after.entries();
  std::size_t lost = 0;
  for (const KnowledgeEntry& entry : old)
    lost += std::none_of(now.begin(), now.end(), [&](const KnowledgeEntry& one) {
      return one.text == entry.text || Statement(one.text).says_the_same(Statement(entry.text));
    });
  if (lost * 4 <= old.size()) return {};
  return conflict("MEMORY.md: " + std::to_string(lost) + " of " + std::to_string(old.size()) + " entries would be lost",
                  "a rewrite may take a quarter at once; take them out in steps, or edit the file by hand");
}

// Whether two statements on one matter cannot both hold, or say the same.

namespace {

struct Content {
  std::set<std::string> words, numbers;
  bool negated = false;
};

// Twice negated is said: "do not avoid".
Content content_of(std::string_view text) {
  Content content;
  const auto words = fold_numerals(plain_words(text));
  constexpr Moods kDenies(Mood::kForbids, Mood::kNotTo, Mood::kNotToDo, Mood::kCanNot, Mood::kDoesNot, Mood::kNegates,
                          Mood::kHoldsOff, Mood::kNoNegation);
  std::size_t negations = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Modal found = modal_at(words, i, kDenies);
    if (found.words > 0) {
      if (!found.moods.has(Mood::kNoNegation)) ++negations;
      i += found.words - 1;
      continue;
    }
    if (words[i].kind == WordKind::kNumber) content.numbers.insert(words[i].text);
    const bool says = words[i].kind == WordKind::kWord || words[i].kind == WordKind::kHan;
    if (says && !is_function_word(words[i].text)) content.words.insert(words[i].text);
  }
  content.negated = negations % 2 == 1;
  return content;
}

double shared(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::size_t both = 0;
  for (const std::string& word : a) both += b.count(word);
  const std::size_t most = std::max(a.size(), b.size());
  return most == 0 ? 0 : static_cast<double>(both) / static_cast<double>(most);
}

}  // namespace

bool contradict(std::string_view a, std::string_view b) {
  const Content one = content_of(a), other = content_of(b);
  constexpr double kSharedMatter = 0.7;
  if (one.negated != other.negated) return shared(one.words, other.words) >= kSharedMatter;
  if (one.numbers.empty() || other.numbers.empty() || one.numbers == other.numbers) return false;
  constexpr double kSameWords = 0.8;
  return shared(one.words, other.words) >= kSameWords;
}

bool has_words_of(std::string_view a, std::string_view b) {
  const Content one = content_of(a), other = content_of(b);
  if (one.negated != other.negated || one.numbers != other.numbers) return false;
  const auto& [fewer, more] = std::minmax(
      one.words, other.words, [](const auto& left, const auto& right) { return left.size() < right.size(); });
  return std::includes(more.begin(), more.end(), fewer.begin(), fewer.end());
}

}  // namespace weft
