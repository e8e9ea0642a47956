#include "eval/answers.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "base/log.h"
#include "demo/data_files.h"
#include "engine/engine_impl.h"
#include "eval/reader.h"
#include "text/json.h"
#include "text/sentences.h"
#include "text/token_counter.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr double kShareOfWords = 0.5;
constexpr std::size_t kEnoughWords = 100;

std::string unescape(std::string_view text) {
  static constexpr std::pair<std::string_view, char> kEscapes[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&amp;", '&'}};
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto escape = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                     [&](const auto& one) { return text.substr(at).starts_with(one.first); });
    plain += escape == std::end(kEscapes) ? text[at] : escape->second;
    at += escape == std::end(kEscapes) ? 1 : escape->first.size();
  }
  return plain;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text = " ";
  for (const std::string& word : words) text += word + " ";
  return text;
}

}  // namespace

WovenText::WovenText(std::string_view prompt) : words_(joined(index_words(unescape(prompt)))) {}

bool WovenText::holds(std::string_view message) const {
  std::size_t all = 0, found = 0;
  for (const std::string_view sentence : sentences(message)) {
    const auto words = index_words(sentence);
    all += words.size();
    if (!words.empty() && words_.find(joined(words)) != std::string::npos) found += words.size();
  }
  const auto half = static_cast<std::size_t>(kShareOfWords * static_cast<double>(all));
  return found > 0 && found >= std::min(half, kEnoughWords);
}

namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kRanked = 100;  // hits of the plain ranking that may fill a budget
constexpr std::int64_t kLineTokens = 8;  // what a line of the block takes beside its text
// How memory_fence and the profile mark a line whose statement does not hold any more.
constexpr std::string_view kOutdated[] = {"(outdated since ", "(until ", "起已过时", "（截至", "（至"};
constexpr std::int64_t kPatienceMs = 60'000;
constexpr std::chrono::seconds kModelPatience{60};
constexpr std::chrono::hours kReplayPatience{12};

/// Sums over the questions of one set.
struct Tally {
  double questions = 0, complete = 0, gold = 0, tokens = 0, items = 0, noise = 0, nothing = 0;
  double ranked_complete = 0, ranked_gold = 0;
  double pieces = 0;
  std::map<std::string, double> lost;  ///< pieces of evidence by the step at which they went
  double answerable = 0, answered = 0;  ///< questions whose answers are given in words
  double stale = 0, wrong_marks = 0;    ///< of these: an old value without a mark; an answer marked as outdated
  double unknown = 0, unknown_given = 0;  ///< questions about things that were never said
  double far = 0, far_given = 0, far_tokens = 0;

  OrderedJson json() const {
    const auto by = [](double sum, double count) { return count == 0 ? 0 : sum / count; };
    OrderedJson steps = OrderedJson::object();
    for (const auto& [why, count] : lost) steps[why] = by(count, pieces);
    return {{"questions", questions},
            {"complete", by(complete, questions)},
            {"gold", by(gold, questions)},
            {"tokens", by(tokens, questions)},
            {"items", by(items, questions)},
            {"noise", by(noise, items)},
            {"nothing", by(nothing, questions)},
            {"ranked", {{"complete", by(ranked_complete, questions)}, {"gold", by(ranked_gold, questions)}}},
            {"lost", std::move(steps)},
            {"answers",
             {{"questions", answerable},
              {"answered", by(answered, answerable)},
              {"stale", stale},
              {"wrong_marks", wrong_marks}}},
            {"unknown", {{"questions", unknown}, {"given", by(unknown_given, unknown)}}},
            {"far", {{"questions", far}, {"given", by(far_given, far)}, {"tokens", by(far_tokens, far)}}}};
  }
};

/// One replayed conversation.
struct Replayed {
  RequestContext request;
  std::string set;
  Language language = Language::kEnglish;
  std::vector<LabelledQuestion> questions;
  std::vector<Item> messages;  ///< in their order
  std::map<std::string, std::size_t> places;  ///< of the messages in their order, by id
  std::map<std::string, std::vector<std::string>> sources;  ///< of the items, by id

