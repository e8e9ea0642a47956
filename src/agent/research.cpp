#include "agent/research.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "agent/research_sources.h"
#include "agent/researcher.h"
#include "base/call_context.h"
#include "base/guarded.h"
#include "base/threads.h"

namespace weft {
namespace {

constexpr std::size_t kMostPoints = 5, kMostFollowed = 3;
constexpr std::int64_t kLeastShare = 3, kReserve = 5;  // calls of a researcher; one of so many is kept for the critic

/// One researcher of several.
struct Worker {
  std::string id;
  OutlinePoint point;
  std::shared_ptr<Bus> bus;
  Result<Findings> found = internal("it has not run");
};

Status begin_worker(ResearchStream& stream, Worker& worker, std::int64_t share) {
  WEFT_TRY(worker.bus, stream.parts().open_stream(worker.id));
  if (worker.bus->last() > 0) return {};
  RunStarted start;
  start.task = worker.point.question;
  start.type = "research";
  start.owner = stream.parts().request.scope.key().str();
  start.parent = stream.id();
  start.depth = 1;
  start.limits.tool_calls = share;
  WEFT_TRY(const BusEvent first, worker.bus->emit(BusEventType::kRunStarted, to_json(start)));
  (void)first;
  const SubAgent told{worker.id, "", worker.point.question, "", ""};
  return stream.emit(BusEventType::kSubAgentStarted, to_json(told));
}

bool has_ended(const Bus& bus) {
  const auto events = bus.since(0);
  return !events.empty() && events.back().type == BusEventType::kAgentOutput;
}

Status end_worker(ResearchStream& stream, Worker& worker) {
  if (!worker.found.ok()) {
    stream.note(worker.id + ": " + worker.found.error().message);
    return {};
  }
  if (has_ended(*worker.bus)) return {};
  AgentOutput output;
  for (const ResearchClaim& claim : worker.found->claims) output.text += "- " + claim.text + "\n";
  output.why = std::to_string(worker.found->claims.size()) + " claims";
  output.outcome = worker.found->claims.empty() ? Outcome::kFailure : Outcome::kUnknown;
  output.seen = worker.bus->last();
  WEFT_TRY(const BusEvent last, worker.bus->emit(BusEventType::kAgentOutput, to_json(output)));
  (void)last;
  const SubAgent told{worker.id, "", worker.point.question, "ended", output.why};
  return stream.emit(BusEventType::kSubAgentEnded, to_json(told));
}

// A few at a time, each on a thread and a stream of its own: none sees what another found.
void work_in_parallel(ResearchStream& stream, std::vector<Worker>& workers, std::int64_t share) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&, context = CallContext::to_hand_over()] {
    const CallScope scope(context);
    for (std::size_t i = next++; i < workers.size(); i = next++) {
      ResearchStream own(workers[i].id, *workers[i].bus, stream.parts(), share);
      workers[i].found =
          guarded("the search", [&] { return Researcher(own, workers[i].point.question, ResearchKind::kTopic).run(); });
    }
  };
  std::vector<std::jthread> threads;
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(1, stream.parts().researchers));
  for (std::size_t i = 0; i < std::min(most, workers.size()); ++i) {
    std::jthread thread;
    if (const Status begun = start_thread(thread, "a researcher", work); !begun.ok()) {
      log_warning("research", begun.error().message + "; " + std::to_string(threads.size()) + " work at a time");
      break;
    }
    threads.push_back(std::move(thread));
  }
  if (threads.empty()) work();
}

Result<std::vector<OutlinePoint>> plan(ResearchStream& stream, Researcher& planner, const std::string& question) {
  WEFT_CHECK(planner.ask_memory());
  if (auto points = model_outline(stream, question, ResearchKind::kDeep, {})) return std::move(*points);
  WEFT_CHECK(planner.search(question));
  return floor_outline(question, planner.sources().numbered(ResearchKind::kDeep), kMostPoints);
}

// Takes the claims out that their quotes do not bear out; disputes keep the places of the others.
void drop_unsupported(ResearchStream& stream, Findings& found, const std::vector<std::int64_t>& unsupported) {
  std::vector<std::int64_t> places(found.claims.size() + 1, 0);
  std::vector<ResearchClaim> kept;
  for (std::size_t i = 0; i < found.claims.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i + 1);
    if (std::find(unsupported.begin(), unsupported.end(), place) != unsupported.end()) {
      stream.note("the critic found a claim not borne out by its quotes: " + found.claims[i].text);
      continue;
    }
    kept.push_back(std::move(found.claims[i]));
    places[i + 1] = static_cast<std::int64_t>(kept.size());
  }
  found.claims = std::move(kept);
  for (ResearchDispute& one : found.disputes) {
    for (std::int64_t& claim : one.claims) claim = places[static_cast<std::size_t>(claim)];
    std::erase(one.claims, 0);
  }
  std::erase_if(found.disputes, [](const ResearchDispute& one) { return one.claims.size() < 2; });
}

