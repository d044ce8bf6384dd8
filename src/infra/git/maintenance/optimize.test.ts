import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fastImport } from '../history-testing.ts'
import { branchRef, newDiskPath, type Oid, treePath, ZERO_SHA1 } from '../model/names.ts'
import { sharedContext } from '../objects/context.ts'
import type { Subcommand } from '../process/command.ts'
import { failure, type Runner } from '../process/runner.ts'
import type { Repository } from '../repository.ts'
import {
  ada,
  admitting,
  commitFiles,
  git,
  main,
  openTestGit,
  openTestRunner,
  type TestGit,
  type TestRunner,
} from '../testing.ts'
import { setUpPush } from '../transport/push-testing.ts'
import { type Optimizer, optimizer } from './optimize.ts'

let own: TestGit
let owned: TestRunner
beforeAll(async () => {
  own = await openTestGit()
  owned = await openTestRunner()
})
afterAll(async () => {
  await owned[Symbol.asyncDispose]()
  await own[Symbol.asyncDispose]()
})

const ref = (name: string) => branchRef(name)!
const path = (text: string) => treePath(text)!
const sound = { ok: true, problems: [] }
const fourWeeksMs = 28 * 24 * 3_600_000

async function packsOf({ directory }: Repository, end = 'pack'): Promise<string[]> {
  return (await readdir(join(directory, 'objects/pack'))).filter((name) => name.endsWith(`.${end}`)).toSorted()
}

async function looseObjectsOf({ directory }: Repository): Promise<number> {
  const text = await git(['-C', directory, 'count-objects'])
  return Number(text.split(' ')[0])
}

/** Sets the age of all files in the object store. */
async function age({ directory }: Repository, ageMs: number): Promise<void> {
  const entries = await readdir(join(directory, 'objects'), { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name)
    const time = new Date((await stat(file)).mtimeMs - ageMs)
    await utimes(file, time, time)
  }
}

/** An optimiser that treats every repository as a large one. */
function eagerOptimizer(runner: Runner = owned.runner): Optimizer {
  return optimizer(sharedContext(runner), 1)
}

