#pragma once

#include <functional>
#include <span>
#include <string>

#include "ports/store/store.h"

namespace weft {

/// After a start: hands the messages that were kept behind the number that the note `name` of the store holds to
/// `take`, scope by scope, for who works off kept messages in the background and notes how far it has come. Where there
/// is no such note the workspace was filled before, and what comes from now on counts.
Status hand_unread(Store& store, const std::string& name,
                   const std::function<void(std::span<const MessageRow> messages)>& take);

}  // namespace weft
