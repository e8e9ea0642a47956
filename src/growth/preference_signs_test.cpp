#include "growth/preference_signs.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

using Named = std::map<std::string, std::string>;

std::string name_of(SignalKind kind) {
  switch (kind) {
    case SignalKind::kExplicit: return "explicit";
    case SignalKind::kEdit: return "edit";
    case SignalKind::kChoice: return "choice";
    case SignalKind::kFollowUp: return "follow_up";
    case SignalKind::kSilence: return "silence";
  }
  return "silence";
}

std::string shown(const std::vector<BeliefSignal>& signs) {
  std::string out;
  for (const BeliefSignal& one : signs) {
    if (!out.empty()) out += "; ";
    out += name_of(one.kind) + " " + one.dimension + " " + one.value;
  }
  return out;
}

std::string after(const std::string& answer, const std::string& message) {
  return shown(signs_of_message(answer, message));
}

TEST(PreferenceSigns, EV_4_every_value_has_words_and_a_text_in_both_languages) {
  for (const PreferenceName& name : preference_names())
    for (const std::string_view value : {name.value, name.opposite}) {
      if (value.empty()) continue;
      for (const Language language : {Language::kEnglish, Language::kChinese})
        EXPECT_EQ(preference_text(name.dimension, value, language).find(": "), std::string::npos)
            << name.dimension << " " << value;
    }
}

TEST(PreferenceSigns, EV_4_words_and_their_negation) {
  EXPECT_EQ(named_preferences("Please write a detailed report"), (Named{{"detail", "detailed"}}));
  EXPECT_EQ(named_preferences("I do not like long answers"), (Named{{"detail", "brief"}}));
  EXPECT_EQ(named_preferences("don't use emoji"), (Named{{"emoji", "without"}}));
  EXPECT_EQ(named_preferences("不要用表情符号"), (Named{{"emoji", "without"}}));
  EXPECT_EQ(named_preferences("特别详细的回答"), (Named{{"detail", "detailed"}}));
  EXPECT_EQ(named_preferences("不要太啰嗦，用表格"), (Named{{"detail", "brief"}, {"format", "table"}}));
  EXPECT_EQ(named_preferences("no tables"), Named{});  // nobody knows which of the others
  EXPECT_EQ(named_preferences("the weather is fine"), Named{});
}

TEST(PreferenceSigns, EV_4_wishes_are_explicit_and_single_tasks_are_not) {
  EXPECT_EQ(after("", "I prefer bullet points."), "explicit format list");
  EXPECT_EQ(after("", "From now on, keep your answers short."), "explicit detail brief");
  EXPECT_EQ(after("", "以后都用中文回答"), "explicit language chinese");
  EXPECT_EQ(after("", "我更喜欢详细的回答。"), "explicit detail detailed");
  EXPECT_EQ(after("", "我不喜欢你用表情符号。"), "explicit emoji without");
  EXPECT_EQ(after("", "Write a short poem about the sea."), "");
  EXPECT_EQ(after("", "帮我写一份详细的旅行计划。"), "");
  EXPECT_EQ(after("", "Do I prefer tables or lists?"), "");
}

TEST(PreferenceSigns, EV_4_a_choice_among_options_shows_what_no_other_option_has) {
  const std::string english = "How should I do it?\nA. A short summary\nB. A detailed report\nWhich one?";
  EXPECT_EQ(offered_options(english).size(), 2u);
  EXPECT_EQ(after(english, "B please"), "choice detail detailed");
  EXPECT_EQ(after(english, "let's take the first one"), "choice detail brief");
  const std::string chinese = "有两个方案：\n方案一：用表格列出\n方案二：写成连贯的文字\n你选哪个？";
  EXPECT_EQ(after(chinese, "我选方案二"), "choice format prose");
  EXPECT_EQ(after(chinese, "第一个吧"), "choice format table");
  EXPECT_TRUE(offered_options("Do this:\n1. Open it.\n2. Close it.").empty());  // asks nothing
}

TEST(PreferenceSigns, CU_2_an_answer_is_exact_or_none) {
  const std::vector<std::string> options{"Berlin", "New York", "York"};
  EXPECT_EQ(chosen_option(options, "b"), 1u);
  EXPECT_EQ(chosen_option(options, "2."), 1u);
  EXPECT_EQ(chosen_option(options, "Option C, please"), 2u);
  EXPECT_EQ(chosen_option(options, "york"), 2u);  // its whole text, though another one holds it
  EXPECT_EQ(chosen_option(options, "the third one"), 2u);
  EXPECT_EQ(chosen_option(options, "第二个"), 1u);
  EXPECT_EQ(chosen_option(options, "d"), std::nullopt);
  EXPECT_EQ(chosen_option(options, "A or B"), std::nullopt);
  EXPECT_EQ(chosen_option(options, "neither, something else"), std::nullopt);
  EXPECT_EQ(chosen_option(options, "I need 2 more days to think"), std::nullopt);
}

TEST(PreferenceSigns, EV_4_edits_show_length_format_language_tone_and_units) {
  const std::string before =
      "Hey, the walk is about 5 miles. It goes along the river. You will like the view from the bridge. For example, "
      "the castle can be seen. Take water with you, cool stuff.";
  EXPECT_EQ(shown(signs_of_edit(before, "Hey, the walk is about 5 miles. It goes along the river.")).substr(0, 17),
            "edit detail brief");
  EXPECT_NE(shown(signs_of_edit(before, "- The walk is 8 km.\n- It goes along the river.\n- Take water."))
                .find("edit format list"),
            std::string::npos);
  EXPECT_NE(shown(signs_of_edit(before, "The walk is 8 km. It goes along the river. You will like the view."))
                .find("edit units metric"),
            std::string::npos);
  EXPECT_EQ(shown(signs_of_edit("你好！路线长五公里。沿着河走。", "Hello! The walk is long. It follows the river.")),
            "edit language english");
  EXPECT_EQ(
      shown(signs_of_edit("哈哈，报告写好啦。你看看有没有问题哦。", "尊敬的客户，报告已写好。烦请您审阅，谢谢您。")),
      "edit tone formal");
  EXPECT_EQ(shown(signs_of_edit(before, before)), "");
}

TEST(PreferenceSigns, EV_4_a_changed_copy_in_a_message_is_an_edit) {
  const std::string answer =
      "The meeting is on Monday at nine. Please bring the report with you. The room is on the second floor. Coffee "
      "will "
      "be served before the meeting. There is parking behind the house.";
  EXPECT_EQ(after(answer, "The meeting is on Monday at nine. Please bring the report with you."), "edit detail brief");
}

TEST(PreferenceSigns, EV_4_questions_for_more_and_silence) {
  EXPECT_EQ(after("The capital is Bern.", "Tell me more about it"), "follow_up detail detailed");
  EXPECT_EQ(after("首都是伯尔尼。", "能举个例子吗？"), "follow_up examples with");
  EXPECT_EQ(after("首都是伯尔尼。", "有出处吗？"), "follow_up sources with");
  EXPECT_EQ(after("The capital is Bern.", "Book a train to Basel for tomorrow."), "silence  ");
}

}  // namespace
}  // namespace weft
