#include "eval/bench.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <thread>

#include "agent/run_files.h"
#include "base/clock.h"
#include "demo/data_files.h"
#include "engine/engine_impl.h"
#include "flow/compaction/compact.h"
#include "flow/context/curate.h"
#include "flow/context/skeleton.h"
#include "flow/memory/state_tree.h"
#include "flow/recall/item_words.h"
#include "model/growth_records.h"
#include "ports/files/file_system.h"

namespace weft {
namespace {

constexpr std::size_t kAppends = 1000;
constexpr std::uint64_t kReplayed = 100'000;

// As a tool's result of some two hundred bytes stands on it.
std::string payload(std::uint64_t number) {
  return fmt::format(R"({{"call":"call_{0}","tool":"file_read","output":"{1}","ms":{2},"failed":false}})", number,
                     std::string(120, static_cast<char>('a' + number % 26)), number % 900);
}

Status write_stream(const std::filesystem::path& path, const Clock& clock) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  for (std::uint64_t id = 1; id <= kReplayed; ++id)
    out << to_json(BusEvent{id, clock.now(), BusEventType::kToolResult, payload(id)}) << '\n';
  return out ? Status() : Status(unavailable("bench: cannot write " + path.string()));
}

/// The stream of events of a run: how long an event takes until it is on disk, and how long a stream of a hundred
/// thousand events takes to be read again.
Status bench_bus(const std::filesystem::path& folder, BenchReport& report) {
  const SystemClock clock;
  WEFT_TRY(const auto bus, Bus::open(disk(), folder / "agents" / "append.jsonl", clock));
  std::vector<double> times;
  for (std::size_t i = 0; i < kAppends; ++i) {
    const Stopwatch watch;
    WEFT_TRY(const BusEvent event, bus->emit(BusEventType::kToolResult, payload(i)));
    (void)event;
    times.push_back(watch.ms());
  }
  report.lines.push_back(summarize("an event of a run, on disk", times));
  const auto path = folder / "agents" / "replay.jsonl";
  WEFT_CHECK(write_stream(path, clock));
  const Stopwatch watch;
  WEFT_TRY(const auto again, Bus::open(disk(), path, clock));
  const double took = watch.ms();
  if (again->last() != kReplayed) return internal("bench: not all events were read");
  report.lines.push_back({"read 100,000 events of a run again", 1, took, took, took, 0, {}});
  return {};
}

Value made_up_state(std::size_t entities) {
  ValueList items;
  for (std::size_t i = 0; i < entities; ++i) {
    items.push_back(ValueObject{{"id", "item_" + std::to_string(i)},
                                {"name", "Thing number " + std::to_string(i)},
                                {"count", static_cast<std::int64_t>(i % 17)},
                                {"worn", i % 3 == 0}});
  }
  return ValueObject{{"health", ValueObject{{"value", 85}, {"description", "hurt"}}},
                     {"bag", ValueObject{{"_anchor", "bag"}, {"items", std::move(items)}}}};
}

Status bench_skeleton(BenchReport& report) {
  constexpr std::size_t kRuns = 100;
  WEFT_TRY(const StateTree tree, StateTree::from(made_up_state(10'000)));
  Skeleton skeleton;
  PlanContext plan;
  plan.template_id = "narrative";
  plan.current_goal = "Find the key";
  std::vector<double> fresh, kept;
  for (std::size_t i = 0; i < kRuns; ++i) {
    Stopwatch clock;
    WEFT_TRY(const std::string yaml, skeleton_state(tree.root()));
    SkeletonInput input;
    input.state = &tree.root();
    input.state_version = 1;
    input.state_yaml = yaml;
    input.plan = &plan;
    WEFT_TRY(const std::string text, skeleton.render(input, plan.template_id));
    fresh.push_back(clock.ms());
    clock.restart();
    WEFT_TRY(const std::string again, skeleton.render(input, plan.template_id));
    kept.push_back(clock.ms());
  }
  report.lines.push_back(summarize("skeleton of 10,000 entities, state changed", fresh));
  report.lines.push_back(summarize("skeleton of 10,000 entities, state as before", kept));
  return {};
}

/// A model that answers long after anybody waits.
class SleepingModel final : public ChatModel {
 public:
  std::string name() const override { return "sleeping"; }
  std::int64_t window() const override { return 8192; }
  Result<ChatReply> complete(const ChatRequest&, const Deadline& deadline,
                             const std::function<bool(std::string_view)>&) override {
    for (int i = 0; i < 200 && !deadline.cancelled(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return timed_out("slept");
  }
  std::int64_t count_tokens(std::string_view) const override { return -1; }
};

void bench_curation(BenchReport& report) {
  constexpr std::size_t kRuns = 1000;
  constexpr std::chrono::milliseconds kTimeout{20};
  SleepingModel model;
  CurateOptions options;
  options.timeout = kTimeout;
  options.candidates.lore_kinds = {ItemKind::kLore};
  Curator curator(options, &model);
  std::vector<double> over;
  for (std::size_t i = 0; i < kRuns; ++i) {
    CurateRequest wish;
    wish.key = {ScopeKey("user:bench"), SessionId("s")};
    wish.what.input = "the silver key of the lighthouse";
    wish.ports.recall = [](const SearchRequest&, const Deadline&) -> Result<SearchResult> { return SearchResult(); };
    wish.what.plan.active_quest_id = "key";
    wish.what.quests = {{"key", "The key", "Find the key", QuestStatus::kActive, "", {"boat"}, {}, {}, ""},
                        {"boat", "The boat", "Mend the boat", QuestStatus::kCompleted, "", {}, {"key"}, {}, ""}};
    wish.fetch = [](const CurationCandidate&) -> Result<CuratedEntry> { return CuratedEntry(); };
    const Stopwatch clock;
    PendingCuration pending = curator.start(std::move(wish));
    (void)pending.wait();
    over.push_back(std::max(0.0, clock.ms() - static_cast<double>(kTimeout.count())));
  }
  report.lines.push_back(summarize("curation beyond its time-out, model asleep", over));
}

Status bench_compaction(BenchReport& report) {
  constexpr std::size_t kRuns = 5;
  std::mt19937_64 random(3);
  CompactInput input;
  input.session = SessionId("s");
  const TokenCounter tokens(TokenMode::kScript);
  std::int64_t count = 0;
  for (std::size_t turn = 0; count < 100'000; ++turn) {
    for (const Role role : {Role::kUser, Role::kAssistant}) {
      Message message;
      message.id = MessageId("m" + std::to_string(input.history.size()));
      message.role = role;
      for (int word = 0; word < 120; ++word) {
        message.content += (word == 0 ? "" : word % 14 == 0 ? ". " : " ");
        for (int letter = 0; letter < 6; ++letter) message.content += static_cast<char>('a' + random() % 20);
      }
      message.content += ". You must keep src/file_" + std::to_string(turn) + ".cpp.";
      count += tokens.count(message.content);
      input.history.push_back(std::move(message));
    }
  }
  input.options.target_tokens = 20'000;
  std::vector<double> times;
  for (std::size_t i = 0; i < kRuns; ++i) {
    int number = 0;
    const CompactPorts ports{tokens, nullptr, [&number] { return std::to_string(++number); }, {}};
    const Stopwatch clock;
    WEFT_TRY(const Compacted made, compact(input, ports, Deadline()));
    times.push_back(clock.ms());
  }
  report.lines.push_back(summarize("compaction of 100,000 tokens, no model", times));
  return {};
}

/// Measures the parts of a prompt that need no store: the skeleton of a state of 10,000 entities, how far curation
/// overruns its time-out under a model that sleeps, and a compaction of 100,000 tokens without a model.
Status bench_context_parts(BenchReport& report) {
  WEFT_CHECK(bench_skeleton(report));
  bench_curation(report);
  return bench_compaction(report);
}

constexpr int kWriters = 8;
constexpr std::int64_t kOfSession = 200;  // messages

Message said(Role role, std::string text) {
  Message message;
  message.role = role;
  message.content = std::move(text);
  return message;
}

std::string line(std::int64_t number) {
  return fmt::format("line {} of the log: the {} parcel went to dock {} under the number {:x}", number,
                     number % 2 == 0 ? "second" : "first", number % 97,
                     static_cast<std::uint64_t>(number) * 2654435761U);
}

Status fill(Engine& engine, const RequestContext& request, std::int64_t messages) {
  for (std::int64_t at = 0; at < messages; at += kOfSession) {
    std::vector<Message> some;
    for (std::int64_t i = at; i < std::min(messages, at + kOfSession); ++i)
      some.push_back(said(i % 2 == 0 ? Role::kUser : Role::kAssistant, line(i)));
    const SessionId session("old-" + std::to_string(at / kOfSession));
    WEFT_TRY(const auto observed, engine.session(request, session).observe(some));
    WEFT_TRY(const auto saved, engine.session(request, session).save());
  }
  return engine.drain(std::chrono::minutes(30));
}

/// Writes until it is told to stop; the times of its calls.
std::vector<double> write_all_the_time(Engine& engine, const RequestContext& request, int number,
                                       const std::atomic<bool>& stop) {
  std::vector<double> waits;
  const SessionId session("writer-" + std::to_string(number));
  for (std::int64_t i = 0; !stop; ++i) {
    const Message turn[] = {said(Role::kUser, line(i)), said(Role::kAssistant, "noted")};
    const Stopwatch clock;
    (void)engine.session(request, session).observe(turn);
    waits.push_back(clock.ms());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return waits;
}

/// Erases one of `messages` messages of a scope while eight callers write to it: how long each of their calls waits,
/// and the longest.
Status bench_erase(const Config& config, const std::filesystem::path& folder, std::int64_t messages,
                   BenchReport& report) {
  Config own = config;
  own.workspace = (folder / "erase").string();
  own.embedding.provider = EmbeddingProvider::kNone;
  own.roles.clear();
  WEFT_TRY(auto engine, EngineImpl::open(own));
  WEFT_TRY(const Scope scope, Scope::private_of(UserId("bench")));
  const RequestContext request{scope, {}, {}};
  WEFT_CHECK(fill(*engine, request, messages));
  SearchRequest search;
  search.query = "parcel";
  WEFT_TRY(const auto warmed,
           engine->memory(request).search(search));  // the index is in memory, as it is while people use it
  const SessionId victim("old-" + std::to_string(messages / kOfSession / 2));
  WEFT_TRY(const auto history, engine->session(request, victim).history(4));

  for (const bool erasing : {false, true}) {
    std::atomic<bool> stop = false;
    std::vector<std::vector<double>> waits(kWriters);
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i)
      writers.emplace_back(
          [&, i] { waits[static_cast<std::size_t>(i)] = write_all_the_time(*engine, request, i, stop); });
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const Stopwatch clock;
    EraseRequest what;
    what.session = victim;
    what.messages.push_back(history.front().message.id);
    const auto receipt = erasing ? engine->memory(request).erase(what) : Result<EraseReceipt>(EraseReceipt());
    if (!erasing) std::this_thread::sleep_for(std::chrono::seconds(1));
    const double took = clock.ms();
    stop = true;
    writers.clear();
    WEFT_CHECK(receipt.ok() ? Status() : Status(receipt.error()));
    std::vector<double> all;
    for (const auto& one : waits) all.insert(all.end(), one.begin(), one.end());
    const double longest = *std::max_element(all.begin(), all.end());
    report.lines.push_back(
        summarize(erasing ? fmt::format("observe by 8 callers while one of {} messages is erased", messages)
                          : std::string("observe by 8 callers, nothing is erased"),
                  all,
                  erasing ? fmt::format("longest {:.1f} ms; the erasure took {:.0f} ms, {} traces", longest, took,
                                        receipt->traces_found)
                          : fmt::format("longest {:.1f} ms", longest)));
  }
  return {};
}

template <class Work>
std::vector<double> time_runs(std::size_t runs, Work work) {
  std::vector<double> times;
  times.reserve(runs);
  for (std::size_t i = 0; i < runs; ++i) {
    const Stopwatch clock;
    work(i);
    times.push_back(clock.ms());
  }
  return times;
}

// Words with the frequencies of a language: few of them often, most of them seldom.
class WordSource {
 public:
  explicit WordSource(std::uint64_t seed) : random_(seed) {}
  std::string text(std::size_t words) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) {
      const double u = std::uniform_real_distribution<double>(0, 1)(random_);
      const auto rank = static_cast<std::uint64_t>(std::pow(20'000.0, u));
      text += (i == 0 ? "" : " ") + word(rank);
    }
    return text;
  }
  Vector vector(std::size_t size) {
    Vector vector(size);
    std::normal_distribution<float> normal;
    double sum = 0;
    for (float& value : vector) {
      value = normal(random_);
      sum += static_cast<double>(value) * static_cast<double>(value);
    }
    for (float& value : vector) value /= static_cast<float>(std::sqrt(sum));
    return vector;
  }

 private:
  static std::string word(std::uint64_t rank) {
    std::string word;
    for (std::uint64_t left = rank * 7919 + 17; word.size() < 7 && left > 0; left /= 20)
      word += static_cast<char>('a' + left % 20);
    return word;
  }
  std::mt19937_64 random_;
};

void bench_queue(const std::filesystem::path& folder, BenchReport& report) {
  constexpr std::size_t kRuns = 400;
  auto store = open_store("sqlite:" + (folder / "queue.db").string());
  if (!store.ok()) return;
  TopicRow topic;
  topic.scope = ScopeKey("user:bench");
  topic.session = SessionId("s");
  std::string bytes;
  auto enqueue = std::vector<double>();
  auto bare = std::vector<double>();
  const int file = ::open((folder / "bare").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  const std::string zeroes(1 << 20, '\0');
  (void)!::write(file, zeroes.data(), zeroes.size());
  ::fsync(file);
  // In turn, so that both meet the same moods of the disk.
  for (std::size_t i = 0; i < kRuns; ++i) {
    topic.id = TopicId("t" + std::to_string(i));
    const Job job = topic_job(topic, 0);
    bytes = to_json(job);
    Stopwatch clock;
    WriteBatch batch;
    batch.jobs = {job};
    (void)(*store)->write(batch);
    enqueue.push_back(clock.ms());
    clock.restart();
    (void)!::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(i * 512));
    ::fdatasync(file);
    bare.push_back(clock.ms());
  }
  ::close(file);
  report.lines.push_back(summarize("enqueue, durable", enqueue));
  report.lines.push_back(summarize("bare fdatasync of the same bytes", bare));
}

Message message_of(std::string text, bool user) {
  Message message;
  message.role = user ? Role::kUser : Role::kAssistant;
  message.content = std::move(text);
  return message;
}

Status bench_observe(const Config& config, const std::filesystem::path& folder, bool embedding, BenchReport& report) {
  constexpr std::size_t kRuns = 200;
  Config own = config;
  own.workspace = (folder / (embedding ? "observe-embedding" : "observe")).string();
  if (!embedding) own.embedding.provider = EmbeddingProvider::kNone;
  Stopwatch clock;
  WEFT_TRY(auto engine, EngineImpl::open(own));
  const double opened = clock.ms();
  if (auto ready = engine->wait_ready(std::chrono::seconds(60)); embedding && !ready.ok()) return {};
  if (embedding) {
    report.lines.push_back({"open until words answer", 1, opened, opened, opened, 0, {}});
    report.lines.push_back({"open until vectors answer", 1, clock.ms(), clock.ms(), clock.ms(), 0, {}});
  }
  WEFT_TRY(const Scope scope, Scope::private_of(UserId("bench")));
  const RequestContext request{scope, {}, {}};
  WordSource words(1);
  auto observed = time_runs(kRuns, [&](std::size_t i) {
    const Message pair[] = {message_of(words.text(12), true), message_of("ok " + std::to_string(i), false)};
    (void)engine->session(request, SessionId("bench")).observe(pair);
  });
  report.lines.push_back(
      summarize(embedding ? "observe a turn, with embedding" : "observe a turn, without embedding", observed));
  if (!embedding) return {};
  WEFT_CHECK(engine->drain(std::chrono::seconds(120)));
  auto bare = time_runs(
      kRuns, [&](std::size_t) { (void)engine->models().embedder()->embed(words.text(12), EmbedUse::kCompare, {}); });
  report.lines.push_back(summarize("the bare encoder on such a message", bare));
  return {};
}

// A hundred ends a second while the historian works on them, in turn with bare flushes of as many bytes.
Status bench_end(const Config& config, const std::filesystem::path& folder, BenchReport& report) {
  constexpr std::size_t kRuns = 300;
  constexpr std::chrono::milliseconds kApart{10};
  Config own = config;
  own.workspace = (folder / "end").string();
  own.embedding.provider = EmbeddingProvider::kNone;
  WEFT_TRY(auto engine, EngineImpl::open(own));
  WEFT_TRY(const Scope scope, Scope::private_of(UserId("bench")));
  const RequestContext request{scope, {}, {}};
  const FileHandle file(::open((folder / "bare-end").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  const std::string zeroes(1 << 20, '\0'), bytes(700, 'x');
  (void)!::write(file.get(), zeroes.data(), zeroes.size());
  ::fsync(file.get());
  WordSource words(4);
  std::vector<double> ends, bare;
  for (std::size_t i = 0; i < kRuns; ++i) {
    EndRequest what;
    what.action_summary = "I " + words.text(8) + " for you yesterday.";
    what.request_id = "r" + std::to_string(i);
    Stopwatch clock;
    WEFT_TRY(const auto done, engine->session(request, SessionId("bench")).end(what));
    ends.push_back(clock.ms());
    clock.restart();
    (void)!::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(i * 1024));
    ::fdatasync(file.get());
    bare.push_back(clock.ms());
    std::this_thread::sleep_for(kApart);
  }
  report.lines.push_back(summarize("end a turn, 100 a second, historian at work", ends));
  report.lines.push_back(summarize("bare fdatasync of as many bytes", bare));
  return engine->drain(std::chrono::seconds(60));
}

ItemRow made_up_item(std::int64_t row, WordSource& words, std::size_t dimensions, const std::string& model) {
  ItemRow item;
  item.row = row;
  item.scope = ScopeKey("user:bench");
  item.role = row % 2 == 0 ? Role::kUser : Role::kAssistant;
  item.item.id = ItemId("message:bench/" + std::to_string(row));
  item.item.session = SessionId("s" + std::to_string(row / 40));
  item.item.text = words.text(25);
  item.item.time = {1'700'000'000'000 + row * 60'000, 0};
  item.item.position = row;
  item.item.sources = {MessageId("m" + std::to_string(row))};
  item.terms = index_terms(item.item.text);
  if (dimensions > 0) {
    item.vector = words.vector(dimensions);
    item.model = model;
  }
  return item;
}

Status fill_workspace(const std::string& workspace, std::int64_t items, std::size_t dimensions,
                      const std::string& model) {
  WEFT_CHECK(make_folder(workspace));
  WEFT_TRY(auto store, open_store("sqlite:" + workspace + "/weft.db"));
  WordSource words(2);
  for (std::int64_t row = 1; row <= items;) {
    WriteBatch batch;
    for (; row <= items && batch.items.size() < 5000; ++row)
      batch.items.push_back(made_up_item(row, words, dimensions, model));
    WEFT_CHECK(store->write(batch));
  }
  return store->items().forget_other_vectors(model);
}

Status bench_search(const Config& config, const std::filesystem::path& folder, std::int64_t items,
                    BenchReport& report) {
  constexpr std::size_t kRuns = 300;
  constexpr std::size_t kDimensions = 384;
  Config own = config;
  own.workspace = (folder / ("search-" + std::to_string(items))).string();
  WEFT_CHECK(fill_workspace(own.workspace, items, kDimensions, embedder_name(own)));
  WEFT_TRY(auto engine, EngineImpl::open(own));
  const bool vectors = engine->wait_ready(std::chrono::seconds(60)).ok() && engine->models().embedder() != nullptr;
  WEFT_TRY(const Scope scope, Scope::private_of(UserId("bench")));
  const RequestContext request{scope, {}, {}};
  WordSource words(3);
  SearchRequest what;
  what.query = words.text(8);
  Stopwatch clock;
  WEFT_TRY(const auto first, engine->memory(request).search(what));
  const std::string size = std::to_string(items) + " items";
  report.lines.push_back(
      {"first search in " + size + ", loading the index", 1, clock.ms(), clock.ms(), clock.ms(), 0, {}});
  std::vector<double> times;
  for (std::size_t i = 0; i < kRuns; ++i) {
    what.query = words.text(8);
    WEFT_TRY(const auto found, engine->memory(request).search(what));
    times.push_back(found.search_ms);
  }
  report.lines.push_back(summarize("search in " + size + ", without embedding the query", times,
                                   vectors ? "words and vectors" : "words alone"));
  auto woven = time_runs(100, [&](std::size_t) {
    ContextRequest ask;
    ask.input = words.text(10);
    (void)engine->session(request, SessionId("new")).context(ask);
  });
  report.lines.push_back(summarize("weave a context over " + size + ", embedding included", woven));
  return {};
}

double resident_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

}  // namespace

BenchLine summarize(std::string name, std::vector<double>& times, std::string note) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times.empty()
               ? 0
               : times[std::min(times.size() - 1, static_cast<std::size_t>(share * static_cast<double>(times.size())))];
  };
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  return {std::move(name), times.size(), at(0.5),
          at(0.95),        at(0.99),     sum > 0 ? 1000.0 * static_cast<double>(times.size()) / sum : 0,
          std::move(note)};
}

Result<BenchReport> run_bench(const Config& config, std::int64_t items) {
  const ScratchWorkspace workspace(std::filesystem::absolute(config.workspace).parent_path());
  if (workspace.path().empty()) return permission("bench: cannot make a folder beside " + config.workspace);
  const std::filesystem::path folder(workspace.path());
  BenchReport report;
  bench_queue(folder, report);
  WEFT_CHECK(bench_bus(folder, report));
  WEFT_CHECK(bench_end(config, folder, report));
  WEFT_CHECK(bench_erase(config, folder, items, report));
  WEFT_CHECK(bench_context_parts(report));
  WEFT_CHECK(bench_observe(config, folder, false, report));
  WEFT_CHECK(bench_observe(config, folder, true, report));
  for (std::int64_t size = 1000; size <= items; size *= 10) WEFT_CHECK(bench_search(config, folder, size, report));
  report.resident_mb = resident_megabytes();
  return report;
}

std::string to_json(const BenchReport& report) {
  nlohmann::ordered_json json = {{"lines", nlohmann::ordered_json::array()}};
  for (const BenchLine& line : report.lines) {
    json["lines"].push_back({{"name", line.name},
                             {"runs", line.runs},
                             {"p50_ms", line.p50},
                             {"p95_ms", line.p95},
                             {"p99_ms", line.p99},
                             {"per_second", line.per_second},
                             {"note", line.note}});
  }
  json["resident_mb"] = report.resident_mb;
  return json.dump();
}

std::string to_table(const BenchReport& report) {
  std::string table;
  char text[256];
  std::snprintf(text, sizeof text, "%-58s %6s %9s %9s %9s %11s\n", "", "runs", "p50 ms", "p95 ms", "p99 ms",
                "per second");
  table += text;
  for (const BenchLine& line : report.lines) {
    std::snprintf(text, sizeof text, "%-58s %6zu %9.3f %9.3f %9.3f %11.0f  %s\n", line.name.c_str(), line.runs,
                  line.p50, line.p95, line.p99, line.per_second, line.note.c_str());
    table += text;
  }
  std::snprintf(text, sizeof text, "resident memory at the end: %.0f MB\n", report.resident_mb);
  return table + text;
}

}  // namespace weft