describe('optimising', () => {
  test('packs everything, keeps recent unreachable objects, and changes no visible data', async () => {
    const repository = await own.newRepository()
    await commitFiles(repository, { a: '1' })
    const tip = await commitFiles(repository, { a: '2' })
    const orphan = await commitFiles(repository, { b: '1' }, { branch: ref('gone'), parent: null })
    await repository.updateRefs([{ ref: ref('gone'), old: orphan, new: ZERO_SHA1 }])
    const before = await repository.refs(1)
    await repository.optimize()
    const unreachable = await packsOf(repository, 'mtimes')
    expect(unreachable).toHaveLength(1)
    expect(await packsOf(repository)).toHaveLength(2)
    expect(await packsOf(repository, 'bitmap')).toHaveLength(1)
    expect(await looseObjectsOf(repository)).toBe(0)
    expect(await readdir(join(repository.directory, 'objects/info'))).toContain('commit-graphs')
    expect((await repository.refs(2)).branches).toEqual(before.branches)
    expect((await repository.commits([tip, orphan])).size).toBe(2)
    expect(await repository.fsck()).toEqual(sound)
    await repository.optimize()
    expect(await packsOf(repository, 'mtimes')).toEqual(unreachable)
  })

  test('leaves an empty repository intact', async () => {
    const repository = await own.newRepository()
    await repository.optimize()
    expect(await repository.fsck()).toEqual(sound)
    expect(await repository.maintenanceNeeded()).toBe(false)
  })

  test('deletes only old unreachable objects, loose or packed', async () => {
    const repository = await own.newRepository()
    const tip = await commitFiles(repository, { a: '1' })
    const forget = async (name: string) => {
      const oid = await commitFiles(repository, { [name]: name }, { branch: ref(name), parent: null })
      await repository.updateRefs([{ ref: ref(name), old: oid, new: ZERO_SHA1 }])
      return oid
    }
    const packed = await forget('packed')
    await repository.optimize()
    await age(repository, fourWeeksMs)
    const loose = await forget('loose')
    await age(repository, fourWeeksMs)
    const young = await forget('young')
    // A cruft pack stores the ages of its objects when it is made.
    await repository.optimize()
    const kept = async () =>
      (await Promise.all([tip, packed, loose, young].map((oid) => exists(repository, oid)))).join()
    expect(await kept()).toBe('true,true,false,true')
    expect(await repository.fsck()).toEqual(sound)
  })

  test('deletes old unreachable objects of packs that were made without reachability', async () => {
    const repository = await own.newRepository()
    const gone = await commitFiles(repository, { b: '1' }, { branch: ref('gone') })
    await commitFiles(repository, { a: '1' }, { parent: null })
    await git(['-C', repository.directory, 'repack', '-a', '-d', '-q'])
    await age(repository, fourWeeksMs)
    await repository.updateRefs([{ ref: ref('gone'), old: gone, new: ZERO_SHA1 }])
    await repository.optimize()
    expect(await exists(repository, gone)).toBe(false)
    expect(await repository.fsck()).toEqual(sound)
  })

  test('packs only the new objects of a large repository, until there are many', async () => {
    const repository = await own.newRepository()
    const { optimize } = eagerOptimizer()
    const files = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`f${index}`, `${index}`]))
    let tip = await commitFiles(repository, files)
    await optimize(repository.directory)
    const [base] = await packsOf(repository, 'bitmap')
    for (let round = 0; round < 12; round += 1) {
      tip = await commitFiles(repository, { [`new${round}`]: `${round}` })
      await optimize(repository.directory)
      expect(await packsOf(repository, 'bitmap')).toEqual([base])
      expect(await looseObjectsOf(repository)).toBe(0)
      expect((await packsOf(repository)).length).toBeLessThan(6)
    }
    expect(await repository.commitCount()).toBe(13)
    expect((await repository.log({ tips: [tip], path: path('new3') })).length).toBe(1)
    expect(await repository.fsck()).toEqual(sound)
    await commitFiles(
      repository,
      Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`g${index}`, `g${index}`])),
    )
    await optimize(repository.directory)
    expect(await packsOf(repository)).toHaveLength(1)
    expect(await packsOf(repository, 'bitmap')).not.toEqual([base])
    await commitFiles(repository, { last: '1' })
    await optimize(repository.directory, { full: true })
    expect(await packsOf(repository)).toHaveLength(1)
    expect(await repository.fsck()).toEqual(sound)
  })

  test('a run that was requested meanwhile follows, also after a failure', async () => {
    const repository = await own.newRepository()
    await commitFiles(repository, { a: '1' })
    const aborted = repository.optimize({ signal: AbortSignal.abort() })
    const others = [repository.optimize(), repository.optimize({ full: true })]
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    await Promise.all(others)
    expect(await repository.fsck()).toEqual(sound)
  })

  test('fails when the repository does not exist', async () => {
    const repository = await own.newRepository()
    await repository.remove()
    await expect(repository.optimize()).rejects.toMatchObject({ code: 'repository_missing' })
    await expect(repository.maintenanceNeeded()).rejects.toMatchObject({ code: 'repository_missing' })
  })

  test('supports SHA-256 repositories', async () => {
    const repository = await own.newRepository()
    await repository.remove()
    await repository.init({ defaultBranch: main, objectFormat: 'sha256' })
    const parts = { author: ada, committer: ada, message: 'm' }
    const changes = [{ path: path('f'), content: Buffer.from('1') }]
    const oid = await admitting(repository).createCommit({ parent: null, ...parts, changes })
    await repository.updateRefs([{ ref: main, old: null, new: oid }])
    await repository.optimize()
    await eagerOptimizer().optimize(repository.directory)
    expect(await packsOf(repository, 'bitmap')).toHaveLength(1)
    expect(await repository.fsck()).toEqual(sound)
  })
})

async function exists(repository: Repository, oid: Oid): Promise<boolean> {
  const result = await git(['-C', repository.directory, 'cat-file', '-t', oid]).catch(() => '')
  return result !== ''
}

