#include "locks/redis/shared_scripts.hpp"

namespace baton::lock {

namespace {

// For take and extend: the keys expire with the last holder.
constexpr char const* shared_common_text = R"(
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function keep(owner, ttl)
    redis.call('zadd', KEYS[1], now + ttl, owner)
    for key = 1, 2 do
        if redis.call('pttl', KEYS[key]) < tonumber(ttl) then
            redis.call('pexpire', KEYS[key], ttl)
        end
    end
end
)";

constexpr char const* shared_take_text = R"(
local over = redis.call('zrangebyscore', KEYS[1], '-inf', now)
for _, owner in ipairs(over) do
    redis.call('zrem', KEYS[1], owner)
    redis.call('hdel', KEYS[2], owner)
end
local own = redis.call('hget', KEYS[2], ARGV[1])
if own then
    keep(ARGV[1], ARGV[2])
    return {1, tonumber(string.match(own, '/(%d+)$')), 0}
end
local weight, capacity = tonumber(ARGV[3]), tonumber(ARGV[4])
local taken, by_one = 0, false
for _, each in ipairs(redis.call('hvals', KEYS[2])) do
    local part, whole = string.match(each, '^(%d+)of(%d+)/')
    if tonumber(whole) ~= capacity then
        return {2, tonumber(whole), 0}
    end
    taken = taken + part
    by_one = by_one or part == whole
end
local room = redis.call('pttl', KEYS[4])
local takes_all = weight == capacity and capacity > 1
if taken + weight > capacity or (room > 0 and not takes_all) then
    if takes_all and not by_one and tonumber(ARGV[5]) > 0 then
        redis.call('set', KEYS[4], 1, 'PX', ARGV[5])
    end
    local first = redis.call('zrange', KEYS[1], 0, 0, 'withscores')
    local left = first[2] and first[2] - now or room
    if room > 0 and not takes_all then
        left = math.min(left, room)
    end
    return {0, left, 0}
end
local token = redis.call('incr', KEYS[3])
redis.call('hset', KEYS[2], ARGV[1], weight .. 'of' .. ARGV[4] .. '/' .. token)
keep(ARGV[1], ARGV[2])
if takes_all then
    redis.call('del', KEYS[4])
end
return {1, token, #over > 0 and 1 or 0}
)";

constexpr char const* shared_extend_text = R"(
local until_then = redis.call('zscore', KEYS[1], ARGV[1])
if not until_then or tonumber(until_then) <= now then
    return 0
end
keep(ARGV[1], ARGV[2])
return 1
)";

constexpr char const* shared_release_text = R"(
redis.call('hdel', KEYS[2], ARGV[1])
if redis.call('zrem', KEYS[1], ARGV[1]) == 0 then
    return 0
end
redis.pcall('publish', ARGV[2], ARGV[1]) -- which a user may not be allowed
return 1
)";

} // namespace

redis_script const& shared_take_script()
{
    static redis_script const made((std::string(shared_common_text) + shared_take_text).c_str());
    return made;
}

redis_script const& shared_extend_script()
{
    static redis_script const made((std::string(shared_common_text) + shared_extend_text).c_str());
    return made;
}

redis_script const& shared_release_script()
{
    static redis_script const made(shared_release_text);
    return made;
}

redis_shared_keys::redis_shared_keys(char const* set, std::string const& name)
    : holders("baton:" + std::string(set) + ":" + redis_hash_tag(name)),
      shares(holders + ":share"),
      tokens(holders + ":token"),
      room(holders + ":room"),
      channel(holders + ":free")
{}

} // namespace baton::lock
