#include "flow/historian/replace.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace weft {
namespace {

// A time that is the subject of its sentence has no preposition: "yesterday was", "tomorrow works".
std::string as_subject(std::string by, std::string_view text, std::size_t begin, std::size_t end) {
  if (by.rfind("on ", 0) != 0 && by.rfind("in ", 0) != 0) return by;
  if (begin > 0 && std::string_view(".!?\n,;").find(
                       text[begin > 1 && text[begin - 1] == ' ' ? begin - 2 : begin - 1]) == std::string_view::npos)
    return by;
  constexpr auto kVerbs = std::to_array<std::string_view>(
      {" is ", " was ", " will ", " would ", " works", " sounds", " has been", " isn't ", " wasn't "});
  const bool subject =
      std::any_of(kVerbs.begin(), kVerbs.end(), [&](auto verb) { return text.compare(end, verb.size(), verb) == 0; });
  return subject ? by.substr(3) : by;
}

// A replacement keeps the capital of a sentence's beginning.
std::string with_case(std::string by, std::string_view what, bool starts_sentence) {
  const bool capital = !what.empty() && is_upper(what.front()) && (what.size() > 1 ? what != "I'" : starts_sentence);
  if ((capital || starts_sentence) && !by.empty() && is_lower(by.front()) && !what.empty() && is_upper(what.front()))
    by.front() = static_cast<char>(by.front() - 'a' + 'A');
  return by;
}

bool begins_sentence(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '"' || text[at - 1] == '*')) --at;
  return at == 0 || std::string_view(".!?\n").find(text[at - 1]) != std::string_view::npos;
}

}  // namespace

void replace_chinese(const std::vector<Resolution>& resolutions, std::vector<Edit>& edits) {
  for (const Resolution& resolution : resolutions)
    if (resolution.reference.language == Language::kChinese && resolution.sure())
      edits.push_back({resolution.begin, resolution.end, resolution.meant.front(), true, resolution.kind});
}

void replace_times(TextAnalysis& analysis, std::vector<Edit>& edits) {
  for (const TimeExpression& time : analysis.times()) {
    if (!time.relative || time.notes.size() != 1 || time.absolute.empty()) continue;
    edits.push_back({time.begin, time.end, as_subject(time.absolute, analysis.text(), time.begin, time.end), true,
                     ChangeKind::kTime});
  }
}

Absolute apply_edits(std::string_view text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  Absolute out;
  std::size_t at = 0;
  for (Edit& edit : edits) {
    if (edit.begin < at || edit.end > text.size()) continue;  // two parts saw the same words: the first holds
    const std::string_view what = text.substr(edit.begin, edit.end - edit.begin);
    std::string by = with_case(std::move(edit.by), what, begins_sentence(text, edit.begin));
    out.text += text.substr(at, edit.begin - at);
    out.text += by;
    at = edit.end;
    if (edit.listed)
      out.changes.push_back({edit.begin, edit.end, edit.kind, std::string(what), std::move(by), true, {}});
  }
  out.text += text.substr(at);
  return out;
}

}  // namespace weft
