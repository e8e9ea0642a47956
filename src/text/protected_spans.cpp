#include "text/protected_spans.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/strings.h"
#include "text/references.h"
#include "text/utf8.h"

namespace weft {
namespace {

bool is_name_byte(char c) { return is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool is_ascii_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
// Finds a mark behind ascending positions; what was found once is not searched again, so that a text full of opening
// marks takes linear time.
class MarkFinder {
 public:
  MarkFinder(std::string_view text, std::string_view mark) : text_(text), mark_(mark) {}

  std::size_t from(std::size_t at) {
    if (found_ == kUnknown || (found_ != std::string_view::npos && found_ < at)) found_ = text_.find(mark_, at);
    return found_;
  }

 private:
  static constexpr std::size_t kUnknown = std::string_view::npos - 1;
  std::string_view text_, mark_;
  std::size_t found_ = kUnknown;
};

struct Pair {
  std::string_view open, close;
};

constexpr std::array<Pair, 4> kPairs = {{{"“", "”"}, {"「", "」"}, {"『", "』"}, {"《", "》"}}};

// Words that begin with an apostrophe open no quotation.
constexpr std::array<std::string_view, 10> kClipped = {"cause", "em",   "til", "till", "bout",
                                                       "tis",   "twas", "n",   "cuz",  "round"};

class Scanner {
 public:
  explicit Scanner(std::string_view text)
      : text_(text),
        fence_(text, "```"),
        tick_(text, "`"),
        quote_(text, "\""),
        line_(text, "\n"),
        apostrophe_(text, "'") {
    for (const Pair& pair : kPairs) closers_.emplace_back(text, pair.close);
  }

  std::vector<Span> run() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = end_of_span(at);
      if (end > at) {
        spans_.push_back({at, end});
        at = end;
      } else {
        ++at;
      }
    }
    return std::move(spans_);
  }

 private:
  // The end of the span that begins at `at`, or `at`.
  std::size_t end_of_span(std::size_t at) {
    const char c = text_[at];
    if (c == '`') return code(at);
    if (c == '"') return double_quotes(at);
    if (c == '\'') return single_quotes(at);
    if (c == '@') return mention(at);
    if (c == '/' || c == '~' || (c == '.' && at + 1 < text_.size() && (text_[at + 1] == '/' || text_[at + 1] == '.')))
      return path(at);
    if (static_cast<unsigned char>(c) >= 0x80) return pair(at);
    if (is_letter(c) || is_digit(c)) return word(at);
    return at;
  }

  std::size_t code(std::size_t at) {
    if (starts_at(text_, at, "```")) {
      const std::size_t close = fence_.from(at + 3);
      return close == std::string_view::npos ? text_.size() : close + 3;  // an open fence runs to the end
    }
    const std::size_t close = tick_.from(at + 1);
    return close == std::string_view::npos || close > line_.from(at) ? at : close + 1;
  }

  std::size_t double_quotes(std::size_t at) {
    if (at > 0 && is_ascii_name(text_[at - 1])) return at;  // 5" is a length
    const std::size_t close = quote_.from(at + 1);
    return close == std::string_view::npos || close > line_.from(at) ? at : close + 1;
  }

  // 'So it is said', but not Ann's, students' or 'cause: opened before a word and behind none, closed behind one.
  std::size_t single_quotes(std::size_t at) {
    constexpr std::size_t kLongest = 160;
    if (at > 0 && (is_name_byte(text_[at - 1]) || text_[at - 1] == '\'')) return at;
    if (at + 1 >= text_.size() || !is_name_byte(text_[at + 1])) return at;
    std::size_t word_end = at + 1;
    while (word_end < text_.size() && is_letter(text_[word_end])) ++word_end;
    const std::string_view first = text_.substr(at + 1, word_end - at - 1);
    if (std::find(kClipped.begin(), kClipped.end(), first) != kClipped.end()) return at;
    for (std::size_t i = apostrophe_.from(at + 1); i != std::string_view::npos && i < at + kLongest;
         i = apostrophe_.from(i + 1)) {
      if (i > line_.from(at)) return at;
      if (i + 1 == text_.size() || !is_name_byte(text_[i + 1])) return i + 1;
    }
    return at;
  }

  std::size_t pair(std::size_t at) {
    for (std::size_t i = 0; i < kPairs.size(); ++i) {
      if (!starts_at(text_, at, kPairs[i].open)) continue;
      const std::size_t close = closers_[i].from(at);
      return close == std::string_view::npos ? at : close + kPairs[i].close.size();
    }
    return at;
  }

