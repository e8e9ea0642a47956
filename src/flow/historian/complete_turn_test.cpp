#include "flow/historian/complete_turn.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

std::string complete(std::string_view text, const std::string& said) {
  return complete_turn(text, {{"Assistant", said}});
}

TEST(CompleteTurn, CM_4_what_a_pronoun_points_at) {
  EXPECT_EQ(complete("Where is it?", "The Oak Inn is quiet."), "Where is The Oak Inn?");
  EXPECT_EQ(complete("Give me their phone number and address.", "Oak Inn serves breakfast."),
            "Give me the phone number and address of Oak Inn.");
}

TEST(CompleteTurn, CM_4_what_is_left_out) {
  EXPECT_EQ(complete("What is the postcode?", "Oak Inn is quiet."), "What is the postcode of Oak Inn?");
  EXPECT_EQ(complete("I don't care.", "What price range would you like?"), "I don't care about the price range.");
}

TEST(CompleteTurn, CM_4_complete_turns_stay) {
  for (const auto* text : {"What is the address of the mill?", "Thanks, bye!", "It is raining."}) {
    EXPECT_EQ(complete(text, "Oak Inn is quiet."), text);
  }
  EXPECT_EQ(complete_turn("What is its address?", {}), "What is its address?");
}

}  // namespace
}  // namespace weft
