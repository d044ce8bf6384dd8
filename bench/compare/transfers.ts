import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { treeProcessorMs } from '../footprint.ts'
import { git, makeRepository } from '../history.ts'
import { inTurn, type Pairs, pairsOf, timed } from '../measure.ts'
import { startFloor } from '../processes.ts'
import { makeSshKey } from '../ssh-scenarios.ts'
import type { Result } from '../table.ts'
import type { Forges } from './forges.ts'

const floorName = 'Gitea'
const kibibyte = 1024
const small = 'small'
const clonesAtOnce = 10

/** Makes a repository that a small project has, and pushes it to both. */
async function pushSmall(forges: Forges, folder: string): Promise<void> {
  const source = join(folder, `${small}.git`)
  await makeRepository(source, 100, 200 * kibibyte)
  for (const forge of Object.values(forges)) {
    const root = forge.open()
    await forge.create(root, small)
    root.close()
    await git(source, 'push', '--quiet', forge.git.http(small), 'main')
  }
}

/** Reads of the small repository over HTTP. @param addressOf its address on either side */
async function measureReads(addressOf: (side: keyof Forges) => string, folder: string) {
  const clone = async (side: keyof Forges, ...options: string[]) => {
    await git(folder, 'clone', '--quiet', '--bare', ...options, addressOf(side), join(folder, `clone-${randomUUID()}`))
  }
  const one = await inTurn(25, async (side) => (await timed(() => clone(side))).ms)
  const many = await inTurn(7, async (side) => {
    const all = () => Promise.all(Array.from({ length: clonesAtOnce }, () => clone(side)))
    return (await timed(all)).ms
  })
  const shallow = await inTurn(25, async (side) => (await timed(() => clone(side, '--depth=1'))).ms)
  const listed = await inTurn(25, async (side) => {
    return (await timed(() => git(folder, 'ls-remote', '--quiet', addressOf(side)))).ms
  })
  return {
    'clone a small repository': one,
    [`clone a small repository, ${clonesAtOnce} at once`]: many,
    'shallow clone of it': shallow,
    'ls-remote of it': listed,
  }
}

/** Reads beside the rival, and beside a server that sends Fennec's answers from memory: what git's client takes. */
async function measureSmall(forges: Forges, folder: string): Promise<Result[]> {
  await pushSmall(forges, folder)
  const own = forges.fennec.git.http(small)
  const besideRival = await measureReads((side) => forges[side].git.http(small), folder)
  const floor = await startFloor('replayed', [forges.fennec.server.url])
  const replayed = own.replace(new URL(own).host, new URL(floor.url).host)
  const besideNothing = await measureReads((side) => (side === 'fennec' ? own : replayed), folder)
  await floor.stop()
  const rows = (measured: Record<string, Pairs>, floorName: string, suffix = '') =>
    Object.entries(measured).map(([name, pairs]) => ({ name: name + suffix, ...pairs, unit: 'ms' as const, floorName }))
  return [...rows(besideRival, floorName), ...rows(besideNothing, 'its answers from memory', ', beside git alone')]
}

/** @param source a repository of 50 MB */
async function measureSshPush(forges: Forges, source: string, folder: string): Promise<Result[]> {
  const key = await makeSshKey(folder)
  const roots = { fennec: forges.fennec.open(), floor: forges.floor.open() }
  for (const side of ['fennec', 'floor'] as const) await forges[side].addKey(roots[side], key)
  const used = { fennec: [] as number[], floor: [] as number[] }
  const pairs = await inTurn(5, async (side, round) => {
    const { server, create, git: addresses } = forges[side]
    await create(roots[side], `ssh-${round}`)
    const before = treeProcessorMs(server.process.pid)
    const { ms } = await timed(() => git(source, 'push', '--quiet', addresses.ssh(`ssh-${round}`), 'main'))
    used[side].push(treeProcessorMs(server.process.pid) - before)
    return ms
  })
  for (const root of Object.values(roots)) root.close()
  return [
    { name: 'push 50 MB over SSH', ...pairs, unit: 'ms', floorName },
    { name: 'push 50 MB over SSH, processor time of the server', ...pairsOf(used), unit: 'ms', floorName },
  ]
}

/** Clones and pushes of git. @param source a repository of 50 MB */
export async function measureTransfers(forges: Forges, source: string, folder: string): Promise<Result[]> {
  const clones = join(folder, 'clones')
  await mkdir(clones)
  const results = [...(await measureSmall(forges, clones)), ...(await measureSshPush(forges, source, folder))]
  await rm(clones, { recursive: true })
  return results
}
