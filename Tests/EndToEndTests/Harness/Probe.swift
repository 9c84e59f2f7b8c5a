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
        let isAttached = try? Waiting.forValue("strace", upTo: .seconds(5)) { () -> Bool? in
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
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        let isTraced = tasks.map { task in
            let status = (try? String(contentsOfFile: "/proc/\(pid)/task/\(task)/status", encoding: .utf8)) ?? ""
            return !status.contains("TracerPid:\t0\n")
        }
        return !isTraced.isEmpty && isTraced.allSatisfy { $0 }
    }
}
