// What programs make in code instead of JSON in strings: operations of a state, parameters of tools, callers.
#include <gtest/gtest.h>

#include "weft/message.h"
#include "weft/request.h"
#include "weft/state.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

TEST(StateOps, PF_10_operations_in_code_are_those_a_model_writes) {
  const StateChange change = StateOps()
                                 .set("hero.name", "an \"Ann\"")
                                 .add("hero.hp", -3)
                                 .push("bag", ValueObject{{"name", "绳子"}})
                                 .pop("bag")
                                 .pop("bag", 0)
                                 .remove("hero.curse")
                                 .by("rules")
                                 .if_version(4)
                                 .once("r1")
                                 .change();
  EXPECT_EQ(change.operations,
            R"([["SET","hero.name","an \"Ann\""],["ADD","hero.hp",-3],["PUSH","bag",{"name":"绳子"}],)"
            R"(["POP","bag"],["POP","bag",0],["DELETE","hero.curse"]])");
  EXPECT_EQ(change.author, "rules");
  EXPECT_EQ(change.expected_version, 4);
  EXPECT_EQ(change.request_id, "r1");
}

TEST(ToolParameters, PF_10_a_schema_is_made_without_json) {
  const std::string schema = ToolParameters()
                                 .text("path", "of the file")
                                 .choice("mode", "how", {"read", "write"})
                                 .integer("lines", "at most")
                                 .optional();
  EXPECT_EQ(schema, R"({"type":"object","properties":{"path":{"type":"string","description":"of the file"},)"
                    R"("mode":{"type":"string","description":"how","enum":["read","write"]},)"
                    R"("lines":{"type":"integer","description":"at most"}},"required":["path","mode"]})");
  EXPECT_EQ(to_json(ToolParameters().schema()), R"({"type":"object","properties":{}})");
  EXPECT_EQ(ToolCall::make("c", "read_file", ValueObject{{"path", "a"}}).arguments, R"({"path":"a"})");
}

TEST(Caller, PF_3_a_wrong_id_stays_an_error_whatever_is_set_after_it) {
  const Caller nobody = Caller(Scope::of_user("")).within(std::chrono::seconds(1)).in_world("coast");
  ASSERT_FALSE(nobody.request().ok());
  EXPECT_EQ(nobody.request().error().code, ErrorCode::kInvalidArgument);
}

TEST(Caller, PF_10_conditions_are_set_on_a_copy) {
  std::stop_source stop;
  const Caller ann(Scope::of_user("ann"));
  const Caller other = ann.within(std::chrono::seconds(5)).cancelled_by(stop.get_token()).of_world("coast");
  EXPECT_FALSE(ann.request()->deadline);
  EXPECT_TRUE(other.request()->deadline > std::chrono::steady_clock::now());
  EXPECT_TRUE(other.request()->of_world);
  EXPECT_EQ(other.request()->world, "coast");
  stop.request_stop();
  EXPECT_TRUE(other.request()->cancel.stop_requested());
  EXPECT_FALSE(ann.request()->cancel.stop_requested());
}

}  // namespace
}  // namespace weft
