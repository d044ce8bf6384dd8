import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Failure } from './failed.ts'
import { openLedger } from './ledger.ts'
import { numbersFrom } from './numbers.ts'
import type { CampaignOptions } from './part.ts'
import { checkProblems, type Installation, startVictim, type Victim } from './process.ts'
import { compare, type Load, type Piece, pieces, prepareLoad, work } from './workload/index.ts'

/** A server with clients that work in all domains, on which faults are played. */
export type Stage = {
  installation: Installation
  load: Load
  problems: string[]
  random(): number
  /** The server that runs now. */
  server(): Victim
  /** Starts the server. The first time also makes what the clients need. */
  start(): Promise<void>
  /** Clients work until the fault is over. What fails meanwhile is a problem, unless it belongs to the fault. */
  during(round: string, fault: () => Promise<void>, tolerates: (failure: Failure) => boolean): Promise<void>
  /** Clients work without a fault until some changes are acknowledged; whatever fails is a problem. */
  calmly(round: string, changes: number): Promise<void>
  /** Reads again what was touched since the last comparison. */
  compare(): Promise<void>
  /** How many changes were acknowledged so far. */
  acknowledged(): number
  /** Reads everything again, stops the server, and checks the installation. */
  end(): Promise<void>
}

type StageOptions = CampaignOptions & {
  /** Where the server keeps its data; default: below the folder. */
  data?: string
  settings?: Installation['settings']
  among?: readonly Piece[]
}

/** The longest that clients may take without a fault, in milliseconds. */
const calmMs = 60_000

/** Waits until something holds. @returns whether it does in time */
export async function holdsIn(timeoutMs: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + timeoutMs; performance.now() < end; await sleep(20))
    if (await holds()) return true
  return false
}

/** The status of the readiness probe; 0 when nothing answers. */
export async function readinessOf({ url }: Victim): Promise<number> {
  const request = fetch(`${url}/-/readiness`, { signal: AbortSignal.timeout(5_000) })
  return request.then(({ status }) => status).catch(() => 0)
}

export function openStage(options: StageOptions): Stage {
  const { folder, databaseUrl, seed, data = join(folder, 'data'), settings, among = pieces } = options
  const installation = { data, databaseUrl, token: 'a-token-for-the-campaign', ...(settings && { settings }) }
  const problems: string[] = []
  const random = numbersFrom(seed)
  let running: Victim | undefined
  const server = () => {
    if (!running) throw new Error('the server has not been started')
    return running
  }
  const state = { work: join(folder, 'work'), token: installation.token, random, problems, ledger: openLedger() }
  const load: Load = { ...state, url: () => server().url, isOver: () => false }

  /** Works beside something. */
  async function beside(round: string, task: () => Promise<void>, tolerates?: Load['tolerates']): Promise<void> {
    let isOver = false
    const working = work({ ...load, isOver: () => isOver, ...(tolerates && { tolerates }) }, round, among)
    try {
      await Promise.race([task(), working])
    } finally {
      isOver = true
      await working
    }
  }

  return {
    ...{ installation, load, problems, random, server },
    async start() {
      const isFirst = running === undefined
      running = await startVictim(installation)
      if (isFirst) await prepareLoad(load, among)
    },
    during: (round, fault, tolerates) => beside(`${round}f`, fault, tolerates),
    calmly(round, changes) {
      const enough = load.ledger.acknowledged() + changes
      return beside(`${round}c`, async () => {
        if (!(await holdsIn(calmMs, async () => load.ledger.acknowledged() >= enough))) {
          problems.push(`round ${round}: ${changes} changes took longer than a minute without a fault`)
        }
      })
    },
    compare: () => compare(load, load.ledger.touched()),
    acknowledged: () => load.ledger.acknowledged(),
    async end() {
      await compare(load, [...new Set([...load.ledger.names(), ...load.ledger.touched()])])
      await server().stop()
      problems.push(...(await checkProblems(installation)))
    },
  }
}

/** Plays a fault in each round, and tells of each. */
export async function playRounds(
  stage: Stage,
  { rounds, tell }: CampaignOptions,
  play: (round: number) => Promise<string>,
): Promise<string[]> {
  for (let round = 1; round <= rounds; round += 1) {
    const before = stage.acknowledged()
    const what = await play(round)
    await stage.compare()
    tell(
      `${round} of ${rounds}: ${what}, ${stage.acknowledged() - before} acknowledged, ${stage.problems.length} problems`,
    )
  }
  await stage.end()
  return stage.problems
}
