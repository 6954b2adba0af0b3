#include "plugins/devices/cuda/operations/operations.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <stdexcept>

#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/kernels/algebra.hpp"
#include "plugins/devices/cuda/kernels/arithmetic.hpp"
#include "plugins/devices/cuda/operations/operation_check.hpp"
#include "plugins/devices/cuda/operations/update_plan.hpp"
#include "plugins/devices/cuda/status.hpp"
#include "plugins/devices/shared/operation_rules.hpp"

namespace convoy::cuda {
namespace {

float* floats(const convoy_region& region) {
  return static_cast<float*>(region.data);
}

void copy(const convoy_region& read, const convoy_region& write, Stream stream) {
  if (read.data == write.data) return;
  require(cudaMemcpyAsync(write.data, read.data, element_bytes(write.dtype) * write.count,
                          cudaMemcpyDefault, stream),
          "copying");
}

void fill_region(const convoy_region& write, double scalar, Stream stream) {
  fill(stream, write.data, fill_bits(scalar, write.dtype), element_bytes(write.dtype), write.count);
}

void adapt(const convoy_submission& operation, Stream stream, double* result) {
  const convoy_region& norms = operation.reads[0];
  adapt_loss_scale(stream, floats(operation.writes[0]), floats(norms), norms.count,
                   operation.sizes[0], result);
}

void cast_region(const convoy_region& read, const convoy_region& write, Stream stream) {
  cast(stream, write.data, static_cast<Type>(write.dtype), read.data, static_cast<Type>(read.dtype),
       write.count);
}

// Runs the operation if it is one of the element-wise ones; returns whether it is.
bool run_elements(const convoy_submission& operation, Stream stream) {
  const convoy_region* reads = operation.reads;
  const convoy_region& write = operation.writes[0];
  const auto scalar = static_cast<float>(operation.scalar);
  switch (operation.kind) {
    case CONVOY_OP_FILL:
      fill_region(write, operation.scalar, stream);
      return true;
    case CONVOY_OP_ADD:
      add(stream, floats(write), floats(reads[0]), floats(reads[1]), write.count);
      return true;
    case CONVOY_OP_SCALE:
      scale(stream, floats(write), scalar, floats(reads[0]), write.count);
      return true;
    case CONVOY_OP_AXPY:
      axpy(stream, floats(write), scalar, floats(reads[0]), floats(reads[1]), write.count);
      return true;
    case CONVOY_OP_CAST:
      cast_region(reads[0], write, stream);
      return true;
    default:
      return false;
  }
}

bool same_blocks(const std::vector<UpdateBlock>& a, const std::vector<UpdateBlock>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const UpdateBlock& x, const UpdateBlock& y) {
                      return x.first == y.first && x.count == y.count && x.decayed == y.decayed;
                    });
}

}  // namespace

Operations::~Operations() {
  for (const auto& [key, table] : tables_) {
    static_cast<void>(free_on_gpu(table.on_device));
    static_cast<void>(free_on_gpu(table.partial));
  }
  static_cast<void>(free_on_gpu(workspace_));
  static_cast<void>(free_on_gpu(partials_));
}

// The same submission has the same blocks in every step, unless its memory belongs to another
// session by now.
const Operations::Table& Operations::table_of(const convoy_submission& operation,
                                              std::uint64_t count, Stream stream) {
  Table& table = tables_[operation.updates[0]];
  std::vector<UpdateBlock> blocks = update_blocks(*operation.updates[0], count);
  if (table.on_device != nullptr && same_blocks(table.blocks, blocks)) return table;
  require(cudaStreamSynchronize(stream), "waiting for the GPU");
  require(free_on_gpu(table.on_device), "freeing memory");
  require(free_on_gpu(table.partial), "freeing memory");
  table = {std::move(blocks), ++tables_made_, nullptr, nullptr};
  const std::size_t entries = std::max<std::size_t>(table.blocks.size(), 1);
  void* memory = nullptr;
  require(allocate_on_gpu(&memory, entries * sizeof(UpdateBlock)), "allocating an update's blocks");
  table.on_device = static_cast<UpdateBlock*>(memory);
  require(allocate_on_gpu(&memory, entries * sizeof(double)), "allocating an update's sums");
  table.partial = static_cast<double*>(memory);
  require(
      cudaMemcpyAsync(table.on_device, table.blocks.data(),
                      table.blocks.size() * sizeof(UpdateBlock), cudaMemcpyHostToDevice, stream),
      "copying an update's blocks");
  require(cudaStreamSynchronize(stream),
          "waiting for the GPU");  // because the blocks are not pinned
  return table;
}

