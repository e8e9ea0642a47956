#include "surface/http/connection.h"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/call_context.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "surface/http/answer.h"
#include "surface/http/exchange.h"

namespace weft::http {
namespace {

namespace ssl = boost::asio::ssl;
constexpr std::chrono::seconds kLookEvery{10};

Error unusable(std::string_view what, const std::string& file, const boost::system::error_code& error) {
  return invalid_argument("the " + std::string(what) + " in " + file + " cannot be used: " + error.message(),
                          "server.tls_certificate and server.tls_key name PEM files that belong together");
}

}  // namespace

Result<std::unique_ptr<TlsContext>> TlsContext::load(std::string certificate, std::string key) {
  std::unique_ptr<TlsContext> made(new TlsContext(std::move(certificate), std::move(key)));
  made->stamp_ = made->stamp();
  made->looked_ = std::chrono::steady_clock::now();
  WEFT_TRY(made->context_, made->read());
  return made;
}

Result<std::shared_ptr<ssl::context>> TlsContext::read() const {
  auto made = std::make_shared<ssl::context>(ssl::context::tls_server);
  boost::system::error_code error;
  made->set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 |
                        ssl::context::no_compression,
                    error);
  made->use_certificate_chain_file(certificate_, error);
  if (error) return unusable("certificate", certificate_, error);
  made->use_private_key_file(key_, ssl::context::pem, error);
  if (error) return unusable("key", key_, error);
  return made;
}

TlsContext::Stamp TlsContext::stamp() const {
  std::error_code ignored;
  return {std::filesystem::last_write_time(certificate_, ignored), std::filesystem::last_write_time(key_, ignored)};
}

std::shared_ptr<ssl::context> TlsContext::current() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kLookEvery) return context_;
  looked_ = now;
  const Stamp changed = stamp();
  if (changed == stamp_) return context_;
  // One of the two files may still be the old one: then it is tried again when the other has changed, too.
  stamp_ = changed;
  auto renewed = read();
  if (renewed.ok())
    context_ = std::move(renewed).value();
  else
    log_error("tls", renewed.error().message + "; the certificate of before is shown on");
  return context_;
}

namespace {

bool is_name_char(char c) {
  return is_digit(c) || is_letter(c) || std::string_view("-._~%!$&'()*+,;=").find(c) != std::string_view::npos;
}

bool is_address_char(char c) {
  return is_digit(c) || is_letter(c) || std::string_view(":.%-_~").find(c) != std::string_view::npos;
}

bool is_port(std::string_view text) {
  constexpr std::size_t kMostDigits = 5;
  return text.size() <= kMostDigits && std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c); });
}

bool is_host(std::string_view value) {
  std::string_view host = value, rest;
  const bool in_brackets = value.starts_with('[');
  const auto end = in_brackets ? value.find(']') : value.find(':');
  if (in_brackets) {
    if (end == std::string_view::npos) return false;
    host = value.substr(1, end - 1);
    rest = value.substr(end + 1);
  } else if (end != std::string_view::npos) {
    host = value.substr(0, end);
    rest = value.substr(end);
  }
  if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return false;
  return !host.empty() && std::all_of(host.begin(), host.end(), in_brackets ? is_address_char : is_name_char);
}

Refusal bad_host(const char* what) {
  return {400, invalid_argument(what, "send one header Host: NAME or NAME:PORT, as in the address that is asked")};
}

/// 400 for a request whose Host header is missing though it is `needed`, stands there twice, or is no host with a port
/// or without.
std::optional<Refusal> check_host(const Request& head, bool needed) {
  const auto is_it = [](const auto& header) { return header.first == "host"; };
  const auto count = std::count_if(head.headers.begin(), head.headers.end(), is_it);
  if (count > 1) return bad_host("the header Host stands there more than once");
  if (count == 0) return needed ? std::optional(bad_host("the header Host is missing")) : std::nullopt;
  if (!is_host(head.header("host"))) return bad_host("the header Host names no host");
  return std::nullopt;
}

}  // namespace

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bh = boost::beast::http;

