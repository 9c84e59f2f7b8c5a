package import Domain
import Files
import Glibc

/// Keeps a folder of packages as a server offers them: an app's side of the platform, for one device.
///
/// Every call blocks its thread; the process may be ended at any moment, and leaves each package's copy whole. Holds
/// the folder's lock as long as it lives.
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
    /// Of the last pass that read them.
    var keys: (trusted: TrustedKeys, trust: SyncResult.Trust)?
    /// The `/config` that is held.
    var config: ConfigBody?
    /// Seconds after which the server wants to be asked again.
    var pollAfter: Int64 = 300

    /// Takes the folder, and clears what a crash left in it.
    ///
    /// Throws `locked`, `storage`, and `damagedState` for a state file that cannot be read.
    ///
    /// - Parameter progress: Told the package, the bytes of a download that are here, and those in all.
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

    /// One pass: keys, config, packages in order, reports.
    ///
    /// Throws where the pass could not begin; what goes wrong with one package is in its outcome.
    package func run() throws(SyncError) -> SyncResult {
        try pass(cursor: nil)
    }
}