  std::size_t mention(std::size_t at) const {
    if (at > 0 && is_ascii_name(text_[at - 1])) return at;
    std::size_t end = at + 1;
    while (end < text_.size() && (is_ascii_name(text_[end]) || text_[end] == '-')) ++end;
    // A name in other letters reaches to the next blank; people leave one behind a mention.
    if (end == at + 1) {
      while (end < text_.size() && end < at + 64 && is_name_byte(text_[end]) && !chinese_stop(end)) ++end;
    }
    return end > at + 1 ? end : at;
  }

  bool chinese_stop(std::size_t at) const {
    for (const std::string_view stop : {"，", "。", "：", "！", "？", "、", "；", "　"}) {
      if (starts_at(text_, at, stop)) return true;
    }
    return false;
  }

  bool at_word_start(std::size_t at) const { return at == 0 || !is_ascii_name(text_[at - 1]); }

  bool path_byte(std::size_t at) const {
    constexpr std::string_view kMore = "/._-~+%#?=&:@";
    return is_ascii_name(text_[at]) || kMore.find(text_[at]) != std::string_view::npos;
  }

  std::size_t trim_stops(std::size_t begin, std::size_t end) const {
    while (end > begin && std::string_view(".:?#&,").find(text_[end - 1]) != std::string_view::npos) --end;
    return end;
  }

  std::size_t path(std::size_t at) const {
    if (at > 0 && (is_ascii_name(text_[at - 1]) || text_[at - 1] == '/' || text_[at - 1] == '.')) return at;
    std::size_t end = at;
    while (end < text_.size() && path_byte(end)) ++end;
    end = trim_stops(at, end);
    const std::string_view found = text_.substr(at, end - at);
    return found.size() >= 3 && found.find('/') != std::string_view::npos ? end : at;
  }

  // A URL, an e-mail address or a path that begins with a name. Each run of path bytes is read once.
  std::size_t word(std::size_t at) {
    if (!at_word_start(at) || at < word_end_) return at;
    std::size_t end = at;
    while (end < text_.size() && path_byte(end)) ++end;
    word_end_ = end;
    const std::size_t trimmed = trim_stops(at, end);
    const std::string_view found = text_.substr(at, trimmed - at);
    const std::size_t scheme = found.find("://");
    if (scheme != std::string_view::npos && scheme > 0) {
      std::size_t url = at;
      while (url < text_.size() && !is_blank(text_[url]) && static_cast<unsigned char>(text_[url]) < 0x80 &&
             std::string_view("<>\"`").find(text_[url]) == std::string_view::npos)
        ++url;
      url = trim_stops(at, url);
      while (url > at && (text_[url - 1] == ')' || text_[url - 1] == '!')) --url;
      return url;
    }
    if (found.rfind("www.", 0) == 0) return trimmed;
    const std::size_t at_sign = found.find('@');
    if (at_sign != std::string_view::npos && at_sign > 0 && found.find('.', at_sign) != std::string_view::npos)
      return trimmed;
    return is_path(found) ? trimmed : at;
  }

  // src/a.cpp, a/b/c and C:/x, but neither and/or nor he/she.
  static bool is_path(std::string_view found) {
    const auto slashes = std::count(found.begin(), found.end(), '/');
    if (slashes == 0 || found.front() == '/' || found.back() == ':') return slashes > 1;
    const std::size_t dot = found.rfind('.');
    if (dot != std::string_view::npos && dot + 1 < found.size() && is_letter(found[dot + 1])) return true;
    return found.back() == '/' ||
           (slashes > 1 && found.find("or") == std::string_view::npos &&
            !std::all_of(found.begin(), found.end(), [](char c) { return is_digit(c) || c == '/'; }));
  }

  std::string_view text_;
  MarkFinder fence_, tick_, quote_, line_, apostrophe_;
  std::vector<MarkFinder> closers_;
  std::size_t word_end_ = 0;
  std::vector<Span> spans_;
};

void find_name(std::string_view text, const std::string& name, std::vector<Span>& spans) {
  if (name.empty() || is_pronoun(name)) return;
  const bool letters = is_ascii_name(name.front()) && is_ascii_name(name.back());
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool whole = (at == 0 || !is_ascii_name(text[at - 1])) && (end == text.size() || !is_ascii_name(text[end]));
    if (!letters || whole) spans.push_back({at, end});
  }
}

std::vector<Span> merged(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
  std::vector<Span> out;
  for (const Span& span : spans) {
    if (!out.empty() && span.begin < out.back().end) {
      out.back().end = std::max(out.back().end, span.end);
    } else {
      out.push_back(span);
    }
  }
  return out;
}

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

std::vector<Span> protected_spans(std::string_view text, const std::vector<std::string>& names) {
  std::vector<Span> spans = Scanner(text).run();
  for (const std::string& name : names) find_name(text, name, spans);
  return merged(std::move(spans));
}

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
