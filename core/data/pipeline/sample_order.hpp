#pragma once

#include <cstdint>

namespace convoy::data {

// The global order of samples. Sample g of a run (step * global batch + position in it) is at place
// g % records of epoch g / records, and every epoch is a permutation of all records. It depends
// only on the arguments, so it is the same for any number of threads, replicas and hosts.
class SampleOrder {
 public:
  // Without `shuffle`, every epoch has the records in order.
  SampleOrder(std::int64_t records, std::uint32_t seed, bool shuffle);

  std::int64_t records() const { return records_; }

  // Returns the record at `place` (0 .. records - 1) of `epoch`.
  std::int64_t record_at(std::int64_t epoch, std::int64_t place) const;

 private:
  std::uint64_t permute(std::uint64_t value, std::uint64_t epoch) const;

  std::int64_t records_;
  std::uint32_t seed_;
  bool shuffle_;
  unsigned half_bits_ = 1;
};

}  // namespace convoy::data
