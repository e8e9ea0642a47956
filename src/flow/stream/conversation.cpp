#include "flow/stream/conversation.h"

#include <algorithm>

#include "base/strings.h"
#include "text/utf8.h"

namespace weft {
namespace {

template <class Marks>
auto users_in(const Marks& marks) {
  return std::count_if(marks.begin(), marks.end(), [](const auto& one) { return one.role == Role::kUser; });
}

std::u32string code_points(std::string_view text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) out.push_back(next_code_point(text, at));
  return out;
}

}  // namespace

Relation relation_of(std::span<const PathNode> path, std::size_t offset, std::size_t known,
                     std::span<const HistoryMark> history) {
  if (known == 0) return Relation::kOther;
  const auto left = path.subspan(offset + known);
  const auto added = history.subspan(known);
  if (left.empty()) return added.empty() ? Relation::kSame : Relation::kContinues;
  const auto users_left = users_in(left);
  if (users_left == 0) {
    // Only answers and steps of the newest turn are left behind.
    if (users_in(added) == 0) return Relation::kReplacesReply;
    const bool other_words = left.size() == 1 && added.size() >= 2 && left[0].role == Role::kAssistant &&
                             added[0].role == Role::kAssistant && added[1].role == Role::kUser;
    return other_words ? Relation::kOtherReply : Relation::kOther;
  }
  const bool edited = users_left == 1 && left[0].role == Role::kUser && added.size() == 1 && users_in(added) == 1;
  return edited ? Relation::kReplacesTurn : Relation::kOther;
}

bool is_edit_of(std::string_view text, std::string_view other) {
  text = trimmed(text);
  other = trimmed(other);
  if (text.empty() || other.empty()) return false;
  if (text.find(other) != std::string_view::npos || other.find(text) != std::string_view::npos) return true;
  const auto a = code_points(text), b = code_points(other);
  const auto shorter = std::min(a.size(), b.size());
  std::size_t front = 0, back = 0;
  while (front < shorter && a[front] == b[front]) ++front;
  while (front + back < shorter && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
  return 2 * (front + back) >= std::max(a.size(), b.size());
}

std::vector<HistoryMark> marks_of(std::span<const Message> spoken) {
  std::vector<HistoryMark> marks;
  for (const Message& message : spoken) marks.push_back({digest_of(message), message.role});
  return marks;
}

std::vector<std::uint64_t> chains_of(std::span<const HistoryMark> history) {
  std::vector<std::uint64_t> chains;
  for (const HistoryMark& mark : history) chains.push_back(chained(chains.empty() ? 0 : chains.back(), mark.digest));
  return chains;
}

}  // namespace weft
