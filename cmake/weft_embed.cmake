# weft_embed_files(TARGET SOURCE HEADER TYPE LIST COUNT ROOT FILES…): puts files into the library as a list of TYPE, which
# HEADER declares as LIST and COUNT; the id of each is its path below ROOT, without its ending unless weft_keep_endings
# is set where it is called. Written when CMake runs, and
# CMake runs again when a file changes.
function(weft_embed_files target source header type list count_name root)
    set(files ${ARGN})
    list(SORT files)
    list(LENGTH files count)
    set(entries "")
    foreach(file ${files})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(RELATIVE_PATH id ${root} ${file})
        if(NOT weft_keep_endings)
            string(REGEX REPLACE "\\.[^.]*$" "" id "${id}")
        endif()
        # As bytes: no compiler's bound on the length of a literal, no character that needs an escape.
        file(READ ${file} bytes HEX)
        string(LENGTH "${bytes}" length)
        math(EXPR length "${length} / 2")
        string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
        string(APPEND entries "    {\"${id}\", std::string_view(\"${bytes}\", ${length})},\n")
    endforeach()
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${source} @ONLY CONTENT
"// Written by cmake/weft_embed.cmake.
#include \"@header@\"

namespace weft {

const @type@ @list@[] = {
@entries@};
const unsigned @count_name@ = @count@;

}  // namespace weft
")
    target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/${source})
endfunction()

# templates/*.jinja: how prompts are laid out.
function(weft_embed_templates target)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/templates/*.jinja)
    weft_embed_files(${target} shipped_templates.cpp flow/context/skeleton.h ShippedTemplate
                     shipped_template_list shipped_template_count ${PROJECT_SOURCE_DIR}/templates ${files})
endfunction()

# prompts/LANGUAGE/*.md: what models are asked.
function(weft_embed_prompts target)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/prompts/*/*.md)
    weft_embed_files(${target} shipped_prompts.cpp base/prompts.h PromptFile prompt_file_list prompt_file_count
                     ${PROJECT_SOURCE_DIR}/prompts ${files})
endfunction()

# lexicon/LANGUAGE/*.txt, lexicon/time/*.txt: what people say.
function(weft_embed_lexicon target)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lexicon/*/*.txt)
    weft_embed_files(${target} shipped_lexicon.cpp text/lexicon.h LexiconFile lexicon_file_list lexicon_file_count
                     ${PROJECT_SOURCE_DIR}/lexicon ${files})
endfunction()

# weights/*.json, weights/similarity/*.json: what is fitted.
function(weft_embed_weights target)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/weights/*.json ${PROJECT_SOURCE_DIR}/weights/*/*.json)
    weft_embed_files(${target} shipped_weights.cpp text/weight_file.h ShippedWeights shipped_weights_list
                     shipped_weights_count ${PROJECT_SOURCE_DIR}/weights ${files})
endfunction()

# data/**: the conversations of the evaluation and the demonstration.
function(weft_embed_data target)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/*/*.jsonl ${PROJECT_SOURCE_DIR}/data/*/*/*.jsonl
         ${PROJECT_SOURCE_DIR}/data/*/*/*.md)
    weft_embed_files(${target} data_files.cpp demo/data_files.h DataFile data_file_list data_file_count
                     ${PROJECT_SOURCE_DIR}/data ${files})
endfunction()

# web/**: the page at /ui, whose files keep their names.
function(weft_embed_page target)
    set(weft_keep_endings TRUE)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*)
    weft_embed_files(${target} page_files.cpp surface/page/page.h PageFile page_file_list page_file_count
                     ${PROJECT_SOURCE_DIR}/web ${files})
endfunction()
