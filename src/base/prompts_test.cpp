#include "base/prompts.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Prompts, CM_4_every_prompt_is_there_in_both_languages_with_a_version) {
  for (const auto* language : {"en", "zh"}) {
    const Prompt prompt = shipped_prompt("rewrite", language);
    EXPECT_FALSE(prompt.text.empty());
    EXPECT_EQ(prompt.text.find("version"), std::string_view::npos);
    EXPECT_TRUE(prompt.id.starts_with("rewrite/" + std::string(language) + " ")) << prompt.id;
    EXPECT_GT(prompt.id.back(), '0');
  }
  for (unsigned i = 0; i < prompt_file_count; ++i) {
    EXPECT_TRUE(prompt_file_list[i].source.starts_with("version: ")) << prompt_file_list[i].id;
    const std::string id(prompt_file_list[i].id);
    const std::string name = id.substr(id.find('/') + 1);
    for (const auto* language : {"en", "zh"}) EXPECT_FALSE(shipped_prompt(name, language).text.empty()) << id;
  }
}

TEST(Prompts, CM_18_what_teaches_to_end_a_turn_names_its_parameters) {
  for (const auto* language : {"en", "zh"})
    for (const auto* parameter : {"`end`", "`action_summary`", "`new_info`", "`task_done`"})
      EXPECT_NE(shipped_prompt("end", language).text.find(parameter), std::string_view::npos) << language << parameter;
}

TEST(Prompts, PF_2_an_unknown_prompt_is_empty) { EXPECT_TRUE(shipped_prompt("nothing", "en").text.empty()); }

}  // namespace
}  // namespace weft
