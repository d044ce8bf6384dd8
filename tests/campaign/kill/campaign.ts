import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, git, makeHistory } from '../../../src/testing/index.ts'
import { type Ledger, openLedger } from '../ledger.ts'
import { numbersFrom } from '../numbers.ts'
import type { CampaignOptions } from '../part.ts'
import { checkProblems, type Installation, startVictim } from '../process.ts'
import { workUntilGone } from './workload.ts'

/** `life`: the longest that a server lives once the work has begun, in milliseconds. */
type KillOptions = CampaignOptions & { life: number }

/** The whole installation is compared with itself after this many deaths, and at the end. */
const checkEvery = 25

async function headsOf(url: string, token: string): Promise<Map<string, string>> {
  const address = `${url.replace('://', `://root:${token}@`)}/root/campaign.git`
  const { code, stdout, stderr } = await git('.', 'ls-remote', '--heads', address)
  if (code !== 0) throw new Error(stderr)
  const lines = stdout.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => [line.slice(line.indexOf('refs/heads/') + 11), line.split('\t')[0] ?? '']))
}

async function prepare(installation: Installation, work: string, ledger: Ledger): Promise<void> {
  await mkdir(work, { recursive: true })
  await makeHistory(work, ['one', 'two', 'three'])
  const { stdout } = await git(work, 'rev-parse', 'HEAD')
  const server = await startVictim(installation)
  await clientOf(server.url, installation.token).post('/projects', { name: 'campaign' })
  const address = `${server.url.replace('://', `://root:${installation.token}@`)}/root/campaign.git`
  const { code, stderr } = await git(work, 'push', '--quiet', address, 'HEAD:refs/heads/main')
  if (code !== 0) throw new Error(stderr)
  ledger.acknowledge('main', stdout.trim())
  await server.stop()
}

/**
 * Kills a server again and again, at random moments, in the midst of pushes, commits by the API, deletions of branches and packing,
 * and compares after each restart what is there with what was acknowledged.
 * @returns what is wrong, one sentence each
 */
export async function runCampaign({ rounds, folder, databaseUrl, seed, life, tell }: KillOptions): Promise<string[]> {
  const installation = { data: join(folder, 'data'), databaseUrl, token: 'a-token-for-the-campaign' }
  const work = join(folder, 'work')
  const random = numbersFrom(seed)
  const ledger = openLedger()
  await prepare(installation, work, ledger)
  const problems: string[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const server = await startVictim(installation)
    problems.push(...ledger.settle(await headsOf(server.url, installation.token)))
    const working = workUntilGone({ ledger, work, token: installation.token, random }, server.url, round)
    await Promise.race([sleep(random() * life), working])
    await server.kill()
    await working
    tell(`${round} of ${rounds}: ${ledger.branches().length} branches, ${problems.length} problems`)
    if (round % checkEvery !== 0 && round !== rounds) continue
    const last = await startVictim(installation)
    problems.push(...ledger.settle(await headsOf(last.url, installation.token)))
    await last.stop()
    problems.push(...(await checkProblems(installation)))
  }
  return problems
}
