#pragma once

#include <memory>
#include <string>

#include "ports/chat/chat_model.h"
#include "ports/net/http_client.h"
#include "weft/config.h"

namespace weft {

/// Opens the chat model of one `[models.NAME]` table. A local model is loaded here; a remote one is not called.
Result<std::unique_ptr<ChatModel>> open_chat(const std::string& name, const ModelSettings& settings,
                                             const std::string& model_folder, std::shared_ptr<HttpClient> http);

}  // namespace weft
