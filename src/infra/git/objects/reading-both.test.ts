import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Oid } from '../model/names.ts'
import { ada, admitting, openTestGit } from '../testing.ts'
import { readingBoth } from './reading-both.ts'

test.each(['plain', 'co:lon', 'quo"te:back\\slash', 'sp ace'])(
  'objects of two repositories below "%s" are readable',
  async (name) => {
    const root = await mkdtemp(join(tmpdir(), 'fennec-together-'))
    await using test = await openTestGit({ storages: { default: join(root, name) } })
    const [own, other] = [await test.newRepository(), await test.newRepository()]
    const commit = (message: string, parent: Oid | null = null) => ({
      ...{ parent, message, changes: [] },
      ...{ author: ada, committer: ada },
    })
    const base = await admitting(own).createCommit(commit('base'))
    expect(await admitting(other).createCommit(commit('base'))).toBe(base)
    const mine = await admitting(own).createCommit(commit('mine', base))
    const theirs = await admitting(other).createCommit(commit('theirs', base))
    const reading = readingBoth(own, other)
    expect(await own.mergeBase([mine, theirs], reading)).toBe(base)
    expect(await own.log({ tips: [mine], excluded: [theirs] }, reading)).toEqual([mine])
    expect((await own.commits([theirs], reading)).get(theirs)?.message).toBe('theirs')
    // Without the option, the objects are not readable.
    expect((await own.commits([theirs])).size).toBe(0)
    await expect(own.mergeBase([mine, theirs])).rejects.toMatchObject({ code: 'object_missing' })
    await rm(root, { recursive: true, force: true })
  },
)
