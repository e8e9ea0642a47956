// MEMORY.md and days.
#include "model/records.h"

namespace weft {
namespace {

constexpr FieldRule kSparse{.sparse = true};

}  // namespace

template <>
const Record<KnowledgeEntry>& record<KnowledgeEntry>() {
  static const auto made =
      Record<KnowledgeEntry>("KnowledgeEntry", "An entry of MEMORY.md.", RecordUse::kBoth)
          .field("section", &KnowledgeEntry::section, "the heading that it stands below", kSparse)
          .field("text", &KnowledgeEntry::text, "what is known", {.required = true, .option = "text"})
          .field("date", &KnowledgeEntry::date, "day on which it was written, such as 2026-11-24", kSparse)
          .field("source", &KnowledgeEntry::source, "where it comes from; empty: a person", kSparse)
          .field("against", &KnowledgeEntry::against,
                 "the entry that it contradicts, until somebody has said which one holds", kSparse);
  return made;
}

template <>
const Record<KnowledgeFile>& record<KnowledgeFile>() {
  static const auto made = Record<KnowledgeFile>("KnowledgeFile", "MEMORY.md as it stands.", RecordUse::kTold)
                               .field("path", &KnowledgeFile::path, "of the file")
                               .field("text", &KnowledgeFile::text, "the whole, as Markdown")
                               .field("entries", &KnowledgeFile::entries, "lines of its lists");
  return made;
}

template <>
const Record<Day>& record<Day>() {
  static const auto made = Record<Day>("Day", "What happened on a day.", RecordUse::kTold)
                               .field("date", &Day::date, "such as 2026-11-24")
                               .field("text", &Day::text, "Markdown", kSparse);
  return made;
}

}  // namespace weft
