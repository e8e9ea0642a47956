// Documents as sources: their paragraphs and sentences, with the lines on which they stand.
#include "agent/research_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "agent/research_sources.h"
#include "base/strings.h"
#include "text/front_matter.h"
#include "text/instruction_like.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kLongestPart = 1600, kLongestTag = 4000, kLongestTitle = 200;

bool is_list_entry(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")) return true;
  std::size_t digits = 0;
  while (digits < line.size() && is_digit(line[digits])) ++digits;
  return digits > 0 && digits < 4 && (starts_at(line, digits, ". ") || starts_at(line, digits, ") "));
}

bool is_rule(std::string_view line) {
  return line.size() >= 3 && line.find_first_not_of("-=*_| :+") == std::string_view::npos;
}

// "## Costs ##" → "Costs"; empty for what is no heading.
std::string_view heading_text(std::string_view line) {
  const auto marks = line.find_first_not_of('#');
  if (marks == 0 || marks > 6 || marks == std::string_view::npos || line[marks] != ' ') return {};
  return trimmed(line.substr(marks), " #");
}

struct Reader {
  FoundSource& into;
  FoundPart open;

  void close() {
    if (!open.text.empty()) into.parts.push_back(std::move(open));
    open = {};
  }
  void take(std::string_view line, std::int64_t number) {
    const std::string_view text = trimmed(line);
    if (text.empty() || is_rule(text) || text.starts_with("```")) return close();
    if (const auto heading = heading_text(text); !heading.empty()) {
      close();
      into.parts.push_back({number, number, true, std::string(heading)});
      return;
    }
    if (is_list_entry(text) || text.starts_with('|') || open.text.size() + text.size() > kLongestPart) close();
    if (open.text.empty()) open.first_line = number;
    open.last_line = number;
    open.text += (open.text.empty() ? "" : "\n") + std::string(text);
  }
};

std::string first_value(const FrontMatter& document, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const auto* entry = document.find(key); entry != nullptr && !entry->values.empty())
      return entry->values.front();
  return {};
}

bool is_html(std::string_view origin, std::string_view text) {
  const std::string low = lowered(std::string(origin));
  if (low.ends_with(".html") || low.ends_with(".htm") || low.ends_with(".xhtml")) return true;
  const std::string head = lowered(std::string(trimmed(text.substr(0, 300))));
  return head.starts_with("<!doctype html") || head.starts_with("<html");
}

std::optional<char32_t> written_out(std::string_view name) {
  if (name == "amp") return U'&';
  if (name == "lt") return U'<';
  if (name == "gt") return U'>';
  if (name == "quot") return U'"';
  if (name == "apos") return U'\'';
  if (name == "nbsp") return U' ';
  if (!name.starts_with('#')) return std::nullopt;
  const bool hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  const std::string_view digits = name.substr(hex ? 2 : 1);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  const bool fine = error == std::errc() && end == digits.data() + digits.size() && value > 0 && value < 0x110000;
  return fine ? std::optional<char32_t>(value) : std::nullopt;
}

void keep_breaks(std::string& text, std::string_view skipped) {
  text.append(static_cast<std::size_t>(std::count(skipped.begin(), skipped.end(), '\n')), '\n');
}

// Where the element's end tag ends, so that scripts are passed over whole.
std::size_t end_of_element(const std::string& low, std::size_t at, std::string_view name) {
  const auto end = low.find("</" + std::string(name), at);
  if (end == std::string::npos) return low.size();
  const auto close = low.find('>', end);
  return close == std::string::npos ? low.size() : close + 1;
}

std::string html_title(std::string_view html) {
  const std::string low = lowered(std::string(html));
  const auto begin = low.find("<title");
  const auto open = begin == std::string::npos ? begin : low.find('>', begin);
  const auto end = open == std::string::npos ? open : low.find("</title", open);
  if (end == std::string::npos) return {};
  return std::string(trimmed(html_as_text(html.substr(open + 1, end - open - 1))));
}

}  // namespace

