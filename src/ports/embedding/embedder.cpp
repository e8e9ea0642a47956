#include "ports/embedding/embedder.h"

#include <xxhash.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "text/json.h"
#include "text/utf8.h"
#include "text/weight_file.h"

namespace weft {
namespace {

bool is_word_sign(char32_t c) {
  if (c < 0x80) return is_digit(c) || is_letter(c);
  const auto in = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  // Blocks of punctuation, blanks, joiners and broken bytes.
  return !(in(0x80, 0xA9) || in(0xAB, 0xB4) || in(0xB6, 0xB9) || in(0xBB, 0xBF) || in(0x2000, 0x206F) ||
           in(0x3000, 0x3004) || in(0x3008, 0x3020) || in(0xFE00, 0xFE6F) || in(0xFF00, 0xFF0F) || in(0xFF1A, 0xFF20) ||
           in(0xFF3B, 0xFF40) || in(0xFF5B, 0xFF65) || c == 0xD7 || c == 0xF7 || in(0xFFED, 0xFFFF) || c == 0xFEFF ||
           c == 0x1680);
}

// A text to be stored steps back so long at most.
constexpr std::chrono::milliseconds kStepBack{200};

bool is_awaited(EmbedUse use) { return use != EmbedUse::kPassage; }

bool ran_out_of_time(const Error& error) {
  return error.code == ErrorCode::kTimeout || error.code == ErrorCode::kCancelled;
}

// Longer than a command takes that has nothing to do with meaning, and nothing to a server.
constexpr std::chrono::milliseconds kUnasked{300};

// For a load that ends soon by itself.
constexpr std::chrono::milliseconds kGiveUp{300};

}  // namespace

bool has_word(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_word_sign(next_code_point(text, at))) return true;
  }
  return false;
}

EmbedPrefixes EmbedPrefixes::of_family(std::string_view model_name) {
  const std::string name = lowered(model_name);
  const std::size_t at = name.find("e5");
  const bool is_e5 = at != std::string::npos &&
                     (at == 0 || name[at - 1] == '-' || name[at - 1] == '_' || name[at - 1] == '/') &&
                     (at + 2 == name.size() || name[at + 2] == '-' || name[at + 2] == '_' || name[at + 2] == '.');
  if (is_e5) return {"query: ", "query: ", "passage: "};
  return {};
}

