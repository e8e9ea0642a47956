#include "surface/api/api.h"

#include "surface/api/openapi.h"
#include "surface/api/operation.h"

namespace weft {

void add_api(http::Router& router, Engine& engine) {
  for (const Operation& operation : operations()) {
    router.add(operation.method, operation.path,
               [&engine, &operation](const http::Request& request, http::ResponseWriter& out) {
                 operation.run(engine, request, out);
               });
  }
  router.add("GET", "/openapi.json", [](const http::Request&, http::ResponseWriter& out) {
    static const std::string document = openapi_json();
    out.send(200, "application/json", document);
  });
}

}  // namespace weft
