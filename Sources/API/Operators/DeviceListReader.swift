import Domain
import Synchronization

/// A reader that parses a device list, one id a line, as it arrives, and keeps only each id's key.
///
/// Pieces must arrive one after the other.
final class DeviceListReader: Sendable {
    /// The limit on the bytes of a list.
    static let bodyLimit = DeviceSet.maximumCount * (DeviceIdentity.maximumLength + 2)

    private struct State {
        var keys: [DeviceKey] = []
        var line: [UInt8] = []
        var number = 1
    }

    private let app: AppID
    private let cryptography: any Cryptography
    private let state = Mutex(State())

    init(app: AppID, cryptography: any Cryptography) {
        self.app = app
        self.cryptography = cryptography
    }

    /// Parses a piece; throws `invalidRequest` for a line that is not a device id.
    func read(_ piece: [UInt8]) throws(PlatformError) {
        try state.withLock { (state) throws(PlatformError) in
            var rest = piece[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                state.line += rest[..<end]
                rest = rest[(end + 1)...]
                try take(&state)
            }
            state.line += rest
            guard state.line.count <= DeviceIdentity.maximumLength + 1 else { throw Self.tooLong(state.number) }
        }
    }

    /// Ends the list and returns its devices.
    func finished() throws(PlatformError) -> DeviceSet {
        let keys = try state.withLock { (state) throws(PlatformError) in
            try take(&state)
            return state.keys
        }
        guard !keys.isEmpty else {
            throw PlatformError(.invalidRequest, "The list is empty. Send one device id a line as the body.")
        }
        return DeviceSet(keys)
    }

    private func take(_ state: inout State) throws(PlatformError) {
        defer {
            state.line = []
            state.number += 1
        }
        // Editors on Windows begin a file with a byte order mark.
        if state.number == 1, state.line.starts(with: [0xEF, 0xBB, 0xBF]) { state.line.removeFirst(3) }
        let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
        guard let first = state.line.firstIndex(where: { !blanks.contains($0) }),
            let last = state.line.lastIndex(where: { !blanks.contains($0) })
        else { return }
        guard let id = String(validating: state.line[first...last], as: UTF8.self) else {
            throw PlatformError(.invalidRequest, "Line \(state.number) is not UTF-8. Send one device id a line.")
        }
        guard let identity = DeviceIdentity(of: id, in: app, by: cryptography) else { throw Self.tooLong(state.number) }
        guard state.keys.count < DeviceSet.maximumCount else {
            throw PlatformError(
                .bodyTooLarge,
                "The list has more than \(DeviceSet.maximumCount) devices. Use a percentage or a rule instead.")
        }
        state.keys.append(identity.key)
    }

    private static func tooLong(_ line: Int) -> PlatformError {
        PlatformError(
            .invalidRequest,
            "Line \(line) has more than \(DeviceIdentity.maximumLength) bytes. Send one device id a line, as text.")
    }
}
