/** Files that are no backups, or are no longer, or were made to do harm. */
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restoreBackup, verifyBackup } from '../src/backup/index.ts'
import { backupOf, emptyHeader, silent } from '../src/backup/testing.ts'
import { memoryConfig, readConfig } from '../src/config.ts'
import { systemClock } from '../src/infra/clock/index.ts'
import { openDatabase } from '../src/infra/database/index.ts'
import { migrations } from '../src/migrations/index.ts'
import { temporaryDirectory } from '../src/testing/index.ts'

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let file: string
beforeAll(async () => {
  folder = await temporaryDirectory()
  file = join(folder.path, 'backup')
})
afterAll(() => folder[Symbol.asyncDispose]())

const path = `@hashed/ab/cd/abcd${'0'.repeat(60)}.git`
const repository = { kind: 'repository', id: 1, storage: 'default', path, head: 'refs/heads/main', format: 'sha1' }
const refs = { fields: { kind: 'refs' }, content: Buffer.from(`${'a'.repeat(40)} refs/heads/main\n`), zstd: true }
const object = { kind: 'object', key: 'uploads/1', modifiedMs: 1 }
const sound = backupOf(emptyHeader(), [
  { fields: { kind: 'key', file: 'root-token' }, content: Buffer.from('a token\n') },
  { fields: repository },
  refs,
  { fields: { kind: 'git', file: `ab/${'c'.repeat(38)}` }, content: Buffer.from('an object') },
  { fields: object, content: Buffer.alloc(3_000, 'content'), zstd: true },
])

/** What the check of a file says. */
async function answerTo(bytes: Buffer): Promise<string> {
  await writeFile(file, bytes)
  const answer = await verifyBackup({ path: file, progress: silent }).then(
    () => 'sound',
    (error: Error) => error.message,
  )
  expect(answer).not.toContain('\n')
  return answer
}

describe('a file', () => {
  test('that is sound passes', async () => {
    expect(await answerTo(sound)).toBe('sound')
  })

  test('in which any byte differs is refused', async () => {
    for (let at = 0; at < sound.length; at += 97) {
      const changed = Buffer.from(sound)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect([at, await answerTo(changed)]).toEqual([at, expect.stringMatching(/^\S+ cannot be used: \S/)])
    }
  })

  test('that is cut off, extended or no backup is refused', async () => {
    for (const length of [0, 1, 511, 2_047, 2_048, sound.length / 2, sound.length - 512, sound.length - 1]) {
      expect(await answerTo(sound.subarray(0, length))).toBe(`${file} cannot be used: it is no backup, or is cut off`)
    }
    expect(await answerTo(Buffer.concat([sound, Buffer.alloc(512)]))).toContain('cannot be used')
    expect(await answerTo(await readFile(process.execPath).then((bytes) => bytes.subarray(0, 100_000)))).toContain(
      'no backup',
    )
  })

  test('is refused before anything is written', async () => {
    await writeFile(file, sound)
    await truncate(file, sound.length - 600)
    const config = memoryConfig(readConfig({}), join(folder.path, 'place'))
    const restoring = restoreBackup({ config, path: file, clock: systemClock, progress: silent })
    await expect(restoring).rejects.toThrow('is cut off')
    const changed = Buffer.from(sound)
    changed[sound.indexOf('an object')] = 0
    await writeFile(file, changed)
    const again = restoreBackup({ config, path: file, clock: systemClock, progress: silent })
    await expect(again).rejects.toThrow('is damaged')
    expect(await readdir(folder.path)).toEqual(['backup'])
  })
})

