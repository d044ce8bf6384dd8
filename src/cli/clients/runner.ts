import { hostname, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { defineCommand } from 'citty'
import { rootTokenFile } from '../../config.ts'
import { systemClock } from '../../infra/clock/index.ts'
import {
  FolderInUse,
  features,
  inheritedEnvironment,
  NotRegistered,
  openBuilds,
  Refused,
  type Registered,
  type Registration,
  type Runner,
  RunnerClient,
  register,
  ServerUnreachable,
  startRunner,
} from '../../runner/index.ts'
import { configured, fail } from '../configured.ts'
import { programVersion } from '../version.ts'
import { rootTokenOf, urlOf } from './server-address.ts'

const mostJobs = 64
/** The server asks for a log once in a minute where no one reads it: a job that is canceled shall not wait so long. */
const longestIntervalMs = 10_000

function concurrencyOf(given: string): number {
  const count = /^\d{1,2}$/.test(given) ? Number(given) : 0
  if (count < 1 || count > mostJobs) fail(`--concurrency must be a whole number from 1 to ${mostJobs}`)
  return count
}

/** Registers, or ends the command with the reason. */
async function registered(client: RunnerClient, registration: Registration): Promise<Registered> {
  return register(client, registration).catch((error) => {
    if (error instanceof NotRegistered) fail(error.message)
    if (error instanceof ServerUnreachable) fail(`${error.message}: start it, or give --url`)
    throw error
  })
}

/** Signals that follow so soon are one: Ctrl-C may send several. */
const sameSignalMs = 1000

/** The first signal lets the running jobs end, the second one ends them. */
function stopBySignals({ finish, abort }: Runner): void {
  let firstAt: number | undefined
  const onSignal = () => {
    if (firstAt !== undefined) {
      if (Date.now() - firstAt >= sameSignalMs) abort()
      return
    }
    firstAt = Date.now()
    process.stdout.write('No more jobs are taken; the running ones go on to their end. Another signal ends them.\n')
    finish()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

const warning = (user: string) =>
  `WARNING: jobs run as the user ${user}, and may do what this user may: read its files, also the data of a server that runs as this\n` +
  'user. Run jobs only of people whom you trust; for the jobs of others use gitlab-runner with its docker executor.\n'

/** `fennec runner`. It does not load the server, and talks to it over HTTP only. */
export const runner = defineCommand({
  meta: { name: 'runner', description: 'Take jobs of pipelines and run them with the shell of this machine' },
  args: {
    url: { type: 'string', description: 'Address of the server; default: the configured one' },
    token: { type: 'string', description: 'Token of a runner that exists (glrt-…); default: a runner of its own' },
    concurrency: { type: 'string', description: 'How many jobs run at the same time', default: '1' },
    tags: { type: 'string', description: 'Tags of a new runner, separated by commas' },
    builds: { type: 'string', description: 'Folder for sources and caches; default: builds in the data folder' },
    once: { type: 'boolean', description: 'End when there is no job', default: false },
  },
  async run({ args }) {
    const config = configured()
    const client = new RunnerClient(urlOf(args.url, config))
    const concurrency = concurrencyOf(args.concurrency)
    const builds = resolve(args.builds ?? join(config.data, 'builds'))
    const file = join(config.data, 'runner.json')
    const found = await registered(client, {
      ...{ file, token: args.token, description: `fennec runner on ${hostname()}` },
      administratorToken: await rootTokenOf(config),
      administratorTokenFile: config.rootToken ? 'FENNEC_ROOT_TOKEN' : rootTokenFile(config),
      tags: (args.tags ?? '').split(',').flatMap((tag) => tag.trim() || []),
    })
    if (args.tags !== undefined && !found.isNew) {
      process.stdout.write(`--tags is for a new runner: change the tags of this one at ${client.url}/admin/runners\n`)
    }
    process.stdout.write(warning(userInfo().username))
    process.stdout.write(`Runner ${found.id} takes jobs of ${client.url}. Its builds are in ${builds}.\n`)
    const close = await openBuilds(builds).catch((error) => {
      if (error instanceof FolderInUse) fail(error.message)
      throw error
    })
    // What jobs create has the usual rights, in a folder that only this user may enter.
    process.umask(0o022)
    const running = startRunner({
      ...{ client, credentials: found, concurrency, builds, longestIntervalMs, once: args.once, clock: systemClock },
      info: {
        ...{ name: 'fennec-runner', version: programVersion(), executor: 'shell', features },
        ...{ platform: process.platform, architecture: process.arch },
      },
      environment: inheritedEnvironment(process.env),
      say: (line) => process.stdout.write(`${line}\n`),
    })
    stopBySignals(running)
    await running.ended.finally(close).catch((error) => {
      if (error instanceof Refused) fail(`${client.url} refuses the runner: ${error.message}`)
      fail(error.message)
    })
    // Connections to the server may be open.
    process.exit(0)
  },
})
