// What a model does in a research, and how its answers are checked.
#include "agent/research_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/research_text.h"
#include "text/json.h"
#include "text/markup.h"
#include "text/numerals.h"
#include "text/plain_words.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostPoints = 6, kMostClaims = 24, kMostSentences = 60, kLongest = 600, kMostListed = 8;
constexpr double kBorneOut = 0.3;  // how alike a claim must be to what it cites, by words

constexpr const char* kOutlineSchema =
    R"({"type":"object","required":["points"],"properties":{"points":{"type":"array","maxItems":6,"items":{"type":"object",
"required":["question","query"],"properties":{"question":{"type":"string"},"query":{"type":"string"}}}}}})";
constexpr const char* kClaimsSchema =
    R"({"type":"object","required":["claims"],"properties":{"claims":{"type":"array","maxItems":24,"items":{"type":"object",
"required":["text","sentences"],"properties":{"text":{"type":"string"},"sentences":{"type":"array","items":{"type":"integer"}},
"point":{"type":"integer"}}}},"disputes":{"type":"array","items":{"type":"object","required":["claims","why"],"properties":{
"claims":{"type":"array","items":{"type":"integer"}},"why":{"type":"string"}}}},"gaps":{"type":"array","items":{"type":"string"}},
"methods":{"type":"array","maxItems":3,"items":{"type":"string"}}}})";
constexpr const char* kCritiqueSchema =
    R"({"type":"object","required":["unsupported","disputes","gaps"],"properties":{"unsupported":{"type":"array",
"items":{"type":"integer"}},"disputes":{"type":"array","items":{"type":"object","required":["claims","why"],"properties":{
"claims":{"type":"array","items":{"type":"integer"}},"why":{"type":"string"}}}},"gaps":{"type":"array","maxItems":4,
"items":{"type":"string"}}}})";
constexpr const char* kSummarySchema =
    R"({"type":"object","required":["summary"],"properties":{"summary":{"type":"string"}}})";

std::string string_of(const Json& one, const char* name, std::size_t most = kLongest) {
  const auto at = one.find(name);
  return at != one.end() && at->is_string() ? preview(drop_harmful(at->get<std::string>()), most) : std::string();
}

std::vector<std::int64_t> numbers_of(const Json& one, const char* name, std::size_t most) {
  std::vector<std::int64_t> found;
  const auto at = one.find(name);
  if (at == one.end() || !at->is_array()) return found;
  for (const Json& number : *at) {
    if (!number.is_number_integer()) continue;
    const auto value = number.get<std::int64_t>();
    const bool known = std::find(found.begin(), found.end(), value) != found.end();
    if (value >= 1 && value <= static_cast<std::int64_t>(most) && !known) found.push_back(value);
  }
  return found;
}

std::vector<std::string> texts_of(const Json& one, const char* name, std::size_t most) {
  std::vector<std::string> found;
  const auto at = one.find(name);
  if (at == one.end() || !at->is_array()) return found;
  for (const Json& text : *at)
    if (text.is_string() && found.size() < most)
      add_once(found, preview(drop_harmful(text.get<std::string>()), kLongest));
  return found;
}

std::string written(const Json& data) { return data.dump(1, ' ', false, Json::error_handler_t::replace); }

std::optional<Json> answer_of(ResearchStream& stream, const char* name, const Json& data, const char* schema,
                              bool quick = false) {
  const auto text = stream.ask(name, written(data), schema, quick);
  if (!text) return std::nullopt;
  Json answer = lenient_json<Json>(*text);
  if (answer.is_object()) return answer;
  stream.note(std::string("the model's answer to \"") + name + "\" is no object");
  return std::nullopt;
}

std::set<std::string> figures_in(std::string_view text) {
  std::set<std::string> figures;
  for (const PlainWord& word : fold_numerals(plain_words(text)))
    if (word.kind == WordKind::kNumber) figures.insert(word.text);
  return figures;
}

bool all_figures_in(std::string_view text, const std::set<std::string>& known) {
  const auto figures = figures_in(text);
  return std::all_of(figures.begin(), figures.end(), [&](const std::string& one) { return known.contains(one); });
}

