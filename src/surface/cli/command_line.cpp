#include "surface/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <thread>

#include "base/call_context.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/settings_table.h"
#include "base/strings.h"
#include "engine/engine_impl.h"
#include "surface/cli/commands.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kFinishPatience{20};
constexpr std::chrono::seconds kModelPatience{30};
constexpr std::chrono::milliseconds kLook{100};  // how often a wait looks whether anybody still waits for the command
// How long a command waits for a workspace that another one holds, or a server that does not listen yet.
constexpr std::chrono::seconds kPatienceForWorkspace{5};
constexpr std::chrono::milliseconds kNextTry{25};

Status apply_settings(Config& config, const Globals& globals) {
  if (!globals.preset.empty()) WEFT_CHECK(apply_preset(config, globals.preset));
  for (const std::string& setting : globals.settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) {
      return invalid_argument("--set " + setting + ": no \"=\"", "write it as --set stream.threshold=0.5");
    }
    WEFT_CHECK(set_setting(config, setting.substr(0, equals), setting.substr(equals + 1)));
  }
  if (!globals.log_level.empty()) WEFT_CHECK(set_setting(config, "log.level", globals.log_level));
  return {};
}

// A running server keeps its settings: a command that asks for others must not seem to have had them.
Status check_for_server(const Globals& globals, const Config& serving) {
  Config asked = serving;
  Globals given = globals;
  if (given.preset == to_string(serving.preset))
    given.preset.clear();  // it would also take back what the file sets over it
  WEFT_CHECK(apply_settings(asked, given));
  asked.log.level = serving.log.level;
  for (const SettingInfo& info : describe_settings()) {
    const auto has = get_setting(serving, info.key), wanted = get_setting(asked, info.key);
    if (has.ok() && wanted.ok() && *has == *wanted) continue;
    return conflict("the server that holds this workspace runs with " + info.key + " = " +
                        shown_value(info.key, has.value_or("?")) + "; --set and --preset cannot change it to " +
                        shown_value(info.key, wanted.value_or("?")),
                    "leave it out, or end the server first");
  }
  return {};
}

template <class Wait>
Status wait_in_parts(const Globals& globals, std::chrono::milliseconds limit, Wait wait) {
  const Deadline deadline(Deadline::Clock::now() + limit, globals.console->cancelled());
  for (;;) {
    const Status done = wait(std::min(kLook, deadline.left(kLook)));
    if (done.ok() || done.error().code != ErrorCode::kTimeout) return done;
    if (deadline.cancelled()) return cancelled("nobody waits for this command any more");
    if (deadline.passed()) return done;
  }
}

}  // namespace

Result<Config> load(const Globals& globals) {
  WEFT_TRY(Config config, load_config(globals.workspace));
  WEFT_CHECK(apply_settings(config, globals));
  configure_log(config.log.level, config.log.json);
  return config;
}

// Of a group only who is named is a member of it.
Result<RequestContext> request_of(const Globals& globals) {
  const bool named = globals.user != Globals().user;
  auto scope = globals.group.empty()
                   ? Scope::private_of(UserId(globals.user))
                   : Scope::group_of(GroupId(globals.group), UserId(named ? globals.user : std::string()));
  if (!scope.ok()) return scope.error();
  return RequestContext{*scope, {}, globals.console->cancelled()};
}

