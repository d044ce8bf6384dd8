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

const addressOf = ({ folder, url }: GitBench, side: 'fennec' | 'floor', round: number) =>
  side === 'fennec' ? url.fennec(`branches-${round}`) : join(folder, `branches-${round}.git`)
const pushed = { unit: 'ms', floorName: 'git push to a folder, not durable', budget: '<= 2x' } as const

/** All branches of the source pushed at once, beside git on the same disk without durability and without a server. */
export async function measureBranchPushes(bench: GitBench): Promise<Result> {
  const { fennec, source } = bench
  const pairs = await inTurn(pushRounds, async (side, round) => {
    const address = addressOf(bench, side, round)
    if (side === 'fennec') await makeProject(fennec, `branches-${round}`)
    else await git('.', 'init', '--quiet', '--bare', address)
    await git(source, 'push', '--quiet', address, 'main')
    return (await timed(() => git(source, 'push', '--quiet', address, 'refs/heads/*:refs/heads/*'))).ms
  })
  return { name: 'push 10,000 branches', ...pairs, ...pushed, met: pairs.ratio <= 2 }
}

/** The same branches deleted. */
async function measureDeletions(bench: GitBench): Promise<Result> {
  const pairs = await inTurn(pushRounds, async (side, round) => {
    const only = '+refs/heads/none-*:refs/heads/branch-*'
    const remove = () => git(bench.source, 'push', '--quiet', '--prune', addressOf(bench, side, round), only)
    return (await timed(remove)).ms
  })
  return { name: 'push the deletion of 10,000 branches', ...pairs, ...pushed, met: pairs.ratio <= 2 }
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
