#include "surface/http/places.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

namespace weft::http {
namespace {

using std::chrono::seconds;

class PlacesTest : public testing::Test {
 protected:
  static Places::Id id(int number) { return &kIds.at(static_cast<std::size_t>(number)); }
  Places::Arrival arrive(int number) { return places_.arrive(id(number), now_ += seconds(1)); }
  int serve(int number, std::string caller, bool vital = false, bool administrator = false) {
    const auto seat = places_.serve(id(number), {std::move(caller), vital, administrator});
    return seat.refusal ? seat.refusal->status : seat.once ? 201 : 200;
  }
  void rest(int number) { places_.rest(id(number), now_ += seconds(1)); }

  static constexpr std::array<char, 64> kIds{};
  Places places_{{.connections = 3, .spare = 1, .per_caller = 2, .streams_per_caller = 1}};
  Places::Clock::time_point now_;
};

TEST_F(PlacesTest, PF_10_one_caller_cannot_have_all_connections) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(arrive(i).taken);
  EXPECT_EQ(serve(0, "key ann"), 200);
  EXPECT_EQ(serve(1, "key ann"), 200);
  const auto refused = places_.serve(id(2), {"key ann"});
  ASSERT_TRUE(refused.refusal);
  EXPECT_EQ(refused.refusal->status, 429);
  EXPECT_EQ(refused.refusal->headers.at(0).first, "retry-after");
  EXPECT_NE(refused.refusal->error.hint.find("server.connections_per_caller"), std::string::npos);
  EXPECT_EQ(serve(2, "key bob"), 200);
  // A place that was left, or went to another caller, is free again.
  places_.leave(id(0));
  EXPECT_TRUE(arrive(3).taken);
  EXPECT_EQ(serve(3, "key ann"), 200);
  EXPECT_EQ(serve(3, "key bob"), 200);
  EXPECT_EQ(serve(2, "key ann"), 200);
}

TEST_F(PlacesTest, PF_10_who_only_waits_makes_room_the_longest_first) {
  for (int i = 0; i < 3; ++i) arrive(i);
  serve(0, "key ann");
  const auto fourth = arrive(3);
  EXPECT_TRUE(fourth.taken);
  EXPECT_EQ(fourth.leaves, id(1));
  EXPECT_TRUE(places_.has_to_leave(id(1)));
  EXPECT_FALSE(places_.has_to_leave(id(2)));
  // Its request was quicker.
  EXPECT_EQ(serve(1, "key ann"), 200);
  EXPECT_FALSE(places_.has_to_leave(id(1)));
  rest(0);
  EXPECT_EQ(arrive(4).leaves, id(2));
  EXPECT_EQ(arrive(5).leaves, id(3));
}

TEST_F(PlacesTest, PF_10_a_full_server_answers_health_and_administrators_and_tells_others) {
  for (int i = 0; i < 3; ++i) arrive(i);
  serve(0, "key ann");
  serve(1, "key ann");
  serve(2, "key bob");
  EXPECT_TRUE(arrive(3).taken);
  EXPECT_EQ(serve(3, "from 127.0.0.1", true), 201) << "and closes the connection";
  EXPECT_EQ(serve(3, "key carer", false, true), 201);
  EXPECT_EQ(serve(3, "key carol"), 503);
  EXPECT_FALSE(arrive(4).taken) << "the spare place is taken, too";
  rest(3);
  EXPECT_EQ(arrive(5).leaves, id(3)) << "it is not held by whoever waits there";
  EXPECT_EQ(serve(5, "key carol"), 503);
  places_.leave(id(0));
  EXPECT_EQ(serve(5, "key carol"), 200) << "an ordinary place has become free";
}

TEST_F(PlacesTest, PF_10_health_is_told_to_whoever_has_too_many_connections_once_on_each) {
  for (int i = 0; i < 3; ++i) arrive(i);
  serve(0, "from 127.0.0.1");
  serve(1, "from 127.0.0.1");
  EXPECT_EQ(serve(2, "from 127.0.0.1", true), 201) << "and closes the connection";
  EXPECT_EQ(serve(2, "from 127.0.0.1"), 429);
  places_.leave(id(0));
  EXPECT_EQ(serve(2, "from 127.0.0.1", true), 200);
}

TEST_F(PlacesTest, PF_10_one_caller_has_so_many_streams_and_they_come_back) {
  for (int i = 0; i < 3; ++i) arrive(i);
  serve(0, "key ann");
  serve(1, "key ann");
  serve(2, "key bob");
  EXPECT_FALSE(places_.listen(id(0)));
  const auto second = places_.listen(id(1));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->status, 429);
  EXPECT_NE(second->error.hint.find("server.streams_per_caller"), std::string::npos);
  EXPECT_FALSE(places_.listen(id(2)));
  EXPECT_EQ(places_.listening(), 2U);
  rest(0);
  EXPECT_FALSE(places_.listen(id(1)));
  places_.leave(id(1));
  places_.leave(id(2));
  EXPECT_EQ(places_.listening(), 0U);
}

// Whatever comes in whatever order: nobody has more than they may, and when all have left everything is free.
TEST_F(PlacesTest, PF_10_limits_hold_over_random_orders) {
  std::mt19937 random(7);
  const std::array<std::string, 3> names{"ann", "bob", "carol"};
  std::set<int> there;
  std::map<int, std::string> served;
  for (int step = 0; step < 20'000; ++step) {
    const int one = static_cast<int>(random() % kIds.size());
    const std::string& name = names.at(random() % names.size());
    switch (random() % 4) {
      case 0:
        if (!there.contains(one) && arrive(one).taken) there.insert(one);
        break;
      case 1:
        if (there.contains(one) && serve(one, name) < 300) served[one] = name;
        break;
      case 2: rest(one); break;
      default:
        places_.leave(id(one));
        there.erase(one);
        served.erase(one);
    }
    std::map<std::string, int> counts;
    for (const auto& [number, whose] : served) ASSERT_LE(++counts[whose], 2);
  }
  for (const int one : there) places_.leave(id(one));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(arrive(i).leaves, nullptr);
}

}  // namespace
}  // namespace weft::http
