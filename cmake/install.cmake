# cmake --install: the library, its public headers, the program, and what find_package(ramet) and pkg-config need.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Public are the headers that ramet/ramet.h reaches.
function(ramet_reached_headers out)
  set(todo ramet/ramet.h)
  set(found "")
  while(todo)
    list(POP_FRONT todo header)
    if(header IN_LIST found)
      continue()
    endif()
    list(APPEND found ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"ramet/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
      list(APPEND todo ${included})
    endforeach()
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()
ramet_reached_headers(ramet_headers)
foreach(header IN LISTS ramet_headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()

target_include_directories(ramet INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS ramet EXPORT ramet_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT ramet_targets NAMESPACE ramet:: FILE ramet-targets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ramet)
if(RAMET_BUILD_CLI)
  install(TARGETS ramet_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

file(WRITE ${PROJECT_BINARY_DIR}/ramet-config.cmake
  "include(CMakeFindDependencyMacro)\nfind_dependency(Threads)\nfind_dependency(ZLIB)\ninclude(\${CMAKE_CURRENT_LIST_DIR}/ramet-targets.cmake)\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ramet-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ramet-config.cmake ${PROJECT_BINARY_DIR}/ramet-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ramet)

# The prefix is found from where the file lies, so that an installation can be moved.
file(RELATIVE_PATH ramet_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" ramet_up ${ramet_up})
configure_file(${PROJECT_SOURCE_DIR}/cmake/ramet.pc.in ${PROJECT_BINARY_DIR}/ramet.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ramet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
