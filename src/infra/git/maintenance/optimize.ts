/** Packs repositories while they are in use. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing, namesIn } from '../../files/index.ts'
import type { SharedContext } from '../objects/context.ts'
import type { Command } from '../process/command.ts'
import { expectRepository } from '../refs/head-file.ts'
import { packRefs } from '../refs/ref-update.ts'
import { holdObjectDirectories } from './held-directories.ts'
import { removeAbandonedPacks } from './orphan-packs.ts'

/** The minimal age of deleted unreachable objects: pushes and the API write objects before they move a ref. */
const UNREACHABLE_AGE = '2.weeks.ago'
/** The number of loose objects or packs from which maintenance is needed. */
const MANY_LOOSE_OBJECTS = 2_048
const MANY_PACKS = 20
/** From so many objects on, a clone without a bitmap takes noticeably more processor time. */
const MANY_WITHOUT_BITMAP = 5_000
/** Ids are distributed evenly, so one of 256 directories is counted, the same as in `git gc --auto`. */
const SAMPLED_DIRECTORY = '17'
const FAN_OUT = 256
/** Smaller repositories are packed completely, which takes a fraction of a second. */
const SMALL_OBJECTS = 20_000
/** With more than one new object per this many old ones, everything is packed and new bitmaps are written. */
const OLD_PER_NEW = 4

type OptimizeOptions = { full?: boolean; signal?: AbortSignal }
type Source = Pick<SharedContext, 'runner' | 'pool' | 'writers'>
export type Optimizer = { optimize(directory: string, options?: OptimizeOptions): Promise<void> }

/**
 * Whether a repository has many loose objects or packs, or a large push has come without a bitmap and a commit-graph. Reads two
 * directories and the number of objects of each pack.
 * @throws GitError `repository_missing`
 */
export async function maintenanceNeeded(directory: string): Promise<boolean> {
  await expectRepository(directory)
  const loose = await looseObjects(directory, SAMPLED_DIRECTORY)
  if (loose * FAN_OUT > MANY_LOOSE_OBJECTS) return true
  if (ordinaryPacks(await namesIn(join(directory, 'objects/pack'))).length > MANY_PACKS) return true
  const { packed, bitmapped } = await countPacked(directory)
  const others = packed - bitmapped
  return others >= MANY_WITHOUT_BITMAP && others * OLD_PER_NEW > bitmapped
}

/**
 * Creates the optimiser. Runs on one repository are serialised.
 * @param smallObjects repositories with fewer objects are always packed completely
 */
export function optimizer(context: Source, smallObjects: number = SMALL_OBJECTS): Optimizer {
  const last = new Map<string, Promise<void>>()
  return {
    async optimize(directory, options = {}) {
      const before = last.get(directory)
      // A run starts from the current objects, even after a failed one.
      const run = (before ?? Promise.resolve())
        .catch(() => {})
        .then(() => optimize(context, directory, smallObjects, options))
      last.set(directory, run)
      try {
        await run
      } finally {
        if (last.get(directory) === run) last.delete(directory)
        // Open readers hold deleted packs, and so their disk space.
        context.pool.drop(directory)
      }
    },
  }
}

type Step = Pick<Command, 'subcommand' | 'flags'>

/**
 * Packs objects and refs. Of a large repository with few new objects only those are packed; otherwise, and with `full`,
 * everything, and unreachable objects older than two weeks are deleted. May be killed at any time: git writes new files first and deletes the replaced ones last. The bitmap makes
 * clones five times as fast; the paths in the commit-graph do the same for the history of a file.
 */
async function optimize(
  { runner, writers }: Source,
  directory: string,
  smallObjects: number,
  { full, signal }: OptimizeOptions,
): Promise<void> {
  await expectRepository(directory)
  const steps = full || (await isWorthFull(directory, smallObjects)) ? FULL : INCREMENTAL
  const held = await holdObjectDirectories(directory)
  try {
    await removeAbandonedPacks(directory, held.file)
    for (const step of steps) {
      const run = () => runner.run({ ...step, directory }, { queue: 'transfer', signal })
      await (step === packRefs ? writers.during(directory, null, run) : run())
    }
  } finally {
    await held.release()
  }
}

/** Packs new objects geometrically: each pack has at least twice as many objects as all smaller ones. */
const INCREMENTAL: readonly Step[] = [
  packRefs,
  { subcommand: 'repack', flags: ['--geometric=2', '-d', '-l', '-q', '--no-write-bitmap-index'] },
  { subcommand: 'commit-graph write', flags: ['--reachable', '--changed-paths', '--split', '--no-progress'] },
]

const NEW_GRAPH: Step = {
  subcommand: 'commit-graph write',
  flags: ['--reachable', '--changed-paths', '--split=replace', '--no-progress'],
}

/** Packs everything. Unreachable objects go to a cruft pack, which stores their ages. */
const FULL: readonly Step[] = [
  packRefs,
  // Before objects are deleted: a graph with missing commits is damaged.
  NEW_GRAPH,
  {
    subcommand: 'repack',
    flags: ['--cruft', `--cruft-expiration=${UNREACHABLE_AGE}`, '-d', '-l', '-q', '--write-bitmap-index'],
  },
  { subcommand: 'prune', flags: [`--expire=${UNREACHABLE_AGE}`] },
  // Again, for branches that were deleted meanwhile.
  NEW_GRAPH,
]

/** Counts the objects in packs, and those in the pack that has a bitmap. */
async function countPacked(directory: string): Promise<{ packed: number; bitmapped: number }> {
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
  return { packed, bitmapped }
}

async function isWorthFull(directory: string, smallObjects: number): Promise<boolean> {
  const { packed, bitmapped } = await countPacked(directory)
  if (bitmapped === 0 || bitmapped < smallObjects) return true
  let loose = 0
  for (let index = 0; index < FAN_OUT; index += 1) {
    loose += await looseObjects(directory, index.toString(16).padStart(2, '0'))
  }
  return (packed - bitmapped + loose) * OLD_PER_NEW > bitmapped
}

/** The base names of packs, without cruft packs. */
function ordinaryPacks(names: readonly string[]): string[] {
  const cruft = new Set(
    names.filter((name) => name.endsWith('.mtimes')).map((name) => name.slice(0, -'.mtimes'.length)),
  )
  const packs = names.filter((name) => name.startsWith('pack-') && name.endsWith('.idx'))
  return packs.map((name) => name.slice(0, -'.idx'.length)).filter((name) => !cruft.has(name))
}

/** Reads the number of objects: the last entry of the index's first table (gitformat-pack). */
async function objectsIn(index: string): Promise<number> {
  await using file = await open(index, 'r').catch(ignoreMissing)
  const total = Buffer.alloc(4)
  await file?.read(total, 0, total.length, 8 + 4 * (FAN_OUT - 1))
  return total.readUInt32BE()
}

async function looseObjects(directory: string, fanOut: string): Promise<number> {
  const names = await namesIn(join(directory, 'objects', fanOut))
  return names.filter((name) => /^[0-9a-f]+$/.test(name)).length
}
