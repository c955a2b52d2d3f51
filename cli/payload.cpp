#include "cli/payload.hpp"

#include "libs/base/error.hpp"
#include "libs/protocol/document.hpp"

#include <CLI/CLI.hpp>

namespace baton::cli {

nlohmann::json parse_payload(std::string const& text)
{
    try {
        return protocol::parse_document(text);
    } catch (invalid_input const& wrong) {
        throw CLI::ValidationError("--payload", wrong.what());
    }
}

} // namespace baton::cli
