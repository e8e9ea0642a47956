# One library a layer, each of which sees only those before it: what is changed in one is compiled and tested without
# those behind. Tests stand beside the sources they test.
#
# weft_add_layer(NAME FOLDERS src/… AFTER layer… LIBRARIES library…)
function(weft_add_layer name)
    cmake_parse_arguments(layer "" "" "FOLDERS;AFTER;LIBRARIES" ${ARGN})
    set(sources "")
    set(tests "")
    foreach(folder ${layer_FOLDERS})
        file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
        list(APPEND sources ${found})
    endforeach()
    set(tests ${sources})
    list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
    list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
    add_library(weft_${name} STATIC ${sources})
    set_property(TARGET weft_${name} PROPERTY weft_test_sources "${tests}")
    target_include_directories(weft_${name}
        PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
        PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_features(weft_${name} PUBLIC cxx_std_20)
    # What a layer before uses, its headers may show.
    target_link_libraries(weft_${name} PUBLIC ${layer_AFTER} PRIVATE ${layer_LIBRARIES})
    weft_compile_options(weft_${name})
    weft_unity(weft_${name})
    set(weft_layers ${weft_layers} ${name} PARENT_SCOPE)
endfunction()

set(weft_layers "")

set(weft_text_libraries
    ICU::i18n ICU::uc nlohmann_json::nlohmann_json spdlog::spdlog fmt::fmt tomlplusplus::tomlplusplus ${weft_valijson}
    OpenCC::OpenCC XxHash::XxHash Stemmer::Stemmer ${weft_yaml} Threads::Threads)
set(weft_common_libraries ICU::i18n ICU::uc nlohmann_json::nlohmann_json fmt::fmt XxHash::XxHash Threads::Threads)

weft_add_layer(text FOLDERS base text LIBRARIES ${weft_text_libraries})
weft_embed_prompts(weft_text)
weft_embed_lexicon(weft_text)
weft_embed_weights(weft_text)
weft_add_layer(store FOLDERS model ports AFTER weft_text
    LIBRARIES weft_llama_common llama CURL::libcurl SQLite::SQLite3 LibPq::LibPq ZLIB::ZLIB ${weft_common_libraries})
weft_add_layer(flow FOLDERS flow AFTER weft_store LIBRARIES ${weft_common_libraries})
weft_embed_templates(weft_flow)
weft_add_layer(growth FOLDERS growth AFTER weft_flow LIBRARIES ${weft_common_libraries})
weft_add_layer(agent FOLDERS agent AFTER weft_growth LIBRARIES ${weft_common_libraries})
weft_add_layer(engine FOLDERS engine AFTER weft_agent LIBRARIES ${weft_common_libraries})

# What programs of others link: the engine with all that stands before it.
add_library(weft::weft ALIAS weft_engine)
set_target_properties(weft_engine PROPERTIES OUTPUT_NAME weft EXPORT_NAME weft)

# What shows the engine at work, with the conversations of data/: needs no door.
weft_add_layer(demo FOLDERS demo AFTER weft_engine LIBRARIES ${weft_common_libraries})
weft_embed_data(weft_demo)

# Doors of the engine: what answers over HTTP and the Model Context Protocol, and within other programs.
weft_add_layer(surface
    FOLDERS surface/access surface/api surface/embedded surface/hook surface/http surface/imports surface/mcp
            surface/page surface/proxy
    AFTER weft_engine LIBRARIES Boost::headers OpenSSL::SSL OpenSSL::Crypto ${weft_common_libraries})
weft_embed_page(weft_surface)
target_compile_definitions(weft_surface PRIVATE WEFT_VERSION="${PROJECT_VERSION}")

# The command, and what only it has.
weft_add_layer(eval FOLDERS eval AFTER weft_demo LIBRARIES ${weft_common_libraries})
weft_add_layer(command FOLDERS surface/cli surface/doctor AFTER weft_surface weft_eval
    LIBRARIES CLI11::CLI11 Edit::Edit ${weft_common_libraries})
target_compile_definitions(weft_command PRIVATE WEFT_VERSION="${PROJECT_VERSION}")
