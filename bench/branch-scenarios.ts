import { join } from 'node:path'
import { type GitBench, makeProject } from './git-bench.ts'
import { addBranches, git } from './history.ts'
import { inTurn, latency, timed } from './measure.ts'
import type { Result } from './table.ts'

const rounds = 25
const pushRounds = 3

async function measurePages({ fennec, source }: GitBench, path: string): Promise<Result> {
  const pairs = await inTurn(rounds, async (side, round) => {
    const ours = (index: number) => fennec.call({ path: `${path}?page=${((round * 20 + index) % 400) + 1}` })
    const theirs = () => git(source, 'for-each-ref', '--count=20', '--format=%(refname) %(objectname)', 'refs/heads')
    return (await latency(side === 'fennec' ? 20 : 1, 1, side === 'fennec' ? ours : theirs)).medianMs
  })
  const met = pairs.fennec <= 5
  const floorName = 'git for-each-ref'
  return { name: 'branches, page of 20 of 10,000', ...pairs, unit: 'ms', floorName, budget: '<= 5 ms', met }
}

async function measureChanges({ fennec, source }: GitBench, path: string): Promise<Result[]> {
  const head = (await git(source, 'rev-parse', 'main')).trim()
  const create = await inTurn(rounds, async (side, round) => {
    const body = { branch: `made-${round}`, ref: 'main' }
    const ours = () => fennec.call({ method: 'POST', path, body }, 201)
    const theirs = () => git(source, '-c', 'core.fsync=all', 'update-ref', `refs/heads/made-${round}`, head)
    return (await latency(1, 0, side === 'fennec' ? ours : theirs)).medianMs
  })
  const remove = await inTurn(rounds, async (side, round) => {
    const ours = () => fennec.call({ method: 'DELETE', path: `${path}/made-${round}` }, 204)
    const theirs = () => git(source, '-c', 'core.fsync=all', 'update-ref', '-d', `refs/heads/made-${round}`)
    return (await latency(1, 0, side === 'fennec' ? ours : theirs)).medianMs
  })
  const common = { unit: 'ms', floorName: 'git update-ref' } as const
  return [
    { name: 'create a branch, beside 10,000', ...create, ...common },
    { name: 'delete a branch, beside 10,000', ...remove, ...common },
  ]
}

/**
 * Those of the branches that are pushed together, 1,111. The time of git's client over HTTP grows with their square: 10,000 take it half a
 * minute, whatever the server does.
 */
const some = 'refs/heads/branch-1*'
const pushed = { unit: 'ms', floorName: 'git http-backend', budget: '<= 2x' } as const

/** Many branches pushed at once, beside a server that makes as much durable. */
export async function measureBranchPushes(bench: GitBench): Promise<Result> {
  const { fennec, source, floorRoot, url } = bench
  const pairs = await inTurn(pushRounds, async (side, round) => {
    const name = `branches-${round}`
    if (side === 'fennec') await makeProject(fennec, name)
    else await git('.', 'init', '--quiet', '--bare', join(floorRoot, 'root', `${name}.git`))
    const address = url[side](name)
    await git(source, 'push', '--quiet', address, 'main')
    return (await timed(() => git(source, 'push', '--quiet', address, `${some}:${some}`))).ms
  })
  return { name: 'push 1,111 branches', ...pairs, ...pushed, met: pairs.ratio <= 2 }
}

/** The same branches deleted. */
async function measureDeletions({ source, url }: GitBench): Promise<Result> {
  const pairs = await inTurn(pushRounds, async (side, round) => {
    const only = `+refs/heads/none-*:${some}`
    const remove = () => git(source, 'push', '--quiet', '--prune', url[side](`branches-${round}`), only)
    return (await timed(remove)).ms
  })
  return { name: 'push the deletion of 1,111 branches', ...pairs, ...pushed, met: pairs.ratio <= 2 }
}

/** Pages of a repository with 10,000 branches, and branches made and deleted in it. */
export async function measureBranches(bench: GitBench): Promise<Result[]> {
  const { fennec, source, url } = bench
  const id = await makeProject(fennec, 'branches')
  await addBranches(source, 10_000)
  await git(source, 'push', '--quiet', url.fennec('branches'), '+refs/heads/*:refs/heads/*')
  const path = `/api/v4/projects/${id}/repository/branches`
  return [
    await measurePages(bench, path),
    ...(await measureChanges(bench, path)),
    await measureBranchPushes(bench),
    await measureDeletions(bench),
  ]
}
