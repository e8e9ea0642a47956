#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>
#include <string>

#include "surface/http/answer.h"
#include "surface/http/client_stream.h"
#include "surface/http/outbox.h"
#include "surface/http/server_state.h"

namespace weft::http {

/// One client's socket: reads a request, has it answered by a worker, sends the answer, and begins again. Everything
/// but the public functions runs on the strand of its socket. While a request is being answered the socket is read on,
/// to see at once when the client leaves; what a client sends ahead is kept for the next request, within a limit.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<ServerState> server, boost::asio::ip::tcp::socket socket);
  ~Connection();

  void start();

  /// Instead of `start`: says that there is no place, and ends.
  void turn_away();

  /// Ends the connection if it still has to make room for another. From any thread.
  void make_room();

  /// Ends the connection now if it waits for a request, else after the answer. From any thread.
  void drain();

  /// Ends the connection now; who answers is told that the client is gone. From any thread.
  void kill();

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using ErrorCode = boost::beast::error_code;

  void wait_for_request();
  void read_head();
  void on_head(const ErrorCode& error);
  bool admit();
  void send_continue();
  void read_body();
  void refuse_read(const ErrorCode& error);
  void refuse(const Refusal& refusal);

  void answer(Request request);
  void watch_client();
  void on_watched(const ErrorCode& error, std::size_t bytes);

  void pump();
  void write_some();
  void on_written(const ErrorCode& error, std::size_t bytes);
  void answered(Outbox::End end);
  void linger();
  void close();
  void drop();

  std::shared_ptr<ServerState> server_;
  ClientStream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Request head_;  // as it was admitted
  std::chrono::steady_clock::time_point read_until_;  // for the whole of a request
  std::shared_ptr<Outbox> outbox_;
  std::string writing_;
  std::size_t written_ = 0;
  std::size_t discarded_ = 0;
  std::shared_ptr<Connection> held_;  // itself, while a request is answered and no read or write may be under way
  bool keep_alive_ = true;
  bool busy_ = false;      // a request is being answered
  bool watching_ = false;  // a read is under way while answering
  bool resume_ = false;    // the answer is out, the next request waits for that read to end
  bool refusing_ = false;  // the rest of the request is not wanted
  bool secured_ = false;   // the TLS handshake is done
  bool closed_ = false;
};

}  // namespace weft::http
