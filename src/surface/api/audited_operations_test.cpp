#include "surface/api/audited_operations.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft {
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
