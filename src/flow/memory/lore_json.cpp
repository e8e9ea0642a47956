#include <string>

#include "base/strings.h"
#include "flow/memory/lore_readers.h"
#include "text/utf8.h"

namespace weft {
namespace {

// A book stands alone, in a card's "data", or beside a card's own fields.
const Value* find_book(const Value& root) {
  const Value* data = root.find("data");
  for (const Value* outer : {&root, data}) {
    if (outer == nullptr) continue;
    for (const char* name : {"character_book", "lorebook"}) {
      if (const Value* book = outer->find(name); book != nullptr && book->find("entries") != nullptr) return book;
    }
  }
  for (const Value* outer : {&root, data}) {
    if (outer != nullptr && outer->find("entries") != nullptr) return outer;
  }
  return nullptr;
}

// The character of the card that holds the book.
std::string character_of(const Value& root) {
  const Value* data = root.find("data");
  const bool card = root.find("spec") != nullptr || root.find("first_mes") != nullptr;
  for (const Value* outer : {data, &root}) {
    const Value* name = card && outer != nullptr ? outer->find("name") : nullptr;
    const Value* book = outer == nullptr ? nullptr : outer->find("entries");  // then the name is the book's
    if (name != nullptr && name->text() != nullptr && book == nullptr) return std::string(trimmed(*name->text()));
  }
  return {};
}

void read_one(const Value& value, LoreEntry defaults, const std::string& place, LoreCollector& into) {
  std::string where = place;
  for (const char* name : {"title", "comment", "name"}) {
    const Value* title = value.find(name);
    if (title == nullptr || title->text() == nullptr || title->text()->empty()) continue;
    where += " (" + preview(*title->text(), 60) + ")";
    break;
  }
  auto entry = read_lore_entry(value, std::move(defaults), where, into.notes());
  if (!entry.ok()) return into.leave_out(entry.error().message);
  if (auto done = take_lore_decorators(*entry, where, into.notes()); !done.ok()) {
    return into.leave_out(done.error().message);
  }
  if (entry->title.empty() && !entry->keys.empty()) entry->title = entry->keys.front();
  const std::string name = entry->id.empty() ? entry->title : entry->id;
  into.add(std::move(entry).value(), name);
}

void read_list(const ValueList& list, LoreCollector& into) {
  for (std::size_t i = 0; i < list.size(); ++i) read_one(list[i], {}, "entry " + std::to_string(i + 1), into);
}

// Entries by their numbers, as World Info has them: the number is no title.
void read_numbered(const ValueObject& entries, LoreCollector& into) {
  for (const auto& [key, value] : entries) {
    LoreEntry defaults;
    defaults.id = preview(key, 100);
    read_one(value, std::move(defaults), "entry " + preview(key, 60), into);
  }
}

void read_named(const ValueObject& entries, LoreCollector& into) {
  for (const auto& [key, value] : entries) {
    LoreEntry defaults;
    defaults.title = preview(key, 200);
    defaults.id = defaults.title;
    if (value.text() != nullptr) {
      read_one(Value(ValueObject{{"text", value}}), std::move(defaults), "entry " + preview(key, 60), into);
    } else {
      read_one(value, std::move(defaults), "entry " + preview(key, 60), into);
    }
  }
}

}  // namespace

Status read_lore_json(const Value& root, LoreCollector& into) {
  into.macros().in_angles = true;
  into.macros().character = character_of(root);
  if (const ValueList* list = root.list()) {
    read_list(*list, into);
    return {};
  }
  if (root.object() == nullptr) return invalid_argument("the JSON must be a list or an object");
  if (const Value* book = find_book(root)) {
    const Value& entries = *book->find("entries");
    if (entries.list() == nullptr && entries.object() == nullptr) {
      return invalid_argument("\"entries\" must be a list or an object");
    }
    entries.list() != nullptr ? read_list(*entries.list(), into) : read_numbered(*entries.object(), into);
    return {};
  }
  const bool card = root.find("spec") != nullptr || root.find("first_mes") != nullptr;
  if (card) return invalid_argument("this is a character card without a book of lore");
  for (const char* name : {"text", "content"}) {
    const Value* text = root.find(name);
    if (text == nullptr || text->text() == nullptr) continue;
    read_one(root, {}, "entry 1", into);
    return {};
  }
  read_named(*root.object(), into);
  return {};
}

}  // namespace weft
