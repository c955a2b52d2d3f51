#include "locks/redis/scripts.hpp"

#include <openssl/evp.h>

#include <stdexcept>

namespace baton::lock {

namespace {

// A free lock costs two commands, since each costs as much as the script itself. If the token cannot be incremented,
// the lock is not taken.
constexpr char const* take_text = R"(
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
    local token = redis.pcall('incr', KEYS[2])
    if type(token) == 'number' then
        return {1, token}
    end
    redis.call('del', KEYS[1])
    return token
end
if redis.call('get', KEYS[1]) ~= ARGV[1] then
    return {0, redis.call('pttl', KEYS[1])}
end
redis.call('pexpire', KEYS[1], ARGV[2])
return {1, tonumber(redis.call('get', KEYS[2]) or 0)}
)";

constexpr char const* extend_text = R"(
if redis.call('get', KEYS[1]) ~= ARGV[1] then
    return 0
end
return redis.call('pexpire', KEYS[1], ARGV[2])
)";

constexpr char const* release_text = R"(
if redis.call('get', KEYS[1]) ~= ARGV[1] then
    return 0
end
redis.call('del', KEYS[1])
local count = redis.pcall('pubsub', 'numsub', ARGV[2]) -- a user may be allowed neither
redis.pcall('publish', ARGV[2], count[2] or 0)
return 1
)";

std::string sha1_of(std::string const& text)
{
    unsigned char raw[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), raw, &size, EVP_sha1(), nullptr) != 1)
        throw std::runtime_error("OpenSSL has no SHA-1, by which Redis identifies its scripts");
    static constexpr char digits[] = "0123456789abcdef";
    std::string hex;
    for (unsigned i = 0; i < size; ++i) {
        hex += digits[raw[i] >> 4];
        hex += digits[raw[i] & 15];
    }
    return hex;
}

} // namespace

redis_script::redis_script(char const* as) : text(as), digest(sha1_of(text)) {}

redis_script const& take_script()
{
    static redis_script const made(take_text);
    return made;
}

redis_script const& extend_script()
{
    static redis_script const made(extend_text);
    return made;
}

redis_script const& release_script()
{
    static redis_script const made(release_text);
    return made;
}

// The text between the braces determines the slot: it must neither be empty nor contain a '}'.
std::string redis_hash_tag(std::string const& name)
{
    std::string tag = "{";
    for (char const c : name) {
        if (c == '%')
            tag += "%25";
        else if (c == '}')
            tag += "%7d";
        else
            tag += c;
    }
    return tag + "}";
}

redis_keys::redis_keys(std::string const& name)
    : lock("baton:lock:" + redis_hash_tag(name)), tokens(lock + ":token"), channel(lock + ":free")
{}

} // namespace baton::lock
