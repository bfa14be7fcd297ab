# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# rung_sources(RESULT): a generated file with the text of every rung's file, for the report. Written again when one
# changes.
function(rung_sources result)
  foreach(suffix cpp cu metal)
    list(APPEND patterns backend/*/r[0-9]*_*.${suffix} backend/*/few_rows*.${suffix})
  endforeach()
  file(GLOB files CONFIGURE_DEPENDS ${patterns})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(rows "")
  foreach(file IN LISTS files)
    file(READ ${file} text)
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(backend ${folder} NAME)
    get_filename_component(name ${file} NAME)
    string(APPEND rows "    {\"${backend}\", \"${name}\", R\"tw_rung(${text})tw_rung\"},\n")
  endforeach()
  string(CONCAT made
    "#include \"measure/report/rung_sources.hpp\"\n\nnamespace tw::measure {\nnamespace {\n\n"
    "constexpr RungSource all[] = {\n${rows}};\n\n}  // namespace\n\n"
    "std::span<const RungSource> rung_sources() { return all; }\n\n}  // namespace tw::measure\n")
  set(output ${CMAKE_CURRENT_BINARY_DIR}/rung_sources.cpp)
  file(GENERATE OUTPUT ${output} CONTENT "${made}")
  set(${result} ${output} PARENT_SCOPE)
endfunction()

# page_texts(RESULT): a generated file with the report's style sheet and script.
function(page_texts result)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/measure/report)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/page.css ${folder}/page.js)
  file(READ ${folder}/page.css style)
  file(READ ${folder}/page.js script)
  string(CONCAT made
    "#include \"measure/report/report.hpp\"\n\nnamespace tw::measure {\n\n"
    "const char* report_style() { return R\"tw_page(${style})tw_page\"; }\n"
    "const char* report_script() { return R\"tw_page(${script})tw_page\"; }\n\n"
    "}  // namespace tw::measure\n")
  set(output ${CMAKE_CURRENT_BINARY_DIR}/report_page_texts.cpp)
  file(GENERATE OUTPUT ${output} CONTENT "${made}")
  set(${result} ${output} PARENT_SCOPE)
endfunction()
