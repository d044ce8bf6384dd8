import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { branchRef, newDiskPath, type RefName, refName, tagRef, ZERO_SHA1 } from '../model/names.ts'
import { commitFiles, openTestGit, type TestGit } from '../testing.ts'

let own: TestGit
beforeAll(async () => {
  own = await openTestGit()
})
afterAll(() => own[Symbol.asyncDispose]())

const sha256 = (lines: readonly string[]) => createHash('sha256').update(lines.join('')).digest('hex')

test('the checksum covers all refs in the order of the lines, packed or not', async () => {
  const repository = await own.newRepository()
  expect(await repository.refsChecksum()).toBe('0'.repeat(64))
  const oids = [await commitFiles(repository, { a: '1' }), await commitFiles(repository, { a: '2' })]
  const names = [
    'refs/heads/b/c',
    'refs/heads/b-c',
    'refs/heads/é',
    'refs/tags/v1',
    'refs/pipelines/7',
    'refs/keep-around/x',
  ]
  const refs = names.map((name, index) => ({ ref: refName(name) as RefName, oid: oids[index % 2]! }))
  await repository.updateRefs(refs.map(({ ref, oid }) => ({ ref, old: ZERO_SHA1, new: oid })))
  const lines = [...refs, { ref: 'refs/heads/main', oid: oids[1]! }].map(({ ref, oid }) => `${oid} ${ref}\n`)
  const expected = sha256(lines.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
  expect(await repository.refsChecksum()).toBe(expected)
  await repository.optimize({ full: true })
  expect(await repository.refsChecksum()).toBe(expected)
  await repository.updateRefs([{ ref: tagRef('v1')!, old: null, new: ZERO_SHA1 }])
  expect(await repository.refsChecksum()).not.toBe(expected)
})

test('names that are not UTF-8 differ by their bytes', async () => {
  const checksums = new Set<string>()
  for (const byte of [0xfe, 0xff]) {
    const repository = await own.newRepository()
    await commitFiles(repository, { a: '1' })
    const oid = await repository.tips([branchRef('main') as RefName])
    await mkdir(join(repository.directory, 'refs/heads'), { recursive: true })
    const name = Buffer.concat([Buffer.from(join(repository.directory, 'refs/heads/odd')), Buffer.from([byte])])
    await writeFile(name, `${oid[0]}\n`)
    checksums.add(await repository.refsChecksum())
  }
  expect(checksums.size).toBe(2)
})

test('a missing repository has none', async () => {
  const missing = own.git.repository({ storage: 'default', diskPath: newDiskPath() })
  await expect(missing.refsChecksum()).rejects.toMatchObject({ code: 'repository_missing' })
})
