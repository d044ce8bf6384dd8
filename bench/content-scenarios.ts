import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitBench } from './git-bench.ts'
import { git } from './history.ts'
import { inTurn, latency, timed } from './measure.ts'
import type { Result } from './table.ts'

const rounds = 15
const clonesAtOnce = 10
const cloneRounds = 3

/** A file that the history touched somewhere; every number stands for another one. */
const fileOf = (number: number) => `dir-${number % 50}/file-${number % 1_000}`

async function readFiles(
  { fennec, source }: GitBench,
  numberOf: (round: number, index: number) => number,
  warmUp: number,
) {
  return inTurn(rounds, async (side, round) => {
    const file = (index: number) => fileOf(numberOf(round, index))
    const path = (index: number) =>
      `/api/v4/projects/root%2Fpush-0/repository/files/${encodeURIComponent(file(index))}/raw?ref=main`
    const ours = (index: number) => fennec.call({ path: path(index) })
    const theirs = (index: number) => git(source, 'cat-file', 'blob', `main:${file(index)}`)
    return (await latency(20, warmUp, side === 'fennec' ? ours : theirs)).medianMs
  })
}

/** Files that are read again and again, and files that nobody has read, beside one git process for each request. */
async function measureFileReads(bench: GitBench): Promise<Result[]> {
  const hot = await readFiles(bench, (_, index) => index % 20, 20)
  const cold = await readFiles(bench, (round, index) => 20 + round * 20 + index, 0)
  const budget = '>= 10 times as fast'
  const floorName = 'git cat-file'
  return [
    { name: 'read a hot file', ...hot, unit: 'ms', floorName, budget, met: hot.ratio <= 0.1 },
    { name: 'read a file for the first time', ...cold, unit: 'ms', floorName },
  ]
}

/** A page of the history, beside one git process that lists the same. */
async function measureCommitList({ fennec, source }: GitBench): Promise<Result> {
  const pairs = await inTurn(rounds, async (side, round) => {
    const page = (index: number) => ((round * 5 + index) % 200) + 1
    const path = '/api/v4/projects/root%2Fpush-0/repository/commits'
    const ours = (index: number) => fennec.call({ path: `${path}?page=${page(index)}` })
    const theirs = (index: number) =>
      git(source, 'log', '-20', `--skip=${(page(index) - 1) * 20}`, '--format=raw', 'main')
    return (await latency(5, 1, side === 'fennec' ? ours : theirs)).medianMs
  })
  const name = 'commits, page of 20 of 20,000'
  return { name, ...pairs, unit: 'ms', floorName: 'git log', budget: '<= 10 ms', met: pairs.fennec <= 10 }
}

/** Many clones at once of the large repository. */
async function measureClones({ folder, url }: GitBench): Promise<Result> {
  const pairs = await inTurn(cloneRounds, async (side, round) => {
    const places = Array.from({ length: clonesAtOnce }, (_, index) => join(folder, `clones-${side}-${round}-${index}`))
    const clone = (place: string) => git(folder, 'clone', '--quiet', '--bare', url[side]('push-0'), place)
    const { ms } = await timed(() => Promise.all(places.map(clone)))
    for (const place of places) await rm(place, { recursive: true })
    return ms
  })
  const name = `${clonesAtOnce} clones at once, 50 MB each`
  const budget = '>= 90 % of its speed'
  return { name, ...pairs, unit: 'ms', floorName: 'git http-backend', budget, met: pairs.ratio <= 1 / 0.9 }
}

/** What people and their tools read all day: files, histories, whole repositories. */
export async function measureContent(bench: GitBench): Promise<Result[]> {
  return [...(await measureFileReads(bench)), await measureCommitList(bench), await measureClones(bench)]
}
