import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLedger } from '../ledger.ts'
import { numbersFrom } from '../numbers.ts'
import type { CampaignOptions } from '../part.ts'
import { checkProblems, type Installation, killWhileStarting, startVictim, type Victim } from '../process.ts'
import { compare, type Load, prepareLoad, sampleOf, work } from '../workload/index.ts'

type KillOptions = CampaignOptions & {
  /** The most changes that a server acknowledges before it is killed. */
  changes: number
  /** The longest that it lives once the work has begun, in milliseconds. */
  life: number
}

/** The whole installation is compared with itself after this many deaths, and at the end. */
const checkEvery = 25
/** How often a server is killed in the midst of its start as well, and the longest that it lives then. */
const startDeaths = { share: 0.2, life: 600 }
/** How many older things are compared then. */
const sampled = 200

/** Waits until a number of changes is acknowledged, and a moment longer. */
async function liveOn({ ledger, random }: Load, { changes, life }: KillOptions): Promise<void> {
  const enough = ledger.acknowledged() + Math.ceil(random() * changes)
  const longerMs = random() * 50
  const end = performance.now() + life
  while (ledger.acknowledged() < enough && performance.now() < end) await sleep(5)
  await sleep(longerMs)
}

/** Kills the server in the midst of the work. @returns how many changes were acknowledged meanwhile */
async function killOnce(load: Load, server: Victim, options: KillOptions, round: number): Promise<number> {
  const before = load.ledger.acknowledged()
  let isKilled = false
  const working = work({ ...load, url: () => server.url, isOver: () => isKilled }, round)
  await Promise.race([liveOn(load, options), working])
  isKilled = true
  await server.kill()
  await working
  return load.ledger.acknowledged() - before
}

/** Starts a server for a comparison, and checks the installation after it. */
async function compareAll(load: Load, installation: Installation, names: readonly string[]): Promise<void> {
  const server = await startVictim(installation)
  await compare({ ...load, url: () => server.url }, names)
  await server.stop()
  load.problems.push(...(await checkProblems(installation)))
}

/**
 * Kills a server again and again, at random moments, in the midst of work in all domains, and compares after each restart what is there
 * with what was acknowledged.
 * @returns what is wrong, one sentence each
 */
export async function runCampaign(options: KillOptions): Promise<string[]> {
  const { rounds, folder, databaseUrl, seed, tell } = options
  const installation = { data: join(folder, 'data'), databaseUrl, token: 'a-token-for-the-campaign' }
  const problems: string[] = []
  const state = { work: join(folder, 'work'), token: installation.token, random: numbersFrom(seed), problems }
  const load: Load = { ...state, ledger: openLedger(), url: () => '', isOver: () => false }
  let server = await startVictim(installation)
  await prepareLoad({ ...load, url: () => server.url })
  for (let round = 1; round <= rounds; round += 1) {
    const acknowledged = await killOnce(load, server, options, round)
    if (round % checkEvery === 0) {
      await compareAll(load, installation, [...load.ledger.touched(), ...sampleOf(load, sampled)])
    }
    if (load.random() < startDeaths.share) await killWhileStarting(installation, load.random() * startDeaths.life)
    server = await startVictim(installation)
    await compare({ ...load, url: () => server.url }, load.ledger.touched())
    tell(
      `${round} of ${rounds}: ${acknowledged} acknowledged, ${load.ledger.acknowledged()} in all, ${problems.length} problems`,
    )
  }
  await server.stop()
  await compareAll(load, installation, load.ledger.names())
  return problems
}
