/// How much time goes into making a delta patch small; the raw value is the number of its recipe.
package enum DeltaEffort: Int, Sendable, CaseIterable {
    /// At once, while a release is being made.
    case fast = 1
    /// Later, when there is time.
    case small = 2
}
