#include "libs/base/digest.hpp"

#include "libs/base/hex.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <stdexcept>

namespace baton {

namespace {

void require(bool done)
{
    if (!done)
        throw std::runtime_error("OpenSSL cannot compute an HMAC");
}

unsigned char const* bytes(std::string_view text)
{
    return reinterpret_cast<unsigned char const*>(text.data());
}

template <auto Free>
struct freed {
    template <class Pointer>
    void operator()(Pointer* what) const
    {
        Free(what);
    }
};

} // namespace

struct hmac_key::context {
    std::unique_ptr<EVP_MAC, freed<EVP_MAC_free>> method;
    std::unique_ptr<EVP_MAC_CTX, freed<EVP_MAC_CTX_free>> state;
};

hmac_key::hmac_key(std::string_view key) : context_(std::make_unique<context>())
{
    context_->method.reset(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
    require(context_->method != nullptr);
    context_->state.reset(EVP_MAC_CTX_new(context_->method.get()));
    require(context_->state != nullptr);
    std::string digest = "SHA256";
    std::array const settings{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
                              OSSL_PARAM_construct_end()};
    require(EVP_MAC_init(context_->state.get(), bytes(key), key.size(), settings.data()) == 1);
}

hmac_key::~hmac_key() = default;

std::string hmac_key::hex(std::string_view message) const
{
    auto* state = context_->state.get();
    std::array<unsigned char, EVP_MAX_MD_SIZE> code{};
    std::size_t size = 0;
    require(EVP_MAC_init(state, nullptr, 0, nullptr) == 1 && // begins anew with the same key
            EVP_MAC_update(state, bytes(message), message.size()) == 1 &&
            EVP_MAC_final(state, code.data(), &size, code.size()) == 1);
    return hex_digits({code.data(), size});
}

std::string hmac_sha256_hex(std::string_view key, std::string_view message)
{
    return hmac_key(key).hex(message);
}

} // namespace baton
