#include "eval/stream_tasks.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace weft {
namespace {

using Both = std::array<std::string_view, 2>;  // by Language

// A kind of catch: what tools say, and the words of what helps.
struct CatchKind {
  std::string_view error;
  std::array<std::array<std::string_view, 2>, 2> heeds;  // by Language
};
constexpr CatchKind kCatches[] = {
    {"error: no such entry, the name was not found", {{{"Look up", "exact"}, {"查", "准确"}}}},
    {"error: invalid argument, field has the wrong type", {{{"arguments", "takes"}, {"参数", "接受"}}}},
    {"error: timed out, the result is too large", {{{"smaller", "limit"}, {"拆", "限制"}}}},
};

struct Work {
  std::string_view tool;
  Both what;  // {} is the object
};
constexpr Work kWorks[] = {
    {"fetch_invoice", {"Send the unpaid invoice to {}", "把未付的发票寄给{}"}},
    {"book_room", {"Reserve a meeting room for {}", "给{}订一间会议室"}},
    {"query_orders", {"Report which orders of {} are late", "汇报{}有哪些订单延误了"}},
    {"update_contact", {"Change the phone number of {}", "修改{}的电话号码"}},
    {"export_sales", {"Export the sales figures of {}", "导出{}的销售数据"}},
    {"print_label", {"Print a shipping label for {}", "为{}打印快递面单"}},
    {"check_stock", {"Find out whether the spare parts for {} are in store", "看看{}的备件有没有库存"}},
    {"plan_tour", {"Plan the delivery tour to {}", "安排送货到{}的路线"}},
    {"sign_contract", {"Prepare the contract with {} for signing", "准备与{}签的合同"}},
    {"count_visitors", {"Count the visitors of the page of {}", "统计{}网页的访客"}},
    {"renew_licence", {"Renew the software licence of {}", "续期{}的软件许可"}},
    {"grade_essay", {"Grade the essay by {}", "批改{}的作文"}},
    {"mix_paint", {"Mix the colour that {} wants", "调出{}想要的颜色"}},
    {"read_meter", {"Read the electricity meter of {}", "读取{}的电表"}},
    {"translate_menu", {"Translate the menu for {}", "为{}翻译菜单"}},
    {"trace_parcel", {"Find the parcel of {}", "查找{}的包裹"}},
    {"tune_engine", {"Adjust the engine of the boat of {}", "调校{}的船用发动机"}},
    {"water_garden", {"Water the garden of {}", "给{}的花园浇水"}},
    {"scan_photo", {"Scan the old photographs of {}", "扫描{}的老照片"}},
    {"rent_bike", {"Rent a bicycle for {}", "为{}租一辆自行车"}},
    {"test_alarm", {"Test the fire alarm of {}", "测试{}的火警"}},
    {"draw_map", {"Draw a map of the estate of {}", "绘制{}的地块图"}},
    {"bake_cake", {"Order a birthday cake for {}", "为{}订生日蛋糕"}},
    {"file_claim", {"File the insurance claim of {}", "提交{}的保险理赔"}},
    {"clean_pool", {"Have the pool of {} cleaned", "请人清洗{}的泳池"}},
    {"tag_music", {"Sort the music collection of {}", "整理{}的音乐收藏"}},
    {"weigh_cargo", {"Weigh the cargo of {}", "给{}的货物称重"}},
    {"sell_ticket", {"Sell two tickets to {}", "卖两张票给{}"}},
    {"patch_server", {"Install the updates on the server of {}", "给{}的服务器装更新"}},
    {"feed_fish", {"Feed the fish of {}", "喂{}的鱼"}},
};
constexpr Both kObjects[] = {
    {"Miller", "王明"},
    {"the Oslo branch", "上海分部"},
    {"Garcia", "李华"},
    {"team four", "四组"},
    {"Harbour Ltd", "海港公司"},
    {"Okafor", "赵强"},
    {"the library", "图书馆"},
    {"Novak", "陈静"},
    {"the north site", "北区工地"},
    {"Dubois", "刘洋"},
    {"Sunrise Inc", "朝阳公司"},
    {"the clinic", "诊所"},
};

std::string with_object(std::string_view text, std::string_view object) {
  std::string made(text);
  return made.replace(made.find("{}"), 2, object);
}

}  // namespace

std::vector<StreamTask> stream_tasks(StreamKind kind, Language language, std::int64_t count, Draw& draw) {
  const auto at = static_cast<std::size_t>(language);
  const std::span works(kWorks);
  const std::size_t first = draw.below(works.size()), first_catch = draw.below(std::size(kCatches));
  std::vector<StreamTask> tasks;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::size_t>(i);
    const std::size_t step = kind == StreamKind::kBuilding ? 0 : number;
    const Work& work = works[(first + step) % works.size()];
    const CatchKind& trap = kCatches[(first_catch + step) % std::size(kCatches)];
    StreamTask task;
    // One after the other: within one expression each compiler draws in an order of its own.
    const std::string_view object = kObjects[draw.below(std::size(kObjects))][at];
    const std::string order = std::to_string(draw.between(1000, 9999));
    task.text = with_object(work.what[at], object) + (language == Language::kChinese ? "，单号" : ", number ") + order;
    task.trap.tool = work.tool;
    task.trap.error = trap.error;
    for (const std::string_view word : trap.heeds[at]) task.trap.heeds.emplace_back(word);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace weft
