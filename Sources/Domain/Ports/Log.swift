/// Where the edges of the program say what happened, for the operator.
package protocol Log: Sendable {
    /// One line: an event and its fields, none of them a secret. Must not block for long; may drop lines under load.
    func write(_ event: String, _ fields: KeyValuePairs<String, String>)
}
