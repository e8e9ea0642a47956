#include "flow/historian/end_job.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <nlohmann/json.hpp>

namespace weft {
namespace {

using Json = nlohmann::json;

std::string digest(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

}  // namespace

ItemId sender_view_id(const Item& event) {
  return ItemId(event.id.str() + "@group:" + (event.event ? event.event->group_id : std::string()));
}

JobId end_job_id(const std::string& scope, const std::string& request_id, std::int64_t end_seq) {
  return JobId("end-" + request_id + ":" + std::to_string(end_seq) + "-" + digest(scope).substr(0, 8));
}

std::vector<std::string> info_marks(const EndJob& end) {
  std::vector<std::string> marks;
  // A candidate does not speak for its messages: the agent may still end with what it has learnt from them.
  if (end.new_info.empty() || end.kind != "end") return marks;
  for (const MessageId& message : end.message_ids)
    marks.push_back("info-" +
                    digest(std::to_string(end.scope.size()) + ":" + end.scope +
                           std::to_string(end.session.str().size()) + ":" + end.session.str() + message.str()));
  return marks;
}

Job to_job(const EndJob& end, std::int64_t now_ms) {
  Json payload = {{"scope", end.scope},           {"user_id", end.user_id},
                  {"group_id", end.group_id},     {"session", end.session.str()},
                  {"request_id", end.request_id}, {"end_seq", end.end_seq},
                  {"event_id", end.event_id()},   {"action_summary", end.action_summary},
                  {"new_info", end.new_info},     {"message_ids", Json::array()},
                  {"sender_id", end.sender_id},   {"sender_name", end.sender_name},
                  {"agent", end.agent},           {"location", end.location},
                  {"timezone", end.timezone},     {"time", format_time(end.time)}};
  for (const MessageId& id : end.message_ids) payload["message_ids"].push_back(id.str());
  Job job;
  job.id = end_job_id(end.scope, end.request_id, end.end_seq);
  job.kind = end.kind;
  job.payload = payload.dump(-1, ' ', false, Json::error_handler_t::replace);
  job.created_ms = now_ms;
  return job;
}

Result<EndJob> read_end_job(const Job& job) {
  const auto broken = [&job](const std::string& what) { return corrupt("job " + job.id.str() + ": " + what); };
  const Json payload = Json::parse(job.payload, nullptr, false);
  if (!payload.is_object()) return broken("its payload is no JSON object");
  const auto field = [&payload](const char* name) {
    const auto at = payload.find(name);
    return at != payload.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  EndJob end;
  end.kind = job.kind;
  end.scope = field("scope");
  end.user_id = field("user_id");
  end.group_id = field("group_id");
  end.session = SessionId(field("session"));
  end.request_id = field("request_id");
  const auto seq = payload.find("end_seq");
  if (end.scope.empty() || end.request_id.empty()) return broken("it names no scope or no request");
  if (seq == payload.end() || !seq->is_number_integer()) return broken("\"end_seq\" is no whole number");
  end.end_seq = seq->get<std::int64_t>();
  end.action_summary = field("action_summary");
  end.new_info = field("new_info");
  const auto ids = payload.find("message_ids");
  if (ids != payload.end() && ids->is_array()) {
    for (const Json& id : *ids)
      if (id.is_string()) end.message_ids.emplace_back(id.get<std::string>());
  }
  end.sender_id = field("sender_id");
  end.sender_name = field("sender_name");
  end.agent = field("agent");
  end.location = field("location");
  end.timezone = field("timezone");
  const auto time = parse_time(field("time"));
  if (!time.ok()) return broken("\"time\": " + time.error().message);
  end.time = *time;
  return end;
}

}  // namespace weft
