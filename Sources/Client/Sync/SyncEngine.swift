package import Domain
import Files
import Glibc
import Ground
package import Transport

/// A sync engine that keeps a folder of packages up to date with a server, like an app on one device.
///
/// Every call blocks its thread. The process may end at any moment; each package's copy stays complete. Holds the
/// folder's lock for its lifetime.
package final class SyncEngine {
    let options: SyncOptions
    let folder: SyncFolder
    let client: HTTPClient
    let cryptography: any Cryptography
    let clock: any ClientClock
    private let lock: FolderLock
    let progress: (PackageID, Int, Int) -> Void

    var state: SyncState
    var serverClock: ServerClock
    /// The keys that the last pass verified.
    var keys: (trusted: TrustedKeys, trust: SyncResult.Trust)?
    /// The stored `/config`.
    var config: ConfigBody?
    /// The seconds after which the server wants to be polled again.
    var pollAfter: Int64 = 300

    /// Locks the folder and removes the remains of a crash.
    ///
    /// Throws `locked`, `storage`, and `damagedState` for a state file that cannot be read.
    ///
    /// - Parameter progress: Called with the package, the downloaded bytes and all bytes of a file.
    package init(
        _ options: SyncOptions, client: HTTPClient, cryptography: any Cryptography,
        clock: any ClientClock = SystemClientClock(),
        progress: @escaping (PackageID, Int, Int) -> Void = { _, _, _ in }
    ) throws(SyncError) {
        self.options = options
        self.client = client
        self.cryptography = cryptography
        self.clock = clock
        self.progress = progress
        folder = SyncFolder(path: options.directory)
        serverClock = ServerClock(clock)
        lock = try Self.take(folder, at: clock.wall())
        state = try Self.loadState(folder, cryptography)
        state.move(to: options.base.description)
    }

    private static func take(_ folder: SyncFolder, at now: Timestamp) throws(SyncError) -> FolderLock {
        do throws(SystemError) { try folder.make() } catch { throw .storage(error) }
        do throws(FolderLock.Refusal) {
            return try FolderLock(folder.lock, holder: "process \(getpid()), since \(now)")
        } catch {
            switch error {
            case .held(let holder): throw .locked(by: holder)
            case .storage(let failure): throw .storage(failure)
            }
        }
    }

    private static func loadState(
        _ folder: SyncFolder, _ cryptography: any Cryptography
    ) throws(SyncError) -> SyncState {
        do throws(SystemError) {
            try folder.sweep()
            guard let bytes = try Disk.read(folder.state, limit: SyncState.maximumSize) else {
                return SyncState(deviceID: Hex.encode(cryptography.randomBytes(16)))
            }
            if let state = SyncState(bytes) { return state }
        } catch { throw .storage(error) }
        throw .damagedState(path: folder.state)
    }

    func saveState() throws(SyncError) {
        do throws(SystemError) { try Disk.replace(folder.state, with: state.bytes) } catch { throw .storage(error) }
    }

    /// Runs one sync pass: keys, config, packages in order, reports.
    ///
    /// Throws if the pass could not begin; the failure of a single package is in its outcome.
    package func run() throws(SyncError) -> SyncResult {
        try pass(cursor: nil)
    }
}
