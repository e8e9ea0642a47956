#include "text/identifiers.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "base/ascii.h"
#include "base/lowered.h"

namespace weft {
namespace {

bool is_alnum(char c) { return is_letter(c) || is_digit(c); }
bool is_joint(char c) { return std::string_view("_-.:/#+~\\").find(c) != std::string_view::npos; }

bool all_digits(std::string_view part) { return std::all_of(part.begin(), part.end(), is_digit<char>); }
bool all_letters(std::string_view part) { return std::all_of(part.begin(), part.end(), is_letter<char>); }

// What stands right behind the digits of an amount, an ordinal or a time.
bool is_suffix(std::string_view letters) {
  static const std::unordered_set<std::string_view> kSuffixes = {
      "st",  "nd", "rd", "th",  "s",  "am", "pm",  "a",  "p",  "h", "hr", "hrs", "min", "mins", "m", "sec",
      "d",   "w",  "wk", "mo",  "y",  "yr", "yrs", "k",  "kg", "g", "km", "cm",  "mm",  "ml",   "l", "lb",
      "lbs", "ft", "in", "mph", "gb", "mb", "kb",  "tb", "ms", "x", "t",  "z",   "oz",  "c",    "f", "v"};
  return kSuffixes.contains(letters);
}

// "5pm", "2nd", "30h", "1990s", "T10": digits with what an amount or a time has behind them.
bool is_measure(std::string_view part) {
  std::size_t digits = 0;
  while (digits < part.size() && is_digit(part[digits])) ++digits;
  return digits > 0 && digits <= 5 && is_suffix(lowered(part.substr(digits)));
}

// A date and time of machines: "2026-03-05T14", "00Z".
bool is_date_time(std::string_view part) {
  const auto marks = std::count_if(part.begin(), part.end(), [](char c) { return c == 'T' || c == 'Z'; });
  return marks == 1 && part.size() <= 7 &&
         std::all_of(part.begin(), part.end(), [](char c) { return is_digit(c) || c == 'T' || c == 'Z'; });
}

bool is_extension(std::string_view word) {
  static const std::unordered_set<std::string_view> kEndings = {
      "txt",  "md",  "pdf",  "doc", "docx", "xls",   "xlsx", "ppt",  "pptx", "csv",  "tsv",  "json", "xml",
      "yaml", "yml", "toml", "ini", "cfg",  "conf",  "log",  "html", "htm",  "css",  "js",   "ts",   "tsx",
      "jsx",  "py",  "rb",   "go",  "rs",   "c",     "h",    "cc",   "cpp",  "hpp",  "java", "kt",   "swift",
      "dart", "php", "sh",   "bat", "sql",  "db",    "zip",  "tar",  "gz",   "bz2",  "xz",   "7z",   "rar",
      "exe",  "dll", "so",   "bin", "iso",  "png",   "jpg",  "jpeg", "gif",  "svg",  "bmp",  "webp", "mp3",
      "mp4",  "wav", "mov",  "avi", "mkv",  "ipynb", "tex",  "bib",  "epub", "ics",  "com",  "org",  "net",
      "io",   "cn",  "de",   "uk",  "dev",  "app",   "ai",   "edu",  "gov",  "info", "lock", "vue"};
  return kEndings.contains(word);
}

bool is_camel(std::string_view part) {
  for (std::size_t i = 1; i < part.size(); ++i)
    if (is_upper(part[i]) && is_lower(part[i - 1])) return all_letters(part);
  return false;
}

// Letters of a hash alone; no English word of that length is written with a to f.
bool is_hexadecimal(std::string_view part) {
  constexpr std::size_t kLongestWord = 8;
  return part.size() >= kLongestWord &&
         std::all_of(part.begin(), part.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

struct Part {
  std::string_view text;
  char joint = 0;  // what stands before it
};

std::vector<Part> parts_of(std::string_view run) {
  std::vector<Part> parts;
  std::size_t begin = 0;
  char joint = 0;
  for (std::size_t at = 0; at <= run.size(); ++at) {
    if (at < run.size() && is_alnum(run[at])) continue;
    if (at > begin) parts.push_back({run.substr(begin, at - begin), joint});
    if (at < run.size()) joint = run[at];
    begin = at + 1;
  }
  return parts;
}

// "192.168.0.1", "1.2.3", "555-0123-99": three parts or more that are no date; "555-0123": no range either.
bool is_numbered(const std::vector<Part>& parts) {
  if (!std::all_of(parts.begin(), parts.end(), [](const Part& part) { return all_digits(part.text); })) return false;
  const auto longest = std::max_element(parts.begin(), parts.end(),
                                        [](const Part& a, const Part& b) { return a.text.size() < b.text.size(); });
  if (longest->text.size() > 8) return true;
  if (parts.size() == 2) return parts[1].joint == '-' && parts[0].text.size() == 3 && parts[1].text.size() == 4;
  if (parts.size() < 3) return false;
  const char joint = parts[1].joint;
  if (joint == ':') return false;  // a clock with seconds
  const bool date = parts.size() == 3 && (joint == '-' || joint == '/' || joint == '.') &&
                    (parts[0].text.size() == 4 || parts[2].text.size() == 4 || parts[2].text.size() == 2) &&
                    parts[1].text.size() <= 2;
  return !date;
}

bool is_identifier(std::string_view run) {
  const auto parts = parts_of(run);
  if (parts.empty()) return false;
  if (run.find('_') != std::string_view::npos && run.size() > 1) return true;
  if (is_numbered(parts)) return true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i].text;
    if (i > 0 && parts[i].joint == '.' && is_extension(lowered(part))) return true;
    if (parts[i].joint == '#' && is_digit(part[0])) return true;
    if (is_hexadecimal(part) || is_camel(part)) {
      if (!all_digits(part)) return true;
    }
    const bool plain = all_digits(part) || all_letters(part) || is_measure(part) || is_date_time(part);
    if (!plain) return true;
  }
  return false;
}

}  // namespace

std::vector<Span> identifier_spans(std::string_view text) {
  std::vector<Span> spans;
  for (std::size_t at = 0; at < text.size();) {
    const bool starts = is_alnum(text[at]) || text[at] == '_' || text[at] == '#';
    if (!starts) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && (is_alnum(text[end]) || is_joint(text[end]))) ++end;
    std::size_t last = end;
    while (last > at && !is_alnum(text[last - 1])) --last;
    if (last > at && is_identifier(text.substr(at, last - at))) spans.push_back({at, last});
    at = end;
  }
  return spans;
}

}  // namespace weft