  const Item* message(const std::string& id) const {
    const auto place = places.find(id);
    return place == places.end() ? nullptr : &messages[place->second];
  }
  Time last() const { return messages.empty() ? Time{} : messages.back().time; }
};

/// What a prompt's memory section holds.
struct Given {
  std::int64_t tokens = 0;
  std::vector<const ReportItem*> kept, left;
  std::string text;  ///< all messages of the prompt but the question
};

class Measuring {
 public:
  /// `details` and `reader`: null for none.
  Measuring(Engine& engine, const std::vector<Replayed>& memories, std::int64_t budget, std::ostream* details,
            AnswerReader* reader)
      : engine_(engine), memories_(memories), budget_(budget), details_(details), reader_(reader) {}

  Result<std::map<std::string, Tally>> run() {
    for (std::size_t place = 0; place < memories_.size(); ++place) {
      const Replayed& own = memories_[place];
      const auto others = of_other_sets(own);
      for (std::size_t i = 0; i < own.questions.size(); ++i) {
        WEFT_CHECK(ask(own, own.questions[i]));
        if (reader_ != nullptr)
          log_info("eval.read", own.set + " " + std::to_string(place) + ", question " + std::to_string(i + 1) + " of " +
                                    std::to_string(own.questions.size()));
        if (!others.empty()) WEFT_CHECK(ask_far(*others[i % others.size()], own, own.questions[i]));
      }
      log_info("eval.asked", own.set + " " + std::to_string(place));
    }
    return std::move(tallies_);
  }

 private:
  std::vector<const Replayed*> of_other_sets(const Replayed& own) const {
    std::vector<const Replayed*> others;
    for (const Replayed& one : memories_)
      if (one.set != own.set && one.language == own.language) others.push_back(&one);
    return others;
  }

  Result<WovenContext> prompt(const Replayed& memory, const LabelledQuestion& question) {
    ContextRequest what;
    what.input = question.query;
    if (reader_ != nullptr) {
      what.model = reader_->model().name();
      what.window = reader_->model().window();
    }
    return engine_.session(memory.request, SessionId("asked-" + question.id)).context(what);
  }

  static Given given(const WovenContext& context) {
    Given given;
    for (const ReportSection& section : context.report.sections) {
      if (section.name != "memory") continue;
      given.tokens += section.items.empty() ? 0 : section.tokens;
      for (const ReportItem& item : section.items) (item.kept ? given.kept : given.left).push_back(&item);
    }
    if (given.kept.empty()) given.tokens = 0;
    for (const Message& message : context.messages) given.text += message.content + "\n";
    return given;
  }

  Status ask(const Replayed& memory, const LabelledQuestion& question) {
    WEFT_TRY(const WovenContext context, prompt(memory, question));
    const Given given = Measuring::given(context);
    Tally& tally = tallies_[memory.set];
    OrderedJson read;
    if (reader_ != nullptr) {
      WEFT_TRY(read, read_by_model(memory, question, context));
    }
    if (question.groups.empty()) {
      tally.unknown += 1;
      tally.unknown_given += given.kept.empty() ? 0 : 1;
      return details_ == nullptr ? Status() : rank(memory, question, given, tally, read);
    }
    if (!question.answers.empty()) check_answer(question, given.text, tally);
    const WovenText woven(given.text);
    const auto held = [&](const std::vector<std::string>& group) {
      return std::any_of(group.begin(), group.end(), [&](const std::string& id) {
        const Item* message = memory.message(id);
        return message != nullptr && woven.holds(message->text);
      });
    };
    std::size_t found = 0;
    for (const auto& group : question.groups) {
      if (held(group))
        ++found;
      else
        tally.lost[fate(memory, group, given)] += 1;
    }
    const auto pieces = static_cast<double>(question.groups.size());
    tally.questions += 1;
    tally.pieces += pieces;
    tally.gold += static_cast<double>(found) / pieces;
    tally.complete += found == question.groups.size() ? 1 : 0;
    tally.tokens += static_cast<double>(given.tokens);
    tally.items += static_cast<double>(given.kept.size());
    tally.nothing += given.kept.empty() ? 1 : 0;
    for (const ReportItem* item : given.kept) tally.noise += is_noise(memory, question, *item) ? 1 : 0;
    return rank(memory, question, given, tally, read);
  }

