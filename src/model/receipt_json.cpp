#include "model/receipt_json.h"

#include <nlohmann/json.hpp>

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string to_json(const EraseReceipt& receipt) {
  const Json json = {{"version", receipt.version},
                     {"id", receipt.id},
                     {"scope_digest", receipt.scope_digest},
                     {"at", format_time(receipt.at)},
                     {"messages", receipt.messages},
                     {"items", receipt.items},
                     {"topics", receipt.topics},
                     {"jobs", receipt.jobs},
                     {"profile_files", receipt.profile_files},
                     {"summaries", receipt.summaries},
                     {"files_searched", receipt.files_searched},
                     {"traces_found", receipt.traces_found},
                     {"digests", receipt.digests}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<EraseReceipt> parse_receipt(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("digests")) return corrupt("this is no receipt of an erasure");
  try {
    EraseReceipt receipt;
    receipt.id = json.value("id", "");
    receipt.scope_digest = json.value("scope_digest", "");
    WEFT_TRY(receipt.at, parse_time(json.value("at", "")));
    receipt.messages = json.value("messages", std::size_t{0});
    receipt.items = json.value("items", std::size_t{0});
    receipt.topics = json.value("topics", std::size_t{0});
    receipt.jobs = json.value("jobs", std::size_t{0});
    receipt.profile_files = json.value("profile_files", std::size_t{0});
    receipt.summaries = json.value("summaries", std::size_t{0});
    receipt.files_searched = json.value("files_searched", std::size_t{0});
    receipt.traces_found = json.value("traces_found", std::size_t{0});
    receipt.digests = json.value("digests", std::vector<std::string>());
    receipt.version = json.value("version", 1);
    return receipt;
  } catch (const Json::exception& error) {
    return corrupt(std::string("this is no receipt of an erasure: ") + error.what());
  }
}

}  // namespace weft
