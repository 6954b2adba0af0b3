#include "core/runtime/step_totals.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/error.hpp"

namespace convoy::runtime {
namespace {

// The form in which hosts exchange totals. It requires the same kind of processor on all hosts. The
// norms follow it.
struct Message {
  double loss;
  double square_sum;
  double loss_scale;
  std::uint64_t replicas;
  std::uint64_t images;
  std::uint64_t hits[2];
  std::uint64_t norms;
  std::uint8_t has_square_sum;
  std::uint8_t has_loss_scale;
  std::uint8_t stops;
  std::uint8_t saves;
  std::uint8_t reserved[4];
};

std::string packed(const StepTotals& it) {
  const Message message{it.loss,
                        it.square_sum.value_or(0),
                        it.loss_scale.value_or(0),
                        it.replicas,
                        it.images,
                        {it.hits[0], it.hits[1]},
                        it.gradient_square_sums.size(),
                        static_cast<std::uint8_t>(it.square_sum ? 1 : 0),
                        static_cast<std::uint8_t>(it.loss_scale ? 1 : 0),
                        static_cast<std::uint8_t>(it.stops ? 1 : 0),
                        static_cast<std::uint8_t>(it.saves ? 1 : 0),
                        {}};
  std::string bytes(reinterpret_cast<const char*>(&message), sizeof(message));
  bytes.append(reinterpret_cast<const char*>(it.gradient_square_sums.data()),
               it.gradient_square_sums.size() * sizeof(double));
  return bytes;
}

StepTotals unpacked(const std::string& bytes) {
  Message message{};
  const bool has_message = bytes.size() >= sizeof(message);
  if (has_message) std::memcpy(&message, bytes.data(), sizeof(message));
  const std::size_t rest = has_message ? bytes.size() - sizeof(message) : 0;
  if (!has_message || rest % sizeof(double) != 0 || message.norms != rest / sizeof(double))
    fail(ExitCode::kFailed,
         "another host reported a step in {} bytes, which is no such report; start all tasks with "
         "the same version of convoy",
         bytes.size());
  StepTotals it;
  it.loss = message.loss;
  it.replicas = message.replicas;
  it.images = message.images;
  std::copy(std::begin(message.hits), std::end(message.hits), it.hits);
  if (message.has_square_sum != 0) it.square_sum = message.square_sum;
  if (message.has_loss_scale != 0) it.loss_scale = message.loss_scale;
  it.stops = message.stops != 0;
  it.saves = message.saves != 0;
  it.gradient_square_sums.resize(message.norms);
  if (message.norms > 0)
    std::memcpy(it.gradient_square_sums.data(), bytes.data() + sizeof(message),
                message.norms * sizeof(double));
  return it;
}

void add(StepTotals& total, const StepTotals& it) {
  total.loss += it.loss;
  total.replicas += it.replicas;
  total.images += it.images;
  for (std::size_t k = 0; k < 2; ++k) total.hits[k] += it.hits[k];
  if (it.square_sum) total.square_sum = total.square_sum.value_or(0) + *it.square_sum;
  if (it.loss_scale) total.loss_scale = it.loss_scale;
  total.stops = total.stops || it.stops;
  total.saves = total.saves || it.saves;
  std::vector<double>& sums = total.gradient_square_sums;
  sums.resize(std::max(sums.size(), it.gradient_square_sums.size()));
  for (std::size_t i = 0; i < it.gradient_square_sums.size(); ++i)
    sums[i] += it.gradient_square_sums[i];
}

}  // namespace

StepTotals local_totals(const StepResult& result, const std::vector<std::uint32_t>& replicas,
                        std::int64_t images) {
  StepTotals totals;
  for (const std::uint32_t replica : replicas) {
    totals.loss += result.losses[replica];
    for (std::size_t k = 0; k < 2; ++k) totals.hits[k] += result.hits[replica][k];
  }
  totals.replicas = replicas.size();
  totals.images = static_cast<std::uint64_t>(images);
  totals.square_sum = result.square_sum;
  totals.gradient_square_sums = result.gradient_square_sums;
  totals.loss_scale = result.loss_scale;
  return totals;
}

StepTotals totals_of_all(const StepTotals& own, Peers& peers) {
  StepTotals total;
  for (const std::string& bytes : peers.exchange(packed(own))) add(total, unpacked(bytes));
  return total;
}

}  // namespace convoy::runtime