int report(const Globals& globals, const Error& error) {
  Console& console = *globals.console;
  if (globals.json) {
    const nlohmann::json body = {
        {"error", {{"code", to_string(error.code)}, {"message", error.message}, {"hint", error.hint}}}};
    console.line(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    console.complain("weft: %s\n", error.message.c_str());
    if (!error.hint.empty()) console.complain("      %s\n", error.hint.c_str());
  }
  return kFailed;
}

Status models_ready(const Globals& globals, Engine& engine) {
  return wait_in_parts(globals, kModelPatience, [&](auto time) { return engine.wait_ready(time); });
}

void wait_for_models(const Globals& globals, Engine& engine) {
  const Status ready = models_ready(globals, engine);
  // A model that does not come leaves the words: the answer says so ("by").
  if (!ready.ok()) log_warning("embedder", ready.error().message);
}

Status drain(const Globals& globals, Engine& engine, std::chrono::milliseconds limit) {
  const auto done = wait_in_parts(globals, limit, [&](auto time) { return engine.drain(time); });
  const bool goes_on = globals.serving != nullptr && !done.ok() && done.error().code == ErrorCode::kTimeout;
  return goes_on ? Status() : done;
}

void finish(const Globals& globals, Engine& engine) {
  if (globals.serving != nullptr) return;
  if (const Status done = drain(globals, engine, kFinishPatience); !done.ok())
    log_warning("command", done.error().message + "; other commands go on with it");
}

Result<std::unique_ptr<EngineImpl>> open_when_free(const Config& config, const std::function<bool()>& give_up) {
  const Deadline until = Deadline::after(kPatienceForWorkspace);
  for (;;) {
    auto engine = EngineImpl::open(config);
    if (engine.ok() || engine.error().code != ErrorCode::kConflict || until.passed() || (give_up && give_up()))
      return engine;
    std::this_thread::sleep_for(kNextTry);
  }
}

int with_whole_engine(const Globals& globals, const std::function<Status(EngineImpl&, const RequestContext&)>& body) {
  std::optional<int> handed;
  const auto is_handed = [&] {
    if (globals.hand_over) handed = globals.hand_over();
    return handed.has_value();
  };
  const auto run = [&]() -> Status {
    if (globals.serving != nullptr) {
      WEFT_CHECK(check_for_server(globals, globals.serving->config()));
      WEFT_TRY(const auto request, request_of(globals));
      const CallScope call(Account{request.scope.key().str(), {}});
      return body(*globals.serving, request);
    }
    WEFT_TRY(const Config config, load(globals));
    WEFT_TRY(const auto engine, open_when_free(config, is_handed));
    WEFT_TRY(const auto request, request_of(globals));
    const CallScope call(Account{request.scope.key().str(), {}});
    return body(*engine, request);
  };
  const Status done = run();
  if (handed) return *handed;
  return done.ok() ? kDone : report(globals, done.error());
}

int with_engine(const Globals& globals, const std::function<Status(Engine&, const RequestContext&)>& body) {
  return with_whole_engine(globals, body);
}

namespace {

// The subcommand that was reached: what follows it was read, or should have been, as its words.
const CLI::App* reached(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? &app : reached(*below.back());
}

std::string whole_name(const CLI::App* app) {
  return app->get_parent() == nullptr ? "weft" : whole_name(app->get_parent()) + " " + app->get_name();
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> names_of_options(const CLI::App* app) {
  std::vector<std::string> names;
  for (; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

// The name that a slip of the hand leads away from, or that was not written to its end; empty where none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t distance = std::min<std::size_t>(3, std::max<std::size_t>(2, word.size() / 2 + 1));
  for (const std::string& name : names) {
    if (word.size() >= 3 && name.starts_with(word)) return name;
    if (const std::size_t here = edit_distance(word, name); here < distance) {
      distance = here;
      best = name;
    }
  }
  return best;
}

Error wrong_word(const CLI::App& at, const std::string& word) {
  const std::string given = word.substr(0, word.find('='));
  const bool option = given.starts_with('-') && given.size() > 1;
  const auto names = option ? names_of_options(&at) : names_of_commands(at);
  const std::string near = nearest(given, names), use = "`" + whole_name(&at) + " --help` shows what there is";
  const std::string hint = near.empty() ? use : "did you mean " + near + "? " + use;
  if (option) return invalid_argument(whole_name(&at) + " has no option " + given, hint);
  if (!names.empty()) return invalid_argument(whole_name(&at) + " has no command " + given, hint);
  return invalid_argument(whole_name(&at) + ": \"" + word + "\" is one word too many",
                          "text with blanks in it is put in quotes; " + use);
}

Error wrong_use(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& at = *reached(app);
  const auto extra = app.remaining(true);
  if (!extra.empty()) return wrong_word(at, extra.front());
  std::string message = error.what();
  if (const auto end = message.find('\n'); end != std::string::npos) message.resize(end);
  return invalid_argument(whole_name(&at) + ": " + message, "`" + whole_name(&at) + " --help` shows its use");
}

int show_help(const Globals& globals, const std::vector<std::string>& words) {
  if (words.size() == 1 && words.front() == "http") return help_http(globals);
  CommandLine unread;  // one that was read tells about the command that was read
  const CLI::App& app = unread.app();
  const CLI::App* at = &app;
  for (const std::string& word : words) {
    const auto names = names_of_commands(*at);
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      (void)report(globals, wrong_word(*at, word));
      return kWrongUse;
    }
    at = at->get_subcommand(word);
  }
  std::string text = at->help(at == &app ? "" : whole_name(at->get_parent()));
  if (at == &app)
    text +=
        "\n`weft help COMMAND` tells about one of them, `weft help http` lists the paths of the server,\n"
        "`weft settings` every setting. README.md shows how they are used together.\n";
  globals.console->write(text);
  return kDone;
}

}  // namespace

CommandLine::CommandLine() : app_(std::make_unique<CLI::App>("Weft: memory and context for LLM agents", "weft")) {
  app_->set_version_flag("--version", WEFT_VERSION);
  app_->require_subcommand(1);
  app_->fallthrough();
  add_globals();
  add_memory(*this);
  add_task(*this);
  add_story(*this);
  add_cognitive(*this);
  add_queue(*this);
  add_care(*this);
  add_usage(*this);
  add_surfaces(*this);
  add_evaluation(*this);
  add_knowledge(*this);
  add_growth(*this);
  add_agents(*this);
  add_reflection(*this);
  add_skills(*this);
  add_adaptation(*this);
  add_keys(*this);
  add_hooks(*this);
  add_imports(*this);
  add_watch(*this);
  add_agent_files(*this);
  add_research(*this);
  add_help();
}

CommandLine::~CommandLine() = default;

std::vector<std::string> CommandLine::given(const std::string& argument) const {
  const CLI::App& at = *reached(*app_);
  const CLI::Option* option = at.get_parent() == nullptr ? nullptr : at.get_option_no_throw(argument);
  return option == nullptr ? std::vector<std::string>() : option->results();
}

std::vector<std::string> CommandLine::given_options() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : reached(*app_)->get_options([](const CLI::Option* one) { return one->count() > 0; }))
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return names;
}

