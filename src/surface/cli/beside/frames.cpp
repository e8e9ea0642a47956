#include "surface/cli/beside/frames.h"

namespace weft::cli {
namespace {

constexpr std::string_view kKinds = "RIDOXWEC";
constexpr std::size_t kHead = 5;
constexpr std::size_t kFixedFields = 5;  // of a RunRequest, before its arguments

std::size_t length_in(std::string_view head) {
  std::size_t length = 0;
  for (std::size_t i = kHead; i-- > 1;) length = length << 8 | static_cast<unsigned char>(head[i]);
  return length;
}

void add_field(std::string& out, std::string_view field) {
  out += field;
  out += '\0';
}

}  // namespace

std::string encode(FrameKind kind, std::string_view payload) {
  std::string out(1, static_cast<char>(kind));
  for (std::size_t i = 0, length = payload.size(); i + 1 < kHead; ++i, length >>= 8)
    out += static_cast<char>(length & 0xFF);
  out += payload;
  return out;
}

Result<std::optional<Frame>> FrameReader::next() {
  if (unread_.empty()) return std::optional<Frame>();
  if (kKinds.find(unread_.front()) == std::string_view::npos)
    return invalid_argument("what came over weft.sock is no frame of weft");
  if (unread_.size() < kHead) return std::optional<Frame>();
  const std::size_t length = length_in(unread_);
  if (length > kMostPayload)
    return invalid_argument("a frame of " + std::to_string(length) + " bytes came over weft.sock",
                            "at most " + std::to_string(kMostPayload) + " are taken");
  if (unread_.size() - kHead < length) return std::optional<Frame>();
  Frame frame{static_cast<FrameKind>(unread_.front()), unread_.substr(kHead, length)};
  unread_.erase(0, kHead + length);
  return std::optional(std::move(frame));
}

// Fields that end in NUL: no argument of a command can hold one, and any other byte passes as it is.
std::string encode_run(const RunRequest& run) {
  std::string out;
  add_field(out, run.version);
  add_field(out, run.workspace);
  add_field(out, run.folder);
  add_field(out, run.interactive ? "1" : "0");
  add_field(out, run.colours ? "1" : "0");
  for (const std::string& argument : run.arguments) add_field(out, argument);
  return out;
}

Result<RunRequest> decode_run(std::string_view payload) {
  std::vector<std::string> fields;
  while (!payload.empty()) {
    const auto end = payload.find('\0');
    if (end == std::string_view::npos) return invalid_argument("a command line over weft.sock breaks off");
    fields.emplace_back(payload.substr(0, end));
    payload.remove_prefix(end + 1);
  }
  const auto is_flag = [&](std::size_t field) { return fields[field] == "0" || fields[field] == "1"; };
  if (fields.size() < kFixedFields || !is_flag(3) || !is_flag(4))
    return invalid_argument("a command line over weft.sock is not whole");
  return RunRequest{std::move(fields[0]), std::move(fields[1]),
                    std::move(fields[2]), fields[3] == "1",
                    fields[4] == "1",     std::vector(fields.begin() + kFixedFields, fields.end())};
}

}  // namespace weft::cli
