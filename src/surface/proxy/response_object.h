#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace weft::proxy {

/// What an answer in the form of the Responses API repeats of its call.
struct ResponseTerms {
  std::string id;    ///< of the response
  std::string body;  ///< of the call; valid JSON
};

/// An id for a response that nothing else has: "resp_" and 32 hexadecimal digits.
std::string fresh_response_id();

/// A response of OpenAI's Responses API while it is made from an answer of chat completions: the object that stands in
/// whole answers and, as far as it has come, in events. For one thread.
class ResponseObject {
 public:
  /// `created`: seconds since 1970.
  ResponseObject(const ResponseTerms& terms, std::int64_t created);
  ~ResponseObject();

  /// Items of the kinds that a chat completion has; each gets an id of its own, by its place.
  nlohmann::ordered_json thought_item(std::size_t place, std::string_view text) const;
  nlohmann::ordered_json text_item(std::size_t place, std::string_view text, std::string_view refusal) const;
  nlohmann::ordered_json call_item(std::size_t place, std::string_view call_id, std::string_view name,
                                   std::string_view arguments) const;

  void set_model(const std::string& model);
  /// The counts of a chat completion ("usage").
  void set_usage(const nlohmann::ordered_json& usage);
  /// How a chat completion ended ("finish_reason"): as a response it is complete, or not, and says why.
  void set_end(const std::string& finish_reason);
  void fail(std::string_view code, std::string_view message);

  /// The object with these items; `running`: in progress, whatever has been said of its end.
  nlohmann::ordered_json with(const nlohmann::ordered_json& output, bool running = false) const;

  /// "completed", "incomplete" or "failed".
  const std::string& status() const { return status_; }

 private:
  struct Body;

  std::string id_, model_, status_ = "completed", why_, error_code_, error_;
  std::int64_t created_, input_ = 0, cached_ = 0, output_ = 0, thought_ = 0;
  bool counted_ = false;
  std::unique_ptr<Body> body_;
};

}  // namespace weft::proxy
