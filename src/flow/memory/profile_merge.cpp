#include "flow/memory/profile_merge.h"

#include <utility>

#include "base/strings.h"
#include "flow/memory/profile_merger.h"
#include "flow/memory/profile_reader.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// A sentence as it may stand in a line: on one line, unable to open or close a comment.
std::string as_line(std::string_view sentence, std::size_t max) {
  std::string text;
  for (const char c : sentence) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7F;
    if (!blank) text += c;
    if (blank && !text.empty() && text.back() != ' ') text += ' ';
  }
  text = replaced(std::move(text), "<!--", "< !--");
  text = replaced(std::move(text), "-->", "-- >");
  text = std::string(trimmed(text));
  if (text.size() <= max) return text;
  return std::string(trimmed(cut_bytes(text, max))) + " …";
}

}  // namespace

std::string_view to_string(MergeAction action) {
  switch (action) {
    case MergeAction::kAdded: return "added";
    case MergeAction::kReplaced: return "replaced";
    case MergeAction::kConfirmed: return "confirmed";
    case MergeAction::kLate: return "late";
    case MergeAction::kNoted: return "noted";
    case MergeAction::kEnded: return "ended";
    case MergeAction::kDropped: return "dropped";
  }
  return "?";
}

MergeResult merge_profile(std::string_view body, const ProfileInfo& info, const ProfileSubject& subject,
                          const MergeLimits& limits) {
  const std::string text = repair_utf8(info.text);
  const auto parts = sentences(text);
  if (parts.empty()) return {std::string(body), {}};
  const ProfileReader reader(subject);
  const bool fresh = trimmed(body).empty();
  ProfileMerger merge(fresh ? std::string(profile_title(subject.type, language_of(text))) + "\n" : std::string(body),
                      info, reader);
  for (std::size_t i = 0; i < parts.size() && i < limits.max_sentences; ++i) {
    merge.add(as_line(parts[i], limits.max_line));
  }
  merge.shrink(limits.max_body);
  MergeResult result = merge.result();
  if (fresh && result.changes.empty()) result.body = body;
  return result;
}

}  // namespace weft