namespace {

constexpr std::size_t kReadAhead = 64 * 1024, kReadAtOnce = 4096;
constexpr std::size_t kMostDiscarded = 64 * 1024 * 1024;
constexpr std::chrono::seconds kLinger(5);

// A handler may be at work when its connection is no more.
StreamHost stream_host(ServerState& server, const std::weak_ptr<Connection>& connection) {
  return {[&server, connection]() -> std::optional<Refusal> {
            const auto alive = connection.lock();
            return alive ? server.places.listen(alive.get()) : std::nullopt;
          },
          [connection] {
            if (const auto alive = connection.lock()) alive->kill();
          },
          server.listeners.get()};
}

// Lets the handler answer; where it throws the client is told.
void handle(const Handler& handler, Request& request, const Outbox& outbox, Answer& out) {
  const CallScope call(CallContext{.request = request.id});
  out.header("X-Request-Id", request.id);
  bool failed = false;
  try {
    if (!outbox.given_up()) handler(request, out);
  } catch (const std::exception& failure) {
    failed = true;
    log_error("http.handler", request.method + " " + request.path + ": " + failure.what());
  }
  const auto error = internal("the request could not be answered");
  out.finish(speaks_openai(request.path) ? openai_error_json(500, error) : error_json(error), failed);
}

// The client's own where it names one that can be told.
std::string id_of(const Request& head) {
  const auto given = head.header("x-request-id");
  return is_request_id(given) ? std::string(given) : new_request_id();
}

}  // namespace

Connection::Connection(std::shared_ptr<ServerState> server, asio::ip::tcp::socket socket)
    : server_(std::move(server)),
      stream_(std::move(socket), server_->tls ? server_->tls->current() : nullptr),
      buffer_(server_->options.max_header_bytes + kReadAhead) {}

Connection::~Connection() { server_->leave(this); }

void Connection::start() {
  ErrorCode ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  asio::dispatch(stream_.get_executor(), [self = shared_from_this()] {
    if (!self->stream_.encrypted()) return self->read_head();
    self->stream_.expires_after(self->server_->options.header_timeout);
    self->stream_.async_handshake([self](const ErrorCode& error) {
      if (error) return self->close();
      self->secured_ = true;
      self->read_head();
    });
  });
}

void Connection::turn_away() {
  asio::dispatch(stream_.get_executor(), [self = shared_from_this()] {
    // Nothing can be said before a handshake, which is more work than there is room for.
    if (self->stream_.encrypted()) return self->close();
    self->refuse(no_place());
  });
}

void Connection::make_room() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    if (self->server_->places.has_to_leave(self.get())) self->close();
  });
}

void Connection::drain() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->keep_alive_ = false;
    if (!self->busy_ && !self->refusing_) self->close();
  });
}

void Connection::kill() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] { self->close(); });
}

// ---- reading ----

// A connection may be silent between two requests for longer than within one.
void Connection::wait_for_request() {
  if (server_->draining) return close();
  if (buffer_.size() > 0) return read_head();
  stream_.expires_after(server_->options.keep_alive);
  stream_.async_read_some(buffer_.prepare(kReadAtOnce),
                          [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                            if (error) return self->close();
                            self->buffer_.commit(bytes);
                            self->read_head();
                          });
}

void Connection::read_head() {
  if (server_->draining) return close();
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(server_->options.max_header_bytes));
  parser_->body_limit(server_->options.max_body_bytes);
  stream_.expires_after(server_->options.header_timeout);
  bh::async_read_header(stream_, buffer_, *parser_,
                        [self = shared_from_this()](const ErrorCode& error, std::size_t) { self->on_head(error); });
}

void Connection::on_head(const ErrorCode& error) {
  if (error) return refuse_read(error);
  keep_alive_ = parser_->get().keep_alive() && !server_->draining;
  const auto length = parser_->content_length();
  if (length && *length > server_->options.max_body_bytes) return refuse_read(bh::error::body_limit);
  read_until_ = std::chrono::steady_clock::now() + server_->options.request_timeout;
  if (!admit()) return;
  if (beast::iequals(parser_->get()[bh::field::expect], "100-continue")) return send_continue();
  read_body();
}

