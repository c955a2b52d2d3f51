// Secrets of a configuration: given as text or by a file, which only its owner may read.

#include "cli/config/reader.hpp"
#include "libs/base/error.hpp"
#include "libs/base/private_file.hpp"

namespace baton::cli {

void reader::secret(std::string const& path, std::string& into)
{
    std::string file;
    secret(path, into, file);
}

void reader::secret(std::string const& path, std::string& into, std::string& named)
{
    attempt(path, [&] { take_secret(path, into, named); });
}

void reader::take_secret(std::string const& path, std::string& into, std::string& named)
{
    auto plain = find(path);
    auto file = find(path + "_file");
    if (plain && file) {
        bool const plain_written = plain->origin == path;
        bool const file_written = file->origin == path + "_file";
        if (plain_written == file_written)
            refuse(plain->origin, "give either this or " + file->origin + ", not both");
        (plain_written ? plain : file).reset(); // a variable overrides the document
    }
    if (plain) {
        into = text_of(*plain);
        if (into.empty())
            refuse(plain->origin, "must not be empty");
        require_private(path);
    }
    if (file) {
        named = std::filesystem::absolute(resolve(text_of(*file))).string();
        into = read_secret(named, file->origin);
    }
}

void reader::require_private(std::string const& path)
{
    if (file_.empty() || in_document(path) == nullptr || outside_(variable_of(path)))
        return;
    try {
        check_private_file(file_.string());
    } catch (not_private const& failure) {
        note(path, std::string("is a secret, and ") + failure.what());
    }
}

std::string reader::read_secret(std::string const& file, std::string const& origin) const
{
    try {
        return read_secret_file(file);
    } catch (unavailable const& failure) {
        refuse(origin, failure.what());
    } catch (not_private const& failure) {
        refuse(origin, failure.what());
    }
}

} // namespace baton::cli
