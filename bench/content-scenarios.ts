import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { caller } from './caller.ts'
import { type GitBench, token } from './git-bench.ts'
import { git } from './history.ts'
import { inTurn, latency, throughput, timed } from './measure.ts'
import { startFloor } from './processes.ts'
import type { Result } from './table.ts'

const rounds = 15
const throughputRounds = 5
const readersAtOnce = 8
const clonesAtOnce = 10
const cloneRounds = 3

/** A file that the history touched somewhere; every number stands for another one. */
const fileOf = (number: number) => `dir-${number % 50}/file-${number % 1_000}`

/** Answers with the bytes of a file, on either side. */
type Reader = Record<'fennec' | 'floor', (file: string) => Promise<unknown>>

/** Each request once the other is answered. */
async function readInTurn(read: Reader, numberOf: (round: number, index: number) => number, warmUp: number) {
  return inTurn(rounds, async (side, round) => {
    const once = (index: number) => read[side](fileOf(numberOf(round, index)))
    return (await latency(20, warmUp, once)).medianMs
  })
}

/** The time that each of many requests at once takes the server, in milliseconds. */
async function readAtOnce(read: Reader) {
  return inTurn(throughputRounds, async (side) => {
    let index = 0
    const once = () => read[side](fileOf(index++ % 20))
    return 1_000 / (await throughput(readersAtOnce, 2_000, once)).perSecond
  })
}

/**
 * Files that are read again and again, and files that are read for the first time, beside a server that starts git processes for each
 * request: one for the bytes alone, three for all that the API tells of a file.
 */
async function measureFileReads({ folder, origins }: GitBench): Promise<Result[]> {
  const server = await startFloor('git-per-request', [folder])
  const fennec = caller(origins.fennec, token, readersAtOnce)
  const floor = caller(server.url, token, readersAtOnce)
  const project = '/api/v4/projects/root%2Fpush-0/repository/files'
  const beside = (answer: 'bytes' | 'file'): Reader => ({
    fennec: (file) => fennec.call({ path: `${project}/${encodeURIComponent(file)}/raw?ref=main` }),
    floor: (file) => floor.call({ path: `/source/${answer}?path=${encodeURIComponent(file)}` }),
  })
  const hot = (answer: 'bytes' | 'file') => readInTurn(beside(answer), (_, index) => index % 20, 20)
  const [whole, bytes] = [await hot('file'), await hot('bytes')]
  const [wholeAtOnce, bytesAtOnce] = [await readAtOnce(beside('file')), await readAtOnce(beside('bytes'))]
  const cold = await readInTurn(beside('file'), (round, index) => 20 + round * 20 + index, 0)
  fennec.close()
  floor.close()
  await server.stop()
  const budget = '>= 10 times as fast'
  const floorName = 'git for each'
  const forBytes = 'git for the bytes'
  return [
    { name: 'read a hot file', ...whole, unit: 'ms', floorName, budget, met: whole.ratio <= 0.1 },
    { name: 'read a hot file', ...bytes, unit: 'ms', floorName: forBytes },
    {
      name: `hot files, ${readersAtOnce} readers`,
      ...wholeAtOnce,
      unit: 'ms',
      floorName,
      budget,
      met: wholeAtOnce.ratio <= 0.1,
    },
    { name: `hot files, ${readersAtOnce} readers`, ...bytesAtOnce, unit: 'ms', floorName: forBytes },
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