describe('a manifest', () => {
  const invalid = 'its manifest has an invalid line'
  const outOfOrder = 'the lines of its manifest are not in order'
  const content = Buffer.from('x')
  const withRepository = (fields: Record<string, unknown>) => [
    { fields: repository },
    refs,
    { fields: { kind: 'git', ...fields }, content },
  ]
  test.each([
    ['a key with a path', [{ fields: { kind: 'key', file: '../../etc/passwd' }, content }], invalid],
    ['another file as a key', [{ fields: { kind: 'key', file: 'ssh/../secret-key' }, content }], invalid],
    ['a git file with a path', withRepository({ file: 'pack/../../hooks/post-update' }), invalid],
    ['a configuration of git', withRepository({ file: 'config' }), invalid],
    ['alternates of git', withRepository({ file: 'info/alternates' }), invalid],
    ['a repository elsewhere', [{ fields: { ...repository, path: '../../home/user.git' } }, refs], invalid],
    ['a head that is no ref', [{ fields: { ...repository, head: 'refs/heads/../../config' } }, refs], invalid],
    ['an object elsewhere', [{ fields: { ...object, key: '../secret-key' }, content }], invalid],
    ['an object below a hidden folder', [{ fields: { ...object, key: '.writing/x' }, content }], invalid],
    ['a link', [{ fields: { kind: 'link', file: 'a', target: '/etc/passwd' } }], invalid],
    ['a statement as a table', [{ fields: { kind: 'table', name: 'a; drop', columns: [], lastId: 1 } }], invalid],
    ['more members', [{ fields: { ...repository, target: 'x' } }, refs], invalid],
    ['a base with a path', [], invalid, { bases: [{ id: '1'.repeat(32), file: '../other' }] }],
    ['two keys that are one', [1, 1].map(() => ({ fields: object, content })), outOfOrder],
    ['rows without a table', [{ fields: { kind: 'rows' }, content }], outOfOrder],
    ['a base that it does not name', [{ fields: { ...object, base: 3 }, content }], 'it is damaged'],
    ['a content elsewhere in the file', [{ fields: { ...object, at: 0 }, content }], 'it is damaged'],
    [
      'a content that becomes larger',
      [{ fields: { ...object, sizeBytes: 9 }, content: Buffer.alloc(10_000_000), zstd: true }],
      'it is damaged',
    ],
    [
      'a part that is too large',
      [
        { fields: { kind: 'table', name: 'a', columns: [], lastId: 1 } },
        { fields: { kind: 'rows', sizeBytes: 2 ** 40 }, content, zstd: true },
      ],
      'it has a part that is too large',
    ],
  ] as [string, Parameters<typeof backupOf>[1], string, Partial<Parameters<typeof emptyHeader>[0]>?][])(
    'with %s is refused',
    async (_, lines, refused, header) => {
      expect(await answerTo(backupOf(emptyHeader(header), lines))).toBe(`${file} cannot be used: ${refused}`)
    },
  )

  test('of a newer release is refused', async () => {
    expect(await answerTo(backupOf(emptyHeader({ format: 2 }), []))).toContain('a newer release wrote it')
    const config = memoryConfig(readConfig({}), join(folder.path, 'newer'))
    const restoring = async (bytes: Buffer) => {
      await writeFile(file, bytes)
      return restoreBackup({ config, path: file, clock: systemClock, progress: silent })
    }
    const newer = backupOf(emptyHeader({ migrations: ['of-tomorrow'] }), [])
    await expect(restoring(newer)).rejects.toThrow('made the backup (unknown migrations: of-tomorrow)')
    const unknown = backupOf(emptyHeader(), [
      { fields: { kind: 'table', name: 'of_tomorrow', columns: [], lastId: 1 } },
    ])
    await expect(restoring(unknown)).rejects.toThrow('the schema has no table of_tomorrow with these columns')
    expect(await readdir(folder.path)).toEqual(['backup'])
  })

  test('of an older release is migrated', async () => {
    const older = migrations.slice(0, 5).map(({ name }) => name)
    await writeFile(file, backupOf(emptyHeader({ migrations: older }), []))
    const config = memoryConfig(readConfig({}), join(folder.path, 'older'))
    await restoreBackup({ config, path: file, clock: systemClock, progress: silent })
    const database = await openDatabase({ url: config.databaseUrl, migrations, mayMigrate: false })
    await database.close()
    await rm(config.data, { recursive: true })
  })

  test('that needs another backup says which', async () => {
    const bases = [{ id: '1'.repeat(32), file: 'sunday.fennec' }]
    expect(await answerTo(backupOf(emptyHeader({ bases }), []))).toBe(
      `${file} is incremental and needs the backup sunday.fennec, which is not beside it; name it as well`,
    )
  })
})
