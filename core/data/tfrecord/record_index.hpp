#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/data/pipeline/data_options.hpp"

namespace convoy::data {

// Where a record is.
struct RecordReference {
  std::uint64_t offset = 0;  // bytes
  std::uint32_t length = 0;  // bytes of payload
  std::uint32_t file = 0;    // in RecordIndex::files
};

// All records of a data set, in the order of the files' names and of their bytes: what makes any
// order of samples possible without a shuffle buffer. 16 bytes per record (20 MB for ImageNet).
struct RecordIndex {
  std::vector<std::filesystem::path> files;
  std::vector<RecordReference> records;
  std::int64_t damaged_files = 0;  // used up to the damage
  std::string damage_example;      // the message of one of them
};

// The files `<folder>/train-*-of-*` or `validation-*-of-*`, sorted by name. Fails (kUnavailable) if
// there are none, saying what was looked for and what is there.
std::vector<std::filesystem::path> find_record_files(const std::filesystem::path& folder,
                                                     Subset subset);

// Which of the files that their own names count, such as train-00000-of-00004, are not among them,
// for people; empty when none is missing.
std::string missing_files(const std::vector<std::filesystem::path>& files);

// Which of its files have no record, for people; empty when all have some.
std::string files_without_records(const RecordIndex& index);

// Walks the record headers of every file (12 bytes each, their checksums verified; the payloads are
// verified when they are read), `threads` files at a time. A damaged header hides the rest of its
// file: BadRecord under kFail, counted under kSkip. Fails if there is no record at all.
RecordIndex index_records(std::vector<std::filesystem::path> files, BadRecordPolicy on_bad_record,
                          int threads);

}  // namespace convoy::data
