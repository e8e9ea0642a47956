#include "surface/api/api.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "surface/api/bodies.h"
#include "surface/api/operation.h"
#include "tests/support/other_store.h"
#include "tests/support/recorded_answer.h"
#include "tests/support/test_engine.h"

namespace weft {
namespace {

using Json = nlohmann::json;

class ApiTest : public testing::Test {
 protected:
  ApiTest() { add_api(router_, engine_); }

  RecordedAnswer ask(std::string method, std::string target, std::string body = {}, http::Headers headers = {}) {
    http::Request request;
    request.method = std::move(method);
    const auto mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string::npos) request.query_text = target.substr(mark + 1);
    request.query = http::parse_query(request.query_text);
    request.body = std::move(body);
    request.headers = std::move(headers);
    RecordedAnswer out;
    router_.dispatch(request, out);
    return out;
  }
  Json post(std::string path, std::string body, http::Headers headers = {}) {
    return Json::parse(ask("POST", std::move(path), std::move(body), std::move(headers)).body);
  }
  Json get(std::string target) { return Json::parse(ask("GET", std::move(target)).body); }

  // What a list holds under this name, page by page as a client walks it; `between` is done after each page.
  std::vector<Json> walk(const std::string& target, const std::string& name,
                         const std::function<void()>& between = {}) {
    std::vector<Json> all;
    const std::string first = target + (target.find('?') == std::string::npos ? "?" : "&");
    std::string cursor;
    for (std::size_t pages = 0; pages < 1000; ++pages) {
      const Json page = get(first + "limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor));
      EXPECT_LE(page[name].size(), 2U);
      for (const Json& one : page[name]) all.push_back(one);
      if (!page.contains("next")) return all;
      cursor = page["next"];
      if (between) between();
    }
    ADD_FAILURE() << target << " has no end";
    return all;
  }
  void say(const std::string& session, const std::string& text) {
    post("/v1/sessions/" + session + "/messages", Json{{"role", "user"}, {"content", text}}.dump());
  }

  TestEngine engine_;
  http::Router router_;
};

TEST_F(ApiTest, PF_23_who_observes_waits_for_decisions_where_the_query_says_so) {
  const std::string path = "/v1/sessions/s/messages", body = R"({"role":"user","content":"a"})";
  const auto is_decided = [&](const std::string& query) {
    return post(path + query, body)["observations"][0].contains("decision");
  };
  EXPECT_FALSE(is_decided(""));
  EXPECT_FALSE(is_decided("?wait=kept"));
  EXPECT_TRUE(is_decided("?wait=decision"));
  const Json refused = post(path + "?wait=forever", body);
  EXPECT_NE(refused["error"]["message"].get<std::string>().find("forever"), std::string::npos) << refused;
  EXPECT_TRUE(refused["error"]["hint"].get<std::string>().starts_with("\"kept\" or \"decision\"")) << refused;
}

TEST_F(ApiTest, observes_one_message_an_array_or_an_object_with_messages) {
  EXPECT_EQ(post("/v1/sessions/s/messages", R"({"role":"user","content":"a"})")["observations"].size(), 1U);
  EXPECT_EQ(post("/v1/sessions/s/messages",
                 R"([{"role":"user","content":"b"},{"role":"assistant","content":"c"}])")["observations"]
                .size(),
            2U);
  EXPECT_EQ(post("/v1/sessions/s/messages", R"({"messages":[{"role":"user","content":"d"}]})")["observations"].size(),
            1U);
  const auto messages = get("/v1/sessions/s/messages?limit=3")["messages"];
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0]["content"], "b");
  EXPECT_EQ(messages[2]["session"], "s");
}

