#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace weft::http {

/// A client's socket, plain or under TLS, as a stream of Asio's kind: its time limits are those of the socket. One read
/// and one write may be under way; on the socket's strand only.
class ClientStream {
 public:
  using executor_type = boost::beast::tcp_stream::executor_type;
  using ErrorCode = boost::beast::error_code;

  /// With a context the stream speaks TLS, after `async_handshake`.
  ClientStream(boost::asio::ip::tcp::socket socket, std::shared_ptr<boost::asio::ssl::context> tls)
      : tcp_(std::move(socket)), context_(std::move(tls)) {
    if (context_) tls_.emplace(tcp_, *context_);
  }

  executor_type get_executor() { return tcp_.get_executor(); }
  boost::asio::ip::tcp::socket& socket() { return tcp_.socket(); }
  bool encrypted() const { return tls_.has_value(); }

  void expires_after(std::chrono::milliseconds limit) { tcp_.expires_after(limit); }
  void expires_never() { tcp_.expires_never(); }
  void cancel() { tcp_.cancel(); }
  void close() { tcp_.close(); }

  template <class Handler>
  void async_handshake(Handler&& handler) {
    tls_->async_handshake(boost::asio::ssl::stream_base::server, std::forward<Handler>(handler));
  }

  /// Tells the client that nothing more comes.
  template <class Handler>
  void async_shutdown(Handler&& handler) {
    tls_->async_shutdown(std::forward<Handler>(handler));
  }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& into, Handler&& handler) {
    if (tls_)
      tls_->async_read_some(into, std::forward<Handler>(handler));
    else
      tcp_.async_read_some(into, std::forward<Handler>(handler));
  }

  template <class Buffers, class Handler>
  void async_write_some(const Buffers& from, Handler&& handler) {
    if (tls_)
      tls_->async_write_some(from, std::forward<Handler>(handler));
    else
      tcp_.async_write_some(from, std::forward<Handler>(handler));
  }

 private:
  boost::beast::tcp_stream tcp_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  std::optional<boost::asio::ssl::stream<boost::beast::tcp_stream&>> tls_;
};

}  // namespace weft::http
