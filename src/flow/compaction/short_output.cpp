#include "flow/compaction/short_output.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "flow/compaction/failure.h"
#include "flow/compaction/short_lines.h"
#include "text/json.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestJson = 4 << 20;
constexpr int kTries = 12;
constexpr double kShrink = 0.85;
constexpr double kSpeaks = 0.34;  // share of the request from which on an entry speaks of it

/// How much of JSON stays at one level of shortness.
struct Measure {
  std::size_t entries, characters;
};
constexpr Measure kMeasures[] = {{40, 600}, {24, 400}, {16, 240}, {10, 160}, {6, 120}, {4, 80}, {3, 48}, {2, 24}};

std::string note_for(std::string_view left, std::size_t first_line, std::string_view handle) {
  std::string note = "[left out: " + std::string(left);
  if (!handle.empty()) {
    note += "; the whole: message \"" + std::string(handle) + "\"";
    if (first_line > 0) note += " from line " + std::to_string(first_line);
  }
  return note + "]";
}

std::string short_text(const std::string& text, std::size_t characters) {
  if (text.size() <= characters + 24) return text;
  const std::string_view head = cut_bytes(text, characters * 2 / 3);
  std::size_t from = text.size() - characters / 3;
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U) ++from;
  return std::string(head) + "… " + std::to_string(from - head.size()) + " bytes …" + text.substr(from);
}

Json shortened(const Json& value, const Measure& measure, std::string_view request);

// First and last ones, and those that speak of the request or of an error.
std::vector<bool> entries_kept(const std::vector<std::string>& texts, std::size_t most, std::string_view request) {
  std::vector<bool> kept(texts.size(), texts.size() <= most);
  if (texts.size() <= most) return kept;
  std::vector<std::string_view> views(texts.begin(), texts.end());
  const RequestMatch match(request, views);
  std::vector<std::size_t> speaking;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (match.of(i) >= kSpeaks || !failure_in(texts[i]).empty()) speaking.push_back(i);
  std::stable_sort(speaking.begin(), speaking.end(),
                   [&](std::size_t a, std::size_t b) { return match.of(a) > match.of(b); });
  speaking.resize(std::min(speaking.size(), most / 2));
  std::size_t left = most - speaking.size();
  for (const std::size_t i : speaking) kept[i] = true;
  if (left > 1 && !kept.back()) {
    kept.back() = true;
    --left;
  }
  for (std::size_t i = 0; i < texts.size() && left > 0; ++i) {
    if (kept[i]) continue;
    kept[i] = true;
    --left;
  }
  return kept;
}

Json short_list(const Json& list, const Measure& measure, std::string_view request) {
  std::vector<std::string> texts;
  if (list.size() > measure.entries)
    for (const Json& entry : list) texts.push_back(write_json(entry));
  const std::vector<bool> kept =
      texts.empty() ? std::vector<bool>(list.size(), true) : entries_kept(texts, measure.entries, request);
  Json out = Json::array();
  std::size_t gap = 0;
  const auto mark = [&] {
    if (gap > 0) out.push_back("… " + std::to_string(gap) + " more …");
    gap = 0;
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!kept[i]) {
      ++gap;
      continue;
    }
    mark();
    out.push_back(shortened(list[i], measure, request));
  }
  mark();
  return out;
}

Json short_object(const Json& object, const Measure& measure, std::string_view request) {
  const std::size_t most = measure.entries * 2;
  std::vector<std::string> texts;
  if (object.size() > most)
    for (const auto& [name, value] : object.items()) texts.push_back(name + ": " + write_json(value));
  const std::vector<bool> kept =
      texts.empty() ? std::vector<bool>(object.size(), true) : entries_kept(texts, most, request);
  Json out = Json::object();
  std::size_t place = 0, gap = 0;
  for (const auto& [name, value] : object.items()) {
    if (kept[place++])
      out[name] = shortened(value, measure, request);
    else
      ++gap;
  }
  if (gap > 0) out["…"] = std::to_string(gap) + " more members";
  return out;
}

Json shortened(const Json& value, const Measure& measure, std::string_view request) {
  if (value.is_array()) return short_list(value, measure, request);
  if (value.is_object()) return short_object(value, measure, request);
  return value.is_string() ? Json(short_text(value.get<std::string>(), measure.characters)) : value;
}

// JSON with its shape: empty where the text is none, or no measure makes it short enough.
std::string shorten_json(std::string_view text, std::int64_t tokens, const TokenCounter& counter,
                         std::string_view request, std::string_view handle) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return {};
  if (text.size() > kLargestJson || !check_json(text, {}, "output").ok()) return {};
  const Json whole = Json::parse(text, nullptr, false);
  if (whole.is_discarded()) return {};
  for (const Measure& measure : kMeasures) {
    Json small = shortened(whole, measure, request);
    std::string written = write_json(small);
    const std::size_t left = text.size() - std::min(text.size(), written.size());
    std::string note = note_for(std::to_string(left) + " of " + std::to_string(text.size()) + " bytes", 0, handle);
    if (small.is_object())
      small["left_out"] = note.substr(11, note.size() - 12);
    else
      small.push_back(std::move(note));
    written = write_json(small);
    if (counter.count(written) <= tokens) return written;
  }
  return {};
}

std::string shorten_lines(std::string_view text, std::int64_t tokens, std::int64_t all, const TokenCounter& counter,
                          std::string_view request, std::string_view handle) {
  const double bytes_a_token = static_cast<double>(text.size()) / static_cast<double>(std::max<std::int64_t>(1, all));
  const std::size_t for_note = note_for("100000 of 100000 lines", 100000, handle).size();
  double bytes = bytes_a_token * static_cast<double>(tokens) - static_cast<double>(for_note);
  for (int i = 0; i < kTries && bytes > 0; ++i, bytes *= kShrink) {
    const ShortLines lines = short_lines(text, static_cast<std::size_t>(bytes), request);
    std::string out = lines.text + "\n";
    out += note_for(std::to_string(lines.lines_left) + " of " + std::to_string(lines.lines) + " lines",
                    lines.first_left, handle);
    if (counter.count(out) <= tokens) return out;
  }
  return note_for("all " + std::to_string(text.size()) + " bytes", 0, handle);
}

}  // namespace

std::string shorten_output(std::string_view text, std::int64_t tokens, const TokenCounter& counter,
                           std::string_view request, std::string_view handle) {
  const std::int64_t all = counter.count(text);
  if (all <= tokens) return std::string(text);
  std::string json = shorten_json(text, tokens, counter, request, handle);
  return json.empty() ? shorten_lines(text, tokens, all, counter, request, handle) : json;
}

}  // namespace weft
