#include "engine/open_chat.h"

namespace weft {

Result<std::unique_ptr<ChatModel>> open_chat(const std::string& name, const ModelSettings&, const std::string&, std::shared_ptr<HttpClient>) {
  return unavailable("model " + name + ": not there yet");
}

}  // namespace weft
