# what cmake --install puts where: program, both libraries, headers, pkg-config and CMake packages, scenes, manual page,
# completions, documentation; and the packages that CPack makes of it
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(STICTION_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/stiction)

install(TARGETS stiction stiction_static EXPORT stictionTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/stiction DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/stiction FILES_MATCHING PATTERN "*.lua")
install(DIRECTORY problems DESTINATION ${CMAKE_INSTALL_DATADIR}/stiction)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.c"
        PATTERN "*.py")
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# the pages as they are, so that links from the README work; the site too if tools/make_site was run before
install(DIRECTORY docs problems DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES bench/results/portfolio.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench/results)
# pages name scenes by their place beside docs
file(RELATIVE_PATH STICTION_SCENES_FROM_DOC "${CMAKE_INSTALL_FULL_DOCDIR}" "${CMAKE_INSTALL_FULL_DATADIR}/stiction/scenes")
install(CODE "file(CREATE_LINK \"${STICTION_SCENES_FROM_DOC}\"
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/scenes\" SYMBOLIC)")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/build/site/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html OPTIONAL)

# find_package(stiction)
install(EXPORT stictionTargets NAMESPACE stiction:: DESTINATION ${STICTION_PACKAGE_DIR})
configure_package_config_file(${CMAKE_SOURCE_DIR}/tools/install/stictionConfig.cmake.in
  ${CMAKE_BINARY_DIR}/generated/stictionConfig.cmake INSTALL_DESTINATION ${STICTION_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/stictionConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/stictionConfig.cmake
  ${CMAKE_BINARY_DIR}/generated/stictionConfigVersion.cmake DESTINATION ${STICTION_PACKAGE_DIR})

# pkg-config: stiction is the shared library, stiction-static the archive with everything it needs. --static cannot
# make that choice, since a linker prefers the shared library wherever it finds both.
set(STICTION_PC_PRIVATE "")
foreach(library ${STICTION_LIBRARIES})
  if(library STREQUAL ZLIB::ZLIB)
    string(APPEND STICTION_PC_PRIVATE " -lz")
  elseif(library STREQUAL Threads::Threads)
    string(APPEND STICTION_PC_PRIVATE " -pthread")
  elseif(library MATCHES "/lib([^/]+)\\.(so|a)$")
    set(name ${CMAKE_MATCH_1})
    get_filename_component(folder ${library} DIRECTORY)
    if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      string(APPEND STICTION_PC_PRIVATE " -L${folder}")
    endif()
    string(APPEND STICTION_PC_PRIVATE " -l${name}")
  else()
    string(APPEND STICTION_PC_PRIVATE " -l${library}")
  endif()
endforeach()
file(RELATIVE_PATH STICTION_PC_UP "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
foreach(name stiction stiction-static)
  configure_file(tools/install/${name}.pc.in ${CMAKE_BINARY_DIR}/generated/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/generated/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# the program writes its own manual page and completions
if(TARGET stiction_cli)
  install(TARGETS stiction_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(help ${CMAKE_BINARY_DIR}/help)
  add_custom_command(OUTPUT ${help}/stiction.1 ${help}/stiction.bash ${help}/_stiction
    COMMAND ${CMAKE_COMMAND} -E make_directory ${help}
    COMMAND stiction_cli help --form man > ${help}/stiction.1
    COMMAND stiction_cli help --form bash > ${help}/stiction.bash
    COMMAND stiction_cli help --form zsh > ${help}/_stiction
    DEPENDS stiction_cli VERBATIM)
  add_custom_target(stiction_help ALL DEPENDS ${help}/stiction.1 ${help}/stiction.bash ${help}/_stiction)
  install(FILES ${help}/stiction.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${help}/stiction.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME stiction)
  install(FILES ${help}/_stiction DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

# cpack -G DEB
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_CONTACT "stiction maintainers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# for the Python package; the rest works without
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-cffi-backend, python3-numpy")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-scipy, python3-pandas, python3-matplotlib, python3-tqdm, python3-distributed")
set(CPACK_STRIP_FILES ON)
include(CPack)
