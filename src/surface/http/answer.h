#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "surface/http/exchange.h"
#include "surface/http/outbox.h"
#include "surface/http/worker_pool.h"

namespace weft::http {

/// What the connection knows about the request that is being answered.
struct AnswerTerms {
  bool head_only = false;   ///< HEAD: no body is sent
  bool chunked = true;      ///< HTTP/1.1; else a streamed answer ends with the connection
  bool keep_alive = true;
};

/// Writes an answer as HTTP/1.1 into an outbox.
class Answer final : public ResponseWriter {
 public:
  /// `wake` is called when the socket's side has something to do. `pool` may be null.
  Answer(std::shared_ptr<Outbox> outbox, AnswerTerms terms, std::function<void()> wake, WorkerPool* pool)
      : outbox_(std::move(outbox)), terms_(terms), wake_(std::move(wake)), pool_(pool) {}

  void header(std::string_view name, std::string_view value) override;
  void send(int status, std::string_view content_type, std::string_view body) override;
  bool begin(int status, std::string_view content_type) override;
  bool write(std::string_view bytes) override;
  void end() override;
  bool started() const override { return started_; }
  std::stop_token cancel() const override { return outbox_->token(); }
  void while_waiting(const std::function<void()>& wait) override;

  /// Ends what the handler left open: a 500 where nothing was sent, a broken-off answer where it was not ended.
  void finish(std::string_view error_body);

 private:
  std::string head(int status, std::string_view content_type) const;
  bool put(std::string_view bytes);
  void close(Outbox::End end);

  std::shared_ptr<Outbox> outbox_;
  AnswerTerms terms_;
  std::function<void()> wake_;
  WorkerPool* pool_;
  std::string extra_;
  bool started_ = false, ended_ = false, waiting_ = false;
};

}  // namespace weft::http
