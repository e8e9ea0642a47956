#pragma once

#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "weft/result.h"

namespace weft::http {

/// The certificate that a server shows, from PEM files. Changed files are taken up within some seconds, so that a
/// renewed certificate needs no restart; ones that cannot be used leave the old in place and are logged. TLS 1.2 at
/// least. Safe from many threads.
class TlsContext {
 public:
  /// kInvalidArgument names the file that cannot be used, and why.
  static Result<std::unique_ptr<TlsContext>> load(std::string certificate, std::string key);

  /// For a connection that begins now, which keeps it.
  std::shared_ptr<boost::asio::ssl::context> current();

 private:
  using Stamp = std::pair<std::filesystem::file_time_type, std::filesystem::file_time_type>;
  TlsContext(std::string certificate, std::string key) : certificate_(std::move(certificate)), key_(std::move(key)) {}
  Result<std::shared_ptr<boost::asio::ssl::context>> read() const;
  Stamp stamp() const;

  const std::string certificate_, key_;
  std::mutex mutex_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  Stamp stamp_;
  std::chrono::steady_clock::time_point looked_;
};

}  // namespace weft::http
