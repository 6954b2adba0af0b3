#pragma once

#include <array>
#include <convoy/job_options.hpp>
#include <cstdint>

#include "core/plan/lower/guard.hpp"

namespace convoy::job {

// The bucket size where JobOptions::bucket_mb is unset, in 2^20 bytes.
inline constexpr double kDefaultBucketMb = 16;

// The words that JobOptions::data_format and loss_type_to_report may be.
inline constexpr std::array kDataFormats = {"NCHW", "NHWC"};
inline constexpr std::array kReportedLosses = {"total_loss", "base_loss"};

// Error(kUsage) when options contradict each other or make no sense, naming their flags.
void check_options(const JobOptions& options);

// The flag by which a run of these options trains nothing, such as "eval"; null where it trains.
const char* flag_without_training(const JobOptions& options);

// Whether a run of these options updates variables, so that it matters which strategy does.
bool trains(const JobOptions& options);

// Elements (f32) of a bucket, as bucket_mb says; 0: one bucket.
std::uint64_t bucket_elements(const JobOptions& options);

// What the host adds around every update. With 16 bits that is loss scaling, unless a scale is
// given.
plan::GuardOptions guard_options(const JobOptions& options);

// The mode in the header of a run and in its record, such as "training + evaluation".
const char* run_mode_name(RunMode mode);

}  // namespace convoy::job
