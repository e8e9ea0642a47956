#include "surface/api/operation.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <charconv>
#include <iterator>

#include "base/strings.h"
#include "surface/access/access.h"

namespace weft {
namespace {

constexpr std::int64_t kDefaultLimit = 100;
constexpr std::int64_t kMaxLimit = 10000;
constexpr std::int64_t kMostNumber = (std::int64_t{1} << 53) - 1;  // what every reader of JSON keeps exactly

/// No field at all.
struct Nothing {};

}  // namespace

WEFT_DESCRIBED(Nothing);

template <>
const Record<Nothing>& record<Nothing>() {
  static const Record<Nothing> made("Nothing", "", RecordUse::kAsked);
  return made;
}

Parameter text_parameter(std::string name, std::string doc) {
  return {std::move(name), std::move(doc), ValueObject{{"type", "string"}}};
}

Value day_schema() {
  return ValueObject{{"anyOf", ValueList{ValueObject{{"type", "string"}, {"format", "date"}},
                                         ValueObject{{"type", "string"}, {"maxLength", 0}}}}};
}

Parameter day_parameter(std::string name, std::string doc) { return {std::move(name), std::move(doc), day_schema()}; }

Parameter id_parameter(std::string name, std::string doc, IdNeed need) {
  return {std::move(name), std::move(doc), id_schema(need)};
}

Parameter number_parameter(std::string name, std::string doc, std::int64_t least) {
  return {std::move(name), std::move(doc),
          ValueObject{{"type", "integer"}, {"minimum", least}, {"maximum", kMostNumber}}};
}

Parameter limit_parameter() {
  return {"limit", "how many of the newest",
          ValueObject{{"type", "integer"}, {"minimum", 1}, {"maximum", kMaxLimit}, {"default", kDefaultLimit}}};
}

Result<SessionId> Call::session() const {
  const auto& id = request.params.at("id");
  WEFT_CHECK(check_id(id, "session"));
  return SessionId(id);
}

Result<std::int64_t> Call::number(const std::string& name, std::int64_t otherwise) const {
  const auto given = request.query.find(name);
  if (given == request.query.end()) return otherwise;
  const auto& text = given->second;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMostNumber)
    return invalid_argument(name + " must be a whole number, at most " + std::to_string(kMostNumber));
  return value;
}

Result<std::size_t> Call::limit(std::size_t otherwise) const {
  const auto value = number("limit", static_cast<std::int64_t>(otherwise));
  if (!value.ok() || *value == 0 || *value > kMaxLimit)
    return invalid_argument("limit must be a whole number from 1 to " + std::to_string(kMaxLimit));
  return static_cast<std::size_t>(*value);
}

std::string Call::text(const std::string& name) const {
  const auto given = request.query.find(name);
  return given == request.query.end() ? std::string() : given->second;
}

Result<Call> call_of(Engine& engine, const http::Request& request, http::ResponseWriter& out, Whose whose,
                     BodyKind kind) {
  if (whose == Whose::kNobody) {
    WEFT_TRY(auto nobody, Scope::private_of(UserId(engine.config().server.default_user)));
    return Call{engine, request, out, RequestContext{std::move(nobody), std::nullopt, out.cancel(), {}, false}};
  }
  WEFT_TRY(const Names names, names_of_request(request, engine.config(), kind));
  WEFT_TRY(auto scope, scope_of(request.access, names, {}, engine.config()));
  Call call{engine, request, out, {std::move(scope), std::nullopt, out.cancel(), names.world, false}};
  const auto named = request.query.find("world");
  if (whose != Whose::kStory || named == request.query.end() || named->second.empty()) return call;
  WEFT_CHECK(check_id(named->second, "world"));
  call.context.world = named->second;
  call.context.of_world = true;
  return call;
}

Operation bare_operation(std::string id, std::string_view line, std::string summary, Whose whose,
                         std::vector<Parameter> query) {
  Operation made;
  made.id = std::move(id);
  made.method = line.substr(0, line.find(' '));
  made.path = line.substr(line.find(' ') + 1);
  made.summary = std::move(summary);
  made.whose = whose;
  const bool looks = made.method == "GET" || made.method == "HEAD";
  made.right = looks ? Right::kRead : (whose == Whose::kNobody ? Right::kAdmin : Right::kWrite);
  made.query = std::move(query);
  return made;
}

