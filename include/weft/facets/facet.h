#pragma once

#include <type_traits>
#include <utility>

#include "weft/request.h"

namespace weft {

struct Services;  // of the engine; what it is made of is nobody else's

/// What all facets are: a view of the engine for one caller. Small values: copy them, make one for a call or keep it as
/// long as the engine. All functions may be called from any thread.
class Facet {
 public:
  const Caller& caller() const { return caller_; }

 protected:
  Facet(const Services& services, Caller caller) : services_(&services), caller_(std::move(caller)) {}

  const Services& services() const { return *services_; }

  /// Calls `make(services, request)`; where the caller's scope is an error, gives that.
  template <class Make>
  std::invoke_result_t<Make, const Services&, const RequestContext&> call(Make make) const {
    const Result<RequestContext>& request = caller_.request();
    if (!request.ok()) return request.error();
    if (const Status ready = follow(*request); !ready.ok()) return ready.error();
    return make(*services_, *request);
  }

 private:
  // What other programs have written to a shared store is known from here on.
  Status follow(const RequestContext& request) const;

  const Services* services_;
  Caller caller_;
};

}  // namespace weft