const std::string& EmbedPrefixes::of(EmbedUse use) const {
  return use == EmbedUse::kQuery ? query : use == EmbedUse::kPassage ? passage : compare;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

bool make_unit_length(Vector& vector) {
  double squares = 0;
  for (float x : vector) squares += static_cast<double>(x) * static_cast<double>(x);
  if (!std::isfinite(squares) || squares <= 0) return false;
  const double scale = 1.0 / std::sqrt(squares);
  for (float& x : vector) x = static_cast<float>(static_cast<double>(x) * scale);
  return true;
}

Error deadline_error(const Deadline& deadline, std::string_view what) {
  if (deadline.cancelled()) return cancelled(std::string(what) + " was cancelled");
  return timed_out(std::string(what) + " was not ready in time");
}

CachedEmbedder::CachedEmbedder(std::shared_ptr<Embedder> inner, std::size_t entries)
    : inner_(std::move(inner)), entries_(entries) {}

CachedEmbedder::~CachedEmbedder() = default;

CachedEmbedder::Key CachedEmbedder::key_of(std::string_view text, EmbedUse use) const {
  const std::string prefix = inner_->prefix(use);
  const XXH128_hash_t seeded =
      XXH3_128bits_withSeed(text.data(), text.size(), XXH3_64bits(prefix.data(), prefix.size()));
  return {seeded.low64, seeded.high64};
}

void CachedEmbedder::keep(const Key& key, const Vector& vector) {
  if (entries_ == 0 || index_.contains(key)) return;
  order_.emplace_front(key, vector);
  index_.emplace(key, order_.begin());
  if (order_.size() <= entries_) return;
  index_.erase(order_.back().first);
  order_.pop_back();
}

Result<Vector> CachedEmbedder::compute(const Key& key, std::string_view text, EmbedUse use, const Deadline& deadline,
                                       Running& running) {
  const AtEnd over([&] {
    {
      const std::lock_guard lock(mutex_);
      if (is_awaited(use)) --awaited_;
      if (!running.outcome) running.outcome = Error{ErrorCode::kUnavailable, "broken off", {}};
      running_.erase(key);
    }
    finished_.notify_all();
  });
  Result<Vector> outcome = inner_->embed(text, use, deadline);
  const std::lock_guard lock(mutex_);
  if (outcome.ok()) keep(key, *outcome);
  running.outcome = outcome;
  return outcome;
}

Result<Vector> CachedEmbedder::embed(std::string_view text, EmbedUse use, const Deadline& deadline) {
  const Key key = key_of(text, use);
  std::unique_lock lock(mutex_);
  if (!is_awaited(use)) finished_.wait_for(lock, deadline.cancel(), kStepBack, [this] { return awaited_ == 0; });
  for (;;) {
    if (const auto found = index_.find(key); found != index_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return found->second->second;
    }
    const auto under_way = running_.find(key);
    if (under_way == running_.end()) break;
    const std::shared_ptr<Running> other = under_way->second;
    const auto is_done = [&] { return other->outcome.has_value(); };
    const bool done = deadline.until() ? finished_.wait_until(lock, deadline.cancel(), *deadline.until(), is_done)
                                       : finished_.wait(lock, deadline.cancel(), is_done);
    if (!done) return deadline_error(deadline, "the vector of a text");
    if (other->outcome->ok() || !ran_out_of_time(other->outcome->error())) return *other->outcome;
  }
  const auto running = std::make_shared<Running>();
  running_.emplace(key, running);
  if (is_awaited(use)) ++awaited_;
  lock.unlock();
  return compute(key, text, use, deadline, *running);
}

void CachedEmbedder::clear_cache() {
  const std::lock_guard lock(mutex_);
  index_.clear();
  order_.clear();
}

BackgroundEmbedder::BackgroundEmbedder(std::string name, EmbedderFactory factory, std::chrono::milliseconds retry_every)
    : shared_(std::make_shared<Shared>(std::move(name))) {
  const Status begun =
      start_thread(loader_, "loading " + shared_->name,
                   [shared = shared_, open = std::move(factory), retry_every](const std::stop_token& stop) {
                     const AtEnd over([&] {
                       const std::lock_guard lock(shared->mutex);
                       shared->ended = true;
                       shared->changed.notify_all();
                     });
                     shared->load(stop, open, retry_every);
                   });
  if (begun.ok()) return;
  log_error("embedding.failed", begun.error().message);
  const std::lock_guard lock(shared_->mutex);
  shared_->failure = begun.error();
  shared_->over = true;
}

BackgroundEmbedder::~BackgroundEmbedder() {
  if (!loader_.joinable() || !LeftThreads::allowed) return;  // the jthread stops and joins
  loader_.request_stop();
  std::unique_lock lock(shared_->mutex);
  if (shared_->changed.wait_for(lock, kGiveUp, [this] { return shared_->ended; })) return;
  ++LeftThreads::count;
  loader_.detach();
}

void BackgroundEmbedder::Shared::load(const std::stop_token& stop, const EmbedderFactory& factory,
                                      std::chrono::milliseconds retry_every) {
  {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, kUnasked, [this] { return wanted; });
  }
  while (!stop.stop_requested()) {
    const Stopwatch time;
    Result<std::unique_ptr<Embedder>> opened = guarded("loading", factory);
    std::unique_lock lock(mutex);
    if (opened.ok()) {
      inner = std::move(opened).value();
      failure.reset();
      over = true;
      log_info("embedding.ready", name + " after " + std::to_string(static_cast<std::int64_t>(time.ms())) + " ms");
    } else {
      if (stop.stop_requested()) return;  // it was given up, and nobody is there to be told
      failure = opened.error();
      over = failure->code != ErrorCode::kUnavailable && failure->code != ErrorCode::kTimeout;
      log_warning("embedding.failed", name + ": " + failure->message);
    }
    changed.notify_all();
    if (over) return;
    changed.wait_for(lock, stop, retry_every, [] { return false; });
  }
}

Embedder* BackgroundEmbedder::inner() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->inner.get();
}

void BackgroundEmbedder::Shared::want() {
  if (wanted) return;
  wanted = true;
  changed.notify_all();
}

std::size_t BackgroundEmbedder::dimensions() const {
  const Embedder* embedder = inner();
  return embedder == nullptr ? 0 : embedder->dimensions();
}

std::string BackgroundEmbedder::prefix(EmbedUse use) const {
  const Embedder* embedder = inner();
  return embedder == nullptr ? std::string() : embedder->prefix(use);
}

Result<Vector> BackgroundEmbedder::embed(std::string_view text, EmbedUse use, const Deadline& deadline) {
  Embedder* embedder = inner();
  if (embedder != nullptr) return embedder->embed(text, use, deadline);
  const std::lock_guard lock(shared_->mutex);
  shared_->want();
  if (shared_->failure)
    return unavailable("the embedding model " + shared_->name + " is not there: " + shared_->failure->message,
                       shared_->failure->hint);
  return unavailable("the embedding model " + shared_->name + " is still loading", "ask again in a moment");
}

