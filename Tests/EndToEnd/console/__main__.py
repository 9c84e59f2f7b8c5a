"""Operates the console in Chromium like a person: python3 Tests/EndToEnd/console SCENARIO PROGRAM FOLDER

Starts PROGRAM with its data in FOLDER, acts by labels and buttons, and checks the result on the page and by the API. Fails if the page
logs an error, asks another host, throws, or if axe finds a violation.
"""
import sys

import content
import entry
import pages
import releases
import wizard
from kit import CHROMIUM, PATIENCE, Person, Server, expect, sync_playwright

SCENARIOS = {
    name: scenario for module in (entry, releases, wizard, content, pages) for name, scenario in vars(module).items()
    if callable(scenario) and getattr(scenario, "__module__", "") == module.__name__ and not name.startswith("_")
}


def main():
    name, program, folder = sys.argv[1:4]
    expect.set_options(timeout=PATIENCE)
    server = Server(program, folder)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            SCENARIOS[name](server, lambda **options: Person(browser, server, **options))
            browser.close()
    finally:
        server.stop()


if __name__ == "__main__":
    main()