describe('maintenance is needed for', () => {
  test('many loose objects', async () => {
    const repository = await own.newRepository()
    const fanOut = join(repository.directory, 'objects/17')
    await mkdir(fanOut)
    const add = (index: number) => writeFile(join(fanOut, index.toString(16).padStart(38, '0')), '')
    for (let index = 0; index < 8; index += 1) await add(index)
    expect(await repository.maintenanceNeeded()).toBe(false)
    await add(8)
    expect(await repository.maintenanceNeeded()).toBe(true)
  })

  test('many packs, but not those of unreachable objects', async () => {
    const repository = await own.newRepository()
    const add = async (name: string, ...ends: string[]) => {
      for (const end of ends) await writeFile(join(repository.directory, 'objects/pack', `${name}.${end}`), '')
    }
    for (let index = 0; index < 20; index += 1) await add(`pack-${index}`, 'pack', 'idx')
    await add('pack-cruft', 'pack', 'idx', 'mtimes')
    await add('tmp', 'pack', 'idx')
    expect(await repository.maintenanceNeeded()).toBe(false)
    await add('pack-last', 'pack', 'idx')
    expect(await repository.maintenanceNeeded()).toBe(true)
  })

  test('a large push, until its bitmap is written', async () => {
    const repository = await own.newRepository()
    const add = async (name: string, count: number) => {
      const blobs = Array.from({ length: count }, (_, index) => {
        const text = `${name} ${index}`
        return `M 644 inline ${index % 100}/${index}\ndata ${text.length}\n${text}\n`
      })
      const head = `commit refs/heads/${name}\ncommitter A <a@x> 1 +0000\ndata 1\nc\n`
      await fastImport(repository, `${head}${blobs.join('')}\n`)
    }
    await add('small', 4_000)
    expect(await repository.maintenanceNeeded()).toBe(false)
    await add('large', 5_000)
    expect(await repository.maintenanceNeeded()).toBe(true)
    await repository.optimize()
    expect(await repository.maintenanceNeeded()).toBe(false)
    await add('next', 200)
    expect(await repository.maintenanceNeeded()).toBe(false)
  })
})

describe('concurrent use', () => {
  test('pushes, fetches and reads succeed, and no object is lost', async () => {
    const set = await setUpPush(own)
    await using _ = set
    const { repository, work, push } = set
    const written: { oid: Oid; file: string }[] = []
    const heads = new Map<string, Oid>()
    const eager = eagerOptimizer()
    let isOver = false

    async function commit(branch: string): Promise<void> {
      let parent: Oid | null = null
      for (let round = 0; round < 12; round += 1) {
        const file = `${branch}-${round}`
        const changes = [{ path: path(file), content: Buffer.from(file) }]
        const parts = { author: ada, committer: ada, message: file }
        const oid: Oid = await admitting(repository).createCommit({ parent, ...parts, changes })
        await repository.updateRefs([{ ref: ref(branch), old: parent ?? ZERO_SHA1, new: oid }])
        heads.set(branch, oid)
        written.push({ oid, file })
        parent = oid
      }
    }
    async function pushes(): Promise<void> {
      for (let round = 0; round < 6; round += 1) {
        await git(['commit', '--quiet', '--allow-empty', '-m', `pushed ${round}`], { cwd: work })
        const { exitCode, stderr } = await push('HEAD:refs/heads/pushed')
        expect([exitCode, stderr]).toEqual([0, expect.any(String)])
        heads.set('pushed', (await git(['rev-parse', 'HEAD'], { cwd: work })) as Oid)
      }
    }
    async function reads(): Promise<void> {
      for (let round = 0; !isOver; round += 1) {
        const known = written[(round * 7) % Math.max(1, written.length)]
        await new Promise(setImmediate)
        if (known === undefined) continue
        const entry = await repository.entryAt(known.oid, path(known.file))
        const blob = await repository.readObject(entry!.oid, { maxBytes: 100 })
        expect(blob?.content.toString()).toBe(known.file)
      }
    }
    async function copies(): Promise<void> {
      while (!isOver) {
        const fork = own.git.repository({ storage: 'default', diskPath: newDiskPath() })
        await fork.copyFrom(repository)
        expect(await fork.fsck()).toEqual(sound)
        const tar = await buffer(await repository.tarball())
        expect(tar.length).toBeGreaterThan(0)
      }
    }
    async function optimizes(): Promise<void> {
      for (let round = 0; !isOver; round += 1) {
        await (round % 2 === 0 ? repository.optimize({ full: true }) : eager.optimize(repository.directory))
      }
    }
    const writers = Promise.all([commit('one'), commit('two'), pushes()]).finally(() => {
      isOver = true
    })
    await Promise.all([writers, reads(), copies(), optimizes()])

    const { branches } = await repository.refs('afterwards')
    expect(Object.fromEntries(branches.map(({ name, oid }) => [name, oid]))).toEqual(Object.fromEntries(heads))
    expect(await repository.fsck()).toEqual(sound)
  })

  test('an earlier reader finds later objects', async () => {
    const repository = await own.newRepository()
    const files = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, `${index}`]))
    const oid = await commitFiles(repository, files)
    const pool = sharedContext(owned.runner).pool
    const reader = pool.reader(repository.directory)
    const blobs = await Promise.all(Object.keys(files).map((name) => repository.entryAt(oid, path(name))))
    expect((await reader.contents(blobs[0]!.oid, 10))?.content.toString()).toBe('0')
    for (const full of [true, false, true]) {
      await eagerOptimizer().optimize(repository.directory, { full })
      await commitFiles(repository, { f0: `${full}` })
      // Read from here as well, so that this process has opened packs that are replaced next.
      const answers = await Promise.all(blobs.map((blob) => reader.contents(blob!.oid, 10)))
      expect(answers.map((answer) => answer?.content.toString())).toEqual(Object.values(files))
    }
    pool.close()
  })
})

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The command had ended before.
  }
}

