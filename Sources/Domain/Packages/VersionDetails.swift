/// What is told of a version beside its content, and is no part of its identity.
package struct VersionDetails: Sendable, Equatable {
    /// What is new, for people; may be changed later.
    package internal(set) var notes: String?
    /// What it was built from; set when it is published.
    package let commit: String?
    package let author: String?

    /// Bytes of notes.
    package static let maximumNotesLength = 2_000
    /// Bytes of the commit's name.
    package static let maximumCommitLength = 128
    /// Bytes of the author's name.
    package static let maximumAuthorLength = 200

    package static let none = VersionDetails()

    private init() {
        notes = nil
        commit = nil
        author = nil
    }

    /// Takes what is given; throws where a text is empty, too long, or holds a control character.
    package init(notes: String? = nil, commit: String? = nil, author: String? = nil) throws(Fault) {
        if let notes, !Self.isFit(notes: notes) { throw .notes }
        if let commit, !PlainText.isFit(commit, upTo: Self.maximumCommitLength) { throw .commit }
        if let author, !PlainText.isFit(author, upTo: Self.maximumAuthorLength) { throw .author }
        self.notes = notes
        self.commit = commit
        self.author = author
    }

    /// Whether a text may be a version's notes.
    package static func isFit(notes: String) -> Bool {
        PlainText.isFit(notes, upTo: maximumNotesLength, acrossLines: true)
    }

    /// Which text is not taken; raw values are the names of parameters and options.
    package enum Fault: String, Error {
        case notes, commit, author

        /// What the text has to be, to follow "must be".
        package var expected: String {
            switch self {
            case .notes: "1 to \(maximumNotesLength) bytes long, without control characters but line feeds"
            case .commit: "1 to \(maximumCommitLength) bytes long, without control characters"
            case .author: "1 to \(maximumAuthorLength) bytes long, without control characters"
            }
        }
    }
}
