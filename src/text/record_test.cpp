#include "text/record.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace weft {
namespace {

using Json = nlohmann::json;

enum class Brake { kNone, kHand };
constexpr std::array kBrakes{Brake::kNone, Brake::kHand};
std::string_view to_string(Brake brake) { return brake == Brake::kNone ? "none" : "hand"; }

enum class Colour { kRed, kBlue };
constexpr std::array kColours{Colour::kRed, Colour::kBlue};
std::string_view to_string(Colour colour) { return colour == Colour::kRed ? "red" : "blue"; }

struct Wheel {
  std::string name;
  int spokes = 0;
};

struct Cart {
  std::string owner;
  std::optional<double> load;
  std::vector<Wheel> wheels;
  Colour colour = Colour::kRed;
  Brake brake = Brake::kNone;
  std::string notes;  // JSON of any kind
  Time bought;
};

}  // namespace

template <>
inline constexpr std::span<const Colour> kEnumValues<Colour>{kColours};
template <>
inline constexpr std::span<const Brake> kEnumValues<Brake>{kBrakes};
template <>
inline constexpr std::optional<Brake> kUnsaid<Brake> = Brake::kNone;

WEFT_DESCRIBED(Wheel);
WEFT_DESCRIBED(Cart);

template <>
const Record<Wheel>& record<Wheel>() {
  static const auto made = Record<Wheel>("Wheel", "Turns.", RecordUse::kBoth)
                               .field("name", &Wheel::name, "its name", {.required = true})
                               .field("spokes", &Wheel::spokes, "how many", {.least = 3, .most = 64});
  return made;
}

template <>
const Record<Cart>& record<Cart>() {
  static const auto made = Record<Cart>("Cart", "Carries.", RecordUse::kBoth)
                               .field("owner", &Cart::owner, "whose it is", {.required = true, .loose = true})
                               .field("load", &Cart::load, "in kilograms", {.sparse = true, .least = 0})
                               .field("wheels", &Cart::wheels, "all of them")
                               .field("colour", &Cart::colour, "of its paint")
                               .field("brake", &Cart::brake, "what stops it", {.sparse = true})
                               .json("notes", &Cart::notes, "anything", {.sparse = true})
                               .field("bought", &Cart::bought, "when", {.sparse = true});
  return made;
}