// Without a model the critic sees what points have no claims; what contradicts what is seen at the end in any case.
std::vector<std::string> criticise(ResearchStream& stream, const std::string& question, Findings& found) {
  const auto critique = model_critique(stream, question, found.outline, found.claims, found.sources);
  if (!critique) return found.gaps;
  for (const ResearchDispute& one : critique->disputes) found.disputes.push_back(one);
  drop_unsupported(stream, found, critique->unsupported);
  return critique->gaps;
}

Status follow_up(ResearchStream& stream, const std::string& question, Findings& found, std::vector<std::string> gaps) {
  gaps.resize(std::min(gaps.size(), kMostFollowed));
  std::vector<std::string> open;
  for (const std::string& gap : gaps) {
    if (stream.left() == 0) {
      add_once(open, gap);
      continue;
    }
    Researcher again(stream, question, ResearchKind::kTopic);
    WEFT_CHECK(again.search(gap));
    WEFT_CHECK(again.read_best(1));
    again.draw_claims({gap});
    Findings more = again.take();
    more.tool_calls = 0;  // those of this stream are counted at its end
    if (more.claims.empty()) add_once(open, gap);
    found.take(std::move(more));
  }
  found.gaps = std::move(open);
  return {};
}

}  // namespace

Result<Findings> research_deeply(ResearchStream& stream, const std::string& question) {
  Researcher planner(stream, question, ResearchKind::kDeep);
  WEFT_TRY(auto points, plan(stream, planner, question));
  const std::int64_t for_all = stream.left() - stream.left() / kReserve;
  points.resize(std::min(points.size(), static_cast<std::size_t>(std::max<std::int64_t>(1, for_all / kLeastShare))));
  const std::int64_t share = for_all / static_cast<std::int64_t>(points.size());
  Findings found = planner.take();
  found.tool_calls = 0;
  std::vector<Worker> workers;
  for (std::size_t i = 0; i < points.size(); ++i) {
    found.outline.push_back(points[i].question);
    workers.push_back({stream.id() + "-s" + std::to_string(i + 1), points[i], nullptr, internal("it has not run")});
    WEFT_CHECK(begin_worker(stream, workers.back(), share));
  }
  WEFT_CHECK(stream.progress(found.outline, 0));
  work_in_parallel(stream, workers, share);
  const std::vector<std::string> outline = found.outline;
  for (Worker& worker : workers) {
    if (!worker.found.ok() && worker.found.error().code == ErrorCode::kCancelled) return worker.found.error();
    WEFT_CHECK(end_worker(stream, worker));
    if (!worker.found.ok()) continue;
    stream.spend(worker.found->tool_calls);
    worker.found->tool_calls = 0;
    for (ResearchClaim& claim : worker.found->claims) claim.aspect = worker.point.question;
    found.take(std::move(*worker.found));
  }
  found.outline = outline;
  WEFT_CHECK(stream.progress(found.outline, found.outline.size()));
  WEFT_CHECK(follow_up(stream, question, found, criticise(stream, question, found)));
  found.outline = outline;
  for (const std::string& note : stream.notes()) add_once(found.notes, note);
  if (found.limit.empty()) found.limit = stream.limit();
  found.tool_calls = stream.used();
  return found;
}

Result<ResearchReport> run_research(ResearchStream& stream, ResearchReport draft) {
  const auto find_out = [&]() -> Result<Findings> {
    switch (draft.kind) {
      case ResearchKind::kRepository: return explore_repository(stream, draft.question);
      case ResearchKind::kDeep: return research_deeply(stream, draft.question);
      case ResearchKind::kFact:
      case ResearchKind::kTopic: break;
    }
    return Researcher(stream, draft.question, draft.kind).run();
  };
  WEFT_TRY(Findings found, find_out());
  fill_report(draft, std::move(found), stream.parts().likeness);
  if (const auto summary = model_summary(stream, draft)) draft.summary = *summary;
  if (stream.asked_a_model() && stream.parts().model != nullptr) draft.model = stream.parts().model->name();
  for (const std::string& note : stream.notes()) add_once(draft.notes, note);
  draft.markdown = report_markdown(draft);
  return draft;
}

}  // namespace weft
