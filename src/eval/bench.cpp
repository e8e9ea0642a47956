#include "eval/bench.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <thread>

#include "base/clock.h"
#include "demo/scratch_workspace.h"
#include "engine/engine_impl.h"
#include "eval/bench_bus.h"
#include "eval/bench_context.h"
#include "eval/bench_erase.h"
#include "flow/memory/message_items.h"
#include "ports/files/file.h"

namespace weft {
namespace {

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

Status fill(const std::string& workspace, std::int64_t items, std::size_t dimensions, const std::string& model) {
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
  WEFT_CHECK(fill(own.workspace, items, kDimensions, embedder_name(own)));
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