TEST_F(ApiTest, PF_3_finds_only_in_the_scope_that_is_named) {
  post("/v1/sessions/s/messages", R"({"role":"user","content":"the tulip is red"})", {{"x-weft-user", "ann"}});
  EXPECT_EQ(post("/v1/search", R"({"query":"tulip"})", {{"x-weft-user", "ann"}})["hits"].size(), 1U);
  EXPECT_EQ(post("/v1/search", R"({"query":"tulip","user":"ann"})")["hits"].size(), 1U);
  EXPECT_EQ(post("/v1/search", R"({"query":"tulip"})")["hits"].size(), 0U);
  EXPECT_EQ(post("/v1/search", R"({"query":"tulip","metadata":{"weft_group":"ann"}})")["hits"].size(), 0U);
  EXPECT_EQ(get("/v1/items?kind=message&user=ann")["items"].size(), 1U);
  EXPECT_EQ(get("/v1/items?kind=message")["items"].size(), 0U);
}

TEST_F(ApiTest, PF_2_results_say_how_they_came_about) {
  const auto result = post("/v1/search", R"({"query":"x"})");
  EXPECT_EQ(result["by"], "floor");
  EXPECT_TRUE(result.contains("embed_ms"));
}

TEST_F(ApiTest, PF_7_context_comes_with_its_report) {
  const auto woven =
      post("/v1/sessions/s/context", R"({"system":"be kind","history":[{"role":"user","content":"hi"}]})");
  ASSERT_EQ(woven["messages"].size(), 2U);
  EXPECT_TRUE(woven.contains("report"));
  EXPECT_EQ(ask("POST", "/v1/sessions/s/context").status, 200);
}

TEST_F(ApiTest, saves_and_shows_jobs) {
  post("/v1/sessions/s/messages", R"({"role":"user","content":"a"})");
  EXPECT_EQ(post("/v1/sessions/s/save", "")["flushed"][0]["reason"], "save");
  EXPECT_TRUE(get("/v1/jobs")["jobs"].is_array());
  EXPECT_EQ(ask("POST", "/v1/jobs/j2/retry").status, 404);
}

TEST_F(ApiTest, health_is_answered_without_an_embedder) {
  const auto health = get("/healthz");
  EXPECT_EQ(health["status"], "ok");
  EXPECT_EQ(health["embedder"]["state"], "none");
  EXPECT_EQ(health["queue"]["failed"], 0);
}

TEST_F(ApiTest, PF_10_liveness_and_readiness_are_answered) {
  EXPECT_EQ(get("/livez"), Json({{"alive", true}}));
  EXPECT_EQ(get("/readyz"), Json({{"ready", true}, {"problems", Json::array()}}));
}

/// A store whose trial writes fail.
class FullStore final : public test::OtherStore {
 public:
  explicit FullStore(std::unique_ptr<Store> rows) : OtherStore(*rows, false), rows_(std::move(rows)) {}
  Status set_note(const std::string& name, const std::string& value) override {
    if (name == "probe") return unavailable("the disk is full", "free some space");
    return OtherStore::set_note(name, value);
  }

 private:
  const std::unique_ptr<Store> rows_;
};

TEST(Readiness, PF_10_a_server_that_cannot_write_is_alive_and_not_ready) {
  const test::TemporaryFolder folder;
  Config config;
  config.workspace = folder / "workspace";
  config.embedding.provider = EmbeddingProvider::kNone;
  EngineParts parts;
  parts.store = [](std::unique_ptr<Store> opened) { return std::make_unique<FullStore>(std::move(opened)); };
  const auto engine = EngineImpl::open(config, std::move(parts));
  ASSERT_TRUE(engine.ok()) << engine.error().message;
  http::Router router;
  add_api(router, **engine);
  const auto get = [&](const char* path) {
    http::Request request;
    request.method = "GET";
    request.path = path;
    RecordedAnswer out;
    router.dispatch(request, out);
    return out;
  };
  // An engine that has just been opened writes nothing for a trial for a moment.
  RecordedAnswer ready;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  do {
    ready = get("/readyz");
    std::this_thread::yield();
  } while (ready.status == 200 && std::chrono::steady_clock::now() < limit);
  ASSERT_EQ(ready.status, 503);
  const Json body = Json::parse(ready.body);
  EXPECT_EQ(body["ready"], false);
  ASSERT_EQ(body["problems"].size(), 1U) << body;
  EXPECT_NE(body["problems"][0]["what"].get<std::string>().find("the disk is full"), std::string::npos) << body;
  EXPECT_EQ(Json::parse(get("/livez").body), Json({{"alive", true}}));
}

