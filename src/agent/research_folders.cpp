// Folders of files as sources: what is read of them, and how they are searched.
#include "agent/research_folders.h"

#include <algorithm>
#include <map>
#include <set>

#include "agent/function_tool.h"
#include "agent/research_text.h"
#include "base/lowered.h"
#include "base/strings.h"
#include "text/record.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 4000, kMostBytes = 2 << 20, kMostInAll = 64 << 20;
constexpr std::size_t kAllByMeaning = 400, kSomeByMeaning = 160;  // stretches whose meaning is looked at
constexpr std::size_t kPartsOfSearch = 24, kLinesOfRead = 400;
constexpr double kMeaningShare = 0.7;  // beside 0.3 of words, as in searches of memory

const std::set<std::string, std::less<>>& document_ends() {
  static const std::set<std::string, std::less<>> ends{".txt", ".text", ".md",  ".markdown", ".rst", ".adoc",
                                                       ".org", ".html", ".htm", ".xhtml",    ""};
  return ends;
}

// What tools make of sources is none.
bool is_made(const std::string& name) {
  static const std::set<std::string, std::less<>> made{"node_modules", "build",  "dist",        "out",
                                                       "target",       "vendor", "third_party", "__pycache__",
                                                       "venv",         "bin",    "obj",         "coverage"};
  return name.starts_with('.') || made.contains(name);
}

bool is_text(std::string_view bytes) { return bytes.substr(0, 8192).find('\0') == std::string_view::npos; }

struct Listed {
  std::string relative;
  std::uintmax_t bytes = 0;
};

// By name, so that the same folder gives the same report.
std::vector<Listed> list_files(const fs::path& root) {
  std::vector<Listed> found;
  std::error_code error;
  fs::recursive_directory_iterator walk(root, fs::directory_options::skip_permission_denied, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    const fs::directory_entry& entry = *walk;
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (entry.is_symlink(ignored)) continue;
    if (entry.is_directory(ignored)) {
      if (is_made(name)) walk.disable_recursion_pending();
      continue;
    }
    if (!entry.is_regular_file(ignored) || name.starts_with('.')) continue;
    found.push_back({entry.path().lexically_relative(root).generic_string(), entry.file_size(ignored)});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.relative < b.relative; });
  return found;
}

// In the order of the file, each stretch behind the heading that it stands below.
void add_headings(const std::vector<FoundPart>& all, std::vector<FoundPart>& chosen) {
  std::vector<FoundPart> told;
  const FoundPart* heading = nullptr;
  for (const FoundPart& one : all) {
    if (one.heading) heading = &one;
    const bool here = std::any_of(chosen.begin(), chosen.end(),
                                  [&](const FoundPart& part) { return part.first_line == one.first_line; });
    if (!here) continue;
    if (heading != nullptr) told.push_back(*std::exchange(heading, nullptr));
    told.push_back(one);
  }
  chosen = std::move(told);
}

std::string searched_text(const FoundSource& source, const FoundPart& part) {
  return part.heading ? part.text : source.title + "\n" + part.text;
}

}  // namespace

Result<std::shared_ptr<const SourceFolders>> SourceFolders::open(const std::vector<std::string>& folders) {
  auto made = std::make_shared<SourceFolders>();
  for (std::size_t i = 0; i < folders.size(); ++i) {
    std::error_code error;
    const fs::path path(folders[i]);
    if (!fs::exists(path, error)) return not_found("there is no folder " + folders[i], "name one with --sources");
    if (!fs::is_directory(path, error)) return invalid_argument(folders[i] + " is no folder", "name its folder");
    WEFT_TRY(const WorkFolder reader, WorkFolder::open(path));
    WEFT_CHECK(made->take(i, reader, folders[i]));
  }
  made->index();
  return std::shared_ptr<const SourceFolders>(std::move(made));
}

Status SourceFolders::take(std::size_t folder, const WorkFolder& reader, const std::string& shown) {
  std::size_t total = 0;
  for (const Listed& one : list_files(reader.path())) {
    if (files_.size() >= kMostFiles || total > kMostInAll) {
      notes_.push_back(shown + ": more files than are read; the first " + std::to_string(files_.size()) + " are");
      break;
    }
    auto text = reader.read(one.relative, kMostBytes);
    if (!text.ok()) {
      notes_.push_back(text.error().message);
      continue;
    }
    if (!is_text(*text)) continue;
    total += text->size();
    File file{(fs::path(shown) / one.relative).generic_string(), one.relative, folder, one.bytes, {}, false, {}};
    file.code = !document_ends().contains(lowered(fs::path(one.relative).extension().string()));
    if (file.code) {
      file.source.origin = file.path;
      file.source.kind = SourceKind::kProject;
      file.text = std::move(text).value();
    } else {
      file.source = read_source(one.relative, *text);  // its kind is told by names below the folder, not above it
      file.source.origin = file.path;
    }
    file.source.tool = kFolderSearch;
    files_.push_back(std::move(file));
  }
  return {};
}

void SourceFolders::index() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const auto& parts = files_[i].source.parts;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].heading) continue;
      words_.add(static_cast<std::uint32_t>(places_.size()), index_terms(searched_text(files_[i].source, parts[k])));
      places_.push_back({i, k});
    }
  }
}

const SourceFolders::File* SourceFolders::find(const std::string& path) const {
  const auto found = std::find_if(files_.begin(), files_.end(), [&](const File& one) { return one.path == path; });
  return found == files_.end() ? nullptr : &*found;
}

