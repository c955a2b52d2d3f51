#pragma once
// The Redis protocol, RESP2. hiredis encodes and decodes it. No I/O.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::lock {

using redis_command = std::vector<std::string>; // words of any bytes

struct redis_reply {
    enum class kind { nothing, text, number, list, error };

    kind type = kind::nothing;
    std::string text; // also of an error
    std::int64_t number = 0;
    std::vector<redis_reply> list;

    bool is_error() const { return type == kind::error; }
};

std::string to_wire(redis_command const& words);

class redis_reader {
public:
    redis_reader();
    ~redis_reader();
    redis_reader(redis_reader const&) = delete;
    redis_reader& operator=(redis_reader const&) = delete;

    void feed(std::string_view bytes);
    // The next complete reply. Throws unavailable if the bytes are no reply; nothing more can be read then.
    std::optional<redis_reply> next();

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace baton::lock