TEST_F(ApiTest, wrong_requests_are_named) {
  const auto message_of = [&](std::string path, std::string body) {
    const auto answer = ask("POST", std::move(path), std::move(body));
    EXPECT_EQ(answer.status, 400) << answer.body;
    const auto error = Json::parse(answer.body)["error"];
    EXPECT_EQ(error["code"], "invalid_argument");
    return error["message"].get<std::string>();
  };
  EXPECT_NE(message_of("/v1/search", "{}").find("query"), std::string::npos);
  EXPECT_NE(message_of("/v1/search", R"({"query":"x","top_k":0})").find("top_k"), std::string::npos);
  EXPECT_NE(message_of("/v1/search", R"({"query":"x","top_k":-1})").find("top_k"), std::string::npos);
  EXPECT_NE(message_of("/v1/search", R"({"query":"x","kinds":["king"]})").find("kinds"), std::string::npos);
  for (const std::string name : {"from", "as_of", "asked"})
    EXPECT_NE(message_of("/v1/search", R"({"query":"x",")" + name + R"(":"no time"})").find(name), std::string::npos);
  EXPECT_NE(message_of("/v1/search", R"({"query":"x","asked":"yesterday"})").find("asked"), std::string::npos);
  EXPECT_NE(message_of("/v1/search", R"({"query":"x","from":"2026-03-02","to":"2026-03-01"})").find("to"),
            std::string::npos);
  message_of("/v1/search", "not json");
  message_of("/v1/sessions/s/messages", "");
  message_of("/v1/sessions/s/messages", "{\"role\":\"user\",\"content\":\"\xff\"}");
  message_of("/v1/sessions/%00/messages", R"({"role":"user","content":"a"})");
  EXPECT_EQ(ask("GET", "/v1/items?kind=king").status, 400);
  EXPECT_EQ(ask("GET", "/v1/items?limit=many").status, 400);
}

TEST(SearchBody, PF_10_times_are_read_as_people_say_them) {
  const auto read = [](const std::string& times) {
    const std::string body = R"({"query":"x","asked":"2026-03-04T10:00:00Z",)" + times + "}";
    return search_request(parse_record<SearchBody>(body, "the body").value(), Time()).value();
  };
  const auto day = read(R"("from":"yesterday","to":"yesterday")");
  EXPECT_EQ(format_time(*day.from), "2026-03-03T00:00:00Z");
  EXPECT_EQ(day.to->ms - day.from->ms, 86'399'999);
  EXPECT_EQ(format_time(*read(R"("as_of":"2026-03-01")").as_of).substr(0, 19), "2026-03-01T23:59:59");
  EXPECT_EQ(read(R"("from":"2026-03-01T09:30:00+08:00")").from->ms, parse_time("2026-03-01T09:30:00+08:00")->ms);
  EXPECT_FALSE(read(R"("from":null)").from);
  EXPECT_EQ(read(R"("from":"上周")").from->ms, parse_time("2026-02-23T00:00:00Z")->ms);
}

TEST(SearchBody, PF_10_hits_that_are_not_sure_enough_are_left_out) {
  SearchResult result;
  for (const double relevance : {0.9, 0.5, 0.49}) result.hits.emplace_back().relevance = relevance;
  const auto left = [&](const std::string& fields) {
    SearchResult kept = result;
    keep_wanted(parse_record<SearchBody>(R"({"query":"x")" + fields + "}", "the body").value(), kept);
    return kept.hits.size();
  };
  EXPECT_EQ(left(""), 3u);
  EXPECT_EQ(left(R"(,"min_relevance":0.5)"), 2u);
  EXPECT_EQ(left(R"(,"min_relevance":1)"), 0u);
  EXPECT_NE(parse_record<SearchBody>(R"({"query":"x","min_relevance":1.5})", "it").error().message.find("0 to 1"),
            std::string::npos);
}

