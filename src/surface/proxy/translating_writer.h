#pragma once

#include <string>
#include <string_view>

#include "ports/net/sse.h"
#include "surface/http/passing_writer.h"

namespace weft::proxy {

/// Takes an answer of POST /v1/chat/completions, whole or streamed, or an error of it, and hands it on in another form:
/// what is derived from it says how a whole answer (`send`) and how the events of a streamed one look there. For one
/// thread.
class TranslatingWriter : public http::PassingWriter {
 public:
  using PassingWriter::PassingWriter;

  bool begin(int status, std::string_view content_type) override;
  bool write(std::string_view bytes) override;
  void end() override;

 protected:
  /// Data of one event of the chat completion.
  virtual void take(std::string_view data) = 0;
  /// The stream has ended, complete or not.
  virtual void finish() = 0;
  /// What is to be sent, which is then forgotten.
  virtual std::string taken() = 0;

 private:
  SseReader reader_;
};

}  // namespace weft::proxy
