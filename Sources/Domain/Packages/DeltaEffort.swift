/// The processor time for making a delta patch small; the raw value is the number of its recipe.
package enum DeltaEffort: Int, Sendable, CaseIterable {
    /// A quick patch, made during a release.
    case fast = 1
    /// A small patch, made later in the background.
    case small = 2
}