Status check_access(const Operation& operation, const http::Request& request, const Config& config) {
  const Access& access = request.access;
  WEFT_CHECK(check_right(access, operation.right));
  if (!access.bound() || operation.tells_of_nobody) return {};
  if (operation.whose == Whose::kNobody)
    return permission(
        "the key \"" + access.name + "\" is for some users or groups, and this concerns the whole workspace",
        "use a key that was made without --for-user and --for-group");
  WEFT_TRY(const Scope scope, scope_of_request(request, config, operation.body_kind));
  return check_named(access, scope, config, operation.id, request.params, request.body);
}

Account account_of(const Call& call, Whose whose) {
  return {whose == Whose::kNobody ? std::string() : call.context.scope.key().str(), call.request.access.name};
}

Status check_no_body(const http::Request& request) {
  const bool reads = request.method == "GET" || request.method == "HEAD" || request.method == "DELETE";
  if (reads || request.body.find_first_not_of(" \t\r\n") == std::string::npos) return {};
  WEFT_TRY(const Nothing nothing, BodyForm<Nothing>::read(request.body, {}));
  (void)nothing;
  return {};
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> made;
    for (auto* part :
         {session_operations, memory_operations, profile_operations, story_operations, care_operations,
          knowledge_operations, growth_operations, agent_operations, reflection_operations, skill_operations,
          adaptation_operations, watch_operations, usage_operations, research_operations}) {
      auto some = part();
      std::move(some.begin(), some.end(), std::back_inserter(made));
    }
    return made;
  }();
  return all;
}

