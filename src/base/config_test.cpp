#include <gtest/gtest.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "base/settings_table.h"
#include "tests/support/large_text.h"
#include "weft/config.h"

namespace weft {

namespace {

// What a failed call says, message and hint together; empty where it did not fail.
template <class R>
std::string said(const R& result) {
  return result.ok() ? "" : result.error().message + " | " + result.error().hint;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

class Variable {
 public:
  Variable(std::string name, const char* value) : name_(std::move(name)) { setenv(name_.c_str(), value, 1); }
  ~Variable() { unsetenv(name_.c_str()); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
};

class Workspace : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("weft_config_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(std::string_view toml) { std::ofstream(folder_ / "weft.toml") << toml; }
  Result<Config> load() { return load_config(folder_.string()); }

  std::filesystem::path folder_;
};

TEST(Settings, every_setting_can_be_read_and_set_to_its_default) {
  std::set<std::string> keys;
  Config config;
  for (const SettingInfo& info : describe_settings()) {
    EXPECT_TRUE(keys.insert(info.key).second) << info.key;
    EXPECT_FALSE(info.text.empty()) << info.key;
    EXPECT_TRUE(info.environment.starts_with("WEFT_"));
    const auto value = get_setting(config, info.key);
    ASSERT_TRUE(value.ok()) << info.key;
    EXPECT_EQ(*value, info.default_value) << info.key;
    EXPECT_EQ(said(set_setting(config, info.key, info.default_value)), "") << info.key;
    EXPECT_EQ(*get_setting(config, info.key), info.default_value) << info.key;
  }
  EXPECT_TRUE(keys.contains("stream.threshold"));
  EXPECT_TRUE(keys.contains("preset"));
  EXPECT_FALSE(keys.contains("workspace"));
}

TEST_F(Workspace, PF_18_a_program_that_uses_the_library_has_the_settings_of_the_file_under_its_own) {
  write(
      "preset = \"literal\"\n[recall]\narm_top = 7\nauto_top = 9\n[models.fast]\nmodel = \"m\"\n[roles]\nmain = "
      "\"fast\"\n");
  Config given;
  given.workspace = folder_.string();
  given.recall.auto_top = 3;
  const auto settled = settle_config(given);
  ASSERT_EQ(said(settled), "");
  EXPECT_EQ(settled->preset, Preset::kLiteral);
  EXPECT_EQ(settled->stream.policy, TopicPolicy::kThreshold);
  EXPECT_EQ(settled->recall.arm_top, 7);
  EXPECT_EQ(settled->recall.auto_top, 3);
  EXPECT_EQ(settled->roles.at("main"), "fast");
  EXPECT_EQ(settled->workspace, given.workspace);
  write("[recall]\narm_tpo = 7\n");
  EXPECT_TRUE(has(said(settle_config(given)), "recall.arm_top"));
}

TEST_F(Workspace, PF_18_the_preset_that_a_program_names_stands_under_what_the_file_sets) {
  write("[stream]\nthreshold = 0.33\n");
  Config given;
  given.workspace = folder_.string();
  ASSERT_EQ(said(apply_preset(given, "literal")), "");
  const auto settled = settle_config(given);
  ASSERT_EQ(said(settled), "");
  EXPECT_EQ(settled->preset, Preset::kLiteral);
  EXPECT_EQ(settled->stream.policy, TopicPolicy::kThreshold);
  EXPECT_EQ(settled->stream.threshold, 0.33);
}

TEST_F(Workspace, PF_18_a_default_that_the_environment_chose_stands_over_the_file_for_a_program_too) {
  write("preset = \"literal\"\n[recall]\narm_top = 7\nauto_top = 9\n");
  const std::string usual = *get_setting(Config(), "recall.arm_top");
  const Variable arm_top("WEFT_RECALL_ARM_TOP", usual.c_str());
  const Variable preset("WEFT_PRESET", to_string(Config().preset).data());
  const auto loaded = load();
  ASSERT_EQ(said(loaded), "");
  const auto settled = settle_config(*loaded);
  ASSERT_EQ(said(settled), "");
  for (const SettingInfo& info : describe_settings())
    EXPECT_EQ(*get_setting(*settled, info.key), *get_setting(*loaded, info.key)) << info.key;
  EXPECT_EQ(*get_setting(*settled, "recall.arm_top"), usual);
  EXPECT_EQ(settled->recall.auto_top, 9);
  EXPECT_EQ(settled->preset, Config().preset);
}

TEST_F(Workspace, PF_18_a_program_is_told_which_value_makes_no_sense_and_what_would) {
  Config given;
  given.workspace = folder_.string();
  given.context.output_share = 1.5;
  EXPECT_TRUE(has(said(settle_config(given)), "context.output_share cannot be 1.5 | it must be between 0 and 1"));
  given.context.output_share = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(has(said(settle_config(given)), "context.output_share"));
  given = {};
  given.workspace = folder_.string();
  given.stream.policy = static_cast<TopicPolicy>(7);
  EXPECT_TRUE(has(said(settle_config(given)), "use one of: model, threshold"));
  given = {};
  given.workspace = folder_.string();
  given.roles["main"] = "nobody";
  EXPECT_TRUE(has(said(settle_config(given)), "roles.main"));
  given = {};
  given.workspace = folder_.string();
  given.models["m"].retries = -1;
  EXPECT_TRUE(has(said(settle_config(given)), "models.m.retries"));
}

TEST(Settings, PF_18_a_config_is_refused_with_key_value_range_and_what_was_meant) {
  const auto refused = [](auto change) {
    Config config;
    change(config);
    return said(check_config(config));
  };
  EXPECT_EQ(refused([](Config&) {}), "");
  EXPECT_TRUE(has(refused([](Config& c) { c.stream.policy = static_cast<TopicPolicy>(7); }), "stream.policy"));
  EXPECT_EQ(refused([](Config& c) { c.store = "mysql://here"; }).substr(0, 34), "store cannot be \"mysql://here\" | u");
  EXPECT_FALSE(refused([](Config& c) { c.store = "sqlite:"; }).empty());
  EXPECT_EQ(refused([](Config& c) { c.store = "sqlite:a.db"; }), "");
  EXPECT_EQ(refused([](Config& c) { c.store = "postgresql://weft@db/weft"; }), "");
  for (const char* url :
       {"mysql://weft:hidden@db/weft?password=hidden", "postgres:weft:hidden@db", "host=db password=hidden",
        "?password=hidden://db", "mysql://db/weft?user=weft&password=a@hidden", "mysql://weft:pa/hid@db/weft",
        "postgresq://weft:hid@den@db"})
    EXPECT_FALSE(has(refused([&](Config& c) { c.store = url; }), "hid")) << url;
  EXPECT_FALSE(refused([](Config& c) { c.store = "postgresql://"; }).empty());
  EXPECT_TRUE(has(refused([](Config& c) { c.models["m"], c.roles["two words"] = "m"; }), "the name of a role"));
  EXPECT_EQ(refused([](Config& c) { c.models["m"], c.roles["planner"] = "m"; }), "");
  EXPECT_EQ(refused([](Config& c) { c.context.tools_min = 9; }),
            "context.tools_min cannot be 9: context.tools_max is 7 | it must be at most context.tools_max");
  EXPECT_TRUE(has(refused([](Config& c) { c.compaction.warn_ratio = 0.95; }), "compaction.compact_ratio is 0.9"));
  EXPECT_TRUE(has(refused([](Config& c) { c.workspace.clear(); }), "workspace"));
}

TEST(Settings, setting_reaches_the_struct) {
  Config config;
  ASSERT_EQ(said(set_setting(config, "stream.threshold", "0.25")), "");
  ASSERT_EQ(said(set_setting(config, "stream.kernel", "first")), "");
  ASSERT_EQ(said(set_setting(config, "server.port", "0")), "");
  ASSERT_EQ(said(set_setting(config, "models.fast.window", "8192")), "");
  ASSERT_EQ(said(set_setting(config, "roles.historian", "fast")), "");
  EXPECT_EQ(config.stream.threshold, 0.25);
  EXPECT_EQ(config.stream.kernel, TopicKernel::kFirst);
  EXPECT_EQ(config.server.port, 0);
  EXPECT_EQ(config.models["fast"].window, 8192);
  EXPECT_EQ(*get_setting(config, "roles.historian"), "fast");
  EXPECT_EQ(*get_setting(config, "models.fast.timeout_ms"), "60000");
  EXPECT_FALSE(get_setting(config, "models.none.window").ok());
}

TEST(Settings, the_word_false_is_false) {
  Config config;
  for (const char* no : {"false", "False", "0", "off", "no"}) {
    config.log.json = true;
    ASSERT_EQ(said(set_setting(config, "log.json", no)), "");
    EXPECT_FALSE(config.log.json) << no;
  }
  for (const char* yes : {"true", "TRUE", "1", "on", "yes"}) {
    config.log.json = false;
    ASSERT_EQ(said(set_setting(config, "log.json", yes)), "");
    EXPECT_TRUE(config.log.json) << yes;
  }
  EXPECT_FALSE(set_setting(config, "log.json", "").ok());
  EXPECT_FALSE(set_setting(config, "log.json", "nope").ok());
}

TEST(Settings, type_errors_name_key_type_and_value) {
  Config config;
  const std::string number = said(set_setting(config, "stream.threshold", "high"));
  EXPECT_TRUE(has(number, "stream.threshold") && has(number, "number") && has(number, "high")) << number;
  for (const char* bad : {"1.5", "", " 1", "1x", "99999999999999999999", "0x10"}) {
    EXPECT_FALSE(set_setting(config, "server.port", bad).ok()) << bad;
  }
  for (const char* bad : {"nan", "inf", "1e999", "0,5"}) {
    EXPECT_FALSE(set_setting(config, "stream.threshold", bad).ok()) << bad;
  }
  EXPECT_EQ(config.stream.threshold, Config().stream.threshold);
}

TEST(Settings, values_are_checked) {
  Config config;
  const std::string kernel = said(set_setting(config, "stream.kernel", "median"));
  EXPECT_TRUE(has(kernel, "stream.kernel") && has(kernel, "median") && has(kernel, "ema, first")) << kernel;
  const std::string port = said(set_setting(config, "server.port", "70000"));
  EXPECT_TRUE(has(port, "between 0 and 65535")) << port;
  EXPECT_FALSE(set_setting(config, "stream.kernel_rate", "1.5").ok());
  EXPECT_FALSE(set_setting(config, "context.keep_turns", "-1").ok());
  EXPECT_FALSE(set_setting(config, "models.x.provider", "magic").ok());
  EXPECT_FALSE(config.models.contains("x"));
}

TEST(Settings, PF_18_a_wrong_word_is_told_with_all_that_fit_and_the_nearest) {
  Config config;
  EXPECT_EQ(said(set_setting(config, "stream.policy", "modle")),
            "stream.policy cannot be \"modle\" | use one of: model, threshold; did you mean \"model\"?");
  EXPECT_FALSE(has(said(set_setting(config, "stream.policy", "weather")), "did you mean"));
  EXPECT_EQ(said(set_setting(config, "models.m.provider", "opanai")),
            "models.m.provider cannot be \"opanai\" | use one of: openai, local; did you mean \"openai\"?");
  EXPECT_TRUE(has(said(set_setting(config, "catalogue.gpt-*.system_messages", "two")), ", one, several"));
}

// Every word of a closed choice is taken, read back as it was written, and another one is not.
TEST(Settings, PF_18_the_words_of_a_choice_are_those_that_it_takes) {
  std::size_t choices = 0;
  for (const Setting& setting : setting_table()) {
    if (setting.words.empty()) continue;
    ++choices;
    for (const std::string_view word : setting.words) {
      Config config;
      ASSERT_EQ(said(set_setting(config, setting.key, word)), "") << setting.key;
      EXPECT_EQ(*get_setting(config, setting.key), word) << setting.key;
      EXPECT_FALSE(set_setting(config, setting.key, std::string(word) + "x").ok()) << setting.key;
    }
  }
  EXPECT_EQ(choices, 20u);
  for (const ModelField& field : model_fields())
    for (const std::string_view word : field.words()) {
      Config config;
      const std::string key = "models.a.b." + std::string(field.name);
      ASSERT_EQ(said(set_setting(config, key, word)), "") << key;
      EXPECT_EQ(*get_setting(config, key), word);
    }
}

TEST(Settings, PF_22_roles_are_an_open_map) {
  Config config;
  const auto toml = [](const std::string& role) {
    return "[models.m]\nmodel = \"x\"\n[roles]\n" + role + " = \"m\"\n";
  };
  for (const char* role :
       {"main", "fast", "historian", "planner", "user_model", "reflection", "coder", "histroian", "\"审稿\""})
    EXPECT_EQ(said(apply_toml(config, toml(role), "weft.toml")), "") << role;
  EXPECT_EQ(config.roles.at("审稿"), "m");
  EXPECT_EQ(said(check_config(config)), "");
  EXPECT_EQ(said(set_setting(config, "roles.reviewer", "m")), "");
  EXPECT_EQ(*get_setting(config, "roles.reviewer"), "m");
  for (const char* wrong : {"\"two words\"", "\"a,b\"", "\"a=b\"", "\"\""})
    EXPECT_TRUE(has(said(apply_toml(config, toml(wrong), "weft.toml")), "weft.toml:4: ")) << wrong;
  EXPECT_TRUE(has(told_roles(config), "coder: m"));
}

TEST(Settings, PF_22_a_mistyped_role_points_to_the_nearest_without_a_model) {
  Config config;
  config.models["m"];
  config.agent.models = "code=coder";
  config.roles = {{"main", "m"}, {"mian", "m"}, {"histroian", "m"}, {"codr", "m"}};
  const std::map<std::string, std::string> wanted{{"codr", "coder"}, {"histroian", "historian"}};
  const auto found = mistyped_roles(config);
  EXPECT_EQ(found, wanted);
  config.roles.erase("main");
  EXPECT_EQ(mistyped_roles(config)["mian"], "main");
  config.roles = {{"main", "m"}, {"fast", "m"}, {"coder", "m"}, {"reviewer", "m"}};
  EXPECT_TRUE(mistyped_roles(config).empty());
}

TEST(Settings, PF_22_a_role_that_agent_models_names_may_have_a_model) {
  const auto toml = [](const std::string& routes) {
    return "[models.m]\nmodel = \"x\"\n[roles]\nmain = \"m\"\ncoder = \"m\"\n[agent]\nmodels = \"" + routes + "\"\n";
  };
  for (const char* routes : {"code=coder", " research=fast , code = coder", "code=coder,"}) {
    Config config;
    EXPECT_EQ(said(apply_toml(config, toml(routes), "weft.toml")), "") << routes;
    EXPECT_EQ(said(check_config(config)), "");
    EXPECT_EQ(roles_by_task(config.agent.models)->at("code"), "coder");
  }
  Config config;
  EXPECT_EQ(said(apply_toml(config, toml("code=main"), "weft.toml")), "");
  for (const char* wrong : {"code", "=main", "code="}) {
    Config routed;
    routed.agent.models = wrong;
    EXPECT_TRUE(has(said(check_config(routed)), "TYPE=ROLE")) << wrong;
  }
}

TEST(Settings, PF_22_what_answers_in_which_role_is_told) {
  Config config;
  EXPECT_EQ(told_roles(config), "");
  config.models["big"], config.models["small"];
  config.roles = {{"main", "big"}, {"historian", "small"}};
  config.agent.models = "code=coder, chat=fast, review=coder";
  EXPECT_EQ(told_roles(config), "historian: small, main: big; as main: fast, planner, user_model, reflection, coder");
  EXPECT_EQ(roles_without_model(config), (std::vector<std::string>{"fast", "coder"}));
  config.roles["coder"] = config.roles["fast"] = "small";
  EXPECT_TRUE(roles_without_model(config).empty());
}

TEST(Settings, unknown_keys_point_to_the_nearest) {
  Config config;
  EXPECT_TRUE(has(said(set_setting(config, "stream.treshold", "1")), "stream.threshold"));
  EXPECT_TRUE(has(said(set_setting(config, "recall.window", "1")), "context.window"));
  EXPECT_TRUE(has(said(get_setting(config, "log.levle")), "log.level"));
  EXPECT_FALSE(has(said(set_setting(config, "something.else.entirely", "1")), "did you mean"));
}

TEST(Settings, CM_12_the_cognitive_tables_have_the_keys_and_defaults_of_old_configurations) {
  const Config fresh;
  EXPECT_TRUE(fresh.cognitive.enabled);
  EXPECT_EQ(fresh.cognitive_embedding.model, "text-embedding-3-small");
  EXPECT_EQ(fresh.cognitive_embedding.api_url, "");
  EXPECT_EQ(fresh.cognitive_embedding.api_key, "");
  EXPECT_EQ(fresh.cognitive_vector__store.path, "data/chromadb");
  EXPECT_EQ(fresh.cognitive_query.auto_top_k, 3);
  EXPECT_EQ(fresh.cognitive_query.tool_default_top_k, 12);
  EXPECT_EQ(fresh.cognitive_historian.rewrite_max_retry, 2);
  EXPECT_EQ(fresh.cognitive_historian.profile_revision_keep, 5);
  EXPECT_EQ(fresh.cognitive_historian.poll_interval_seconds, 1.0);
  Config config;
  const Status read = apply_toml(config,
                                 "[cognitive]\nenabled = false\n[cognitive.embedding]\nmodel = \"m\"\napi_url = "
                                 "\"http://127.0.0.1:1/v1\"\napi_key = \"k\"\n[cognitive.vector_store]\npath = \"p\"\n"
                                 "[cognitive.query]\nauto_top_k = 7\n[cognitive.historian]\nrewrite_max_retry = 1\n",
                                 "weft.toml");
  ASSERT_TRUE(read.ok()) << said(read);
  EXPECT_FALSE(config.cognitive.enabled);
  EXPECT_EQ(config.cognitive_embedding.api_url, "http://127.0.0.1:1/v1");
  EXPECT_EQ(config.cognitive_vector__store.path, "p");
  EXPECT_EQ(config.cognitive_query.auto_top_k, 7);
  EXPECT_EQ(config.cognitive_historian.rewrite_max_retry, 1);
  EXPECT_NE(said(apply_toml(config, "[cognitive.query]\nauto_top = 3\n", "weft.toml")), "");
}

TEST(Presets, literal_differs_and_balanced_takes_it_back) {
  Config config;
  ASSERT_EQ(said(apply_preset(config, "literal")), "");
  EXPECT_EQ(config.preset, Preset::kLiteral);
  EXPECT_EQ(config.stream.policy, TopicPolicy::kThreshold);
  EXPECT_FALSE(config.stream.calibrated);
  EXPECT_EQ(config.stream.short_tokens, 50);
  EXPECT_TRUE(config.stream.relay_first);
  EXPECT_EQ(config.recall.recipe, RecipeName::kLiteral);
  EXPECT_EQ(config.recall.auto_top, 3);
  EXPECT_EQ(config.context.token_mode, TokenMode::kChars4);
  for (const PresetValue& row : literal_preset()) {
    EXPECT_EQ(*get_setting(config, row.key), row.value) << row.key;
    EXPECT_FALSE(row.why.empty());
  }
  ASSERT_EQ(said(apply_preset(config, "balanced")), "");
  for (const SettingInfo& info : describe_settings()) EXPECT_EQ(*get_setting(config, info.key), info.default_value);
  EXPECT_FALSE(apply_preset(config, "wild").ok());
}

TEST(Toml, everything_a_file_can_say) {
  Config config;
  const auto status = apply_toml(config, R"(
[stream]
threshold = 1        # an integer is a number
short_tokens = 12
calibrated = "false"
relay_first = 1

[roles]
main = "big"

[models.big]
provider = "openai"
url = "http://127.0.0.1:8000/v1"
window = 131072
)",
                                 "weft.toml");
  ASSERT_EQ(said(status), "");
  EXPECT_EQ(config.stream.threshold, 1.0);
  EXPECT_EQ(config.stream.short_tokens, 12);
  EXPECT_FALSE(config.stream.calibrated);
  EXPECT_TRUE(config.stream.relay_first);
  EXPECT_EQ(config.models.at("big").window, 131072);
  EXPECT_EQ(config.models.at("big").timeout_ms, 60000);
  EXPECT_EQ(config.roles.at("main"), "big");
}

TEST(Toml, a_preset_lies_under_the_other_settings_wherever_it_stands) {
  Config config;
  ASSERT_EQ(said(apply_toml(config, "store = \"memory:\"\nstream.short_tokens = 9\npreset = \"literal\"\n", "x")), "");
  EXPECT_EQ(config.store, "memory:");
  EXPECT_EQ(config.stream.policy, TopicPolicy::kThreshold);
  EXPECT_EQ(config.stream.short_tokens, 9);
}

TEST(Toml, errors_name_file_line_key_type_and_value) {
  Config config;
  const auto complaint = [&](std::string_view toml) { return said(apply_toml(config, toml, "weft.toml")); };
  const std::string type = complaint("[stream]\n\nthreshold = \"high\"\n");
  EXPECT_TRUE(has(type, "weft.toml:3") && has(type, "stream.threshold") && has(type, "number") && has(type, "high"))
      << type;
  EXPECT_TRUE(has(complaint("[server]\nport = 1.5"), "weft.toml:2"));
  EXPECT_TRUE(has(complaint("[embedding]\nmodel = 4"), "text"));
  EXPECT_TRUE(has(complaint("[log]\njson = \"maybe\""), "switch"));
  EXPECT_TRUE(has(complaint("[stream]\nthreshold = nan"), "stream.threshold"));
  EXPECT_TRUE(has(complaint("[stream]\nkernle = \"ema\""), "stream.kernel"));
  EXPECT_TRUE(has(complaint("[steam]\nkernel = \"ema\""), "steam"));
  EXPECT_TRUE(has(complaint("stream = 3"), "table"));
  EXPECT_TRUE(has(complaint("[stream]\nthreshold = [1]"), "array"));
  EXPECT_TRUE(has(complaint("stor = \"memory:\""), "\"store\""));
  EXPECT_TRUE(has(complaint("preset = \"wild\""), "balanced, literal"));
  EXPECT_TRUE(has(complaint("[models.a]\nurll = \"x\""), "models.a.url"));
  EXPECT_TRUE(has(complaint("[models]\na = 1"), "models.a"));
  EXPECT_TRUE(has(complaint("[roles]\nmain = \"absent\"\n"), "absent"));
  EXPECT_TRUE(has(complaint("a = = 1"), "weft.toml:1"));
  // toml++ asserts on the first two.
  for (const auto& broken :
       {std::string("[[["), std::string("[ =]\nx = 1"), std::string(100'000, '['), "a = " + std::string(100'000, '['),
        std::string("a.b.c"), std::string("\"a"), std::string("x = 0x"), std::string("[a]\n[a]")}) {
    EXPECT_NE(complaint(broken), "") << broken.substr(0, 20);
  }
}

TEST_F(Workspace, without_a_file_there_are_the_defaults) {
  const auto config = load();
  ASSERT_EQ(said(config), "");
  EXPECT_EQ(config->workspace, folder_.string());
  EXPECT_EQ(config->preset, Preset::kBalanced);
}

TEST_F(Workspace, the_environment_lies_over_the_file) {
  write("preset = \"literal\"\n[stream]\nthreshold = 0.4\nshort_tokens = 7\n");
  const Variable threshold("WEFT_STREAM_THRESHOLD", "0.9");
  const Variable store("WEFT_STORE", "memory:");
  const Variable foreign("WEFT_CACHE", "/somewhere");
  const auto config = load();
  ASSERT_EQ(said(config), "");
  EXPECT_EQ(config->stream.threshold, 0.9);
  EXPECT_EQ(config->stream.short_tokens, 7);
  EXPECT_EQ(config->stream.policy, TopicPolicy::kThreshold);
  EXPECT_EQ(config->store, "memory:");
}

TEST_F(Workspace, a_preset_of_the_environment_does_not_undo_the_file) {
  write("preset = \"literal\"\n[stream]\nshort_tokens = 7\n");
  const Variable preset("WEFT_PRESET", "balanced");
  const auto config = load();
  ASSERT_EQ(said(config), "");
  EXPECT_EQ(config->preset, Preset::kBalanced);
  EXPECT_EQ(config->stream.policy, TopicPolicy::kModel);
  EXPECT_EQ(config->stream.short_tokens, 7);
}

TEST_F(Workspace, misspelt_variables_and_bad_values_are_errors) {
  {
    const Variable wrong("WEFT_STREAM_TRESHOLD", "0.9");
    EXPECT_TRUE(has(said(load()), "WEFT_STREAM_THRESHOLD")) << said(load());
  }
  const Variable bad("WEFT_SERVER_PORT", "many");
  const std::string text = said(load());
  EXPECT_TRUE(has(text, "WEFT_SERVER_PORT") && has(text, "many")) << text;
}

TEST_F(Workspace, errors_of_the_file_name_its_path) {
  write("[stream]\nthreshold = \"x\"\n");
  EXPECT_TRUE(has(said(load()), (folder_ / "weft.toml").string() + ":2")) << said(load());
}

TEST(Settings, PF_21_toml_that_nests_too_deeply_is_refused) {
  std::string dotted = "a";
  for (std::size_t i = 0; i < test::kDeep; ++i) dotted += ".a";
  for (const std::string& toml :
       {"a = " + test::nested("[", "1", "]"), "a = " + test::nested("{a=", "1", "}"), dotted + " = 1",
        "[" + dotted + "]\n", "[[" + dotted + "]]\n", "a = " + std::string(test::kDeep, '[')}) {
    Config config;
    EXPECT_FALSE(apply_toml(config, toml, "weft.toml").ok()) << toml.substr(0, 20);
  }
}

}  // namespace

namespace {

std::string set(std::string_view toml) { return set_toml_text(toml, "embedding", "model", "new").value_or("?"); }

TEST(TomlEdit, PF_13_the_value_is_replaced_and_all_else_stays) {
  EXPECT_EQ(set("# mine\npreset = \"balanced\"\n[ embedding ] # models\ncontexts = 1\nmodel = \"old\"  # small\n"
                "[stream]\nthreshold = 0.5\n"),
            "# mine\npreset = \"balanced\"\n[ embedding ] # models\ncontexts = 1\nmodel = \"new\"  # small\n"
            "[stream]\nthreshold = 0.5\n");
  EXPECT_EQ(set("embedding.model = 'o#ld'\n"), "embedding.model = \"new\"\n");
}

TEST(TomlEdit, PF_13_table_and_key_are_made_where_they_are_missing) {
  EXPECT_EQ(set(""), "[embedding]\nmodel = \"new\"\n");
  EXPECT_EQ(set("preset = \"balanced\""), "preset = \"balanced\"\n\n[embedding]\nmodel = \"new\"\n");
  EXPECT_EQ(set("[embedding]\n# model = \"x\"\ncontexts = 1\n"),
            "[embedding]\nmodel = \"new\"\n# model = \"x\"\ncontexts = 1\n");
  EXPECT_EQ(set("[models.main]\nmodel = \"chat\"\nurl = \"http://h/v1\"\n"),
            "[models.main]\nmodel = \"chat\"\nurl = \"http://h/v1\"\n\n[embedding]\nmodel = \"new\"\n");
}

TEST(TomlEdit, PF_13_what_cannot_be_changed_safely_is_refused) {
  EXPECT_FALSE(set_toml_text("embedding = { model = \"old\" }\n", "embedding", "model", "new").ok());
  EXPECT_FALSE(set_toml_text("[[[\n", "embedding", "model", "new").ok());
  EXPECT_FALSE(set_toml_text("", "embedding", "model", "a\nb").ok());
  EXPECT_EQ(set_toml_text("", "embedding", "model", "a\"\\b").value(), "[embedding]\nmodel = \"a\\\"\\\\b\"\n");
}

}  // namespace

}  // namespace weft