  // Returns the reader's answers, for the file of details.
  Result<OrderedJson> read_by_model(const Replayed& memory, const LabelledQuestion& question,
                                    const WovenContext& context) {
    WEFT_TRY(const SearchResult by_words, search(memory, question, "words"));
    Reading reading{question, memory.last(), context.messages, {}, {}, {}};
    std::set<const Item*> gold;
    for (const auto& group : question.groups)
      for (const std::string& id : group) gold.insert(memory.message(id));
    gold.erase(nullptr);
    reading.oracle.assign(gold.begin(), gold.end());
    for (const Hit* hit : within_budget(by_words)) reading.bm25.push_back(&hit->item);
    for (const Item& message : memory.messages) reading.whole.push_back(&message);
    return reader_->read(memory.set, reading);
  }

  // By lines: an old value may stand on a line that says that it is outdated, an answer on no such line alone.
  static void check_answer(const LabelledQuestion& question, const std::string& text, Tally& tally) {
    std::set<std::string> held, marked;
    bool stale = false;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const bool over = std::any_of(std::begin(kOutdated), std::end(kOutdated),
                                    [&](std::string_view mark) { return line.find(mark) != std::string::npos; });
      for (const std::string& answer : question.answers)
        if (line.find(answer) != std::string::npos) (over ? marked : held).insert(answer);
      stale = stale || (!over && std::any_of(question.stale.begin(), question.stale.end(),
                                             [&](const auto& old) { return line.find(old) != std::string::npos; }));
    }
    const bool all = question.category == "list";
    const bool answered = all ? held.size() == question.answers.size() : !held.empty();
    tally.answerable += 1;
    tally.answered += answered ? 1 : 0;
    tally.wrong_marks += !answered && !marked.empty() ? 1 : 0;
    tally.stale += stale ? 1 : 0;
  }

  // By the message that was left out, or else by the first item that comes from it.
  static std::string fate(const Replayed& memory, const std::vector<std::string>& group, const Given& given) {
    std::string fate = "not found";
    for (const ReportItem* item : given.left) {
      const auto sources = memory.sources.find(item->id);
      if (sources == memory.sources.end()) continue;
      const bool from_it = std::any_of(group.begin(), group.end(), [&](const std::string& id) {
        return std::find(sources->second.begin(), sources->second.end(), id) != sources->second.end();
      });
      if (!from_it) continue;
      if (item->source == to_string(ItemKind::kMessage)) return item->why;
      if (fate == "not found") fate = item->why;
    }
    return fate;
  }

  static bool is_noise(const Replayed& memory, const LabelledQuestion& question, const ReportItem& item) {
    const auto sources = memory.sources.find(item.id);
    if (sources == memory.sources.end()) return true;
    for (const auto& group : question.groups)
      for (const std::string& gold : group) {
        const auto place = memory.places.find(gold);
        for (const std::string& id : sources->second) {
          const auto own = memory.places.find(id);
          if (own == memory.places.end() || place == memory.places.end()) continue;
          if (std::max(own->second, place->second) - std::min(own->second, place->second) <= 1) return false;
        }
      }
    return true;
  }

  // `recipe`: empty for the configured one.
  Result<SearchResult> search(const Replayed& memory, const LabelledQuestion& question, std::string recipe) {
    SearchRequest what;
    what.query = question.query;
    what.top_k = kRanked;
    what.kinds = {ItemKind::kMessage};
    what.asked = question.asked;
    what.recipe = std::move(recipe);
    return engine_.memory(memory.request).search(what);
  }

  // The budget filled with hits, the best first.
  std::vector<const Hit*> within_budget(const SearchResult& found) const {
    std::vector<const Hit*> hits;
    std::int64_t tokens = 0;
    for (const Hit& hit : found.hits) {
      tokens += estimate_tokens(hit.item.text, TokenMode::kScript) + kLineTokens;
      if (tokens > budget_) break;
      hits.push_back(&hit);
    }
    return hits;
  }

  // The same tokens filled with the messages of the ranking.
  Status rank(const Replayed& memory, const LabelledQuestion& question, const Given& given, Tally& tally,
              const OrderedJson& read) {
    WEFT_TRY(const SearchResult found, search(memory, question, {}));
    std::set<std::string> taken;
    for (const Hit* hit : within_budget(found))
      for (const MessageId& id : hit->item.sources) taken.insert(id.str());
    std::size_t held = 0;
    for (const auto& group : question.groups)
      held += std::any_of(group.begin(), group.end(), [&](const auto& id) { return taken.contains(id); }) ? 1 : 0;
    if (details_ != nullptr) write_details(memory, question, given, found, read);
    if (question.groups.empty()) return {};
    tally.ranked_gold += static_cast<double>(held) / static_cast<double>(question.groups.size());
    tally.ranked_complete += held == question.groups.size() ? 1 : 0;
    return {};
  }

  void write_details(const Replayed& memory, const LabelledQuestion& question, const Given& given,
                     const SearchResult& found, const OrderedJson& read) {
    OrderedJson hits = OrderedJson::array(), woven = OrderedJson::array();
    for (const Hit& hit : found.hits)
      hits.push_back({{"message", hit.item.sources.empty() ? "" : hit.item.sources.front().str()},
                      {"score", hit.score},
                      {"relevance", hit.relevance},
                      {"tokens", estimate_tokens(hit.item.text, TokenMode::kScript)}});
    for (const ReportItem* item : given.kept) {
      const auto sources = memory.sources.find(item->id);
      woven.push_back(sources == memory.sources.end() ? OrderedJson(item->id) : OrderedJson(sources->second));
    }
    OrderedJson json{{"set", memory.set},
                     {"scope", memory.request.scope.user().str()},
                     {"id", question.id},
                     {"query", question.query},
                     {"category", question.category},
                     {"groups", question.groups},
                     {"known", found.known},
                     {"tokens", given.tokens},
                     {"prompt", given.text},
                     {"woven", std::move(woven)},
                     {"hits", std::move(hits)}};
    if (!read.is_null()) json["reader"] = read;
    *details_ << write_json(json) << "\n" << std::flush;
  }

  Status ask_far(const Replayed& asked, const Replayed& own, const LabelledQuestion& question) {
    WEFT_TRY(const WovenContext context, prompt(asked, question));
    const Given given = Measuring::given(context);
    Tally& tally = tallies_[own.set];
    tally.far += 1;
    tally.far_given += given.kept.empty() ? 0 : 1;
    tally.far_tokens += static_cast<double>(given.tokens);
    if (details_ == nullptr) return {};
    LabelledQuestion foreign = question;
    foreign.groups.clear();
    foreign.category = "far";
    return rank(asked, foreign, given, tally, {});
  }

  Engine& engine_;
  const std::vector<Replayed>& memories_;
  std::int64_t budget_;
  std::ostream* details_;
  AnswerReader* reader_;
  std::map<std::string, Tally> tallies_;
};

