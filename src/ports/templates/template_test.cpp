#include "ports/templates/template.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/large_text.h"

namespace weft {
namespace {

Result<std::string> run(std::string_view source, const Value& variables = Value(ValueObject()),
                        const TemplateLimits& limits = {}) {
  WEFT_TRY(const Template made, Template::compile("t", source));
  return made.render(variables, {{"ready", "<b>x</b>"}}, limits);
}

std::string text(std::string_view source, const Value& variables = Value(ValueObject())) {
  const auto result = run(source, variables);
  return result.ok() ? *result : "error: " + result.error().message;
}

const Value& data() {
  static const Value value(ValueObject{{"name", "<Ann> & {{ 7*7 }} {% for %}"},
                                       {"list", ValueList{3, 1, 2}},
                                       {"object", ValueObject{{"a", 1}, {"b", "two"}}}});
  return value;
}

TEST(Template, HC_4_statements_and_filters_of_jinja) {
  EXPECT_EQ(text("{% for x in list | sort %}{{ loop.index }}={{ x }} {% endfor %}", data()), "1=1 2=2 3=3 ");
  EXPECT_EQ(
      text("{% for k, v in object.items() if k != 'a' %}{{ k }}:{{ v | upper }}{% else %}none{% endfor %}", data()),
      "b:TWO");
  EXPECT_EQ(
      text("{% set ns = namespace(n=0) %}{% for x in list %}{% set ns.n = ns.n + x %}{% endfor %}{{ ns.n }}", data()),
      "6");
  EXPECT_EQ(text("{{ 'yes' if object.b in ['one', 'two'] else 'no' }}", data()), "yes");
  EXPECT_EQ(text("{% macro m(x) %}{{ x }}{% endmacro %}"),
            "error: template 't', line 1: there is no statement 'macro'");
  EXPECT_EQ(
      text("{{ missing | default('d') }} {{ 'y' if missing is defined else 'n' }} {{ 2 * 3 * 4 }} {{ 'ab' * 2 }}"),
      "d n 24 abab");
  EXPECT_EQ(text("{{ object | yaml(2) }}", data()), "  a: 1\n  b: two");
  EXPECT_EQ(text("{{ list | join('<') }}{{ name[0:2] }}{{ object['b'] }}", data()), "3&lt;1&lt;2&lt;Atwo");
}

TEST(Template, HC_4_conditions_loops_and_parts_of_values) {
  const Value world(ValueObject{{"zh", "聊天室"},
                                {"quests", ValueList{ValueObject{{"id", "a"}, {"done", true}, {"left", 0}},
                                                     ValueObject{{"id", "b"}, {"done", false}, {"left", 2}}}},
                                {"none", Value()}});
  EXPECT_EQ(text("{% for q in quests if not q.done %}{{ q.id }}{{ q.left * 1.5 }}{% endfor %}", world), "b3.0");
  EXPECT_EQ(text("{% for q in quests if q.left > 5 %}x{% else %}nothing{% endfor %}", world), "nothing");
  EXPECT_EQ(text("{{ zh[1:] }} {{ zh | length }} {{ quests[-1]['id'] }} {{ quests[7] is defined }}", world),
            "天室 3 b False");
  EXPECT_EQ(text("{{ none is none }}{{ none }} {{ 'a' if none else 'b' if quests else 'c' }}", world), "True b");
  EXPECT_EQ(text("{{ missing.deeper if missing is defined else 'd' }} {{ 1 < 2 and 'b' >= 'a' and 2 not in [1, 3] }}"),
            "d True");
  EXPECT_EQ(text("{{ quests[0] | tojson }}", world), "{\"id\": \"a\", \"done\": true, \"left\": 0}");
  EXPECT_EQ(text("a\n  {% if quests %}\n  b\n  {% endif %}\n{#- c -#} d\n", world), "a\n  b\nd");
}

TEST(Template, HC_4_what_has_no_meaning_is_told) {
  EXPECT_EQ(text("\n{{ list | map }}", data()), "error: template 't', line 2: there is no filter 'map' for this value");
  EXPECT_EQ(text("{{ list.append(1) }}", data()),
            "error: template 't', line 1: there is no filter 'append' for this value");
  EXPECT_EQ(text("{{ name is odd }}", data()),
            "error: template 't', line 1: there is no test 'odd': defined, undefined, none");
  EXPECT_EQ(text("{{ name < 1 }}", data()), "error: template 't', line 1: only two numbers or two texts have an order");
  EXPECT_EQ(text("{{ 9223372036854775807 + 1 }}"), "error: template 't', line 1: a number has more than 64 bits");
  EXPECT_EQ(text("{% if false %}{{ 1 + }}{% endif %}"), "error: template 't', line 1: a value is missing");
}

TEST(Template, HC_4_stored_text_is_escaped_and_never_run) {
  const std::string escaped = "&lt;Ann&gt; &amp; {{ 7*7 }} {% for %}";
  EXPECT_EQ(text("{{ name }}", data()), escaped);
  EXPECT_EQ(text("{{ name ~ '' }}{% set x = name %}{{ x }}", data()), escaped + escaped);
  EXPECT_EQ(text("{{ name | replace('q', name) }}", data()), escaped);
  EXPECT_EQ(text("{{ ready }}{{ ready ~ '<' }}", data()), "<b>x</b><b>x</b>&lt;");
  EXPECT_EQ(text("{{ ready | replace('x', name) }}", data()).find("<Ann>"), std::string::npos);
  EXPECT_EQ(text("{{ x | xml }}", Value(ValueObject{{"x", "a\"<\x1b[0m\xe2\x80\xae"}})), "a&quot;&lt;[0m");
  EXPECT_NE(text("{{ name | safe }}", data()).find("error"), std::string::npos);
}

TEST(Template, HC_4_errors_name_template_line_and_variable) {
  EXPECT_EQ(text("a\nb\n{{ state.hp }}", Value(ValueObject{{"state", ValueObject()}})),
            "error: template 't', line 3: 'state.hp' is not defined");
  EXPECT_EQ(text("\n{% if nobody %}x{% endif %}"), "error: template 't', line 2: 'nobody' is not defined");
  EXPECT_EQ(text("{{ nobody.name }}"), "error: template 't', line 1: 'nobody' is not defined");
  EXPECT_EQ(text("x\n{{ strftime_now('%Y') }}"), "error: template 't', line 2: there is no function 'strftime_now'");
  EXPECT_EQ(text("x\n\n{% if a %}"), "error: template 't', line 3: 'if' is not closed by 'endif'");
  EXPECT_EQ(text("\n{% frob %}"), "error: template 't', line 2: there is no statement 'frob'");
  EXPECT_NE(text("\n\n{{ (1 + }}").find("line 3"), std::string::npos);
  EXPECT_NE(text("\n{{ a ? }}").find("line 2"), std::string::npos) << text("\n{{ a ? }}");
  EXPECT_NE(text("\n{{ list }}", data()).find("line 2: 'list' is no text"), std::string::npos);
}

TEST(Template, HC_4_no_file_is_read) {
  for (const char* statement : {"include 'x'", "import 'x' as y", "from 'x' import y", "extends 'x'", "block x"}) {
    const auto result = run("\n{% " + std::string(statement) + " %}");
    ASSERT_FALSE(result.ok()) << statement;
    EXPECT_NE(result.error().message.find("line 2"), std::string::npos);
    EXPECT_NE(result.error().message.find("is not allowed"), std::string::npos);
  }
}

TEST(Template, HC_4_whatever_has_no_end_is_ended) {
  for (const char* source :
       {"{% for i in range(1000000000) %}x{% endfor %}",
        "{% for i in range(0, -9223372036854775807, -1) %}x{% endfor %}",
        "{% for i in range(1000) %}{% for j in range(1000) %}{% for k in range(1000) %}{% endfor %}{% endfor %}{% "
        "endfor %}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ 'x' * 100000000000 }}",
        "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
        "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s | "
        "tojson }}",
        "{% set ns = namespace() %}{% set ns.me = ns %}{{ ns | tojson }}",
        "{% set ns = namespace() %}{% set ns.me = [ns] %}{{ ns }}", "{% set l = [] %}{{ l.append(l) }}{{ l }}",
        "{{ 'x' | indent(100000000000) }}", "{{ [1] | tojson(indent=2000000000) }}",
        "{{ ('x' * 1000000) | replace('', 'y' * 1000000) }}", "{{ ('x' * 10000000).split('x') | length }}",
        "{{ 5 is divisibleby 0 }}", "{{ [1, 'a', none, 2] | sort }}",
        "{% set range = nothing %}{% for i in range(1000000000) %}{% endfor %}"}) {
    const auto result = run(source);
    EXPECT_FALSE(result.ok()) << source;
  }
  TemplateLimits limits;
  limits.max_output = 5000;
  const auto long_output = run("{% for i in range(1000) %}{{ 'x' * 1000 }}{% endfor %}", Value(ValueObject()), limits);
  EXPECT_EQ(long_output.error().code, ErrorCode::kTooLarge);
}

TEST(Template, HC_4_sources_that_nest_without_end_are_refused) {
  const auto repeat = [](std::string_view piece, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += piece;
    return out;
  };
  for (const std::string& source : std::vector<std::string>{
           "{{ " + repeat("(", 20000) + "1" + repeat(")", 20000) + " }}", "{{ " + repeat("not ", 20000) + "1 }}",
           "{{ 1" + repeat(" + 1", 20000) + " }}", repeat("{% if 1 %}", 5000) + repeat("{% endif %}", 5000),
           "{% if 1 %}" + repeat("{% elif 1 %}", 5000) + "{% endif %}", "{{ " + repeat("[", 50000), repeat("{{", 5),
           "{% ", repeat("{#", 3), std::string("{{ '"), std::string("{{ a\\ }}"),
           std::string("{{ 99999999999999999999 }}"), std::string("\xff")}) {
    EXPECT_FALSE(Template::compile("t", source).ok()) << source.substr(0, 40);
  }
}

TEST(Template, HC_4_large_ready_text_and_names) {
  const auto made = Template::compile("t", "{% if big %}{{ big }}{% endif %}");
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->mentions("big"));
  EXPECT_FALSE(made->mentions("state"));
  TemplateLimits limits;
  limits.max_output = 1024;
  const std::string big(5 * test::kLargeText, '<');
  EXPECT_EQ(*made->render(Value(ValueObject()), {{"big", big}}), big);
  EXPECT_EQ(made->render(Value(ValueObject{{"big", big}}), {}, limits).error().code, ErrorCode::kTooLarge);
}

TEST(Template, PF_21_what_nests_too_deeply_is_refused) {
  for (const std::string& source :
       {"{{ " + test::nested("(", "1", ")") + " }}", "{{ " + test::nested("[", "1", "]") + " }}",
        "{{ " + test::nested("1 if 0 else ", "1", "") + " }}", "{{ " + test::nested("not ", "1", "") + " }}",
        "{{ " + test::nested("-", "1", "") + " }}", test::nested("{% if 1 %}", "x", "{% endif %}"),
        "{% if 0 %}" + test::nested("{% elif 0 %}", "", "") + "{% endif %}",
        test::nested("{% for x in [1] %}", "x", "{% endfor %}"), "{{ a" + test::nested("[a", "", "]") + " }}",
        "{{ 1" + test::nested(" | default(1", "", ")") + " }}"})
    EXPECT_FALSE(run(source).ok()) << source.substr(0, 40);
}

}  // namespace
}  // namespace weft