void CommandLine::add_globals() {
  app_->add_option("-w,--workspace", globals_.workspace, "folder that holds everything")->envname("WEFT_WORKSPACE");
  app_->add_option("--preset", globals_.preset, "balanced (default) or literal");
  app_->add_option("--set", globals_.settings, "KEY=VALUE: one setting (see `weft settings`)")->allow_extra_args(false);
  app_->add_option("-u,--user", globals_.user, "whose memory");
  app_->add_option("-g,--group", globals_.group, "a group's memory instead");
  app_->add_option("-s,--session", globals_.session, "the conversation");
  app_->add_option("--log", globals_.log_level, "debug, info, warning, error or off");
  app_->add_flag("--json", globals_.json, "JSON on stdout and nothing else");
}

void CommandLine::add_help() {
  auto words = std::make_shared<std::vector<std::string>>();
  auto* help = app_->add_subcommand("help", "tell about a command, or about the server's paths: help http");
  help->add_option("command", *words, "which");
  on(help, Place::kAnywhere, [words](const Globals& globals) { return show_help(globals, *words); });
}

void CommandLine::on(CLI::App* command, Place place, Run run) {
  command->callback([this, command, place, run = std::move(run)] {
    if (!command->get_subcommands().empty()) return;  // one below it was asked for
    place_ = place;
    name_ = whole_name(command);
    run_ = run;
  });
}

std::optional<int> CommandLine::read(std::vector<std::string> arguments, Console& console) {
  globals_.console = &console;
  // Also where the words make no sense a program is answered in its own language.
  globals_.json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  try {
    std::reverse(arguments.begin(), arguments.end());  // the way CLI11 wants them
    app_->parse(std::move(arguments));
    globals_.owner_named = app_->count("--user") + app_->count("--group") > 0;
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      std::ostringstream out, err;
      (void)app_->exit(error, out, err);
      console.write(out.str());
      return kDone;
    }
    (void)report(globals_, wrong_use(*app_, error));
    return kWrongUse;
  }
}

namespace {

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("-+.eE0123456789") == std::string_view::npos;
}

}  // namespace

std::string json_of_words(FieldKind kind, const std::vector<std::string>& words) {
  if (kind == FieldKind::kFlag) return "true";
  if (kind == FieldKind::kNumber && is_number(words.front())) return words.front();
  JsonWriter out;
  if (kind != FieldKind::kTexts) {
    out.text(words.front());
    return out.take();
  }
  out.begin('[');
  for (const std::string& word : words) out.text(word);
  out.end(']');
  return out.take();
}

std::string option_of(std::string_view name, const FieldRule& rule) {
  if (!rule.option.empty()) return std::string(rule.option);
  std::string option = "--" + std::string(name);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

void GivenWords::offer(CLI::App& command, std::initializer_list<std::string_view> fields) {
  for (const std::string_view name : fields) offer_field(command, *record_.find(name));
}

void GivenWords::offer_all_but(CLI::App& command, std::initializer_list<std::string_view> left_out) {
  for (const RecordField& field : record_.fields()) {
    const bool wanted = std::find(left_out.begin(), left_out.end(), field.name) == left_out.end();
    if (wanted && field.read && field.kind != FieldKind::kOther) offer_field(command, field);
  }
}

Status GivenWords::put_into(void* of) const {
  for (const auto& [field, json] : given_) WEFT_CHECK(field->read(json, field->name, of));
  return {};
}

void GivenWords::offer_field(CLI::App& command, const RecordField& field) {
  const std::string option = option_of(field.name, field.rule);
  CLI::Option* added = nullptr;
  if (field.kind == FieldKind::kFlag)
    added = command.add_flag_callback(option, [this, &field] { take(field, {}); }, field.doc);
  else if (field.kind == FieldKind::kTexts)
    added = command.add_option_function<std::vector<std::string>>(
        option, [this, &field](const std::vector<std::string>& words) { take(field, words); }, field.doc);
  else
    added = command.add_option_function<std::string>(
        option, [this, &field](const std::string& word) { take(field, {word}); }, field.doc);
  if (field.rule.required && !option.starts_with('-')) added->required();
}

void GivenWords::take(const RecordField& field, const std::vector<std::string>& words) {
  std::string json = json_of_words(field.kind, words);
  if (const Status read = probe_(field, json, option_of(field.name, field.rule)); !read.ok())
    throw CLI::ValidationError(read.error().message);
  given_.emplace_back(&field, std::move(json));
}

}  // namespace weft::cli
