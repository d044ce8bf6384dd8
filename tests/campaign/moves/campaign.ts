import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, clientOf, git, makeHistory } from '../../../src/testing/index.ts'
import { type Ledger, openLedger } from '../ledger.ts'
import { numbersFrom } from '../numbers.ts'
import type { CampaignOptions } from '../part.ts'
import { checkProblems, type Installation, startVictim, type Victim } from '../process.ts'
import { addressOf, type Counted, keyOf, type MoveLoad, noCounts, pathOf, workOnMoved } from './workload.ts'

type MoveOptions = CampaignOptions & {
  /** How many repositories are moved. */
  projects: number
  /** How many servers share the database; more than one need PostgreSQL. */
  nodes: number
  /** How many clients push, and how many clone. */
  clients: number
}

type Campaign = MoveOptions & {
  installation: Installation
  ledger: Ledger
  work: string
  random(): number
  counted: Counted
  problems: string[]
}

type Shown = { state: string; source_storage_name: string; destination_storage_name: string }

/** The longest that a server lives once the work has begun, in milliseconds. */
const longestLifeMs = 4_000
const storages = ['default', 'second'] as const
const moves = '/project_repository_storage_moves'

const clientFor = ({ installation }: Campaign, { url }: Victim): Client => clientOf(url, installation.token)

/** Makes the storages, the projects and their first commits. */
async function prepare(campaign: Campaign): Promise<void> {
  const { folder, installation, work, projects, ledger } = campaign
  for (const name of storages) await mkdir(join(folder, name), { recursive: true })
  await mkdir(work, { recursive: true })
  await makeHistory(work, ['one', 'two', 'three'])
  const head = (await git(work, 'rev-parse', 'HEAD')).stdout.trim()
  const server = await startVictim(installation)
  const client = clientFor(campaign, server)
  for (let number = 0; number < projects; number += 1) {
    await client.post('/projects', { name: `p${number}` })
    const address = addressOf(server.url, installation.token, number)
    const { code, stderr } = await git(work, 'push', '--quiet', address, 'HEAD:refs/heads/main')
    if (code !== 0) throw new Error(stderr)
    ledger.acknowledge(keyOf(number, 'main'), head)
  }
  await server.stop()
}

/** The heads of all branches, as the API shows them. */
async function headsOf(client: Client, projects: number): Promise<Map<string, string>> {
  const heads = new Map<string, string>()
  for (let number = 0; number < projects; number += 1) {
    const { status, body } = await client.get(`${pathOf(number)}/repository/branches?per_page=100`)
    if (status !== 200)
      throw new Error(`the branches of p${number} cannot be listed: ${status} ${JSON.stringify(body)}`)
    for (const { name, commit } of body) heads.set(keyOf(number, name), commit.id)
  }
  return heads
}

const isOver = ({ state }: Shown) => ['finished', 'failed', 'cleanup failed'].includes(state)

/** All moves so far. */
async function allMoves(client: Client): Promise<Shown[]> {
  const found: Shown[] = []
  for (let page = 1; ; page += 1) {
    const { body } = await client.get(`${moves}?per_page=100&page=${page}`)
    found.push(...body)
    if (body.length < 100) return found
  }
}

/** Waits until every move has ended. A job of a killed server is taken over when its lease has expired. */
async function untilOver(campaign: Campaign, client: Client): Promise<Shown[]> {
  for (const end = performance.now() + 600_000; performance.now() < end; ) {
    const found = await allMoves(client)
    if (found.every(isOver)) return found
    await sleep(200)
  }
  campaign.problems.push('moves have not ended after ten minutes')
  return allMoves(client)
}

/** Moves everything in one storage to the other one, and waits until the storage is empty. */
async function moveAll(campaign: Campaign, client: Client, from: string, to: string): Promise<void> {
  await client.post(moves, { source_storage_name: from, destination_storage_name: to })
  for (const end = performance.now() + 600_000; performance.now() < end; ) {
    const { headers } = await client.get(`/projects?repository_storage=${from}&per_page=1`)
    if (headers.get('x-total') === '0') return
    await sleep(100)
  }
  campaign.problems.push(`the storage ${from} is not empty after ten minutes`)
}

function loadOn(campaign: Campaign, servers: readonly Victim[], isStopped: () => boolean): MoveLoad {
  const { installation, ledger, work, random, projects, clients, counted, problems } = campaign
  const urls = servers.map(({ url }) => url)
  return { urls, token: installation.token, ledger, work, random, projects, clients, counted, problems, isStopped }
}

