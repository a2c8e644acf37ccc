# the viewer: packages by npm into the build tree, bundled by esbuild into one C file of the program
set(view ${CMAKE_SOURCE_DIR}/apps/view)
set(work ${CMAKE_BINARY_DIR}/view)
set(page ${work}/view_page.c)
set(STICTION_VIEW_PAGE ${page})
file(GLOB sources CONFIGURE_DEPENDS ${view}/src/*)
add_custom_command(
  OUTPUT ${work}/node_modules/.package-lock.json
  COMMAND ${CMAKE_COMMAND} -E make_directory ${work}
  COMMAND ${CMAKE_COMMAND} -E copy ${view}/package.json
          ${view}/package-lock.json ${view}/.npmrc ${work}
  COMMAND ${NPM_PROGRAM} ci --prefix ${work} --no-audit --no-fund --loglevel=error
  DEPENDS ${view}/package-lock.json
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
  COMMENT "packages of the viewer"
  VERBATIM)
# esbuild looks for packages beside the sources: they are copied to where the packages are
add_custom_command(
  OUTPUT ${page}
  COMMAND ${CMAKE_COMMAND} -E copy ${view}/build.mjs ${work}
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${view}/src ${work}/src
  COMMAND node ${work}/build.mjs ${page} ${work}/page.html
  DEPENDS ${work}/node_modules/.package-lock.json ${sources} ${view}/build.mjs
  COMMENT "bundling the viewer"
  VERBATIM)
