#include "surface/http/tls_context.h"

#include "base/log.h"

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

}  // namespace weft::http
