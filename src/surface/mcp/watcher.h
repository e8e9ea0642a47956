#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "weft/engine.h"
#include "weft/result.h"
#include "weft/value.h"

namespace weft::mcp {

// What of a scope's memory is read as a whole: its profile, MEMORY.md, its days, its reports of tasks.

/// One that is there, as a client is told of it.
struct Resource {
  std::string uri, name, title, description;
  std::string_view type;  ///< its MIME type
};

/// What there is for the caller, the same order each time: profile, MEMORY.md, days and reports, the newest first.
Result<std::vector<Resource>> resources(Engine& engine, const RequestContext& context);

/// Its text and its type. kNotFound for an address behind which nothing is.
struct ResourceText {
  std::string text;
  std::string_view type;
};
Result<ResourceText> read_resource(Engine& engine, const RequestContext& context, std::string_view uri);

/// Addresses with a place to fill in, as clients are told of them.
Value resource_templates();

/// What may be filled into a template's place and begins with `begin`.
Result<std::vector<std::string>> complete_resource(Engine& engine, const RequestContext& context, std::string_view uri,
                                                   std::string_view argument, std::string_view begin);

Value resource_description(const Resource& resource);

/// What a client wants to hear of.
struct Interest {
  bool list = false;  ///< that resources have come or gone
  std::vector<std::string> uris;  ///< that these have changed
};

/// Looks from time to time whether what clients have subscribed to is otherwise, and tells them. It looks at what would
/// be read, so that it also sees what a person changes in a file. Its thread lives while somebody listens. All
/// functions may be called from any thread.
class Watcher {
 public:
  /// Called on the watcher's thread with a notification's method and parameters; must not call the watcher.
  using Tell = std::function<void(std::string_view method, const Value& params)>;

  static constexpr std::chrono::milliseconds kInterval{500};

  explicit Watcher(Engine& engine, std::chrono::milliseconds interval = kInterval);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// What stands there now counts as known. Gives the number by which it is changed and removed.
  std::uint64_t add(RequestContext context, Interest interest, Tell tell);
  /// After this nothing is told any more.
  void remove(std::uint64_t number);
  /// One more resource, or one less, of a listener that is there.
  void listen(std::uint64_t number, const std::string& uri);
  void stop_listening(std::uint64_t number, const std::string& uri);

 private:
  struct Listener {
    RequestContext context;
    Interest interest;
    Tell tell;
    std::map<std::string, std::uint64_t> seen;  ///< marks of what was there, by address; "" is the list
  };

  std::uint64_t mark(const RequestContext& context, const std::string& uri) const;
  void look(Listener& listener) const;
  void run(std::stop_token stop);

  Engine& engine_;
  const std::chrono::milliseconds interval_;
  std::mutex mutex_;  ///< of all that follows; held while is looked
  std::condition_variable_any changed_;
  std::map<std::uint64_t, Listener> listeners_;
  std::uint64_t next_ = 1;
  std::jthread thread_;
};

// What is said on a stream that a client listens to (`subscriptions/listen` of the stateless revision).

/// What of a wish is honoured.
struct Listening {
  Interest interest;
  Value acknowledged;  ///< as the client is told of it
};

/// Reads the parameters of `subscriptions/listen`.
Result<Listening> listening_of(const Value& params);

/// The same parameters of a notification with the stream they belong to; `id` is the JSON of its request's id.
Value of_stream(const Value& params, const std::string& id);

/// The first thing that is said on it.
std::string acknowledgement(const Listening& listening, const std::string& id);

/// What its request is answered with when the server ends it.
Value end_of_stream(const std::string& id);

}  // namespace weft::mcp
