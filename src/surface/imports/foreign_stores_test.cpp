#include "surface/imports/foreign_chats.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/large_text.h"

namespace weft {
namespace {

using namespace std::string_literals;

// pickle.dumps({"a": [1, -2, 70000, 2**40, 2.5, None, True, "ü"], "b": ("x", "y"), "a2": "a"}, protocol=4)
const std::string kPlain =
    "\x80\x04\x95"s + "\x4f\0\0\0\0\0\0\0"s +
    "}\x94(\x8c\x01"
    "a\x94]\x94(K\x01J\xfe\xff\xff\xffJ\x70\x11\x01\0\x8a\x06\0\0\0\0\0\x01G@\x04\0\0\0\0\0\0N\x88\x8c\x02\xc3\xbc\x94"s +
    "e\x8c\x01"
    "b\x94\x8c\x01x\x94\x8c\x01y\x94\x86\x94\x8c\x02"
    "a2\x94h\x01u."s;

TEST(PickledValues, PF_10_plain_values_are_read) {
  const auto read = read_pickle(kPlain);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const nlohmann::json wanted = {
      {"a", {1, -2, 70000, std::int64_t{1} << 40, 2.5, nullptr, true, "ü"}}, {"b", {"x", "y"}}, {"a2", "a"}};
  EXPECT_EQ(*read, wanted);
}

TEST(PickledValues, PF_10_an_object_is_its_state_and_nothing_is_run) {
  // os.system("x"), and an object with a state.
  const auto call = read_pickle("\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x01x\x85R."s);
  ASSERT_TRUE(call.ok());
  EXPECT_TRUE(call->is_null());
  const auto object = read_pickle(
      "\x80\x04\x8c\x01m\x8c\x01"
      "C\x93)\x81}\x8c\x01k\x8c\x01vsb."s);
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(*object, (nlohmann::json{{"k", "v"}}));
  EXPECT_TRUE(read_pickle("\x80\x02"
                          "cos\nsystem\n)R."s)
                  .ok());
}

TEST(PickledValues, PF_10_whatever_the_bytes_it_ends) {
  std::mt19937 chance(7);  // NOLINT: the same each time
  for (std::size_t i = 0; i <= kPlain.size(); ++i) EXPECT_EQ(read_pickle(kPlain.substr(0, i)).ok(), i == kPlain.size());
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = kPlain;
    for (int i = 0; i < 4; ++i) bytes[chance() % bytes.size()] = static_cast<char>(chance());
    (void)read_pickle(bytes);
  }
  EXPECT_FALSE(read_pickle("\x8d\xff\xff\xff\xff\xff\xff\xff\xff."s).ok());
  EXPECT_FALSE(read_pickle("u."s).ok());
  EXPECT_FALSE(read_pickle(""s).ok());
}

TEST(PickledValues, PF_21_what_nests_too_deeply_is_refused_whatever_it_is_made_of) {
  const std::size_t deep = test::kDeep;
  // Lists by "append" and "appends", tuples of one, two and many, sets, dictionaries by "setitem" and "setitems", a
  // state of an object, and a key that is a list.
  for (const std::string& pickle :
       {std::string(deep, ']') + std::string(deep, 'a'), test::nested("](", "N", "e"), "N" + std::string(deep, '\x85'),
        std::string(deep, 'N') + std::string(deep - 1, '\x86'), std::string(deep, '(') + std::string(deep, 't'),
        test::nested("\x8f(", "N", "\x90"), test::nested("}\x8c\x01k", "N", "s"), test::nested("}(\x8c\x01k", "N", "u"),
        std::string(deep, '(') + std::string(deep, '\x91'),
        "}" + std::string(deep, ']') + std::string(deep, 'a') + "Ns"}) {
    const auto read = read_pickle("\x80\x04"s + pickle + ".");
    ASSERT_FALSE(read.ok()) << pickle.substr(0, 4);
    EXPECT_NE(read.error().message.find("nested deeper"), std::string::npos) << read.error().message;
  }
  EXPECT_TRUE(read_pickle("\x80\x04"s + std::string(100, ']') + std::string(99, 'a') + ".").ok());
}

}  // namespace
}  // namespace weft
