# SPDX-License-Identifier: Apache-2.0
# One static library per folder of src/, read from src/architecture.txt, so that adding a file or a folder edits no build file.

add_library(cotree_options INTERFACE)
target_compile_options(cotree_options INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wimplicit-fallthrough -ffp-contract=off -fno-strict-aliasing)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc 12 warns of its own std::string (bug 105651) once its header is precompiled; the sanitizers look for what this leaves out.
  target_compile_options(cotree_options INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
target_include_directories(cotree_options INTERFACE "${CMAKE_SOURCE_DIR}/src")
target_compile_definitions(cotree_options INTERFACE COTREE_VERSION="${PROJECT_VERSION}")
if(COTREE_SANITIZE)
  target_compile_options(cotree_options INTERFACE -fsanitize=${COTREE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc 12 takes what std::optional holds, and the library's own <regex>, for uninitialised under the sanitizers.
    target_compile_options(cotree_options INTERFACE -Wno-error=maybe-uninitialized)
  endif()
  target_link_options(cotree_options INTERFACE -fsanitize=${COTREE_SANITIZE})
endif()
if(COTREE_FUZZ)
  target_compile_options(cotree_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(COTREE_COVERAGE)
  target_compile_options(cotree_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(cotree_options INTERFACE -fprofile-instr-generate)
endif()

find_program(COTREE_MOLD mold)
if(COTREE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
find_program(COTREE_CCACHE ccache)
if(COTREE_CCACHE)
  # ccache's own conditions for precompiled headers: gcc says in its output which one it took, and dates count for nothing.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${COTREE_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(cotree_options INTERFACE -fpch-preprocess)
  endif()
endif()

# The standard library's headers are a fifth of what a build from nothing reads: precompiled once for each set of options.
set(COTREE_PRECOMPILED <algorithm> <array> <bit> <charconv> <cmath> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <deque>
    <filesystem> <fstream> <functional> <limits> <map> <memory> <numeric> <optional> <set> <span> <string> <string_view>
    <unordered_map> <unordered_set> <utility> <variant> <vector>)
# Folders that write what people read: their own work takes milliseconds, their optimisation took a tenth of a build.
set(COTREE_COLD_FOLDERS animation api cli control derivation document drawing emission plot)

# cotree_precompile(target kind [header...]): the first target of a kind makes the precompiled headers, the others use them.
function(cotree_precompile target kind)
  get_property(maker GLOBAL PROPERTY COTREE_PRECOMPILED_${kind})
  if(maker)
    target_precompile_headers(${target} REUSE_FROM ${maker})
  else()
    target_precompile_headers(${target} PRIVATE ${COTREE_PRECOMPILED} ${ARGN})
    set_property(GLOBAL PROPERTY COTREE_PRECOMPILED_${kind} ${target})
  endif()
endfunction()

# cotree_read_architecture(): sets COTREE_FOLDERS and COTREE_USES_<folder>.
function(cotree_read_architecture)
  file(STRINGS "${CMAKE_SOURCE_DIR}/src/architecture.txt" lines)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/architecture.txt")
  set(folders "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^([a-z_]+):(.*)$")
      set(folder "${CMAKE_MATCH_1}")
      string(STRIP "${CMAKE_MATCH_2}" uses)
      string(REPLACE " " ";" uses "${uses}")
      list(APPEND folders "${folder}")
      set(COTREE_USES_${folder} "${uses}" PARENT_SCOPE)
    endif()
  endforeach()
  set(COTREE_FOLDERS "${folders}" PARENT_SCOPE)
endfunction()

macro(cotree_add_folders)
  cotree_read_architecture()
  foreach(folder IN LISTS COTREE_FOLDERS)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${folder}/*.cc")
    set(target cotree_${folder})
    if(folder STREQUAL "cli")
      list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
      set(target cotree_cli_lib)
    endif()
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC cotree_options)
    if(folder IN_LIST COTREE_COLD_FOLDERS)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
      cotree_precompile(${target} cold)
    else()
      cotree_precompile(${target} library)
    endif()
    foreach(used IN LISTS COTREE_USES_${folder})
      target_link_libraries(${target} PUBLIC cotree_${used})
    endforeach()
  endforeach()
  add_executable(cotree "${CMAKE_SOURCE_DIR}/src/cli/main.cc")
  target_link_libraries(cotree PRIVATE cotree_cli_lib)
endmacro()

# One test program per folder from src/<folder>/test/*.cc, and one from tests/*.cc for the product as a whole.
function(cotree_add_test_program name library)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ${library} GTest::gtest GTest::gtest_main nlohmann_json::nlohmann_json)
  target_compile_definitions(${name} PRIVATE COTREE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                             COTREE_BINARY="$<TARGET_FILE:cotree>")
  # Tests spend their time in the libraries; a third of the time of a build from nothing would be their optimisation.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  cotree_precompile(${name} test <gtest/gtest.h>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test")
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
endfunction()

function(cotree_add_tests)
  foreach(folder IN LISTS COTREE_FOLDERS)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${folder}/test/*.cc")
    if(sources)
      set(library cotree_${folder})
      if(folder STREQUAL "cli")
        set(library cotree_cli_lib)
      endif()
      cotree_add_test_program(test_${folder} ${library} ${sources})
    endif()
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/*.cc")
  if(sources)
    cotree_add_test_program(test_product cotree_cli_lib ${sources})
    add_dependencies(test_product cotree)
  endif()
endfunction()

# The standard library's text becomes part of the program, so that it is found without a path.
function(cotree_embed_library folder)
  file(GLOB texts CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/library/*.cot")
  set(output "${CMAKE_BINARY_DIR}/generated/embedded_library.cc")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DFOLDER=${CMAKE_SOURCE_DIR}/library"
            -P "${CMAKE_SOURCE_DIR}/cmake/EmbedLibrary.cmake"
    DEPENDS ${texts} "${CMAKE_SOURCE_DIR}/cmake/EmbedLibrary.cmake" VERBATIM)
  target_sources(cotree_${folder} PRIVATE "${output}")
endfunction()

# The parts of emitted C that are the same for all models become part of the program, too.
function(cotree_embed_runtime folder)
  file(GLOB texts CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${folder}/runtime/*.c")
  set(output "${CMAKE_BINARY_DIR}/generated/embedded_runtime.cc")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DFOLDER=${CMAKE_SOURCE_DIR}/src/${folder}/runtime"
            -P "${CMAKE_SOURCE_DIR}/cmake/EmbedRuntime.cmake"
    DEPENDS ${texts} "${CMAKE_SOURCE_DIR}/cmake/EmbedRuntime.cmake" VERBATIM)
  target_sources(cotree_${folder} PRIVATE "${output}")
endfunction()

# cotree_embed_script(FOLDER NAME FUNCTION): the script of a page, likewise: web/NAME/build.sh makes it. It needs npm: without it, the command
# that writes the page says that it is not there.
function(cotree_embed_script folder name header function)
  set(web "${CMAKE_SOURCE_DIR}/web/${name}")
  file(GLOB sources CONFIGURE_DEPENDS "${web}/src/*.js" "${web}/src/*.css"
       "${CMAKE_SOURCE_DIR}/web/shared/*.js")
  set(output "${CMAKE_BINARY_DIR}/generated/embedded_${name}.cc")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DFOLDER=${web}" "-DSCRIPT=${name}.js" "-DHEADER=${header}" "-DFUNCTION=${function}"
            -P "${CMAKE_SOURCE_DIR}/cmake/EmbedScript.cmake"
    DEPENDS ${sources} "${web}/package.json" "${web}/package-lock.json" "${web}/build.sh"
            "${CMAKE_SOURCE_DIR}/cmake/EmbedScript.cmake"
    COMMENT "Bundling the page ${name}" VERBATIM)
  target_sources(cotree_${folder} PRIVATE "${output}")
endfunction()
