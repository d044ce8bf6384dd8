import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { measureBranches } from './branch-scenarios.ts'
import { caller } from './caller.ts'
import { measureContent } from './content-scenarios.ts'
import { growthMib, residentMib } from './footprint.ts'
import { type GitBench, gitBenchOf, makeProject, token } from './git-bench.ts'
import { git, makeRepository } from './history.ts'
import { inTurn, type Pairs, throughput, timed } from './measure.ts'
import { answering, startFennecWithSsh, startFloor } from './processes.ts'
import { measureSmallPushes } from './small-push-scenarios.ts'
import { measureSsh } from './ssh-scenarios.ts'
import type { Result } from './table.ts'

const mebibyte = 1024 * 1024
const rounds = 5
const floorName = 'git http-backend'

function transfer(name: string, pairs: Pairs): Result {
  return { name, ...pairs, unit: 'ms', floorName, budget: '>= 90 % of its speed', met: pairs.ratio <= 1 / 0.9 }
}

async function makeEmpty({ fennec, floorRoot }: GitBench, side: 'fennec' | 'floor', name: string): Promise<void> {
  if (side === 'fennec') await makeProject(fennec, name)
  else await git('.', 'init', '--quiet', '--bare', join(floorRoot, 'root', `${name}.git`))
}

async function measurePush(bench: GitBench): Promise<Result> {
  const pairs = await inTurn(rounds, async (side, round) => {
    await makeEmpty(bench, side, `push-${round}`)
    const push = () => git(bench.source, 'push', '--quiet', bench.url[side](`push-${round}`), 'main')
    return (await timed(push)).ms
  })
  return transfer('push 20,000 commits, 50 MB', pairs)
}

async function measureClone({ folder, url }: GitBench): Promise<Result> {
  const pairs = await inTurn(rounds, async (side, round) => {
    const place = join(folder, `clone-${side}-${round}`)
    const clone = () => git(folder, 'clone', '--quiet', '--bare', url[side]('push-0'), place)
    const { ms } = await timed(clone)
    await rm(place, { recursive: true })
    return ms
  })
  return transfer('clone 20,000 commits, 50 MB', pairs)
}

/** What every fetch begins with, from many clients at once. */
async function measureAdvertisements({ origins }: GitBench): Promise<Result> {
  const credentials = Buffer.from(`root:${token}`).toString('base64')
  const headers = { Authorization: `Basic ${credentials}`, 'Git-Protocol': 'version=2' }
  const sides = { fennec: caller(origins.fennec, token, 32), floor: caller(origins.floor, token, 32) }
  const path = '/root/push-0.git/info/refs?service=git-upload-pack'
  const pairs = await inTurn(rounds, async (side) => {
    return 1_000 / (await throughput(32, 2_000, () => sides[side].call({ path, headers }))).perSecond
  })
  sides.fennec.close()
  sides.floor.close()
  const { fennec, floor, ratio, spreadPercent } = pairs
  const rates = { fennec: 1_000 / fennec, floor: 1_000 / floor, ratio, spreadPercent }
  return { name: 'first step of a fetch, 32 clients', ...rates, unit: '/s', floorName }
}

/**
 * Large repositories pass through; the server must not grow with them. The first one also pays for what the server needs for
 * any transfer at all (buffers, a heap that has warmed up), so both it and those that follow are told.
 */
async function measureGrowth({ folder, fennec, url, serverPid }: GitBench): Promise<Result[]> {
  const large = join(folder, 'large.git')
  const copy = join(folder, 'large-clone')
  await makeRepository(large, 300, 300 * mebibyte)
  const grown: [name: string, mib: number][] = []
  for (const order of ['first', 'next']) {
    const address = url.fennec(`large-${order}`)
    await makeProject(fennec, `large-${order}`)
    const push = () => git(large, 'push', '--quiet', address, 'main')
    grown.push([`${order} 300 MB pushed`, await growthMib(serverPid, push)])
    const clone = () => git(folder, 'clone', '--quiet', '--bare', address, copy)
    grown.push([`${order} 300 MB cloned`, await growthMib(serverPid, clone)])
    await rm(copy, { recursive: true })
  }
  await rm(large, { recursive: true })
  const resident = residentMib(serverPid)
  return [
    ...grown.map(([what, mib]): Result => {
      return { name: `memory growth, ${what}`, fennec: mib, unit: 'MiB', budget: 'flat: <= 50 MiB', met: mib <= 50 }
    }),
    { name: 'memory after these', fennec: resident, unit: 'MiB', budget: '<= 300 MiB', met: resident <= 300 },
  ]
}

/** Clones, pushes and branches beside what git ships. */
export async function measureGit(folder: string): Promise<Result[]> {
  const source = join(folder, 'source.git')
  const floorRoot = join(folder, 'floor')
  await mkdir(join(floorRoot, 'root'), { recursive: true })
  await makeRepository(source, 20_000, 50 * mebibyte)
  const server = await startFennecWithSsh(join(folder, 'data'), token)
  await answering(server, '/api/v4/user', token)
  const floor = await startFloor('http-backend', [floorRoot])
  const bench = gitBenchOf(server, floor, { source, folder, floorRoot })
  const results = [
    // First, while the server has not grown for any other reason.
    ...(await measureGrowth(bench)),
    await measurePush(bench),
    await measureClone(bench),
    await measureAdvertisements(bench),
    ...(await measureSmallPushes(bench)),
    ...(await measureContent(bench)),
    ...(await measureSsh(bench)),
    ...(await measureBranches(bench)),
  ]
  bench.fennec.close()
  await floor.stop()
  await server.stop()
  return results
}
