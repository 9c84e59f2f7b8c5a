import TestKit
import Testing

/// The program as it is shipped, run from outside.
///
/// One test at a time: each starts several programs, and what is waited for must not starve.
@Suite(.serialized, .scratchDirectory, .ownThread)
struct EndToEnd {}
