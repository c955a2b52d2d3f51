#pragma once
// Files and folders that only the user of this process may read: databases, tokens, passwords. A file is 0600 and a
// folder 0700, whatever the umask. One that another user owns is refused, because that user could replace it, and one
// that other users can read is refused, because its secrets are known then. Root may own them as well. Blocking calls,
// any thread.

#include <exception>
#include <string>

namespace baton {

// A file or folder that other users can reach. The text names it, the reason and the remedy.
class not_private : public std::exception {
public:
    explicit not_private(std::string why) : why_(std::move(why)) {}
    char const* what() const noexcept override { return why_.c_str(); }

private:
    std::string why_;
};

// Makes the folder, and those above it that are missing. Throws not_private if it exists and is not private, and
// unavailable if it cannot be made.
void make_private_folder(std::string const& path);

// Makes an empty file if there is none. Throws not_private if it exists and is not private, and unavailable if it
// cannot be made.
void make_private_file(std::string const& path);

// Throws not_private if the file exists and is not private.
void check_private_file(std::string const& path);

// The content of a private file, in a folder in which no other user can replace it. Throws not_private, and unavailable
// with the reason if it cannot be read.
std::string read_private_file(std::string const& path);

// The first line of a private file that holds a secret. Throws as read_private_file does, and unavailable if the line
// is empty.
std::string read_secret_file(std::string const& path);

} // namespace baton
