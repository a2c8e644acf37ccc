# the package of Python: built beside the library with Debian's cffi, installed where Debian's Python looks for it
option(STICTION_PYTHON "build the Python package (needs Debian's python3-cffi, python3-setuptools and python3-numpy)" ON)
set(STICTION_PYTHON_DIR lib/python3/dist-packages CACHE STRING "where the Python package is installed, below the prefix")
find_program(DEBIAN_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(STICTION_PYTHON AND DEBIAN_PYTHON)
  execute_process(COMMAND ${DEBIAN_PYTHON} -c "import cffi, setuptools, numpy" RESULT_VARIABLE lacking ERROR_QUIET)
else()
  set(lacking 1)
endif()
if(lacking OR STICTION_FUZZ OR NOT TARGET stiction_cli OR NOT STICTION_HDF5 OR NOT STICTION_LUA)
  message(STATUS "the Python package is left out: it needs python3-cffi, python3-setuptools, python3-numpy, HDF5 and Lua (tools/setup)")
  set(STICTION_PYTHON_BUILT OFF)
  return()
endif()
set(STICTION_PYTHON_BUILT ON)

set(folder ${CMAKE_SOURCE_DIR}/bindings/python)
set(flags "")
if(STICTION_SANITIZE)
  set(flags -fsanitize=${STICTION_SANITIZE})
endif()
file(GLOB package_sources CONFIGURE_DEPENDS ${folder}/*.py ${folder}/stiction/*.py ${folder}/stiction/*.pyi)
file(GLOB package_scenes CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/scenes/*)
file(GLOB package_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/stiction/*.h ${CMAKE_SOURCE_DIR}/include/stiction/extend/*.h)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/python/built
  COMMAND ${CMAKE_COMMAND} -E env STICTION_BUILD=${CMAKE_BINARY_DIR} STICTION_PYTHON_FLAGS=${flags}
          ${DEBIAN_PYTHON} setup.py -q build --build-base ${CMAKE_BINARY_DIR}/python-build --build-lib ${CMAKE_BINARY_DIR}/python
          > ${CMAKE_BINARY_DIR}/python.log 2>&1
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/python/built
  DEPENDS ${package_sources} ${package_headers} ${package_scenes} stiction_static stiction_cli
  WORKING_DIRECTORY ${folder} COMMENT "Python package (a failure is in python.log)" VERBATIM)
add_custom_target(stiction_python ALL DEPENDS ${CMAKE_BINARY_DIR}/python/built)
install(DIRECTORY ${CMAKE_BINARY_DIR}/python/stiction DESTINATION ${STICTION_PYTHON_DIR}
        USE_SOURCE_PERMISSIONS PATTERN "__pycache__" EXCLUDE PATTERN "bin" EXCLUDE PATTERN "share" EXCLUDE)