std::string title_of(const SourceBook& sources, std::int64_t number) {
  const FoundSource* source = sources.find(number);
  if (source == nullptr) return {};
  return source->title.empty() ? source->origin : source->title;
}

Json sentences_as_json(const std::vector<SourceStatement>& statements, const SourceBook& sources) {
  Json all = Json::array();
  for (std::size_t i = 0; i < std::min(statements.size(), kMostSentences); ++i) {
    const SourceStatement& one = statements[i];
    const FoundSource* source = sources.find(one.source);
    all.push_back({{"number", i + 1},
                   {"source", one.source},
                   {"title", preview(title_of(sources, one.source), 120)},
                   {"date", source != nullptr ? source->date : ""},
                   {"kind", source != nullptr ? std::string(to_string(source->kind)) : ""},
                   {"sentence", one.text}});
  }
  return all;
}

// The sentences that a claim cites bear it out, as far as a program can see.
bool is_borne_out(const std::string& text, const std::string& cited, std::string& why) {
  if (!all_figures_in(text, figures_in(cited))) {
    why = "it says a number that its sources do not say";
    return false;
  }
  if (orders_the_reader(text)) {
    why = "it orders the reader about";
    return false;
  }
  if (language_of(text) == language_of(cited) && WordLikeness().between(text, cited) < kBorneOut) {
    why = "it has little to do with what it cites";
    return false;
  }
  return true;
}

std::optional<ResearchClaim> claim_of(ResearchStream& stream, const Json& one, const std::vector<std::string>& outline,
                                      const std::vector<SourceStatement>& statements) {
  ResearchClaim claim;
  claim.text = string_of(one, "text");
  const auto cited = numbers_of(one, "sentences", std::min(statements.size(), kMostSentences));
  if (claim.text.empty()) return std::nullopt;
  std::string all, why = "it cites nothing that was found";
  std::set<std::int64_t> sources;
  for (const std::int64_t number : cited) {
    const SourceStatement& sentence = statements[static_cast<std::size_t>(number) - 1];
    all += sentence.text + "\n";
    if (sources.insert(sentence.source).second)
      claim.citations.push_back({sentence.source, sentence.first_line, sentence.last_line, sentence.text});
  }
  if (cited.empty() || !is_borne_out(claim.text, all, why)) {
    stream.note("a claim of the model was dropped: " + why + ": " + claim.text);
    return std::nullopt;
  }
  const auto point = numbers_of({{"point", {one.value("point", Json(0))}}}, "point", outline.size());
  claim.aspect = point.empty() ? statements[static_cast<std::size_t>(cited.front()) - 1].aspect
                               : outline[static_cast<std::size_t>(point.front()) - 1];
  return claim;
}

std::vector<ResearchDispute> disputes_of(const Json& answer, const std::vector<std::size_t>& places) {
  std::vector<ResearchDispute> found;
  const auto at = answer.find("disputes");
  if (at == answer.end() || !at->is_array()) return found;
  for (const Json& one : *at) {
    if (!one.is_object()) continue;
    ResearchDispute dispute{DisputeOf::kModel, {}, string_of(one, "why")};
    // Places in the model's own list are those of the claims that were kept.
    for (const std::int64_t claim : numbers_of(one, "claims", places.size()))
      if (const std::size_t place = places[static_cast<std::size_t>(claim) - 1]; place > 0)
        dispute.claims.push_back(static_cast<std::int64_t>(place));
    if (dispute.claims.size() > 1) found.push_back(std::move(dispute));
  }
  return found;
}

Json claims_as_json(const std::vector<ResearchClaim>& claims, const SourceBook& sources) {
  Json all = Json::array();
  for (const ResearchClaim& claim : claims) {
    Json quotes = Json::array();
    for (const ResearchCitation& one : claim.citations)
      quotes.push_back({{"source", preview(title_of(sources, one.source), 120)}, {"quote", one.quote}});
    all.push_back({{"number", all.size() + 1}, {"claim", claim.text}, {"quotes", std::move(quotes)}});
  }
  return all;
}

}  // namespace

