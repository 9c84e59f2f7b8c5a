import Ground

/// The descriptive details of a version, which are not part of its identity.
package struct VersionDetails: Sendable, Equatable {
    /// The release notes, which may change later.
    package internal(set) var notes: String?
    /// The commit that the version was built from, and its author; set at publishing.
    package let commit: String?
    package let author: String?

    /// The limit on the bytes of notes.
    package static let maximumNotesLength = 2_000
    /// The limit on the bytes of the commit's name.
    package static let maximumCommitLength = 128
    /// The limit on the bytes of the author's name.
    package static let maximumAuthorLength = 200

    package static let none = VersionDetails()

    private init() {
        notes = nil
        commit = nil
        author = nil
    }

    /// Validates the given texts; throws if one is empty, too long, or contains a control character.
    package init(notes: String? = nil, commit: String? = nil, author: String? = nil) throws(Fault) {
        if let notes, !Self.isFit(notes: notes) { throw .notes }
        if let commit, !PlainText.isFit(commit, upTo: Self.maximumCommitLength) { throw .commit }
        if let author, !PlainText.isFit(author, upTo: Self.maximumAuthorLength) { throw .author }
        self.notes = notes
        self.commit = commit
        self.author = author
    }

    /// Returns whether a text is valid as notes.
    package static func isFit(notes: String) -> Bool {
        PlainText.isFit(notes, upTo: maximumNotesLength, acrossLines: true)
    }

    /// The faulty text; raw values are the names of parameters and options.
    package enum Fault: String, Error {
        case notes, commit, author

        /// The requirement on the text, to follow "must be".
        package var expected: String {
            switch self {
            case .notes: "1 to \(maximumNotesLength) bytes long, without control characters except line feeds"
            case .commit: "1 to \(maximumCommitLength) bytes long, without control characters"
            case .author: "1 to \(maximumAuthorLength) bytes long, without control characters"
            }
        }
    }
}
