#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "base/clock.h"
#include "ports/files/kept_responses.h"
#include "surface/http/exchange.h"
#include "surface/proxy/response_object.h"

namespace weft::proxy {

/// Makes responses while nobody waits for them ("background"): each on a thread of its own, which mostly waits for its
/// model. What becomes of one is kept, and whoever asks for it finds it there; what was being made when the program
/// ended is kept as failed, at its end or, where it was killed, by the next one's start. Safe from any thread.
class ResponsesLater {
 public:
  /// Answers as a chat completion does, to a client that is gone as soon as nobody wants the answer any more.
  using Work = std::function<void(http::ResponseWriter& out)>;

  /// At most `most` are made at once. What is given must outlive it.
  ResponsesLater(KeptResponses& kept, const Clock& clock, std::size_t most);
  ~ResponsesLater();
  ResponsesLater(const ResponsesLater&) = delete;
  ResponsesLater& operator=(const ResponsesLater&) = delete;

  /// Keeps the response of these terms as queued in a scope and a session, and begins with it. Gives it as its client
  /// is told of it.
  Result<KeptResponse> begin(const ResponseTerms& terms, const ScopeKey& scope, const std::string& session, Work work);

  /// Stops one that is being made, if it still is. Gives it as it is kept then.
  Result<KeptResponse> cancel(const KeptResponse& response);

  /// Stops one of which nothing shall be kept any more.
  void drop(const std::string& id);

 private:
  struct Job {
    std::stop_source stop;
    std::jthread thread;
    bool settled = false;  ///< what is kept of it is its last word
    bool over = false;
  };

  void run(Job& job, KeptResponse response, const ResponseTerms& terms, const Work& work);
  void settle(Job& job, KeptResponse response, int status, const std::string& answer);
  void let_go_of_done();

  KeptResponses& kept_;
  const Clock& clock_;
  const std::size_t most_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Job>> jobs_;  // by the response's id
};

/// A response as it is after an end that its model has not told: cancelled, or failed for the reason given.
std::string ended_response(const std::string& object, const std::string& status, const std::string& why = {});

/// Ends what a former run of the program was making.
void recover_responses(KeptResponses& kept);

}  // namespace weft::proxy
