# SPDX-License-Identifier: Apache-2.0
# The software components of the tests, one shared library per source: the examples, and those that misbehave.
enable_language(C)
if(COTREE_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${COTREE_CCACHE}")
endif()

# cotree_add_test_components(test): builds them for that test program, which finds them in COTREE_COMPONENTS.
function(cotree_add_test_components test)
  set(folder "${CMAKE_BINARY_DIR}/test/components")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/examples/software_components/*.c"
       "${CMAKE_SOURCE_DIR}/examples/software_components/*.cc"
       "${CMAKE_SOURCE_DIR}/src/software_component/test/hostile/*.c"
       "${CMAKE_SOURCE_DIR}/src/software_component/test/hostile/*.cc")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    set(target component_${name})
    add_library(${target} MODULE "${source}")
    target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/include" "${CMAKE_SOURCE_DIR}/src")
    # As an author of components would build them: without our options and sanitizers.
    target_compile_options(${target} PRIVATE -Wall -Wextra -pedantic -Werror -ffp-contract=off)
    set_target_properties(${target} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF CXX_STANDARD 17 OUTPUT_NAME ${name}
                          LIBRARY_OUTPUT_DIRECTORY "${folder}")
    add_dependencies(${test} ${target})
  endforeach()
  add_dependencies(${test} cotree-component-host)
  target_compile_definitions(${test} PRIVATE COTREE_COMPONENTS="${folder}"
                             COTREE_COMPONENT_HOST="$<TARGET_FILE:cotree-component-host>"
                             COTREE_C_COMPILER="${CMAKE_C_COMPILER}" COTREE_CXX_COMPILER="${CMAKE_CXX_COMPILER}")
endfunction()
