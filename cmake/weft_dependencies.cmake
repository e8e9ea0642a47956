# Finds every library, and names all missing pieces at once with the command that brings them.

if(DEFINED ENV{WEFT_CACHE})
    set(weft_default_cache $ENV{WEFT_CACHE})
elseif(DEFINED ENV{XDG_CACHE_HOME})
    set(weft_default_cache $ENV{XDG_CACHE_HOME}/weft)
else()
    set(weft_default_cache $ENV{HOME}/.cache/weft)
endif()
set(WEFT_CACHE ${weft_default_cache} CACHE PATH "where `make setup` put llama.cpp, models and test clients")
set(weft_system_llama ON)
if("$ENV{WEFT_SYSTEM_LLAMA}" STREQUAL "0")
    set(weft_system_llama OFF)
endif()
option(WEFT_SYSTEM_LLAMA "use a llama.cpp that CMake finds in the system rather than the one set-up built"
    ${weft_system_llama})

set(weft_missing "")
set(weft_missing_apt "")

# weft_need(FOUND_VARIABLE what apt-package)
macro(weft_need found what apt)
    if(NOT ${found})
        list(APPEND weft_missing "${what}")
        list(APPEND weft_missing_apt "${apt}")
    endif()
endmacro()

find_package(Threads REQUIRED)

find_package(CURL QUIET)
weft_need(CURL_FOUND "libcurl" libcurl4-openssl-dev)
find_package(OpenSSL 3.0 QUIET)
weft_need(OPENSSL_FOUND "OpenSSL 3" libssl-dev)
find_package(ZLIB QUIET)
weft_need(ZLIB_FOUND "zlib" zlib1g-dev)
find_package(SQLite3 QUIET)
weft_need(SQLite3_FOUND "SQLite 3" libsqlite3-dev)
find_package(LibPq QUIET MODULE)
weft_need(LibPq_FOUND "libpq" libpq-dev)
find_package(ICU QUIET COMPONENTS uc i18n)
weft_need(ICU_FOUND "ICU" libicu-dev)
find_package(nlohmann_json QUIET)
weft_need(nlohmann_json_FOUND "nlohmann JSON" nlohmann-json3-dev)
find_package(fmt QUIET)
weft_need(fmt_FOUND "fmt" libfmt-dev)
find_package(spdlog QUIET)
weft_need(spdlog_FOUND "spdlog" libspdlog-dev)
find_package(CLI11 QUIET)
weft_need(CLI11_FOUND "CLI11" libcli11-dev)
find_package(tomlplusplus QUIET)
weft_need(tomlplusplus_FOUND "toml++" libtomlplusplus-dev)
find_package(valijson QUIET)
weft_need(valijson_FOUND "valijson" libvalijson-dev)
find_package(Boost 1.81 QUIET CONFIG)
weft_need(Boost_FOUND "Boost 1.81 or newer" "libboost1.81-dev, or libboost-dev where it is new enough")
find_package(OpenCC QUIET MODULE)
weft_need(OpenCC_FOUND "OpenCC" libopencc-dev)
find_package(XxHash QUIET MODULE)
weft_need(XxHash_FOUND "xxHash" libxxhash-dev)
find_package(Stemmer QUIET MODULE)
weft_need(Stemmer_FOUND "libstemmer" libstemmer-dev)
find_package(Edit QUIET MODULE)
weft_need(Edit_FOUND "libedit" libedit-dev)
find_package(yaml-cpp 0.7 QUIET)
weft_need(yaml-cpp_FOUND "yaml-cpp" libyaml-cpp-dev)

# The target's name depends on the version.
set(weft_yaml yaml-cpp)
if(TARGET yaml-cpp::yaml-cpp)
    set(weft_yaml yaml-cpp::yaml-cpp)
endif()

# llama.cpp: the system's where there is one, else what set-up built. Its grammar and template parts are not
# installed by any distribution and always come from set-up.
if(WEFT_SYSTEM_LLAMA)
    find_package(llama QUIET)
endif()
if(NOT llama_FOUND)
    find_package(llama QUIET PATHS ${WEFT_CACHE}/llama/current NO_DEFAULT_PATH)
endif()
find_package(weft_llama_common QUIET PATHS ${WEFT_CACHE}/llama/current)

if(weft_missing)
    list(JOIN weft_missing "; " weft_missing_text)
    list(JOIN weft_missing_apt " " weft_missing_command)
    message(FATAL_ERROR "Missing: ${weft_missing_text}.\n"
        "`make setup` brings everything; or, on Debian and Ubuntu:\n"
        "  apt-get install ${weft_missing_command}\n")
endif()
if(NOT llama_FOUND OR NOT weft_llama_common_FOUND)
    message(FATAL_ERROR "Missing: llama.cpp, looked for in the system and in ${WEFT_CACHE}/llama/current.\n"
        "`make setup` builds it there (WEFT_CACHE names another place).\n")
endif()
foreach(target llama weft_llama_common)
    get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
    set_property(TARGET ${target} PROPERTY INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${includes})
endforeach()

# The target's name depends on the version.
set(weft_valijson valijson)
if(TARGET ValiJSON::valijson)
    set(weft_valijson ValiJSON::valijson)
endif()

# All of them, for what stands behind the last layer.
set(weft_libraries
    weft_llama_common llama
    CURL::libcurl OpenSSL::SSL OpenSSL::Crypto SQLite::SQLite3 LibPq::LibPq ZLIB::ZLIB ICU::i18n ICU::uc
    nlohmann_json::nlohmann_json spdlog::spdlog fmt::fmt
    CLI11::CLI11 tomlplusplus::tomlplusplus ${weft_valijson} Boost::headers
    OpenCC::OpenCC XxHash::XxHash Stemmer::Stemmer Edit::Edit ${weft_yaml} Threads::Threads)
