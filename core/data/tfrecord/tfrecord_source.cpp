#include "core/data/tfrecord/tfrecord_source.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/data/augment/image_preprocessor.hpp"
#include "core/data/pipeline/bad_record.hpp"
#include "core/data/tfrecord/example.hpp"
#include "core/data/tfrecord/tfrecord_reader.hpp"

namespace convoy::data {
namespace {

const DataOptions& checked_tfrecord(const DataOptions& options) {
  check_data_options(options);
  if (options.channels != kRgb) {
    fail(ExitCode::kUsage,
         "the images of {} have {} channels but the model takes {}; use another model or synthetic "
         "data",
         options.data_dir, kRgb, options.channels);
  }
  return options;
}

}  // namespace

struct TfRecordSource::Worker {
  explicit Worker(const DataOptions& options) : preprocessor(options) {}

  ImagePreprocessor preprocessor;
  std::string record;
};

TfRecordSource::TfRecordSource(const DataOptions& options)
    : options_(checked_tfrecord(options)),
      index_(index_records(find_record_files(options.data_dir, options.subset),
                           options.on_bad_record, options.threads)),
      order_(static_cast<std::int64_t>(index_.records.size()), options.seed,
             options.subset == Subset::kTrain),
      cache_(options.cache_records || repeats() ? index_.records.size() : 0) {
  for (int i = 0; i < options_.threads; ++i) workers_.push_back(std::make_unique<Worker>(options_));
  pipeline_ = std::make_unique<BatchPipeline>(
      options_,
      [this](const SampleRequest& request, float* image) { return make_sample(request, image); });
}

TfRecordSource::~TfRecordSource() = default;

const Batch& TfRecordSource::acquire(int replica, std::int64_t step) {
  return pipeline_->acquire(replica, step);
}

bool TfRecordSource::is_ready(int replica, std::int64_t step) const {
  return pipeline_->is_ready(replica, step);
}

void TfRecordSource::release(int replica, std::int64_t step) {
  pipeline_->release(replica, step);
}

SourceStatistics TfRecordSource::statistics() const {
  SourceStatistics statistics = pipeline_->statistics();
  statistics.bad_records += index_.damaged_files;
  if (statistics.bad_record_example.empty()) statistics.bad_record_example = index_.damage_example;
  return statistics;
}

std::vector<std::string> TfRecordSource::notices() const {
  std::vector<std::string> notices;
  for (std::string& text : std::array{missing_files(index_.files), files_without_records(index_)})
    if (!text.empty()) notices.push_back(std::move(text));
  return notices;
}

SampleResult TfRecordSource::make_sample(const SampleRequest& request, float* image) {
  const std::int64_t sample = options_.sample_at(request.step, request.position);
  const std::int64_t records = order_.records();
  const std::int64_t epoch = sample / records;
  const std::int64_t place = sample % records;
  if (!options_.counts(sample, records)) return left_out_sample(options_, image);
  Worker& worker = *workers_[static_cast<std::size_t>(request.worker)];
  SampleResult result;
  for (std::int64_t i = 0; i < records; ++i) {
    const std::int64_t number = repeats() ? i : order_.record_at(epoch, (place + i) % records);
    try {
      result.label = prepare(worker, number, epoch, place, request.position, image);
      return result;
    } catch (const BadRecord& error) {
      if (options_.on_bad_record == BadRecordPolicy::kFail) {
        reject_record("{}; --on_bad_record=skip leaves such records out", error.what());
      }
      if (!result.replaced) result.reason = error.what();
      result.replaced = true;
      if (options_.subset == Subset::kValidation) {
        result.label = left_out_sample(options_, image).label;
        return result;
      }
    }
  }
  fail(ExitCode::kFailed, "none of the {} records of {} is usable; the first problem was: {}",
       records, options_.data_dir, result.reason);
}

// Two threads may read the same record at the same time. The cache keeps one of the copies.
const std::string& TfRecordSource::read_record(Worker& worker, std::int64_t number) {
  const auto index = static_cast<std::size_t>(number);
  if (!cache_.empty()) {
    const std::lock_guard lock(cache_mutex_);
    if (!cache_[index].empty()) return cache_[index];
  }
  const RecordReference& record = index_.records[index];
  TfRecordReader(index_.files[record.file]).read({record.offset, record.length}, worker.record);
  if (cache_.empty()) return worker.record;
  const std::lock_guard lock(cache_mutex_);
  if (cache_[index].empty()) cache_[index] = worker.record;
  return cache_[index];
}

// If reading fails, the error already says where the record is. Errors of decoding get that here.
std::int32_t TfRecordSource::prepare(Worker& worker, std::int64_t number, std::int64_t epoch,
                                     std::int64_t place, std::int64_t position, float* image) {
  const std::string& bytes = read_record(worker, number);
  try {
    return decode(worker, bytes, epoch, place, position, image);
  } catch (const BadRecord& error) {
    const RecordReference& record = index_.records[static_cast<std::size_t>(number)];
    reject_record("{}: {}", describe_record(index_.files[record.file], record.offset),
                  error.what());
  }
}

// The random numbers belong to the place in the epoch, so a replacement gets those of the sample
// that it replaces.
std::int32_t TfRecordSource::decode(Worker& worker, const std::string& record, std::int64_t epoch,
                                    std::int64_t place, std::int64_t position, float* image) {
  const LabelledImage example = parse_example(record, options_.classes);
  if (options_.subset == Subset::kTrain) {
    CounterRandom random(options_.seed, RandomPurpose::kAugmentation,
                         static_cast<std::uint32_t>(place), static_cast<std::uint64_t>(epoch));
    worker.preprocessor.prepare_training(example, position, random, image);
  } else {
    worker.preprocessor.prepare_evaluation(example, position, image);
  }
  return example.label;
}

}  // namespace convoy::data
