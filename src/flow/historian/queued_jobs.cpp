#include "flow/historian/queued_jobs.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "flow/memory/profile_merge.h"
#include "model/rows.h"
#include "text/record.h"
#include "text/time_bounds.h"
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

namespace {

Status read_end_seq(std::string_view json, const std::string& place, EndJob& into) {
  return JsonForm<std::int64_t>::read(json, place, {}, into.end_seq);
}

std::string digest(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

}  // namespace

WEFT_DESCRIBED(EndJob);

template <>
const Record<EndJob>& record<EndJob>() {
  using E = EndJob;
  static const auto made =
      Record<E>("EndJob", "The end of a turn as it waits in the queue.", RecordUse::kTold)
          .field("scope", &E::scope, "the key of the scope", {.required = true})
          .field("user_id", &E::user_id, "of the scope")
          .field("group_id", &E::group_id, "of the scope; empty in private")
          .field("session", &E::session, "in which it ended")
          .field("request_id", &E::request_id, "of the request that was worked on", {.required = true})
          .custom("end_seq", "counts the ends of one request", nullptr, read_end_seq,
                  [](const E& end, JsonWriter& out) { out.whole(end.end_seq); }, {.required = true})
          .custom("event_id", "of the event that it becomes", nullptr, nullptr,
                  [](const E& end, JsonWriter& out) { out.text(end.event_id()); })
          .field("action_summary", &E::action_summary, "what was done")
          .field("new_info", &E::new_info, "what was learnt")
          .field("message_ids", &E::message_ids, "what it speaks of")
          .field("sender_id", &E::sender_id, "who asked")
          .field("sender_name", &E::sender_name, "and that one's name")
          .field("agent", &E::agent, "who answered")
          .field("attribute", &E::attribute, "what it is about", {.sparse = true})
          .field("location", &E::location, "where")
          .field("timezone", &E::timezone, "by which times are understood")
          .field("time", &E::time, "when; the beginning of 1970 where nobody knows");
  return made;
}

ItemId sender_view_id(const Item& event) {
  return ItemId(event.id.str() + "@group:" + (event.event ? event.event->group_id : std::string()));
}

JobId end_job_id(const ScopeKey& scope, const std::string& request_id, std::int64_t end_seq) {
  return JobId("end-" + request_id + ":" + std::to_string(end_seq) + "-" + digest(scope.str()).substr(0, 8));
}

std::vector<std::string> info_marks(const EndJob& end) {
  std::vector<std::string> marks;
  // A candidate does not speak for its messages: the agent may still end with what it has learnt from them.
  if (end.new_info.empty() || end.kind != "end") return marks;
  for (const MessageId& message : end.message_ids)
    marks.push_back("info-" +
                    digest(std::to_string(end.scope.str().size()) + ":" + end.scope.str() +
                           std::to_string(end.session.str().size()) + ":" + end.session.str() + message.str()));
  return marks;
}

Job to_job(const EndJob& end, std::int64_t now_ms) {
  return new_job(end_job_id(end.scope, end.request_id, end.end_seq), end.scope, end.kind, to_json<EndJob>(end), now_ms);
}

Result<EndJob> read_end_job(const Job& job) {
  auto end = parse_record<EndJob>(job.payload, "its payload", {.max_bytes = job.payload.size() + 1});
  if (!end.ok()) return corrupt("job " + job.id.str() + ": " + end.error().message);
  end->kind = job.kind;
  return end;
}

WEFT_DESCRIBED(SaidJob);

template <>
const Record<SaidJob>& record<SaidJob>() {
  using S = SaidJob;
  static const auto made =
      Record<S>("SaidJob", "Messages that may state something of their speakers.", RecordUse::kTold)
          .field("scope", &S::scope, "the key of the scope", {.required = true})
          .field("user_id", &S::user_id, "of the call")
          .field("group_id", &S::group_id, "of the call; empty in private")
          .field("session", &S::session, "whose messages they are", {.required = true})
          .field("message_ids", &S::messages, "the messages")
          .field("left", &S::left, "a branch was left")
          .field("time", &S::time, "when");
  return made;
}

Job to_job(const SaidJob& said, std::int64_t now_ms) {
  std::string payload = to_json<SaidJob>(said);
  const JobId id(fmt::format("said-{:016x}", XXH3_64bits(payload.data(), payload.size())));
  return new_job(id, said.scope, kSaidKind, std::move(payload), now_ms);
}

Result<SaidJob> read_said_job(const Job& job) {
  auto said = parse_record<SaidJob>(job.payload, "its payload", {.max_bytes = job.payload.size() + 1});
  if (!said.ok()) return corrupt("job " + job.id.str() + ": " + said.error().message);
  return said;
}

std::string speaker_of(const SaidJob& said, const Message& message) {
  return said.group_id.empty() ? message.name : said.members.label(message.sender_id, message.name);
}

// In private it is always the scope's own user.
UserId sender_of(const SaidJob& said, const Message& message) {
  return said.group_id.empty() ? UserId(said.user_id) : message.sender_id;
}

EndJob fact_job(const SaidJob& said, const MessageRow& row, const SaidFact& fact, std::int64_t number,
                const std::string& agent) {
  EndJob end;
  end.kind = "fact";
  end.scope = said.scope;
  end.user_id = said.user_id;
  end.group_id = said.group_id;
  end.session = said.session;
  end.request_id = "fact:" + said.session.str() + "/" + row.message.id.str();
  end.end_seq = number;
  end.new_info = fact.text;
  end.attribute = fact.attribute;
  end.quote = fact.quote;
  end.over = fact.over;
  end.message_ids = {row.message.id};
  end.sender_id = sender_of(said, row.message);
  end.sender_name = row.message.name;
  end.agent = agent;
  end.time = row.message.time.value_or(said.time);
  end.timezone = zone_of(end.time);
  return end;
}

std::string done_mark(const JobId& job) {
  const std::string& id = job.str();
  const XXH128_hash_t digest = XXH3_128bits(id.data(), id.size());
  const auto scope = id.rfind('-');
  return fmt::format("done-{:016x}{:016x}{}", digest.high64, digest.low64,
                     scope == std::string::npos ? std::string() : id.substr(scope));
}

std::string queued_mark(const JobId& job) { return "queued:" + done_mark(job); }

std::string erased_mark(const ScopeKey& scope, const std::string& event_id) {
  const std::string id = std::to_string(scope.str().size()) + ":" + scope.str() + event_id;
  const XXH128_hash_t digest = XXH3_128bits(id.data(), id.size());
  return fmt::format("erased-{:016x}{:016x}", digest.high64, digest.low64);
}

Result<bool> end_is_done(Store& store, const JobId& job) {
  WEFT_TRY(const bool done, store.has_mark(done_mark(job)));
  if (done) return true;
  return store.has_mark(job.str());
}

}  // namespace weft
