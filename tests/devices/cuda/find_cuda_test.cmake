# cmake -DSOURCE=repository -DSCRATCH=folder -DCONVOY_PYTHON=python3 -P find_cuda_test.cmake
# Whether a toolkit of CUDA 12 is found whose cuDNN, cuBLASLt and NCCL are Python packages, as they come
# with PyTorch: their headers, and the folders of their libraries, which have no links without versions.
function(expect_equal value expected)
  if(NOT "${value}" STREQUAL "${expected}")
    message(FATAL_ERROR "found '${value}', expected '${expected}'")
  endif()
endfunction()

# All places but those of this test.
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
set(PROJECT_SOURCE_DIR ${SOURCE})
set(packages ${SCRATCH}/site/nvidia)
file(REMOVE_RECURSE ${SCRATCH})
file(WRITE ${SCRATCH}/toolkit/bin/nvcc
     "#!/bin/sh\necho 'Cuda compilation tools, release 12.4, V12.4.131'\necho sm_75 sm_80 sm_90\n")
file(CHMOD ${SCRATCH}/toolkit/bin/nvcc FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
file(WRITE ${SCRATCH}/toolkit/include/cuda_runtime.h "")
file(WRITE ${SCRATCH}/toolkit/lib/libcudart_static.a "")
file(WRITE ${packages}/cudnn/include/cudnn_graph.h "")
file(WRITE ${packages}/cudnn/lib/libcudnn.so.9 "")
file(WRITE ${packages}/cublas/include/cublasLt.h "")
file(WRITE ${packages}/cublas/lib/libcublasLt.so.12 "")
file(WRITE ${packages}/nccl/include/nccl.h "")
file(WRITE ${packages}/nccl/lib/libnccl.so.2 "")
file(WRITE ${packages}/headers_alone/include/some.h "")
set(ENV{CUDA_HOME} ${SCRATCH}/toolkit)
set(ENV{PYTHONPATH} ${SCRATCH}/site)

include(${SOURCE}/cmake/ConvoyCuda.cmake)
expect_equal("${CONVOY_CUDA_FOUND}" TRUE)
expect_equal("${CONVOY_CUDART}" ${SCRATCH}/toolkit/lib/libcudart_static.a)
expect_equal("${CONVOY_CUDNN_INCLUDE}" ${packages}/cudnn/include)
expect_equal("${CONVOY_CUBLAS_INCLUDE}" ${packages}/cublas/include)
expect_equal("${CONVOY_NCCL_INCLUDE}" ${packages}/nccl/include)
foreach(folder ${SCRATCH}/toolkit/lib ${packages}/cudnn/lib ${packages}/cublas/lib
        ${packages}/nccl/lib)
  if(NOT ":${CONVOY_CUDA_FOLDERS}:" MATCHES ":${folder}:")
    message(FATAL_ERROR "${folder} is not among ${CONVOY_CUDA_FOLDERS}")
  endif()
endforeach()
if(CONVOY_CUDA_FOLDERS MATCHES headers_alone)
  message(FATAL_ERROR "a folder without libraries is among ${CONVOY_CUDA_FOLDERS}")
endif()

# Where there is no GPU; and for older ones.
convoy_cuda_targets(options)
expect_equal("${CONVOY_CUDA_CODE}" 80,90)
expect_equal("${options}" "-gencode=arch=compute_80,code=[sm_80,sm_90,compute_80]")
set(CONVOY_CUDA_ARCHITECTURES 75)
convoy_cuda_targets(options)
expect_equal("${options}"
             "-gencode=arch=compute_75,code=sm_75;-gencode=arch=compute_75,code=compute_75")

# Kernels are known to compile without warnings with the compiler on record alone.
convoy_cuda_warnings(options)
if(options MATCHES "rror")
  message(FATAL_ERROR "warnings of an nvcc that is not on record are errors: ${options}")
endif()
file(STRINGS ${SOURCE}/tests/devices/cuda/kernel_resources.txt record LIMIT_COUNT 1)
string(REGEX MATCH "[0-9]+\\.[0-9]+" CONVOY_NVCC_RELEASE "${record}")
convoy_cuda_warnings(options)
if(NOT options MATCHES "-Werror;all-warnings")
  message(FATAL_ERROR "warnings of the nvcc on record are no errors: ${options}")
endif()
file(REMOVE_RECURSE ${SCRATCH})
