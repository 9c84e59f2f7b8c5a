/// The log for the operator, written by the edges of the program.
package protocol Log: Sendable {
    /// Writes a line with an event and its fields, which must not contain secrets.
    ///
    /// Must not block for long; may drop lines under load.
    func write(_ event: String, _ fields: KeyValuePairs<String, String>)
}
