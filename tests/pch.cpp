// CMake precompiles a header only for a target that has a source.
