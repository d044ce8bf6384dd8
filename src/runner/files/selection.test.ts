import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../testing/index.ts'
import { select } from './selection.ts'

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
beforeAll(async () => {
  folder = await temporaryDirectory()
  for (const path of ['a.txt', 'b.log', '.hidden', 'out/a.txt', 'out/deep/c.txt', 'out/deep/d.log', '.git/config']) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true })
    await writeFile(join(folder.path, path), path)
  }
  await symlink('/etc', join(folder.path, 'out', 'link'))
})
afterAll(() => folder[Symbol.asyncDispose]())

describe('files are chosen', () => {
  test.each([
    [['a.txt'], ['a.txt']],
    [['./a.txt'], ['a.txt']],
    [['*.txt'], ['a.txt']],
    [['**/*.txt'], ['a.txt', 'out/a.txt', 'out/deep/c.txt']],
    [['out/deep/'], ['out/deep', 'out/deep/c.txt', 'out/deep/d.log']],
    [['out/*'], ['out/a.txt', 'out/deep', 'out/deep/c.txt', 'out/deep/d.log', 'out/link']],
    [['out/link/hosts'], ['out/link/hosts']],
    [['*'], expect.arrayContaining(['.hidden', 'a.txt', 'out/deep/c.txt'])],
    [['{a,b}.*'], ['a.txt', 'b.log']],
  ])('by %j', async (paths, expected) => {
    const found = await select(folder.path, { paths })
    expect(found.paths).toEqual(expected)
    expect(found.paths.filter((path) => path.startsWith('.git/'))).toEqual([])
  })

  test('by absolute paths below the folder, and none outside of it', async () => {
    const paths = [join(folder.path, 'a.txt'), '../x', '/etc/hosts', 'out/../../x', '.git/config', 'missing', '.']
    const found = await select(folder.path, { paths })
    expect(found.outside).toEqual(['../x', '/etc/hosts', 'out/../../x'])
    expect(found.unmatched).toEqual(['.git/config', 'missing'])
    expect(found.paths).toContain('out/deep/c.txt')
    expect(found.paths).not.toContain('.git')
  })

  test('without those that are excluded', async () => {
    const found = await select(folder.path, { paths: ['out'], exclude: ['out/deep/**', '**/*.txt'] })
    expect(found.paths).toEqual(['out', 'out/deep', 'out/link'])
  })

  test('with those that git does not follow', async () => {
    const untracked = ['b.log', 'gone', '.git/config']
    expect((await select(folder.path, { paths: [], untracked })).paths).toEqual(['b.log'])
  })
})
