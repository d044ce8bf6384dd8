import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf } from '../../../src/testing/index.ts'
import { openLedger } from '../ledger.ts'
import { numbersFrom } from '../numbers.ts'
import type { CampaignOptions } from '../part.ts'
import { checkProblems, type Installation, startVictim, type Victim } from '../process.ts'
import { holdsIn } from '../stage.ts'
import { withDatabase } from '../tree/remains.ts'
import { commits, deletions, pushes } from '../workload/branches.ts'
import { compare, type Load, prepareLoad, work } from '../workload/index.ts'
import { merges } from '../workload/merges.ts'
import { eventProblems, headsAt } from './reading.ts'

type NodesOptions = CampaignOptions & {
  /** How many servers share the database. */
  nodes: number
  /** The longest that they live once the work of a round has begun, in milliseconds. */
  life: number
}

type Campaign = NodesOptions & {
  installation: Installation
  load: Load
  living: Victim[]
  counted: { kills: number; unavailable: number }
}

const pieces = [pushes, commits, deletions, merges]
/** How long git of a killed server may go on, in milliseconds. */
const orphansMs = 5_000
/** How long another server may take to settle the merge of a killed one: locks of its git are kept for 30 s, and git waits 10 s for one. */
const mergesMs = 60_000

const clientFor = ({ installation }: Campaign, { url }: Victim) => clientOf(url, installation.token)

/** Kills some of the servers, but not all, in the midst of the work. @returns how many */
async function killSome(campaign: Campaign, round: number): Promise<number> {
  const { load, living, life } = campaign
  const count = 1 + Math.floor(load.random() * (living.length - 1))
  let isOver = false
  const url = () => living[Math.floor(load.random() * living.length)]?.url ?? ''
  const working = work({ ...load, url, isOver: () => isOver }, round, pieces)
  await sleep(load.random() * life)
  const doomed = Array.from({ length: count }, () => living.splice(Math.floor(load.random() * living.length), 1)[0])
  await Promise.all(doomed.map((server) => server?.kill()))
  // The others work on beside what the dead ones have left.
  await sleep(load.random() * life * 0.5)
  isOver = true
  await working
  return count
}

/** Waits until the merges of the killed servers are merged or open again, and compares them with what was acknowledged. */
async function compareMerges({ installation, load }: Campaign): Promise<void> {
  const unfinished = () =>
    withDatabase(installation, (query) =>
      query('select iid, state, merging from merge_requests where merging is not null'),
    )
  if (!(await holdsIn(mergesMs, async () => (await unfinished()).length === 0))) {
    load.problems.push(`merges are not over ${mergesMs / 1000} s after a kill: ${JSON.stringify(await unfinished())}`)
  }
  await compare(
    load,
    load.ledger.touched().filter((name) => name.startsWith('merge:')),
  )
}

/** Compares what each living server shows with what was acknowledged, and the servers with each other. */
async function compareAll(campaign: Campaign): Promise<void> {
  const { load, living } = campaign
  const end = performance.now() + orphansMs
  for (;;) {
    const seen = await Promise.all(living.map((server) => headsAt(clientFor(campaign, server))))
    const first = seen[0] ?? new Map<string, string>()
    const names = [...new Set(seen.flatMap((heads) => [...heads.keys()]))]
    const differing = names.filter((name) => seen.some((heads) => heads.get(name) !== first.get(name)))
    // Between two answers, git of a dead server may end what it was at; nothing else may move.
    const isMoving = differing.some((name) => load.ledger.isUnderWay(name)) && performance.now() < end
    const settled = differing.filter((name) => !load.ledger.isUnderWay(name))
    load.problems.push(...settled.map((name) => `${name} differs: ${seen.map((heads) => heads.get(name)).join(', ')}`))
    if (isMoving) continue
    if (settled.length < differing.length) load.problems.push(`the servers differ: ${differing.join(', ')}`)
    const touched = load.ledger.touched().filter((name) => name.startsWith('branch:'))
    load.problems.push(...load.ledger.settle(first, [...load.ledger.names('branch:'), ...touched]))
    return
  }
}

/** Compares the recorded pushes with what was acknowledged. */
async function compareEvents({ load, living, installation }: Campaign): Promise<void> {
  const client = clientOf(living[0]?.url ?? '', installation.token)
  load.problems.push(...(await eventProblems(client, load.ledger)))
}

/**
 * Kills some of several servers on one PostgreSQL again and again, in the midst of pushes, commits by the API, deletions of branches,
 * merges and packing, and compares what every living one shows with what was acknowledged; at the end, that each change was recorded once.
 * @returns what is wrong, one sentence each
 */
export async function runCampaign(options: NodesOptions): Promise<string[]> {
  const { folder, databaseUrl, seed, rounds, nodes, tell } = options
  if (!databaseUrl?.startsWith('postgres')) throw new Error('several servers need PostgreSQL')
  const installation = { data: join(folder, 'data'), databaseUrl, token: 'a-token-for-the-campaign' }
  const problems: string[] = []
  const state = { work: join(folder, 'work'), token: installation.token, random: numbersFrom(seed), problems }
  const living = [await startVictim(installation)]
  const counted = { kills: 0, unavailable: 0 }
  const load: Load = {
    ...state,
    ledger: openLedger(),
    url: () => living[0]?.url ?? '',
    isOver: () => false,
    tolerates(failure) {
      // On a busy machine the database takes too long to answer; nothing may be lost by that.
      const isUnavailable = failure.status === 503 || /error: 503|HTTP 503/.test(failure.text)
      counted.unavailable += Number(isUnavailable)
      // A server was killed; every other failure is one.
      return isUnavailable || (failure.status === 0 && !failure.text.includes('[remote rejected]'))
    },
  }
  const campaign: Campaign = { ...options, installation, load, living, counted }
  await prepareLoad(load, pieces)
  for (let round = 1; round <= rounds; round += 1) {
    const missing = Array.from({ length: nodes - living.length }, () => startVictim(installation))
    living.push(...(await Promise.all(missing)))
    counted.kills += await killSome(campaign, round)
    await compareMerges(campaign)
    await compareAll(campaign)
    tell(
      `${round} of ${rounds}: ${counted.kills} kills, ${load.ledger.acknowledged()} acknowledged, ` +
        `${counted.unavailable} answered 503, ${problems.length} problems`,
    )
  }
  await sleep(2 * orphansMs)
  await compareAll(campaign)
  await compareEvents(campaign)
  await Promise.all(living.map((server) => server.stop()))
  problems.push(...(await checkProblems(installation)))
  tell(`${counted.kills} kills, ${load.ledger.acknowledged()} changes acknowledged`)
  return problems
}
