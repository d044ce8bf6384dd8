import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tests/setup/longest-first.ts'
import { quickFolder } from './tests/setup/quick-folder.ts'

/**
 * What asks no database, or nothing of it that others do not: it runs once, with the suite on SQLite. What is about contents of
 * repositories asks who may read or write them, by the queries of all operations on projects. Of the tests that kill the server,
 * `crash-campaign` runs on both.
 */
const withoutDatabase = [
  'src/infra/{clock,cron,git,mail,markdown,memory,net,objects,restarts,secrets,ssh,tar,threads,workers,yaml}/**',
  'src/console/{derived,forms,pages,parts}/**',
  'src/infra/database/sqlite/**',
  'src/infra/{durations,grouping,regex,streams,turns,wildcards}/**',
  'src/modules/access/policy.test.ts',
  'src/modules/alerts/integrations/validation.test.ts',
  'src/modules/alerts/payloads/*.test.ts',
  'src/modules/archives/*.test.ts',
  'src/modules/ci-config/{errors,plan}.test.ts',
  'src/modules/ci-config/rules/**',
  'src/modules/commits/{changelog,comparison,picking,reading,writing}/**',
  'src/modules/container-registry/{cleanup/selection,deletion/transitions}.test.ts',
  'src/modules/files/{reading,trees}/**',
  'src/modules/git-transport/{access,http,ssh}/**',
  'src/modules/hooks/{core/validation,delivery/rules}.test.ts',
  'src/modules/{issues,labels,runners}/core/validation.test.ts',
  'src/modules/keys/rules.test.ts',
  'src/modules/merge-requests/{mergeability/check,mergeability/status,merging/merging}.test.ts',
  'src/modules/tokens/validation.test.ts',
  'src/modules/mirrors/{pull,push}/run.test.ts',
  'src/modules/oauth/applications/rules.test.ts',
  'src/modules/pipelines/processing/*.test.ts',
  'src/modules/projects/refs/names.test.ts',
  'src/modules/releases/links/validation.test.ts',
  'src/modules/replication/protocol/credentials/token.test.ts',
  'src/modules/replication/serving/when-whole.test.ts',
  'src/modules/snippets/core/rules.test.ts',
  'src/modules/storage-moves/moves.test.ts',
  'src/modules/users/accounts/rules.test.ts',
  'src/modules/variables/{delivery/bounds,stored/validation}.test.ts',
  'src/modules/{snippets,wikis}/repository/git.test.ts',
  'src/modules/wikis/{attachments,pages}/**',
  'src/runner/**',
  'tests/browser/**',
  'tests/{architecture,away-objects,command-options,documents,due-work,editions,guides,hostile-backups,hostile-repositories,hostile-shapes,image-campaign,list-plans,merge-crash,move-campaign,openapi,package,postgres-faults,published,reading-hostile-contents,relation-export-crash,runner,schema,security-git,slow-reads,start-loads,starting,test-script,transfer-ends,transport-matrix}.test.ts',
]

// Every test file has a database and repositories of its own, which take a disk several times as long.
process.env.TMPDIR ??= quickFolder()
// The test processes, and the servers that they start, share one cache of compiled code.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('.cache/compiled', import.meta.url))

const engines = {
  sqlite: {},
  postgres: { exclude: withoutDatabase, globalSetup: ['tests/setup/postgres.ts'] },
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
    execArgv: ['--import', './scripts/tsx.mjs'],
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
