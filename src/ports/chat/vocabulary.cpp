#include "ports/chat/vocabulary.h"

#include <llama.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "ports/embedding/embedder.h"
#include "ports/llama/llama_engine.h"

namespace weft {
namespace {

struct Family {
  std::string_view part;  // of the model's name, in lower case, without '-', '_', '.' and blanks
  std::string_view vocabulary;
};

// The first that matches counts: exceptions stand before the family they belong to.
constexpr std::array kFamilies = {
    Family{"qwen35", ""},
    Family{"qwen3next", ""},
    Family{"qwen", "qwen2"},
    Family{"llama4", ""},
    Family{"llama2", ""},
    Family{"llama3", "llama-bpe"},
    Family{"deepseekllm", "deepseek-llm"},
    Family{"deepseekv2", "deepseek-llm"},
    Family{"phi35moe", ""},
    Family{"phi3small", ""},
    Family{"phi3", "phi-3"},
    Family{"gemma4", "gemma-4"},
    Family{"commandr7b", ""},
    Family{"commandr", "command-r"},
    Family{"gpt2", "gpt-2"},
};

}  // namespace

std::string_view vocabulary_of(std::string_view model_name) {
  std::string name;
  for (const char c : model_name) {
    if (c == '-' || c == '_' || c == '.' || c == ' ') continue;
    name += to_lower(c);
  }
  for (const Family& family : kFamilies) {
    if (name.find(family.part) != std::string::npos) return family.vocabulary;
  }
  return {};
}

struct Vocabulary::State {
  std::string path;
  std::mutex mutex;
  std::condition_variable_any changed;
  llama::Model model;  // set once
  std::optional<Error> failure;
  std::jthread loader;

  // With the mutex held. Without a thread it is tried again the next time that somebody asks.
  void begin() {
    if (loader.joinable()) return;
    failure.reset();
    const Status begun = start_thread(loader, "loading the vocabulary", [this] { load(); });
    if (begun.ok()) return;
    failure = begun.error();
    log_warning("vocabulary.failed", begun.error().message);
  }

  void load() {
    Result<llama::Model> loaded =
        guarded("loading", [this] { return llama::load_model(path, llama::Load::kVocabulary); });
    if (!loaded.ok()) log_warning("vocabulary.failed", loaded.error().message);
    {
      const std::lock_guard lock(mutex);
      if (loaded.ok()) {
        model = std::move(loaded).value();
      } else {
        failure = loaded.error();
      }
    }
    changed.notify_all();
  }
};

Vocabulary::Vocabulary(std::string path) : state_(std::make_unique<State>()) { state_->path = std::move(path); }

Vocabulary::~Vocabulary() = default;

std::int64_t Vocabulary::count(std::string_view text) const {
  const llama_model* model = nullptr;
  {
    const std::lock_guard lock(state_->mutex);
    state_->begin();
    model = state_->model.get();
  }
  if (model == nullptr) return -1;
  return static_cast<std::int64_t>(llama::tokenize(llama_model_get_vocab(model), text, false, false).size());
}

Status Vocabulary::wait_ready(const Deadline& deadline) const {
  std::unique_lock lock(state_->mutex);
  state_->begin();
  const auto is_over = [this] { return state_->model != nullptr || state_->failure.has_value(); };
  const bool done = deadline.until() ? state_->changed.wait_until(lock, deadline.cancel(), *deadline.until(), is_over)
                                     : state_->changed.wait(lock, deadline.cancel(), is_over);
  if (!done) return deadline_error(deadline, "the vocabulary " + state_->path);
  if (state_->failure) return *state_->failure;
  return {};
}

}  // namespace weft
