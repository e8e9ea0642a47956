#include "model/receipt_json.h"

#include <nlohmann/json.hpp>

namespace weft {

std::string to_json(const EraseReceipt& receipt) {
  const nlohmann::ordered_json json = {{"id", receipt.id},
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
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace weft
