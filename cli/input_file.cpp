#include "cli/input_file.hpp"

#include "cli/config/reader.hpp"

#include <array>
#include <filesystem>
#include <fstream>

namespace baton::cli {

namespace {
constexpr std::size_t most_bytes = 64 * 1'024 * 1'024;
}

std::string read_input_file(std::string const& path)
{
    std::error_code unknown;
    std::ifstream in(path, std::ios::binary);
    if (!in || std::filesystem::is_directory(path, unknown))
        throw config_error(path + ": cannot be read");
    std::string text;
    std::array<char, 65'536> piece;
    while (in) {
        in.read(piece.data(), piece.size());
        text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > most_bytes)
            throw config_error(path + ": has more than 64 MiB; split it");
    }
    if (in.bad())
        throw config_error(path + ": cannot be read");
    return text;
}

} // namespace baton::cli
