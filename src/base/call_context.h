#pragma once

#include <string>
#include <string_view>

namespace weft {

/// To whom calls of models are accounted.
struct Account {
  std::string scope;  ///< its key, such as "user:ann"; empty: nobody's
  std::string key;    ///< name of the server's key that the request was made with; empty: none
};

/// The request that a thread works for.
struct CallContext {
  Account account = {};
  std::string request = {};  ///< its id, named by lines of the log and by answers with an error; empty: none
  std::string cause = {};  ///< `traceparent` of the request whose trace later work is linked to; empty: not recorded

  /// Of this thread; empty if it works for no request. Valid as long as the innermost `CallScope` lives.
  static const CallContext& current();
  /// A copy for another thread, or for later: `cause` is the open span of this thread if there is one.
  static CallContext to_hand_over();
};

/// Sets the context of this thread as long as it lives. Use it as a local variable.
class CallScope {
 public:
  explicit CallScope(CallContext context);
  /// The thread's context with another account.
  explicit CallScope(Account account);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  const CallContext context_;
  const CallContext* const outer_;
};

/// Whether a text from outside may name a request: 1 to 128 letters, digits and "-_.:".
bool is_request_id(std::string_view text);

/// A new one, by chance.
std::string new_request_id();

}  // namespace weft
