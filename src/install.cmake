# SPDX-License-Identifier: MIT
# make install: the library, for pkg-config and for find_package(recip), with its headers and manual pages. Nothing of it knows
# where it will be.
install(TARGETS recip-static recip-shared EXPORT recip)
set_target_properties(recip-shared PROPERTIES EXPORT_NAME recip)
install(FILES ${PROJECT_SOURCE_DIR}/include/recip.h ${PROJECT_SOURCE_DIR}/include/recip-inline.h
  ${PROJECT_SOURCE_DIR}/include/recip.hpp TYPE INCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples TYPE DOC)
install(FILES valgrind.supp recip-gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/recip)
# Where gdb looks for what belongs to a library: under the library's own path, as it is when this is installed.
install(FILES recip-gdb.py RENAME librecip.so.${PROJECT_VERSION}-gdb.py
  DESTINATION "${CMAKE_INSTALL_DATADIR}/gdb/auto-load\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}")

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/recip)
install(EXPORT recip NAMESPACE recip:: FILE recip-targets.cmake DESTINATION ${package})
include(CMakePackageConfigHelpers)
write_basic_package_version_file(recip-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES recip-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/recip-config-version.cmake DESTINATION ${package})
file(RELATIVE_PATH to_headers ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(recip.pc.in recip.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/recip.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# One page for each call, most of which only point to the page that describes it.
function(install_page page)
  install(FILES ${PROJECT_SOURCE_DIR}/man/${page}.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
  foreach(name IN LISTS ARGN)
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.3 CONTENT ".so man3/${page}.3\n")
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
  endforeach()
endfunction()
install_page(recip_mutex_lock recip_mutex_init recip_mutex_init_bound recip_mutex_destroy recip_mutex_assert_held recip_mutex_trylock
  recip_mutex_timedlock recip_mutex_clocklock recip_mutex_unlock RECIP_MUTEX_GUARD)
install_page(recip_cond_wait recip_cond_init recip_cond_destroy recip_cond_timedwait recip_cond_clockwait
  recip_cond_signal recip_cond_broadcast)
install_page(recip_sem_wait recip_sem_init recip_sem_destroy recip_sem_trywait recip_sem_timedwait recip_sem_clockwait
  recip_sem_post recip_sem_getvalue)
install_page(recip_lock_acquire recip_lock_try_acquire recip_lock_release)
install_page(recip_version RECIP_VERSION_STRING)
