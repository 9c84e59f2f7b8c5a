import Domain

extension DeltaEffort {
    /// zstd's levels that are tried for a frame of one file.
    var fileLevels: [Int32] {
        switch self {
        case .fast: [9]
        case .small: [9, 12, 19]
        }
    }

    /// The level of the common frame.
    var commonLevel: Int32 {
        switch self {
        case .fast: 9
        case .small: 19
        }
    }
}
