# `cmake --install`: programs, the C libraries, the archives of the C++ interface, headers, and what
# find_package(Anneal) and pkg-config read. The tree may be moved: nothing in it names its own place.
include(CMakePackageConfigHelpers)

# Programs look for the compiler half beside their library and in bin/../lib.
set(ANNEAL_INSTALL_CMAKE lib/cmake/Anneal)

install(TARGETS AnnealC AnnealCRuntime EXPORT AnnealTargets LIBRARY DESTINATION lib)
# The stock route and the workbench need libMLIR.so, where ANNEAL_LLVM_ROOT was when they were built.
install(TARGETS AnnealCompiler AnnealStock AnnealWorkbench LIBRARY DESTINATION lib)
set(programs jit-run jit-opt jit-sim jit-reduce jit-lsp-server)
install(TARGETS ${programs} RUNTIME DESTINATION bin)

# The C++ interface. Anneal::Engine is the whole, Anneal::Runtime the half without a compiler.
set(cxx_libraries Support Plan StripKernels ContractionKernels Interpreter RuntimeCode Runtime Report
    Policy Profile Tiering Engine)
foreach(library ${cxx_libraries})
  set_target_properties(Anneal${library} PROPERTIES EXPORT_NAME ${library})
  target_include_directories(Anneal${library} INTERFACE $<INSTALL_INTERFACE:include>)
  target_compile_features(Anneal${library} INTERFACE cxx_std_20)
  install(TARGETS Anneal${library} EXPORT AnnealCxxTargets ARCHIVE DESTINATION lib)
endforeach()
# A program that holds the engine finds the compiler half by its own search path.
target_link_options(AnnealEngine INTERFACE
  "$<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/lib>")

# All that has to be built before a command of the build may call `cmake --install`.
list(TRANSFORM cxx_libraries PREPEND Anneal OUTPUT_VARIABLE cxx_targets)
set(ANNEAL_INSTALLED_TARGETS AnnealC AnnealCRuntime AnnealCompiler AnnealStock AnnealWorkbench
    ${programs} ${cxx_targets})

install(DIRECTORY include/anneal-c DESTINATION include FILES_MATCHING PATTERN "*.h")
foreach(folder Engine Plan Support Runtime)
  install(DIRECTORY include/anneal/${folder} DESTINATION include/anneal
          FILES_MATCHING PATTERN "*.h" PATTERN "*.def"
          PATTERN Interpreter EXCLUDE PATTERN Kernels EXCLUDE PATTERN IO EXCLUDE)
endforeach()
install(FILES LICENSE DESTINATION share/doc/anneal)

install(EXPORT AnnealTargets NAMESPACE Anneal:: DESTINATION ${ANNEAL_INSTALL_CMAKE})
install(EXPORT AnnealCxxTargets NAMESPACE Anneal:: DESTINATION ${ANNEAL_INSTALL_CMAKE})
configure_package_config_file(utils/cmake/AnnealConfig.cmake.in
  "${CMAKE_BINARY_DIR}/AnnealConfig.cmake" INSTALL_DESTINATION ${ANNEAL_INSTALL_CMAKE})
write_basic_package_version_file("${CMAKE_BINARY_DIR}/AnnealConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/AnnealConfig.cmake"
              "${CMAKE_BINARY_DIR}/AnnealConfigVersion.cmake"
        DESTINATION ${ANNEAL_INSTALL_CMAKE})

set(anneal_description "${PROJECT_DESCRIPTION}")
set(anneal-runtime_description "Runs saved plans of Anneal, without a compiler")
foreach(library anneal anneal-runtime)
  set(PC_NAME ${library})
  set(PC_DESCRIPTION "${${library}_description}")
  configure_file(utils/cmake/anneal.pc.in "${CMAKE_BINARY_DIR}/${library}.pc" @ONLY)
  install(FILES "${CMAKE_BINARY_DIR}/${library}.pc" DESTINATION lib/pkgconfig)
endforeach()
