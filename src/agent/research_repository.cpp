// Exploring a project without knowing its language: by names that projects share, and by what its files name.
#include "agent/research_repository.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "agent/research_folders.h"
#include "agent/research_outline.h"
#include "base/lowered.h"
#include "base/strings.h"
#include "text/lexicon.h"
#include "text/utf8.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDirectories = 12, kEnds = 8, kLongestQuote = 400;

std::string stem_of(const std::string& path) { return lowered(fs::path(path).stem().string()); }
std::string name_of(const std::string& path) { return lowered(fs::path(path).filename().string()); }

std::size_t depth_of(const std::string& path) {
  return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

std::vector<ProjectFile> parse_list(std::string_view text) {
  std::vector<ProjectFile> files;
  for (const std::string_view line : lines_of(text)) {
    const auto tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    ProjectFile file{std::string(line.substr(0, tab)), 0};
    const std::string_view bytes = line.substr(tab + 1);
    std::from_chars(bytes.data(), bytes.data() + bytes.size(), file.bytes);
    files.push_back(std::move(file));
  }
  return files;
}

bool is_among(const std::string& name, const char* list) {
  static std::map<std::string, LexiconWords> lists;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto [at, fresh] = lists.try_emplace(list);
  if (fresh) at->second = lexicon_words("en/sources", list);
  return at->second.contains(name);
}

enum class Place { kReadme, kConfiguration, kEntry, kDocument, kOther };

Place place_of(const std::string& path) {
  if (stem_of(path).starts_with("readme")) return Place::kReadme;
  if (is_among(name_of(path), "project files")) return Place::kConfiguration;
  if (is_among(stem_of(path), "entry names")) return Place::kEntry;
  const std::string end = lowered(fs::path(path).extension().string());
  return end == ".md" || end == ".rst" || end == ".adoc" ? Place::kDocument : Place::kOther;
}

ResearchClaim claim_at(std::string aspect, std::string text, std::vector<ResearchCitation> citations) {
  ResearchClaim claim;
  claim.aspect = std::move(aspect);
  claim.text = std::move(text);
  claim.citations = std::move(citations);
  return claim;
}

/// One exploration; holds what its steps share.
class Exploration {
 public:
  Exploration(ResearchStream& stream, const std::string& question)
      : stream_(stream),
        question_(question),
        researcher_(stream, question, ResearchKind::kRepository),
        chinese_(language_of(question) == Language::kChinese) {}

  Result<Findings> run() {
    const std::vector<std::string> outline{word("Purpose", "用途"),       word("Structure", "结构"),
                                           word("Configuration", "配置"), word("Entry points", "入口"),
                                           word("Core", "核心模块"),      question_};
    WEFT_CHECK(stream_.progress(outline, 0));
    WEFT_CHECK(researcher_.ask_memory());
    WEFT_CHECK(list());
    WEFT_CHECK(read(files_to_read(files_, 6)));
    WEFT_CHECK(stream_.progress(outline, 4));
    WEFT_CHECK(read(core(3)));
    WEFT_CHECK(stream_.progress(outline, 5));
    // What others write of it, with what calls are left.
    if (stream_.left() > 0) WEFT_CHECK(researcher_.search(question_));
    if (stream_.left() > 0) WEFT_CHECK(researcher_.read_best(2));
    researcher_.draw_claims({question_});
    WEFT_CHECK(stream_.progress(outline, outline.size()));
    Findings found = researcher_.take();
    found.outline = outline;
    for (ResearchClaim& claim : claims_) found.claims.push_back(std::move(claim));
    return found;
  }

 private:
  std::string word(const char* english, const char* chinese) const { return chinese_ ? chinese : english; }

  Status list() {
    const auto& tool = stream_.parts().tools.list;
    if (!tool) {
      stream_.note("no folder of a project was given");
      return {};
    }
    WEFT_TRY(const auto outcome, stream_.call(tool, "{}"));
    if (!outcome || outcome->failed) return {};
    files_ = parse_list(outcome->output);
    if (files_.empty()) return {};
    FoundSource source;
    source.origin = fs::path(files_.front().path).parent_path().generic_string();
    for (const ProjectFile& file : files_)
      while (!file.path.starts_with(source.origin + "/") && !source.origin.empty())
        source.origin = fs::path(source.origin).parent_path().generic_string();
    source.title = word("the list of its files", "文件列表");
    source.kind = SourceKind::kProject;
    source.tool = kFolderList;
    source.whole = true;
    const std::size_t root = source.origin.size() + 1;
    const auto number = researcher_.sources().add(std::move(source));
    tell_structure(number, root);
    return {};
  }

  // Which folders hold how many files, and of which kinds they are.
  void tell_structure(std::int64_t number, std::size_t root) {
    std::map<std::string, int> folders, ends;
    for (const ProjectFile& file : files_) {
      const std::string below = file.path.substr(std::min(root, file.path.size()));
      const auto slash = below.find('/');
      ++folders[slash == std::string::npos ? "." : below.substr(0, slash) + "/"];
      if (const std::string end = fs::path(below).extension().string(); !end.empty()) ++ends[end];
    }
    const auto told = [&](const std::map<std::string, int>& counts, std::size_t most) {
      std::vector<std::pair<std::string, int>> order(counts.begin(), counts.end());
      std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
      std::string text;
      for (std::size_t i = 0; i < std::min(order.size(), most); ++i)
        text += (i > 0 ? word(", ", "，") : "") + order[i].first + " (" + std::to_string(order[i].second) + ")";
      return text;
    };
    const std::string folders_told = told(folders, kDirectories), ends_told = told(ends, kEnds);
    claims_.push_back(claim_at(word("Structure", "结构"), word("Files by folder: ", "各目录的文件数：") + folders_told,
                               {{number, 0, 0, folders_told}}));
    claims_.push_back(claim_at(word("Structure", "结构"), word("Files by kind: ", "各类型的文件数：") + ends_told,
                               {{number, 0, 0, ends_told}}));
  }

  // How often a file's name stands in the files that were read, which tells what the others build on.
  std::vector<ProjectFile> core(std::size_t most) {
    std::vector<std::pair<std::size_t, const ProjectFile*>> ranked;
    for (const ProjectFile& file : files_) {
      const std::string stem = fs::path(file.path).stem().string();
      if (read_.contains(file.path) || place_of(file.path) != Place::kOther || stem.size() < 3) continue;
      std::size_t named = 0;
      for (const FoundSource& source : researcher_.sources().all())
        for (const FoundPart& part : source.parts)
          for (std::size_t at = part.text.find(stem); at != std::string::npos; at = part.text.find(stem, at + 1))
            ++named;
      if (named > 0) ranked.emplace_back(named, &file);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<ProjectFile> chosen;
    for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) chosen.push_back(*ranked[i].second);
    return chosen;
  }

  Status read(const std::vector<ProjectFile>& files) {
    for (const ProjectFile& file : files) {
      WEFT_TRY(FoundSources found, researcher_.read_file(file.path, 1));
      read_.insert(file.path);
      for (FoundSource& source : found.sources) {
        tell_file(file.path, source);
        researcher_.sources().add(std::move(source));
      }
    }
    return {};
  }

  // A file by its first words: of a README what the project is, of code its first comment or lines.
  void tell_file(const std::string& path, const FoundSource& source) {
    const auto first = std::find_if(source.parts.begin(), source.parts.end(), [](const FoundPart& part) {
      return !part.heading && part.text.find_first_not_of("[!<#=-") == 0;
    });
    const auto& shown = first != source.parts.end() ? first : source.parts.begin();
    if (shown == source.parts.end()) return;
    const Place place = place_of(path);
    const std::string aspect = place == Place::kReadme          ? word("Purpose", "用途")
                               : place == Place::kConfiguration ? word("Configuration", "配置")
                               : place == Place::kEntry         ? word("Entry points", "入口")
                               : place == Place::kDocument      ? word("Purpose", "用途")
                                                                : word("Core", "核心模块");
    const std::string quote = preview(shown->text, kLongestQuote);
    const auto number = static_cast<std::int64_t>(researcher_.sources().size()) + 1;
    claims_.push_back(claim_at(aspect, fs::path(path).filename().string() + word(": ", "：") + quote,
                               {{number, shown->first_line, shown->last_line, quote}}));
  }

  ResearchStream& stream_;
  const std::string& question_;
  Researcher researcher_;
  const bool chinese_;
  std::vector<ProjectFile> files_;
  std::set<std::string> read_;
  std::vector<ResearchClaim> claims_;
};

}  // namespace

std::vector<ProjectFile> files_to_read(const std::vector<ProjectFile>& all, std::size_t most) {
  std::vector<ProjectFile> chosen;
  for (const auto& [place, count] :
       {std::pair(Place::kReadme, 1), std::pair(Place::kConfiguration, 2), std::pair(Place::kEntry, 3)}) {
    std::vector<ProjectFile> fits;
    for (const ProjectFile& file : all)
      if (place_of(file.path) == place) fits.push_back(file);
    // What lies near the root tells of the whole.
    std::stable_sort(fits.begin(), fits.end(),
                     [](const auto& a, const auto& b) { return depth_of(a.path) < depth_of(b.path); });
    for (std::size_t i = 0; i < std::min<std::size_t>(static_cast<std::size_t>(count), fits.size()); ++i)
      if (chosen.size() < most) chosen.push_back(fits[i]);
  }
  return chosen;
}

Result<Findings> explore_repository(ResearchStream& stream, const std::string& question) {
  return Exploration(stream, question).run();
}

}  // namespace weft
