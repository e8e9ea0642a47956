#include "surface/api/json.h"

#include <nlohmann/json.hpp>

#include "model/event_details.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <class T>
void put(Json& out, const char* name, const Id<T>& id) {
  if (!id.empty()) out[name] = id.str();
}

template <class T>
Json ids_of(const std::vector<Id<T>>& ids) {
  auto out = Json::array();
  for (const auto& id : ids) out.push_back(id.str());
  return out;
}

Json json_of(const Decision& d) {
  auto reasons = Json::array();
  for (const auto& reason : d.reasons) reasons.push_back({{"name", reason.name}, {"weight", reason.weight}});
  return {{"block", d.block.str()},     {"topic", d.topic.str()}, {"verdict", to_string(d.verdict)},
          {"similarity", d.similarity}, {"shift", d.shift},       {"by", d.by},
          {"reasons", reasons}};
}

Json json_of(const Observation& o) {
  Json out = {{"id", o.id.str()}, {"action", o.action}};
  put(out, "block", o.block);
  if (o.decision) out["decision"] = json_of(*o.decision);
  if (!o.notes.empty()) out["notes"] = o.notes;
  return out;
}

Json json_of(const Flushed& f) {
  return {{"topic", f.topic.str()},
          {"reason", to_string(f.reason)},
          {"job", f.job.str()},
          {"blocks", f.blocks},
          {"tokens", f.tokens}};
}

Json json_of(const ObserveReport& r) {
  Json out = {{"observations", Json::array()}, {"flushed", Json::array()}};
  for (const auto& observation : r.observations) out["observations"].push_back(json_of(observation));
  for (const auto& flushed : r.flushed) out["flushed"].push_back(json_of(flushed));
  return out;
}

Json json_of(const Item& i) {
  Json out = {{"id", i.id.str()}, {"kind", to_string(i.kind)}};
  put(out, "session", i.session);
  put(out, "topic", i.topic);
  put(out, "block", i.block);
  out["time"] = format_time(i.time);
  out["position"] = i.position;
  out["text"] = i.text;
  if (!i.who.empty()) out["who"] = i.who;
  out["sources"] = ids_of(i.sources);
  out["by"] = i.by;
  if (i.event) out["metadata"] = Json::parse(to_json(*i.event), nullptr, false);
  if (!(i.writing == Writing())) out["writing"] = Json::parse(to_json(i.writing), nullptr, false);
  return out;
}

Json json_of(const Hit& hit) {
  auto out = json_of(hit.item);
  out["score"] = hit.score;
  out["relevance"] = hit.relevance;
  out["signals"] = Json::array();
  for (const auto& s : hit.signals)
    out["signals"].push_back({{"name", s.name}, {"value", s.value}, {"share", s.share}});
  return out;
}

Json json_of(const StoredMessage& m) {
  auto out = Json::parse(to_json(m.message), nullptr, false);
  if (!out.is_object()) out = Json::object();
  put(out, "session", m.session);
  out["sequence"] = m.sequence;
  out["active"] = m.active;
  out["tokens"] = m.tokens;
  return out;
}

Json json_of(const JobInfo& j) {
  return {{"id", j.id.str()},       {"kind", j.kind},     {"state", j.state},
          {"attempts", j.attempts}, {"reason", j.reason}, {"created", j.created}};
}

template <class T>
std::string list(const char* name, std::span<const T> values) {
  auto out = Json::array();
  for (const auto& value : values) out.push_back(json_of(value));
  return dump({{name, std::move(out)}});
}

}  // namespace

std::string to_json(const Decision& decision) { return dump(json_of(decision)); }
std::string to_json(const Observation& observation) { return dump(json_of(observation)); }
std::string to_json(const ObserveReport& report) { return dump(json_of(report)); }
std::string to_json(const Item& item) { return dump(json_of(item)); }
std::string to_json(std::span<const Item> items) { return list("items", items); }
std::string to_json(std::span<const StoredMessage> messages) { return list("messages", messages); }
std::string to_json(std::span<const JobInfo> jobs) { return list("jobs", jobs); }

std::string to_json(const SyncReport& report) {
  Json out = {{"known", report.known}, {"added", report.added}, {"abandoned", report.abandoned}};
  out.update(json_of(report.observed));
  return dump(out);
}

std::string to_json(const SearchResult& result) {
  Json out = {{"hits", Json::array()}};
  for (const auto& hit : result.hits) out["hits"].push_back(json_of(hit));
  out["known"] = result.known;
  out["by"] = result.by;
  out["recipe"] = result.recipe;
  out["embed_ms"] = result.embed_ms;
  out["search_ms"] = result.search_ms;
  return dump(out);
}

std::string to_json(const EraseCheck& check) {
  return dump({{"clean", check.clean()},
               {"digests", check.digests},
               {"found", check.found},
               {"fingerprints", check.fingerprints},
               {"files_searched", check.files_searched},
               {"traces", check.traces}});
}

std::string to_json(const BackupReport& report) {
  return dump({{"folder", report.folder}, {"files", report.files}, {"bytes", report.bytes}});
}

std::string to_json(const EngineStatus& status) {
  const auto& queue = status.queue;
  Json embedder = {{"name", status.embedder}, {"state", status.embedder_state}};
  if (!status.next_embedder.empty()) {
    embedder["next"] = {{"name", status.next_embedder},
                        {"state", status.next_embedder_state},
                        {"done", status.next_done},
                        {"all", status.next_all}};
  }
  Json problems = Json::array();
  for (const Problem& problem : status.problems)
    problems.push_back(
        {{"code", problem.code}, {"failing", problem.failing}, {"what", problem.what}, {"advice", problem.advice}});
  return dump(
      {{"status", status.health()},
       {"problems", std::move(problems)},
       {"embedder", std::move(embedder)},
       {"chat", status.chat},
       {"token_mode", status.token_mode},
       {"queue",
        {{"pending", queue.pending}, {"processing", queue.processing}, {"failed", queue.failed}, {"done", queue.done}}},
       {"messages", status.messages},
       {"items", status.items},
       {"unembedded", status.unembedded}});
}

std::string to_json(const EndReport& report) {
  Json out = {{"queued", report.queued}};
  put(out, "job", report.job);
  if (!report.event_id.empty()) out["event_id"] = report.event_id;
  if (!report.notices.empty()) out["notices"] = report.notices;
  return dump(out);
}

std::string to_json(const Profile& profile) {
  Json out = {{"entity_type", to_string(profile.entity.type)},
              {"entity_id", profile.entity.id},
              {"name", profile.name},
              {"tags", profile.tags},
              {"updated_at", format_time(profile.updated_at)}};
  if (!profile.source_event_id.empty()) out["source_event_id"] = profile.source_event_id;
  out["body"] = profile.body;
  return dump(out);
}

std::string to_json(std::span<const ProfileVersion> versions) {
  Json out = {{"versions", Json::array()}};
  for (const auto& one : versions)
    out["versions"].push_back({{"version", one.version}, {"taken", format_time(one.taken)}, {"origin", one.origin}});
  return dump(out);
}

std::string to_json(std::span<const ProfileSummary> profiles) {
  Json out = {{"profiles", Json::array()}};
  for (const auto& one : profiles) {
    Json entry = {{"entity_type", to_string(one.entity.type)},
                  {"entity_id", one.entity.id},
                  {"name", one.name},
                  {"updated_at", format_time(one.updated_at)}};
    if (!one.problem.empty()) entry["problem"] = one.problem;
    out["profiles"].push_back(std::move(entry));
  }
  return dump(out);
}

}  // namespace weft
