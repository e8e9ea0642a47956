#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "model/rows.h"
#include "text/utf8.h"
#include "weft/request.h"
#include "weft/scope.h"

namespace weft {
namespace {

constexpr std::size_t kMaxIdBytes = 256;

struct CodeRange {
  char32_t first, last;
};

/// Control characters, and the two separators that some programs take for line breaks.
constexpr CodeRange kControls[] = {{0, 0x1F}, {0x7F, 0x9F}, {0x2028, 0x2029}};

bool is_control(char32_t c) {
  return std::any_of(std::begin(kControls), std::end(kControls),
                     [c](const CodeRange& range) { return range.first <= c && c <= range.last; });
}

}  // namespace

Status check_id(std::string_view id, std::string_view what) {
  if (id.empty()) return invalid_argument(fmt::format("{} is empty", what), "give 1 to 256 bytes of text");
  if (id.size() > kMaxIdBytes) {
    return invalid_argument(fmt::format("{} has {} bytes", what, id.size()), "give 1 to 256 bytes of text");
  }
  if (const auto at = find_invalid_utf8(id)) {
    return invalid_argument(fmt::format("{} is not UTF-8 from byte {} on", what, *at), "send ids as UTF-8");
  }
  for (std::size_t at = 0; at < id.size();) {
    const std::size_t begin = at;
    if (is_control(next_code_point(id, at))) {
      return invalid_argument(fmt::format("{} has a control character at byte {}", what, begin),
                              "leave out line breaks, tabs and other control characters");
    }
  }
  return {};
}

Value id_schema(IdNeed need) {
  std::string pattern = "^[^";
  for (const CodeRange& range : kControls)
    pattern += fmt::format("\\u{:04X}-\\u{:04X}", static_cast<std::uint32_t>(range.first),
                           static_cast<std::uint32_t>(range.last));
  pattern += need == IdNeed::kNeeded ? "]+$" : "]*$";
  ValueObject schema{{"type", "string"}};
  if (need == IdNeed::kNeeded) schema.emplace_back("minLength", 1);
  schema.emplace_back("maxLength", static_cast<std::int64_t>(kMaxIdBytes));
  schema.emplace_back("pattern", std::move(pattern));
  return schema;
}

Result<Scope> Scope::private_of(UserId user) {
  WEFT_CHECK(check_id(user.str(), "the user's id"));
  return Scope(std::move(user), GroupId());
}

Result<Scope> Scope::group_of(GroupId group, UserId speaker) {
  WEFT_CHECK(check_id(group.str(), "the group's id"));
  if (!speaker.empty()) WEFT_CHECK(check_id(speaker.str(), "the speaker's id"));
  return Scope(std::move(speaker), std::move(group));
}

ScopeKey Scope::key() const { return ScopeKey(is_group() ? "group:" + group_.str() : "user:" + user_.str()); }

ScopeParts parts_of_scope(const ScopeKey& scope) {
  const std::string_view key = scope.str();
  constexpr std::string_view kUser = "user:", kGroup = "group:";
  if (key.starts_with(kUser)) return {std::string(key.substr(kUser.size())), {}};
  if (key.starts_with(kGroup)) return {{}, std::string(key.substr(kGroup.size()))};
  return {};
}

Caller Caller::within(std::chrono::milliseconds limit) const {
  Caller changed = *this;
  if (changed.request_.ok()) changed.request_->deadline = std::chrono::steady_clock::now() + limit;
  return changed;
}

Caller Caller::cancelled_by(std::stop_token token) const {
  Caller changed = *this;
  if (changed.request_.ok()) changed.request_->cancel = std::move(token);
  return changed;
}

Caller Caller::awaiting_decisions() const {
  Caller changed = *this;
  if (changed.request_.ok()) changed.request_->await_decisions = true;
  return changed;
}

Caller Caller::in_world(std::string name) const {
  Caller changed = *this;
  if (changed.request_.ok()) changed.request_->world = std::move(name);
  return changed;
}

Caller Caller::of_world(std::string name) const {
  Caller changed = in_world(std::move(name));
  if (changed.request_.ok()) changed.request_->of_world = true;
  return changed;
}

}  // namespace weft
