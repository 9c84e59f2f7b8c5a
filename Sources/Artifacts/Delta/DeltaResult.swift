package import Domain

/// The destination of the files that a delta patch creates.
package protocol DeltaResult {
    /// Copies a file of the base, whose path may stay the same.
    mutating func copy(_ file: TreeFile, to path: TreePath) throws(PlatformError)
    mutating func write(_ bytes: ArraySlice<UInt8>, to path: TreePath) throws(PlatformError)
}
