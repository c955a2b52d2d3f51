#pragma once

#include <stdexcept>
#include <string>

namespace baton::test {

// A command that ended with a status other than 0.
class script_failed : public std::runtime_error {
public:
    script_failed(std::string const& what, int status) : std::runtime_error(what), status_(status) {}
    int status() const { return status_; }

private:
    int status_;
};

// Runs a shell command and returns its output without the last line end. Throws script_failed.
std::string shell(std::string const& command);

// The same for scripts/LINE.
std::string script(std::string const& line);

// A new folder for temporary files (in $TMPDIR), "baton-KIND-" and six letters.
std::string make_folder(std::string const& kind);

} // namespace baton::test
