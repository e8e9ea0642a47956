#include "tests/support/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace weft {

RawClient::RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) close();
}

RawClient::~RawClient() { close(); }

void RawClient::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool RawClient::fill() {
  pollfd waiting{socket_, POLLIN, 0};
  if (socket_ < 0 || ::poll(&waiting, 1, 10000) <= 0) return false;
  char bytes[65536];
  const auto count = ::recv(socket_, bytes, sizeof bytes, 0);
  if (count <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::string RawClient::read_until(std::string_view mark) {
  std::size_t at = 0;
  while ((at = buffer_.find(mark)) == std::string::npos) {
    if (!fill()) return std::exchange(buffer_, {});
  }
  auto out = buffer_.substr(0, at + mark.size());
  buffer_.erase(0, at + mark.size());
  return out;
}

std::string RawClient::read_all() {
  while (fill()) {
  }
  return std::exchange(buffer_, {});
}

RawClient::Answer RawClient::read_answer() {
  Answer out;
  out.head = read_until("\r\n\r\n");
  if (out.head.size() > 12) out.status = std::atoi(out.head.c_str() + 9);
  if (out.head.find("Transfer-Encoding: chunked") != std::string::npos) {
    for (;;) {
      const auto size = std::strtoul(read_until("\r\n").c_str(), nullptr, 16);
      if (size == 0) break;
      while (buffer_.size() < size + 2 && fill()) {
      }
      out.body += buffer_.substr(0, size);
      buffer_.erase(0, size + 2);
    }
    read_until("\r\n");
    return out;
  }
  const auto field = out.head.find("Content-Length: ");
  const auto length = field == std::string::npos ? 0 : std::strtoul(out.head.c_str() + field + 16, nullptr, 10);
  while (buffer_.size() < length && fill()) {
  }
  out.body = buffer_.substr(0, length);
  buffer_.erase(0, out.body.size());
  return out;
}

std::string raw_request(std::string_view method, std::string_view path, std::string_view body,
                        std::string_view header_lines) {
  std::string out(method);
  out.append(" ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\n").append(header_lines);
  if (!body.empty()) out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return out.append("\r\n").append(body);
}

}  // namespace weft
