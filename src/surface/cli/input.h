#pragma once

#include <memory>
#include <string>

#include "weft/result.h"

namespace weft::cli {

/// Standard input of this process: what comes of a file or a pipe, a line where a person types, with editing and the
/// former lines at hand. One thread uses it.
class Input {
 public:
  Input();
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// Waits for more and gives as much as there is; empty at the end. `prompt` is shown where a person types. With
  /// `other`, a descriptor, it gives up with kUnavailable as soon as something has come there.
  Result<std::string> more(const std::string& prompt, int other = -1);

 private:
  struct Editor;  // the line editor, made when a person is first asked
  std::unique_ptr<Editor> editor_;
};

/// Opens a file in the editor that VISUAL or EDITOR names, or in vi, and waits until it is closed.
Status edit_file(const std::string& file);

}  // namespace weft::cli
