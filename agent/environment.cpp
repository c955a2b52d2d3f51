#include "agent/environment.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unistd.h>

extern char** environ;

namespace baton::agent {

namespace {

constexpr std::array telling_words{"TOKEN",      "SECRET",     "PASSWORD", "PASSWD",  "PASSPHRASE",
                                   "CREDENTIAL", "PRIVATEKEY", "APIKEY",   "_AUTHKEY"};
constexpr std::array telling_ends{"_KEY", "_PWD", "_PASS", "_AUTH"};

bool has_password(std::string_view value)
{
    auto const scheme = value.find("://");
    if (scheme == std::string_view::npos)
        return false;
    auto const login = value.substr(scheme + 3, value.find_first_of("/?#", scheme + 3) - scheme - 3);
    auto const at = login.rfind('@');
    return at != std::string_view::npos && login.substr(0, at).find(':') != std::string_view::npos;
}

} // namespace

bool is_secret(std::string const& name, std::string const& value)
{
    auto capitals = name;
    std::transform(name.begin(), name.end(), capitals.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return capitals.starts_with("BATON_") || has_password(value) ||
           std::any_of(telling_words.begin(), telling_words.end(),
                       [&](char const* word) { return capitals.find(word) != std::string::npos; }) ||
           std::any_of(telling_ends.begin(), telling_ends.end(),
                       [&](char const* end) { return capitals.ends_with(end); });
}

variables environment_of(command const& what, account const& who, variables const& of_run)
{
    variables result;
    if (!what.as_cron) {
        for (char** each = environ; *each != nullptr; ++each) {
            std::string const text = *each;
            auto const equals = text.find('=');
            if (equals == std::string::npos)
                continue;
            auto const name = text.substr(0, equals);
            auto value = text.substr(equals + 1);
            if (!is_secret(name, value))
                result.emplace(name, std::move(value));
        }
    } else {
        result = {{"SHELL", "/bin/sh"}, {"PATH", "/usr/bin:/bin"}};
    }
    if (what.as_cron || who.change) {
        result["HOME"] = who.home.empty() ? "/" : who.home;
        result["LOGNAME"] = who.name;
        result["USER"] = who.name;
    }
    for (auto const& [name, value] : what.env)
        result[name] = value;
    for (auto const& [name, value] : of_run)
        result[name] = value;
    if (what.as_cron) // as in cron: a crontab names no other account
        result["LOGNAME"] = result["USER"] = who.name;
    return result;
}

} // namespace baton::agent
