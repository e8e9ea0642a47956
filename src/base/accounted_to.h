#pragma once

#include <string>

#include "base/thread_scoped.h"

namespace weft {

/// Whom calls of models are put down to.
struct Account {
  std::string scope;  ///< its key, such as "user:ann"; empty: nobody's
  std::string key;    ///< name of the server's key that it came with; empty: none
};

/// Says, as long as it lives, for whom this thread works: the calls of models that it makes are put down to them. What
/// is handed to another thread takes `current()` along. For one thread, as a local variable.
class AccountedTo : public ThreadScoped<AccountedTo, Account> {
 public:
  using ThreadScoped::ThreadScoped;
};

}  // namespace weft