// If there are more spans than one launch takes, they are summed in several launches, still from
// left to right.
void Operations::sum(const convoy_submission& operation, Stream stream) {
  SumSpans spans{};
  spans.reduction = operation.reduction;
  const std::uint64_t count = operation.writes[0].count;
  for (std::uint64_t read = 0; read < operation.read_count;) {
    spans.read_count = 0;
    if (read > 0) spans.reads[spans.read_count++] = floats(operation.writes[0]);
    while (read < operation.read_count && spans.read_count < kMostReads)
      spans.reads[spans.read_count++] = floats(operation.reads[read++]);
    spans.writes[0] = floats(operation.writes[0]);
    spans.write_count = 1;
    if (read == operation.read_count)
      while (spans.write_count < operation.write_count && spans.write_count < kMostWrites) {
        spans.writes[spans.write_count] = floats(operation.writes[spans.write_count]);
        ++spans.write_count;
      }
    cuda::sum(stream, spans, count);
    require(cudaGetLastError(), "starting a sum");
  }
  for (std::uint64_t write = kMostWrites; write < operation.write_count; ++write)
    copy(operation.writes[0], operation.writes[write], stream);
}

void Operations::apply(const convoy_submission& operation, Stream stream, double* result,
                       const StepValues* values) {
  require_state(operation, 0);
  const Table& table = table_of(operation, operation.writes[0].count, stream);
  Update what{};
  what.constants = rule_constants(operation);
  what.guard = update_guard(operation);
  if (values != nullptr) what.learning_rate = &values->learning_rate;
  what.parameters = floats(operation.writes[0]);
  what.gradient = floats(operation.reads[0]);
  std::copy_n(operation.updates[0]->state, 2, what.state);
  what.blocks = table.on_device;
  what.block_count = static_cast<std::uint32_t>(table.blocks.size());
  if (operation.updates[0]->square_sum != nullptr) what.partial = table.partial;
  update(stream, what, result);
}

void Operations::norm(const convoy_submission& operation, Stream stream, double* result) {
  required_optimizer(operation);
  const Table& table = table_of(operation, operation.reads[0].count, stream);
  Update what{};
  what.constants = rule_constants(operation);
  what.guard = update_guard(operation);
  if (element_reads(operation) > 1) what.parameters = floats(operation.reads[1]);
  what.gradient = floats(operation.reads[0]);
  what.blocks = table.on_device;
  what.block_count = static_cast<std::uint32_t>(table.blocks.size());
  what.partial = table.partial;
  cuda::norm(stream, what, floats(operation.writes[0]), result);
}

// Row-major c = a b is column-major c' = b' a'.
void Operations::matmul(const convoy_submission& operation, Stream stream) {
  if (!matrices_) matrices_ = make_matrix_handle();
  if (workspace_ == nullptr)
    require(allocate_on_gpu(&workspace_, MatrixProduct::kWorkspace), "allocating a workspace");
  ProductShape shape{};
  shape.m = operation.sizes[1];
  shape.n = operation.sizes[0];
  shape.k = operation.sizes[2];
  shape.transposes_a = (operation.flags & CONVOY_OP_TRANSPOSES_B) != 0;
  shape.transposes_b = (operation.flags & CONVOY_OP_TRANSPOSES_A) != 0;
  shape.batch = std::max<std::uint64_t>(operation.sizes[3], 1);
  const MatrixProduct& product =
      products_
          .try_emplace({shape.m, shape.n, shape.k, shape.transposes_a ? 1u : 0u,
                        shape.transposes_b ? 1u : 0u, shape.batch},
                       matrices_, shape)
          .first->second;
  product.run(stream, operation.reads[1].data, operation.reads[0].data, operation.writes[0].data,
              nullptr, workspace_);
}