std::int64_t BackgroundEmbedder::count_tokens(std::string_view text) const {
  const Embedder* embedder = inner();
  return embedder == nullptr ? -1 : embedder->count_tokens(text);
}

Status BackgroundEmbedder::wait_ready(const Deadline& deadline) const {
  std::unique_lock lock(shared_->mutex);
  shared_->want();
  const auto is_over = [this] { return shared_->over; };
  const bool done = deadline.until() ? shared_->changed.wait_until(lock, deadline.cancel(), *deadline.until(), is_over)
                                     : shared_->changed.wait(lock, deadline.cancel(), is_over);
  if (!done) return deadline_error(deadline, "the embedding model " + shared_->name);
  if (shared_->inner == nullptr) return *shared_->failure;
  return {};
}

std::string BackgroundEmbedder::state() const {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->inner != nullptr) return "ready";
  if (!shared_->failure) return "loading";
  return (shared_->over ? "failed: " : "waiting to try again: ") + shared_->failure->message;
}

namespace {

// Of an embedder nobody has measured: cosines of unrelated texts near 0 and of one topic above 0.2 are what most give.
constexpr double kGuessedSlope = 5;
constexpr double kGuessedMiddle = 0.12;

// The calibrations that ship, by the model's family: embedders whose name holds it.
constexpr std::string_view kShipped = "similarity/";

}  // namespace

Similarity::Similarity(std::string embedder, Vector english_mean, Vector chinese_mean, double slope, double middle)
    : embedder_(std::move(embedder)),
      means_{std::move(english_mean), std::move(chinese_mean)},
      slope_(slope),
      middle_(middle),
      fitted_(true) {}

Similarity Similarity::raw() {
  Similarity similarity;
  similarity.raw_ = true;
  return similarity;
}

Similarity Similarity::for_embedder(std::string_view name) {
  const std::string wanted = lowered(name);
  for (const ShippedWeights& file : std::span(shipped_weights_list, shipped_weights_count)) {
    if (!file.id.starts_with(kShipped) || wanted.find(file.id.substr(kShipped.size())) == std::string::npos) continue;
    auto fitted = parse(file.source);
    if (!fitted.ok()) throw std::logic_error("weights/" + std::string(file.id) + ".json: " + fitted.error().message);
    fitted->embedder_ = name;
    return std::move(*fitted);
  }
  log_warning("similarity.unknown", "no calibration for the embedder \"" + std::string(name) +
                                        "\": similarities are a guess; tools/fit/similarity.py fits one");
  Similarity guess(std::string(name), {}, {}, kGuessedSlope, kGuessedMiddle);
  guess.fitted_ = false;
  return guess;
}

Result<Similarity> Similarity::parse(std::string_view json) {
  WEFT_TRY(const nlohmann::json value, read_json(json, JsonLimits{}, "calibration"));
  try {
    Similarity similarity(value.at("embedder").get<std::string>(), value.at("english_mean").get<Vector>(),
                          value.at("chinese_mean").get<Vector>(), value.at("slope").get<double>(),
                          value.at("middle").get<double>());
    const bool sound = std::isfinite(similarity.slope_) && similarity.slope_ > 0 && std::isfinite(similarity.middle_);
    if (!sound)
      return invalid_argument("calibration: the slope must be positive", "fit it again with tools/fit/similarity.py");
    return similarity;
  } catch (const nlohmann::json::exception& error) {
    return invalid_argument(std::string("calibration: ") + error.what(), "fit it again with tools/fit/similarity.py");
  }
}

Vector Similarity::centre(std::span<const float> vector, Language language) const {
  Vector centred(vector.begin(), vector.end());
  const auto& mean = means_[static_cast<std::size_t>(language)];
  if (raw_ || mean.size() != centred.size()) return centred;
  double norm = 0;
  for (std::size_t i = 0; i < centred.size(); ++i) {
    centred[i] -= mean[i];
    norm += static_cast<double>(centred[i]) * centred[i];
  }
  if (norm <= 0) return centred;
  const auto factor = static_cast<float>(1 / std::sqrt(norm));
  for (float& value : centred) value *= factor;
  return centred;
}

double Similarity::scale(double cosine) const {
  return raw_ ? cosine : 1 / (1 + std::exp(-slope_ * (cosine - middle_)));
}

double Similarity::between(std::span<const float> a, Language a_language, std::span<const float> b,
                           Language b_language) const {
  const Vector x = centre(a, a_language);
  const Vector y = centre(b, b_language);
  if (x.size() != y.size()) return 0;
  return scale(cosine(x, y));
}

}  // namespace weft
