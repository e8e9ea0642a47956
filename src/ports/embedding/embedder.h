#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/call_context.h"
#include "base/clock.h"
#include "text/words.h"
#include "weft/result.h"

namespace weft {

/// A vector of unit length.
using Vector = std::vector<float>;

/// What the vector will be compared with: models of the e5 family want different prefixes.
enum class EmbedUse {
  kCompare,  ///< with its equals (topics)
  kQuery,    ///< a question, with stored texts
  kPassage,  ///< a stored text, with questions
};

/// The prefixes that a family of models was trained with, by the model's name: "query: " and "passage: " for e5, else
/// none.
struct EmbedPrefixes {
  std::string compare, query, passage;

  static EmbedPrefixes of_family(std::string_view model_name);
  const std::string& of(EmbedUse use) const;
};

/// Turns texts into vectors. All functions may be called from many threads at once.
class Embedder {
 public:
  virtual ~Embedder() = default;

  /// The model's name, stored beside each vector so that vectors of different models never meet.
  virtual std::string name() const = 0;

  /// Length of the vectors.
  virtual std::size_t dimensions() const = 0;

  /// The vector of one text, of unit length. Longer texts than the model takes are cut. Text without any word gives an
  /// error of kInvalidArgument; a deadline that passes kTimeout or kCancelled; a model that is still loading
  /// kUnavailable.
  virtual Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) = 0;

  /// What is put before a text for this use. Uses with equal prefixes have equal vectors.
  virtual std::string prefix(EmbedUse) const { return {}; }

  /// Exact number of tokens of the text, without special ones, where the model has its tokenizer here; else -1.
  virtual std::int64_t count_tokens(std::string_view text) const = 0;

  /// Forgets vectors of texts that it may have kept.
  virtual void clear_cache() {}
};

/// Cosine of two vectors of unit length and equal size.
double cosine(std::span<const float> a, std::span<const float> b);

/// Whether a text says anything: a letter, a digit or a sign that stands for a word; not only blanks and punctuation.
bool has_word(std::string_view text);

/// Scales the vector to length 1. False, and the vector as it was, where it has no direction (zero, not finite).
bool make_unit_length(Vector& vector);

/// The error for a deadline that has passed: kCancelled where the caller gave up, else kTimeout. `what` begins the
/// sentence.
Error deadline_error(const Deadline& deadline, std::string_view what);

/// Texts that get their vectors, as a step of what is traced on this thread.
class EmbedSpan {
 public:
  EmbedSpan(const Embedder& embedder, std::size_t texts)
      : model_(TraceSpan::open() == nullptr ? std::string() : embedder.name()),
        span_("embeddings " + model_, SpanKind::kClient) {
    span_.set("gen_ai.operation.name", "embeddings");
    span_.set("gen_ai.request.model", model_);
    if (texts > 1) span_.set("weft.texts", static_cast<std::int64_t>(texts));
  }
  void fail(std::string_view what) { span_.fail(what); }

 private:
  const std::string model_;
  TraceSpan span_;
};

/// The vector of a text, as a step of the request that waits for it.
inline Result<Vector> traced_embed(Embedder& embedder, std::string_view text, EmbedUse use, const Deadline& deadline) {
  EmbedSpan span(embedder, 1);
  auto vector = embedder.embed(text, use, deadline);
  if (!vector.ok()) span.fail(to_string(vector.error().code));
  return vector;
}

/// Keeps the vectors of recent texts, and computes a text that several callers ask for at once only once. Texts to be
/// stored let those go first that somebody waits for. Errors are not kept. Safe from any thread.
class CachedEmbedder final : public Embedder {
 public:
  /// Keeps at most `entries` vectors (1.5 KiB each at 384 dimensions); the longest unused leaves first.
  CachedEmbedder(std::shared_ptr<Embedder> inner, std::size_t entries);
  ~CachedEmbedder() override;

  std::string name() const override { return inner_->name(); }
  std::size_t dimensions() const override { return inner_->dimensions(); }
  std::string prefix(EmbedUse use) const override { return inner_->prefix(use); }
  std::int64_t count_tokens(std::string_view text) const override { return inner_->count_tokens(text); }

  /// As the inner embedder. A caller that waits for another's computation has its own deadline, and computes itself
  /// where the other's ran out of time.
  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override;

  void clear_cache() override;

