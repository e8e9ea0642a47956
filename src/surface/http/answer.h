#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "surface/http/exchange.h"
#include "surface/http/listeners.h"
#include "surface/http/outbox.h"
#include "surface/http/refusal.h"
#include "surface/http/worker_pool.h"

namespace weft::http {

/// What the connection knows about the request that is being answered.
struct AnswerTerms {
  bool head_only = false;   ///< HEAD: no body is sent
  bool chunked = true;      ///< HTTP/1.1; else a streamed answer ends with the connection
  bool keep_alive = true;
};

/// Where answers that stay open go.
struct StreamHost {
  std::function<std::optional<Refusal>()> take_place;  ///< whether there may be one more
  std::function<void()> cut;                           ///< ends the connection now
  Listeners* listeners = nullptr;
};

/// Writes an answer as HTTP/1.1 into an outbox.
class Answer final : public ResponseWriter {
 public:
  /// `wake` is called when the socket's side has something to do. `pool` may be null. Without a `host` no answer stays
  /// open.
  Answer(std::shared_ptr<Outbox> outbox, AnswerTerms terms, std::function<void()> wake, WorkerPool* pool,
         StreamHost host = {})
      : outbox_(std::move(outbox)), terms_(terms), wake_(std::move(wake)), pool_(pool), host_(std::move(host)) {}

  void header(std::string_view name, std::string_view value) override;
  void send(int status, std::string_view content_type, std::string_view body) override;
  bool begin(int status, std::string_view content_type) override;
  bool write(std::string_view bytes) override;
  void end() override;
  std::shared_ptr<OpenStream> stay_open(Listening how) override;
  bool started() const override { return started_; }
  std::stop_token cancel() const override { return outbox_->token(); }
  void while_waiting(const std::function<void()>& wait) override;

  /// Ends what the handler left open: a 500 where nothing was sent, a broken-off answer where it was not ended. One
  /// that stays open goes on, unless the handler `failed`.
  void finish(std::string_view error_body, bool failed);

 private:
  std::string head(int status, std::string_view content_type) const;
  bool put(std::string_view bytes);
  void close(Outbox::End end);

  std::shared_ptr<Outbox> outbox_;
  AnswerTerms terms_;
  std::function<void()> wake_;
  WorkerPool* pool_;
  StreamHost host_;
  std::string extra_;
  bool started_ = false, ended_ = false, waiting_ = false, stays_ = false;
};

}  // namespace weft::http
