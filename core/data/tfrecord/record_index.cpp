#include "core/data/tfrecord/record_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "core/base/files/folder_entries.hpp"
#include "core/base/text/number.hpp"
#include "core/data/pipeline/bad_record.hpp"
#include "core/data/tfrecord/tfrecord_reader.hpp"

namespace convoy::data {
namespace {

struct FileScan {
  std::vector<RecordReference> records;
  std::exception_ptr error;
};

void scan_file(const std::filesystem::path& path, std::uint32_t file, FileScan& scan) {
  try {
    const TfRecordReader reader(path);
    std::uint64_t offset = 0;
    while (const auto location = reader.locate(offset)) {
      scan.records.push_back({offset, static_cast<std::uint32_t>(location->length), file});
      offset = location->end();
    }
  } catch (...) {
    scan.error = std::current_exception();
  }
}

std::vector<FileScan> scan_files(const std::vector<std::filesystem::path>& files, int threads) {
  std::vector<FileScan> scans(files.size());
  std::atomic<std::size_t> next = 0;
  const auto scan_some = [&] {
    for (std::size_t i = next++; i < files.size(); i = next++) {
      scan_file(files[i], static_cast<std::uint32_t>(i), scans[i]);
    }
  };
  const std::size_t helpers = std::min(files.size(), static_cast<std::size_t>(threads)) - 1;
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < helpers; ++i) workers.emplace_back(scan_some);
  scan_some();
  workers.clear();  // joins the threads
  return scans;
}

bool is_record_file(const std::filesystem::path& entry, std::string_view prefix) {
  const std::string name = entry.filename().string();
  std::error_code ignored;
  return name.starts_with(prefix) && name.find("-of-", prefix.size()) != std::string::npos &&
         !std::filesystem::is_directory(entry, ignored);
}

// The parts of a name: "train-00001-of-00004" is the second of four files.
struct ShardName {
  std::string before;  // "train-"
  std::string after;   // "-of-00004"
  std::uint32_t index = 0;
  std::uint32_t count = 0;
};

std::optional<ShardName> parse_shard(const std::string& name) {
  constexpr std::string_view kOf = "-of-";
  const std::size_t of = name.rfind(kOf);
  const std::size_t dash = name.rfind('-', of == std::string::npos || of == 0 ? 0 : of - 1);
  if (of == std::string::npos || dash == std::string::npos || dash >= of) return std::nullopt;
  const std::string_view text = name;
  const auto index = parse_number<std::uint32_t>(text.substr(dash + 1, of - dash - 1));
  const auto count = parse_number<std::uint32_t>(text.substr(of + kOf.size()));
  if (!index || !count) return std::nullopt;
  return ShardName{name.substr(0, dash + 1), name.substr(of), *index, *count};
}

}  // namespace

std::string missing_files(const std::vector<std::filesystem::path>& files) {
  std::map<std::string, std::set<std::uint32_t>> sets;  // by the common part of their names
  std::map<std::string, ShardName> first;
  for (const std::filesystem::path& file : files)
    if (const auto shard = parse_shard(file.filename().string())) {
      const std::string set = shard->before + "*" + shard->after;
      first.try_emplace(set, *shard);
      if (shard->index < shard->count) sets[set].insert(shard->index);
    }
  for (const auto& [set, there] : sets) {
    const ShardName& name = first.at(set);
    if (there.size() == name.count) continue;
    std::uint32_t absent = 0;
    while (there.contains(absent)) ++absent;
    return fmt::format(
        "{} of the {} files {} are in {}: {}{:05}{} is missing{}; what is there is taken for all",
        there.size(), name.count, set, files.front().parent_path().string(), name.before, absent,
        name.after, there.size() + 1 < name.count ? ", and others" : "");
  }
  return {};
}

std::string files_without_records(const RecordIndex& index) {
  std::vector<bool> has_some(index.files.size());
  for (const RecordReference& record : index.records) has_some[record.file] = true;
  const auto first = std::find(has_some.begin(), has_some.end(), false);
  if (first == has_some.end()) return {};
  return fmt::format(
      "there is no record in {} of the {} files, such as {}: were they copied to their end?",
      std::count(has_some.begin(), has_some.end(), false), has_some.size(),
      index.files[static_cast<std::size_t>(first - has_some.begin())].string());
}

std::vector<std::filesystem::path> find_record_files(const std::filesystem::path& folder,
                                                     Subset subset) {
  const std::string prefix = subset == Subset::kTrain ? "train-" : "validation-";
  std::error_code error;
  const std::vector<std::filesystem::path> entries = folder_entries(folder, error);
  if (error) {
    fail(ExitCode::kUnavailable,
         "cannot list the data folder {}: {}; data_dir must be a folder of TFRecord files named "
         "{}*-of-*",
         folder.string(), error.message(), prefix);
  }
  std::vector<std::filesystem::path> files;
  std::int64_t others = 0;
  std::string other;
  for (const std::filesystem::path& entry : entries) {
    if (is_record_file(entry, prefix)) {
      files.push_back(entry);
    } else {
      ++others;
      other = entry.filename().string();
    }
  }
  if (files.empty()) {
    fail(ExitCode::kUnavailable, "no files {}*-of-* in the data folder {}: {}", prefix,
         folder.string(),
         others == 0 ? "it is empty"
                     : fmt::format("it has {} other entries, for example '{}'", others, other));
  }
  return files;
}

RecordIndex index_records(std::vector<std::filesystem::path> files, BadRecordPolicy on_bad_record,
                          int threads) {
  CONVOY_CHECK(!files.empty() && threads >= 1);
  RecordIndex index;
  for (FileScan& scan : scan_files(files, threads)) {
    if (scan.error) {
      try {
        std::rethrow_exception(scan.error);
      } catch (const BadRecord& error) {
        if (on_bad_record == BadRecordPolicy::kFail)
          reject_record("{}; --on_bad_record=skip uses the records before it", error.what());
        ++index.damaged_files;
        index.damage_example = error.what();
      }
    }
    index.records.insert(index.records.end(), scan.records.begin(), scan.records.end());
  }
  if (index.records.empty()) {
    fail(ExitCode::kUnavailable, "the {} data files of {} contain no usable record{}{}",
         files.size(), files.front().parent_path().string(),
         index.damage_example.empty() ? "" : "; ", index.damage_example);
  }
  index.files = std::move(files);
  return index;
}

}  // namespace convoy::data
