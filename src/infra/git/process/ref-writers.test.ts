import { access, chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { optimizer } from '../maintenance/optimize.ts'
import { GitError, RefConflict } from '../model/errors.ts'
import { branchRef, type Oid, type RefName, ZERO_SHA1 } from '../model/names.ts'
import type { RefUpdate } from '../model/types.ts'
import { updateRefs } from '../refs/ref-update.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, main, openTestGit, openTestRunner, type TestGit, type TestRunner } from '../testing.ts'

let own: TestGit
/** Kills each git process that changes refs, while it holds their locks. */
let deadly: TestRunner
let repository: Repository
let first: Oid
let second: Oid

beforeAll(async () => {
  own = await openTestGit()
  const hooks = join(await own.newDirectory(), 'hooks')
  await mkdir(hooks)
  await writeFile(join(hooks, 'reference-transaction'), '#!/bin/sh\n[ "$1" = prepared ] && kill -9 $PPID\nexit 0\n')
  await chmod(join(hooks, 'reference-transaction'), 0o755)
  deadly = await openTestRunner({}, hooks)
  repository = await own.newRepository()
  first = await commitFiles(repository, { a: '1' })
  second = await commitFiles(repository, { a: '2' })
})
afterAll(async () => {
  await deadly[Symbol.asyncDispose]()
  await own[Symbol.asyncDispose]()
})

const branch = (name: string) => branchRef(name) as RefName
const isThere = (name: string) =>
  access(join(repository.directory, name)).then(
    () => true,
    () => false,
  )
const interrupted = { code: 'interrupted' }

describe('the locks of a killed update of refs', () => {
  test.each([
    ['a new branch', 'new', ['refs/heads/new.lock']],
    ['the default branch', 'main', ['refs/heads/main.lock', 'HEAD.lock']],
    ['a deletion', 'packed', ['refs/heads/packed.lock', 'packed-refs.lock', 'packed-refs.new']],
    ['many branches', 'many', ['refs/heads/many/0.lock', 'refs/heads/many/99.lock']],
  ])('are removed: %s', async (_what, name, left) => {
    const context = deadly.contextOf(repository)
    const change: Record<string, RefUpdate[]> = {
      new: [{ ref: branch('new'), old: ZERO_SHA1, new: first }],
      main: [{ ref: main, old: second, new: first }],
      packed: [{ ref: branch('packed'), old: first, new: ZERO_SHA1 }],
      many: Array.from({ length: 100 }, (_, index) => ({ ref: branch(`many/${index}`), old: ZERO_SHA1, new: first })),
    }
    if (name === 'packed') {
      await repository.updateRefs([{ ref: branch('packed'), old: ZERO_SHA1, new: first }])
      await repository.optimize()
    }
    // Held by a writer that lives: nothing is removed before it has ended.
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    const living = context.writers.during(repository.directory, [], () => held)
    await expect(updateRefs(context, change[name] ?? [])).rejects.toMatchObject(interrupted)
    expect(await Promise.all(left.map(isThere))).toEqual(left.map(() => true))
    letGo()
    await living
    await expect.poll(() => Promise.all(left.map(isThere))).toEqual(left.map(() => false))
    await repository.updateRefs(change[name] ?? [])
  })

  test('are removed after the packing of refs was killed', async () => {
    await repository.updateRefs([{ ref: branch('loose'), old: ZERO_SHA1, new: first }])
    const { optimize } = optimizer(deadly.contextOf(repository))
    await expect(optimize(repository.directory)).rejects.toMatchObject(interrupted)
    await expect.poll(() => isThere('packed-refs.lock')).toBe(false)
    await repository.optimize()
  })

  test('stay as long as other nodes may hold them, and a lock that has changed since belongs to another', async () => {
    const context = deadly.contextOf(repository)
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<string>()
    context.writers.waitForOthers((directory) => {
      onAsked(directory)
      return held
    })
    const lock = 'refs/heads/kept.lock'
    const changes = ['kept', 'gone'].map((name) => ({ ref: branch(name), old: ZERO_SHA1, new: first }))
    await expect(updateRefs(context, changes)).rejects.toMatchObject(interrupted)
    expect(await asked).toBe(repository.directory)
    expect(await isThere('refs/heads/gone.lock')).toBe(true)
    await writeFile(join(repository.directory, lock), 'of another process')
    letGo()
    await expect.poll(() => isThere('refs/heads/gone.lock')).toBe(false)
    expect(await isThere(lock)).toBe(true)
  })
  test('let a writer that they have refused try again', async () => {
    const { writers } = deadly.contextOf(repository)
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    writers.waitForOthers(() => held)
    const lock = join(repository.directory, 'refs/heads/again.lock')
    const killed = writers.during(repository.directory, [branch('again')], async () => {
      await writeFile(lock, '')
      throw new GitError('interrupted', 'killed')
    })
    await expect(killed).rejects.toMatchObject(interrupted)
    let attempts = 0
    const refused = writers.during(repository.directory, [branch('again')], async () => {
      attempts += 1
      letGo()
      await writeFile(lock, '', { flag: 'wx' }).catch(() => {
        throw new RefConflict('locked', branch('again'))
      })
    })
    await refused
    expect(attempts).toBe(2)
    // Of a refusal without a killed process nothing follows.
    const other = () => writers.during(repository.directory, [], () => Promise.reject(new RefConflict('locked', main)))
    await expect(other()).rejects.toBeInstanceOf(RefConflict)
    expect(await isThere('refs/heads/again.lock')).toBe(true)
  })
})
