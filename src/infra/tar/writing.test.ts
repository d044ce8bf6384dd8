import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tarEnd, tarHeader, tarPadding } from './writing.ts'

test('tar reads files with paths of any length and script', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fennec-tar-'))
  // Around the lengths at which the extended header begins, and at which its own length gets a digit more.
  const lengths = [1, 80, 90, 91, 92, 99, 100, 101, 239]
  const paths = ['dir/ü-日本.txt', ...lengths.map((length) => `dir/${'n'.repeat(length)}`)]
  const parts = paths.flatMap((path, index) => {
    const content = Buffer.from('x'.repeat(index * 300))
    const header = tarHeader({ path, kind: 'file', sizeBytes: content.length, time: 1_700_000_000 })
    return [header, content, tarPadding(content.length)]
  })
  await writeFile(join(folder, 'a.tar'), Buffer.concat([...parts, tarEnd]))
  execFileSync('tar', ['-xf', 'a.tar'], { cwd: folder })
  expect((await readdir(join(folder, 'dir'))).sort()).toEqual(paths.map((path) => path.slice(4)).sort())
  for (const [index, path] of paths.entries()) {
    expect(await readFile(join(folder, path), 'utf8')).toHaveLength(index * 300)
  }
  await rm(folder, { recursive: true })
})

test('a header of a file from 8 GiB on has a binary size', () => {
  const header = tarHeader({ path: 'a', kind: 'file', sizeBytes: 2 ** 40 + 5, time: 0 })
  expect(header[124]).toBe(0x80)
  expect(header.readBigUInt64BE(128)).toBe(2n ** 40n + 5n)
  expect(tarHeader({ path: 'a', kind: 'file', sizeBytes: 8 ** 11 - 1, time: 0 }).toString('latin1', 124, 135)).toBe(
    '77777777777',
  )
})
