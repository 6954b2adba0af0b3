# The CUDA toolkit, if there is one: sets CONVOY_CUDA_FOUND, or says why there are no CUDA devices in
# this build. nvcc is called directly: CMake 3.25 does not know the architectures of CUDA 13.
#
# convoy_cuda_objects(RESULT SOURCES...): compiles .cu files, for the real architectures that
# CONVOY_CUDA_ARCHITECTURES names and as PTX of 8.0, or of the newest of them where it is older, which
# other GPUs compile for themselves.

set(CONVOY_CUDA_FOUND FALSE)
option(CONVOY_CUDA "Build the CUDA device plug-in when the toolkit is found" ON)
set(CONVOY_CUDA_ARCHITECTURES "native" CACHE STRING
    "Real architectures, such as 80;90; native: of the GPUs here, else 80;90; all: what the toolkit knows from sm_60 on")

# NVIDIA's Python packages (nvidia-cudnn-cu13 and the like) of the python3 that is found first: the
# folders that have include and lib in them.
function(convoy_nvidia_packages result)
  set(list [=[
import glob, os, sys
folders = (it for path in sys.path for it in sorted(glob.glob(os.path.join(path, "nvidia", "*"))))
print(";".join(it for it in folders if os.path.isdir(os.path.join(it, "lib"))))
]=])
  set(folders)
  find_program(CONVOY_PYTHON NAMES python3 python)
  if(CONVOY_PYTHON)
    execute_process(COMMAND ${CONVOY_PYTHON} -c "${list}" OUTPUT_VARIABLE folders ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  set(${result} ${folders} PARENT_SCOPE)
endfunction()

# Where cuDNN, cuBLASLt, NCCL and NVRTC are opened when the loader's own search does not find them,
# with colons: beside the toolkit `root`, beside the headers that were found, in `packages`, and where
# toolkits usually are.
function(convoy_library_folders result root packages)
  set(folders)
  foreach(header CONVOY_CUDNN_INCLUDE CONVOY_CUBLAS_INCLUDE CONVOY_NCCL_INCLUDE)
    if(${header})
      get_filename_component(above ${${header}} DIRECTORY)
      list(APPEND folders ${above}/lib64 ${above}/lib)
    endif()
  endforeach()
  list(PREPEND folders ${root}/lib64 ${root}/lib)
  list(TRANSFORM packages APPEND /lib)
  list(APPEND folders ${packages})
  foreach(folder IN LISTS folders)
    if(NOT IS_DIRECTORY ${folder} OR folder MATCHES "^/(usr/)?lib(64)?$")
      list(REMOVE_ITEM folders ${folder})
    endif()
  endforeach()
  list(APPEND folders /usr/local/cuda/lib64 /usr/local/cuda/lib /opt/cuda/lib64)
  list(REMOVE_DUPLICATES folders)
  list(JOIN folders ":" folders)
  set(${result} ${folders} PARENT_SCOPE)
endfunction()

function(convoy_find_cuda)
  if(NOT CONVOY_CUDA)
    message(STATUS "CUDA devices: left out (CONVOY_CUDA=OFF)")
    return()
  endif()
  find_program(CONVOY_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda
               PATH_SUFFIXES bin)
  if(NOT CONVOY_NVCC)
    message(STATUS "CUDA devices: left out (no nvcc; set CUDA_HOME to a toolkit of version 12 or newer)")
    return()
  endif()
  execute_process(COMMAND ${CONVOY_NVCC} --version OUTPUT_VARIABLE text)
  string(REGEX MATCH "release ([0-9]+)\\.([0-9]+)" release "${text}")
  if(NOT release OR CMAKE_MATCH_1 LESS 12)
    message(STATUS "CUDA devices: left out (${CONVOY_NVCC} is not of version 12 or newer)")
    return()
  endif()
  set(version ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
  get_filename_component(real ${CONVOY_NVCC} REALPATH)
  get_filename_component(root ${real} DIRECTORY)
  get_filename_component(root ${root} DIRECTORY)
  convoy_nvidia_packages(packages)
  set(target ${root}/targets/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux)
  find_path(CONVOY_CUDA_INCLUDE cuda_runtime.h HINTS ${root}/include ${target}/include
            NO_DEFAULT_PATH)
  find_library(CONVOY_CUDART libcudart_static.a HINTS ${root}/lib64 ${root}/lib ${target}/lib)
  find_path(CONVOY_CUDNN_INCLUDE cudnn_graph.h HINTS ${root}/include ${target}/include ENV CUDNN_HOME
            PATHS ${packages} PATH_SUFFIXES include)
  find_path(CONVOY_CUBLAS_INCLUDE cublasLt.h HINTS ${root}/include ${target}/include
            PATHS ${packages} PATH_SUFFIXES include)
  find_path(CONVOY_NCCL_INCLUDE nccl.h HINTS ${root}/include ${target}/include ENV NCCL_HOME
            PATHS ${packages} PATH_SUFFIXES include)
  foreach(need CONVOY_CUDA_INCLUDE CONVOY_CUDART CONVOY_CUBLAS_INCLUDE CONVOY_CUDNN_INCLUDE)
    if(NOT ${need})
      message(STATUS "CUDA devices: left out (toolkit ${version} in ${root} is not whole: ${need})")
      return()
    endif()
  endforeach()
  set(nccl "with NCCL's header")
  if(NOT CONVOY_NCCL_INCLUDE)
    set(nccl "without NCCL's header")
  endif()
  message(STATUS "CUDA devices: toolkit ${version} in ${root}, cuDNN's header in "
                 "${CONVOY_CUDNN_INCLUDE}, ${nccl}")
  convoy_library_folders(folders ${root} "${packages}")
  message(STATUS "CUDA devices: libraries are looked for in ${folders}, too")
  set(CONVOY_CUDA_FOLDERS ${folders} PARENT_SCOPE)
  set(CONVOY_NVCC_RELEASE ${version} PARENT_SCOPE)
  set(CONVOY_CUDA_FOUND TRUE PARENT_SCOPE)
endfunction()

# The compute capabilities of this machine's GPUs, without points, as far as they are among `known`;
# where there is none, those of A100 and of H100 and H200.
function(convoy_native_architectures result known)
  set(native)
  find_program(CONVOY_NVIDIA_SMI nvidia-smi)
  if(CONVOY_NVIDIA_SMI)
    execute_process(COMMAND ${CONVOY_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE text ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" native "${text}")
    string(REPLACE "." "" native "${native}")
    list(REMOVE_DUPLICATES native)
  endif()
  set(architectures)
  foreach(number IN LISTS native)
    if(number IN_LIST known)
      list(APPEND architectures ${number})
    endif()
  endforeach()
  if(NOT architectures)
    set(architectures 80 90)
  endif()
  set(${result} ${architectures} PARENT_SCOPE)
endfunction()

# -gencode options. Also sets CONVOY_CUDA_CODE: the architectures with commas, ascending.
function(convoy_cuda_targets result)
  execute_process(COMMAND ${CONVOY_NVCC} --list-gpu-code OUTPUT_VARIABLE listed)
  string(REGEX MATCHALL "sm_[0-9]+" listed "${listed}")
  set(known)
  foreach(code IN LISTS listed)
    string(REPLACE "sm_" "" number ${code})
    if(number GREATER_EQUAL 60)
      list(APPEND known ${number})
    endif()
  endforeach()
  set(architectures ${CONVOY_CUDA_ARCHITECTURES})
  if(architectures STREQUAL "all")
    set(architectures ${known})
  elseif(architectures STREQUAL "native" OR NOT architectures)
    convoy_native_architectures(architectures "${known}")
  endif()
  list(SORT architectures COMPARE NATURAL)
  list(GET architectures -1 newest)
  # From 8.0 on the kernels need no newer instructions: one pass of the compiler serves all, and PTX,
  # which takes a fifth of the time.
  set(options)
  set(ampere)
  foreach(number IN LISTS architectures)
    if(number LESS 80)
      list(APPEND options -gencode=arch=compute_${number},code=sm_${number})
    else()
      list(APPEND ampere sm_${number})
    endif()
  endforeach()
  if(ampere)
    list(JOIN ampere "," ampere)
    list(APPEND options "-gencode=arch=compute_80,code=[${ampere},compute_80]")
  else()
    list(APPEND options -gencode=arch=compute_${newest},code=compute_${newest})
  endif()
  set(${result} ${options} PARENT_SCOPE)
  list(JOIN architectures "," code)
  message(STATUS "CUDA devices: kernels for ${code} and newer (CONVOY_CUDA_ARCHITECTURES)")
  set(CONVOY_CUDA_CODE ${code} PARENT_SCOPE)
endfunction()

# Warnings are errors with the release of nvcc that the kernels' resources are on record of. Others may
# place registers otherwise, and warn of what no one here has seen.
function(convoy_cuda_warnings result)
  file(STRINGS ${PROJECT_SOURCE_DIR}/tests/devices/cuda/kernel_resources.txt record LIMIT_COUNT 1)
  set(options -Xcompiler=-fPIC,-fvisibility=hidden,-Wall,-Wextra,-Wshadow
              -Xptxas --verbose,--warn-on-spills,--warn-on-local-memory-usage)
  string(FIND "${record}" "V${CONVOY_NVCC_RELEASE}." place)
  if(NOT place EQUAL -1)
    list(APPEND options -Werror all-warnings -Xcompiler=-Werror -Xptxas --warning-as-error)
  endif()
  set(${result} ${options} PARENT_SCOPE)
endfunction()

function(convoy_cuda_objects result)
  convoy_cuda_targets(targets)
  convoy_cuda_warnings(warnings)
  set(objects)
  foreach(source IN LISTS ARGN)
    set(from ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${source}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    # Products and sums stay apart (-fmad=false), as on CPU devices: the same bits where the order of
    # the operations is the same. The kernels are bound by memory.
    # What each kernel takes of a GPU is listed beside the object, with a warning for kernels that
    # keep registers or arrays in memory.
    add_custom_command(OUTPUT ${object} BYPRODUCTS ${object}.ptxas
      COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/compile_cuda.sh ${object}.ptxas
              ${CMAKE_CXX_COMPILER_LAUNCHER} ${CONVOY_NVCC} -c ${from} -o ${object} -std=c++17 -O3
              -fmad=false ${targets} -Wno-deprecated-gpu-targets -I${PROJECT_SOURCE_DIR} ${warnings}
              -MD -MF ${object}.d
      DEPENDS ${from} ${PROJECT_SOURCE_DIR}/cmake/compile_cuda.sh DEPFILE ${object}.d
      COMMENT "Compiling ${source} with nvcc" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
  set(CONVOY_CUDA_CODE ${CONVOY_CUDA_CODE} PARENT_SCOPE)
endfunction()

convoy_find_cuda()
