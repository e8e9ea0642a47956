#include <gtest/gtest.h>

#include "flow/historian/absolutise.h"

namespace weft {
namespace {

std::string told(std::string_view text, std::vector<EarlierMessage> earlier = {}) {
  Speech speech;
  speech.sender = {"1", "Ann"};
  speech.addressee = Person{"2", "Bob"};
  speech.name_speakers = false;
  speech.earlier = std::move(earlier);
  return absolutise(text, speech).text;
}

TEST(They, CM_5_people_of_a_kind_are_they_where_people_do_it) {
  EXPECT_EQ(told("Plumbers in my street have good reviews, and they offer discounts."),
            "Plumbers in my street have good reviews, and they [Plumbers] offer discounts.");
  EXPECT_EQ(told("Write to customers and thank them for the orders."),
            "Write to customers and thank them [customers] for the orders.");
  EXPECT_EQ(told("Are there grants for working nurses in their thirties?"),
            "Are there grants for working nurses in their [nurses'] thirties?");
  for (const auto* text : {"Teachers set essays and parents read them.", "Stop users from breaking them.",
                           "Plumbers and pipes are everywhere, they rust."})
    EXPECT_EQ(told(text), text) << "somebody does it to something else";
}

TEST(They, CM_5_who_acts_through_people_is_they) {
  EXPECT_EQ(told("I called the bank about my cards. They said the cards are lost."),
            "I called the bank about my cards. They [the bank] said the cards are lost.");
  EXPECT_EQ(told("I love the Ramones. They sang so fast."), "I love the Ramones. They [the Ramones] sang so fast.");
  EXPECT_EQ(told("We wrote to the Ministry of Health, as they decide."),
            "We wrote to the Ministry of Health, as they [the Ministry of Health] decide.");
  for (const auto* text : {"The bank is near the houses. They are red.",
                           "I called the bank and the clinic. They said no.", "I sent the PDF. They said no."})
    EXPECT_EQ(told(text), text);
}

TEST(They, CM_5_one_of_whom_it_is_not_said_whether_he_or_she) {
  EXPECT_EQ(told("If a customer complains, tell them the truth."),
            "If a customer complains, tell them [the customer] the truth.");
  EXPECT_EQ(told("I asked my landlord and they refused."), "I asked my landlord and they [Ann's landlord] refused.");
  EXPECT_EQ(told("My mother has roses and they need water."), "My mother has roses and they need water.");
}

TEST(They, CM_5_who_is_spoken_of_goes_on_to_be) {
  EXPECT_EQ(told("They love animals.", {{"Ann", "My parents visit on Sunday."}, {"Bob", "Do they?"}, {"Ann", "Yes."}}),
            "They [Ann's parents] love animals.");
  EXPECT_EQ(
      told("She failed it.", {{"Ann", "My daughter had a test."}, {"Bob", "Good luck! A tutor or a friend may help."}}),
      "She [Ann's daughter] failed it.")
      << "a word that says she, rather than words for anybody";
  EXPECT_EQ(told("what are their names ?", {{"Bob", "i have two cats and a dog"}}),
            "what are their [the cats and the dog's] names ?");
  EXPECT_EQ(told("I asked the shelter if they needed any volunteers. They said yes."),
            "I asked the shelter if they [the shelter] needed any volunteers. They [the shelter] said yes.");
  EXPECT_EQ(told("They said no.", {{"Bob", "My uncles came."}, {"Ann", "Tom and Ben called the clinic."}}),
            "They [Tom and Ben] said no.");
}

TEST(They, CM_5_names_in_talk_without_capitals) {
  EXPECT_EQ(told("there is a singer named zorbo and he dances"), "there is a singer named zorbo and he [zorbo] dances");
  EXPECT_EQ(told("i like zorbo he is loud"), "i like zorbo he [zorbo] is loud");
  EXPECT_EQ(told("she is loud .", {{"Bob", "do you like taylor zimt ?"}}), "she [taylor zimt] is loud .");
  EXPECT_EQ(told("he is old .", {{"Bob", "i have a dog named zorbo"}}), "he [zorbo] is old .");
  for (const auto* text : {"i like music . he is loud", "i met someone online . she is loud"})
    EXPECT_EQ(told(text), text);
}

TEST(They, CM_5_titles_by_which_somebody_is_called_are_nobody) {
  EXPECT_EQ(told("Mr. Chair, the minister lost his notes."),
            "Mr. Chair, the minister lost his [the minister's] notes.");
  EXPECT_EQ(told("Our new guide, Xiomara, is here. She is loud."),
            "Our new guide, Xiomara, is here. She [Xiomara] is loud.");
  EXPECT_EQ(told("I met Zoltan, a baker from Pest, and he sang."),
            "I met Zoltan, a baker from Pest, and he [Zoltan] sang.");
  EXPECT_EQ(told("There was this guy at work. What was his name?"),
            "There was this guy at work. What was his [the guy's] name?");
}

}  // namespace
}  // namespace weft
