#pragma once

#include <string>
#include <vector>

namespace baton::test {

// Where tests keep what they keep on MySQL. BATON_TEST_ON names it: "mysql9", "galera" or "sqlite"; otherwise MariaDB.
// With `sqlite`, tests on a server end at once without a failure: scripts/test --quick starts no server.
enum class target { mariadb, mysql9, galera, sqlite };
target chosen_target();

// The exit status of a test whose server is not installed. CTest then reports the test as skipped.
constexpr int skipped = 77;

// Runs scripts/LINE and returns the words of its output. Ends the process as skipped if the script says that the server
// is not installed.
std::vector<std::string> start_server(std::string const& line);

// The URLs in an environment variable, separated by commas; empty if it is not set.
std::vector<std::string> given_servers(char const* variable);

// Ends the test case if the target is `sqlite`.
void need_server();

} // namespace baton::test
