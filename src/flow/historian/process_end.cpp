#include "flow/historian/process_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/log.h"
#include "flow/historian/members.h"
#include "flow/historian/people.h"
#include "flow/historian/queued_jobs.h"
#include "flow/historian/rewrite.h"
#include "model/event_details.h"
#include "ports/store/store.h"
#include "text/references.h"
#include "text/speaker_prefix.h"
#include "text/words.h"

namespace weft {
namespace {

// What stood around the end of a turn: the messages it is about, those before them, and who takes part.
struct Circumstances {
  std::vector<MessageRow> sources;  ///< in order
  std::vector<MessageRow> before;  ///< the last few of the session before them, oldest first
  Person sender;  ///< who wrote the user's message, as it is to be written
  std::vector<Person> people;  ///< who spoke lately, each once; without the agent
  std::int64_t position = 0;  ///< of the first source in the stream, 0 where there is none
};

constexpr std::size_t kMessagesBefore = 12;
constexpr std::array<const char*, 12> kMonths{"January", "February", "March",     "April",   "May",      "June",
                                              "July",    "August",   "September", "October", "November", "December"};

// A name tells people apart only where an id is missing.
void add_person(std::vector<Person>& people, const UserId& id, const std::string& name) {
  if (id.empty() && name.empty()) return;
  for (Person& known : people) {
    const bool ids = !id.empty() && !known.id.empty();
    if (ids ? known.id != id.str() : name.empty() || known.name != name) continue;
    if (known.name.empty()) known.name = name;
    return;
  }
  people.push_back({id.str(), name});
}

bool addresses_somebody(std::string_view text) {
  const auto references = find_references(text, {});
  return std::any_of(references.begin(), references.end(), [](const auto& one) { return one.person == 2; });
}

std::string shown(const Person& person) { return person.name.empty() ? person.id : person.name; }

// How the agent is called where it has no name of its own.
std::string agent_name(const std::string& given, Language language) {
  if (!given.empty()) return given;
  return language == Language::kChinese ? "助手" : "the assistant";
}

// "On 5 March 2026 at 14:30 in Berlin:" or 2026年3月5日14:30，在北京：
std::string event_head(Time time, const std::string& place, Language language) {
  if (time.ms == 0 && place.empty()) return {};
  if (time.ms == 0) return language == Language::kChinese ? "在" + place + "：" : "In " + place + ":";
  const std::string date = format_date(time);
  const int year = std::stoi(date.substr(0, 4)), month = std::stoi(date.substr(5, 2)),
            day = std::stoi(date.substr(8, 2));
  const std::string clock = format_time(time).substr(11, 5);
  if (language == Language::kChinese)
    return fmt::format("{}年{}月{}日{}{}：", year, month, day, clock, place.empty() ? "" : "，在" + place);
  return fmt::format("On {} {} {} at {}{}:", day, kMonths[static_cast<std::size_t>(month - 1)], year, clock,
                     place.empty() ? "" : " in " + place);
}

Result<Circumstances> read_circumstances(Store& store, const EndJob& end) {
  Circumstances around;
  WEFT_TRY(around.sources, store.messages().get(end.scope, end.message_ids));
  std::erase_if(around.sources, [&end](const MessageRow& row) { return row.session != end.session; });
  if (!around.sources.empty()) around.position = around.sources.front().seq;
  WEFT_TRY(auto recent, store.messages().recent(end.scope, end.session, kMessagesBefore * 2));
  for (MessageRow& row : recent) {
    const bool talk = row.message.role == Role::kUser || row.message.role == Role::kAssistant;
    if (talk && !row.message.content.empty() && (around.position == 0 || row.seq < around.position))
      around.before.push_back(std::move(row));
  }
  if (around.before.size() > kMessagesBefore)
    around.before.erase(around.before.begin(), around.before.end() - static_cast<std::ptrdiff_t>(kMessagesBefore));
  WEFT_TRY(const Members members, Members::read(store, end.scope));
  around.sender = {end.sender_id.str(),
                   members.empty() ? end.sender_name : members.label(end.sender_id, end.sender_name)};
  add_person(around.people, end.sender_id, around.sender.name);
  for (auto* rows : {&around.before, &around.sources}) {
    for (MessageRow& row : *rows) {
      members.label(row.message);
      if (row.message.role == Role::kUser) add_person(around.people, row.message.sender_id, row.message.name);
    }
  }
  return around;
}

// The end with its circumstances as the rewriting wants them: the agent speaks of what it did; what is new was said by
// the sender to the agent.
RewriteInput rewrite_input(const Circumstances& around, const EndJob& end) {
  RewriteInput input;
  input.did_what = end.action_summary;
  input.new_info = end.new_info;
  input.language = language_of(end.action_summary + " " + end.new_info);
  const Person agent{"", agent_name(end.agent, input.language)};
  const bool fact = end.kind == "fact";
  Person sender = around.sender;
  // Facts call who said them by name, or "the user".
  if (fact && end.group_id.empty() && sender.name.empty())
    sender.name = input.language == Language::kChinese ? "用户" : "the user";
  Speech speech;
  speech.time = end.time;
  speech.place = end.location;
  speech.participants = around.people;
  const auto add_earlier = [&](const MessageRow& row) {
    const bool own = row.message.role == Role::kAssistant;
    const std::string& name = row.message.name;
    speech.earlier.push_back({!name.empty() ? name
                              : own         ? agent.name
                                            : shown(sender),
                              std::string(without_speaker(row.message.content, name))});
  };
  // A fact stands by itself: whom it means its own message says.
  if (!fact)
    for (const MessageRow& row : around.before) add_earlier(row);
  for (const MessageRow& row : around.sources)
    if (!row.message.content.empty()) add_earlier(row);
  input.action = speech;
  input.action.sender = agent;
  // "I booked it for you" is told to the sender; "I wished him well" is a note of the agent to itself, and of the
  // sender.
  input.action.addressee = addresses_somebody(end.action_summary) ? sender : agent;
  // In the agent's own words "him" and "she" is mostly who has just spoken: as if the speaker had been named there.
  for (EarlierMessage& said : input.action.earlier)
    if (said.speaker != agent.name) said.text = said.speaker + ": " + said.text;
  input.info = std::move(speech);
  input.info.sender = sender;
  if (fact) input.info.told_as = {"the user", "The user", "用户", name_of(sender)};
  // A wish is quoted: its "I" and "you" are told by the words before it.
  if (end.attribute.starts_with("wish:")) input.info.name_speakers = false;
  input.info.addressee = agent;
  input.head = event_head(end.time, end.location, input.language);
  for (const Person& person : around.people) {
    for (const std::string& name : {person.name, person.name.empty() ? person.id : std::string()})
      if (!name.empty()) input.names.push_back(name);
  }
  input.names.push_back(agent.name);
  return input;
}

EventDetails details_of(const EndJob& end, const Rewritten& written) {
  EventDetails details;
  details.request_id = end.request_id;
  details.end_seq = end.end_seq;
  if (end.time.ms != 0) {
    details.timestamp_utc = format_time({end.time.ms, 0});
    details.timestamp_local = format_time(end.time);
  }
  details.timezone = end.timezone;
  details.location_abs = end.location;
  details.request_type = end.group_id.empty() ? "private" : "group";
  details.user_id = end.user_id;
  details.group_id = end.group_id;
  details.sender_id = end.sender_id.str();
  details.message_ids = end.message_ids;
  details.has_new_info = !written.new_info.empty();
  details.did_what = written.did_what;
  details.new_info = written.new_info;
  details.attribute = end.attribute;
  details.quote = end.quote;
  details.degraded = !written.left.empty();
  for (const GateHit& hit : written.left) details.degraded_why += (details.degraded_why.empty() ? "" : ", ") + hit.word;
  return details;
}

ItemRow event_of(const EndJob& end, const Rewritten& written, std::int64_t position) {
  ItemRow row;
  row.scope = end.scope;
  row.item.id = ItemId(end.event_id());
  row.item.kind = ItemKind::kEvent;
  row.item.session = end.session;
  // A fact stands for itself: its time stands beside it.
  row.item.text = end.kind == "fact" ? written.new_info : written.canonical_text;
  row.item.time = end.time;
  row.item.position = position;
  row.item.sources = end.message_ids;
  row.item.by = written.by;
  row.item.writing = written.writing;
  if (!end.model.empty()) {
    row.item.by = MadeBy::kModel;
    row.item.writing.model = end.model;
    row.item.writing.prompt = end.prompt;
  }
  row.item.event = details_of(end, written);
  row.terms = index_terms(row.item.text);
  return row;
}

void count(Metrics& metrics, Refusal reason) {
  switch (reason) {
    case Refusal::kEmptyTalk: ++metrics.refused_empty_talk; break;
    case Refusal::kDuplicate: ++metrics.refused_duplicate; break;
    case Refusal::kEcho: ++metrics.refused_echo; break;
    case Refusal::kLoop: ++metrics.refused_loop; break;
  }
}

// Takes out what is no memory: talk about nothing, what is known already, what was only quoted back. What was done may
// repeat on another day; what became known may not.
std::string refuse_junk(const EndPorts& ports, const RewriteInput& input, Rewritten& written) {
  if (!ports.judge) return {};
  std::string why;
  const auto weigh = [&](std::string Rewritten::* part, bool fact) {
    if ((written.*part).empty()) return;
    GateContext context;
    if (fact && !ports.recalled.empty()) context.recalled = &ports.recalled;
    const auto refused = ports.judge(written.*part, context);
    if (!refused || (!fact && refused->reason != Refusal::kEmptyTalk && refused->reason != Refusal::kLoop)) return;
    count(ports.metrics, refused->reason);
    why += (why.empty() ? "" : ", ") + std::string(to_string(refused->reason)) +
           (refused->of_id.empty() ? "" : " of " + refused->of_id);
    leave_out(input, part, written);
  };
  weigh(&Rewritten::new_info, true);
  weigh(&Rewritten::did_what, false);
  return why;
}

void count(Metrics& metrics, const Rewritten& written) {
  metrics.model_calls += static_cast<std::uint64_t>(written.model_calls);
  metrics.rewrites += static_cast<std::uint64_t>(written.rejected);
  ++(written.left.empty() ? metrics.gate_passed : metrics.gate_degraded);
}

// That nobody said whom a pronoun means is how people talk, and nothing that an operator could mend.
void tell_what_is_left(const EndJob& end, const Rewritten& written) {
  if (written.left.empty()) return;
  const auto other = std::find_if(written.left.begin(), written.left.end(),
                                  [](const GateHit& hit) { return hit.kind != GateKind::kPronoun; });
  const GateHit& told = other == written.left.end() ? written.left.front() : *other;
  const std::string text = "event " + end.event_id() + " is kept although \"" + told.word + "\" stands in it";
  if (other == written.left.end())
    log_info("gate.degraded", text);
  else
    log_warning("gate.degraded", text);
}

}  // namespace

Result<EndResult> process_end(const EndPorts& ports, const EndJob& end, const Deadline& deadline) {
  WEFT_TRY(const Circumstances around, read_circumstances(ports.store, end));
  const RewriteInput input = rewrite_input(around, end);
  Rewritten written = rewrite(input, rewrite_terms(ports.config, ports.model), deadline);
  count(ports.metrics, written);
  tell_what_is_left(end, written);
  if (ports.model != nullptr && written.by == MadeBy::kFloor)
    log_warning("historian.floor", "event " + end.event_id() + " was written without the model: " + written.why_floor);
  EndResult result;
  result.refused = refuse_junk(ports, input, written);
  if (!result.refused.empty()) log_info("write_gate.refused", "event " + end.event_id() + ": " + result.refused);
  if (written.did_what.empty() && written.new_info.empty()) return result;
  result.event = event_of(end, written, around.position);
  return result;
}

}  // namespace weft
