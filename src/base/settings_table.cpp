#include "base/settings_table.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/strings.h"

namespace weft {
namespace {

// Gives a setting its way in and out; `member` is a pointer to the value inside its section.
template <class Section, class T>
Setting make_setting(std::string_view section_name, Section Config::* section, std::string_view name,
                     T Section::* member, const T& default_value, std::string_view text) {
  return Setting{fmt::format("{}.{}", section_name, name),
                 setting_value(default_value),
                 std::string(text),
                 choice_words<T>(),
                 [=](Config& config, const SettingValue& value) { take_value(value, config.*section.*member); },
                 [=](const Config& config) { return setting_value(config.*section.*member); }};
}

template <class T>
Setting make_top(std::string_view name, T Config::* member, std::string_view text) {
  return Setting{std::string(name),
                 setting_value(Config().*member),
                 std::string(text),
                 choice_words<T>(),
                 [=](Config& config, const SettingValue& value) { take_value(value, config.*member); },
                 [=](const Config& config) { return setting_value(config.*member); }};
}

// A table inside a table: "cognitive_query" is [cognitive.query]. Two underscores stand for one that belongs to the
// name.
std::string dotted(std::string_view member) {
  std::string name;
  for (std::size_t i = 0; i < member.size(); ++i) {
    const bool doubled = member.substr(i).starts_with("__");
    name += doubled ? '_' : member[i] == '_' ? '.' : member[i];
    i += doubled ? 1 : 0;
  }
  return name;
}

std::vector<Setting> make_table() {
  std::vector<Setting> table;
  table.push_back(make_top("preset", &Config::preset,
                           "'balanced' (what measures best) or 'literal' (numbers and rules as specified); other "
                           "settings are applied over it"));
  table.push_back(make_top(
      "store", &Config::store,
      "where memory is kept: 'sqlite:PATH', 'memory:' or 'postgresql://USER@HOST/DATABASE' (shared by many servers); "
      "empty: weft.db in the workspace"));
  table.push_back(make_top("model_folder", &Config::model_folder,
                           "where models are looked up by name; empty: ${WEFT_CACHE:-~/.cache/weft}/models"));

#define WEFT_ROW(type, name, value, text) \
  table.push_back(make_setting<Section, type>(section_name, section, #name, &Section::name, type(value), text));
#define WEFT_ROWS(section_member, Name, TABLE)                \
  {                                                           \
    using Section = Name##Settings;                           \
    const std::string section_name = dotted(#section_member); \
    constexpr auto section = &Config::section_member;         \
    TABLE(WEFT_ROW)                                           \
  }
  WEFT_SECTIONS(WEFT_ROWS)
#undef WEFT_ROWS
#undef WEFT_ROW
  return table;
}

Error wrong_type(std::string_view key, std::string_view wanted, std::string_view given) {
  std::string_view hint = "write it as text";
  if (wanted == "number") hint = "write a number such as 0.5";
  if (wanted == "integer") hint = "write a whole number such as 10";
  if (wanted == "switch") hint = "write true or false";
  return invalid_argument(
      fmt::format("{} wants {} {}, but is \"{}\"", key, wanted == "integer" ? "an" : "a", wanted, given.substr(0, 80)),
      std::string(hint));
}

template <class T>
std::optional<T> read_number(std::string_view text) {
  T number{};
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<bool> read_switch(std::string_view text) {
  const std::string lower = lowered(text);
  for (const char* yes : {"true", "1", "on", "yes"}) {
    if (lower == yes) return true;
  }
  for (const char* no : {"false", "0", "off", "no"}) {
    if (lower == no) return false;
  }
  return std::nullopt;
}

std::string_view last_part(std::string_view key) { return key.substr(key.rfind('.') + 1); }

struct Range {
  std::string_view key;
  double least, most;
};

constexpr double kAny = std::numeric_limits<double>::max();

const std::vector<Range>& ranges() {
  static const std::vector<Range> table = {
      {"stream.threshold", -1, 1},
      {"evolution.reflections", 1, 1000},
      {"evolution.trial_tasks", 1, kAny},
      {"evolution.trial_rate", 0, 1},
      {"evolution.related", 0, 1},
      {"evolution.mutate_rate", 0, 1},
      {"evolution.mutate_window", 1, 10'000},
      {"evolution.mutate_uses", 1, kAny},
      {"evolution.ab_uses", 2, kAny},
      {"evolution.min_improvement", 0, 1},
      {"evolution.tolerance", 0, 1},
      {"evolution.keep_probability", 0.5, 1},
      {"evolution.drop_probability", 0, 0.5},
      {"evolution.min_arm_uses", 1, kAny},
      {"evolution.max_arm_uses", 1, kAny},
      {"evolution.model_ms", 1, kAny},
      {"adaptation.half_life_days", 0, kAny},
      {"adaptation.tell", 0, 1},
      {"adaptation.confirmed", 0, 1},
      {"adaptation.doubt", 0, 1},
      {"adaptation.choices", 1, kAny},
      {"adaptation.batch", 1, kAny},
      {"adaptation.batch_minutes", 0, kAny},
      {"adaptation.answer_minutes", 1, kAny},
      {"adaptation.model_ms", 1, kAny},
      {"stream.shift_threshold", 0, 1},
      {"stream.kernel_rate", 0, 1},
      {"stream.idle_minutes", 1, kAny},
      {"stream.max_processing_tokens", 64, kAny},
      {"recall.vector_weight", 0, kAny},
      {"recall.words_weight", 0, kAny},
      {"recall.arm_top", 1, 1000},
      {"recall.auto_top", 0, 100},
      {"recall.known_threshold", 0, 1},
      {"context.window", 1, kAny},
      {"context.output_share", 0, 1},
      {"context.safety_share", 0, 1},
      {"context.memory_share", 0, 1},
      {"context.memory_around", 0, 8},
      {"context.deadline_ms", 1, kAny},
      {"context.window_ratio", 0.01, 1},
      {"context.system_share", 0, 1},
      {"context.task_share", 0, 1},
      {"context.preference_share", 0, 1},
      {"context.history_share", 0, 1},
      {"context.error_share", 0, 1},
      {"context.tool_share", 0, 1},
      {"context.min_confidence", 0, 1},
      {"context.tools_min", 0, 1000},
      {"context.tools_max", 1, 1000},
      {"planner.timeout_ms", 1, kAny},
      {"curation.timeout_ms", 1, kAny},
      {"curation.pool", 1, 1000},
      {"curation.select", 1, 100},
      {"curation.fallback", 1, 100},
      {"curation.preview_tokens", 8, 10000},
      {"curation.prefetch_minutes", 0, kAny},
      {"compaction.warn_ratio", 0.05, 1},
      {"compaction.compact_ratio", 0.05, 1},
      {"compaction.keep_turns", 2, 10000},
      {"compaction.summary_share", 0.01, 0.9},
      {"compaction.target_ratio", 0.05, 1},
      {"compaction.flush_timeout_ms", 1, kAny},
      {"compaction.compact_timeout_ms", 1, kAny},
      {"compaction.retries", 0, 100},
      {"compaction.backoff_ms", 0, kAny},
      {"state.max_operations", 1, kAny},
      {"state.max_bytes", 1024, kAny},
      {"state.snapshot_every", 1, kAny},
      {"embedding.contexts", 1, 64},
      {"embedding.threads", 1, 64},
      {"embedding.max_tokens", 16, kAny},
      {"embedding.timeout_ms", 1, kAny},
      {"historian.workers", 0, 64},
      {"historian.lease_seconds", 1, kAny},
      {"historian.max_attempts", 1, 1000},
      {"historian.verbatim_tokens", 1, kAny},
      {"historian.summary_tokens", 1, kAny},
      {"cognitive.model_timeout_ms", 1, kAny},
      {"cognitive.old_summaries", 0, 1000},
      {"cognitive.query.auto_top_k", 0, 100},
      {"cognitive.query.tool_default_top_k", 1, 1000},
      {"cognitive.historian.rewrite_max_retry", 0, 20},
      {"cognitive.historian.profile_revision_keep", 1, 1000},
      {"cognitive.historian.poll_interval_seconds", 0.01, 3600},
      {"server.port", 0, 65535},
      {"server.threads", 1, 1024},
      {"server.max_body_bytes", 1024, kAny},
      {"server.max_header_bytes", 1024, 16'777'216},
      {"server.max_connections", 1, 65536},
      {"server.spare_connections", 1, 1024},
      {"server.connections_per_caller", 1, 65536},
      {"server.streams_per_caller", 1, 65536},
      {"server.stream_heartbeat_ms", 100, 3'600'000},
      {"server.stream_backlog_bytes", 4096, kAny},
      {"server.header_timeout_ms", 1, kAny},
      {"server.keep_alive_ms", 1, kAny},
      {"server.stop_grace_ms", 0, 3'600'000},
      {"server.read_timeout_ms", 1, kAny},
      {"server.request_timeout_ms", 1, kAny},
      {"server.answers_kept", 1, 1'000'000},
      {"server.answers_kept_bytes", 1024, kAny},
      {"server.answers_kept_hours", 1, 8760},
      {"server.requests_per_minute", 0, kAny},
      {"server.write_timeout_ms", 1, kAny},
      {"proxy.connect_timeout_ms", 1, kAny},
      {"proxy.idle_timeout_ms", 1, kAny},
      {"proxy.keep_responses_days", 1, 36500},
      {"health.min_free_bytes", 0, kAny},
      {"health.queue_depth", 1, kAny},
      {"health.queue_seconds", 1, kAny},
      {"health.min_job_success", 0, 1},
      {"health.min_gate_pass", 0, 1},
      {"retention.failed_job_days", 0, kAny},
      {"usage.keep_days", 1, 36500},
      {"usage.rows_per_day", 10, 1000000},
      {"usage.names", 0, 10000},
      {"retention.state_versions", 0, kAny},
      {"retention.log_entries", 0, kAny},
      {"limits.max_message_bytes", 1024, kAny},
      {"limits.max_depth", 4, 1000},
      {"limits.max_tool_calls", 1, kAny},
      {"limits.max_query_bytes", 64, kAny},
      {"limits.max_indexed_parts", 1, kAny},
      {"memory.file_kb", 0, 3072},
      {"memory.index_mb", 0, 1'000'000},
      {"models.*.timeout_ms", 1, kAny},
      {"models.*.retries", 0, 100},
      {"otel.sample", 0, 1},
      {"otel.queue", 1, 1'000'000},
      {"otel.interval_ms", 10, 3'600'000},
      {"otel.timeout_ms", 1, 600'000},
      {"agent.tool_calls", 1, kAny},
      {"agent.seconds", 1, kAny},
      {"agent.tokens", 1, kAny},
      {"agent.depth", 0, 16},
      {"agent.repeats", 2, 1000},
      {"agent.parallel", 1, 64},
      {"agent.call_seconds", 1, kAny},
      {"agent.choice_seconds", 1, kAny},
      {"agent.model_seconds", 1, kAny},
      {"agent.output_tokens", 16, kAny},
      {"agent.result_bytes", 512, kAny},
      {"agent.runs", 1, 1000},
  };
  return table;
}

// "models.*.window" for "models.fast.window" and for the catalogue's: the same holds for every model.
std::string general_key(std::string_view key) {
  if (!key.starts_with("models.") && !key.starts_with("catalogue.")) return std::string(key);
  return fmt::format("models.*.{}", key.substr(key.rfind('.') + 1));
}

const Range* find_range(std::string_view key) {
  const auto found = std::find_if(ranges().begin(), ranges().end(), [&](const Range& row) { return row.key == key; });
  return found == ranges().end() ? nullptr : &*found;
}

// The words of a setting that is a closed choice.
std::vector<std::string_view> words_of(std::string_view key, std::string_view general) {
  if (const Setting* setting = find_setting(key)) return setting->words;
  if (!general.starts_with("models.*.")) return {};
  for (const ModelField& field : model_fields())
    if (general.substr(9) == field.name) return field.words();
  return {};
}

bool is_url_key(std::string_view key) {
  return key == "proxy.upstream" || key == "proxy.anthropic_upstream" || key == "otel.endpoint" ||
         key.ends_with(".url") || key.ends_with(".api_url");
}

// The word that was most likely meant; empty where none is near.
std::string_view nearest(const std::vector<std::string_view>& words, std::string_view given) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(3, given.size() / 3 + 1);
  for (const std::string_view word : words) {
    const std::size_t distance = edit_distance(word, given);
    if (distance < std::min(least, word.size())) least = distance, best = word;
  }
  return best;
}

Error no_such_word(std::string_view what, const std::vector<std::string_view>& words, std::string_view given) {
  const std::string_view near = nearest(words, given.substr(0, 80));
  return invalid_argument(std::string(what),
                          fmt::format("use one of: {}{}", fmt::join(words, ", "),
                                      near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
}

// Enough to tell a URL from a slip; the rest shows when it is called.
bool is_base_url(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    const std::string_view rest = text.substr(scheme.size());
    const std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
    return !host.empty() && host.front() != ':' && text.find_first_of(" \t\r\n\"<>\\") == std::string_view::npos;
  }
  return false;
}

// Those in which Weft itself calls a model; tasks may have others, which agent.models names.
constexpr std::array<std::string_view, 6> kRoles = {"main", "fast", "historian", "planner", "user_model", "reflection"};

bool is_store(std::string_view url) {
  const auto begins = [&](std::string_view scheme) { return url.starts_with(scheme) && url.size() > scheme.size(); };
  return url.empty() || url == "memory:" || begins("sqlite:") || begins("postgresql://") || begins("postgres://");
}

}  // namespace

const std::vector<Setting>& setting_table() {
  static const std::vector<Setting> table = make_table();
  return table;
}

const Setting* find_setting(std::string_view key) {
  for (const Setting& setting : setting_table()) {
    if (setting.key == key) return &setting;
  }
  return nullptr;
}

std::string_view type_name(const SettingValue& value) {
  switch (value.index()) {
    case 0: return "number";
    case 1: return "integer";
    case 2: return "text";
    default: return "switch";
  }
}

std::string format_value(const SettingValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::get<bool>(value) ? "true" : "false";
}

Result<SettingValue> parse_value(std::string_view key, const SettingValue& like, std::string_view text) {
  switch (like.index()) {
    case 0:
      if (const auto number = read_number<double>(text); number && std::isfinite(*number)) return SettingValue(*number);
      break;
    case 1:
      if (const auto integer = read_number<std::int64_t>(text)) return SettingValue(*integer);
      break;
    case 2: return SettingValue(std::string(text));
    default:
      if (const auto on = read_switch(text)) return SettingValue(*on);
  }
  return wrong_type(key, type_name(like), text);
}

Error unknown_key(std::string_view key, const std::vector<std::string>& known) {
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(3, key.size() / 3 + 1);
  for (const std::string& candidate : known) {
    // A right name in the wrong section is a common slip and can be far away letter by letter.
    const std::size_t distance = last_part(candidate) == last_part(key) ? 1 : edit_distance(candidate, key);
    if (distance < least) least = distance, nearest = candidate;
  }
  return invalid_argument(
      fmt::format("there is no setting \"{}\"", key.substr(0, 80)),
      nearest.empty() ? "`weft settings` lists all settings" : fmt::format("did you mean \"{}\"?", nearest));
}

std::string environment_name(std::string_view key) {
  std::string name = "WEFT_";
  for (const char c : key) {
    name.push_back(c == '.' ? '_' : to_upper(c));
  }
  return name;
}

SettingValue ModelField::get(const ModelSettings& model) const {
  return std::visit([&](auto place) { return setting_value(model.*place); }, member);
}

std::vector<std::string_view> ModelField::words() const {
  return std::visit(
      [](auto place) { return choice_words<std::remove_cvref_t<decltype(std::declval<ModelSettings>().*place)>>(); },
      member);
}

const std::vector<ModelField>& model_fields() {
  static const std::vector<ModelField> fields = {
      {"provider", &ModelSettings::provider},
      {"url", &ModelSettings::url},
      {"model", &ModelSettings::model},
      {"path", &ModelSettings::path},
      {"api_key_env", &ModelSettings::api_key_env},
      {"vocabulary", &ModelSettings::vocabulary},
      {"window", &ModelSettings::window},
      {"output", &ModelSettings::output},
      {"system_messages", &ModelSettings::system_messages},
      {"timeout_ms", &ModelSettings::timeout_ms},
      {"retries", &ModelSettings::retries},
  };
  return fields;
}

const std::vector<ModelField>& catalogue_fields() {
  static const std::vector<ModelField> fields = [] {
    std::vector<ModelField> some;
    for (const ModelField& field : model_fields())
      for (const char* name : {"window", "output", "vocabulary", "system_messages"})
        if (field.name == name) some.push_back(field);
    return some;
  }();
  return fields;
}

Status check_role(std::string_view role) {
  constexpr std::size_t kLongest = 64;
  const auto fine = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 127 && c != ',' && c != '='; };
  if (!role.empty() && role.size() <= kLongest && std::all_of(role.begin(), role.end(), fine)) return {};
  return invalid_argument(fmt::format("\"{}\" cannot be the name of a role", role.substr(0, 80)),
                          "use 1 to 64 bytes without blanks, commas and equals signs");
}

bool is_own_role(std::string_view role) { return std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end(); }

std::map<std::string, std::string> mistyped_roles(const Config& config) {
  std::vector<std::string_view> open(kRoles.begin(), kRoles.end());
  const auto by_task = roles_by_task(config.agent.models).value_or({});
  for (const auto& [type, role] : by_task) open.push_back(role);
  std::map<std::string, std::string> mistyped;
  std::vector<std::string_view> unused;
  for (const auto& [role, model] : config.roles)
    if (std::find(open.begin(), open.end(), role) == open.end()) unused.push_back(role);
  // A role that has a model was not meant by another name.
  std::erase_if(open, [&](std::string_view role) { return config.roles.contains(std::string(role)); });
  for (const std::string_view role : unused)
    if (const std::string_view near = nearest(open, role); !near.empty()) mistyped.emplace(role, near);
  return mistyped;
}

Result<std::map<std::string, std::string>> roles_by_task(std::string_view agent_models) {
  std::map<std::string, std::string> roles;
  while (!agent_models.empty()) {
    const auto comma = agent_models.find(',');
    const std::string_view entry = trimmed(agent_models.substr(0, comma));
    agent_models.remove_prefix(comma == std::string_view::npos ? agent_models.size() : comma + 1);
    if (entry.empty()) continue;
    const auto equals = entry.find('=');
    const std::string type(trimmed(entry.substr(0, equals)));
    const std::string role(equals == std::string_view::npos ? std::string_view() : trimmed(entry.substr(equals + 1)));
    if (type.empty() || role.empty())
      return invalid_argument(fmt::format("agent.models: \"{}\" is not TYPE=ROLE", entry.substr(0, 80)),
                              "write it as \"code=main, research=fast\"");
    WEFT_CHECK(check_role(role));
    roles.emplace(type, role);
  }
  return roles;
}

std::string told_roles(const Config& config) {
  std::string own, others;
  for (const auto& [role, model] : config.roles) own += fmt::format("{}{}: {}", own.empty() ? "" : ", ", role, model);
  for (const std::string_view role : kRoles)
    if (!config.roles.contains(std::string(role))) others += fmt::format("{}{}", others.empty() ? "" : ", ", role);
  for (const std::string& role : roles_without_model(config))
    if (!is_own_role(role)) others += (others.empty() ? "" : ", ") + role;
  if (own.empty() || others.empty() || !config.roles.contains("main")) return own;
  return own + "; as main: " + others;
}

std::vector<std::string> roles_without_model(const Config& config) {
  std::vector<std::string> missing;
  for (const auto& [type, role] : roles_by_task(config.agent.models).value_or({}))
    if (!config.roles.contains(role) && std::find(missing.begin(), missing.end(), role) == missing.end())
      missing.push_back(role);
  return missing;
}

std::string without_password(std::string_view url) {
  if (url.starts_with("sqlite:") || url == "memory:") return std::string(url);
  const auto scheme = url.find_first_of(":=? ");
  if (scheme == std::string_view::npos || !url.substr(scheme).starts_with("://"))
    return std::string(url.substr(0, scheme));
  std::string_view rest = url.substr(scheme + 3);
  const auto authority = rest.find_first_of("/?");
  const auto at = rest.rfind('@');
  if (at != std::string_view::npos && at > authority) return std::string(url.substr(0, scheme + 3));
  if (at != std::string_view::npos) rest.remove_prefix(at + 1);
  return std::string(url.substr(0, scheme + 3)) + std::string(rest.substr(0, rest.find('?')));
}

std::string shown_value(std::string_view key, const std::string& value) {
  return key == "store" ? without_password(value) : value;
}

Status check_value(std::string_view key, const SettingValue& value) {
  const std::string general = general_key(key);
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (is_url_key(key) && !text->empty() && !is_base_url(*text)) {
      return invalid_argument(fmt::format("{} is \"{}\", which is no URL", key, text->substr(0, 80)),
                              "give a base URL such as http://127.0.0.1:8000/v1");
    }
    if (key == "store" && !is_store(*text)) {
      return invalid_argument(
          fmt::format("store cannot be \"{}\"", without_password(*text).substr(0, 80)),
          "use \"sqlite:PATH\", \"memory:\" or \"postgresql://USER@HOST/DATABASE\", or leave it empty for weft.db "
          "in the workspace");
    }
    const auto words = words_of(key, general);
    if (words.empty() || std::find(words.begin(), words.end(), *text) != words.end()) return {};
    return no_such_word(fmt::format("{} cannot be \"{}\"", key, text->substr(0, 80)), words, *text);
  }
  if (std::holds_alternative<bool>(value)) return {};

  const bool integer = std::holds_alternative<std::int64_t>(value);
  const double number = integer ? static_cast<double>(std::get<std::int64_t>(value)) : std::get<double>(value);
  const Range* range = find_range(general);
  const double least = range != nullptr ? range->least : (integer ? 0 : -kAny);
  const double most = range != nullptr ? range->most : kAny;
  if (number >= least && number <= most) return {};
  return invalid_argument(fmt::format("{} cannot be {}", key, format_value(value)),
                          most == kAny ? fmt::format("it must be at least {}", least)
                                       : fmt::format("it must be between {} and {}", least, most));
}

}  // namespace weft
