#include "surface/proxy/responses_later.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"
#include "surface/http/errors.h"
#include "surface/http/kept_answer.h"
#include "surface/proxy/responses_writer.h"
#include "text/json.h"
#include "text/json_lookup.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kBrokenOff = "Weft was ended before this response was complete; make the call again";

std::string message_of(int status, const std::string& answer) {
  const Json json = Json::parse(answer, nullptr, false);
  const std::string told = text_of(member(member(json, "error"), "message"));
  if (!told.empty()) return told;
  return status == 0 ? "there was no answer" : "the model's server answered with the status " + std::to_string(status);
}

}  // namespace

std::string ended_response(const std::string& object, const std::string& status, const std::string& why) {
  Json json = Json::parse(object, nullptr, false);
  if (!json.is_object()) return object;
  json["status"] = status;
  if (!why.empty()) json["error"] = {{"code", "server_error"}, {"message", why}};
  return write_json(json);
}

void recover_responses(KeptResponses& kept) {
  const Status done = kept.recover([](KeptResponse& one) {
    one.status = "failed";
    one.object = ended_response(one.object, one.status, kBrokenOff);
  });
  if (!done.ok()) log_warning("responses.recover", done.error().message);
}

ResponsesLater::ResponsesLater(KeptResponses& kept, const Clock& clock, std::size_t most)
    : kept_(kept), clock_(clock), most_(most) {}

ResponsesLater::~ResponsesLater() {
  std::map<std::string, std::unique_ptr<Job>> jobs;
  {
    const std::lock_guard lock(mutex_);
    jobs.swap(jobs_);
  }
  for (const auto& [id, job] : jobs) job->stop.request_stop();
  for (const auto& [id, job] : jobs) job->thread.join();
}

void ResponsesLater::let_go_of_done() {
  for (auto one = jobs_.begin(); one != jobs_.end();) one = one->second->over ? jobs_.erase(one) : std::next(one);
}

Result<KeptResponse> ResponsesLater::begin(const ResponseTerms& terms, const ScopeKey& scope,
                                           const std::string& session, Work work) {
  const Time now = clock_.now();
  const std::string object = write_json(ResponseObject(terms, now.ms / 1000).with(Json::array(), true));
  KeptResponse response{terms.id, scope, session, now, "queued", true, true, ended_response(object, "queued")};
  const std::lock_guard lock(mutex_);
  let_go_of_done();
  if (jobs_.size() >= most_)
    return unavailable(std::to_string(most_) + " responses are being made in the background already",
                       "ask again when some of them are complete");
  WEFT_CHECK(kept_.put(response, true));
  Job& job = *(jobs_[terms.id] = std::make_unique<Job>());
  const Status begun = start_thread(job.thread, "a response", [this, &job, response, terms, work = std::move(work)] {
    const AtEnd over([&] {
      const std::lock_guard done(mutex_);
      job.over = true;
    });
    if (!guarded_or_logged("responses.later", [&] { run(job, response, terms, work); }))
      guarded_or_logged("responses.later", [&] { settle(job, response, 0, {}); });
  });
  if (begun.ok()) return response;
  jobs_.erase(terms.id);
  if (const auto gone = kept_.remove(scope, terms.id); !gone.ok()) log_warning("responses.later", gone.error().message);
  return begun.error();
}

void ResponsesLater::run(Job& job, KeptResponse response, const ResponseTerms& terms, const Work& work) {
  {
    const std::lock_guard lock(mutex_);
    if (job.settled) return;
    response.status = "in_progress";
    response.object = ended_response(response.object, response.status);
    if (!kept_.replace(response).ok()) return;  // nobody wants it any more
  }
  http::KeptAnswer answer(job.stop.get_token());
  const Status worked = guarded("making the response", [&] {
    ResponsesWriter told(answer, terms, response.made.ms / 1000);
    work(told);
    return Status();
  });
  if (!worked.ok()) http::send_openai_error(answer, http::status_of(worked.error().code), worked.error());
  settle(job, std::move(response), answer.status, answer.body);
}

void ResponsesLater::settle(Job& job, KeptResponse response, int status, const std::string& answer) {
  const std::lock_guard lock(mutex_);
  if (job.settled) return;
  job.settled = true;
  if (status >= 200 && status < 300) {
    response.object = answer;
    response.status = text_of(member(Json::parse(answer, nullptr, false), "status"));
  } else {
    response.status = "failed";
    const bool ended = status == 0 && job.stop.stop_requested();
    response.object = ended_response(response.object, response.status, ended ? kBrokenOff : message_of(status, answer));
  }
  const Status kept = kept_.replace(response);
  if (!kept.ok() && kept.error().code != ErrorCode::kNotFound) log_error("responses.later", kept.error().message);
}

Result<KeptResponse> ResponsesLater::cancel(const KeptResponse& response) {
  const std::lock_guard lock(mutex_);
  // It may have become complete meanwhile.
  WEFT_TRY(KeptResponse now, kept_.find(response.scope, response.id));
  if (!now.background)
    return invalid_argument("Cannot cancel a synchronous response.", "those made with \"background\": true can be");
  if (!now.unfinished()) return now;
  if (const auto job = jobs_.find(now.id); job != jobs_.end()) {
    job->second->settled = true;
    job->second->stop.request_stop();
  }
  now.status = "cancelled";
  now.object = ended_response(now.object, now.status);
  WEFT_CHECK(kept_.replace(now));
  return now;
}

void ResponsesLater::drop(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto job = jobs_.find(id);
  if (job == jobs_.end()) return;
  job->second->settled = true;
  job->second->stop.request_stop();
}

}  // namespace weft::proxy
