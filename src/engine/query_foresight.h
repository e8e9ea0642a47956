#pragma once

#include <deque>
#include <memory>
#include <string>

#include "base/sync.h"
#include "engine/background.h"
#include "engine/serving.h"

namespace weft {

/// Makes the vectors of queries that are sure to be asked in a moment, while the caller is still writing down what was
/// said: the embedder's cache then has them, or they are under way. A hint: what is not done in time is done by who
/// asks. Safe from any thread.
class QueryForesight {
 public:
  QueryForesight();
  ~QueryForesight();

  /// `text` will be searched with in the scope. Dropped where too many wait already.
  void expect(std::shared_ptr<Serving> serving, ScopeKey scope, std::string text);

 private:
  struct Expected {
    std::shared_ptr<Serving> serving;
    ScopeKey scope;
    std::string text;
  };

  void make_vectors(std::stop_token stop);

  Sync<std::deque<Expected>> waiting_;
  Waker waker_;
  Background worker_;  // last: it uses what stands above
};

}  // namespace weft
