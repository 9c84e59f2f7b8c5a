/// The keys of an app that its devices are told of.
package struct KeyFacts: Sendable {
    package let root: AppKey
    /// Those in use.
    package let signing: [AppKey]
    /// Signing keys that were, the last one first.
    package let retired: [AppKey]
    /// The first one first.
    package let rootChanges: [RootChange]

    package init(root: AppKey, signing: [AppKey], retired: [AppKey], rootChanges: [RootChange]) {
        self.root = root
        self.signing = signing
        self.retired = retired
        self.rootChanges = rootChanges
    }
}