async function compare(campaign: Campaign, client: Client): Promise<void> {
  campaign.problems.push(...campaign.ledger.settle(await headsOf(client, campaign.projects)))
}

/** Moves all repositories there and back while clients work, without a death. */
async function calmly(campaign: Campaign): Promise<void> {
  const servers = await startAll(campaign)
  const client = clientFor(campaign, servers[0] as Victim)
  let isStopped = false
  const working = workOnMoved(loadOn(campaign, servers, () => isStopped))
  const begun = performance.now()
  await moveAll(campaign, client, 'default', 'second')
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  await untilOver(campaign, client)
  isStopped = true
  await working
  const failed = (await allMoves(client)).filter(({ state }) => state !== 'finished').length
  if (failed > 0) campaign.problems.push(`${failed} moves failed although no server was killed`)
  await compare(campaign, client)
  campaign.tell(`${campaign.projects} moved in ${seconds} s: ${JSON.stringify(campaign.counted)}`)
  await Promise.all(servers.map((server) => server.stop()))
}

async function startAll({ installation, nodes }: Campaign): Promise<Victim[]> {
  const servers: Victim[] = [await startVictim(installation)]
  while (servers.length < nodes) servers.push(await startVictim(installation))
  return servers
}

/** In every third round everything is moved, in the others a tenth, so that most pushes are accepted. */
async function moveSome(campaign: Campaign, client: Client, round: number): Promise<void> {
  const { projects, random } = campaign
  const [from, to] = round % 2 === 0 ? storages : [...storages].reverse()
  if (round % 3 === 0) {
    await client.post(moves, { source_storage_name: from, destination_storage_name: to })
    return
  }
  for (let count = 0; count < projects / 10; count += 1) {
    const path = `${pathOf(Math.floor(random() * projects))}/repository_storage_moves`
    await client.post(path, { destination_storage_name: to })
  }
}

/** Kills one server while repositories are moved, and compares. */
async function deadly(campaign: Campaign, servers: Victim[], round: number): Promise<void> {
  const { random, installation } = campaign
  let isStopped = false
  const doomed = Math.floor(random() * servers.length)
  const client = clientFor(campaign, servers[doomed] as Victim)
  await moveSome(campaign, client, round)
  const working = workOnMoved(loadOn(campaign, servers, () => isStopped))
  await sleep(random() * longestLifeMs)
  isStopped = true
  await servers[doomed]?.kill()
  await working
  servers[doomed] = await startVictim(installation)
  await compare(campaign, clientFor(campaign, servers[doomed]))
}

/**
 * Moves repositories between two storages while clients push, commit and clone, kills servers meanwhile, and compares what is there
 * with what was acknowledged.
 * @returns what is wrong, one sentence each
 */
export async function runCampaign(options: MoveOptions): Promise<string[]> {
  const { folder, databaseUrl, seed, rounds, tell } = options
  const places = storages.map((name) => `${name}=${join(folder, name)}`).join(',')
  const data = join(folder, 'data')
  const campaign: Campaign = {
    ...options,
    installation: { data, databaseUrl, token: 'a-token-for-the-campaign', settings: { FENNEC_STORAGES: places } },
    ledger: openLedger(),
    work: join(folder, 'work'),
    random: numbersFrom(seed),
    counted: noCounts(),
    problems: [],
  }
  const { installation, problems } = campaign
  await prepare(campaign)
  await calmly(campaign)
  campaign.counted = noCounts()
  const servers = await startAll(campaign)
  for (let round = 1; round <= rounds; round += 1) {
    await deadly(campaign, servers, round)
    tell(`${round} of ${rounds}: ${JSON.stringify(campaign.counted)}, ${problems.length} problems`)
  }
  const client = clientFor(campaign, servers[0] as Victim)
  const ended = await untilOver(campaign, client)
  const states = Map.groupBy(ended, ({ state }) => state)
  tell(`moves: ${[...states].map(([state, found]) => `${found.length} ${state}`).join(', ')}`)
  await moveAll(campaign, client, 'default', 'second')
  await untilOver(campaign, client)
  await compare(campaign, client)
  await Promise.all(servers.map((server) => server.stop()))
  problems.push(...(await checkProblems(installation)))
  return problems
}
