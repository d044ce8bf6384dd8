import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, clientOf, git, makeHistory } from '../../../src/testing/index.ts'
import { program } from '../../program.ts'
import { numbersFrom } from '../numbers.ts'
import type { CampaignOptions } from '../part.ts'
import { checkProblems, environmentOf, type Installation, startVictim, type Victim } from '../process.ts'

/** `projects`: how many there are. Clients write to six of them. */
type BackupOptions = CampaignOptions & { projects: number }

/** What was acknowledged in one project. */
type Acknowledged = { id: number; commits: string[]; pushes: number; issues: number }

type Campaign = BackupOptions & {
  installation: Installation
  server: Victim
  work: string
  known: Acknowledged[]
  problems: string[]
  /** The longest that a request has taken since it was set to 0. */
  longestMs: number
  isOver: boolean
}

const writers = 6
/** The longest that clients write between two backups, in milliseconds. */
const longestPauseMs = 1000

async function timed<T>(campaign: Campaign, request: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const answer = await request()
  campaign.longestMs = Math.max(campaign.longestMs, performance.now() - began)
  return answer
}

async function writeTo(campaign: Campaign, client: Client, known: Acknowledged): Promise<void> {
  const { server, installation, work } = campaign
  for (let count = 0; !campaign.isOver; count += 1) {
    const file = { branch: 'main', commit_message: 'a commit', content: `${count}\n`.repeat(100) }
    const path = `/projects/${known.id}/repository/files/f${count}`
    const written = await timed(campaign, () => client.post(path, file))
    if (written.status !== 201) throw new Error(`a commit was refused: ${JSON.stringify(written.body)}`)
    known.commits.push(`f${count}`)
    const issue = { title: `issue ${count}` }
    const opened = await timed(campaign, () => client.post(`/projects/${known.id}/issues`, issue))
    if (opened.status === 201) known.issues += 1
    if (count % 10 !== 0) continue
    const address = `${server.url.replace('://', `://root:${installation.token}@`)}/root/p${known.id}.git`
    const { code } = await git(work, 'push', '--quiet', address, `HEAD:refs/heads/push-${known.pushes + 1}`)
    if (code === 0) known.pushes += 1
  }
}

async function command({ problems }: Campaign, place: Installation, ...parameters: string[]): Promise<void> {
  const child = spawn(process.execPath, [program, ...parameters], {
    env: environmentOf(place) as NodeJS.ProcessEnv,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) problems.push(`${parameters[0]}: ${said.trim().split('\n').at(-1)}`)
}

/** Compares a restored place with what was acknowledged before. */
async function compare({ problems }: Campaign, place: Installation, before: readonly Acknowledged[]): Promise<void> {
  problems.push(...(await checkProblems(place)))
  const restored = await startVictim(place)
  const client = clientOf(restored.url, place.token)
  for (const { id, commits, pushes, issues } of before) {
    const of = `/projects/${id}`
    const last = commits.at(-1)
    const checks = [
      ...(last ? [`${of}/repository/files/${last}?ref=main`] : []),
      ...(pushes > 0 ? [`${of}/repository/branches/push-${pushes}`] : []),
      ...(issues > 0 ? [`${of}/issues/${issues}`] : []),
    ]
    for (const path of checks) {
      const { status } = await client.get(path)
      if (status !== 200) problems.push(`${path} was acknowledged before the backup, and answers ${status} after it`)
    }
  }
  await restored.stop()
}

/** Backs up, restores into an empty place, and compares. */
async function backUpOnce(campaign: Campaign, round: number): Promise<void> {
  const { folder, known, problems, rounds, tell, installation } = campaign
  const fileOf = (round: number) => join(folder, `backup-${round}`)
  const before = structuredClone(known)
  campaign.longestMs = 0
  const began = performance.now()
  // Every second one is based on the one before.
  const base = round % 2 === 0 ? ['--incremental-from', fileOf(round - 1)] : []
  await command(campaign, installation, 'backup', ...base, fileOf(round))
  const tookMs = Math.round(performance.now() - began)
  const pauseMs = Math.round(campaign.longestMs)
  const { size } = await stat(fileOf(round)).catch(() => ({ size: 0 }))
  const place = { data: join(folder, `restored-${round}`), token: installation.token }
  const restoring = performance.now()
  await command(campaign, place, 'restore', fileOf(round))
  const restoredMs = Math.round(performance.now() - restoring)
  await compare(campaign, place, before)
  await rm(place.data, { recursive: true, force: true })
  if (round % 2 === 0) for (const old of [round - 1, round]) await rm(fileOf(old), { force: true })
  const counted = before.reduce((sum, { commits, pushes, issues }) => sum + commits.length + pushes + issues, 0)
  tell(
    `${round} of ${rounds}: ${counted} writes before, ${base.length > 0 ? 'incremental ' : ''}${size} bytes in ${tookMs} ms, ` +
      `longest request ${pauseMs} ms, restored in ${restoredMs} ms, ${problems.length} problems`,
  )
}

/**
 * Backs up a server again and again while clients commit, push and open issues, restores each backup on SQLite, and compares it with
 * what was acknowledged before it began.
 * @returns what is wrong, one sentence each
 */
export async function runCampaign(options: BackupOptions): Promise<string[]> {
  const { folder, databaseUrl, rounds, seed, projects } = options
  const random = numbersFrom(seed)
  const installation = { data: join(folder, 'data'), databaseUrl, token: 'a-token-for-the-campaign' }
  const server = await startVictim(installation)
  const state = { work: join(folder, 'work'), known: [], problems: [], longestMs: 0, isOver: false }
  const campaign: Campaign = { ...options, ...state, installation, server }
  const { known, problems, work } = campaign
  const root = clientOf(server.url, installation.token)
  await root.put('/application/settings', { issues_create_limit: 0 })
  await mkdir(work)
  await makeHistory(work, ['one', 'two'])
  for (let number = 1; number <= projects; number += 1) {
    const { body } = await root.post('/projects', { name: `p${number}`, initialize_with_readme: true })
    known.push({ id: body.id, commits: [], pushes: 0, issues: 0 })
  }
  const writing = known.slice(0, writers).map((one) => writeTo(campaign, root, one))
  for (let round = 1; round <= rounds; round += 1) {
    await sleep(random() * longestPauseMs)
    await backUpOnce(campaign, round)
  }
  campaign.isOver = true
  await Promise.all(writing)
  await server.stop()
  problems.push(...(await checkProblems(installation)))
  return problems
}
