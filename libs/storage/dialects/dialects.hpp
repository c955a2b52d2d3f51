#pragma once
// The dialects that there are, and what they share. For libs/storage/dialect.cpp and the files of this folder.

#include "libs/storage/dialect.hpp"

#include <string>

namespace baton::storage {

dialect const& mysql_dialect(); // MySQL 8 and 9, MariaDB
dialect const& sqlite_dialect();

[[noreturn]] void refuse_location(std::string const& why);

// "//user:password@host:port/name", with the default port unless the text has one. Throws invalid_input("database").
location parse_server(storage::engine engine, std::string const& text, std::uint16_t default_port);
// "mysql://user@host:port/name"
std::string server_text(dialect const& of, location const& where);

} // namespace baton::storage
