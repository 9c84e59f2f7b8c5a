package import Domain

/// Where the files go that a delta patch makes.
package protocol DeltaResult {
    /// A file of the base, byte for byte, under a path that may be its own.
    mutating func copy(_ file: TreeFile, to path: TreePath) throws(PlatformError)
    mutating func write(_ bytes: ArraySlice<UInt8>, to path: TreePath) throws(PlatformError)
}