namespace {

// Which list it is; places of the next form of cursors are told from these by the first digits.
constexpr std::string_view kForm = "01";
constexpr std::size_t kMarkDigits = 16;

std::string hex_of(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace

// It keeps apart what clients mix up, and is no secret.
std::string mark_of(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

Error no_cursor() {
  return invalid_argument("\"cursor\" is none that was given",
                          "send the \"next\" of the last answer as it stands, or leave the cursor out to begin anew");
}

std::string cursor_of(std::string_view list, std::string_view place) {
  return std::string(kForm) + mark_of(list) + hex_of(place);
}

Result<std::string> place_of_cursor(std::string_view list, std::string_view cursor, std::size_t most) {
  if (cursor.empty()) return std::string();
  const std::size_t head = kForm.size() + kMarkDigits;
  if (cursor.size() > most || cursor.size() <= head || cursor.size() % 2 != 0 || !cursor.starts_with(kForm))
    return no_cursor();
  std::string place;
  for (std::size_t i = kForm.size(); i < cursor.size(); i += 2) {
    const int high = hex_value(cursor[i]), low = hex_value(cursor[i + 1]);
    if (high < 0 || low < 0) return no_cursor();
    if (i >= head) place += static_cast<char>(high * 16 + low);
  }
  if (cursor.substr(kForm.size(), kMarkDigits) != mark_of(list))
    return invalid_argument("\"cursor\" belongs to another list, or to one with other filters",
                            "ask for its own path with the parameters of the first page, or leave the cursor out");
  return place;
}

namespace {

constexpr char kBetween = '\x1f';          // stands in no id
constexpr std::size_t kTrail = 8;          // things before the last one that its place names
constexpr std::size_t kMaxPlace = 1500;    // bytes: a cursor stands in an address
constexpr std::size_t kNumberDigits = 19;  // of the largest number

}  // namespace

Result<std::int64_t> PageWanted::number() const {
  if (after.empty()) return 0;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(after.data(), after.data() + after.size(), value);
  if (error != std::errc() || end != after.data() + after.size() || value < 0) return no_cursor();
  return value;
}

Result<std::size_t> begin_of_page(std::span<const std::string> keys, ListOrder order, const PageWanted& wanted) {
  if (wanted.after.empty()) return 0;
  if (order == ListOrder::kByKey)
    return static_cast<std::size_t>(std::upper_bound(keys.begin(), keys.end(), wanted.after) - keys.begin());
  std::string_view left = wanted.after;
  while (!left.empty()) {
    const std::string_view key = left.substr(0, left.find(kBetween));
    left.remove_prefix(std::min(left.size(), key.size() + 1));
    const auto found = std::find(keys.begin(), keys.end(), key);
    if (found != keys.end()) return static_cast<std::size_t>(found - keys.begin()) + 1;
  }
  return conflict("what stood at the place of the \"cursor\" is gone from the list",
                  "leave the cursor out to begin anew");
}

std::string place_at(std::span<const std::string> keys, ListOrder order, std::size_t last) {
  std::string place = keys[last];
  if (order == ListOrder::kByKey) return place;
  for (std::size_t i = last; i > 0 && last - i < kTrail; --i) {
    if (place.size() + 1 + keys[i - 1].size() > kMaxPlace) break;
    place += kBetween + keys[i - 1];
  }
  return place;
}

void make_unique(std::vector<std::string>& keys) {
  std::map<std::string, std::int64_t> seen;
  for (std::string& key : keys) {
    const std::int64_t before = seen[key]++;
    if (before > 0) key += '\x1e' + number_key(before);
  }
}

std::string number_key(std::int64_t number) {
  const std::string digits = std::to_string(std::max<std::int64_t>(number, 0));
  return std::string(kNumberDigits - digits.size(), '0') + digits;
}

namespace {

// What follows from these alone is another page of the same list.
bool moves_only(const std::string& name) { return name == "limit" || name == "cursor"; }

// Whose list it is, and all that decides what is in it. Names are told apart from values by signs that stand in none.
std::string list_name(const Call& call, const std::string& operation) {
  std::string name = operation + '\n' + call.context.scope.key().str() + '\n' + call.context.world +
                     (call.context.of_world ? "\x1f\n" : "\n");
  for (const auto& [part, value] : call.request.params) name += part + '\x1f' + value + '\n';
  for (const auto& [part, value] : call.request.query)
    if (!moves_only(part) && part != "user" && part != "group" && part != "world") name += part + '\x1f' + value + '\n';
  return name;
}

Parameter page_limit(std::size_t limit) {
  Parameter made = limit_parameter();
  made.doc = "how many at most";
  for (auto& [name, value] : *made.schema.object())
    if (name == "default") value = static_cast<std::int64_t>(limit);
  return made;
}

Parameter cursor_parameter() {
  return {"cursor", "the \"next\" of the page before; the first page if left out",
          ValueObject{{"type", "string"}, {"maxLength", static_cast<std::int64_t>(kMaxCursor)}}};
}

// Of a bare list: what has a name describes its own.
Value with_next_in(Value schema) {
  Value* properties = schema.find("properties");
  if (properties != nullptr && properties->object() != nullptr)
    properties->object()->emplace_back("next", ValueObject{{"type", "string"}, {"description", kNextDoc}});
  return schema;
}

}  // namespace

std::string with_next(std::string list, const std::string& next) {
  if (next.empty()) return list;
  list.pop_back();  // the object's end
  return list + ",\"next\":\"" + next + "\"}";
}

Result<PageWanted> page_wanted(const Call& call, const std::string& operation, std::size_t limit) {
  PageWanted wanted;
  WEFT_TRY(wanted.limit, call.limit(limit));
  WEFT_TRY(wanted.after, place_of_cursor(list_name(call, operation), call.text("cursor")));
  return wanted;
}

std::string next_cursor(const Call& call, const std::string& operation, const std::string& place) {
  return place.empty() ? std::string() : cursor_of(list_name(call, operation), place);
}

Operation listing(Operation made, std::size_t limit) {
  made.lists = true;
  made.query.push_back(page_limit(limit));
  made.query.push_back(cursor_parameter());
  made.answer = [whole = std::move(made.answer)](SchemaBook& book) { return with_next_in(whole(book)); };
  return made;
}

}  // namespace weft