Result<std::unique_ptr<Engine>> open_engine(Config config) {
  config.context.deadline_ms = kPatienceMs;
  WEFT_TRY(auto engine, EngineImpl::open(config));
  if (config.embedding.provider != EmbeddingProvider::kNone) WEFT_CHECK(engine->wait_ready(kModelPatience));
  return std::unique_ptr<Engine>(std::move(engine));
}

std::int64_t window_of(Engine& engine, const ChatModel& model) {
  return model.window() > 0 ? model.window() : engine.model_traits(model.name()).window;
}

Status replay(Engine& engine, const std::vector<Conversation>& conversations) {
  for (const Conversation& one : conversations) {
    WEFT_TRY(const RequestContext request, scope_of(one));
    WEFT_TRY(const auto messages, read_messages(one));
    std::set<std::string> sessions;
    for (const SaidMessage& said : messages) {
      WEFT_CHECK(engine.session(request, said.session).observe(said.message));
      sessions.insert(said.session.str());
    }
    for (const std::string& session : sessions) WEFT_CHECK(engine.session(request, SessionId(session)).save());
    log_info("eval.replayed", one.stem);
  }
  return engine.drain(std::chrono::duration_cast<std::chrono::milliseconds>(kReplayPatience));
}

Result<Replayed> memory_of(Engine& engine, const Conversation& one, std::size_t most) {
  constexpr std::size_t kAllItems = 1'000'000;
  WEFT_TRY(RequestContext request, scope_of(one));
  WEFT_TRY(const auto messages, read_messages(one));
  WEFT_TRY(auto questions, read_questions(one));
  std::erase_if(questions,
                [](const LabelledQuestion& question) { return question.groups.empty() && !question.unanswerable; });
  Replayed memory{std::move(request), one.set, Language::kEnglish, {}, {}, {}, {}};
  std::size_t chinese = 0;
  for (const SaidMessage& said : messages) {
    Item& item = memory.messages.emplace_back();
    item.session = said.session;
    item.text = said.message.content;
    item.who = said.message.name.empty() ? std::string(to_string(said.message.role)) : said.message.name;
    item.time = said.message.time.value_or(Time{});
    item.position = static_cast<std::int64_t>(memory.messages.size());
    memory.places.emplace(said.message.id.str(), memory.messages.size() - 1);
    chinese += language_of(said.message.content) == Language::kChinese ? 1 : 0;
  }
  if (chinese * 2 > messages.size()) memory.language = Language::kChinese;
  for (const ItemKind kind : {ItemKind::kMessage, ItemKind::kEvent, ItemKind::kNarrative}) {
    WEFT_TRY(const auto items, engine.memory(memory.request).items(kind, kAllItems));
    for (const Item& item : items)
      for (const MessageId& id : item.sources) memory.sources[item.id.str()].push_back(id.str());
  }
  const std::size_t count = most == 0 ? questions.size() : std::min(most, questions.size());
  for (std::size_t i = 0; i < count; ++i) memory.questions.push_back(questions[i * questions.size() / count]);
  return memory;
}

}  // namespace

