import Foundation

/// What this machine lets a test do.
enum Probe {
    static let isRoot = geteuid() == 0

    /// Whether `strace` is there and may attach to a process of ours.
    static let canTrace: Bool = {
        let folder = NSTemporaryDirectory()
        guard let sleeper = try? Program(["sleep", "60"], outputIn: folder),
            let tracer = try? Program(["strace", "-o", "/dev/null", "-p", "\(sleeper.pid)"], outputIn: folder)
        else { return false }
        // strace ends if it may not attach; a deadline that a busy machine reaches would skip tests without a word.
        let isAttached = try? Waiting.forValue("strace") { () -> Bool? in
            if tracer.poll() != nil { return false }
            return isTraced(sleeper.pid) ? true : nil
        }
        return isAttached ?? false
    }()

    /// Whether file systems may be mounted out of everybody's sight.
    static let canMount: Bool = {
        guard isRoot, let program = try? Program(["unshare", "-m", "true"], outputIn: NSTemporaryDirectory()) else {
            return false
        }
        return (try? program.wait()) == .exited(0)
    }()

    /// Whether all threads of a process have a tracer.
    static func isTraced(_ pid: pid_t) -> Bool {
        !threads(of: pid).isEmpty && untracedThreads(of: pid).isEmpty
    }

    /// The threads of a process that have no tracer.
    static func untracedThreads(of pid: pid_t) -> [String] {
        threads(of: pid).filter { thread in
            let status = (try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/status", encoding: .utf8)) ?? ""
            return status.contains("TracerPid:\t0\n")
        }
    }

    private static func threads(of pid: pid_t) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    }
}