TEST_F(ApiTest, the_engines_errors_keep_their_meaning) {
  for (const auto& [error, status] : {std::pair{conflict("x"), 409},
                                      {unavailable("x"), 503},
                                      {timed_out("x"), 504},
                                      {too_large("x"), 413},
                                      {corrupt("x"), 500}}) {
    engine_.fail_with(error);
    const auto answer = ask("POST", "/v1/sessions/s/messages", R"({"role":"user","content":"a"})");
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(Json::parse(answer.body)["error"]["code"], std::string(to_string(error.code)));
  }
}

TEST_F(ApiTest, a_session_may_be_called_anything) {
  post("/v1/sessions/..%2F..%2Fetc/messages", R"({"role":"user","content":"a"})");
  EXPECT_EQ(engine_.sessions(*Scope::of_user("default")), std::vector<std::string>{"../../etc"});
}

TEST_F(ApiTest, PF_10_every_operation_that_answers_a_list_takes_a_limit_and_a_cursor) {
  // What is read as a whole, is no list of things that are kept, or has no end.
  const std::set<std::string> others = {"context", "tools", "events", "export", "next_question"};
  std::size_t lists = 0;
  for (const Operation& one : operations()) {
    const auto takes = [&](const char* name) {
      return std::any_of(one.query.begin(), one.query.end(), [&](const Parameter& at) { return at.name == name; });
    };
    EXPECT_EQ(one.lists, takes("cursor")) << one.id;
    EXPECT_EQ(one.lists, takes("limit")) << one.id;
    SchemaBook book;
    std::string answer = one.method == "GET" && one.answer ? to_json(one.answer(book)) : "";
    const bool answers_list = answer.find(R"("type":"array")") != std::string::npos;
    EXPECT_TRUE(one.lists || !answers_list || others.contains(one.id)) << one.id;
    if (!one.lists) continue;
    ++lists;
    answer += to_json(Value(book.take()));  // where the answer has a name of its own
    EXPECT_NE(answer.find(R"("next")"), std::string::npos) << one.id;
  }
  EXPECT_GE(lists, 24U);
}

TEST_F(ApiTest, PF_10_pages_give_each_message_once_whatever_is_said_meanwhile) {
  for (int i = 0; i < 7; ++i) say("s", "m" + std::to_string(i));
  int more = 0;
  const auto walked = walk("/v1/sessions/s/messages", "messages", [&] { say("s", "new" + std::to_string(more++)); });
  ASSERT_EQ(walked.size(), 7U);
  std::set<std::string> texts;
  for (const Json& one : walked) texts.insert(one["content"].get<std::string>());
  EXPECT_EQ(texts.size(), 7U);
  EXPECT_EQ(walked[0]["content"], "m5") << "the newest page comes first, its oldest message before the others";
  EXPECT_EQ(walk("/v1/items?kind=message", "items").size(), 7U + static_cast<std::size_t>(more));
}

TEST_F(ApiTest, PF_10_a_cursor_belongs_to_one_list) {
  for (int i = 0; i < 5; ++i) say("s", "m" + std::to_string(i)), say("t", "n" + std::to_string(i));
  const std::string cursor = get("/v1/items?kind=message&limit=2")["next"];
  const auto refused = [&](const std::string& target, http::Headers headers = {}) {
    const auto answer = ask("GET", target, {}, std::move(headers));
    EXPECT_EQ(answer.status, 400) << target;
    EXPECT_NE(answer.body.find("cursor"), std::string::npos) << answer.body;
  };
  EXPECT_EQ(ask("GET", "/v1/items?kind=message&limit=3&cursor=" + cursor).status, 200) << "pages may differ in length";
  refused("/v1/items?limit=2&cursor=" + cursor);
  refused("/v1/items?kind=event&limit=2&cursor=" + cursor);
  refused("/v1/items?kind=message&limit=2&cursor=" + cursor, {{"x-weft-user", "bob"}});
  refused("/v1/sessions/s/messages?cursor=" + cursor);
  const std::string of_s = get("/v1/sessions/s/messages?limit=2")["next"];
  refused("/v1/sessions/t/messages?cursor=" + of_s);
  for (const std::string& wrong :
       std::vector<std::string>{"x", "0100", "zz" + cursor.substr(2), cursor + "0", cursor.substr(0, 18), "01"})
    refused("/v1/items?kind=message&cursor=" + wrong);
  refused("/v1/items?kind=message&cursor=" + std::string(5000, '0'));
}

