#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/builtin_tools.h"
#include "agent/research_stream.h"
#include "agent/researcher.h"
#include "agent/tool.h"
#include "flow/memory/likeness.h"
#include "ports/index/words_index.h"

namespace weft {

/// What kind of source a URL or the path of a file is, by its host, else by the names in it; see lexicon/*/sources.txt.
SourceKind kind_of_origin(std::string_view origin);

/// The kind that a document names for itself ("kind: news"); kOther for what is none. A document's word counts only
/// where it has no address that says something else: anybody can call themselves official.
SourceKind kind_of_word(std::string_view word);

/// How much a kind of source weighs for a kind of research, 0 the most. For a fact official sources come before
/// encyclopaedias, these before news and papers; for a topic papers come before makers' blogs, these before reports and
/// news, and an official source before all of them.
int source_rank(SourceKind source, ResearchKind research);

/// Who is behind a URL: its host without what is below the name that somebody registered ("news.example.co.uk" is
/// "example.co.uk"). Empty for a path.
std::string publisher_of(std::string_view origin);

/// A text as some numbers, by which copies of it, also in parts and with other lines around, are found: hashes of runs
/// of words, of each window the smallest (winnowing: Schleimer, Wilkerson, Aiken 2003).
std::vector<std::uint32_t> text_sketch(std::string_view text);

/// Which share of the smaller of two sketches stands in the other one.
double shared_sketch(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b);

/// Whether one text stands in another as it is, and is so long that two authors do not write it by chance.
bool is_copied_sentence(std::string_view a, std::string_view b);

/// Sets `copy_of` of each source that repeats an earlier one or has its publisher: together they are one witness. What
/// an earlier research left in memory is no witness of its own: it is marked as a copy of itself.
void mark_copies(const std::vector<FoundSource>& found, std::vector<ResearchSource>& sources);

/// The source that stands for this one among witnesses.
std::int64_t witness_of(const ResearchSource& source);

/// The session in which a research is remembered.
inline constexpr std::string_view kResearchSession = "research-";

/// Folders of text, Markdown, HTML and source code as sources. They are read when they are opened: what changes
/// meanwhile is not seen. No link is followed; hidden files, what build tools and package managers make, and files that
/// are no text are passed over. Immutable then, safe from many threads.
class SourceFolders {
 public:
  /// kNotFound for a folder that is not there, kInvalidArgument where it is none.
  static Result<std::shared_ptr<const SourceFolders>> open(const std::vector<std::string>& folders);

  /// A file: its path as it is cited, below which folder it lies, and what stands in it.
  struct File {
    std::string path;  ///< as the folder was named, and behind it the path below it
    std::string relative;  ///< to its folder
    std::size_t folder = 0;
    std::uintmax_t bytes = 0;
    FoundSource source;  ///< of documents; of code only its lines, see `code`
    bool code = false;
    std::string text;  ///< of code
  };
  const std::vector<File>& files() const { return files_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// Null where there is none of that path, as it is cited.
  const File* find(const std::string& path) const;

  /// The stretches that answer a question best, by their sources, the best first: by words (BM25) and, where an
  /// embedder serves, by meaning. Gives no more than `most` stretches, and no more than a third of them of one source.
  FoundSources search(const std::string& query, const Likeness& likeness, std::size_t most) const;

 private:
  struct Place {
    std::size_t file = 0, part = 0;
  };
  Status take(std::size_t folder, const WorkFolder& reader, const std::string& shown);
  void index();
  std::vector<double> scores(const std::string& query, const Likeness& likeness) const;

  std::vector<File> files_;
  std::vector<std::string> notes_;
  std::vector<Place> places_;  ///< of the stretches of documents, by their slot
  WordsIndex words_;
};

/// folder_search, folder_list and folder_read over these folders. Their outputs are `FoundSources`, but folder_list's,
/// which is a line a file.
std::vector<std::shared_ptr<Tool>> folder_tools(std::shared_ptr<const SourceFolders> folders,
                                                std::shared_ptr<const Likeness> likeness);

inline constexpr const char* kFolderSearch = "folder_search";
inline constexpr const char* kFolderList = "folder_list";
inline constexpr const char* kFolderRead = "folder_read";

/// How a project is explored (002, 6.1): README, then its structure, then configuration, entry points and core, then
/// what others write of it. The core is what other files name most often.
Result<Findings> explore_repository(ResearchStream& stream, const std::string& question);

/// A file of a project's list.
struct ProjectFile {
  std::string path;
  std::int64_t bytes = 0;
};

/// Which files tell most of a project, by their names and places: README first, then configuration, then entry points;
/// and what is documented besides. In the order in which they are to be read.
std::vector<ProjectFile> files_to_read(const std::vector<ProjectFile>& all, std::size_t most);

}  // namespace weft