std::vector<double> SourceFolders::scores(const std::string& query, const Likeness& likeness) const {
  std::vector<float> by_words(places_.size(), 0);
  std::vector<WordsIndex::QueryTerm> terms;
  std::set<Term> seen;
  for (const Term term : index_terms(query))
    if (seen.insert(term).second) terms.push_back({term, 1});
  words_.score(terms, {}, by_words);
  const float best = by_words.empty() ? 0 : *std::max_element(by_words.begin(), by_words.end());
  std::vector<double> scores(by_words.size());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = best > 0 ? by_words[i] / best : 0;
  if (!likeness.by_meaning()) return scores;
  std::vector<std::size_t> looked(scores.size());
  for (std::size_t i = 0; i < looked.size(); ++i) looked[i] = i;
  std::stable_sort(looked.begin(), looked.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  if (looked.size() > kAllByMeaning) looked.resize(kSomeByMeaning);
  std::vector<std::string> texts;
  for (const std::size_t slot : looked) {
    const FoundSource& source = files_[places_[slot].file].source;
    texts.push_back(searched_text(source, source.parts[places_[slot].part]));
  }
  const auto alike = likeness.to_all(query, texts);
  for (std::size_t i = 0; i < looked.size(); ++i)
    scores[looked[i]] = kMeaningShare * alike[i] + (1 - kMeaningShare) * scores[looked[i]];
  return scores;
}

FoundSources SourceFolders::search(const std::string& query, const Likeness& likeness, std::size_t most) const {
  const std::vector<double> score = scores(query, likeness);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < score.size(); ++i)
    if (score[i] > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
  FoundSources found;
  std::map<std::size_t, std::size_t> place;  // of a file among the sources
  std::size_t taken = 0;
  for (const std::size_t slot : order) {
    if (taken == most) break;
    const auto [file, part] = places_[slot];
    const auto [at, fresh] = place.try_emplace(file, found.sources.size());
    if (fresh) {
      FoundSource source = files_[file].source;
      source.parts.clear();
      source.whole = false;
      found.sources.push_back(std::move(source));
    }
    auto& parts = found.sources[at->second].parts;
    if (parts.size() >= std::max<std::size_t>(1, most / 3)) continue;
    parts.push_back(files_[file].source.parts[part]);
    ++taken;
  }
  for (const auto& [file, at] : place) add_headings(files_[file].source.parts, found.sources[at].parts);
  return found;
}

namespace {

struct FolderArguments {
  std::string query, path;
  std::int64_t first_line = 1;
};

}  // namespace

WEFT_DESCRIBED(FolderArguments);

template <>
const Record<FolderArguments>& record<FolderArguments>() {
  static const auto made = Record<FolderArguments>("FolderArguments", "", RecordUse::kAsked)
                               .field("query", &FolderArguments::query, "")
                               .field("path", &FolderArguments::path, "")
                               .field("first_line", &FolderArguments::first_line, "", {.least = 1});
  return made;
}

namespace {

// Of code as of a document: stretches between blank lines.
FoundSource lines_from(const SourceFolders::File& file, std::int64_t first) {
  FoundSource source = file.source;
  source.tool = kFolderRead;
  source.parts.clear();
  source.whole = true;
  std::int64_t number = 0;
  FoundPart open;
  const auto close = [&] {
    if (!open.text.empty()) source.parts.push_back(std::move(open));
    open = {};
  };
  for (const std::string_view line : lines_of(file.text)) {
    if (++number < first) continue;
    if (number - first >= static_cast<std::int64_t>(kLinesOfRead)) {
      source.whole = false;
      break;
    }
    if (trimmed(line).empty()) {
      close();
      continue;
    }
    if (open.text.empty()) open.first_line = number;
    open.last_line = number;
    open.text += (open.text.empty() ? "" : "\n") + std::string(line);
  }
  close();
  return source;
}

Result<ToolOutcome> read_file_of(const SourceFolders& folders, const FolderArguments& what) {
  const auto* file = folders.find(what.path);
  if (file == nullptr) return ToolOutcome{"there is no file " + what.path, true};
  if (file->code) return ToolOutcome{to_json(FoundSources{{lines_from(*file, what.first_line)}, {}})};
  FoundSource source = file->source;
  source.tool = kFolderRead;
  std::erase_if(source.parts, [&](const FoundPart& part) { return part.last_line < what.first_line; });
  return ToolOutcome{to_json(FoundSources{{std::move(source)}, {}})};
}

ToolOutcome list_of(const SourceFolders& folders) {
  std::string text;
  for (const auto& file : folders.files()) text += file.path + "\t" + std::to_string(file.bytes) + "\n";
  return ToolOutcome{text};
}

}  // namespace

std::vector<std::shared_ptr<Tool>> folder_tools(std::shared_ptr<const SourceFolders> folders,
                                                std::shared_ptr<const Likeness> likeness) {
  return {
      make_tool({kFolderSearch, "Searches the files that were given as sources.",
                 ToolParameters().text("query", "what is to be found out")},
                ToolEffects::kNone,
                [folders, likeness](const ToolRequest& request) -> Result<ToolOutcome> {
                  WEFT_TRY(const auto what, parse_record<FolderArguments>(request.arguments, "the arguments"));
                  return ToolOutcome{to_json(folders->search(what.query, *likeness, kPartsOfSearch))};
                }),
      make_tool({kFolderList, "Lists the files that were given as sources.", ToolParameters()}, ToolEffects::kNone,
                [folders](const ToolRequest&) -> Result<ToolOutcome> { return list_of(*folders); }),
      make_tool({kFolderRead, "Reads a file that was given as a source.",
                 ToolParameters().text("path", "as the list has it").integer("first_line", "from which on").optional()},
                ToolEffects::kNone,
                [folders](const ToolRequest& request) -> Result<ToolOutcome> {
                  WEFT_TRY(const auto what, parse_record<FolderArguments>(request.arguments, "the arguments"));
                  return read_file_of(*folders, what);
                }),
  };
}

}  // namespace weft
