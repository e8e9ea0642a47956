#include "flow/historian/members.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "flow/memory/profile_body.h"
#include "model/scope_key.h"
#include "text/words.h"

namespace weft {
namespace {

std::string folded(std::string_view name) { return normalize(trimmed(name)); }

// What memory calls those whose name is not known.
bool means_anybody(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kWords{"the user",  "user", "the assistant",
                                                          "assistant", "用户", "助手"};
  return std::find(kWords.begin(), kWords.end(), folded(name)) != kWords.end();
}

// What looks like a label could be taken for another member's.
bool looks_labelled(std::string_view name) { return name.ends_with(")") || name.ends_with("）"); }

std::string with_mark(std::string name, const std::string& mark) {
  constexpr std::string_view kArticle = "the ";  // would make a thing of the name
  if (means_anybody(name) && folded(name).starts_with(kArticle)) name.erase(0, name.find(' ') + 1);
  const bool chinese = language_of(name) == Language::kChinese;
  return name + (chinese ? "（" : "(") + mark + (chinese ? "）" : ")");
}

bool is_label_of(std::string_view name, const UserId& member) {
  return !member.empty() && (name.ends_with("(" + member.str() + ")") || name.ends_with("（" + member.str() + "）"));
}

// A name does not end in the middle of a word, nor before what makes a label of it.
bool ends_name(std::string_view rest) {
  if (rest.empty()) return true;
  return !is_letter(rest.front()) && !is_digit(rest.front()) && rest.front() != '(' && !rest.starts_with("（");
}

bool add_once(std::vector<UserId>& members, const UserId& member) {
  if (std::find(members.begin(), members.end(), member) != members.end()) return false;
  members.push_back(member);
  return true;
}

}  // namespace

Members::Members(std::vector<MemberName> names) : names_(std::move(names)) {
  for (MemberName& one : names_) {
    if (trimmed(one.name).empty()) one.name = one.member.str();
    add_once(called_[folded(one.name)], one.member);
    add_once(called_[folded(one.member.str())], one.member);
  }
  std::map<UserId, std::size_t> count;
  for (const MemberName& one : names_) {
    const bool shared = is_shared(one.member, one.name);
    need_labels_ = need_labels_ || shared || ++count[one.member] > 1;
    labels_.push_back({one.name, one.member, !shared});
    labels_.push_back({with_mark(one.name, one.member.str()), one.member, true});
  }
  std::stable_sort(labels_.begin(), labels_.end(),
                   [](const Label& a, const Label& b) { return a.text.size() > b.text.size(); });
}

Result<Members> Members::read(Store& store, const ScopeKey& scope) {
  if (parts_of_scope(scope).group.empty()) return Members();
  WEFT_TRY(auto names, store.messages().member_names(scope));
  return Members(std::move(names));
}

bool Members::is_shared(const UserId& member, const std::string& name) const {
  if (looks_labelled(name) && !is_label_of(name, member)) return true;
  if (means_anybody(name)) return true;
  const auto called = called_.find(folded(name));
  return called != called_.end() &&
         std::any_of(called->second.begin(), called->second.end(), [&](const UserId& one) { return one != member; });
}

std::string Members::label(const UserId& member, const std::string& name) const {
  if (trimmed(name).empty()) return member.empty() ? std::string() : label(member, member.str());
  if (!is_shared(member, name)) return name;
  return with_mark(name, member.empty() ? "?" : member.str());
}

void Members::label(Message& message) const {
  if (!empty() && message.role == Role::kUser) message.name = label(message.sender_id, message.name);
}

std::string Members::newest_label(const UserId& member) const {
  const auto newest =
      std::find_if(names_.rbegin(), names_.rend(), [&](const MemberName& one) { return one.member == member; });
  return newest == names_.rend() ? std::string() : label(member, newest->name);
}

std::vector<MemberLabel> Members::labels() const {
  std::vector<MemberLabel> all;
  for (const Label& one : labels_)
    if (one.sure) all.push_back({one.text, one.member.str()});
  return all;
}

const Members::Label* Members::label_at_start(std::string_view text) const {
  const auto at = std::find_if(labels_.begin(), labels_.end(), [&](const Label& one) {
    return text.starts_with(one.text) && ends_name(text.substr(one.text.size()));
  });
  return at == labels_.end() ? nullptr : &*at;
}

// The text with the sender's name at its start under the label of today; `renamed`: by the sender's newest name.
std::string Members::relabelled(std::string_view text, const UserId& sender, bool renamed) const {
  const Label* const said = label_at_start(text);
  if (said == nullptr) return std::string(text);
  const std::string_view rest = text.substr(said->text.size());
  const auto own = std::find_if(labels_.begin(), labels_.end(),
                                [&](const Label& one) { return one.member == sender && one.text == said->text; });
  if (own != labels_.end()) return (renamed ? newest_label(sender) : label(sender, own->text)) + std::string(rest);
  const bool known = std::any_of(names_.begin(), names_.end(), [&](const auto& one) { return one.member == sender; });
  // Somebody of that name whose id is not known.
  if (!known && !looks_labelled(said->text)) return with_mark(said->text, "?") + std::string(rest);
  return std::string(text);
}

void Members::tell_apart(Item& item) const {
  if (item.kind == ItemKind::kMessage && !item.sender_id.empty())
    item.who = label(item.sender_id, item.who == to_string(Role::kUser) ? std::string() : item.who);
  if (!need_labels_ || !item.event) return;
  EventDetails& event = *item.event;
  const UserId sender(event.sender_id);
  event.new_info = relabelled(event.new_info, sender, false);
  event.did_what = relabelled(event.did_what, sender, false);
  std::string text;
  for (std::size_t at = 0; at < item.text.size();) {
    const std::size_t end = std::min(item.text.find('\n', at), item.text.size() - 1) + 1;
    const std::string_view line = std::string_view(item.text).substr(at, end - at);
    const std::string shown = relabelled(line, sender, false);
    for (TextSpan& span : item.writing.annotations) {
      if (span.begin < text.size()) continue;
      span.begin = span.begin + shown.size() - line.size();
      span.end = span.end + shown.size() - line.size();
    }
    text += shown;
    at = end;
  }
  item.text = std::move(text);
}

std::string Members::tell_apart(std::string_view body, const std::map<std::string, UserId>& senders) const {
  if (!need_labels_) return std::string(body);
  std::vector<ProfileLine> lines = read_lines(body);
  bool changed = false;
  for (ProfileLine& line : lines) {
    if (!line.bullet || line.sources.empty()) continue;
    const auto said = senders.find(line.sources.front());
    const bool one =
        said != senders.end() && std::all_of(line.sources.begin(), line.sources.end(), [&](const auto& id) {
          const auto other = senders.find(id);
          return other != senders.end() && other->second == said->second;
        });
    if (!one) continue;
    const std::string_view told = without_date(line.content);
    std::string content =
        line.content.substr(0, line.content.size() - told.size()) + relabelled(told, said->second, true);
    if (content == line.content) continue;
    line.content = std::move(content);
    render(line);
    changed = true;
  }
  return changed ? join_lines(lines) : std::string(body);
}

}  // namespace weft
