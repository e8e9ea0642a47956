#include "ports/files/archive_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace weft::tar {
namespace {

// Where the fields stand, as POSIX has them.
struct Field {
  std::size_t at, size;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12}, kTime{136, 12},
    kSum{148, 8}, kKind{156, 1}, kMagic{257, 8}, kPrefix{345, 155};
constexpr std::uint64_t kLargest = (std::uint64_t{1} << 33) - 1;  // eleven octal digits

void put(std::string& block, Field field, std::string_view text) {
  std::copy_n(text.begin(), std::min(text.size(), field.size), block.begin() + static_cast<std::ptrdiff_t>(field.at));
}

void put_number(std::string& block, Field field, std::uint64_t number) {
  put(block, field, fmt::format("{:0{}o}", number, field.size - 1));
}

std::string_view text_in(std::string_view block, Field field) {
  const std::string_view whole = block.substr(field.at, field.size);
  return whole.substr(0, whole.find('\0'));
}

Result<std::uint64_t> number_in(std::string_view block, Field field) {
  std::string_view text = text_in(block, field);
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, 8);
  if (failed != std::errc() || end != text.data() + text.size()) return corrupt("a number in a head is none");
  return number;
}

// Of all bytes, those of the sum itself counted as blanks.
std::uint64_t sum_of(std::string_view block) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i)
    sum += i >= kSum.at && i < kSum.at + kSum.size ? std::uint64_t{' '} : static_cast<unsigned char>(block[i]);
  return sum;
}

// "LENGTH NAME=VALUE\n", where the length counts itself.
std::string extended_line(std::string_view name, std::string_view value) {
  std::size_t size = name.size() + value.size() + 3;
  std::size_t digits = 1;
  while (std::to_string(size + digits).size() > digits) ++digits;
  return fmt::format("{} {}={}\n", size + digits, name, value);
}

}  // namespace

bool fits(const Head& head) { return head.name.size() <= kName.size && head.size <= kLargest; }

std::string write_head(const Head& head) {
  std::string block(kBlock, '\0');
  put(block, kName, head.name);
  put_number(block, kMode, 0600);
  put_number(block, kOwner, 0);
  put_number(block, kGroup, 0);
  put_number(block, kSize, std::min(head.size, kLargest));
  put_number(block, kTime, 0);
  block[kKind.at] = head.kind;
  put(block, kMagic, std::string_view("ustar\00000", 8));
  put(block, kSum, fmt::format("{:06o}", sum_of(block)));
  block[kSum.at + 6] = '\0';
  block[kSum.at + 7] = ' ';
  return block;
}

std::string write_extended(const Head& head) {
  return extended_line("path", head.name) + extended_line("size", std::to_string(head.size));
}

Result<Head> read_head(std::string_view block) {
  if (block.size() != kBlock) return corrupt("a head is cut off");
  WEFT_TRY(const std::uint64_t sum, number_in(block, kSum));
  if (sum != sum_of(block)) return corrupt("a head has another checksum than its bytes");
  Head head;
  WEFT_TRY(head.size, number_in(block, kSize));
  const std::string_view prefix = text_in(block, kPrefix);
  head.name = (prefix.empty() ? "" : std::string(prefix) + "/") + std::string(text_in(block, kName));
  head.kind = block[kKind.at] == '\0' ? kFile : block[kKind.at];
  return head;
}

Status take_extended(std::string_view body, Head& head) {
  while (!body.empty() && body.front() != '\0') {
    std::size_t size = 0;
    const auto [end, failed] = std::from_chars(body.data(), body.data() + body.size(), size);
    const auto digits = static_cast<std::size_t>(end - body.data());
    if (failed != std::errc() || size > body.size() || size < digits + 3 || body[digits] != ' ' ||
        body[size - 1] != '\n')
      return corrupt("an extended head is none");
    const std::string_view line = body.substr(digits + 1, size - digits - 2);
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) return corrupt("an extended head is none");
    const std::string_view value = line.substr(equals + 1);
    if (line.substr(0, equals) == "path") head.name = value;
    if (line.substr(0, equals) == "size" &&
        std::from_chars(value.data(), value.data() + value.size(), head.size).ec != std::errc())
      return corrupt("an extended head names no size");
    body.remove_prefix(size);
  }
  return {};
}

}  // namespace weft::tar
