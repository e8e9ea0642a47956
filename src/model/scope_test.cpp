#include "weft/scope.h"

#include <gtest/gtest.h>
#include <unicode/regex.h>

#include "model/rows.h"

namespace weft {
namespace {

TEST(Scope, private_and_group_memory_are_different_scopes) {
  const Scope alone = *Scope::private_of(UserId("ann"));
  const Scope group = *Scope::group_of(GroupId("ann"), UserId("ann"));
  EXPECT_NE(alone, group);
  EXPECT_EQ(alone.key().str(), "user:ann");
  EXPECT_EQ(group.key().str(), "group:ann");
  EXPECT_FALSE(alone.is_group());
  EXPECT_TRUE(group.is_group());
}

TEST(Scope, who_speaks_is_not_part_of_a_group) {
  EXPECT_EQ(*Scope::group_of(GroupId("g"), UserId("ann")), *Scope::group_of(GroupId("g")));
  EXPECT_EQ(Scope::group_of(GroupId("g"), UserId("ann"))->user().str(), "ann");
}

TEST(Scope, no_id_can_forge_another_scope) {
  EXPECT_NE(*Scope::private_of(UserId("a:b")), *Scope::group_of(GroupId("a:b")));
  EXPECT_NE(Scope::private_of(UserId("group:x"))->key(), Scope::group_of(GroupId("x"))->key());
}

TEST(Scope, ids_from_outside_are_checked) {
  EXPECT_FALSE(Scope::private_of(UserId("")).ok());
  EXPECT_FALSE(Scope::group_of(GroupId("")).ok());
  EXPECT_FALSE(Scope::group_of(GroupId("g"), UserId("a\nb")).ok());
  EXPECT_TRUE(Scope::private_of(UserId("你是谁")).ok());
  EXPECT_TRUE(Scope::private_of(UserId("../../etc/passwd")).ok());
  EXPECT_TRUE(check_id(std::string(256, 'x'), "id").ok());
  EXPECT_FALSE(check_id(std::string(257, 'x'), "id").ok());
  EXPECT_FALSE(check_id(std::string_view("a\0b", 3), "id").ok());
  EXPECT_FALSE(check_id("a\x7F", "id").ok());
  EXPECT_FALSE(check_id("a\xC2\x85", "id").ok());
  const auto broken = check_id("ab\xFF", "the session's id");
  ASSERT_FALSE(broken.ok());
  EXPECT_NE(broken.error().message.find("the session's id"), std::string::npos);
  EXPECT_NE(broken.error().message.find("byte 2"), std::string::npos);
}

// The pattern that clients are given says of every single character what `check_id` says.
TEST(Scope, PF_10_the_schema_of_ids_is_what_is_checked) {
  const Value needed = id_schema(IdNeed::kNeeded), optional = id_schema(IdNeed::kMayBeEmpty);
  UErrorCode status = U_ZERO_ERROR;
  const auto matcher = [&status](const Value& schema) {
    return icu::RegexMatcher(icu::UnicodeString::fromUTF8(*schema.find("pattern")->text()), 0, status);
  };
  icu::RegexMatcher strict = matcher(needed), loose = matcher(optional);
  ASSERT_TRUE(U_SUCCESS(status));
  const auto fits = [&status](icu::RegexMatcher& pattern, const icu::UnicodeString& text) {
    return static_cast<bool>(pattern.reset(text).matches(status));
  };
  for (char32_t c = 0; c < 0x11000; c += c < 0x3100 ? 1 : 61) {
    if (c >= 0xD800 && c < 0xE000) continue;
    const icu::UnicodeString text = icu::UnicodeString(static_cast<UChar32>(c)) + "x";
    std::string id;
    text.toUTF8String(id);
    EXPECT_EQ(fits(strict, text), check_id(id, "id").ok()) << static_cast<std::uint32_t>(c);
    EXPECT_EQ(fits(loose, text), check_id(id, "id").ok()) << static_cast<std::uint32_t>(c);
  }
  EXPECT_FALSE(fits(strict, icu::UnicodeString()));
  EXPECT_TRUE(fits(loose, icu::UnicodeString()));
}

}  // namespace
}  // namespace weft
