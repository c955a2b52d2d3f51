#include "libs/base/random.hpp"

#include "libs/base/hash.hpp"
#include "libs/base/hex.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <random>
#include <stdexcept>
#include <vector>

namespace baton {

std::uint64_t random_source::below(std::uint64_t bound)
{
    if (bound == 0)
        return 0;
    // Rejection sampling: numbers below `limit` are uniform modulo `bound`; the few others are drawn again.
    std::uint64_t const limit = UINT64_MAX - UINT64_MAX % bound;
    for (;;)
        if (auto const drawn = next(); drawn < limit)
            return drawn % bound;
}

double random_source::fraction()
{
    return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

std::uint64_t seeded_random::next()
{
    return mix64(state_ += 0x9e3779b97f4a7c15ULL);
}

std::uint64_t shared_random::next()
{
    std::lock_guard const lock(mutex_);
    return generator_.next();
}

std::uint64_t entropy()
{
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

std::string secret_hex(std::size_t bytes)
{
    std::vector<unsigned char> raw(bytes);
    if (RAND_bytes(raw.data(), static_cast<int>(raw.size())) != 1)
        throw std::runtime_error("cannot get random bytes from the system");
    return hex_digits(raw);
}

bool same_secret(std::string const& a, std::string const& b)
{
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace baton
