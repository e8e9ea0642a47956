#include "eval/bench_erase.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "engine/engine_impl.h"

namespace weft {
namespace {

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

}  // namespace

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

}  // namespace weft
