#include "surface/mcp/resources.h"

#include <array>

#include "flow/context/told_file.h"
#include "model/growth_records.h"
#include "surface/http/exchange.h"

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

}  // namespace weft::mcp
