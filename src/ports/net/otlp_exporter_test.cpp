#include "ports/net/otlp_exporter.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/scripted_upstream.h"

namespace weft {
namespace {

using Json = nlohmann::json;

SpanData span_of(const std::string& name) {
  SpanData span;
  span.trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  span.id = "00f067aa0ba902b7";
  span.name = name;
  span.begin_ns = 1'700'000'000'000'000'001;
  span.end_ns = 1'700'000'000'000'000'002;
  span.attributes = {{"text", std::string("你好")},
                     {"number", std::int64_t{7}},
                     {"yes", true},
                     {"share", 0.5},
                     {"list", std::vector<std::string>{"a"}}};
  return span;
}

OtelSettings settings_for(const std::string& endpoint) {
  OtelSettings settings;
  settings.endpoint = endpoint;
  settings.headers_env = "";
  settings.interval_ms = 10;
  settings.timeout_ms = 300;
  return settings;
}

TEST(OtlpExporter, PF_10_spans_have_the_form_of_the_protocol) {
  SpanData failed = span_of("b");
  failed.parent = "00f067aa0ba902b8";
  failed.kind = SpanKind::kClient;
  failed.failed = true;
  failed.error = "no";
  const std::vector<SpanData> spans{span_of("a"), failed};
  const Json json = Json::parse(otlp_json(spans, "service"));
  const Json& resource = json["resourceSpans"][0];
  EXPECT_EQ(resource["resource"]["attributes"][0]["value"]["stringValue"], "service");
  const Json& told = resource["scopeSpans"][0]["spans"];
  ASSERT_EQ(told.size(), 2u);
  EXPECT_FALSE(told[0].contains("parentSpanId"));
  EXPECT_FALSE(told[0].contains("status"));
  EXPECT_EQ(told[0]["startTimeUnixNano"], "1700000000000000001");
  EXPECT_EQ(told[0]["attributes"], Json::parse(R"([{"key":"text","value":{"stringValue":"你好"}},
      {"key":"number","value":{"intValue":"7"}},{"key":"yes","value":{"boolValue":true}},
      {"key":"share","value":{"doubleValue":0.5}},{"key":"list","value":{"arrayValue":{"values":[{"stringValue":"a"}]}}}])"));
  EXPECT_EQ(told[1]["kind"], 3);
  EXPECT_EQ(told[1]["status"]["code"], 2);
}

TEST(OtlpExporter, PF_10_headers_are_read_as_the_environment_has_them) {
  const HttpHeaders expected{{"authorization", "Bearer a,b"}, {"x-team", "core"}};
  EXPECT_EQ(otlp_headers("authorization=Bearer%20a%2Cb, x-team = core,nothing,=x"), expected);
  EXPECT_TRUE(otlp_headers("").empty());
}

TEST(OtlpExporter, PF_10_what_is_left_is_sent_at_the_end) {
  ScriptedUpstream collector;
  collector.always(ScriptedAnswer::json("{}"));
  const auto client = make_http_client();
  {
    OtelSettings settings = settings_for(collector.root() + "/");
    settings.interval_ms = 60'000;
    OtlpExporter exporter(settings, *client);
    for (int i = 0; i < 3; ++i) exporter.take(span_of("a"));
  }
  const auto seen = collector.requests();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].path, "/v1/traces");
  EXPECT_EQ(Json::parse(seen[0].body)["resourceSpans"][0]["scopeSpans"][0]["spans"].size(), 3u);
}

TEST(OtlpExporter, PF_10_a_collector_that_is_away_costs_spans_and_no_time) {
  const auto client = make_http_client();
  OtelSettings settings = settings_for("http://127.0.0.1:9");
  settings.queue = 4;
  OtlpExporter exporter(settings, *client);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) exporter.take(span_of("a"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_GE(exporter.dropped(), 900u);
}

TEST(OtlpExporter, PF_10_a_collector_that_comes_back_gets_what_waited) {
  ScriptedUpstream collector;
  collector.then(ScriptedAnswer::json("{}", 503));
  collector.always(ScriptedAnswer::json("{}"));
  const auto client = make_http_client();
  OtlpExporter exporter(settings_for(collector.root()), *client);
  exporter.take(span_of("a"));
  for (int i = 0; i < 500 && exporter.sent() == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(exporter.sent(), 1u);
  EXPECT_EQ(exporter.dropped(), 0u);
}

}  // namespace
}  // namespace weft
