/** Keeps repositories fast and small, while they are being used. */
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../model/errors.ts'
import type { CatFilePool } from '../objects/cat-file-pool.ts'
import type { Command } from '../process/command.ts'
import type { Runner } from '../process/runner.ts'
import { readHead } from '../refs/head-file.ts'
import { holdObjectDirectories } from './held-directories.ts'
import { removeAbandonedPacks } from './orphan-packs.ts'

/** How long unreachable objects are kept: pushes and API commits write objects before a ref reaches them. */
const UNREACHABLE_AGE = '2.weeks.ago'
/** From so many loose objects or packs on, maintenance is worth its cost. */
const MANY_LOOSE_OBJECTS = 2_048
const MANY_PACKS = 20
/** Object ids are spread evenly: one of the 256 directories tells enough of all (git's own `gc --auto` looks at this one). */
const SAMPLED_DIRECTORY = '17'
const FAN_OUT = 256
/** A repository of fewer objects is packed as a whole within a fraction of a second. */
const SMALL_OBJECTS = 20_000
/** More than one new object for so many old ones: then all are packed anew, and new bitmaps written. */
const OLD_PER_NEW = 4

export type OptimizeOptions = { full?: boolean; signal?: AbortSignal }
export type Optimizer = { optimize(directory: string, options?: OptimizeOptions): Promise<void> }

/** Whether a repository has gathered many loose objects or packs. Reads two directories. @throws GitError `repository_missing` */
export async function maintenanceNeeded(directory: string): Promise<boolean> {
  await expectRepository(directory)
  const loose = await looseObjects(directory, SAMPLED_DIRECTORY)
  if (loose * FAN_OUT > MANY_LOOSE_OBJECTS) return true
  return ordinaryPacks(await namesIn(join(directory, 'objects/pack'))).length > MANY_PACKS
}

/**
 * Makes the function that optimises repositories, one run per repository at a time.
 * @param smallObjects a repository of fewer objects is always packed as a whole
 */
export function optimizer(runner: Runner, pool: CatFilePool, smallObjects: number = SMALL_OBJECTS): Optimizer {
  const last = new Map<string, Promise<void>>()
  return {
    async optimize(directory, options = {}) {
      const before = last.get(directory)
      // A run begins with the objects as they are: what another one has left, also when it failed.
      const run = (before ?? Promise.resolve())
        .catch(() => {})
        .then(() => optimize(runner, directory, smallObjects, options))
      last.set(directory, run)
      try {
        await run
      } finally {
        if (last.get(directory) === run) last.delete(directory)
        // The readers hold the packs that have been replaced, and with them their space on the disk.
        pool.drop(directory)
      }
    },
  }
}

type Step = Pick<Command, 'subcommand' | 'flags'>

/**
 * Changes nothing that can be seen, and may be killed at any moment: git writes every file beside its place, and removes what it replaces last.
 * The bitmap cuts a clone's cost five-fold; the paths in the commit-graph do the same for the history of a file.
 */
async function optimize(
  runner: Runner,
  directory: string,
  smallObjects: number,
  { full, signal }: OptimizeOptions,
): Promise<void> {
  await expectRepository(directory)
  const steps = full || (await isWorthFull(directory, smallObjects)) ? FULL : INCREMENTAL
  const held = await holdObjectDirectories(directory)
  try {
    await removeAbandonedPacks(directory, held.file)
    for (const step of steps) await runner.run({ ...step, directory }, { queue: 'transfer', signal })
  } finally {
    await held.release()
  }
}

const PACK_REFS: Step = { subcommand: 'pack-refs', flags: ['--all', '--prune'] }

/** Packs what is new, so that each pack holds at least twice as many objects as all smaller ones: a handful of packs, whatever happens. */
const INCREMENTAL: readonly Step[] = [
  PACK_REFS,
  { subcommand: 'repack', flags: ['--geometric=2', '-d', '-l', '-q', '--no-write-bitmap-index'] },
  { subcommand: 'commit-graph write', flags: ['--reachable', '--changed-paths', '--split', '--no-progress'] },
]

const NEW_GRAPH: Step = {
  subcommand: 'commit-graph write',
  flags: ['--reachable', '--changed-paths', '--split=replace', '--no-progress'],
}

/** Packs everything. Unreachable objects go to a pack of their own, which notes the age of each; that is how they get old at all. */
const FULL: readonly Step[] = [
  PACK_REFS,
  // Before anything is dropped: a graph of commits that are not there is a damaged one.
  NEW_GRAPH,
  {
    subcommand: 'repack',
    flags: ['--cruft', `--cruft-expiration=${UNREACHABLE_AGE}`, '-d', '-l', '-q', '--write-bitmap-index'],
  },
  { subcommand: 'prune', flags: [`--expire=${UNREACHABLE_AGE}`] },
  // Once more, for branches that went away meanwhile.
  NEW_GRAPH,
]

async function isWorthFull(directory: string, smallObjects: number): Promise<boolean> {
  const path = join(directory, 'objects/pack')
  const names = await namesIn(path)
  const present = new Set(names)
  let packed = 0
  let bitmapped = 0
  for (const pack of ordinaryPacks(names)) {
    const objects = await objectsIn(join(path, `${pack}.idx`))
    packed += objects
    if (present.has(`${pack}.bitmap`)) bitmapped = Math.max(bitmapped, objects)
  }
  if (bitmapped === 0 || bitmapped < smallObjects) return true
  let loose = 0
  for (let index = 0; index < FAN_OUT; index += 1) {
    loose += await looseObjects(directory, index.toString(16).padStart(2, '0'))
  }
  return (packed - bitmapped + loose) * OLD_PER_NEW > bitmapped
}

/** Names without their ends; without the packs of unreachable objects. */
function ordinaryPacks(names: readonly string[]): string[] {
  const cruft = new Set(
    names.filter((name) => name.endsWith('.mtimes')).map((name) => name.slice(0, -'.mtimes'.length)),
  )
  const packs = names.filter((name) => name.startsWith('pack-') && name.endsWith('.idx'))
  return packs.map((name) => name.slice(0, -'.idx'.length)).filter((name) => !cruft.has(name))
}

/** The last entry of an index's first table counts its objects (gitformat-pack). */
async function objectsIn(index: string): Promise<number> {
  const file = await open(index, 'r').catch(ifMissing)
  try {
    const total = Buffer.alloc(4)
    await file?.read(total, 0, total.length, 8 + 4 * (FAN_OUT - 1))
    return total.readUInt32BE()
  } finally {
    await file?.close()
  }
}

async function looseObjects(directory: string, fanOut: string): Promise<number> {
  const names = await namesIn(join(directory, 'objects', fanOut))
  return names.filter((name) => /^[0-9a-f]+$/.test(name)).length
}

async function namesIn(path: string): Promise<string[]> {
  return (await readdir(path).catch(ifMissing)) ?? []
}

function ifMissing(cause: NodeJS.ErrnoException): null {
  if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return null
  throw cause
}

/** A HEAD that cannot be understood is no reason to leave the rest alone. */
async function expectRepository(directory: string): Promise<void> {
  await readHead(directory).catch((error: unknown) => {
    if (!(error instanceof GitError) || error.code === 'repository_missing') throw error
  })
}
