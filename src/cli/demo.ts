import { defineCommand } from 'citty'
import { pino } from 'pino'
import type { Config } from '../config.ts'
import { type DemoMade, DemoRefused, demoPassword, fillDemo } from '../demo/index.ts'
import { systemClock } from '../infra/clock/index.ts'
import { configured, fail } from './configured.ts'
import { showProgress } from './progress.ts'
import { serveAlone } from './server/serve-alone.ts'

/** What was made, and how one signs in. */
function summaryOf({ people, groups, projects, rootPassword }: DemoMade): string {
  const width = Math.max(...people.map(({ username }) => username.length))
  const lines = [
    '',
    `  The demo is made: ${people.length} people, ${groups} groups and ${projects} projects with four months of work.`,
    `  Sign in with the password ${demoPassword} as`,
    '',
    ...people.map(({ username, name, job }) => `    ${username.padEnd(width)}  ${name}, ${job}`),
    '',
    rootPassword === undefined ? '  or as root.' : `  or as root, with the password ${rootPassword}`,
  ]
  return `${lines.join('\n')}\n`
}

/** Fills a server, and shows how far it is. @returns where it has to listen */
async function fill(config: Config, seed: number, { memory, quiet }: { memory: boolean; quiet: boolean }) {
  const shown = showProgress(process.stderr, { quiet })
  const made = await fillDemo({
    ...{ config, seed, start: systemClock.now(), durable: !memory },
    // Its own requests are of no use to operators.
    log: pino({ level: config.logLevel === 'debug' ? 'debug' : 'error' }),
    progress: {
      begin: (steps) => shown.step('Making the demo', steps),
      advance: (next) => shown.advance(1, next),
    },
  })
  shown.end()
  if (!quiet) process.stdout.write(summaryOf(made))
  return made.listen
}

const largestSeed = 2 ** 32 - 1

/** `fennec demo` */
export const demo = defineCommand({
  meta: { name: 'demo', description: 'Fill a server that has no users with a world to look at, and start it' },
  args: {
    memory: { type: 'boolean', description: 'Delete all data when the server stops', default: false },
    'fill-only': { type: 'boolean', description: 'End when the server is filled', default: false },
    quiet: { type: 'boolean', description: 'Show no progress and no summary', default: false },
    seed: { type: 'string', description: 'A whole number; the same one makes the same world', default: '1' },
  },
  async run({ args }) {
    const { memory, quiet } = args
    const seed = /^\d{1,10}$/.test(args.seed) ? Number(args.seed) : -1
    if (seed < 0 || seed > largestSeed) fail(`--seed must be a whole number up to ${largestSeed}, not '${args.seed}'`)
    if (memory && args['fill-only']) fail('--fill-only and --memory together would keep nothing')
    const config = configured()
    const before = (place: Config) => fill(place, seed, { memory, quiet })
    const work = args['fill-only'] ? before(config) : serveAlone(config, { memory, before })
    await work.catch((error) => {
      if (error instanceof DemoRefused) fail(error.message)
      throw error
    })
  },
})
