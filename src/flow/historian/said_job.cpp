#include "flow/historian/said_job.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <nlohmann/json.hpp>

#include "text/time_zone.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Job to_job(const SaidJob& said, std::int64_t now_ms) {
  Json payload = {{"scope", said.scope},           {"user_id", said.user_id},      {"group_id", said.group_id},
                  {"session", said.session.str()}, {"message_ids", Json::array()}, {"left", said.left},
                  {"time", format_time(said.time)}};
  for (const MessageId& id : said.messages) payload["message_ids"].push_back(id.str());
  const std::string text = payload.dump(-1, ' ', false, Json::error_handler_t::replace);
  Job job;
  job.id = JobId(fmt::format("said-{:016x}", XXH3_64bits(text.data(), text.size())));
  job.kind = kSaidKind;
  job.payload = text;
  job.created_ms = now_ms;
  return job;
}

Result<SaidJob> read_said_job(const Job& job) {
  const Json payload = Json::parse(job.payload, nullptr, false);
  if (!payload.is_object()) return corrupt("job " + job.id.str() + ": its payload is no JSON object");
  const auto field = [&payload](const char* name) {
    const auto at = payload.find(name);
    return at != payload.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  SaidJob said;
  said.scope = field("scope");
  said.user_id = field("user_id");
  said.group_id = field("group_id");
  said.session = SessionId(field("session"));
  said.left = payload.value("left", false);
  if (said.scope.empty() || said.session.empty())
    return corrupt("job " + job.id.str() + ": it names no scope or no session");
  for (const Json& id : payload.value("message_ids", Json::array()))
    if (id.is_string()) said.messages.emplace_back(id.get<std::string>());
  if (const auto time = parse_time(field("time")); time.ok()) said.time = *time;
  return said;
}

std::string speaker_of(const SaidJob& said, const Message& message) {
  if (!message.name.empty()) return message.name;
  return said.group_id.empty() ? std::string() : said.user_id;
}

// In a group several may speak through one client; in private it is always the scope's own user.
std::string sender_of(const SaidJob& said, const Message& message) {
  const bool group = !said.group_id.empty();
  return group && (said.user_id.empty() || !message.name.empty()) ? message.name : said.user_id;
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

}  // namespace weft
