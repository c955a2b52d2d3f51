#include "cli/payload_option.hpp"

#include "libs/base/error.hpp"
#include "libs/protocol/document.hpp"

#include <CLI/CLI.hpp>

namespace baton::cli {

nlohmann::json payload_option(std::string const& text)
{
    try {
        return protocol::parse_payload(text);
    } catch (invalid_input const& wrong) {
        throw CLI::ValidationError("--payload", wrong.what());
    }
}

} // namespace baton::cli
