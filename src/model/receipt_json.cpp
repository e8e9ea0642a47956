#include "model/receipt_json.h"

#include "model/records.h"

namespace weft {

std::string to_json(const EraseReceipt& receipt) { return to_json<EraseReceipt>(receipt); }

Result<EraseReceipt> parse_receipt(std::string_view text) {
  auto receipt = parse_record<EraseReceipt>(text, "the receipt");
  if (!receipt.ok()) return corrupt("this is no receipt of an erasure: " + receipt.error().message);
  if (json_member(text, "digests").empty()) return corrupt("this is no receipt of an erasure");
  if (json_member(text, "version").empty()) receipt->version = 1;
  return receipt;
}

}  // namespace weft
