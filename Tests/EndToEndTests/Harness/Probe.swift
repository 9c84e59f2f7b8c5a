import Foundation

/// The capabilities of the test machine.
enum Probe {
    static let isRoot = geteuid() == 0

    /// Whether `strace` is installed and may attach to a child process.
    static let canTrace: Bool = {
        let folder = NSTemporaryDirectory()
        guard let sleeper = try? Program(["sleep", "60"], outputIn: folder),
            let tracer = try? Program(["strace", "-o", "/dev/null", "-p", "\(sleeper.pid)"], outputIn: folder)
        else { return false }
        // strace ends if it may not attach; a deadline would silently skip tests on a busy machine.
        let isAttached = try? Waiting.forValue("strace") { () -> Bool? in
            if tracer.poll() != nil { return false }
            return isTraced(sleeper.pid) ? true : nil
        }
        return isAttached ?? false
    }()

    /// Whether file systems may be mounted in a private namespace.
    static let canMount: Bool = {
        guard isRoot, let program = try? Program(["unshare", "-m", "true"], outputIn: NSTemporaryDirectory()) else {
            return false
        }
        return (try? program.wait()) == .exited(0)
    }()

    /// Whether all threads of a process are traced.
    static func isTraced(_ pid: pid_t) -> Bool {
        !threads(of: pid).isEmpty && untracedThreads(of: pid).isEmpty
    }

    /// Returns the untraced threads of a process.
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
