#pragma once

#include <variant>

#include "surface/mcp/tool.h"

namespace weft::mcp {

/// What a person did with a form.
struct PersonReply {
  bool accepted = false;  ///< false: they declined it, or closed it
  Value content;          ///< what they filled in, where they accepted
};

/// Puts a form before the user of the client. With a handshake the client is asked and waited for; in the stateless
/// revision the answer comes with the call when it is made again, and until then the form itself is given back.
/// Only for clients that can: `Client::asks_people`.
Result<std::variant<PersonReply, InputNeeded>> ask_person(const Exchange& exchange, InputNeeded form);

}  // namespace weft::mcp
