#include "flow/historian/circumstances.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "flow/historian/members.h"
#include "flow/historian/people.h"
#include "text/references.h"
#include "text/speaker_prefix.h"

namespace weft {
namespace {

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

}  // namespace

std::string agent_name(const std::string& given, Language language) {
  if (!given.empty()) return given;
  return language == Language::kChinese ? "助手" : "the assistant";
}

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

}  // namespace weft