describe('optimising that is killed', () => {
  /** A runner that kills the process group of one kind of command after a delay. */
  function deadly(victim: Subcommand, afterMs: number): Runner {
    return {
      ...owned.runner,
      async run(command) {
        const job = await owned.runner.stream(command, { stdin: 'none', queue: 'transfer' })
        job.stdout!.resume()
        const timer = command.subcommand === victim ? setTimeout(() => killGroup(job.pid), afterMs) : undefined
        const exit = await job.exit.finally(() => clearTimeout(timer))
        if (exit.exitCode !== 0) throw failure(command, exit)
        return exit
      },
    }
  }

  test.each<[Subcommand, boolean]>([
    ['pack-refs', true],
    ['repack', true],
    ['repack', false],
    ['prune', true],
    ['commit-graph write', true],
    ['commit-graph write', false],
  ])('during %s (full: %s) leaves a valid repository', async (victim, full) => {
    const repository = await own.newRepository()
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, `${index}`.repeat(50)]))
    await commitFiles(repository, files)
    await eagerOptimizer().optimize(repository.directory)
    for (let afterMs = 0; afterMs < 16; afterMs += 2) {
      const gone = await commitFiles(repository, { [`g${afterMs}`]: '1' }, { branch: ref(`gone${afterMs}`) })
      await repository.updateRefs([{ ref: ref(`gone${afterMs}`), old: gone, new: ZERO_SHA1 }])
      await commitFiles(repository, { [`h${afterMs}`]: '1' }, { branch: ref(`kept${afterMs}`), parent: null })
      await age(repository, fourWeeksMs)
      // The command may have ended before.
      await Promise.allSettled([eagerOptimizer(deadly(victim, afterMs)).optimize(repository.directory, { full })])
      expect(await repository.fsck()).toEqual(sound)
      const future = new Date((await stat(repository.directory)).mtimeMs + fourWeeksMs)
      await repository.clearStale({ olderThanMs: 0, now: future })
      expect((await repository.refs(`after ${afterMs}`)).branches).toHaveLength(afterMs / 2 + 2)
    }
    await repository.optimize({ full: true })
    const leftovers = await readdir(join(repository.directory, 'objects/pack'))
    expect(leftovers.filter((name) => !name.startsWith('pack-'))).toEqual([])
    expect(await readFile(join(repository.directory, 'HEAD'), 'utf8')).toBe('ref: refs/heads/main\n')
    expect(await repository.fsck()).toEqual(sound)
  })
})
