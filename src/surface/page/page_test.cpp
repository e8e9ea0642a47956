#include "surface/page/page.h"

#include <span>

#include <gtest/gtest.h>

#include "tests/support/recorded_answer.h"

namespace weft {
namespace {

RecordedAnswer ask(const std::string& path, const std::string& tag = {}) {
  static const http::Router router = [] {
    http::Router made;
    add_page(made);
    return made;
  }();
  http::Request request;
  request.method = "GET";
  request.path = path;
  if (!tag.empty()) request.headers.emplace_back("if-none-match", tag);
  RecordedAnswer out;
  router.dispatch(request, out);
  return out;
}

TEST(Page, PF_10_the_page_is_built_in_and_known_by_its_tag) {
  const auto page = ask("/ui");
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("<title>Weft</title>"), std::string::npos);
  EXPECT_EQ(ask("/ui", page.header_named("ETag")).status, 304);
  EXPECT_EQ(ask("/ui", "\"another\"").status, 200);
  EXPECT_EQ(ask("/").header_named("Location"), "/ui");
}

TEST(Page, PF_10_no_file_breaks_the_policy) {
  EXPECT_NE(ask("/ui/app.js").header_named("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
  for (const PageFile& file : std::span(page_file_list, page_file_count)) {
    for (const std::string_view never :
         {"innerHTML", "insertAdjacentHTML", "document.write", "eval(", "style=\"", "http://local"})
      EXPECT_EQ(file.bytes.find(never), std::string_view::npos) << file.path << " holds " << never;
  }
}

TEST(Page, PF_10_only_its_own_files_are_served) {
  EXPECT_EQ(ask("/ui/../weft.toml").status, 404);
  EXPECT_EQ(ask("/ui/views").status, 404);
  EXPECT_EQ(ask("/ui/lang/zh.js").status, 200);
}

}  // namespace
}  // namespace weft
