#include <utility>

#include "weft/request.h"

namespace weft {

Caller Caller::within(std::chrono::milliseconds limit) const {
  Caller changed = *this;
  if (changed.request_.ok()) changed.request_->deadline = std::chrono::steady_clock::now() + limit;
  return changed;
}

Caller Caller::cancelled_by(std::stop_token token) const {
  Caller changed = *this;
  if (changed.request_.ok()) changed.request_->cancel = std::move(token);
  return changed;
}

Caller Caller::awaiting_decisions() const {
  Caller changed = *this;
  if (changed.request_.ok()) changed.request_->await_decisions = true;
  return changed;
}

Caller Caller::in_world(std::string name) const {
  Caller changed = *this;
  if (changed.request_.ok()) changed.request_->world = std::move(name);
  return changed;
}

Caller Caller::of_world(std::string name) const {
  Caller changed = in_world(std::move(name));
  if (changed.request_.ok()) changed.request_->of_world = true;
  return changed;
}

}  // namespace weft
