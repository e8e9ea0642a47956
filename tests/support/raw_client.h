#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/// A client on a bare socket of this machine, for saying what no decent client would say. Reading gives up after ten
/// seconds. For one thread.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// False when the server has closed.
  bool send(std::string_view bytes);

  /// Reads until `mark` has come, and gives everything up to and with it; what came before the end if it never comes.
  std::string read_until(std::string_view mark);

  /// Reads until the server closes.
  std::string read_all();

  /// Reads one whole answer (with a content length, or chunked, then joined).
  struct Answer {
    int status = 0;
    std::string head, body;
  };
  Answer read_answer();

  void close();

 private:
  bool fill();

  int socket_ = -1;
  std::string buffer_;
};

/// "METHOD path HTTP/1.1" with Host, the given header lines (each with its line end) and a body.
std::string raw_request(std::string_view method, std::string_view path, std::string_view body = {},
                        std::string_view header_lines = {});

}  // namespace weft
