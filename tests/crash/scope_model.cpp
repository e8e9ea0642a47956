#include "tests/crash/scope_model.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/clock.h"
#include "ports/files/file_system.h"

namespace weft::test {
namespace {

constexpr std::string_view kMark = "zq";
constexpr std::size_t kSecretSize = 8;
constexpr std::int64_t kFirstMs = 1'772'400'000'000;  // 1 March 2026
constexpr std::int64_t kStepMs = 17 * 60'000;
constexpr int kSessions = 3;
constexpr std::size_t kAll = 1'000'000;

constexpr std::string_view kTopics[] = {"garden roses and tulips", "train tickets to Prague", "the quarterly slides",
                                        "chickpea stew with lemon", "the database migration of orders"};
constexpr std::string_view kTowns[] = {"Graz", "Lyon", "Turku", "Sintra", "Bergen", "Trento", "Leuven", "Cork"};
constexpr std::string_view kTrades[] = {"glazier", "tanner", "cooper", "baker", "mason", "tiler", "roper"};

template <class List>
std::string one_of(const List& list, std::int64_t number) {
  return std::string(list[static_cast<std::size_t>(number) % std::size(list)]);
}

bool is_erasure(OpKind kind) { return kind >= OpKind::kEraseMessages; }

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

std::string_view name_of(OpKind kind) {
  constexpr std::string_view kNames[] = {
      "observe",     "sync",      "end",    "save",           "search",        "context",       "put state",
      "apply state", "roll back", "quest",  "lore",           "remove lore",   "write profile", "add knowledge",
      "set task",    "compact",   "export", "erase messages", "erase session", "erase before",  "erase everything"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string day_mark(const std::string& session, const std::string& message) {
  return " <!-- " + session + "/" + message + " -->";
}

}  // namespace

Message ModelMessage::message() const {
  Message made = Message::user(text);
  made.id = MessageId(id);
  made.role = role;
  made.time = Time{time_ms, 0};
  if (role == Role::kAssistant && !call.empty()) made.tool_calls = {ToolCall{call, "look_up", "{}"}};
  if (role == Role::kTool) made.tool_call_id = call;
  return made;
}

std::string describe(const Op& op) {
  std::string line(name_of(op.kind));
  for (const std::string& part : {op.session, op.name, op.secret})
    if (!part.empty()) line += " " + part;
  if (op.number != 0) line += " " + std::to_string(op.number);
  for (const ModelMessage& message : op.messages) line += " [" + message.id + " " + message.secret + "]";
  return line;
}

void for_each_secret(std::string_view text, const std::function<void(std::string_view word)>& take) {
  for (auto at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + 1))
    if (text.size() - at >= kSecretSize) take(text.substr(at, kSecretSize));
}

std::vector<std::string> files_with(const std::filesystem::path& folder, const std::set<std::string>& words) {
  std::vector<std::string> found;
  if (words.empty()) return found;
  std::error_code failed;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder, failed)) {
    if (!file.is_regular_file(failed)) continue;
    std::ifstream in(file.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::set<std::string> here;
    for_each_secret(bytes, [&](std::string_view word) {
      if (words.contains(std::string(word))) here.emplace(word);
    });
    for (const std::string& word : here) found.push_back(file.path().string() + ": " + word);
  }
  return found;
}

ScopeModel::ScopeModel(char letter, Scope scope, std::uint32_t seed)
    : letter_(letter), scope_(std::move(scope)), random_(seed * 31 + static_cast<std::uint32_t>(letter)) {}

std::string ScopeModel::new_secret() {
  std::string word = std::string(kMark) + letter_;
  std::int64_t rest = ++last_word_;
  for (std::size_t i = word.size(); i < kSecretSize; ++i, rest /= 25)
    word += static_cast<char>('a' + rest % 25);  // no 'z': no secret begins within another one
  return word;
}

ModelMessage ScopeModel::new_message(Role role, std::string text, bool with_id) {
  ModelMessage message;
  const std::int64_t number = ++last_name_;
  if (with_id) message.id = "m" + std::to_string(number);
  message.role = role;
  message.time_ms = kFirstMs + number * kStepMs;
  if (!text.empty()) {
    message.secret = new_secret();
    message.text = message.secret + " " + text;
  }
  return message;
}

std::vector<ModelMessage> ScopeModel::new_turn(bool with_ids) {
  const std::int64_t turn = last_name_;
  const std::string topic = one_of(kTopics, turn / 9);
  std::string asked = "question " + std::to_string(turn) + " on " + topic + ".";
  switch (draw(8)) {
    case 0: asked += " Please keep your answers short."; break;
    case 1: asked += " I live in " + one_of(kTowns, turn) + "."; break;
    case 2:
      asked += " From now on, when I ask you to deploy: first run the tests, then build the image, then push it.";
      break;
    case 3: asked += " My sister is a " + one_of(kTrades, turn) + "."; break;
    default: break;
  }
  std::vector<ModelMessage> said{new_message(Role::kUser, asked, with_ids)};
  if (with_ids && draw(4) == 0) {
    ModelMessage step = new_message(Role::kAssistant, "", with_ids);
    step.call = "c" + std::to_string(last_name_);
    ModelMessage output = new_message(Role::kTool, "was found", with_ids);
    output.call = step.call;
    said.push_back(std::move(step));
    said.push_back(std::move(output));
  }
  if (with_ids && draw(10) == 0) return said;  // no answer yet
  std::string answer = "answer " + std::to_string(turn) + " on " + topic + ".";
  const bool changes = has_default_state_ && draw(3) == 0;
  if (draw(6) == 0) answer += " I do not know where you live.";
  if (changes) answer += "\n```state\n[[\"ADD\",\"town.visits\",1]]\n```";
  said.push_back(new_message(Role::kAssistant, answer, with_ids));
  said.back().changes_state = changes;
  return said;
}

OpKind ScopeModel::draw_kind() {
  if (!has_default_state_) return OpKind::kPutState;
  constexpr std::pair<OpKind, std::uint32_t> kWeights[] = {
      {OpKind::kObserve, 40},     {OpKind::kSync, 10},         {OpKind::kEnd, 14},         {OpKind::kSave, 4},
      {OpKind::kSearch, 6},       {OpKind::kContext, 4},       {OpKind::kPutState, 3},     {OpKind::kApplyState, 8},
      {OpKind::kRollBack, 3},     {OpKind::kQuest, 4},         {OpKind::kPutLore, 3},      {OpKind::kRemoveLore, 1},
      {OpKind::kWriteProfile, 4}, {OpKind::kAddKnowledge, 3},  {OpKind::kSetTask, 2},      {OpKind::kCompact, 4},
      {OpKind::kExport, 1},       {OpKind::kEraseMessages, 5}, {OpKind::kEraseSession, 2}, {OpKind::kEraseBefore, 2},
      {OpKind::kEraseAll, 1}};
  std::uint32_t all = 0;
  for (const auto& [kind, weight] : kWeights) all += weight;
  std::uint32_t drawn = draw(all);
  for (const auto& [kind, weight] : kWeights) {
    if (drawn < weight) return kind;
    drawn -= weight;
  }
  return OpKind::kObserve;
}

// Nothing where the model has nothing to do it with.
std::optional<Op> ScopeModel::make(OpKind kind) {
  Op op;
  op.kind = kind;
  const std::string drawn = "s" + std::to_string(draw(kSessions));
  const auto& session = sessions_[drawn];
  switch (kind) {
    case OpKind::kObserve:
      op.session = drawn;
      op.messages = new_turn(true);
      break;
    case OpKind::kSync: {
      op.session = "h" + std::to_string(generation_);
      op.history = sessions_[op.session].active;
      if (op.history.size() >= 2 && draw(4) == 0) {
        op.history.pop_back();
        op.messages = {new_message(Role::kAssistant, "another answer", false)};
      } else {
        op.messages = new_turn(false);
      }
      op.history.insert(op.history.end(), op.messages.begin(), op.messages.end());
      break;
    }
    case OpKind::kEnd: {
      op.session = drawn;
      std::vector<const ModelMessage*> open;
      for (const ModelMessage& one : session.active)
        if (one.role == Role::kUser && std::none_of(ends_.begin(), ends_.end(), [&](const End& end) {
              return end.session == drawn && end.message == one.id;
            }))
          open.push_back(&one);
      if (open.empty()) return std::nullopt;
      op.messages = {*open[draw(static_cast<std::uint32_t>(open.size()))]};
      op.name = "r" + std::to_string(++last_name_);
      op.secret = new_secret();
      op.number = drawn == "s0" ? static_cast<std::int64_t>(draw(2)) : 0;  // whether the task is done
      break;
    }
    case OpKind::kSave:
    case OpKind::kContext:
    case OpKind::kCompact: op.session = drawn; break;
    case OpKind::kSearch: {
      if (session.active.empty()) return std::nullopt;
      op.messages = {session.active[draw(static_cast<std::uint32_t>(session.active.size()))]};
      if (op.messages.front().secret.empty()) return std::nullopt;
      break;
    }
    case OpKind::kPutState:
      op.name = has_default_state_ ? "world" : "default";
      op.number = static_cast<std::int64_t>(draw(1000));
      break;
    case OpKind::kApplyState:
      if (world_.empty()) return std::nullopt;
      op.name = "f" + std::to_string(draw(5));
      op.number = static_cast<std::int64_t>(draw(1000));
      break;
    case OpKind::kRollBack:
      if (world_.size() < 2) return std::nullopt;
      op.number = 1 + static_cast<std::int64_t>(draw(static_cast<std::uint32_t>(world_.size() - 1)));
      break;
    case OpKind::kQuest:
      op.name = "q" + std::to_string(draw(4));
      op.secret = new_secret();
      op.number = 2 + static_cast<std::int64_t>(draw(3));
      break;
    case OpKind::kPutLore:
      op.name = "k" + std::to_string(draw(4));
      op.secret = new_secret();
      break;
    case OpKind::kRemoveLore:
      if (lore_.empty()) return std::nullopt;
      op.name = lore_.begin()->first;
      break;
    case OpKind::kWriteProfile:
    case OpKind::kAddKnowledge: op.secret = new_secret(); break;
    case OpKind::kSetTask:
      op.session = "s0";
      op.secret = new_secret();
      break;
    case OpKind::kExport: break;
    case OpKind::kEraseMessages: {
      op.session = drawn;
      std::vector<ModelMessage> some;
      for (const ModelMessage& one : session.active)
        if (some.size() < 2 && draw(static_cast<std::uint32_t>(session.active.size())) < 2) some.push_back(one);
      if (some.empty()) return std::nullopt;
      op.messages = std::move(some);
      break;
    }
    case OpKind::kEraseSession:
      if (session.active.empty()) return std::nullopt;
      op.session = drawn;
      op.messages = session.active;
      break;
    case OpKind::kEraseBefore:
      if (session.active.size() < 3) return std::nullopt;
      op.number = session.active[session.active.size() / 3].time_ms;
      break;
    case OpKind::kEraseAll: break;
  }
  return op;
}

const Op& ScopeModel::begin() {
  ++number_;
  while (!pending_) pending_ = make(draw_kind());
  if (is_erasure(pending_->kind)) log_gaps_ += static_cast<std::int64_t>(going(*pending_).size());
  return *pending_;
}

// The messages that an erasure takes out.
std::vector<ModelMessage> ScopeModel::going(const Op& op) const {
  if (op.kind == OpKind::kEraseMessages || op.kind == OpKind::kEraseSession) return op.messages;
  std::vector<ModelMessage> gone;
  for (const auto& [name, session] : sessions_)
    for (const auto* list : {&session.active, &session.abandoned})
      for (const ModelMessage& one : *list)
        if (op.kind == OpKind::kEraseAll || one.time_ms < op.number) gone.push_back(one);
  return gone;
}

void ScopeModel::forget(const Op& op) {
  const std::vector<ModelMessage> gone = going(op);
  std::set<std::string> secrets, ids;
  for (const ModelMessage& one : gone) {
    if (!one.secret.empty()) secrets.insert(one.secret);
    if (!one.id.empty()) ids.insert(one.id);
    changes_erased_ += one.changes_state ? 1 : 0;
  }
  const auto goes = [&](const ModelMessage& one) {
    return (!one.id.empty() && ids.contains(one.id)) || (!one.secret.empty() && secrets.contains(one.secret));
  };
  for (auto& [name, session] : sessions_) {
    const std::size_t gone_here = std::erase_if(session.active, goes) + std::erase_if(session.abandoned, goes);
    if (gone_here == 0) continue;
    session.compactions = 0;
    if (name == "h" + std::to_string(generation_)) ++generation_;
  }
  std::erase_if(ends_, [&](const End& end) {
    const bool is_gone = op.kind == OpKind::kEraseAll || ids.contains(end.message);
    if (is_gone) secrets.insert(end.secret);
    return is_gone;
  });
  erased_.insert(secrets.begin(), secrets.end());
  if (op.kind != OpKind::kEraseAll) return;
  for (const std::string& word : {profile_line_, knowledge_, task_})
    if (!word.empty()) erased_.insert(word);
  for (const auto& [id, quest] : quests_) erased_.insert(quest.first);
  for (const auto& [id, text] : lore_) erased_.insert(text);
  sessions_.clear();
  world_.clear();
  quests_.clear();
  lore_.clear();
  profile_line_ = knowledge_ = task_ = {};
  has_default_state_ = false;
  changes_ = changes_erased_ = log_gaps_ = 0;
  ++generation_;
}

std::vector<ScopeModel::Fields> ScopeModel::after(const Op& op) const {
  std::vector<Fields> versions = world_;
  if (op.kind == OpKind::kPutState && op.name == "world") versions.push_back({{"f0", op.number}});
  if (op.kind == OpKind::kApplyState) {
    versions.push_back(versions.back());
    versions.back()[op.name] = op.number;
  }
  if (op.kind == OpKind::kRollBack) versions.push_back(versions[static_cast<std::size_t>(op.number) - 1]);
  return versions;
}

void ScopeModel::settle(bool happened) {
  const Op op = std::move(*pending_);
  pending_.reset();
  steps_.push_back(describe(op) + (happened ? "" : " (nothing changed)"));
  if (!happened) return;
  Session* const session = op.session.empty() ? nullptr : &sessions_[op.session];
  for (const ModelMessage& one : op.messages)
    if (op.kind == OpKind::kObserve || op.kind == OpKind::kSync) changes_ += one.changes_state ? 1 : 0;
  switch (op.kind) {
    case OpKind::kObserve: session->active.insert(session->active.end(), op.messages.begin(), op.messages.end()); break;
    case OpKind::kSync:
      for (std::size_t i = op.history.size() - op.messages.size(); i < session->active.size(); ++i)
        session->abandoned.push_back(session->active[i]);
      session->active = op.history;
      break;
    case OpKind::kEnd: {
      const ModelMessage& about = op.messages.front();
      ends_.push_back({op.session, op.name, about.id, op.secret, about.time_ms});
      ++session->ends;
      if (op.number == 1) task_.clear();
      break;
    }
    case OpKind::kPutState: has_default_state_ = true; [[fallthrough]];
    case OpKind::kApplyState:
    case OpKind::kRollBack: world_ = after(op); break;
    case OpKind::kQuest: quests_[op.name] = {op.secret, op.number}; break;
    case OpKind::kPutLore: lore_[op.name] = op.secret; break;
    case OpKind::kRemoveLore: lore_.erase(op.name); break;
    case OpKind::kWriteProfile: profile_line_ = op.secret; break;
    case OpKind::kAddKnowledge: knowledge_ = op.secret; break;
    case OpKind::kSetTask: task_ = op.secret; break;
    case OpKind::kCompact: ++session->compactions; break;
    case OpKind::kEraseMessages:
    case OpKind::kEraseSession:
    case OpKind::kEraseBefore:
    case OpKind::kEraseAll: forget(op); break;
    case OpKind::kSave:
    case OpKind::kSearch:
    case OpKind::kContext:
    case OpKind::kExport: break;
  }
}

EraseRequest ScopeModel::request_of(const Op& op) const {
  EraseRequest what;
  if (op.kind == OpKind::kEraseAll) what.everything = true;
  if (op.kind == OpKind::kEraseBefore) what.before = Time{op.number, 0};
  for (const ModelMessage& one : op.messages) what.messages.emplace_back(one.id);
  what.session = SessionId(op.session);
  return what;
}

Result<bool> ScopeModel::erase(Engine& engine, const std::filesystem::path& workspace, const Report& report) const {
  const auto receipt = engine.memory(scope_).erase(request_of(*pending_));
  if (!receipt.ok()) return receipt.error();
  // Not its `traces_found`: words that other scopes share with the erased ones may count. Secrets are nobody else's.
  std::set<std::string> words;
  for (const ModelMessage& one : going(*pending_))
    if (!one.secret.empty()) words.insert(one.secret);
  for (const std::string& file : files_with(workspace, words)) report("erased, and there: " + file);
  return true;
}

Result<bool> ScopeModel::end(Engine& engine, bool again, const Report& report) const {
  const Op& op = *pending_;
  EndRequest what;
  what.action_summary =
      "I looked up " + one_of(kTopics, op.messages.front().time_ms / kStepMs) + " for " + op.secret + ".";
  what.new_info = "My friend " + op.secret + " is a " + one_of(kTrades, op.messages.front().time_ms / kStepMs) +
                  " in " + one_of(kTowns, op.messages.front().time_ms / kStepMs / 3) + ".";
  what.request_id = op.name;
  what.message_ids = {MessageId(op.messages.front().id)};
  what.time = Time{op.messages.front().time_ms, 0};
  what.force = true;
  what.task_done = op.number == 1;
  const auto ended = engine.session(scope_, op.session).end(what);
  // A message gives one new information: told again it is refused.
  const bool is_refused = again && !ended.ok() && ended.error().code == ErrorCode::kConflict;
  if (!ended.ok() && !is_refused) return ended.error();
  if (is_refused && op.number == 1) {
    const auto task = engine.session(scope_, op.session).task();
    if (!task.ok()) return task.error();
    if (!task->empty()) report("half of an end: " + op.name + " is queued, and the task that it ends is there");
  }
  return true;
}

Result<bool> ScopeModel::perform(Engine& engine, const std::filesystem::path& workspace, const Report& report) const {
  const Op& op = *pending_;
  const auto done = [](const auto& result) -> Result<bool> {
    if (!result.ok()) return result.error();
    return true;
  };
  const auto wire = [](const std::vector<ModelMessage>& messages) {
    std::vector<Message> made;
    for (const ModelMessage& one : messages) made.push_back(one.message());
    return made;
  };
  const auto session = engine.session(scope_, op.session.empty() ? "s0" : op.session);
  switch (op.kind) {
    case OpKind::kObserve: return done(session.observe(wire(op.messages)));
    case OpKind::kSync: return done(session.sync(wire(op.history)));
    case OpKind::kEnd: return end(engine, false, report);
    case OpKind::kSave: return done(session.save());
    case OpKind::kSearch: check_found(engine, op.messages.front(), report); return true;
    case OpKind::kContext: {
      const auto woven = session.context("What did I say about " + one_of(kTopics, number_) + "?");
      if (!woven.ok()) return woven.error();
      for (const Message& message : woven->messages) check_text("a prompt", message.content, report);
      return true;
    }
    case OpKind::kPutState: {
      const char* field = op.name == "world" ? "f0" : "visits";
      const std::int64_t value = op.name == "world" ? op.number : 0;
      return done(engine.state(scope_, op.name).put(Value(ValueObject{{"town", ValueObject{{field, value}}}})));
    }
    case OpKind::kApplyState:
      return done(engine.state(scope_, "world").apply(StateOps().set("town." + op.name, op.number)));
    case OpKind::kRollBack: return done(engine.state(scope_, "world").roll_back(op.number));
    case OpKind::kQuest: {
      Quest quest;
      quest.id = op.name;
      quest.title = "Find " + op.secret;
      quest.objective = "find it";
      quest.status = static_cast<QuestStatus>(op.number);
      return done(engine.story(scope_).put_quest(quest));
    }
    case OpKind::kPutLore: {
      LoreEntry entry;
      entry.id = op.name;
      entry.title = "Places";
      entry.text = "The harbour of " + op.secret + " is closed.";
      return done(engine.story(scope_).put_lore(entry));
    }
    case OpKind::kRemoveLore: return done(engine.story(scope_).remove_lore(op.name));
    case OpKind::kWriteProfile:
      return done(engine.profiles(scope_).write("## Notes\n\n- has a boat called " + op.secret + "\n"));
    case OpKind::kAddKnowledge: {
      KnowledgeEntry entry;
      entry.section = "Facts";
      entry.text = "The code word of week " + std::to_string(number_) + " is " + op.secret + ".";
      const auto added = engine.memory(scope_).add_knowledge(entry);
      if (!added.ok()) return added.error();
      return *added != KnowledgeAdded::kKnown;
    }
    case OpKind::kSetTask: {
      SessionTask task;
      task.state.description = "Write the report on " + op.secret + ".";
      return done(session.set_task(task));
    }
    case OpKind::kCompact: {
      const auto made = session.compact();
      if (!made.ok() && made.error().code == ErrorCode::kConflict) return false;
      return done(made);
    }
    case OpKind::kExport:
      return done(engine.memory(scope_).export_to([&](std::string_view line) {
        check_text("an export", line, report);
        return Status();
      }));
    case OpKind::kEraseMessages:
    case OpKind::kEraseSession:
    case OpKind::kEraseBefore:
    case OpKind::kEraseAll: return erase(engine, workspace, report);
  }
  return false;
}

Result<bool> ScopeModel::happened(Engine& engine, const std::filesystem::path& workspace, const Report& report) const {
  const Op& op = *pending_;
  const auto session = engine.session(scope_, op.session.empty() ? "s0" : op.session);
  switch (op.kind) {
    case OpKind::kObserve:
    case OpKind::kSync: {
      const auto& before =
          sessions_.contains(op.session) ? sessions_.at(op.session).active : std::vector<ModelMessage>();
      std::vector<ModelMessage> after = op.history;
      if (op.kind == OpKind::kObserve) {
        after = before;
        after.insert(after.end(), op.messages.begin(), op.messages.end());
      }
      if (!session_problem(engine, op.session, before)) return false;
      if (const auto problem = session_problem(engine, op.session, after))
        report("a part of " + describe(op) + " happened: " + *problem);
      return true;
    }
    case OpKind::kEnd: return end(engine, true, report);
    case OpKind::kPutState:
      if (op.name == "default") {
        const auto view = engine.state(scope_, "default").read();
        if (!view.ok()) return view.error();
        return view->version > 0;
      }
      [[fallthrough]];
    case OpKind::kApplyState:
    case OpKind::kRollBack: {
      if (!world_problem(engine, world_)) return false;
      if (const auto problem = world_problem(engine, after(op)))
        report("a part of " + describe(op) + " happened: " + *problem);
      return true;
    }
    case OpKind::kQuest: {
      const auto quests = engine.story(scope_).quests();
      if (!quests.ok()) return quests.error();
      return std::any_of(quests->begin(), quests->end(),
                         [&](const Quest& quest) { return quest.title.ends_with(op.secret); });
    }
    case OpKind::kPutLore:
    case OpKind::kRemoveLore: {
      const auto lore = engine.story(scope_).lore();
      if (!lore.ok()) return lore.error();
      const auto at = std::find_if(lore->begin(), lore->end(), [&](const LoreEntry& one) { return one.id == op.name; });
      if (op.kind == OpKind::kRemoveLore) return at == lore->end();
      return at != lore->end() && at->text.find(op.secret) != std::string::npos;
    }
    case OpKind::kWriteProfile: {
      const auto profile = engine.profiles(scope_).read();
      if (!profile.ok() && profile.error().code == ErrorCode::kNotFound) return false;
      if (!profile.ok()) return profile.error();
      return profile->body.find(op.secret) != std::string::npos;
    }
    case OpKind::kAddKnowledge: {
      const auto file = engine.memory(scope_).knowledge();
      if (!file.ok()) return file.error();
      return file->text.find(op.secret) != std::string::npos;
    }
    case OpKind::kSetTask: {
      const auto task = session.task();
      if (!task.ok()) return task.error();
      return task->state.description.find(op.secret) != std::string::npos;
    }
    case OpKind::kCompact: {
      const auto all = session.compactions();
      if (!all.ok()) return all.error();
      const std::int64_t before = sessions_.contains(op.session) ? sessions_.at(op.session).compactions : 0;
      return static_cast<std::int64_t>(all->size()) > before;
    }
    case OpKind::kEraseMessages:
    case OpKind::kEraseSession:
    case OpKind::kEraseBefore:
    case OpKind::kEraseAll: return erase(engine, workspace, report);
    case OpKind::kSave:
    case OpKind::kSearch:
    case OpKind::kContext:
    case OpKind::kExport: return false;
  }
  return false;
}

// Nothing: the living branch of the session is what it should be.
std::optional<std::string> ScopeModel::session_problem(Engine& engine, const std::string& name,
                                                       const std::vector<ModelMessage>& wanted) const {
  const auto history = engine.session(scope_, name).history(kAll);
  if (!history.ok()) return name + ": " + history.error().message;
  const auto line = [](const std::string& id, Role role, const std::string& text) {
    return "[" + id + " " + std::string(to_string(role)) + " " + text.substr(0, kSecretSize) + "]";
  };
  std::string is, should;
  for (const StoredMessage& one : *history) {
    check_text("the session " + name, one.message.content, [&](const std::string& problem) { is += problem; });
    const bool with_id = name.starts_with("s");
    is += line(with_id ? one.message.id.str() : "", one.message.role, one.message.content);
  }
  for (const ModelMessage& one : wanted) should += line(one.id, one.role, one.text);
  if (is == should) return std::nullopt;
  return name + " is " + is + ", and should be " + should;
}

std::optional<std::string> ScopeModel::world_problem(Engine& engine, const std::vector<Fields>& versions) const {
  const auto state = engine.state(scope_, "world");
  const auto log = state.log(kAll);
  if (!log.ok()) return log.error().message;
  std::string numbers;
  for (std::size_t i = 0; i < log->size(); ++i)
    if ((*log)[i].version != static_cast<std::int64_t>(i) + 1) numbers += " " + std::to_string((*log)[i].version);
  if (!numbers.empty()) return "gaps in the versions of the state:" + numbers;
  if (log->size() != versions.size())
    return "the state has " + std::to_string(log->size()) + " versions, and should have " +
           std::to_string(versions.size());
  if (versions.empty()) return std::nullopt;
  for (const std::size_t at : {versions.size(), versions.size() / 2 + 1}) {
    const auto view = state.read(static_cast<std::int64_t>(std::min(at, versions.size())));
    if (!view.ok()) return view.error().message;
    const auto tree = view->tree();
    if (!tree.ok()) return tree.error().message;
    for (const auto& [field, value] : versions[std::min(at, versions.size()) - 1]) {
      const Value* town = tree->find("town");
      const Value* is = town == nullptr ? nullptr : town->find(field);
      if (is == nullptr || !(*is == Value(value)))
        return "version " + std::to_string(at) + " of the state: town." + field + " should be " +
               std::to_string(value) + " in " + view->json;
    }
  }
  return std::nullopt;
}

void ScopeModel::check_text(std::string_view where, std::string_view text, const Report& report) const {
  for_each_secret(text, [&](std::string_view word) {
    if (word[kMark.size()] != letter_)
      report(std::string(where) + " of " + scope_.key().str() + " holds another scope's " + std::string(word));
    if (erased_.contains(std::string(word)))
      report(std::string(where) + " of " + scope_.key().str() + " holds the erased " + std::string(word));
  });
}

void ScopeModel::check_found(Engine& engine, const ModelMessage& message, const Report& report) const {
  constexpr std::size_t kHits = 1000;  // whether it is in the index is asked here, not how near it comes
  const auto found = engine.memory(scope_).search(message.secret, kHits);
  if (!found.ok()) return report("search: " + found.error().message);
  for (const Hit& hit : found->hits) check_text("a search", hit.item.text, report);
  if (std::none_of(found->hits.begin(), found->hits.end(),
                   [&](const Hit& hit) { return hit.item.text.find(message.secret) != std::string::npos; }))
    report("the message " + message.id + " is not found by its word " + message.secret);
}

void ScopeModel::check(Engine& engine, const Report& report) const {
  for (const auto& [name, session] : sessions_) {
    if (const auto problem = session_problem(engine, name, session.active)) report(*problem);
    if (!session.active.empty() && !session.active.back().secret.empty())
      check_found(engine, session.active.back(), report);
    const auto compactions = engine.session(scope_, name).compactions();
    if (!compactions.ok())
      report(compactions.error().message);
    else if (static_cast<std::int64_t>(compactions->size()) != session.compactions)
      report(name + " has " + std::to_string(compactions->size()) + " compactions, and should have " +
             std::to_string(session.compactions));
  }
  if (const auto problem = world_problem(engine, world_)) report(*problem);
  const auto quests = engine.story(scope_).quests();
  if (!quests.ok()) return report(quests.error().message);
  std::map<std::string, std::pair<std::string, std::int64_t>> quests_there;
  for (const Quest& quest : *quests)
    quests_there[quest.id] = {quest.title.substr(std::min<std::size_t>(5, quest.title.size())),
                              static_cast<std::int64_t>(quest.status)};
  if (quests_there != quests_) report("the quests are not those that were put");
  const auto lore = engine.story(scope_).lore();
  if (!lore.ok()) return report(lore.error().message);
  if (lore->size() != lore_.size()) report("there are " + std::to_string(lore->size()) + " entries of lore");
  for (const LoreEntry& entry : *lore)
    if (!lore_.contains(entry.id) || entry.text.find(lore_.at(entry.id)) == std::string::npos)
      report("the lore " + entry.id + " is \"" + entry.text + "\"");
  const auto profile = engine.profiles(scope_).read();
  if (!profile.ok() && profile.error().code != ErrorCode::kNotFound) return report(profile.error().message);
  const std::string body = profile.ok() ? profile->body : "";
  check_text("the profile", body, report);
  if (!profile_line_.empty() && count_of(body, profile_line_) != 1)
    report("the profile lacks the line " + profile_line_ + ": " + body);
  for (const End& end : ends_)
    if (count_of(body, end.secret) > 1) report("the profile tells " + end.secret + " more than once: " + body);
  const auto knowledge = engine.memory(scope_).knowledge();
  const std::string known = knowledge.ok() ? knowledge->text : "";
  check_text("MEMORY.md", known, report);
  if (!knowledge_.empty() && count_of(known, knowledge_) != 1) report("MEMORY.md lacks " + knowledge_);
  const auto task = engine.session(scope_, "s0").task();
  if (!task.ok()) return report(task.error().message);
  if (task->empty() != task_.empty() || task->state.description.find(task_) == std::string::npos)
    report("the task is \"" + task->state.description + "\", and should be about \"" + task_ + "\"");
}

void ScopeModel::check_settled(Engine& engine, const std::filesystem::path& workspace, const Report& report) const {
  check_items(engine, report);
  check_days(engine, workspace, report);
  check_default_state(engine, report);
}

void ScopeModel::check_items(Engine& engine, const Report& report) const {
  std::set<std::string> ids;
  std::map<std::string, int> of_message, of_end;
  for (const ItemKind kind : kItemKinds) {
    const auto items = engine.memory(scope_).items(kind, kAll);
    if (!items.ok()) return report(items.error().message);
    for (const Item& item : *items) {
      check_text("an item", item.text, report);
      if (!ids.insert(item.id.str()).second) report("two items have the id " + item.id.str());
      if (kind == ItemKind::kMessage)
        for_each_secret(item.text, [&](std::string_view word) { ++of_message[std::string(word)]; });
      if (kind == ItemKind::kEvent && item.event) ++of_end[item.event->request_id];
    }
  }
  for (const auto& [name, session] : sessions_)
    for (const ModelMessage& one : session.active)
      if (!one.secret.empty() && of_message[one.secret] != 1)
        report("the message " + one.id + " " + one.secret + " of " + name + " has " +
               std::to_string(of_message[one.secret]) + " items");
  for (const End& end : ends_)
    if (of_end[end.request] != 1)
      report("the end " + end.request + " " + end.secret + " has " + std::to_string(of_end[end.request]) + " events");
}

// The file of a day that was written a moment ago is left to an editor for two seconds.
bool ScopeModel::is_shown(Engine& engine, const std::string& date, const std::filesystem::path& file) const {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (;;) {
    const auto day = engine.memory(scope_).day(date);
    std::ifstream in(file, std::ios::binary);
    const std::string shown((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (day.ok() && shown == day->text) return true;
    if (std::chrono::steady_clock::now() >= limit) return false;
    ::usleep(20'000);
  }
}

void ScopeModel::check_days(Engine& engine, const std::filesystem::path& workspace, const Report& report) const {
  const auto days = engine.memory(scope_).days();
  if (!days.ok()) return report(days.error().message);
  const auto folder = scope_folder(workspace, "memory", scope_.key()) / "daily";
  std::string all;
  for (const std::string& date : *days) {
    const auto day = engine.memory(scope_).day(date);
    if (!day.ok()) return report(day.error().message);
    check_text("the day " + date, day->text, report);
    if (!is_shown(engine, date, folder / (date + ".md")))
      report("the file of the day " + date + " does not show the day");
    all += day->text;
  }
  // An output has no line without the call that it answers.
  std::set<std::string> calls;
  for (const auto& [name, session] : sessions_)
    for (const ModelMessage& one : session.active)
      if (one.role == Role::kAssistant) calls.insert(one.call);
  for (const auto& [name, session] : sessions_)
    for (const ModelMessage& one : session.active) {
      if (one.id.empty() || one.secret.empty() || (one.role == Role::kTool && !calls.contains(one.call))) continue;
      if (const auto count = count_of(all, day_mark(name, one.id)); count != 1)
        report("the days have " + std::to_string(count) + " lines of " + name + "/" + one.id + " " + one.secret);
    }
}

void ScopeModel::check_default_state(Engine& engine, const Report& report) const {
  const auto view = engine.state(scope_, "default").read();
  if (!view.ok()) return report(view.error().message);
  if (!has_default_state_) {
    if (view->version != 0) report("the state \"default\" is there after everything was erased");
    return;
  }
  const auto value = engine.state(scope_, "default").get("town.visits");
  const std::int64_t* visits = value.ok() ? std::get_if<std::int64_t>(&value->data) : nullptr;
  if (visits == nullptr) return report("the state \"default\" is " + view->json);
  if (*visits + 1 != view->version || *visits > changes_ || *visits < changes_ - changes_erased_)
    report("the state \"default\" has version " + std::to_string(view->version) + " and " + std::to_string(*visits) +
           " visits; " + std::to_string(changes_) + " answers changed it, of which " + std::to_string(changes_erased_) +
           " were erased");
}

void ScopeModel::check_log(Store& store, const Report& report) const {
  const ScopeKey scope = scope_.key();
  const auto entries = store.log().behind(scope, 0, kAll);
  if (!entries.ok()) return report(entries.error().message);
  std::map<std::string, int> messages;
  std::map<std::string, std::int64_t> ends;
  std::int64_t gaps = 0, last = entries->empty() ? 0 : entries->front().seq - 1;
  for (const LogEntry& entry : *entries) {
    gaps += entry.seq - last - 1;
    last = entry.seq;
    if (entry.kind == LogKind::kMessage) ++messages[entry.body];
    if (entry.kind == LogKind::kEnded) ++ends[entry.session.str()];
  }
  if (gaps > log_gaps_ && !(pending_ && pending_->kind == OpKind::kEraseAll))
    report("the log lacks " + std::to_string(gaps) + " entries, and erasures took " + std::to_string(log_gaps_));
  if (pending_ && pending_->kind == OpKind::kEraseAll) return;  // entries go before the messages
  std::size_t rows = 0;
  const Status scanned = store.messages().scan(scope, true, [&](MessageRow&& row) {
    ++rows;
    if (messages[std::to_string(row.seq)] != 1)
      report("the log has " + std::to_string(messages[std::to_string(row.seq)]) + " entries of the message " +
             row.message.id.str());
  });
  if (!scanned.ok()) return report(scanned.error().message);
  if (rows != messages.size()) report("the log names messages that are not there");
  if (pending_ && pending_->kind == OpKind::kEnd) return;
  for (const auto& [name, session] : sessions_)
    if (ends[name] != session.ends)
      report("the log has " + std::to_string(ends[name]) + " ends of " + name + ", and should have " +
             std::to_string(session.ends));
}

}  // namespace weft::test