void Operations::inner_product(const convoy_submission& operation, Stream stream) {
  if (partials_ == nullptr) {
    void* memory = nullptr;
    require(allocate_on_gpu(&memory, kDotPartials * sizeof(double)), "allocating sums of products");
    partials_ = static_cast<double*>(memory);
  }
  dot(stream, floats(operation.writes[0]), floats(operation.reads[0]), floats(operation.reads[1]),
      operation.reads[0].count, partials_);
}

// Runs the operation if it is one of these; returns whether it is.
bool Operations::run_algebra(const convoy_submission& operation, Stream stream) {
  const convoy_region* reads = operation.reads;
  const convoy_region& write = operation.writes[0];
  const bool one = operation.read_count > 1 && reads[1].count == 1;
  switch (operation.kind) {
    case CONVOY_OP_MATMUL:
      matmul(operation, stream);
      return true;
    case CONVOY_OP_MULTIPLY:
      multiply(stream, floats(write), floats(reads[0]), floats(reads[1]), one, write.count);
      return true;
    case CONVOY_OP_DIVIDE:
      divide(stream, floats(write), floats(reads[0]), floats(reads[1]), one,
             static_cast<float>(operation.scalar), write.count);
      return true;
    case CONVOY_OP_SQUARE_ROOT:
      square_root(stream, floats(write), floats(reads[0]), write.count);
      return true;
    case CONVOY_OP_DOT:
      inner_product(operation, stream);
      return true;
    case CONVOY_OP_ORTHOGONALISE:
      copy(reads[0], write, stream);
      orthogonalise(stream, floats(write), operation.sizes[0], operation.sizes[1]);
      return true;
    default:
      return false;
  }
}

bool Operations::describe(const convoy_submission& operation, Signature& signature) const {
  if (operation.kind == CONVOY_OP_MATMUL) return workspace_ != nullptr;
  if (operation.kind == CONVOY_OP_DOT) return partials_ != nullptr;
  if (is_compression(operation.kind)) return compression_.is_ready(operation);
  if (operation.kind != CONVOY_OP_APPLY && operation.kind != CONVOY_OP_NORM) return true;
  const auto table = tables_.find(operation.updates[0]);
  if (table == tables_.end()) return false;
  const std::uint64_t count =
      operation.kind == CONVOY_OP_APPLY ? operation.writes[0].count : operation.reads[0].count;
  signature.push_back(table->second.number);
  return same_blocks(table->second.blocks, update_blocks(*operation.updates[0], count));
}

void Operations::run(const convoy_submission& operation, Stream stream, PinnedSlots::Slot* result,
                     const StepValues* values) {
  check_regions(operation);
  double* const number = result == nullptr ? nullptr : &result->number;
  switch (operation.kind) {
    case CONVOY_OP_COPY:
      return copy(operation.reads[0], operation.writes[0], stream);
    case CONVOY_OP_SUM:
      return sum(operation, stream);
    case CONVOY_OP_APPLY:
      apply(operation, stream, number, values);
      break;
    case CONVOY_OP_NORM:
      norm(operation, stream, number);
      break;
    case CONVOY_OP_TOP_K:
    case CONVOY_OP_SCATTER:
    case CONVOY_OP_QUANTISE:
    case CONVOY_OP_DEQUANTISE:
      compression_.run(operation, stream);
      break;
    case CONVOY_OP_ADAPT_LOSS_SCALE:
      adapt(operation, stream, number);
      break;
    default:
      if (!run_elements(operation, stream) && !run_algebra(operation, stream))
        throw std::invalid_argument("an unknown operation");
  }
  require(cudaGetLastError(), "starting a kernel");
}

}  // namespace convoy::cuda
