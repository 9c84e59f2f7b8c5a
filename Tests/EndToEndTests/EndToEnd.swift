import TestKit
import Testing

/// Tests of the program from outside.
///
/// Tests run in parallel: each has its own servers, on ports that the system chooses, and its own folder.
@Suite(.scratchDirectory, .ownThread)
struct EndToEnd {
    /// Tests with a deadline of seconds or a measurement of processor time.
    ///
    /// `make test` runs them one at a time, after all others.
    @Suite(.serialized)
    struct Alone {}
}
