import { defineConfig } from 'vitest/config'

/** What asks no database, or nothing of it that others do not: it runs once, with the suite on SQLite. */
const withoutDatabase = [
  'src/infra/{clock,git,markdown,net,objects,secrets,ssh,yaml}/**',
  'src/modules/git-transport/{body,starvation}.test.ts',
  'tests/{architecture,hostile-repositories,package}.test.ts',
]
const onPostgres = process.env.FENNEC_TEST_DATABASE === 'postgres'

/**
 * One suite for both engines: `FENNEC_TEST_DATABASE` (`sqlite`, the default, or `postgres`) says on which one it runs.
 * `tests/setup/postgres.ts` brings up a PostgreSQL cluster for the second.
 */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: onPostgres ? withoutDatabase : [],
    globalSetup: ['tests/setup/postgres.ts'],
    // Each file in a process of its own: a crash, a leaked handle or a changed working folder stays in its file.
    pool: 'forks',
    isolate: true,
    maxWorkers: 2,
    // Generous because a loaded machine is slow, not because a test may wait.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    expect: { poll: { timeout: 25_000 } },
    // Node's own loader: the tests run the very files that the server runs.
    experimental: { viteModuleRunner: false },
    env: { TZ: 'UTC' },
  },
})
