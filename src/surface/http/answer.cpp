#include "surface/http/answer.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/status.hpp>
#include <cstdint>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/log.h"
#include "base/threads.h"
#include "surface/http/errors.h"

namespace weft::http {
namespace {

bool is_name_char(char c) {
  return is_digit(c) || is_letter(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_value_char(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }

bool equals_folded(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return to_lower(x) == y; });
}

bool is_ours(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kOurs = {"content-length", "transfer-encoding", "connection",
                                                            "content-type"};
  return std::any_of(kOurs.begin(), kOurs.end(), [&](std::string_view own) { return equals_folded(name, own); });
}

std::string reason(int status) {
  const auto text = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  return {text.data(), text.size()};
}

}  // namespace

void Answer::header(std::string_view name, std::string_view value) {
  const bool fits = !name.empty() && std::all_of(name.begin(), name.end(), is_name_char) &&
                    std::all_of(value.begin(), value.end(), is_value_char);
  if (fits && !is_ours(name)) extra_ += fmt::format("{}: {}\r\n", name, value);
}

std::string Answer::head(int status, std::string_view content_type) const {
  auto out = fmt::format("HTTP/1.1 {} {}\r\n", status, reason(status));
  if (!content_type.empty() && std::all_of(content_type.begin(), content_type.end(), is_value_char)) {
    out += fmt::format("Content-Type: {}\r\n", content_type);
  }
  out += extra_;
  out += terms_.keep_alive ? "Connection: keep-alive\r\n" : "Connection: close\r\n";
  return out;
}

void Answer::send(int status, std::string_view content_type, std::string_view body) {
  if (started_) return;
  started_ = ended_ = true;
  auto text = head(status, content_type);
  const bool bodiless = status == 204 || status == 304;
  if (!bodiless) text += fmt::format("Content-Length: {}\r\n", body.size());
  text += "\r\n";
  if (!terms_.head_only && !bodiless) text += body;
  put(text);
  close(Outbox::End::kDone);
}

bool Answer::begin(int status, std::string_view content_type) {
  if (started_) return false;
  started_ = true;
  auto text = head(status, content_type);
  if (terms_.chunked) text += "Transfer-Encoding: chunked\r\n";
  return put(text + "\r\n");
}

bool Answer::write(std::string_view bytes) {
  if (!started_ || ended_) return false;
  if (bytes.empty() || terms_.head_only) return !client_gone();
  if (!outbox_->has_room()) {
    while_waiting([this] { outbox_->wait_for_room(); });
  }
  return put(terms_.chunked ? fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes) : std::string(bytes));
}

void Answer::end() {
  if (!started_ || ended_) return;
  ended_ = true;
  if (terms_.chunked && !terms_.head_only) put("0\r\n\r\n");
  close(Outbox::End::kDone);
}

std::shared_ptr<OpenStream> Answer::stay_open(Listening how) {
  if (started_ || host_.listeners == nullptr) return nullptr;
  if (const auto refusal = host_.take_place()) {
    for (const auto& [name, value] : refusal->headers) header(name, value);
    send(refusal->status, "application/json", error_json(refusal->error));
    return nullptr;
  }
  if (const Status ready = host_.listeners->prepare(); !ready.ok()) {
    log_error("http.listener", ready.error().message);
    send(status_of(ready.error().code), "application/json", error_json(ready.error()));
    return nullptr;
  }
  begin(200, how.content_type);
  stays_ = true;
  auto stream = host_.listeners->add({outbox_, terms_.chunked && !terms_.head_only, wake_, host_.cut}, std::move(how));
  if (terms_.head_only) stream->end();
  return stream;
}

void Answer::while_waiting(const std::function<void()>& wait) {
  if (pool_ == nullptr || waiting_) return wait();  // a write within a wait gives up its place only once
  const AtEnd over([this] { waiting_ = false; });
  waiting_ = true;
  pool_->while_waiting(wait);
}

void Answer::finish(std::string_view error_body, bool failed) {
  if (stays_ && !failed) return;
  if (!started_) send(500, "application/json", error_body);
  if (!ended_) close(Outbox::End::kAborted);
  ended_ = true;
}

bool Answer::put(std::string_view bytes) {
  if (client_gone()) return false;
  if (outbox_->put(bytes)) wake_();
  return true;
}

void Answer::close(Outbox::End end) {
  if (outbox_->close(end)) wake_();
}

}  // namespace weft::http
