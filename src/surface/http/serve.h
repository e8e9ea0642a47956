#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "ports/chat/chat_model.h"
#include "weft/config.h"
#include "weft/engine.h"
#include "weft/result.h"

namespace weft {

/// Serves the REST interface and the proxy until `stop` is requested, then lets running requests finish for some
/// seconds. `on_listening` gets the address ("http://127.0.0.1:7077") as soon as requests are taken. `local` may be
/// null. Gives the program's exit code: 0 after a stop, 1 where the address cannot be listened on (logged).
int run_server(Engine& engine, const Config& config, ChatModel* local, std::stop_token stop,
               const std::function<void(const std::string& url)>& on_listening);

/// The file `weft.address` of a workspace, in which a server says where it listens as long as it does.
class AddressFile {
 public:
  explicit AddressFile(std::filesystem::path workspace) : path_(std::move(workspace) / "weft.address") {}
  ~AddressFile();  ///< takes it away
  AddressFile(const AddressFile&) = delete;
  AddressFile& operator=(const AddressFile&) = delete;

  Status write(const std::string& url) const;

  /// What the last server said; empty where none did, or it ended well.
  static std::string read(const std::filesystem::path& workspace);

 private:
  std::filesystem::path path_;
};

}  // namespace weft
