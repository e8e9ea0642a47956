#pragma once

#include <string>

#include "ports/chat/chat_model.h"
#include "ports/embedding/embedder.h"

namespace weft {

/// A chat model as an embedder of what texts call for: the vector of a text is the model's hidden state where it is
/// about to say, in English, what a guide for it would be called, after Jiang et al., "Scaling Sentence Embeddings with
/// Large Language Models" (2023). A request and the description of what serves it lie near each other in it, in
/// whatever languages they are. It costs a pass through the model over the text, a hundred times what an embedding
/// model takes. One prompt serves all uses. Safe from many threads as far as the model is.
class StateEmbedder final : public Embedder {
 public:
  /// The model must outlive it, and give states.
  explicit StateEmbedder(ChatModel& model) : model_(model) {}

  /// That of the trained model and of what it is asked: other questions lead to other vectors.
  std::string name() const override { return name_for(model_); }
  static std::string name_for(const ChatModel& model);
  std::size_t dimensions() const override { return model_.state_space().dimensions; }
  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override;
  std::int64_t count_tokens(std::string_view text) const override { return model_.count_tokens(text); }

 private:
  ChatModel& model_;
};

}  // namespace weft
