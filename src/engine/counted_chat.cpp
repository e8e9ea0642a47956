#include "engine/counted_chat.h"

#include <algorithm>
#include <chrono>

namespace weft {

Result<ChatReply> CountedChat::complete(const ChatRequest& request, const Deadline& deadline,
                                        const std::function<bool(std::string_view)>& on_text) {
  const auto begin = std::chrono::steady_clock::now();
  auto reply = model_.complete(request, deadline, on_text);
  if (!reply.ok()) {
    ++use_.failed;
    return reply;
  }
  ++use_.answered;
  // A server that counts nothing may say -1.
  use_.prompt_tokens += static_cast<std::uint64_t>(std::max<std::int64_t>(reply->prompt_tokens, 0));
  use_.completion_tokens += static_cast<std::uint64_t>(std::max<std::int64_t>(reply->completion_tokens, 0));
  use_.time.add(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return reply;
}

}  // namespace weft
