#pragma once

#include <string>
#include <string_view>

#include "base/lowered.h"
#include "surface/http/exchange.h"

namespace weft::http {

/// The head of a request as handlers get it. `Message` is a request of Beast, which stays out of this header; its body
/// is left where it is.
template <class Message>
Request request_of(const Message& message) {
  Request out;
  out.method = std::string(message.method_string());
  const std::string_view target(message.target().data(), message.target().size());
  const auto mark = target.find('?');
  out.path = std::string(target.substr(0, mark));
  if (mark != std::string_view::npos) out.query_text = std::string(target.substr(mark + 1));
  out.query = parse_query(out.query_text);
  for (const auto& field : message) {
    out.headers.emplace_back(lowered({field.name_string().data(), field.name_string().size()}),
                             std::string(field.value()));
  }
  return out;
}

}  // namespace weft::http
