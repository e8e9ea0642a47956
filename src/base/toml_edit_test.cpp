#include "base/toml_edit.h"

#include <gtest/gtest.h>

#include "weft/config.h"

namespace weft {
namespace {

std::string set(std::string_view toml) { return set_toml_text(toml, "embedding", "model", "new").value_or("?"); }

TEST(TomlEdit, PF_13_the_value_is_replaced_and_all_else_stays) {
  EXPECT_EQ(set("# mine\npreset = \"balanced\"\n[ embedding ] # models\ncontexts = 1\nmodel = \"old\"  # small\n"
                "[stream]\nthreshold = 0.5\n"),
            "# mine\npreset = \"balanced\"\n[ embedding ] # models\ncontexts = 1\nmodel = \"new\"  # small\n"
            "[stream]\nthreshold = 0.5\n");
  EXPECT_EQ(set("embedding.model = 'o#ld'\n"), "embedding.model = \"new\"\n");
}

TEST(TomlEdit, PF_13_table_and_key_are_made_where_they_are_missing) {
  EXPECT_EQ(set(""), "[embedding]\nmodel = \"new\"\n");
  EXPECT_EQ(set("preset = \"balanced\""), "preset = \"balanced\"\n\n[embedding]\nmodel = \"new\"\n");
  EXPECT_EQ(set("[embedding]\n# model = \"x\"\ncontexts = 1\n"),
            "[embedding]\nmodel = \"new\"\n# model = \"x\"\ncontexts = 1\n");
  EXPECT_EQ(set("[models.main]\nmodel = \"chat\"\nurl = \"http://h/v1\"\n"),
            "[models.main]\nmodel = \"chat\"\nurl = \"http://h/v1\"\n\n[embedding]\nmodel = \"new\"\n");
}

TEST(TomlEdit, PF_13_what_cannot_be_changed_safely_is_refused) {
  EXPECT_FALSE(set_toml_text("embedding = { model = \"old\" }\n", "embedding", "model", "new").ok());
  EXPECT_FALSE(set_toml_text("[[[\n", "embedding", "model", "new").ok());
  EXPECT_FALSE(set_toml_text("", "embedding", "model", "a\nb").ok());
  EXPECT_EQ(set_toml_text("", "embedding", "model", "a\"\\b").value(), "[embedding]\nmodel = \"a\\\"\\\\b\"\n");
}

}  // namespace
}  // namespace weft
