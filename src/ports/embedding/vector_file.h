#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "ports/chat/chat_model.h"
#include "ports/embedding/embedder.h"

namespace weft {

/// Keeps the vectors of all texts it has seen in a file, so that what was embedded once is not embedded again. The file
/// is a cache and belongs to the machine that wrote it; texts themselves are not in it. Safe from many threads as far
/// as the inner embedder is, which must outlive it; a text that two threads ask for at once may be computed twice.
class VectorFile final : public Embedder {
 public:
  /// Reads what is there; a record that was cut off is written anew, and a file of vectors of another length is
  /// emptied. Errors: kUnavailable where the file cannot be written.
  static Result<std::unique_ptr<VectorFile>> open(const std::filesystem::path& path, Embedder& inner);

  std::string name() const override { return inner_.name(); }
  std::size_t dimensions() const override { return inner_.dimensions(); }
  std::string prefix(EmbedUse use) const override { return inner_.prefix(use); }
  std::int64_t count_tokens(std::string_view text) const override { return inner_.count_tokens(text); }
  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override;

  /// The vector of a text that was embedded before, else an empty one. Never computes.
  Vector kept(std::string_view text, EmbedUse use) const;

  /// Whether it is kept.
  bool keeps(std::string_view text, EmbedUse use) const;

  /// Forgets all texts but these, in the file too. Errors: kUnavailable where the file cannot be written anew.
  Status keep_only(std::span<const std::string> texts, EmbedUse use);

  void clear_cache() override { (void)keep_only({}, EmbedUse::kCompare); }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  ///< 128 bits of hash over model, prefix and text
  using Known = std::map<Key, Vector>;

  VectorFile(std::filesystem::path path, Embedder& inner) : path_(std::move(path)), inner_(inner) {}
  Key key_of(std::string_view text, EmbedUse use) const;
  void read();
  Status write_all();
  void write(const Key& key, const Vector& vector);

  const std::filesystem::path path_;
  Embedder& inner_;
  mutable std::mutex mutex_;  ///< of what follows; no vector is computed under it
  Known known_;
  std::ofstream file_;
};

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
