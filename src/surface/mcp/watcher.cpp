#include "surface/mcp/watcher.h"

#include <xxhash.h>

#include <array>

#include "base/threads.h"
#include "flow/context/fence.h"
#include "model/growth_records.h"
#include "surface/http/exchange.h"
#include "surface/mcp/protocol.h"

namespace weft::mcp {
namespace {

constexpr std::string_view kProfile = "weft://profile", kMemory = "weft://memory";
constexpr std::string_view kDays = "weft://days/", kReports = "weft://reports/", kProfiles = "weft://profiles/";
constexpr std::string_view kMarkdown = "text/markdown", kJson = "application/json";

struct Template {
  std::string_view uri, name, description, type;
};
constexpr std::array<Template, 3> kTemplates{
    {{"weft://days/{date}", "day", "What happened on a day, such as 2026-05-28", kMarkdown},
     {"weft://reports/{id}", "report", "The report of a task that is over", kJson},
     {"weft://profiles/{type}/{id}", "profile", "The profile of a user or a group that may be read here", kMarkdown}}};

std::string uri_of(std::string_view folder, const std::string& id) {
  return std::string(folder) + http::percent_encode(id);
}

Error nothing_at(std::string_view uri) {
  return not_found("there is no resource " + std::string(uri.substr(0, 200)), "resources/list tells what there is");
}

Result<ResourceText> told(const Result<Profile>& profile, std::string_view uri) {
  if (!profile.ok()) return profile.error().code == ErrorCode::kNotFound ? nothing_at(uri) : profile.error();
  return ResourceText{profile->body, kMarkdown};
}

// "user/ann": the rest of an address, each part encoded.
Result<ResourceText> read_profile_of(Engine& engine, const RequestContext& context, std::string_view uri) {
  const std::string_view rest = uri.substr(kProfiles.size());
  const auto type = parse_entity_type(rest.substr(0, rest.find('/')));
  if (!type || rest.find('/') == std::string_view::npos) return nothing_at(uri);
  const std::string id = http::percent_decode(rest.substr(rest.find('/') + 1));
  if (!check_id(id, "profile").ok()) return nothing_at(uri);
  return told(engine.profiles(context).read(EntityKey{*type, id}), uri);
}

Result<ResourceText> read_report(Engine& engine, const RequestContext& context, std::string_view uri) {
  const std::string id = http::percent_decode(uri.substr(kReports.size()));
  WEFT_TRY(const auto reports, engine.hindsight(context).reports());
  for (const TaskReport& one : reports)
    if (one.id == id) return ResourceText{to_json(one), kJson};
  return nothing_at(uri);
}

Result<ResourceText> read_day(Engine& engine, const RequestContext& context, std::string_view uri) {
  auto day = engine.memory(context).day(http::percent_decode(uri.substr(kDays.size())));
  // It is read by models: what tools said that reads like orders is announced, too.
  if (day.ok()) return ResourceText{day_lines(day->text).text, kMarkdown};
  const ErrorCode code = day.error().code;
  return code == ErrorCode::kNotFound || code == ErrorCode::kInvalidArgument ? nothing_at(uri) : day.error();
}

}  // namespace

Result<std::vector<Resource>> resources(Engine& engine, const RequestContext& context) {
  std::vector<Resource> all;
  if (const auto profile = engine.profiles(context).read(); profile.ok())
    all.push_back({std::string(kProfile), "profile", "Profile",
                   "What is known of " + profile->entity.str() + " over the long run", kMarkdown});
  all.push_back({std::string(kMemory), "memory", "MEMORY.md", "What is known beyond single events", kMarkdown});
  WEFT_TRY(const auto days, engine.memory(context).days());
  for (auto day = days.rbegin(); day != days.rend(); ++day)
    all.push_back({uri_of(kDays, *day), "day " + *day, *day, "What happened on that day", kMarkdown});
  WEFT_TRY(const auto reports, engine.hindsight(context).reports());
  for (auto report = reports.rbegin(); report != reports.rend(); ++report)
    all.push_back(
        {uri_of(kReports, report->id), "report " + report->id, "Report " + report->id, "What became of a task", kJson});
  return all;
}

Result<ResourceText> read_resource(Engine& engine, const RequestContext& context, std::string_view uri) {
  if (uri == kProfile) return told(engine.profiles(context).read(), uri);
  if (uri == kMemory) {
    WEFT_TRY(KnowledgeFile file, engine.memory(context).knowledge());
    return ResourceText{std::move(file.text), kMarkdown};
  }
  if (uri.starts_with(kDays)) return read_day(engine, context, uri);
  if (uri.starts_with(kReports)) return read_report(engine, context, uri);
  if (uri.starts_with(kProfiles)) return read_profile_of(engine, context, uri);
  return nothing_at(uri);
}

Value resource_templates() {
  ValueList all;
  for (const Template& one : kTemplates)
    all.push_back(ValueObject{{"uriTemplate", std::string(one.uri)},
                              {"name", std::string(one.name)},
                              {"description", std::string(one.description)},
                              {"mimeType", std::string(one.type)}});
  return all;
}

Result<std::vector<std::string>> complete_resource(Engine& engine, const RequestContext& context, std::string_view uri,
                                                   std::string_view argument, std::string_view begin) {
  std::vector<std::string> all;
  if (uri == kTemplates[0].uri && argument == "date") {
    WEFT_TRY(auto days, engine.memory(context).days());
    all.assign(days.rbegin(), days.rend());
  } else if (uri == kTemplates[1].uri && argument == "id") {
    WEFT_TRY(const auto reports, engine.hindsight(context).reports());
    for (auto report = reports.rbegin(); report != reports.rend(); ++report) all.push_back(report->id);
  } else if (uri == kTemplates[2].uri && argument == "type") {
    all = {"user", "group"};
  } else if (uri == kTemplates[2].uri && argument == "id") {
    const Scope& scope = context.scope;
    if (scope.is_group()) all.push_back(scope.group().str());
    if (!scope.user().empty()) all.push_back(scope.user().str());
  } else {
    return invalid_argument("there is no template \"" + std::string(uri.substr(0, 200)) + "\" with an argument \"" +
                            std::string(argument.substr(0, 80)) + "\"");
  }
  std::erase_if(all, [&](const std::string& one) { return !one.starts_with(begin); });
  return all;
}

Value resource_description(const Resource& resource) {
  return ValueObject{{"uri", resource.uri},
                     {"name", resource.name},
                     {"title", resource.title},
                     {"description", resource.description},
                     {"mimeType", std::string(resource.type)}};
}

namespace {

std::uint64_t mark_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace

Watcher::Watcher(Engine& engine, std::chrono::milliseconds interval) : engine_(engine), interval_(interval) {}

Watcher::~Watcher() {
  thread_.request_stop();
  changed_.notify_all();
}

std::uint64_t Watcher::add(RequestContext context, Interest interest, Tell tell) {
  Listener listener{std::move(context), std::move(interest), std::move(tell), {}};
  listener.context.cancel = {};  // it outlives the request that it came with
  if (listener.interest.list) listener.seen[""] = mark(listener.context, "");
  for (const std::string& uri : listener.interest.uris) listener.seen[uri] = mark(listener.context, uri);
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = next_++;
  listeners_.emplace(number, std::move(listener));
  if (!thread_.joinable()) {
    const Status begun = start_thread(thread_, "the watcher", [this](std::stop_token stop) { run(stop); });
    if (!begun.ok()) log_warning("mcp.watch", begun.error().message + "; changes are told once another client listens");
  }
  changed_.notify_all();
  return number;
}

void Watcher::remove(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  listeners_.erase(number);
}

void Watcher::listen(std::uint64_t number, const std::string& uri) {
  const std::lock_guard lock(mutex_);
  const auto found = listeners_.find(number);
  if (found == listeners_.end() || found->second.seen.contains(uri)) return;
  found->second.interest.uris.push_back(uri);
  found->second.seen[uri] = mark(found->second.context, uri);
}

void Watcher::stop_listening(std::uint64_t number, const std::string& uri) {
  const std::lock_guard lock(mutex_);
  const auto found = listeners_.find(number);
  if (found == listeners_.end()) return;
  std::erase(found->second.interest.uris, uri);
  found->second.seen.erase(uri);
}

std::uint64_t Watcher::mark(const RequestContext& context, const std::string& uri) const {
  if (!uri.empty()) {
    const auto read = read_resource(engine_, context, uri);
    return read.ok() ? mark_of(read->text) : 0;
  }
  std::string all;
  if (const auto there = resources(engine_, context); there.ok())
    for (const Resource& one : *there) all += one.uri + "\n";
  return mark_of(all);
}

void Watcher::look(Listener& listener) const {
  const auto has_changed = [&](const std::string& uri) {
    const std::uint64_t now = mark(listener.context, uri);
    return std::exchange(listener.seen[uri], now) != now;
  };
  if (listener.interest.list && has_changed("")) listener.tell("notifications/resources/list_changed", Value());
  for (const std::string& uri : listener.interest.uris)
    if (has_changed(uri)) listener.tell("notifications/resources/updated", ValueObject{{"uri", uri}});
}

void Watcher::run(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait(lock, stop, [this] { return !listeners_.empty(); });
    for (auto& [number, listener] : listeners_) guarded_or_logged("mcp.watch", [&, &heard = listener] { look(heard); });
    changed_.wait_for(lock, stop, interval_, [] { return false; });
  }
}

namespace {

constexpr std::size_t kMostUris = 256;  // of one stream: each is looked at again and again

}  // namespace

Result<Listening> listening_of(const Value& params) {
  const Value* wanted = params.find("notifications");
  if (wanted == nullptr || wanted->object() == nullptr) return invalid_argument("\"notifications\" is missing");
  Listening out;
  ValueObject acknowledged;
  if (const Value* list = wanted->find("resourcesListChanged"); list != nullptr && *list == Value(true)) {
    out.interest.list = true;
    acknowledged.emplace_back("resourcesListChanged", true);
  }
  if (const Value* uris = wanted->find("resourceSubscriptions"); uris != nullptr && uris->list() != nullptr) {
    if (uris->list()->size() > kMostUris)
      return invalid_argument("at most " + std::to_string(kMostUris) + " resources can be listened to at once");
    for (const Value& uri : *uris->list()) {
      if (uri.text() == nullptr) return invalid_argument("\"resourceSubscriptions\" must be texts");
      out.interest.uris.push_back(*uri.text());
    }
    acknowledged.emplace_back("resourceSubscriptions", *uris);
  }
  out.acknowledged = std::move(acknowledged);
  return out;
}

Value of_stream(const Value& params, const std::string& id) {
  ValueObject out = params.object() == nullptr ? ValueObject() : *params.object();
  out.emplace_back("_meta", ValueObject{{std::string(kMetaSubscription), parse_value(id).value_or(Value(id))}});
  return out;
}

std::string acknowledgement(const Listening& listening, const std::string& id) {
  return notification_message("notifications/subscriptions/acknowledged",
                              of_stream(ValueObject{{"notifications", listening.acknowledged}}, id));
}

Value end_of_stream(const std::string& id) {
  return finished({Revision::k2026_07_28, false, std::nullopt}, of_stream(Value(), id));
}

}  // namespace weft::mcp
