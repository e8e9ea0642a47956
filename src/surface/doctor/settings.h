#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "ports/net/http_client.h"
#include "surface/doctor/finding.h"
#include "weft/config.h"

/// What is configured, and what stands behind it: files, keys, servers of models.
namespace weft::doctor {

/// Settings that make no sense together, or lead nowhere. `serving`: those that the running server has; null where
/// there is none.
void look_at_settings(const Config& config, const Config* serving, Report& report);

/// Who may come in: keys, certificate, address.
void look_at_door(const Config& config, Report& report);

/// The files of models, each whether it is there and whole.
void look_at_model_files(const Config& config, Report& report);

/// The servers of others that are configured, asked whether they are there and take the key. What is asked costs
/// nothing: the list of their models. Each has `patience` to answer.
void look_at_others(const Config& config, HttpClient& client, std::chrono::milliseconds patience, Report& report);

/// The running server, asked at the address that it told; it has `patience` to answer.
void look_at_server(const std::string& address, HttpClient& client, std::chrono::milliseconds patience, Report& report);

}  // namespace weft::doctor