std::optional<std::vector<OutlinePoint>> model_outline(ResearchStream& stream, const std::string& question,
                                                       ResearchKind kind, std::span<const std::string> known) {
  Json data{{"question", question}, {"kind", to_string(kind)}, {"headings", Json::array()}};
  for (const std::string& one : known) data["headings"].push_back(preview(one, 120));
  const auto answer = answer_of(stream, "outline", data, kOutlineSchema);
  if (!answer || !answer->contains("points") || !(*answer)["points"].is_array()) return std::nullopt;
  std::vector<OutlinePoint> points;
  for (const Json& one : (*answer)["points"]) {
    if (!one.is_object() || points.size() >= kMostPoints) continue;
    OutlinePoint point{string_of(one, "question", 200), string_of(one, "query", 200)};
    if (point.query.empty()) point.query = point.question;
    if (!point.question.empty() && !orders_the_reader(point.question)) points.push_back(std::move(point));
  }
  if (points.empty()) return std::nullopt;
  return points;
}

std::optional<ModelClaims> model_claims(ResearchStream& stream, const std::string& question,
                                        const std::vector<std::string>& outline,
                                        const std::vector<SourceStatement>& statements, const SourceBook& sources) {
  if (statements.empty()) return std::nullopt;
  const Json data{{"question", question}, {"points", outline}, {"sentences", sentences_as_json(statements, sources)}};
  const auto answer = answer_of(stream, "claims", data, kClaimsSchema);
  if (!answer || !answer->contains("claims") || !(*answer)["claims"].is_array()) return std::nullopt;
  ModelClaims made;
  std::vector<std::size_t> places;
  for (const Json& one : (*answer)["claims"]) {
    places.push_back(0);
    if (!one.is_object() || made.claims.size() >= kMostClaims) continue;
    if (auto claim = claim_of(stream, one, outline, statements)) {
      made.claims.push_back(std::move(*claim));
      places.back() = made.claims.size();
    }
  }
  if (made.claims.empty()) return std::nullopt;
  made.disputes = disputes_of(*answer, places);
  made.gaps = texts_of(*answer, "gaps", kMostListed);
  made.methods = texts_of(*answer, "methods", 3);
  return made;
}

std::optional<Critique> model_critique(ResearchStream& stream, const std::string& question,
                                       const std::vector<std::string>& outline,
                                       const std::vector<ResearchClaim>& claims, const SourceBook& sources) {
  if (claims.empty()) return std::nullopt;
  const Json data{{"question", question}, {"points", outline}, {"claims", claims_as_json(claims, sources)}};
  const auto answer = answer_of(stream, "critic", data, kCritiqueSchema);
  if (!answer) return std::nullopt;
  Critique critique;
  critique.unsupported = numbers_of(*answer, "unsupported", claims.size());
  std::vector<std::size_t> places;
  for (std::size_t i = 1; i <= claims.size(); ++i) places.push_back(i);
  critique.disputes = disputes_of(*answer, places);
  critique.gaps = texts_of(*answer, "gaps", 4);
  return critique;
}

std::optional<std::string> model_summary(ResearchStream& stream, const ResearchReport& report) {
  if (report.claims.empty()) return std::nullopt;
  Json data{{"question", report.question}, {"claims", Json::array()}, {"gaps", report.gaps}};
  std::set<std::string> known = figures_in(report.question);
  const auto add_known = [&](std::string_view text) { known.merge(figures_in(text)); };
  for (const ResearchClaim& claim : report.claims) {
    Json cited = Json::array();
    for (const ResearchCitation& one : claim.citations) {
      cited.push_back(one.source);
      add_known(std::to_string(one.source));
    }
    add_known(claim.text);
    data["claims"].push_back({{"claim", claim.text}, {"state", to_string(claim.state)}, {"sources", std::move(cited)}});
  }
  for (const ResearchSource& one : report.sources) {
    data["sources"].push_back({{"number", one.number}, {"title", one.title}, {"date", one.date}});
    add_known(one.title + " " + one.date);
  }
  const auto answer = answer_of(stream, "summary", data, kSummarySchema, true);
  if (!answer) return std::nullopt;
  const std::string summary = string_of(*answer, "summary", 4000);
  if (summary.empty()) return std::nullopt;
  if (all_figures_in(summary, known)) return summary;
  stream.note("the model's summary was refused: it says a number that no claim says");
  return std::nullopt;
}

}  // namespace weft
