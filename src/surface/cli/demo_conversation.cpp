#include "surface/cli/demo_conversation.h"

namespace weft::cli {

std::string_view demo_conversation() {
  return R"lines({"time": "2026-03-02T09:05:00+08:00", "role": "user", "content": "I want to take my parents to Kyoto in the second week of April. What should we plan around?"}
{"time": "2026-03-02T09:05:00+08:00", "role": "assistant", "content": "That week the cherry trees along the Kamo river are usually past their peak, but the late ones at Ninna-ji still bloom. Book rooms early, and keep one slow day, since your parents will walk a lot."}
{"time": "2026-03-02T09:08:00+08:00", "role": "user", "content": "My father has a bad knee, so no long stairs. Is Fushimi Inari out of the question?"}
{"time": "2026-03-02T09:08:00+08:00", "role": "assistant", "content": "The lower gates at Fushimi Inari are flat and worth half an hour. The climb behind them has some twelve hundred steps, so turn around at the first pond."}
{"time": "2026-03-02T09:11:00+08:00", "role": "user", "content": "Good. And we need a hotel near a subway station, at most 180 euros a night."}
{"time": "2026-03-02T09:12:00+08:00", "role": "assistant", "content": "Around Karasuma Oike you are on two subway lines. For three people in April look for a triple room at 150 to 180 euros; two small hotels there have lifts and no steps at the door."}
{"time": "2026-03-02T09:15:00+08:00", "role": "user", "content": "Then put Karasuma Oike down as our base."}
{"time": "2026-03-02T09:15:00+08:00", "role": "assistant", "content": "Done: base at Karasuma Oike, no long stairs, 180 euros a night at most, second week of April."}
{"time": "2026-03-02T14:30:00+08:00", "role": "user", "content": "换个话题，我想给家里那只猫换猫粮，它最近总是吐。"}
{"time": "2026-03-02T14:30:00+08:00", "role": "assistant", "content": "先别急着换。经常吐可能是吃得太快、毛球或者对某种蛋白过敏。它吐的是没消化的粮还是毛球？"}
{"time": "2026-03-02T14:33:00+08:00", "role": "user", "content": "大多是没消化的猫粮，吃完十分钟就吐。它叫芝麻，三岁，体重四公斤半。"}
{"time": "2026-03-02T14:33:00+08:00", "role": "assistant", "content": "听起来芝麻吃得太快了。可以先换慢食碗，少量多餐，一天喂四次，每次十五克左右。如果一周后还吐，就该去医院查一查。"}
{"time": "2026-03-02T14:36:00+08:00", "role": "user", "content": "慢食碗买哪种？不锈钢的行吗？"}
{"time": "2026-03-02T14:36:00+08:00", "role": "assistant", "content": "不锈钢的好清洗，不过慢食碗多是陶瓷或塑料的。选陶瓷浅盘带凸起的那种，猫胡子不会碰到碗边。"}
{"time": "2026-03-02T14:40:00+08:00", "role": "user", "content": "好的，那我先买陶瓷的，另外鸡肉味的粮先停了，上次医生说它可能对鸡肉过敏。"}
{"time": "2026-03-02T14:40:00+08:00", "role": "assistant", "content": "明白：芝麻换陶瓷慢食碗，停鸡肉粮，一天四顿，一周后看情况。"}
{"time": "2026-03-03T10:02:00+08:00", "role": "user", "content": "Our nightly report job failed again. Can you find out why and fix it? The repository is reports-service."}
{"time": "2026-03-03T10:02:00+08:00", "role": "assistant", "content": "The log of the last run comes first.", "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "shell_run", "arguments": "{\"command\": \"tail -n 40 logs/nightly.log\"}"}}]}
{"time": "2026-03-03T10:03:00+08:00", "role": "tool", "tool_call_id": "call_1", "content": "2026-03-03 02:00:14 ERROR nightly: psycopg.errors.UndefinedColumn: column orders.region_code does not exist\n2026-03-03 02:00:14 INFO nightly: exit 1"}
{"time": "2026-03-03T10:03:00+08:00", "role": "assistant", "content": "A column is missing: renamed by a migration, or never made.", "tool_calls": [{"id": "call_2", "type": "function", "function": {"name": "shell_run", "arguments": "{\"command\": \"grep -rn region_code src/ migrations/\"}"}}]}
{"time": "2026-03-03T10:03:00+08:00", "role": "tool", "tool_call_id": "call_2", "content": "src/report_builder.py:88:    rows = db.fetch(\"SELECT region_code, sum(total) FROM orders GROUP BY 1\")\nmigrations/0042_rename_region.sql:1:ALTER TABLE orders RENAME COLUMN region_code TO region_id;"}
{"time": "2026-03-03T10:04:00+08:00", "role": "assistant", "content": "", "tool_calls": [{"id": "call_3", "type": "function", "function": {"name": "file_edit", "arguments": "{\"path\": \"src/report_builder.py\", \"old\": \"region_code\", \"new\": \"region_id\"}"}}]}
{"time": "2026-03-03T10:04:00+08:00", "role": "assistant", "content": "", "tool_calls": [{"id": "call_4", "type": "function", "function": {"name": "shell_run", "arguments": "{\"command\": \"pytest -q tests/test_report_builder.py\"}"}}]}
{"time": "2026-03-03T10:05:00+08:00", "role": "tool", "tool_call_id": "call_3", "content": "1 replacement in src/report_builder.py"}
{"time": "2026-03-03T10:05:00+08:00", "role": "tool", "tool_call_id": "call_4", "content": "5 passed in 1.42s"}
{"time": "2026-03-03T10:06:00+08:00", "role": "assistant", "content": "Migration 0042 renamed orders.region_code to region_id, and src/report_builder.py line 88 still used the old name. I changed it, and the five tests of the report builder pass."}
{"time": "2026-03-03T10:08:00+08:00", "role": "user", "content": "Great. Did the job also write to the wrong bucket, or is that separate?"}
{"time": "2026-03-03T10:08:00+08:00", "role": "assistant", "content": "", "tool_calls": [{"id": "call_5", "type": "function", "function": {"name": "shell_run", "arguments": "{\"command\": \"grep -n bucket config/nightly.toml\"}"}}]}
{"time": "2026-03-03T10:08:00+08:00", "role": "tool", "tool_call_id": "call_5", "content": "bucket = \"reports-staging\""}
{"time": "2026-03-03T10:09:00+08:00", "role": "assistant", "content": "That is separate: config/nightly.toml names the bucket reports-staging. For production it should be reports-prod."}
{"time": "2026-03-03T10:11:00+08:00", "role": "user", "content": "Change it to reports-prod and never deploy it on a Friday."}
{"time": "2026-03-03T10:11:00+08:00", "role": "assistant", "content": "", "tool_calls": [{"id": "call_6", "type": "function", "function": {"name": "file_edit", "arguments": "{\"path\": \"config/nightly.toml\", \"old\": \"reports-staging\", \"new\": \"reports-prod\"}"}}]}
{"time": "2026-03-03T10:11:00+08:00", "role": "tool", "tool_call_id": "call_6", "content": "1 replacement in config/nightly.toml"}
{"time": "2026-03-03T10:12:00+08:00", "role": "assistant", "content": "The bucket is reports-prod now. Noted: no deployment of this job on a Friday."}
{"time": "2026-03-03T19:40:00+08:00", "role": "user", "content": "By the way, what could I cook tonight with chickpeas, spinach and half a lemon? I do not eat meat on weekdays."}
{"time": "2026-03-03T19:40:00+08:00", "role": "assistant", "content": "A quick stew: fry cumin and garlic, add the chickpeas with a little water, fold in the spinach, finish with the lemon. It takes twenty minutes, and it is good with rice."}
{"time": "2026-03-03T19:44:00+08:00", "role": "user", "content": "I have no cumin. Will smoked paprika do?"}
{"time": "2026-03-03T19:44:00+08:00", "role": "assistant", "content": "Yes, half a teaspoon. It turns smoky rather than earthy, so use a bit more lemon."}
{"time": "2026-03-03T20:30:00+08:00", "role": "user", "content": "It was delicious, thank you!"}
{"time": "2026-03-03T20:30:00+08:00", "role": "assistant", "content": "Glad to hear it. I will remember the chickpea stew with smoked paprika."}
{"time": "2026-03-05T08:15:00+08:00", "role": "user", "content": "芝麻换了慢食碗以后三天没吐了。"}
{"time": "2026-03-05T08:15:00+08:00", "role": "assistant", "content": "太好了，说明主要是吃得太快。继续一天四顿，鸡肉粮先不要恢复。"}
{"time": "2026-03-05T08:18:00+08:00", "role": "user", "content": "那我周六带它去打疫苗，宠物医院在青年路那家，要提前禁食吗？"}
{"time": "2026-03-05T08:18:00+08:00", "role": "assistant", "content": "打疫苗不用禁食，正常喂就行。带上疫苗本，打完观察二十分钟再走。"}
{"time": "2026-03-05T21:02:00+08:00", "role": "user", "content": "Back to the trip: my mother would like one tea ceremony, sitting on a chair, not on the floor."}
{"time": "2026-03-05T21:02:00+08:00", "role": "assistant", "content": "There are tea rooms with tables, called ryurei style. One near Kennin-ji takes three guests in the afternoon, in English, for about an hour."}
{"time": "2026-03-05T21:06:00+08:00", "role": "user", "content": "Book it for the ninth of April in the afternoon if it is free."}
{"time": "2026-03-05T21:06:00+08:00", "role": "assistant", "content": "", "tool_calls": [{"id": "call_7", "type": "function", "function": {"name": "browser_search", "arguments": "{\"query\": \"ryurei tea ceremony Kennin-ji 9 April afternoon three guests\"}"}}]}
{"time": "2026-03-05T21:07:00+08:00", "role": "tool", "tool_call_id": "call_7", "content": "Tea room at Kennin-ji: 9 April, 14:30, table seats, 3 places left, 3300 yen each"}
{"time": "2026-03-05T21:08:00+08:00", "role": "assistant", "content": "On 9 April at 14:30 there are three table seats at Kennin-ji, 3,300 yen each. I have put them on hold until tomorrow evening."}
{"time": "2026-03-06T12:20:00+08:00", "role": "user", "content": "我下周三要做季度汇报，帮我想一个开头。主题是客服响应时间从六小时降到四十分钟。"}
{"time": "2026-03-06T12:20:00+08:00", "role": "assistant", "content": "可以从一位客户的真实经历开始：去年他等了六个小时，今年同样的问题四十分钟就解决了。然后再给出总体数字。"}
{"time": "2026-03-06T12:24:00+08:00", "role": "user", "content": "不错。数字只放两个：响应时间和满意度，满意度从百分之七十一升到八十八。"}
{"time": "2026-03-06T12:24:00+08:00", "role": "assistant", "content": "好，两个数字：响应时间六小时到四十分钟，满意度 71% 到 88%。图用左右对比，不要饼图。"}
{"time": "2026-03-06T12:27:00+08:00", "role": "user", "content": "老板不喜欢超过十页的幻灯片。"}
{"time": "2026-03-06T12:27:00+08:00", "role": "assistant", "content": "那就控制在八页以内：一页故事，一页数字，三页做法，两页风险，一页下一步。"}
{"time": "2026-03-07T16:45:00+08:00", "role": "user", "content": "The vet says Sesame is fine after the vaccination, but weighs 4.8 kilos now."}
{"time": "2026-03-07T16:45:00+08:00", "role": "assistant", "content": "Sesame gained 300 grams since you told me 4.5 kilos. Cut each meal from fifteen to thirteen grams, and weigh again in two weeks."}
{"time": "2026-03-07T16:50:00+08:00", "role": "user", "content": "Will do."}
{"time": "2026-03-07T16:50:00+08:00", "role": "assistant", "content": "Fine. Next weighing around 21 March."}
)lines";
}

std::vector<DemoQuestion> demo_questions() {
  return {{"Where do we stay in Kyoto, and what must I keep in mind for my father?", "2026-03-20T09:00:00+08:00"},
          {"芝麻现在该怎么喂？", "2026-03-20T09:05:00+08:00"},
          {"The report job broke once before. What was it, and when must I not deploy?", "2026-03-20T09:10:00+08:00"}};
}

}  // namespace weft::cli
