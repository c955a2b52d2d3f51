#pragma once
// Random numbers: replayable ones for decisions and simulation, secret ones for credentials.

#include <cstdint>
#include <mutex>
#include <string>

namespace baton {

// The only source of random numbers for decisions (seam 1). Not for secrets: use secret_hex(). Not thread-safe unless
// the implementation says so.
class random_source {
public:
    virtual ~random_source() = default;

    virtual std::uint64_t next() = 0;

    // Uniform in [0, bound); 0 for a bound of 0. The standard distributions are not used, because they may differ
    // between library versions and a seed must replay everywhere.
    std::uint64_t below(std::uint64_t bound);

    double fraction(); // uniform in [0, 1)
};

// Deterministic: the same seed gives the same numbers everywhere (SplitMix64; Steele, Lea and Flood 2014).
class seeded_random final : public random_source {
public:
    explicit seeded_random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() override;

private:
    std::uint64_t state_;
};

// Thread-safe. The numbers that each thread gets depend on timing, so a seed does not replay a run.
class shared_random final : public random_source {
public:
    explicit shared_random(std::uint64_t seed) : generator_(seed) {}
    std::uint64_t next() override;

private:
    std::mutex mutex_;
    seeded_random generator_;
};

// A seed from the operating system. For the composition of a real process only.
std::uint64_t entropy();

// `bytes` random bytes of OpenSSL's cryptographic generator as hexadecimal digits. Throws std::runtime_error if the
// system has no entropy.
std::string secret_hex(std::size_t bytes);

// Compares in constant time for texts of equal length, so that an attacker cannot guess a secret digit by digit.
bool same_secret(std::string const& a, std::string const& b);

} // namespace baton
