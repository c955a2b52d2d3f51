#pragma once

#include <csignal>
#include <sys/resource.h>

namespace baton::test {

// No file of this process grows beyond so many bytes, as on a disk that is full, until it is lifted.
class file_limit {
public:
    explicit file_limit(rlim_t bytes) : before_(std::signal(SIGXFSZ, SIG_IGN))
    {
        getrlimit(RLIMIT_FSIZE, &usual_);
        rlimit const small{bytes, usual_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~file_limit()
    {
        lift();
        std::signal(SIGXFSZ, before_);
    }
    file_limit(file_limit const&) = delete;
    file_limit& operator=(file_limit const&) = delete;

    void lift() { setrlimit(RLIMIT_FSIZE, &usual_); }

private:
    void (*before_)(int);
    rlimit usual_{};
};

} // namespace baton::test
