import Domain

extension DeltaEffort {
    /// The zstd levels to try for a frame of one file.
    var fileLevels: [Int32] {
        switch self {
        case .fast: [9]
        case .small: [9, 12, 19]
        }
    }

    /// The zstd level of the common frame.
    var commonLevel: Int32 {
        switch self {
        case .fast: 9
        case .small: 19
        }
    }
}
