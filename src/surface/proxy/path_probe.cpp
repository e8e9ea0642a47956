#include "surface/proxy/path_probe.h"

#include <nlohmann/json.hpp>

#include "base/lowered.h"
#include "text/json_lookup.h"

namespace weft::proxy {

void PathProbe::header(std::string_view name, std::string_view value) { headers_.emplace_back(name, value); }

void PathProbe::hand_on_headers() {
  for (const auto& [name, value] : headers_) out_.header(name, value);
}

void PathProbe::send(int status, std::string_view content_type, std::string_view body) {
  missing_ = says_no_such_path(status, body);
  if (missing_) return;
  answered_ = status >= 200 && status < 300;
  hand_on_headers();
  out_.send(status, content_type, body);
}

bool PathProbe::begin(int status, std::string_view content_type) {
  answered_ = true;
  hand_on_headers();
  return out_.begin(status, content_type);
}

bool says_no_such_path(int status, std::string_view body) {
  if (status == 405 || status == 501) return true;
  if (status != 404) return false;
  const auto json = nlohmann::json::parse(body, nullptr, false);
  const auto& error = member(json, "error");
  // Who names a code or a field has looked at the call.
  if (!text_of(member(error, "code")).empty() || !text_of(member(error, "param")).empty()) return false;
  const std::string text = lowered(body);
  return text.find("model") == std::string::npos && text.find("resp_") == std::string::npos;
}

}  // namespace weft::proxy
