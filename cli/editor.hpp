#pragma once

#include <string>

namespace baton::cli {

// True if a person has named an editor, which may be one without a terminal, or vi has a terminal.
bool can_edit();

// A text in a file of its own (0600, in a new folder) on which a person's editor works. The file is removed at the end
// unless keep() was called, so that work that could not be used is not lost.
class edited_file {
public:
    explicit edited_file(std::string const& text);
    edited_file(edited_file const&) = delete;
    edited_file& operator=(edited_file const&) = delete;
    ~edited_file();

    // Runs $VISUAL, $EDITOR or vi on the file, waits for its end, and returns the text. Throws std::runtime_error if
    // the editor fails.
    std::string edit() const;

    void keep() { kept_ = true; }
    std::string const& path() const { return path_; }

private:
    std::string folder_;
    std::string path_;
    bool kept_ = false;
};

} // namespace baton::cli
