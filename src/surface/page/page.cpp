#include "surface/page/page.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <span>
#include <string>

namespace weft {
namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view type_of(std::string_view path) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {".html", "text/html; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},   {".svg", "image/svg+xml"},
      {".json", "application/json"},
  };
  for (const auto& [ending, type] : kTypes)
    if (path.ends_with(ending)) return type;
  return "application/octet-stream";
}

std::string tag_of(std::string_view bytes) {
  return fmt::format("\"{:016x}\"", XXH3_64bits(bytes.data(), bytes.size()));
}

void add_headers(http::ResponseWriter& out) {
  out.header("Content-Security-Policy", kPolicy);
  out.header("Cross-Origin-Opener-Policy", "same-origin");
  out.header("Cross-Origin-Resource-Policy", "same-origin");
}

void add_file(http::Router& router, const std::string& at, const PageFile& file) {
  router.add("GET", at, [file, tag = tag_of(file.bytes)](const http::Request& request, http::ResponseWriter& out) {
    add_headers(out);
    out.header("ETag", tag);
    // Asked for each time, answered by 304 where it is the same: a new version of the program is a new page at once.
    out.header("Cache-Control", "no-cache");
    const bool known = request.header("if-none-match").find(tag) != std::string_view::npos;
    out.send(known ? 304 : 200, type_of(file.path), known ? std::string_view() : file.bytes);
  });
}

void add_way(http::Router& router, const char* from) {
  router.add("GET", from, [](const http::Request&, http::ResponseWriter& out) {
    add_headers(out);
    out.header("Location", "/ui");
    out.send(302, "text/plain", "");
  });
}

}  // namespace

void add_page(http::Router& router) {
  for (const PageFile& file : std::span(page_file_list, page_file_count))
    add_file(router, file.path == "index.html" ? "/ui" : "/ui/" + std::string(file.path), file);
  add_way(router, "/");
  add_way(router, "/ui/");
}

}  // namespace weft
