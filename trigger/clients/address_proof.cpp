#include "trigger/clients/address_proof.hpp"

#include "libs/base/random.hpp"
#include "libs/http/client.hpp"
#include "libs/http/parse_as.hpp"
#include "libs/protocol/client_wire.hpp"
#include "libs/protocol/proof.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

// The answer is a stranger's, and the words go to logs and tables.
std::string printable(std::string text)
{
    constexpr std::size_t longest = 128;
    text.resize(std::min(text.size(), longest));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < 0x20 || c >= 0x7f; }, '?');
    return text;
}

} // namespace

awaitable<std::optional<std::string>> probe_address(client_line& line, call_target to, address_probe expected,
                                                    duration limit)
{
    auto text = nlohmann::json(protocol::probe_request{expected.nonce}).dump();
    try {
        auto const answer = co_await line.call(std::move(to), protocol::path_probe, std::move(text), limit);
        co_return proof_error(expected, answer);
    } catch (http::unreachable const& failure) {
        co_return failure.what();
    }
}

std::optional<std::string> proof_error(address_probe const& expected, http::response const& answer)
{
    if (answer.status != 200)
        return "no client of this protocol answers there (status " + std::to_string(answer.status) + ")";
    auto const got = http::parse_if<protocol::probe_answer>(answer.body);
    if (!got)
        return "its answer to the probe cannot be read";
    if (got->instance != expected.instance)
        return "another client answers there: '" + printable(got->instance) + "'";
    if (!same_secret(got->proof, protocol::proof_of(expected.secret, expected.instance, expected.nonce)))
        return "the client there does not know the secret of the registration";
    return std::nullopt;
}

} // namespace baton::trigger
