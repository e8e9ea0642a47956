# weft_embed_templates(TARGET): puts templates/*.jinja into the library, as the list that
# src/flow/context/shipped_templates.h declares. Written when CMake runs, and CMake runs again when a template changes.
function(weft_embed_templates target)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/templates/*.jinja)
    list(SORT files)
    list(LENGTH files count)
    set(entries "")
    foreach(file ${files})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        get_filename_component(id ${file} NAME_WE)
        # As bytes: no compiler's bound on the length of a literal, no character that needs an escape.
        file(READ ${file} bytes HEX)
        string(LENGTH "${bytes}" length)
        math(EXPR length "${length} / 2")
        string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
        string(APPEND entries "    {\"${id}\", std::string_view(\"${bytes}\", ${length})},\n")
    endforeach()
    set(source ${PROJECT_BINARY_DIR}/shipped_templates.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Written by cmake/weft_embed.cmake.
#include \"flow/context/shipped_templates.h\"

namespace weft {

const ShippedTemplate shipped_template_list[] = {
@entries@};
const unsigned shipped_template_count = @count@;

}  // namespace weft
")
    target_sources(${target} PRIVATE ${source})
endfunction()
