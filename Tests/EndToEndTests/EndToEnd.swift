import TestKit
import Testing

/// The program, run from outside.
///
/// Tests run side by side: each has its own servers, on ports that the system chooses, and its own folder.
@Suite(.scratchDirectory, .ownThread)
struct EndToEnd {
    /// Tests in which something has to happen within seconds, or that measure processor time.
    ///
    /// `make test` runs them one at a time, after all others.
    @Suite(.serialized)
    struct Alone {}
}
