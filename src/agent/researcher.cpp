#include "agent/researcher.h"

#include <algorithm>
#include <map>
#include <set>

#include "agent/research_folders.h"
#include "agent/research_found.h"
#include "agent/research_outline.h"
#include "agent/research_sources.h"
#include "growth/rule_words.h"
#include "text/json_writer.h"
#include "text/plain_words.h"

namespace weft {
namespace {

constexpr std::size_t kMostPoints = 5;        // of an outline without a model
constexpr std::size_t kEnough = 3;            // witnesses for a fact; the specification wants two or three
constexpr std::size_t kWanted = 2;            // witnesses, before another search is worth a call
constexpr std::size_t kFactClaims = 4, kPointClaims = 4;
constexpr std::size_t kStatements = 16;       // of an aspect
constexpr std::size_t kReadAtOnce = 3;

std::string json_of(const char* name, const std::string& value) {
  JsonWriter out;
  out.begin('{');
  out.name(name);
  out.text(value);
  out.end('}');
  return out.take();
}

FoundSources parsed(const ToolOutcome& outcome, ResearchStream& stream) {
  if (outcome.failed) return {};
  auto found =
      parse_record<FoundSources>(outcome.output, "what a tool found", {.max_bytes = outcome.output.size() + 1});
  if (found.ok()) return std::move(found).value();
  stream.note(found.error().message);
  return {};
}

}  // namespace

Status Researcher::ask_memory() {
  const auto& tool = stream_.parts().tools.memory;
  if (!tool) return {};
  WEFT_TRY(const auto outcome, stream_.call(tool, json_of("query", question_)));
  if (outcome) found_.sources.add_all(parsed(*outcome, stream_));
  return {};
}

Status Researcher::search(const std::string& query) {
  const ResearchTools& tools = stream_.parts().tools;
  if (tools.folders) {
    WEFT_TRY(const auto outcome, stream_.call(tools.folders, json_of("query", query)));
    if (!outcome) return {};
    found_.sources.add_all(parsed(*outcome, stream_));
  }
  for (const auto& tool : tools.search) {
    const std::string arguments = arguments_for(tool->info(), query, false);
    if (arguments.empty()) {
      stream_.note(tool->info().name + " takes no question: it has no argument such as \"query\"");
      continue;
    }
    WEFT_TRY(const auto outcome, stream_.call(tool, arguments));
    if (!outcome) return {};
    if (outcome->failed) continue;
    FoundSources found = read_found(outcome->output, tool->info().name, outcome->provenance);
    if (found.sources.empty()) stream_.note(tool->info().name + " found nothing about \"" + query + "\"");
    found_.sources.add_all(std::move(found));
  }
  return {};
}

Status Researcher::read_best(std::size_t most) {
  const ResearchTools& tools = stream_.parts().tools;
  if (tools.read.empty()) return {};
  std::vector<NumberedSource> waiting = found_.sources.numbered(kind_);
  std::erase_if(waiting, [](const NumberedSource& one) {
    return one.found->whole || one.found->kind == SourceKind::kMemory || one.found->tool == kFolderSearch;
  });
  std::stable_sort(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  std::vector<std::string> origins, publishers;
  for (const NumberedSource& one : waiting) {
    // Another publisher is worth more than another page of the same one.
    const std::string publisher = publisher_of(one.found->origin);
    if (std::find(publishers.begin(), publishers.end(), publisher) != publishers.end()) continue;
    publishers.push_back(publisher);
    origins.push_back(one.found->origin);
  }
  origins.resize(std::min(origins.size(), most));
  for (const std::string& origin : origins)
    for (const auto& tool : tools.read) {
      const std::string arguments = arguments_for(tool->info(), origin, true);
      if (arguments.empty()) continue;
      WEFT_TRY(const auto outcome, stream_.call(tool, arguments));
      if (!outcome) return {};
      if (outcome->failed) continue;
      found_.sources.add_all(read_found(outcome->output, tool->info().name, outcome->provenance, origin));
      break;
    }
  return {};
}

Result<FoundSources> Researcher::read_file(const std::string& path, std::int64_t first_line) {
  const auto& tool = stream_.parts().tools.read_file;
  if (!tool) return FoundSources();
  JsonWriter out;
  out.begin('{');
  out.name("path");
  out.text(path);
  out.name("first_line");
  out.whole(first_line);
  out.end('}');
  WEFT_TRY(const auto outcome, stream_.call(tool, out.take()));
  return outcome ? parsed(*outcome, stream_) : FoundSources();
}

Status Researcher::choose_outline(std::vector<OutlinePoint>& points) {
  if (kind_ == ResearchKind::kFact) {
    points = {{question_, question_}};
  } else if (auto model = model_outline(stream_, question_, kind_, {})) {
    points = std::move(*model);
  } else if (parts_of_question(question_).size() > 1) {
    points = floor_outline(question_, {}, kMostPoints);
  } else {
    // The sources know what belongs to the matter: their headings.
    WEFT_CHECK(search(question_));
    points = floor_outline(question_, found_.sources.numbered(kind_), kMostPoints);
  }
  for (const OutlinePoint& point : points) found_.outline.push_back(point.question);
  return stream_.progress(found_.outline, 0);
}

std::size_t Researcher::witnesses_for(const std::string& aspect) {
  std::vector<std::int64_t> orders;
  const auto sources = found_.sources.numbered(kind_);
  const auto described = found_.sources.described();
  std::set<std::int64_t> witnesses;
  for (const SourceStatement& one : pick_statements(aspect, sources, stream_.parts().likeness, kStatements, orders)) {
    const ResearchSource& source = described[static_cast<std::size_t>(one.source) - 1];
    if (source.copy_of != source.number) witnesses.insert(witness_of(source));
  }
  return witnesses.size();
}

Status Researcher::work_off(const std::vector<OutlinePoint>& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    WEFT_CHECK(search(points[i].query));
    const std::size_t wanted = kind_ == ResearchKind::kFact ? kEnough : kWanted;
    if (witnesses_for(points[i].question) < wanted) WEFT_CHECK(read_best(std::min(kReadAtOnce, wanted + 1)));
    WEFT_CHECK(stream_.progress(found_.outline, i + 1));
  }
  // What has too few witnesses is searched once more, in other words.
  for (const OutlinePoint& point : points) {
    if (stream_.left() == 0 || witnesses_for(point.question) >= kWanted) continue;
    const std::string words = words_to_search(point.question);
    if (words.empty() || words == point.query) continue;
    WEFT_CHECK(search(words));
    WEFT_CHECK(read_best(1));
  }
  return {};
}

// What the aspects have nothing for is a gap.
void Researcher::draw_claims(const std::vector<std::string>& aspects) {
  const auto sources = found_.sources.numbered(kind_);
  std::map<std::string, std::vector<SourceStatement>> by_aspect;
  std::vector<SourceStatement> all;
  std::set<std::pair<std::int64_t, std::string>> seen;
  for (const std::string& aspect : aspects) {
    std::vector<std::int64_t> orders;
    for (SourceStatement& one : pick_statements(aspect, sources, stream_.parts().likeness, kStatements, orders))
      if (seen.emplace(one.source, one.text).second) by_aspect[aspect].push_back(one), all.push_back(std::move(one));
    if (ordered_.empty()) ordered_ = std::move(orders);
  }
  note_orders();
  if (auto made = model_claims(stream_, question_, aspects, all, found_.sources)) {
    found_.by_model = true;
    found_.claims = std::move(made->claims);
    found_.disputes = std::move(made->disputes);
    found_.gaps = std::move(made->gaps);
    for (std::string& one : made->methods)
      if (!loosens_safety(one)) add_once(found_.methods, std::move(one));
  } else {
    const std::size_t most = kind_ == ResearchKind::kFact ? kFactClaims : kPointClaims;
    for (const std::string& aspect : aspects)
      for (ResearchClaim& claim : make_claims(by_aspect[aspect], sources, stream_.parts().likeness, most))
        found_.claims.push_back(std::move(claim));
    for (const std::string& aspect : aspects)
      if (by_aspect[aspect].empty()) add_once(found_.gaps, aspect);
  }
}

void Researcher::note_orders() {
  std::map<std::int64_t, int> count;
  for (const std::int64_t source : ordered_) ++count[source];
  for (const auto& [number, sentences] : count)
    stream_.note(found_.sources.find(number)->origin + ": " + std::to_string(sentences) +
                 (sentences == 1 ? " sentence speaks" : " sentences speak") +
                 " to a model like an order, and was left out");
}

Findings Researcher::take() {
  found_.notes = stream_.notes();
  found_.limit = stream_.limit();
  found_.tool_calls = stream_.used();
  return std::move(found_);
}

Result<Findings> Researcher::run() {
  WEFT_CHECK(ask_memory());
  std::vector<OutlinePoint> points;
  WEFT_CHECK(choose_outline(points));
  WEFT_CHECK(work_off(points));
  draw_claims(found_.outline);
  return take();
}

}  // namespace weft