namespace {

Cart read(const std::string& json) { return parse_record<Cart>(json, "the cart").value(); }

std::string error_of(const std::string& json) {
  const auto cart = parse_record<Cart>(json, "the cart");
  return cart.ok() ? "" : cart.error().message + " | " + cart.error().hint;
}

TEST(Record, PF_10_whole_numbers_have_the_bounds_that_are_read_and_lose_no_digit) {
  const Json signed_one = Json::parse(to_json(whole_schema({}, true)));
  EXPECT_EQ(signed_one["minimum"], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(signed_one["maximum"], std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Json::parse(to_json(whole_schema({.least = 2, .most = 9}, true))),
            Json::parse(R"({"type":"integer","minimum":2,"maximum":9})"));
  for (const auto* beyond : {"9223372036854775808", "-9223372036854775809", "9007199254740995.0", "1e17", "2.5"})
    EXPECT_FALSE(read_whole(beyond, "n", {}, std::numeric_limits<std::int64_t>::min()).ok()) << beyond;
  EXPECT_EQ(read_whole("9223372036854775807", "n", {}, 0).value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read_whole("3e2", "n", {}, 0).value(), 300);
}

TEST(Record, PF_10_reads_what_it_wrote) {
  const std::string json = R"({"owner":"Zoë 🚲","load":2.5,"wheels":[{"name":"left","spokes":12}],"colour":"blue",)"
                           R"("notes":{"b":1,"a":[null,"x"]},"bought":"2026-03-04T05:06:07Z"})";
  EXPECT_EQ(to_json(read(json)), json);
  EXPECT_EQ(to_json(read(R"({"owner":"a"})")), R"({"owner":"a","wheels":[],"colour":"red"})");
}

TEST(Record, PF_10_a_word_that_says_nothing_is_left_out_where_the_field_is_sparse) {
  Cart cart = read(R"({"owner":"a"})");
  EXPECT_EQ(to_json(cart).find("brake"), std::string::npos);
  cart.brake = Brake::kHand;
  EXPECT_EQ(read(to_json(cart)).brake, Brake::kHand);
}

TEST(Record, PF_10_errors_name_the_field_what_is_wanted_and_the_nearest_name) {
  EXPECT_NE(error_of(R"({"wheels":[]})").find("owner"), std::string::npos);
  EXPECT_NE(error_of(R"({"owner":"a","wheels":[{"name":"l"},{"name":"r","spokes":2}]})").find("wheels[1].spokes"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"owner":"a","wheels":[{"name":"r","spokes":2}]})").find("from 3 to 64"), std::string::npos);
  EXPECT_NE(error_of(R"({"owner":"a","colour":"green"})").find("red"), std::string::npos);
  EXPECT_NE(error_of(R"({"owner":"a","weels":[]})").find("wheels"), std::string::npos);
  EXPECT_NE(error_of(R"({"owner":"a","load":"heavy"})").find("load"), std::string::npos);
  EXPECT_NE(error_of(R"({"owner":"a","load":-1})").find("load"), std::string::npos);
  EXPECT_NE(error_of(R"({"owner":"a","bought":"soon"})").find("bought"), std::string::npos);
  EXPECT_NE(error_of("[]").find("the cart"), std::string::npos);
  EXPECT_NE(error_of("{\"owner\":").find("the cart"), std::string::npos);
}

TEST(Record, PF_10_null_is_left_out_and_digits_may_be_a_name) {
  EXPECT_EQ(read(R"({"owner":7,"load":null,"colour":null})").owner, "7");
  EXPECT_NE(error_of(R"({"owner":null})").find("owner"), std::string::npos);
}

TEST(Record, PF_10_its_schema_tells_fields_bounds_and_what_must_be_there) {
  SchemaBook book;
  const Json used = Json::parse(to_json(record<Cart>().schema(book)));
  EXPECT_EQ(used["$ref"], "#/components/schemas/Cart");
  const Json all = Json::parse(to_json(Value(book.take())));
  EXPECT_EQ(all["Cart"]["required"], Json::array({"owner"}));
  EXPECT_EQ(all["Cart"]["properties"]["colour"]["enum"], Json::array({"red", "blue"}));
  EXPECT_EQ(all["Wheel"]["properties"]["spokes"]["maximum"], 64);
  EXPECT_EQ(all["Cart"]["additionalProperties"], false);
}

TEST(Record, PF_10_inlined_schemas_refer_to_nothing) {
  SchemaBook inlined(true);
  const std::string schema = to_json(record<Cart>().schema(inlined));
  EXPECT_EQ(schema.find("$ref"), std::string::npos);
  EXPECT_NE(schema.find("spokes"), std::string::npos);
}

// The reader of others has to agree with what is written, whatever bytes a text has.
TEST(JsonWriter, PF_4_any_text_comes_back_from_json) {
  std::mt19937 chance(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) {
      switch (chance() % 4) {
        case 0: text += static_cast<char>(chance() % 0x80); break;
        case 1: text += "天"; break;
        case 2: text += "🚲"; break;
        default: text += "\"\\/";
      }
    }
    JsonWriter out;
    out.text(text);
    EXPECT_EQ(Json::parse(out.take()).get<std::string>(), text);
  }
  JsonWriter broken;
  broken.text("a\xff");
  EXPECT_EQ(broken.take(), "\"a\xEF\xBF\xBD\"");
}

TEST(JsonWriter, PF_8_json_stays_json_and_other_text_becomes_a_text) {
  JsonWriter out;
  out.begin('[');
  out.json_or_text("{ \"a\" :\n 1.50 }");
  out.json_or_text("{broken");
  out.end(']');
  EXPECT_EQ(out.take(), R"([{"a":1.50},"{broken"])");
}

}  // namespace
}  // namespace weft
