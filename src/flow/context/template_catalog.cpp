#include "flow/context/template_catalog.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"
#include "text/plain_words.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kCommentBytes = 4096;
constexpr std::size_t kMostCues = 200;
constexpr std::size_t kAboutCharacters = 200;
constexpr std::size_t kReadBytes = 8192;  // of what was said

// Parted by commas of either language.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    std::size_t end = std::min(text.find(','), text.find("，"));
    end = std::min({end, text.find("、"), text.size()});
    if (const auto part = trimmed(text.substr(0, end)); !part.empty()) parts.push_back(part);
    const std::size_t mark = end < text.size() && text[end] != ',' ? std::string_view("，").size() : 1;
    text.remove_prefix(std::min(end + mark, text.size()));
  }
  return parts;
}

std::optional<DomainWeight> weights_of(std::string_view text) {
  DomainWeight weights;
  bool any = false;
  for (const std::string_view part : parts_of(text)) {
    const std::size_t blank = part.find_first_of(" =:");
    if (blank == std::string_view::npos) continue;
    const std::string_view name = part.substr(0, blank);
    const std::size_t digit = part.find_first_of("0123456789.", blank);
    if (digit == std::string_view::npos) continue;
    double value = 0;
    const auto [end, error] = std::from_chars(part.data() + digit, part.data() + part.size(), value);
    if (error != std::errc() || value < 0 || value > 1) continue;
    double* const weight = name == "narrative" ? &weights.narrative
                           : name == "lore"    ? &weights.lore
                           : name == "event"   ? &weights.event
                                               : nullptr;
    if (weight == nullptr) continue;
    *weight = value;
    any = true;
  }
  return any ? std::optional(weights) : std::nullopt;
}

std::string_view comment_of(std::string_view source) {
  source = trimmed(source);
  if (!source.starts_with("{#")) return {};
  std::string_view comment = source.substr(2, kCommentBytes);
  comment = comment.substr(0, comment.find("#}"));
  if (comment.starts_with('-')) comment.remove_prefix(1);
  if (comment.ends_with('-')) comment.remove_suffix(1);
  return comment;
}

std::size_t cues_in(const PhraseTable& cues, std::string_view text) {
  const auto words = plain_words(cut_bytes(text, kReadBytes));
  std::size_t found = 0;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t taken = cues.longest(words, at).words;
    found += taken > 0 ? 1 : 0;
    at += std::max<std::size_t>(taken, 1);
  }
  return found;
}

}  // namespace

TemplateInfo read_template_info(std::string_view id, std::string_view source) {
  TemplateInfo info;
  info.id = id;
  for (const std::string_view whole : lines_of(comment_of(source))) {
    const std::string_view line = trimmed(whole);
    if (line.starts_with("cues:")) {
      for (const std::string_view cue : parts_of(line.substr(5)))
        if (info.cues.size() < kMostCues) info.cues.emplace_back(cue);
    } else if (line.starts_with("weights:")) {
      info.weights = weights_of(line.substr(8));
    } else if (!line.empty()) {
      info.about += (info.about.empty() ? "" : " ") + std::string(line);
    }
  }
  info.about = preview(repair_utf8(info.about), kAboutCharacters);
  return info;
}

const TemplateInfo* template_for(std::string_view input, std::string_view last_turn,
                                 const std::vector<TemplateInfo>& templates) {
  const TemplateInfo* best = nullptr;
  std::size_t most = 0;
  for (const TemplateInfo& info : templates) {
    if (info.cues.empty()) continue;
    PhraseTable cues;
    for (const std::string& cue : info.cues) cues.add(cue, 1);
    const std::size_t found = 2 * cues_in(cues, input) + std::min<std::size_t>(1, cues_in(cues, last_turn));
    if (found <= most) continue;
    most = found;
    best = &info;
  }
  // What was said before alone does not make a turn.
  return most >= 2 ? best : nullptr;
}

const TemplateInfo* find_template(const std::vector<TemplateInfo>& templates, std::string_view id) {
  const auto at =
      std::find_if(templates.begin(), templates.end(), [&](const TemplateInfo& one) { return one.id == id; });
  return at == templates.end() ? nullptr : &*at;
}

}  // namespace weft
