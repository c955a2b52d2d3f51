#pragma once

#include <cstdint>
#include <mutex>
#include <string>

namespace baton {

// The only way to chance (seam 1). Not for secrets: those come from secret_hex().
class random_source {
public:
    virtual ~random_source() = default;

    virtual std::uint64_t next() = 0;

    // Uniform in [0, bound); 0 for a bound of 0. Written out by hand, since the standard distributions may differ
    // between library versions and a seed must replay everywhere.
    std::uint64_t below(std::uint64_t bound);

    double fraction(); // uniform in [0, 1)
};

// Deterministic: the same seed gives the same draws everywhere (SplitMix64, Steele, Lea and Flood 2014).
class seeded_random final : public random_source {
public:
    explicit seeded_random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() override;

private:
    std::uint64_t state_;
};

// For several threads. Its draws come in no order that a seed could replay.
class shared_random final : public random_source {
public:
    explicit shared_random(std::uint64_t seed) : inside_(seed) {}
    std::uint64_t next() override;

private:
    std::mutex mutex_;
    seeded_random inside_;
};

// A seed from the operating system, for the composition of a real process.
std::uint64_t entropy();

// `bytes` random bytes from the cryptographic generator of OpenSSL as hex: secrets, incarnations, idempotency keys.
std::string secret_hex(std::size_t bytes);

// Compares in a time that does not depend on where the two differ.
bool same_secret(std::string const& a, std::string const& b);

} // namespace baton
