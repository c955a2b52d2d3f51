#pragma once
// Reads the fields of cron expressions, in the part of the language that both dialects have.

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace baton::schedule {

enum class field_role { second, minute, hour, day, month, weekday, year };

struct field_kind {
    field_role role;
    char const* name;
    unsigned lowest;
    unsigned highest;
    unsigned last;       // of `*`; `highest` can be a second number for the same value
    char const* example; // a field that is right
};

struct field_syntax {
    bool open_steps;  // n/step means from n to the field's end
    bool wraps;       // a range may run over the field's end
    bool short_steps; // a step without a range is at most the highest value; otherwise a longer one admits one value
    bool any_day;     // `?` is `*` in the day fields
};

// Numbers that a field admits: bit n is set if `lowest_of_set` + n is admitted.
using value_set = std::bitset<136>;

// The expression, which errors count columns in, and the seed of its hashed values.
struct cron_text {
    std::string_view whole;
    std::optional<std::uint32_t> seed;
};

// "field (column 3): why; write for example 'example'". `at` is a part of the expression. Throws
// invalid_input("schedule.cron").
[[noreturn]] void refuse_cron(cron_text const& text, char const* field, std::string_view at, std::string const& why,
                              std::string const& example);

// The words between blanks.
std::vector<std::string_view> split_words(std::string_view text);

class field_reader {
public:
    field_reader(cron_text const& text, field_kind const& kind, field_syntax syntax)
        : text_(text), kind_(kind), syntax_(syntax)
    {}

    value_set read(std::string_view field);

    // A number or a name. `item` is quoted if the word is empty.
    unsigned read_value(std::string_view item, std::string_view word) const;

    // A number from `least` to `most` behind a letter, such as the 3 in L-3.
    unsigned read_count(std::string_view item, std::string_view digits, unsigned least, unsigned most) const;

    [[noreturn]] void fail(std::string_view at, std::string const& why, std::string const& example = {}) const;

private:
    struct span {
        unsigned from;
        unsigned to; // may be past the highest value, if ranges wrap
    };

    void read_item(std::string_view field, std::string_view item);
    unsigned read_step(std::string_view item, std::string_view range, std::string_view digits) const;
    span read_span(std::string_view item, std::string_view range, bool stepped) const;
    span read_range(std::string_view range, std::string_view low, std::string_view high) const;
    span read_hash_range(std::string_view range) const;
    void read_hash(std::string_view range, std::optional<unsigned> step);
    void admit(span values, unsigned step);
    std::string expected() const;

    cron_text const& text_;
    field_kind const& kind_;
    field_syntax syntax_;
    value_set values_;
};

inline constexpr unsigned lowest_of_set(field_role role)
{
    return role == field_role::year ? 1970 : 0;
}

} // namespace baton::schedule