 private:
  struct Key {  // 128 bits of hash over prefix and text: the text itself need not be kept
    std::uint64_t low = 0, high = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key.low); }
  };
  struct Running {
    std::optional<Result<Vector>> outcome;
  };
  using Order = std::list<std::pair<Key, Vector>>;

  Key key_of(std::string_view text, EmbedUse use) const;
  void keep(const Key& key, const Vector& vector);
  Result<Vector> compute(const Key& key, std::string_view text, EmbedUse use, const Deadline& deadline,
                         Running& running);

  std::shared_ptr<Embedder> inner_;
  std::size_t entries_;
  mutable std::mutex mutex_;
  std::condition_variable_any finished_;
  Order order_;  // newest first
  std::unordered_map<Key, Order::iterator, KeyHash> index_;
  std::unordered_map<Key, std::shared_ptr<Running>, KeyHash> running_;
  std::size_t awaited_ = 0;  ///< computations that somebody in the foreground waits for
};

/// Opens an embedder; may take seconds. Called on the loading thread, again where it failed with something that may
/// pass.
using EmbedderFactory = std::function<Result<std::unique_ptr<Embedder>>()>;

/// An embedder that loads in the background, so that a program answers (by words) at once. Until it is ready `embed`
/// gives kUnavailable and nothing waits. Loading begins when somebody asks or waits for it, else a moment later: what
/// ends at once needs no model. A load that failed with kUnavailable or kTimeout is tried again every `retry_every`;
/// other failures stay. Safe from any thread. Destruction waits for a load under way, or a moment only where threads
/// may be left behind (base/threads.h): a busy machine takes many seconds for the vocabulary of a model.
class BackgroundEmbedder final : public Embedder {
 public:
  /// `name` is what `name()` says from the beginning.
  BackgroundEmbedder(std::string name, EmbedderFactory factory,
                     std::chrono::milliseconds retry_every = std::chrono::seconds(30));
  ~BackgroundEmbedder() override;

  std::string name() const override { return shared_->name; }
  std::size_t dimensions() const override;  ///< 0 until it is ready
  std::string prefix(EmbedUse use) const override;
  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override;
  std::int64_t count_tokens(std::string_view text) const override;  ///< -1 until it is ready

  void clear_cache() override {
    if (Embedder* model = inner()) model->clear_cache();
  }

  /// Waits until the model is loaded. The error of a load that failed for good, or of a deadline that passes.
  Status wait_ready(const Deadline& deadline) const;

  bool ready() const { return inner() != nullptr; }

  /// For people: "loading", "ready", "failed: …" or "waiting to try again: …".
  std::string state() const;

 private:
  /// What a loading thread may outlive its owner with.
  struct Shared {
    explicit Shared(std::string called) : name(std::move(called)) {}
    void load(const std::stop_token& stop, const EmbedderFactory& factory, std::chrono::milliseconds retry_every);
    void want();  // under the lock

    const std::string name;
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_ptr<Embedder> inner;  // set once, never taken away
    std::optional<Error> failure;  // of the last load
    bool over = false;  // no further load will be tried
    bool wanted = false;  // somebody asked or waits
    bool ended = false;  // the thread has nothing left to do
  };

  Embedder* inner() const;

  std::shared_ptr<Shared> shared_;
  std::jthread loader_;
};

/// Makes the cosines of one embedder mean the same as those of any other: the mean vector of unrelated texts of the
/// language is taken away, and a logistic curve maps what is left to [0, 1] so that 0.6 is the best cut between texts
/// of one topic and texts of two. A value; immutable, safe from any thread.
class Similarity {
 public:
  /// No centring, no curve: cosines as the embedder gives them.
  static Similarity raw();

  /// What weights/similarity/ knows of an embedder by its name; for an unknown one a curve that leaves the cosine
  /// nearly as it is, with a warning in the log.
  static Similarity for_embedder(std::string_view name);

  /// Reads a file of weights/similarity/, or NAME.calibration.json beside a model.
  static Result<Similarity> parse(std::string_view json);

  /// A calibration from its parts; an empty mean centres nothing.
  Similarity(std::string embedder, Vector english_mean, Vector chinese_mean, double slope, double middle);

  /// The vector without the mean of its language, of unit length again. A vector of another length than the mean passes
  /// through.
  Vector centre(std::span<const float> vector, Language language) const;

  /// The mean that `centre` takes away; empty where it is not known.
  std::span<const float> mean(Language language) const { return means_[static_cast<std::size_t>(language)]; }

  /// What a cosine of two centred vectors means, in [0, 1]; the cosine itself for `raw`.
  double scale(double cosine) const;

  /// Similarity of two vectors that are not centred yet.
  double between(std::span<const float> a, Language a_language, std::span<const float> b, Language b_language) const;

  const std::string& embedder() const { return embedder_; }
  bool is_raw() const { return raw_; }
  /// Whether it was fitted for this embedder, not guessed.
  bool is_fitted() const { return fitted_; }

 private:
  Similarity() = default;
  std::string embedder_;
  std::array<Vector, 2> means_;  // by Language
  double slope_ = 1;
  double middle_ = 0;
  bool raw_ = false;
  bool fitted_ = false;
};

}  // namespace weft
