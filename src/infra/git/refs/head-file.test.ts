import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { branchRef, type RefName } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { git, main, openTestGit, type TestGit, until } from '../testing.ts'
import { readHead, writeHead } from './head-file.ts'

let own: TestGit
let repository: Repository
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
})
afterAll(() => own[Symbol.asyncDispose]())

const ref = (name: string) => branchRef(name) as RefName
const lockOf = ({ directory }: Repository) => join(directory, 'HEAD.lock')

test('concurrent writers all succeed, and one target remains', async () => {
  const names = Array.from({ length: 40 }, (_, index) => ref(`b${index % 4}`))
  await Promise.all(names.map((name) => repository.setHead(name)))
  expect(names).toContain(await repository.head())
  expect(await git(['-C', repository.directory, 'symbolic-ref', 'HEAD'])).toBe(await repository.head())
  expect(await readdir(repository.directory)).not.toContain('HEAD.lock')
})

test('concurrent writers of the same target succeed', async () => {
  const other = await own.newRepository()
  await Promise.all(Array.from({ length: 40 }, () => other.setHead(ref('trunk'))))
  expect(await other.head()).toBe('refs/heads/trunk')
})

test('no lock is taken when HEAD has the target already', async () => {
  const other = await own.newRepository()
  await writeFile(lockOf(other), '')
  await other.setHead(main)
  expect(await readFile(lockOf(other), 'utf8')).toBe('')
})

test('a lock that is released in time is waited for', async () => {
  const other = await own.newRepository()
  await writeFile(lockOf(other), '')
  let settled = false
  const writing = other.setHead(ref('next')).finally(() => {
    settled = true
  })
  await until(async () => (await readdir(other.directory)).includes('HEAD.lock'))
  expect(settled).toBe(false)
  await rm(lockOf(other))
  await writing
  expect(await other.head()).toBe('refs/heads/next')
})

test('the previous holder of the lock may have written the same target', async () => {
  const other = await own.newRepository()
  await writeFile(lockOf(other), '')
  const writing = other.setHead(ref('next'))
  await writeFile(join(other.directory, 'HEAD'), 'ref: refs/heads/next\n')
  await writing
  expect(await readdir(other.directory)).toContain('HEAD.lock')
})

test('a lock that is not released is a conflict, and is not removed', async () => {
  const other = await own.newRepository()
  await writeFile(lockOf(other), '')
  await expect(other.setHead(ref('next'))).rejects.toMatchObject({ name: 'RefConflict', reason: 'locked' })
  expect(await other.head()).toBe(main)
  expect(await readdir(other.directory)).toContain('HEAD.lock')
})

test('a malformed HEAD is overwritten', async () => {
  const other = await own.newRepository()
  for (const text of ['', 'garbage\n', `${'a'.repeat(40)}\n`, 'ref: ../../etc/passwd\n']) {
    await writeFile(join(other.directory, 'HEAD'), text)
    await expect(readHead(other.directory)).rejects.toMatchObject({ code: 'command_failed' })
    await writeHead(other.directory, main)
    expect(await readHead(other.directory)).toBe(main)
  }
})

test('fails when the repository does not exist', async () => {
  const other = await own.newRepository()
  await other.remove()
  await expect(other.setHead(main)).rejects.toMatchObject({ code: 'repository_missing' })
})