TEST_F(ApiTest, PF_10_a_search_goes_on_behind_what_it_gave) {
  for (int i = 0; i < 5; ++i) say("s", "tulip " + std::to_string(i));
  std::set<std::string> ids;
  std::string cursor;
  std::size_t given = 0;
  for (int pages = 0; pages < 10; ++pages) {
    Json body = {{"query", "tulip"}, {"top_k", 2}};
    if (!cursor.empty()) body["cursor"] = cursor;
    const Json found = post("/v1/search", body.dump());
    for (const Json& hit : found["hits"]) ids.insert(hit["id"].get<std::string>()), ++given;
    if (!found.contains("next")) break;
    cursor = found["next"];
    if (pages == 0) say("s", "tulip of another kind");
  }
  EXPECT_EQ(ids.size(), given) << "each hit once";
  EXPECT_EQ(given, 6U) << "what was added meanwhile, too";
  const auto other = ask("POST", "/v1/search", Json{{"query", "rose"}, {"cursor", cursor}}.dump());
  EXPECT_EQ(other.status, 400);
  EXPECT_FALSE(post("/v1/search", R"({"query":"tulip","top_k":2,"compact":true})").contains("next"));
  EXPECT_TRUE(post("/v1/search", R"({"query":"tulip","top_k":2,"compact":true,"cursor":""})").contains("next"));
}

TEST_F(ApiTest, PF_18_a_parameter_that_is_not_read_is_an_error_with_a_hint) {
  const auto refused = [&](const char* method, const char* target) {
    const auto answer = ask(method, target);
    EXPECT_EQ(answer.status, 400) << target;
    return answer.body;
  };
  EXPECT_NE(refused("GET", "/v1/items?knd=message").find("did you mean \\\"kind\\\"?"), std::string::npos);
  EXPECT_NE(refused("GET", "/v1/items?offset=5").find("known are: kind, order, limit, cursor, user, group"),
            std::string::npos);
  EXPECT_NE(refused("GET", "/healthz?verbose=1").find("it takes none"), std::string::npos);
  EXPECT_NE(refused("POST", "/v1/sessions/s/save?user=ann").find("user"), std::string::npos) << "the body says whose";
  EXPECT_NE(refused("GET", "/v1/items?limit=2&limit=3").find("more than once"), std::string::npos);
  EXPECT_NE(refused("GET", "/v1/items?user=ann&us%65r=bob").find("more than once"), std::string::npos);
  EXPECT_EQ(ask("GET", "/v1/items?user=ann&group=g&limit=2").status, 200);
}

TEST_F(ApiTest, PF_18_a_field_that_is_not_read_is_an_error_with_a_hint) {
  const auto refused = [&](const char* path, const char* body) {
    const auto answer = ask("POST", path, body);
    EXPECT_EQ(answer.status, 400) << body;
    return answer.body;
  };
  EXPECT_NE(refused("/v1/sessions/s/context", R"({"inputt":"a"})").find("did you mean \\\"input\\\"?"),
            std::string::npos);
  EXPECT_NE(refused("/v1/search", R"({"query":"a","topk":1})").find("top_k"), std::string::npos);
  EXPECT_NE(refused("/v1/erase", R"({"everthing":true})").find("everything"), std::string::npos);
  EXPECT_NE(refused("/v1/sessions/s/messages", R"({"messages":[],"sesion":"x"})").find("sesion"), std::string::npos);
  EXPECT_NE(refused("/v1/sessions/s/save", R"({"now":true})").find("now"), std::string::npos);
  EXPECT_NE(refused("/v1/sessions/s/context", R"({"task":{"descripton":"a"}})").find("task.descripton"),
            std::string::npos);
  EXPECT_EQ(ask("POST", "/v1/search", R"({"query":"a","user":"ann","metadata":{"tag":"x"}})").status, 200);
}

}  // namespace

