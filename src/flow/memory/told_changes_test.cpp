#include "flow/memory/told_changes.h"

#include <gtest/gtest.h>

#include "flow/memory/said_facts.h"

namespace weft {
namespace {

std::string told(std::string_view known, std::string_view attribute, std::string_view message) {
  const KnownMatter matter{known, attribute, known};
  const auto changes = told_changes(message, std::span(&matter, 1));
  return changes.empty() ? std::string() : changes.front().value;
}

TEST(ToldChanges, CM_17_a_thing_gets_another_value_in_other_words) {
  EXPECT_EQ(told("The user's gym is Flexo.", "of gym", "As of May my gym has been Ironworks."), "Ironworks");
  EXPECT_EQ(told("The user's fee is 40 francs a month.", "fee", "They raised my fee to 55 francs a month."), "55");
  EXPECT_EQ(told("The user's piano lesson is on Mondays.", "of piano lesson",
                 "The piano lesson has been put off to Fridays."),
            "Fridays");
  EXPECT_EQ(told("The user's tutor is Mr Ito.", "of tutor", "Ms Brandt has taken over as my tutor."), "Ms Brandt");
  EXPECT_EQ(told("用户的车位是12号。", "of 车位", "物业把我的车位换到35号了。"), "35号");
  EXPECT_EQ(told("用户的班主任是周老师。", "of 班主任", "沈老师接手做我的班主任了。"), "沈老师");
}

TEST(ToldChanges, CM_17_whose_it_is_and_where_somebody_came_to) {
  EXPECT_EQ(told("The user's cousin Nell lives in Cork.", "residence", "Nell has settled in Galway by now."), "Galway");
  EXPECT_EQ(told("用户的表姐小棠住在昆明。", "residence", "小棠如今在大理安家了。"), "大理");
  EXPECT_EQ(told("The user's tutor is Mr Ito.", "of tutor", "Her tutor is Ms Brandt now."), "");
}

TEST(ToldChanges, CM_17_what_changes_nothing) {
  EXPECT_EQ(told("The user's fee is 40 francs a month.", "fee", "What if they raise my fee to 55 francs?"), "");
  EXPECT_EQ(told("The user's fee is 40 francs a month.", "fee", "I wish they lowered my fee to 30 francs now."), "");
  EXPECT_EQ(told("The user's fee is 40 francs a month.", "fee", "My fee of 40 francs a month is due now."), "");
  EXPECT_EQ(told("The user's boss is called Tobias.", "boss", "My boss is angry at Bob now."), "");
  EXPECT_EQ(told("The user's boss is called Tobias.", "boss", "My boss is at Acme now."), "");
  EXPECT_EQ(told("By the way, the user loved the user's best friend's 30th birthday party recently, it was in May.",
                 "said", "I'm looking for the best way to keep my new power bank."),
            "");
  EXPECT_EQ(told("Losing Jon's job was tough.", "said", "Losing my job was a bummer, but it pushed me to start anew."),
            "");
  EXPECT_EQ(told("The user's car was getting 30 miles per gallon.", "said", "My car is in the new garage now."), "");
  EXPECT_EQ(told("The user has a cooking class on Fridays.", "habit a cooking class", "The class of my son is 4b now."),
            "");
  EXPECT_EQ(told("The user has a cooking class on Fridays.", "habit a cooking class", "My class is on Mondays now."),
            "");
  EXPECT_EQ(told("The user's friends, family and mentors are the user's rocks.", "said",
                 "Glad you made some new family memories."),
            "");
  EXPECT_EQ(told("用户的班主任是周老师。", "of 班主任", "如果我的班主任换成沈老师就好了。"), "");
}

std::string told_anew(std::string_view known, std::string_view attribute, std::string_view message) {
  const KnownMatter matter{known, attribute, known};
  const auto changes = told_changes(message, std::span(&matter, 1));
  return changes.empty() ? std::string("no change") : changes.front().text;
}

TEST(ToldChanges, PF_25_what_is_known_is_told_anew_with_its_new_value) {
  EXPECT_EQ(told_anew("The user's landlord is Mr. Pell.", "landlord", "Mrs. Okafor is my landlord now."),
            "The user's landlord is Mrs. Okafor.");
  EXPECT_EQ(told_anew("The user has yoga on Tuesdays.", "habit yoga", "Yoga is on Fridays from now on."),
            "The user has yoga on Fridays.");
  EXPECT_EQ(told_anew("The user's yoga class is on Tuesdays.", "of yoga class", "From now on it's yoga on Fridays."),
            "The user's yoga class is on Fridays.");
  EXPECT_EQ(told_anew("The user takes 20 mg of atorvastatin every evening.", "medicine atorvastatin",
                      "We're down to 10 mg of atorvastatin."),
            "The user takes 10 mg of atorvastatin every evening.");
  EXPECT_EQ(told_anew("The user's rent is 800 euros a month.", "rent", "My rent went up to 850."),
            "The user's rent is 850 euros a month.");
  EXPECT_EQ(told_anew("用户每天吃20毫克阿托伐他汀。", "medicine 他汀", "阿托伐他汀减到10毫克了。"),
            "用户每天吃10毫克阿托伐他汀。");
  EXPECT_EQ(told_anew("用户住在杭州。", "residence", "我们搬家了，现在住苏州。"), "用户住在苏州。");
  EXPECT_EQ(told_anew("The user is learning Greek.", "learns", "I'm learning Turkish instead."),
            "The user is learning Turkish.");
  EXPECT_EQ(told_anew("用户的车位是12号。", "of 车位", "物业把我的车位换到35号了。"), "用户的车位是35号。");
}

TEST(ToldChanges, PF_25_where_the_place_of_the_old_value_is_not_certain_nothing_is_told_anew) {
  EXPECT_EQ(told("The user takes 2 tablets of atorvastatin.", "medicine atorvastatin",
                 "My atorvastatin was lowered to 10 mg."),
            "");
  EXPECT_EQ(told("用户每天吃2片阿托伐他汀。", "medicine 他汀", "阿托伐他汀减到10毫克了。"), "");
  EXPECT_EQ(
      told_anew("The user has yoga on Tuesdays at 6 pm.", "habit yoga", "Yoga is on Fridays at 7:30 pm from now on."),
      "");
}

TEST(ToldChanges, PF_25_the_value_of_others_and_another_count_are_no_new_value) {
  for (const char* other : {"Dad is down to 10 mg of atorvastatin now.", "My dad is down to 10 mg of atorvastatin.",
                            "She takes 10 mg of atorvastatin now.", "My atorvastatin was lowered by 10 mg.",
                            "My atorvastatin is due in 3 days now."})
    EXPECT_EQ(told("The user takes 20 mg of atorvastatin.", "medicine atorvastatin", other), "") << other;
  EXPECT_EQ(told("The user takes 20 mg of atorvastatin.", "medicine atorvastatin",
                 "My doctor lowered the atorvastatin to 10 mg."),
            "10");
  EXPECT_EQ(told("The user has yoga on Tuesdays.", "habit yoga", "Anna has yoga on Fridays from now on."), "");
  EXPECT_EQ(told("The user's rent is 800 euros a month.", "rent", "My rent is now 20 % of what I earn."), "");
  EXPECT_EQ(told("用户每天吃20毫克阿托伐他汀。", "medicine 他汀", "我爸的阿托伐他汀减到10毫克了。"), "");
  EXPECT_EQ(told("用户的房租是3000元。", "rent", "我的房租涨了500元。"), "");
}

TEST(ToldChanges, PF_25_a_number_is_whole_and_of_the_same_unit) {
  EXPECT_EQ(told_anew("The user takes 20 mg of atorvastatin.", "medicine atorvastatin",
                      "My atorvastatin was lowered to 12.5 mg."),
            "The user takes 12.5 mg of atorvastatin.");
  EXPECT_EQ(told_anew("The user's rent is 800 euros a month.", "rent", "My rent went up to 1,050 euros."),
            "The user's rent is 1,050 euros a month.");
  EXPECT_EQ(told("The user's rent is 800 euros a month.", "rent", "My rent went up to 10,200 a year."), "");
  EXPECT_EQ(told("用户每天吃20毫克阿托伐他汀。", "medicine 他汀", "阿托伐他汀涨到30块了。"), "");
  EXPECT_EQ(told("The user injects 12 units of insulin in the morning.", "medicine insulin",
                 "We're down to 10 units of insulin at night."),
            "");
}

TEST(ToldChanges, PF_25_another_thing_of_that_name_is_another_matter) {
  for (const char* other : {"The garage rent went up to 90.", "Mrs. Okafor is my landlord's wife now."}) {
    EXPECT_EQ(told("The user's rent is 800 euros a month.", "rent", other), "") << other;
    EXPECT_EQ(told("The user's landlord is Mr Pell.", "landlord", other), "") << other;
  }
  EXPECT_EQ(told("The user's yoga class is on Tuesdays.", "of yoga class", "The spin class has moved to Fridays."), "");
  EXPECT_EQ(told("用户的房东是王先生。", "landlord", "楼下的房东换成李女士了。"), "");
  EXPECT_EQ(told("用户的房租是3000块。", "rent", "店面的房租涨到8000块了。"), "");
  EXPECT_EQ(told("用户住在杭州。", "residence", "我同学毕业了，现在住苏州。"), "");
}

TEST(ToldChanges, PF_25_how_something_is_does_not_say_what_it_is) {
  for (const char* other : {"My car is dirty now.", "My car is in the garage now.", "My car is 10 years old now."})
    EXPECT_EQ(told("The user's car is a Golf.", "vehicle", other), "") << other;
  EXPECT_EQ(told("The user's car is a Golf.", "vehicle", "My car is a van now."), "van");
  EXPECT_EQ(told("The user's daughter is 7.", "age", "My daughter is 120 cm now."), "");
  EXPECT_EQ(told("用户住在杭州。", "residence", "我老板搬家了，现在住苏州。"), "");
}

TEST(ToldChanges, PF_25_what_is_heard_taken_back_or_one_of_several_changes_nothing) {
  for (const char* other : {"They say the rent went up to 850.", "I fear the rent has gone up to 850 euros.",
                            "My rent went up to 850 but I went back to the old one."})
    EXPECT_EQ(told("The user's rent is 800 euros a month.", "rent", other), "") << other;
  EXPECT_EQ(told("用户每天吃20毫克阿托伐他汀。", "medicine 他汀", "去年阿托伐他汀减到10毫克了，后来又加回来了。"), "");
  EXPECT_EQ(told("The user takes 20 mg of atorvastatin and 5 mg of ramipril.", "medicine atorvastatin",
                 "We're down to 10 mg of atorvastatin."),
            "");
}

TEST(ToldChanges, PF_25_what_is_otherwise_once_does_not_change_what_comes_again) {
  for (const char* once : {"This week yoga is on Friday instead.", "Yoga was moved to Friday this week."})
    EXPECT_EQ(told("The user has yoga on Tuesdays.", "habit yoga", once), "") << once;
  EXPECT_EQ(told("The user has yoga on Tuesdays.", "habit yoga", "As of next week yoga is on Fridays."), "Fridays");
  EXPECT_EQ(told("用户每周二上瑜伽课。", "habit 上瑜伽课", "这周瑜伽课改到周五了。"), "");
  EXPECT_EQ(told_anew("用户每周二上瑜伽课。", "habit 上瑜伽课", "瑜伽课改到周五了。"), "用户每周五上瑜伽课。");
}

TEST(ToldChanges, PF_25_a_value_that_is_denied_holds_no_longer) {
  constexpr std::string_view kKnown = "The user's landlord is Mr. Pell.";
  EXPECT_EQ(told_anew(kKnown, "landlord", "Mr. Pell isn't our landlord any more, it's Mrs. Okafor since May."),
            "The user's landlord is Mrs. Okafor.");
  const KnownMatter matter{kKnown, "landlord", kKnown};
  const auto over = told_changes("My landlord isn't Mr. Pell any more.", std::span(&matter, 1));
  ASSERT_EQ(over.size(), 1U);
  EXPECT_EQ(over.front().value, "");
  for (const char* other : {"Mr. Pell isn't happy any more, says my landlord.", "Mr. Pell isn't my dentist any more.",
                            "My landlord isn't at home any more.", "Mr. Pell isn't her landlord any more."})
    EXPECT_TRUE(told_changes(other, std::span(&matter, 1)).empty()) << other;
}

// What a message ends of one known sentence; empty where it leaves that alone.
bool ends(std::string_view known, std::string_view attribute, std::string_view message) {
  const KnownMatter matter{known, attribute, known};
  return !told_ends(message, std::span(&matter, 1), "").empty();
}

TEST(ToldEnds, PF_25_a_doing_ends_what_is_known_of_it) {
  EXPECT_TRUE(ends("The user drinks coffee every day.", "drinks", "I no longer drink coffee."));
  EXPECT_TRUE(ends("The user smokes.", "smokes", "I quit smoking last month!"));
  EXPECT_TRUE(ends("The user plays the cello.", "plays", "I finally gave up the cello."));
  EXPECT_TRUE(ends("The user plays the cello.", "plays", "I've given up playing the cello."));
  EXPECT_TRUE(ends("The user is learning Welsh.", "learns", "I stopped learning Welsh in March."));
  EXPECT_TRUE(ends("The user takes metformin.", "medicine metformin", "I have stopped taking metformin."));
  EXPECT_TRUE(ends("用户每天喝咖啡。", "said", "我不再喝咖啡了"));
  EXPECT_TRUE(ends("用户抽烟。", "smokes", "我戒烟三年了。"));
  EXPECT_TRUE(ends("用户抽烟。", "smokes", "对了，我已经戒烟了"));
  EXPECT_TRUE(ends("用户在学日语。", "learns", "我现在不学日语了"));
  EXPECT_TRUE(ends("用户在学法语。", "learns", "我放弃学法语了"));
  EXPECT_TRUE(ends("用户是老师。", "job", "我不当老师了"));
  EXPECT_TRUE(ends("The user runs every morning.", "said", "I quit running."));
  EXPECT_TRUE(ends("用户吃素。", "diet", "我不吃素了"));
  EXPECT_TRUE(ends("用户是素食者。", "diet", "我不再吃素了"));
}

TEST(ToldEnds, PF_25_a_thing_that_is_gone_ends_what_is_known_of_it) {
  EXPECT_TRUE(ends("The user has a cat called Miso.", "has", "We gave Miso away."));
  EXPECT_TRUE(ends("The user has a cat called Miso.", "has", "Sadly we gave the cat away last week."));
  EXPECT_TRUE(ends("The user drives a Volvo.", "vehicle", "I sold my car."));
  EXPECT_TRUE(ends("The user drives a Volvo.", "vehicle", "I sold my car for 5000 euros to my brother."));
  EXPECT_TRUE(ends("The user's car is a Volvo.", "vehicle", "I've sold the Volvo, and I take the bus."));
  EXPECT_TRUE(ends("The user rides a bike to work.", "rides", "My bike was stolen yesterday."));
  EXPECT_TRUE(ends("The user has a gym membership at FitX.", "said", "I cancelled the gym membership."));
  EXPECT_TRUE(ends("The user has a Netflix subscription.", "said", "I cancelled Netflix."));
  EXPECT_TRUE(ends("The user works at Acme.", "employer", "I quit my job on Monday."));
  EXPECT_TRUE(ends("The user has a dog named Rex.", "has", "Rex died last night."));
  EXPECT_TRUE(ends("The user has a dog named Rex.", "has", "We had to give Rex away."));
  EXPECT_FALSE(ends("The user has a dog named Rex.", "has", "Max died last night."));
  EXPECT_TRUE(ends("用户养了一条狗叫旺财。", "has", "旺财死了"));
  EXPECT_TRUE(ends("用户有一辆车。", "said", "我把车卖了"));
  EXPECT_TRUE(ends("用户开大众牌的车。", "vehicle", "上个月我把车卖掉了。"));
  EXPECT_TRUE(ends("用户养了一只猫。", "number of 猫", "我们把猫送人了"));
  EXPECT_TRUE(ends("用户骑自行车上班。", "said", "我的自行车被偷了"));
  EXPECT_TRUE(ends("用户在腾讯工作。", "employer", "我辞职了。"));
}

TEST(ToldEnds, PF_25_what_one_has_no_more_and_has_again_end_each_other) {
  for (const char* lack : {"我没有车了", "我现在没有车了", "我没车了", "我不再有车了", "我已经没有车了", "我没有车"})
    EXPECT_TRUE(ends("用户有一辆车。", "said", lack)) << lack;
  EXPECT_TRUE(ends("用户开大众牌的车。", "vehicle", "我没有车了"));
  EXPECT_TRUE(ends("用户有一只猫。", "number of 猫", "我没有猫了"));
  EXPECT_TRUE(ends("用户又有车了。", "said", "我现在没车了"));
  for (const char* gain : {"我有一辆车", "我现在有车了", "我又有车了", "我买了一辆新车", "我终于有车了"})
    for (const char* known : {"用户没有车了。", "用户没有车。", "用户现在没车。"})
      EXPECT_TRUE(ends(known, "said", gain)) << known << gain;
  for (const char* lack : {"I no longer have a car.", "I don't have a car anymore.", "We don't own a car any more"})
    EXPECT_TRUE(ends("The user has a car.", "said", lack)) << lack;
  for (const char* other : {"I no longer have to drive the car.", "I don't have a car today anymore.",
                            "I no longer have a bike.", "I don't have a car."})
    EXPECT_FALSE(ends("The user has a car.", "said", other)) << other;
  EXPECT_TRUE(ends("用户没有驾照。", "cannot", "我拿到驾照了"));
  EXPECT_TRUE(ends("用户没有孩子。", "has", "我有孩子了"));
  for (const char* other :
       {"我没有车票了", "我今天没有车", "我没有时间了", "我弟弟没有车了", "我有一辆自行车", "如果我没有车了"})
    EXPECT_FALSE(ends("用户有一辆车。", "said", other)) << other;
  EXPECT_FALSE(ends("用户在吃二甲双胍。", "medicine 二甲双胍", "我没有二甲双胍了"));
  for (const char* other : {"我没喝咖啡", "我没有喝咖啡", "我没有咖啡喝", "我没有咖啡了"})
    EXPECT_FALSE(ends("用户每天喝咖啡。", "said", other)) << other;
  EXPECT_TRUE(ends("用户有一台打印机。", "said", "我没有打印机了"));
  for (const char* other : {"我有一辆自行车", "我有车票了", "我弟弟有车了", "我想有车", "我今天有车"})
    EXPECT_FALSE(ends("用户没有车。", "said", other)) << other;
}

TEST(ToldEnds, PF_25_what_one_could_not_or_did_not_and_can_or_does_again) {
  struct Turn {
    const char *known, *attribute, *message;
  };
  for (const auto& [known, attribute, message] : {
           Turn{"The user can't drive.", "cannot", "I can drive now."},
           Turn{"The user can't drive.", "cannot", "I passed my test and can now drive."},
           Turn{"The user cannot swim.", "cannot", "I learned to swim!"},
           Turn{"The user cannot eat nuts.", "eats", "I can eat nuts again."},
           Turn{"The user doesn't eat nuts.", "eats", "Now I can eat nuts."},
           Turn{"The user doesn't have a car any more.", "vehicle", "I have a car again."},
           Turn{"The user no longer has a car.", "said", "We have a car again."},
           Turn{"The user has no car.", "said", "I bought a car."},
           Turn{"The user is not a smoker.", "said", "I smoke again."},
           Turn{"The user is a non-smoker.", "said", "I started smoking again."},
           Turn{"The user never drinks.", "said", "I drink again."},
           Turn{"The user quit smoking.", "said", "I'm smoking again."},
           Turn{"The user stopped playing the cello.", "said", "I play the cello again."},
           Turn{"用户不吃辣。", "eats", "我现在能吃辣了"},
           Turn{"用户不能吃辣。", "eats", "我可以吃辣了"},
           Turn{"用户不吃辣。", "eats", "我现在吃辣了"},
           Turn{"用户不会开车。", "cannot", "我终于会开车了"},
           Turn{"用户不会游泳。", "cannot", "我学会游泳了"},
           Turn{"用户不会开车。", "cannot", "我现在能开车了"},
           Turn{"用户不喝酒。", "drinks", "我又喝酒了"},
           Turn{"用户戒烟了。", "said", "我又开始抽烟了"},
       })
    EXPECT_TRUE(ends(known, attribute, message)) << known << " " << message;
  for (const auto& [known, attribute, message] : {
           Turn{"The user can't drive.", "cannot", "I can drive you tomorrow."},
           Turn{"The user can't drive.", "cannot", "I could drive now."},
           Turn{"The user can't drive.", "cannot", "My brother can drive now."},
           Turn{"The user can't drive.", "cannot", "I can't drive now."},
           Turn{"The user can't drive.", "cannot", "I can drive the tractor now."},
           Turn{"The user doesn't have a car.", "said", "I have a car seat now."},
           Turn{"The user doesn't have a car.", "said", "I have a car today."},
           Turn{"The user doesn't have a car.", "said", "I want to have a car again."},
           Turn{"The user is not a smoker.", "said", "I smoke salmon now."},
           Turn{"The user is not a smoker.", "said", "My dad smokes again."},
           Turn{"The user can drive.", "said", "I can drive again."},
           Turn{"用户不吃辣。", "eats", "我弟弟现在能吃辣了"},
           Turn{"用户不吃辣。", "eats", "我想能吃辣"},
           Turn{"用户不吃辣。", "eats", "我今天能吃辣了"},
           Turn{"用户不吃辣。", "eats", "我现在能吃饭了"},
           Turn{"用户不吃辣。", "eats", "我现在不能吃辣了"},
           Turn{"用户不开车。", "said", "我会开车了"},
           Turn{"用户戒烟了。", "said", "我又抽电子烟了"},
       })
    EXPECT_FALSE(ends(known, attribute, message)) << known << " " << message;
}

TEST(ToldEnds, PF_25_the_thing_that_is_over_may_stand_first) {
  EXPECT_TRUE(ends("用户在学希腊语。", "learns", "希腊语我不学了。"));
  EXPECT_TRUE(ends("用户每周一打网球。", "habit 打网球", "网球我已经不打了"));
  for (const char* other :
       {"希腊语他不学了", "上周我不学了", "希腊语我不学不行", "希腊语我今天不学了", "拉丁语我不学了"})
    EXPECT_FALSE(ends("用户在学希腊语。", "learns", other)) << other;
}

TEST(ToldEnds, PF_25_who_retires_has_no_occupation_and_who_eats_meat_is_no_vegetarian) {
  EXPECT_TRUE(ends("The user is a nurse.", "job", "I've retired."));
  EXPECT_FALSE(ends("The user is a nurse.", "job", "I quit my job."));
  for (const char* other :
       {"I've retired my old bike.", "I've retired early to bed.", "Once I've retired, I'll travel."})
    EXPECT_FALSE(ends("The user is a nurse.", "job", other)) << other;
  EXPECT_TRUE(ends("The user is vegetarian.", "diet", "I eat meat again."));
  EXPECT_FALSE(ends("The user is vegetarian.", "diet", "I eat cheese again."));
  EXPECT_TRUE(ends("用户吃素。", "diet", "我又开始吃肉了。"));
  EXPECT_FALSE(ends("用户吃素。", "diet", "我又开始吃米饭了。"));
  EXPECT_TRUE(ends("The user is engaged to Tom.", "partner", "Tom and I broke up."));
  EXPECT_FALSE(ends("The user is engaged to Tom.", "partner", "We broke up the old fence."));
  for (const char* other : {"Everyone believes Tom and I broke up.", "Tom and I broke up but got back together."})
    EXPECT_FALSE(ends("The user is engaged to Tom.", "partner", other)) << other;
  EXPECT_FALSE(ends("用户的女朋友叫小雨。", "partner", "我和前女友分手了三年。"));
  EXPECT_FALSE(ends("用户抽烟。", "smokes", "我去年戒烟了，今年又抽了。"));
  EXPECT_FALSE(ends("The user is learning Greek.", "learns", "I no longer learn Greek on Mondays."));
}

TEST(ToldEnds, PF_25_a_divorce_ends_a_marriage_and_a_wedding_what_was_before) {
  EXPECT_TRUE(ends("The user is married.", "relationship", "I got divorced last month."));
  EXPECT_TRUE(ends("The user is engaged.", "relationship", "We broke off the engagement, I broke up with Tom."));
  EXPECT_TRUE(ends("The user is single.", "relationship", "I got married last month."));
  EXPECT_FALSE(ends("The user is married.", "relationship", "I got divorced in 2012."));
  EXPECT_FALSE(ends("The user is married.", "relationship", "I broke up with Tom."));
  EXPECT_FALSE(ends("The user is married.", "relationship", "My sister got divorced last month."));
  EXPECT_FALSE(ends("The user is divorced.", "relationship", "I got married ten years ago."));
  EXPECT_FALSE(ends("The user is married to Ann.", "partner", "I got married last month."));
}

TEST(ToldEnds, PF_25_what_others_do_or_is_only_meant_ends_nothing) {
  for (const char* message :
       {"My brother sold his car.", "I want to sell my car.", "I haven't sold my car.", "I might sell my car.",
        "Should I sell my car?", "I sold my bike.", "They sold my car's seats.", "I stopped the car.",
        "I left the car at the station.", "I dropped my car off."})
    EXPECT_FALSE(ends("The user drives a Volvo.", "vehicle", message)) << message;
  for (const char* message :
       {"I don't drink coffee today.", "I gave up tea.", "I gave up coffee for Lent.", "She no longer drinks coffee.",
        "I no longer drink coffee this week.", "I don't drink coffee."})
    EXPECT_FALSE(ends("The user drinks coffee.", "drinks", message)) << message;
  EXPECT_FALSE(ends("The user drinks tea.", "drinks", "I no longer drink tea in the evening."));
  EXPECT_FALSE(ends("The user has three cats.", "number of cat", "I gave one of my cats away."));
  EXPECT_TRUE(ends("The user has three cats.", "number of cat", "I gave the cats away."));
  EXPECT_FALSE(ends("The user has a blue bike.", "said", "My red bike was stolen."));
  EXPECT_FALSE(ends("The user bought a car.", "said", "I sold my car.")) << "what was done was done";
  EXPECT_FALSE(ends("The user's sister has a car.", "has", "I sold my car."));
  for (const char* message : {"他戒烟了", "我爸戒烟了", "我想戒烟", "我打算戒烟了", "今天不抽烟了", "我不喝酒了"})
    EXPECT_FALSE(ends("用户抽烟。", "smokes", message)) << message;
  for (const char* message : {"我弟弟把车卖了", "邻居把车卖了", "我想把车卖了", "我把自行车卖了", "我把车停了"})
    EXPECT_FALSE(ends("用户开大众牌的车。", "vehicle", message)) << message;
}

TEST(ToldChanges, CM_17_said_as_somebody_else_would) {
  EXPECT_EQ(in_third_person("The landlord raised my rent.", ""), "The landlord raised the user's rent.");
  EXPECT_EQ(in_third_person("I left my club, I'm at Rovers now", "Ann"), "Ann left Ann's club, Ann is at Rovers now.");
  EXPECT_EQ(in_third_person("我改了自我介绍", ""), "用户改了自我介绍。");
  EXPECT_EQ(in_third_person("我们换了新教练，叫老郭", ""), "用户换了新教练，叫老郭。");
}

}  // namespace
}  // namespace weft
