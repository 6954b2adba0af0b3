#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/data/pipeline/data_options.hpp"

namespace convoy::data {

// The position of a record.
struct RecordReference {
  std::uint64_t offset = 0;  // bytes
  std::uint32_t length = 0;  // bytes of the payload
  std::uint32_t file = 0;    // index in RecordIndex::files
};

// All records of a data set, in the order of the files' names and of their bytes. It allows any
// order of samples without a shuffle buffer. It takes 16 bytes per record (20 MB for ImageNet).
struct RecordIndex {
  std::vector<std::filesystem::path> files;
  std::vector<RecordReference> records;
  std::int64_t damaged_files = 0;  // used up to the damage
  std::string damage_example;      // the message for one of them
};

// Returns the files `<folder>/train-*-of-*` or `validation-*-of-*`, sorted by name. Fails
// (kUnavailable) if there are none, and says what was expected and what exists.
std::vector<std::filesystem::path> find_record_files(const std::filesystem::path& folder,
                                                     Subset subset);

// Returns the files that are missing according to the numbers in names such as
// train-00000-of-00004, for people; empty if none is missing.
std::string missing_files(const std::vector<std::filesystem::path>& files);

// Returns the files of the index without records, for people; empty if all have some.
std::string files_without_records(const RecordIndex& index);

// Reads the record headers of every file (12 bytes each) and verifies their checksums, `threads`
// files at a time. Payloads are verified when they are read. A damaged header hides the rest of its
// file: with kFail this throws BadRecord, with kSkip it is counted. Fails if there is no record at
// all.
RecordIndex index_records(std::vector<std::filesystem::path> files, BadRecordPolicy on_bad_record,
                          int threads);

}  // namespace convoy::data
