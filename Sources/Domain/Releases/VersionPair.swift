/// What a patch leads from and to.
package struct VersionPair: Hashable, Comparable, Sendable {
    package let base: VersionString
    package let target: VersionString

    package init(base: VersionString, target: VersionString) {
        self.base = base
        self.target = target
    }

    /// By text, so that archives are numbered alike every time.
    package static func < (left: VersionPair, right: VersionPair) -> Bool {
        (left.target.text, left.base.text) < (right.target.text, right.base.text)
    }
}
