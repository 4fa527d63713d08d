# find_package(culet) makes two targets: culet::culet, the shared library, and culet::static.
get_filename_component(culet_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET culet::culet)
  add_library(culet::culet SHARED IMPORTED)
  set_target_properties(culet::culet PROPERTIES
    IMPORTED_LOCATION "${culet_prefix}/lib/libculet.so"
    INTERFACE_INCLUDE_DIRECTORIES "${culet_prefix}/include")
  add_library(culet::static STATIC IMPORTED)
  set_target_properties(culet::static PROPERTIES
    IMPORTED_LOCATION "${culet_prefix}/lib/libculet.a"
    INTERFACE_LINK_LIBRARIES "pthread;dl;m"
    INTERFACE_INCLUDE_DIRECTORIES "${culet_prefix}/include")
endif()

unset(culet_prefix)
