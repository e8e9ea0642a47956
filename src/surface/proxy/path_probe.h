#pragma once

#include <string>
#include <string_view>

#include "surface/http/passing_writer.h"

namespace weft::proxy {

/// Hands an answer on, but not one which says that the server has no such path: then another form of the call may be
/// tried, and the client sees nothing of the first. `out` must outlive it. For one thread.
class PathProbe final : public http::PassingWriter {
 public:
  using PassingWriter::PassingWriter;

  bool missing() const { return missing_; }    ///< the server does not know the path
  bool answered() const { return answered_; }  ///< it does: it has answered what was asked

  void header(std::string_view name, std::string_view value) override;
  void send(int status, std::string_view content_type, std::string_view body) override;
  bool begin(int status, std::string_view content_type) override;

 private:
  void hand_on_headers();

  http::Headers headers_;
  bool missing_ = false, answered_ = false;
};

/// Whether an answer says that the server has no such path, and not that it lacks what was asked for there.
bool says_no_such_path(int status, std::string_view body);

}  // namespace weft::proxy
