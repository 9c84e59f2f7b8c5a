/// The keys of an app that devices see.
package struct KeyFacts: Sendable {
    package let root: AppKey
    /// The signing keys in use.
    package let signing: [AppKey]
    /// The retired signing keys, most recently retired first.
    package let retired: [AppKey]
    /// The changes of the root key, oldest first.
    package let rootChanges: [RootChange]

    package init(root: AppKey, signing: [AppKey], retired: [AppKey], rootChanges: [RootChange]) {
        self.root = root
        self.signing = signing
        self.retired = retired
        self.rootChanges = rootChanges
    }
}
