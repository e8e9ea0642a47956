#include <gtest/gtest.h>

#include "surface/http/exchange.h"
#include "tests/support/recorded_answer.h"

namespace weft::http {
namespace {

class RouterTest : public testing::Test {
 protected:
  RouterTest() {
    router_.add("GET", "/v1/sessions/{id}/messages",
                [](const Request& r, ResponseWriter& out) { out.send(200, "text/plain", r.params.at("id")); });
    router_.add("POST", "/v1/sessions/{id}/messages",
                [](const Request&, ResponseWriter& out) { out.send(200, "text/plain", "posted"); });
  }

  RecordedAnswer ask(std::string method, std::string path) {
    Request request;
    request.method = std::move(method);
    request.path = std::move(path);
    RecordedAnswer out;
    router_.dispatch(request, out);
    return out;
  }

  Router router_;
};

TEST_F(RouterTest, gives_the_parameters_of_the_path_decoded) {
  EXPECT_EQ(ask("GET", "/v1/sessions/a%2Fb%20%E4%BD%A0/messages").body, "a/b 你");
  EXPECT_EQ(ask("GET", "/v1/sessions/..%2F..%2Fetc/messages").body, "../../etc");
}

TEST_F(RouterTest, tells_methods_apart_and_takes_head_for_get) {
  EXPECT_EQ(ask("POST", "/v1/sessions/a/messages").body, "posted");
  EXPECT_EQ(ask("HEAD", "/v1/sessions/a/messages").status, 200);
}

TEST_F(RouterTest, refuses_what_it_does_not_know) {
  EXPECT_EQ(ask("GET", "/v1/nothing").status, 404);
  EXPECT_EQ(ask("GET", "/v1/sessions//messages").status, 404);
  EXPECT_EQ(ask("GET", "/v1/sessions/a/messages/").status, 404);
  EXPECT_EQ(ask("GET", "").status, 404);
  const auto wrong_method = ask("DELETE", "/v1/sessions/a/messages");
  EXPECT_EQ(wrong_method.status, 405);
  EXPECT_EQ(wrong_method.header_named("Allow"), "GET, POST");
  EXPECT_NE(wrong_method.body.find(R"("code":"invalid_argument")"), std::string::npos);
  EXPECT_NE(ask("GET", "/v1/chat/completion").body.find(R"("type":"invalid_request_error")"), std::string::npos);
}

TEST_F(RouterTest, PF_10_a_wrong_path_names_the_nearest_and_where_all_are_listed) {
  EXPECT_NE(ask("GET", "/v1/sessions/a/mesages").body.find("did you mean /v1/sessions/{id}/messages?"),
            std::string::npos);
  const auto far = ask("GET", "/v1/nothing/at/all").body;
  EXPECT_EQ(far.find("did you mean"), std::string::npos);
  EXPECT_NE(far.find("weft help http"), std::string::npos);
}

TEST(Exchange, decodes_and_encodes_percent_signs) {
  EXPECT_EQ(percent_decode("a%20b%zz%4"), "a b%zz%4");
  EXPECT_EQ(percent_decode("100%"), "100%");
  EXPECT_EQ(percent_decode("a+b", true), "a b");
  EXPECT_EQ(percent_decode("a+b"), "a+b");
  EXPECT_EQ(percent_decode(percent_encode("你好 / ?&=%\n")), "你好 / ?&=%\n");
  EXPECT_EQ(parse_query("a=1&b=x%26y&&c&a=2"),
            (std::map<std::string, std::string>{{"a", "2"}, {"b", "x&y"}, {"c", ""}}));
}

}  // namespace
}  // namespace weft::http