namespace {

using Words = std::vector<std::string>;

const Operation& operation_of(std::string_view id) {
  const auto& all = operations();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Operation& one) { return one.id == id; });
  EXPECT_NE(found, all.end()) << id;
  return found == all.end() ? all.front() : *found;
}

http::Request request(std::map<std::string, std::string> params, std::string body = {}) {
  http::Request made;
  made.params = std::move(params);
  made.body = std::move(body);
  return made;
}

TEST(AuditedOperations, PF_10_what_changes_the_workspace_or_what_was_learnt_is_noted) {
  for (const char* id : {"erase",
                         "erase_in_groups",
                         "export",
                         "backup",
                         "retry",
                         "retry_failed",
                         "plan_learning",
                         "change_rule",
                         "propose_mutations",
                         "judge_mutation",
                         "teach_skill",
                         "import_skill",
                         "put_skill",
                         "change_skill",
                         "write_profile",
                         "roll_back_profile",
                         "put_knowledge",
                         "confirm_knowledge",
                         "answer_task",
                         "answer_question"})
    EXPECT_TRUE(is_audited(operation_of(id))) << id;
  for (const char* id : {"observe", "search", "history", "rules", "skills", "jobs", "profile", "context"})
    EXPECT_FALSE(is_audited(operation_of(id))) << id;
  for (const Operation& one : operations())
    EXPECT_TRUE(is_audited(one) || one.right != Right::kAdmin || one.method == "GET") << one.id;
}

TEST(AuditedOperations, PF_10_ids_are_told_and_words_are_not) {
  EXPECT_EQ(acted_on(operation_of("change_rule"),
                     request({{"id", "r12"}}, R"({"action":"rollback","version":3,"why":"secret"})"), "{}"),
            (Words{"rule r12", "action rollback", "version 3"}));
  EXPECT_EQ(
      acted_on(operation_of("judge_mutation"), request({{"id", "m1"}}, R"({"approve":true,"why":"secret"})"), "{}"),
      (Words{"mutation m1", "approve true"}));
  EXPECT_EQ(
      acted_on(operation_of("roll_back_profile"), request({{"type", "user"}, {"id", "ann"}, {"version", "2"}}), "{}"),
      (Words{"profile user:ann", "version 2"}));
  EXPECT_EQ(
      acted_on(operation_of("teach_skill"), request({}, R"({"text":"secret"})"), R"({"skill_id":"deploy","name":"x"})"),
      (Words{"skill deploy"}));
  EXPECT_EQ(acted_on(operation_of("erase"), request({}, R"({"messages":["m1"],"session":"s 1"})"),
                     R"({"id":"e7","digests":[]})"),
            (Words{"session s 1", "receipt e7"}));
  EXPECT_EQ(acted_on(operation_of("erase_in_groups"), request({}), R"({"receipts":[{"id":"e1"},{"id":"e2"}]})"),
            (Words{"receipt e1", "receipt e2"}));
  EXPECT_EQ(acted_on(operation_of("backup"), request({{"name", "a\nb"}}), "{}"), (Words{"backup a b"}));
}

TEST(AuditedOperations, PF_10_of_a_call_that_failed_only_the_path_speaks) {
  EXPECT_EQ(acted_on(operation_of("change_rule"), request({{"id", "r12"}}, "{ \"action\": no json"), ""),
            (Words{"rule r12"}));
  EXPECT_EQ(acted_on(operation_of("change_rule"), request({{"id", "r12"}}, "no json"), "{}"), (Words{"rule r12"}));
  // An id that is none is cut.
  EXPECT_LT(acted_on(operation_of("backup"), request({{"name", std::string(5000, 'x')}}), "").front().size(), 200U);
}

}  // namespace

}  // namespace weft
