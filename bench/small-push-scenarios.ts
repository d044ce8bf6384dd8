import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitBench, makeProject } from './git-bench.ts'
import { git } from './history.ts'
import { inTurn, median, timed } from './measure.ts'
import type { Result } from './table.ts'

const rounds = 25
const manyRounds = 5
const clients = 32
const name = 'small-push'
const person = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com'] as const

type Addresses = Record<'fennec' | 'floor', string>

/** Makes a work tree with one commit, which both sides have. */
async function makeWork(folder: string, addresses: Addresses): Promise<string> {
  const work = join(folder, name)
  await mkdir(work)
  await git(work, 'init', '--quiet', '--initial-branch=main')
  await git(work, ...person, 'commit', '--quiet', '--allow-empty', '--message', 'first')
  for (const address of Object.values(addresses)) await git(work, 'push', '--quiet', address, 'main')
  return work
}

/** Makes a commit on top of another one. @returns its id */
async function commitOn(work: string, parent: string, message: string): Promise<string> {
  const tree = (await git(work, 'rev-parse', 'main^{tree}')).trim()
  return (await git(work, ...person, 'commit-tree', tree, '-p', parent, '-m', message)).trim()
}

/** One commit pushed to a branch, by one client or many at once, beside a server that makes as much durable. */
export async function measureSmallPushes(bench: GitBench): Promise<Result[]> {
  const { fennec, floorRoot, folder, url } = bench
  await makeProject(fennec, name)
  await git('.', 'init', '--quiet', '--bare', join(floorRoot, 'root', `${name}.git`))
  const addresses = { fennec: url.fennec(name), floor: url.floor(name) }
  const work = await makeWork(folder, addresses)
  const main = (await git(work, 'rev-parse', 'main')).trim()
  const heads: Record<string, string> = {}
  const pushNext = async (side: 'fennec' | 'floor', branch: string, message: string) => {
    const key = `${side} ${branch}`
    const next = await commitOn(work, heads[key] ?? main, message)
    const push = () => git(work, 'push', '--quiet', addresses[side], `${next}:refs/heads/${branch}`)
    const { ms } = await timed(push)
    heads[key] = next
    return ms
  }
  const one = await inTurn(rounds, (side, round) => pushNext(side, 'one', `${side} ${round}`))
  const many = await inTurn(manyRounds, async (side, round) => {
    const pushes = Array.from({ length: clients }, (_, index) => pushNext(side, `many-${index}`, `${side} ${round}`))
    return median(await Promise.all(pushes))
  })
  const common = { unit: 'ms', floorName: 'git http-backend', budget: '<= 2x' } as const
  return [
    { name: 'one small push', ...one, ...common, met: one.ratio <= 2 },
    { name: `small push, ${clients} at once`, ...many, ...common, met: many.ratio <= 2 },
  ]
}
