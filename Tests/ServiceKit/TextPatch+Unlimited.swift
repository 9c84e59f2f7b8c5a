import Dialects

/// Returns a text patch, without a limit on the steps.
package func textPatch(from old: [UInt8], to new: [UInt8], limit: Int) -> String? {
    var steps = 0
    return TextPatch.make(from: old, to: new, limit: limit, steps: &steps)
}
