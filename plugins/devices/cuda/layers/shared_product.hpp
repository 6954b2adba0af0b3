#pragma once

#include <memory>

#include "plugins/devices/cuda/libraries/convolution.hpp"
#include "plugins/devices/cuda/libraries/matrix_product.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"

namespace convoy::cuda {

// A product that a layer's task runs. It is filled in when the layer is prepared.
using SharedProduct = std::shared_ptr<std::unique_ptr<MatrixProduct>>;

// Its scratch memory is Run::scratch.
inline SharedProduct plan_product(ProgramBuilder& builder, const ProductShape& shape) {
  auto product = std::make_shared<std::unique_ptr<MatrixProduct>>();
  builder.need_scratch(MatrixProduct::kWorkspace);
  builder.prepare([=](Preparation& preparation) {
    if (!preparation.matrices) preparation.matrices = make_matrix_handle();
    ProductShape wanted = shape;
    wanted.tf32 = preparation.tf32;
    const ProductTrial trial{preparation.stream, preparation.workspace_limit, preparation.gpu,
                             shared_algorithm_cache()};
    *product = std::make_unique<MatrixProduct>(preparation.matrices, wanted, &trial);
  });
  return product;
}

}  // namespace convoy::cuda
