import Domain
import FoundationEssentials
import Ground
import TestKit
import Testing

@testable import Store

/// Tests the marks that keep servers from the ends of a move.
@Suite(.scratchDirectory, .databases)
struct MoveMarkTests {
    private var path: String { "\(ScratchDirectory.path)/target" }

    private func open(_ purpose: DataDirectory.Purpose) throws -> DataDirectory {
        try DataDirectory(path, at: Fixture.start, for: purpose)
    }

    private func message(of body: () throws -> Void) -> String? {
        let error = #expect(throws: PlatformError.self, performing: body)
        #expect(error?.code == .conflict)
        return error?.message
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a database with a mark is not served until the mark is removed`(_ kind: DatabaseKind) throws {
        let location = try kind.location()
        for (state, words) in [(MoveMark.State.unfinished, "is not complete"), (.moved, "was moved to there")] {
            let mark = MoveMark(state: state, epoch: "0123456789abcdef", other: "there")
            do {
                let database = try Database(location)
                try database.setMoveMark(mark)
                #expect(try database.moveMark() == mark)
            }
            #expect(message { _ = try SQLStore(opening: location) }?.contains(words) ?? false)
            try Database(location).removeMoveMark()
        }
        _ = try SQLStore(opening: location)
    }

    @Test func `a server refuses the mark before it migrates an empty database`() throws {
        let location = try DatabaseKind.postgresql.blankLocation()
        try Database(location).setMoveMark(MoveMark(state: .unfinished, epoch: "e", other: "there"))
        _ = message { _ = try SQLStore(opening: location) }
        let database = try Database(location)
        #expect(try database.values(database.dialect.tableNames) == ["larder_move"])
        try Migrator().migrate(database)
        try database.removeMoveMark()
    }

    @Test func `a directory takes a move if it is empty, and its continuation from the same installation only`() throws
    {
        do {
            let directory = try open(.moving)
            try directory.beginMove(of: "/from", epoch: "one")
        }
        for purpose in [DataDirectory.Purpose.serving, .servingWithExternalMetadata] {
            #expect(message { _ = try open(purpose) }?.contains("is not complete") ?? false)
        }
        #expect(throws: PlatformError.self) { _ = try open(.restoring) }
        let directory = try open(.moving)
        try directory.beginMove(of: "/elsewhere", epoch: "one")
        #expect(message { try directory.beginMove(of: "/other", epoch: "two") }?.contains("/from") ?? false)
        try directory.endMove()
    }

    @Test func `a directory with other content takes no move`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: "\(path)/notes.txt"))
        #expect(message { _ = try open(.moving) }?.contains("is not empty") ?? false)
    }

    @Test func `tables follow those that they refer to, and a circle of references is refused`() throws {
        func table(_ name: String) -> TableShape { TableShape(name: name, columns: []) }
        let ordered = try TableShape.ordered(
            [table("a"), table("b"), table("c")], references: [("a", "b"), ("b", "c"), ("c", "c")])
        #expect(ordered.map(\.name) == ["c", "b", "a"])
        #expect(throws: DatabaseError.self) {
            try TableShape.ordered([table("a"), table("b")], references: [("a", "b"), ("b", "a")])
        }
    }
}
