#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "flow/recall/recall.h"
#include "text/cues.h"
#include "text/words.h"

namespace weft::test {

/// One message of a test, with what matters to recall.
struct Said {
  std::string text;
  std::string session = "s";
  std::string speaker = {};
  std::string time = "2025-01-01T10:00:00Z";
  Role role = Role::kUser;
  std::vector<float> vector = {};
  ItemKind kind = ItemKind::kMessage;
};

/// An index that a test fills message by message, and asks.
class Recall : public testing::Test {
 protected:
  /// Adds a message behind the last one and gives its row.
  std::int64_t add(const Said& said) { return add_at(++position_, said); }

  std::int64_t add_at(std::int64_t position, const Said& said) {
    EXPECT_TRUE(index_.add(row_of(++row_, position, said)).ok());
    return row_;
  }

  static ItemRow row_of(std::int64_t row, std::int64_t position, const Said& said) {
    ItemRow item;
    item.row = row;
    item.item.kind = said.kind;
    item.item.session = SessionId(said.session);
    item.item.time = *parse_time(said.time);
    item.item.position = position;
    item.role = said.role;
    item.speaker = said.speaker;
    item.terms = index_terms(said.speaker.empty() ? said.text : said.speaker + ": " + said.text);
    if (is_bare_question(said.text)) item.terms.push_back(question_mark_term());
    item.vector = said.vector;
    return item;
  }

  std::vector<ScoredRow> ask(const RecallQuery& query, std::string_view recipe = "balanced") {
    return *recall(index_, query, *find_recipe(recipe, settings_));
  }
  std::vector<std::int64_t> rows(const RecallQuery& query, std::string_view recipe = "balanced") {
    std::vector<std::int64_t> found;
    for (const ScoredRow& row : ask(query, recipe)) found.push_back(row.row);
    return found;
  }
  std::vector<std::int64_t> rows(const std::string& text, std::string_view recipe = "balanced") {
    RecallQuery query;
    query.text = text;
    return rows(query, recipe);
  }

  ScopeIndex index_;
  RecallSettings settings_;
  std::int64_t row_ = 0, position_ = 0;
};

using Rows = std::vector<std::int64_t>;

}  // namespace weft::test
