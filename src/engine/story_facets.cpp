// The facets of what a story is in: states, quests, lore.
#include "engine/services.h"
#include "weft/facets/state.h"
#include "weft/facets/story.h"

namespace weft {

using Request = RequestContext;

Result<StateView> State::read(std::int64_t version) const {
  return call([&](const Services& in, const Request& request) { return in.states->state(request, name_, version); });
}
Result<Value> State::get(std::string_view path) const {
  return call([&](const Services& in, const Request& request) { return in.states->state_value(request, name_, path); });
}
Result<StateView> State::apply(const StateOps& operations) const { return apply(operations.change()); }
Result<StateView> State::apply(const StateChange& change) const {
  return call(
      [&](const Services& in, const Request& request) { return in.states->apply_state(request, name_, change); });
}
Result<StateView> State::put(const Value& tree, const std::string& author) const {
  return put_json(to_json(tree), author);
}
Result<StateView> State::put_json(const std::string& json, const std::string& author) const {
  return call(
      [&](const Services& in, const Request& request) { return in.states->put_state(request, name_, json, author); });
}
Result<std::vector<StateVersion>> State::log(std::size_t limit, std::int64_t before) const {
  return call(
      [&](const Services& in, const Request& request) { return in.states->state_log(request, name_, limit, before); });
}
Result<StateView> State::roll_back(std::int64_t version, const std::string& author) const {
  return call([&](const Services& in, const Request& request) {
    return in.states->roll_back_state(request, name_, version, author);
  });
}
Result<std::string> State::schema() const {
  return call([&](const Services& in, const Request& request) { return in.states->state_schema(request, name_); });
}
Status State::set_schema(const Value& schema, const std::string& author) const {
  return set_schema_json(schema.is_null() ? std::string() : to_json(schema), author);
}
Status State::set_schema_json(const std::string& schema, const std::string& author) const {
  return call([&](const Services& in, const Request& request) {
    return in.states->put_state_schema(request, name_, schema, author);
  });
}

Result<std::vector<Quest>> Story::quests() const {
  return call([](const Services& in, const Request& request) { return in.quests->quests(request); });
}
Result<std::vector<Quest>> Story::put_quest(const Quest& quest) const {
  return call([&](const Services& in, const Request& request) { return in.quests->put_quest(request, quest); });
}
Result<std::vector<Quest>> Story::import_quests(const std::string& text, const std::string& file) const {
  return call(
      [&](const Services& in, const Request& request) { return in.quests->import_quests(request, text, file); });
}
Result<std::vector<Quest>> Story::move_quest(const std::string& id, QuestStatus status, const std::string& note) const {
  return call(
      [&](const Services& in, const Request& request) { return in.quests->move_quest(request, id, status, note); });
}
Result<std::vector<Quest>> Story::remove_quest(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.quests->delete_quest(request, id); });
}

Result<std::vector<LoreEntry>> Story::lore() const {
  return call([](const Services& in, const Request& request) { return in.lore->lore(request); });
}
Result<LoreEntry> Story::put_lore(const LoreEntry& entry) const {
  return call([&](const Services& in, const Request& request) { return in.lore->put_lore(request, entry); });
}
Result<LoreReport> Story::import_lore(const std::string& bytes, const std::string& file) const {
  return call([&](const Services& in, const Request& request) { return in.lore->import_lore(request, bytes, file); });
}
Result<std::size_t> Story::remove_lore(const std::string& id) const {
  return call([&](const Services& in, const Request& request) -> Result<std::size_t> {
    WEFT_CHECK(check_id(id, "lore id"));
    return in.lore->delete_lore(request, id, {});
  });
}
Result<std::size_t> Story::remove_lore_file(const std::string& file) const {
  return call([&](const Services& in, const Request& request) { return in.lore->delete_lore(request, {}, file); });
}

}  // namespace weft
