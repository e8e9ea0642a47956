#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "ports/chat/chat_model.h"
#include "weft/config.h"
#include "weft/engine.h"

namespace weft {

/// Serves the REST interface and the proxy until `stop` is requested, then lets running requests finish for some
/// seconds. `on_listening` gets the address ("http://127.0.0.1:7077") as soon as requests are taken. `local` may be
/// null. Gives the program's exit code: 0 after a stop, 1 where the address cannot be listened on (logged).
int run_server(Engine& engine, const Config& config, ChatModel* local, std::stop_token stop,
               const std::function<void(const std::string& url)>& on_listening);

}  // namespace weft
