#pragma once

#include <array>
#include <convoy/job_options.hpp>
#include <cstdint>

#include "core/plan/lower/guard.hpp"

namespace convoy::job {

// The bucket size if JobOptions::bucket_mb is unset, in 2^20 bytes.
inline constexpr double kDefaultBucketMb = 16;

// The allowed words of JobOptions::data_format and loss_type_to_report.
inline constexpr std::array kDataFormats = {"NCHW", "NHWC"};
inline constexpr std::array kReportedLosses = {"total_loss", "base_loss"};

// Error(kUsage), with the names of the flags, if options contradict each other or make no sense.
void check_options(const JobOptions& options);

// Returns the flag that makes a run with these options train nothing, such as "eval"; null if it
// trains.
const char* flag_without_training(const JobOptions& options);

// Returns whether a run with these options updates variables, so that the strategy matters.
bool trains(const JobOptions& options);

// Returns the number of elements (f32) of a bucket, as bucket_mb says; 0: one bucket.
std::uint64_t bucket_elements(const JobOptions& options);

// Returns what the host adds around every update. In 16 bits, this is loss scaling, unless a scale
// is given.
plan::GuardOptions guard_options(const JobOptions& options);

// Returns the name of the mode in the header and the record of a run, such as "training +
// evaluation".
const char* run_mode_name(RunMode mode);

}  // namespace convoy::job
