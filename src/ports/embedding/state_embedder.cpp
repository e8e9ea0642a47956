#include "ports/embedding/state_embedder.h"

#include "text/utf8.h"

namespace weft {
namespace {

// The weights that are fitted on states hold for these words only: a change of them is another name.
constexpr std::string_view kQuestion = "guide title 1";
constexpr std::string_view kBefore = "A user of an assistant needs help: \"", kBehind = "\".";
constexpr const char* kStart = "The best title of a guide for this, in English, is: \"";
constexpr std::size_t kLongest = 1000, kShortest = 60;  // characters

ChatRequest request_for(std::string_view text, std::size_t longest) {
  ChatRequest request;
  Message said;
  said.role = Role::kUser;
  said.content = std::string(kBefore) + preview(text, longest) + std::string(kBehind);
  request.messages.push_back(std::move(said));
  request.answer_start = kStart;
  request.wants_state = true;
  return request;
}

}  // namespace

std::string StateEmbedder::name_for(const ChatModel& model) {
  return model.state_space().model + ", " + std::string(kQuestion);
}

Result<Vector> StateEmbedder::embed(std::string_view text, EmbedUse, const Deadline& deadline) {
  if (!has_word(text)) return invalid_argument("a text without a word has no vector");
  auto reply = model_.complete(request_for(text, kLongest), deadline);
  // A small window takes fewer characters of some languages than of others.
  for (std::size_t longest = kLongest / 2; !reply.ok() && reply.error().code == ErrorCode::kTooLarge; longest /= 2) {
    if (longest < kShortest) break;
    reply = model_.complete(request_for(text, longest), deadline);
  }
  if (!reply.ok()) return reply.error();
  if (!make_unit_length(reply->state)) return unavailable(model_.name() + " gave no state of the text");
  return std::move(reply->state);
}

}  // namespace weft
