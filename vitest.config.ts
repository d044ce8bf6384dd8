import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tests/setup/longest-first.ts'
import { askedByOthers, withoutDatabase } from './tests/setup/once.ts'
import { quickFolder } from './tests/setup/quick-folder.ts'

// Every test file has a database and repositories of its own, which take a disk several times as long.
process.env.TMPDIR ??= quickFolder()
// The test processes, and the servers that they start, share one cache of compiled code.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('.cache/compiled', import.meta.url))

const engines = {
  sqlite: { globalSetup: ['tests/setup/sqlite.ts'] },
  postgres: { exclude: [...withoutDatabase, ...askedByOthers], globalSetup: ['tests/setup/postgres.ts'] },
}
const chosen = (process.env.FENNEC_TEST_DATABASE ?? 'sqlite').split(',')
if (!chosen.every((name) => name in engines)) throw new Error(`FENNEC_TEST_DATABASE names no engine: ${chosen.join()}`)

/**
 * One suite for both engines: `FENNEC_TEST_DATABASE` (`sqlite`, the default, or `postgres`, or both, divided by a comma) says on which
 * ones it runs. `tests/setup/postgres.ts` brings up a PostgreSQL cluster for the second. With `FENNEC_TEST_OBJECTS=s3` the test servers
 * store objects in S3 instead of files (`tests/setup/objects.ts`).
 */
export default defineConfig({
  test: {
    projects: Object.entries(engines)
      .filter(([name]) => chosen.includes(name))
      .map(([name, test]) => ({ extends: true, test: { name, env: { FENNEC_TEST_DATABASE: name }, ...test } })),
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['tests/setup/objects.ts'],
    // Processes that go on to the next file have loaded and compiled the server already; a process for each file takes twice
    // as long. So no file may leave anything behind in its own: a working folder, a variable, a handle.
    pool: 'forks',
    // Pages are JSX, which Node's own loader does not know.
    execArgv: ['--import', './scripts/tsx.mjs', '--import', './tests/setup/remembered-scrypt.ts'],
    isolate: false,
    // Two cores are busy with three: a fifth of the time is spent waiting, for clients, delays and processes.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Generous because a loaded machine is slow, not because a test may wait.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    expect: { poll: { timeout: 60_000 } },
    // Node's own loader: the tests run the very files that the server runs.
    experimental: { viteModuleRunner: false },
    env: { TZ: 'UTC' },
  },
})
