// What an agent learns, as a facet: each function is one of the service that has the subject.
#include "engine/services.h"
#include "weft/engine.h"

namespace weft {

Growth Engine::growth(const Caller& caller) const { return {services(), caller}; }

}  // namespace weft
