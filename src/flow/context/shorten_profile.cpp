#include "flow/context/shorten_profile.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/strings.h"
#include "flow/context/candidates.h"
#include "flow/context/word_set.h"
#include "text/tokens.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kQueryBytes = 4096;
constexpr std::int64_t kNoteTokens = 12;  // of the line that says what is missing

struct Line {
  std::string_view text;
  std::size_t heading = 0;  ///< place of the heading above it; its own where there is none
  bool is_heading = false;
  double score = 0;
  std::int64_t tokens = 0;
};

std::int64_t tokens_of(std::string_view text) { return estimate_tokens(text, TokenMode::kScript); }

std::vector<Line> lines_of(std::string_view text, const WordSet& query) {
  std::vector<Line> lines;
  std::size_t heading = 0;
  bool under_one = false;
  for (const std::string_view one : weft::lines_of(text)) {
    Line line{one, 0, false, 0, 0};
    if (trimmed(one).empty()) continue;
    line.is_heading = line.text.starts_with('#');
    if (line.is_heading) heading = lines.size();
    under_one = under_one || line.is_heading;
    line.heading = under_one ? heading : lines.size();
    line.tokens = tokens_of(line.text) + 1;
    line.score = query.empty() ? 0 : query.share_in(WordSet(line.text));
    lines.push_back(line);
  }
  return lines;
}

std::string note(std::size_t left_out) { return "… (" + std::to_string(left_out) + " more)"; }

}  // namespace

std::string shorten_profile(std::string_view text, std::string_view query, std::int64_t tokens) {
  if (tokens_of(text) <= tokens) return std::string(text);
  const std::vector<Line> lines = lines_of(text, WordSet(cut_bytes(query, kQueryBytes)));
  std::vector<std::size_t> order(lines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lines[a].score > lines[b].score; });
  std::vector<bool> kept(lines.size(), false);
  std::int64_t left = tokens - kNoteTokens;
  std::size_t taken = 0, all = 0;
  for (const std::size_t at : order) {
    if (lines[at].is_heading) continue;
    ++all;
    const std::size_t heading = lines[at].heading;
    const std::int64_t cost = lines[at].tokens + (heading != at && !kept[heading] ? lines[heading].tokens : 0);
    if (cost > left) continue;
    left -= cost;
    kept[at] = kept[heading] = true;
    ++taken;
  }
  // Not one line fits as a whole.
  if (taken == 0) {
    const auto best = std::find_if(order.begin(), order.end(), [&](std::size_t at) { return !lines[at].is_heading; });
    return best == order.end() ? preview_tokens(text, tokens) : preview_tokens(lines[*best].text, tokens);
  }
  std::string shorter;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (kept[i]) shorter += std::string(lines[i].text) + "\n";
  return taken == all ? shorter : shorter + note(all - taken);
}

}  // namespace weft
