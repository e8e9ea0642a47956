#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"

/// What a command and the server that holds its workspace say to each other, over the Unix socket `weft.sock` there.
///
/// The server runs the very command line against its own engine; the process that was started reads, writes and edits
/// for it. Both speak in frames: the kind (one byte), the length of what follows (32 bits, lowest byte first), and that
/// many bytes, at most `kMostPayload`. The command begins with one `kRun`, and ends by closing the socket, which ends
/// the work that is done for it; the server ends with one `kExit`. Input flows only when it is asked for, one answer a
/// question, so neither side has to keep what the other did not want. A side that breaks these rules is left.
namespace weft::cli {

enum class FrameKind : char {
  kRun = 'R',  ///< command → server: the command line, see RunRequest; the first frame, and only once
  kInput = 'I',  ///< command → server, answers kWants: what came of standard input; empty: it has ended
  kEdited = 'D',  ///< command → server, answers kEdit: empty, or what went wrong
  kOut = 'O',  ///< server → command: for standard output
  kError = 'X',  ///< server → command: for standard error
  kWants = 'W',  ///< server → command: more standard input, please; the payload is the prompt where a person types
  kEdit = 'E',  ///< server → command: open this file in the person's editor
  kExit = 'C',  ///< server → command: one byte, the exit code; the last frame
};

/// An exit code between the two: the server ends, and the command is to go on with whoever holds the workspace next.
inline constexpr int kGoOnElsewhere = 75;

struct Frame {
  FrameKind kind = FrameKind::kRun;
  std::string payload;
};

/// More than any system takes as a command line; what is streamed comes in smaller pieces.
inline constexpr std::size_t kMostPayload = std::size_t{4} * 1024 * 1024;
inline constexpr std::size_t kPiece = std::size_t{64} * 1024;

std::string encode(FrameKind kind, std::string_view payload);

/// Puts frames together from bytes as they come. Keeps at most one payload beyond what was fed at once.
class FrameReader {
 public:
  void feed(std::string_view bytes) { unread_.append(bytes); }
  /// The next whole frame, or nothing yet. kInvalidArgument for a kind that there is not or a length over the bound:
  /// nothing behind it can be made out any more.
  Result<std::optional<Frame>> next();

 private:
  std::string unread_;
};

/// A command line, and where it was given.
struct RunRequest {
  std::string version;  ///< of the program that was started
  std::string workspace;  ///< as that one understood it
  std::string folder;  ///< relative paths begin there
  bool interactive = false, colours = false;
  std::vector<std::string> arguments;  ///< without the program's name
};

std::string encode_run(const RunRequest& run);
Result<RunRequest> decode_run(std::string_view payload);

}  // namespace weft::cli
