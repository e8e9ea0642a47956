#include "flow/historian/rewrite_prompt.h"

#include <nlohmann/json.hpp>

#include "model/make_message.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Prompt rewrite_rules(Language language) {
  return shipped_prompt("rewrite", language == Language::kChinese ? "zh" : "en");
}

std::vector<Message> rewrite_prompt(const RewriteInput& input, const Rewritten& draft) {
  Json earlier = Json::array();
  for (const EarlierMessage& said : input.info.earlier)
    earlier.push_back({{"speaker", said.speaker}, {"text", said.text}});
  const Json data = {
      {"participants", input.names},
      {"said_by", input.info.sender.name},
      {"time", format_time(input.info.time)},
      {"place", input.info.place},
      {"conversation", earlier},
      {"draft",
       {{"did_what", draft.did_what}, {"new_info", draft.new_info}, {"canonical_text", draft.canonical_text}}}};
  return {make_message(Role::kSystem, std::string(rewrite_rules(input.language).text)),
          make_message(Role::kUser, data.dump(2, ' ', false, Json::error_handler_t::replace))};
}

Message rewrite_again(Language language, const std::string& fault) {
  const bool chinese = language == Language::kChinese;
  return make_message(Role::kUser, (chinese ? "还不行：" : "Not yet: ") + fault +
                                       (chinese ? "。请改正并重新给出整个 JSON 对象。"
                                                : ". Correct it and give the whole JSON object again."));
}

}  // namespace weft