Result<RequestContext> scope_of(const Conversation& conversation) {
  const std::string name = fs::path(conversation.stem).filename().string();
  WEFT_TRY(const Scope scope, Scope::private_of(UserId(conversation.set + "/" + name)));
  return RequestContext{scope, {}, {}};
}

Result<std::string> run_eval_answers(const Config& config, const std::vector<std::string>& sets,
                                     const AnswersOptions& options) {
  std::vector<Conversation> conversations;
  for (const std::string& set : sets) {
    WEFT_TRY(const auto found, find_conversations(set, "eval answers"));
    conversations.insert(conversations.end(), found.begin(), found.end());
  }
  const ScratchWorkspace scratch;
  Config own = config;
  own.workspace = options.replayed.empty() ? scratch.path() : options.replayed;
  if (own.workspace.empty())
    return permission("eval answers: no temporary folder", "set TMPDIR to a folder that can be written");
  own.store.clear();
  std::ofstream details;
  if (!options.details.empty()) {
    details.open(options.details);
    if (!details) return permission("eval answers: cannot write " + options.details);
  }
  const bool known = fs::exists(fs::path(own.workspace) / "weft.db");
  OrderedJson json;
  std::vector<Replayed> memories;
  std::optional<AnswerReader> reader;
  std::vector<std::int64_t> budgets{own.context.memory_tokens};
  budgets.insert(budgets.end(), options.budgets.begin(), options.budgets.end());
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    own.context.memory_tokens = budgets[i];
    WEFT_TRY(const auto engine, open_engine(own));
    if (i == 0 && !known) WEFT_CHECK(replay(*engine, conversations));
    for (const Conversation& one : conversations) {
      if (i > 0) break;
      WEFT_TRY(Replayed memory, memory_of(*engine, one, options.questions));
      memories.push_back(std::move(memory));
    }
    if (i == 0 && options.reader != nullptr)
      reader.emplace(*options.reader, options.judge, window_of(*engine, *options.reader));
    Measuring measuring(*engine, memories, budgets[i], i == 0 && details.is_open() ? &details : nullptr,
                        i == 0 && reader ? &*reader : nullptr);
    WEFT_TRY(const auto tallies, measuring.run());
    for (const auto& [set, tally] : tallies) {
      json["by_set"][set][i == 0 ? "configured" : std::to_string(budgets[i])] = tally.json();
      if (i == 0 && reader) json["by_set"][set]["reader"] = reader->report(set);
    }
  }
  json["memory_tokens"] = budgets.front();
  return write_json(json);
}

}  // namespace weft