std::string html_as_text(std::string_view html) {
  const std::string low = lowered(std::string(html));
  std::string text;
  for (std::size_t at = 0; at < html.size();) {
    if (html[at] == '<') {
      std::size_t end = html.find('>', at);
      if (end == std::string_view::npos || end - at > kLongestTag) end = at;
      std::size_t behind = end + 1;
      for (const std::string_view name : {"script", "style", "head", "template"})
        if (starts_at(low, at + 1, name) && at + 1 + name.size() < low.size() && !is_letter(low[at + 1 + name.size()]))
          behind = end_of_element(low, end, name);
      if (starts_at(html, at, "<!--")) {
        const auto close = html.find("-->", at);
        behind = close == std::string_view::npos ? html.size() : close + 3;
      }
      keep_breaks(text, html.substr(at, behind - at));
      // A paragraph's end on one line must not glue two sentences together.
      if (text.empty() || text.back() != '\n') text += ' ';
      at = behind;
      continue;
    }
    const auto semicolon = html[at] == '&' ? html.find(';', at) : std::string_view::npos;
    if (semicolon != std::string_view::npos && semicolon - at <= 10)
      if (const auto character = written_out(html.substr(at + 1, semicolon - at - 1))) {
        append_code_point(text, *character);
        at = semicolon + 1;
        continue;
      }
    text += html[at++];
  }
  return text;
}

FoundSource read_source(std::string origin, std::string_view bytes) {
  FoundSource source;
  std::string text = repair_utf8(bytes);
  std::int64_t line = 1;
  std::string kind, address;
  if (is_html(origin, text)) {
    source.title = html_title(text);
    text = html_as_text(text);
  } else if (const auto document = parse_front_matter(text); document.ok() && !document->entries.empty()) {
    source.title = first_value(*document, {"title", "name"});
    source.date = first_value(*document, {"date", "updated", "published"});
    kind = first_value(*document, {"kind", "type"});
    address = first_value(*document, {"source", "url"});
    const std::string_view whole = text;
    line += std::count(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(document->body.size()), '\n');
    text = document->body;
  }
  Reader reader{source, {}};
  for (const std::string_view one : lines_of(text)) reader.take(one, line++);
  reader.close();
  if (source.title.empty())
    for (const FoundPart& part : source.parts)
      if (part.heading) {
        source.title = preview(part.text, kLongestTitle);
        break;
      }
  source.kind = kind_of_origin(address.empty() ? origin : address);
  if (source.kind == SourceKind::kOther && address.empty()) source.kind = kind_of_word(kind);
  source.origin = std::move(origin);
  source.sketch = text_sketch(text);
  source.whole = true;
  return source;
}

std::vector<SourceSentence> sentences_of(const FoundPart& part) {
  std::string joined;
  std::vector<std::size_t> begins;  // of each line
  for (std::string_view line : lines_of(part.text)) {
    if (line.starts_with("> ")) line.remove_prefix(2);
    if (begins.empty() && is_list_entry(line)) line = trimmed(line.substr(line.find(' ')));
    std::size_t at = 0;
    const bool han_behind = !line.empty() && is_cjk(next_code_point(line, at));
    if (!joined.empty() && !han_behind) joined += ' ';
    begins.push_back(joined.size());
    joined += line;
  }
  std::vector<SourceSentence> found;
  for (const std::string_view one : sentences(joined)) {
    const auto begin = static_cast<std::size_t>(one.data() - joined.data());
    const auto line_of = [&](std::size_t byte) {
      const auto behind = std::upper_bound(begins.begin(), begins.end(), byte);
      return part.first_line == 0 ? 0 : part.first_line + (behind - begins.begin()) - 1;
    };
    found.push_back({std::string(one), line_of(begin), line_of(begin + one.size() - 1)});
  }
  return found;
}

bool orders_the_reader(std::string_view sentence) {
  static const PhraseTable orders = phrase_table("injections", "to readers");
  return reads_like_instructions(sentence) || orders.any_in(plain_words(sentence));
}

}  // namespace weft
