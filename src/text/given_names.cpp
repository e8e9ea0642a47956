#include "text/given_names.h"

#include <unordered_map>

namespace weft {
namespace {

constexpr std::string_view kMen =
    "james john robert michael william david richard joseph thomas charles daniel matthew anthony mark donald steven "
    "paul "
    "andrew joshua kenneth kevin brian george edward ronald timothy jason jeffrey ryan jacob gary nicholas eric "
    "jonathan "
    "stephen larry justin scott brandon benjamin samuel gregory frank alexander raymond patrick jack dennis jerry "
    "tyler "
    "aaron jose adam nathan henry douglas zachary peter kyle walter ethan jeremy harold keith christian roger noah "
    "gerald "
    "carl terry sean austin arthur lawrence jesse dylan bryan joe billy bruce albert willie gabriel logan alan juan "
    "wayne "
    "roy ralph randy eugene vincent russell elijah louis bobby philip johnny tom tim jim bob bill ben sam dan mike "
    "matt "
    "steve dave nick tony greg jeff ken ron rob ed fred max leo luke liam mason oliver lucas oscar hugo felix victor "
    "simon "
    "martin ivan igor boris hans klaus stefan pierre jean marco luca paolo diego pablo carlos luis miguel pedro javier "
    "ahmed mohammed muhammad omar ali hassan ibrahim raj amit rahul arjun vikram kenji hiroshi takeshi jun wei ming "
    "tao "
    "neil ian graham colin hugh derek gavin stuart craig darren barry trevor nigel owen connor finn theo toby harry";
constexpr std::string_view kWomen =
    "mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra margaret ashley "
    "kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca sharon laura cynthia dorothy amy "
    "kathleen "
    "angela shirley emma brenda pamela nicole anna samantha katherine christine debra rachel carolyn janet maria "
    "olivia "
    "heather helen catherine diane julie victoria joyce lauren kelly christina ruth joan virginia judith evelyn hannah "
    "andrea megan cheryl jacqueline madison teresa abigail sophia martha sara gloria janice kathryn ann anne isabella "
    "judy "
    "charlotte julia grace amber alice jean denise frances danielle marilyn natalie beverly diana brittany theresa "
    "kayla "
    "alexis doris lori tiffany jane lily lucy ella mia ava zoe zoë chloe ellen eve eva clara nora rose ruby daisy "
    "molly "
    "sally kate katie beth jenny jill becky sue liz maggie mel mia nina olga tanya irina natasha svetlana ingrid greta "
    "heidi claire marie sophie camille juliette giulia francesca lucia carmen elena sofia isabel ana fatima aisha "
    "layla "
    "leila yasmin priya anita deepa sunita lakshmi yuki sakura keiko akiko mei ling fiona moira gemma bridget paula "
    "wendy "
    "holly ivy violet hazel iris gina rita vera stella audrey caroline melanie joanna deborah audra anneke caro";

using Names = std::unordered_map<std::string_view, NameGender>;

void add(Names& names, std::string_view list, NameGender gender) {
  while (!list.empty()) {
    const std::size_t space = list.find(' ');
    const auto [at, added] = names.emplace(list.substr(0, space), gender);
    if (!added && at->second != gender) at->second = NameGender::kUnknown;
    list = space == std::string_view::npos ? std::string_view() : list.substr(space + 1);
  }
}

bool holds(std::string_view list, std::string_view character) {
  constexpr std::size_t kHan = 3;
  const std::size_t at = character.size() == kHan ? list.find(character) : std::string_view::npos;
  return at != std::string_view::npos && at % kHan == 0;
}

}  // namespace

bool is_first_name(std::string_view lower, NameGender& gender) {
  static const Names names = [] {
    Names made;
    add(made, kMen, NameGender::kMale);
    add(made, kWomen, NameGender::kFemale);
    for (const std::string_view both : {"alex", "chris", "jordan", "taylor", "casey", "jamie", "morgan", "robin",
                                        "sasha", "charlie", "kim", "lee", "pat", "jo", "bo", "andy", "drew", "riley"})
      made[both] = NameGender::kUnknown;
    return made;
  }();
  const auto found = names.find(lower);
  gender = found == names.end() ? NameGender::kUnknown : found->second;
  return found != names.end();
}

bool is_chinese_surname(std::string_view character) {
  return holds(
      "王李张刘陈杨黄赵周吴徐孙朱马胡郭林何高梁郑罗宋谢唐韩曹许邓萧冯曾程蔡彭潘袁董余苏叶吕魏蒋田杜丁沈姜范江傅钟卢汪戴"
      "崔任"
      "陆廖姚金邱夏谭韦贾邹石熊孟秦阎薛侯雷龙段郝孔邵史毛顾赖康贺严尹钱施牛洪龚汤陶黎温莫易樊乔庞颜倪庄聂章鲁岳翟殷詹申"
      "欧耿"
      "焦俞柳甘祝包宁尚符舒阮柯纪梅童凌毕裴霍涂苗谷盛曲翁冉骆蓝辛靳柴蒙鲍华喻祁蒲滕屈饶牟艾尤阳穆卓吉缪芦麦褚娄窦戚岑宫"
      "卜冷"
      "晏卫柏瞿桂佟臧闵苟邬卞姬仇栾隋刁荣巫",
      character);
}

NameGender chinese_name_gender(std::string_view given) {
  constexpr std::string_view kFemale =
      "娜婷丽芳娟敏静艳玲芬燕红梅莉兰云洁琳雪慧颖佳萍倩薇婉妍媛嫣妮娇姗霞秀香珍珠翠莲凤菊琴瑶怡欣悦蓉蕾莹盈彤妹娥娴婵岚"
      "菲茜馨璐芸苗淑惠巧美姝姣";
  constexpr std::string_view kMale =
      "伟强磊军刚勇杰涛超鹏辉斌峰雷龙虎彪豪雄武刚毅钢铁柱栋梁松柏坤鑫壮志国建邦振兵威博翰浩宇轩昊泽帅凯亮健康鸿";
  NameGender gender = NameGender::kUnknown;
  constexpr std::size_t kHan = 3;
  for (std::size_t at = 0; at + kHan <= given.size(); at += kHan) {
    if (holds(kFemale, given.substr(at, kHan))) return NameGender::kFemale;
    if (holds(kMale, given.substr(at, kHan))) gender = NameGender::kMale;
  }
  return gender;
}

}  // namespace weft