bool Connection::admit() {
  head_ = request_of(parser_->get());
  head_.id = id_of(head_);
  ErrorCode unknown;
  const auto client = stream_.socket().remote_endpoint(unknown);
  if (!unknown) head_.client = client.address().to_string();
  head_.caller = "from " + head_.client;
  auto refusal = check_host(head_, parser_->get().version() >= 11);
  if (!refusal && server_->options.admit) refusal = server_->options.admit(head_);
  if (!refusal) {
    const bool administrator = !head_.access.name.empty() && head_.access.right == Right::kAdmin;
    auto seat = server_->places.serve(this, {head_.caller, head_.vital, administrator});
    if (seat.once) keep_alive_ = false;
    refusal = std::move(seat.refusal);
  }
  if (refusal) refuse(*refusal);
  return !refusal;
}

void Connection::send_continue() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(stream_, asio::buffer(kContinue), [self = shared_from_this()](const ErrorCode& error, std::size_t) {
    if (error) return self->close();
    self->read_body();
  });
}

void Connection::read_body() {
  if (parser_->is_done()) {
    auto request = std::move(head_);
    request.body = std::move(parser_->get().body());
    return answer(std::move(request));
  }
  parser_->eager(true);
  // Anew for each piece: a slow client is not a dead one, until it has had its time.
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(read_until_ - std::chrono::steady_clock::now());
  stream_.expires_after(std::clamp(left, std::chrono::milliseconds(1), server_->options.read_timeout));
  bh::async_read_some(stream_, buffer_, *parser_, [self = shared_from_this()](const ErrorCode& error, std::size_t) {
    if (error) return self->refuse_read(error);
    self->read_body();
  });
}

void Connection::refuse_read(const ErrorCode& error) {
  if (error == bh::error::body_limit) {
    return refuse(
        {413,
         too_large("the request's body is larger than " + std::to_string(server_->options.max_body_bytes) + " bytes",
                   "send less, or raise server.max_body_bytes"),
         {},
         "too_large"});
  }
  if (error == bh::error::header_limit || error == bh::error::buffer_overflow) {
    return refuse({431, too_large("the request's headers are too large"), {}, "headers_too_large"});
  }
  if (error == beast::error::timeout) {
    return close();  // the stream has closed the socket; nothing can be said any more
  }
  if (error.category() == make_error_code(bh::error::bad_method).category() && error != bh::error::end_of_stream &&
      error != bh::error::partial_message) {
    return refuse({400, invalid_argument("this is not an HTTP request: " + error.message()), {}, "malformed"});
  }
  close();
}

/// Answers without having read the whole request, and ends the connection.
void Connection::refuse(const Refusal& refusal) {
  auto request = parser_ ? request_of(parser_->get()) : Request();
  request.id = head_.id.empty() ? id_of(request) : head_.id;
  request.access = head_.access;
  const CallScope call(CallContext{.request = request.id});
  keep_alive_ = false;
  refusing_ = busy_ = true;
  outbox_ = std::make_shared<Outbox>(server_->options.max_unsent_bytes);
  Answer answer(outbox_, {.head_only = request.method == "HEAD", .keep_alive = false}, [] {}, nullptr);
  for (const auto& [name, value] : refusal.headers) answer.header(name, value);
  answer.header("X-Request-Id", request.id);
  const std::string body =
      speaks_openai(request.path) ? openai_error_json(refusal.status, refusal.error) : error_json(refusal.error);
  answer.send(refusal.status, "application/json", body);
  if (server_->options.refused) server_->options.refused(request, refusal, body.size());
  pump();
}

// ---- answering ----

