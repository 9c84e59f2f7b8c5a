/// The base and the target of a patch.
package struct VersionPair: Hashable, Comparable, Sendable {
    package let base: VersionString
    package let target: VersionString

    package init(base: VersionString, target: VersionString) {
        self.base = base
        self.target = target
    }

    /// Orders pairs by text, so that archives are numbered reproducibly.
    package static func < (left: VersionPair, right: VersionPair) -> Bool {
        (left.target.text, left.base.text) < (right.target.text, right.base.text)
    }
}
