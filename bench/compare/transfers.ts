import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { treeProcessorMs } from '../footprint.ts'
import { git, makeRepository } from '../history.ts'
import { inTurn, pairsOf, timed } from '../measure.ts'
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

/** Reads of a small repository over HTTP. */
async function measureSmall(forges: Forges, folder: string): Promise<Result[]> {
  await pushSmall(forges, folder)
  const addressOf = (side: keyof Forges) => forges[side].git.http(small)
  let made = 0
  const clone = async (side: keyof Forges, ...options: string[]) => {
    made += 1
    await git(folder, 'clone', '--quiet', '--bare', ...options, addressOf(side), join(folder, `clone-${made}`))
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
  const common = { unit: 'ms', floorName } as const
  return [
    { name: 'clone a small repository', ...one, ...common },
    { name: `clone a small repository, ${clonesAtOnce} at once`, ...many, ...common },
    { name: 'shallow clone of it', ...shallow, ...common },
    { name: 'ls-remote of it', ...listed, ...common },
  ]
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