void Connection::answer(Request request) {
  busy_ = true;
  held_ = shared_from_this();
  outbox_ = std::make_shared<Outbox>(server_->options.max_unsent_bytes);
  const bool modern = parser_->get().version() >= 11;
  if (!modern) keep_alive_ = false;
  const AnswerTerms terms{.head_only = request.method == "HEAD", .chunked = modern, .keep_alive = keep_alive_};
  parser_.reset();
  watch_client();
  // It may be kept longer than the server lives, and must not hold what belongs to it.
  auto wake = [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    asio::post(self->stream_.get_executor(), [weak] {
      if (const auto alive = weak.lock()) alive->pump();
    });
  };
  const WorkerPool::Whose whose{request.caller, request.vital};
  auto work = [server = server_, outbox = outbox_, terms, wake, host = stream_host(*server_, weak_from_this()),
               request = std::move(request)]() mutable {
    // Without memory for an error the connection ends: its client must not wait for an answer that never comes.
    const auto handled = guarded_or_logged("http.handler", [&] {
      Answer out(outbox, terms, wake, server->pool.get(), std::move(host));
      handle(server->handler, request, *outbox, out);
    });
    if (!handled && outbox->close(Outbox::End::kAborted)) wake();
  };
  if (!guarded_or_logged("http.submit", [&] { server_->pool->submit(std::move(work), whose); })) close();
}

void Connection::watch_client() {
  const auto room = std::min(kReadAhead, buffer_.max_size() - buffer_.size());
  if (watching_ || room == 0 || buffer_.size() >= kReadAhead) return;
  watching_ = true;
  stream_.expires_never();
  stream_.async_read_some(
      buffer_.prepare(std::min(room, kReadAtOnce)),
      [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) { self->on_watched(error, bytes); });
}

void Connection::on_watched(const ErrorCode& error, std::size_t bytes) {
  watching_ = false;
  buffer_.commit(bytes);
  if (error && error != asio::error::operation_aborted) return close();
  if (closed_) return;
  if (resume_) {
    resume_ = false;
    return wait_for_request();
  }
  if (!error) watch_client();
}

// ---- writing ----

void Connection::pump() {
  if (closed_ || !busy_ || written_ < writing_.size()) return;
  written_ = 0;
  if (outbox_->take(writing_)) return write_some();
  const auto end = outbox_->ended();
  if (end != Outbox::End::kOpen) answered(end);
}

void Connection::write_some() {
  stream_.expires_after(server_->options.write_timeout);
  stream_.async_write_some(
      asio::buffer(writing_.data() + written_, writing_.size() - written_),
      [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) { self->on_written(error, bytes); });
}

void Connection::on_written(const ErrorCode& error, std::size_t bytes) {
  if (error) return close();
  written_ += bytes;
  if (written_ < writing_.size()) return write_some();
  pump();
}

void Connection::answered(Outbox::End end) {
  const auto self = std::move(held_);
  busy_ = false;
  outbox_.reset();
  writing_ = {};
  written_ = 0;
  server_->places.rest(this);
  if (refusing_) return linger();
  if (end == Outbox::End::kAborted || !keep_alive_ || server_->draining) return close();
  if (!watching_) return wait_for_request();
  resume_ = true;
  stream_.cancel();
}

/// The client may still be sending what was refused. Closing now would reset the connection, and the answer could be
/// lost before it is read: take and drop the rest for a while.
void Connection::linger() {
  ErrorCode ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  buffer_.consume(buffer_.size());
  if (discarded_ == 0) stream_.expires_after(kLinger);
  stream_.async_read_some(buffer_.prepare(kReadAhead),
                          [self = shared_from_this()](const ErrorCode& error, std::size_t n) {
                            self->discarded_ += n;
                            if (error || self->closed_ || self->discarded_ > kMostDiscarded) return self->close();
                            self->linger();
                          });
}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  const auto self = std::move(held_);
  if (outbox_) outbox_->give_up();
  if (!secured_) return drop();
  // Without a word of farewell the client could not tell the end of an answer from a broken line.
  stream_.expires_after(kLinger);
  stream_.async_shutdown([self = shared_from_this()](const ErrorCode&) { self->drop(); });
}

void Connection::drop() {
  ErrorCode ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  stream_.close();
}

}  // namespace weft::http
