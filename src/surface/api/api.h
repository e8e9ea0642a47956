#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ports/files/kept_answers.h"
#include "surface/access/access.h"
#include "surface/api/operation.h"
#include "surface/http/exchange.h"
#include "weft/engine.h"

namespace weft {

/// How many answers are kept for those who ask again, of all callers together.
struct RepeatLimits {
  std::size_t answers = 10'000, bytes = 64 * 1024 * 1024;
  std::chrono::hours age{24};
};

/// Requests with an `Idempotency-Key` are worked off once, also over a restart: who repeats one, because the answer was
/// lost on its way, gets the first answer again. That a request is at work is on disk before the work begins, and its
/// answer before its client gets it; one that was at work when the program was killed is not worked off again, for
/// nobody knows how far it came. Failures of the server (5xx) are not kept. Keys are each caller's own. What was said
/// of a scope goes when something of the scope is erased. Safe from many threads.
class RepeatedCalls {
 public:
  using Work = std::function<void(http::ResponseWriter& out)>;

  /// The answers are in the workspace's folder answers/, which is read when the first such request comes.
  RepeatedCalls(std::filesystem::path workspace, RepeatLimits limits);

  /// Runs `work` or gives its former answer. `scope` is whose memory the answer tells of, empty: nobody's. As an
  /// answer: 409 where the first request is still at work, was when the program was killed, or its answer is forgotten;
  /// 422 where the key came with another request; 503 where nothing can be kept.
  void answer(const http::Request& request, const ScopeKey& scope, http::ResponseWriter& out, const Work& work,
              Time now);

 private:
  enum class State {
    kAtWork,
    kKept,
    kUnknown,  ///< how it ended nobody knows
  };
  struct Call {
    FiledAnswer answer;  ///< without its body
    State state = State::kAtWork;
    std::uint64_t number = 0;  ///< a key may be used again once it is forgotten
    std::size_t bytes = 0;
  };
  using Place = std::list<Call>::iterator;

  Status read_once();
  void repeat(const Call& former, std::uint64_t request, http::ResponseWriter& out) const;
  Place at_work(const std::string& name, std::uint64_t number);
  void keep(const FiledAnswer& answer, std::uint64_t number);
  /// A call that is over without a whole answer is as if it had not come.
  void give_up(const std::string& name, std::uint64_t number);
  void forget_old(Time now);
  void forget(Place place);

  const RepeatLimits limits_;
  AnswerFiles files_;
  std::mutex mutex_;
  std::list<Call> calls_;  // the oldest first
  std::unordered_map<std::string, Place> places_;
  std::size_t bytes_ = 0;
  std::uint64_t number_ = 0;
  bool read_ = false;
};

/// Whether an operation is noted in the workspace's audit log: all that change what the whole workspace stands on need
/// kAdmin, and beside them forgetting, exports, rules, skills, profiles, what may be learnt, and approvals.
bool is_audited(const Operation& operation);

/// What a call of it acted on, by ids alone, each with its noun: "rule r12", "action approve", "version 3". Ids that
/// the server gave come from the answer. Never a text that somebody wrote, nor a secret. `answer` is empty where the
/// call failed: then only the path speaks.
std::vector<std::string> acted_on(const Operation& operation, const http::Request& request, std::string_view answer);

struct Operation;

/// Runs an operation if the caller's key allows it, and notes it in `audit`, which may be null, where it is an
/// administrative act.
void run_operation(Engine& engine, const Operation& operation, const http::Request& request, http::ResponseWriter& out,
                   const AuditLog* audit);

/// Adds the REST interface to the router: all that `operations` tells, and its description at /openapi.json. Whose
/// memory is meant: see `scope_of_request`; what a caller's key must allow stands with each operation. Administrative
/// acts are noted in `audit`, which may be null. Engine and log must outlive the router.
void add_api(http::Router& router, Engine& engine, const AuditLog* audit = nullptr);

}  // namespace weft
