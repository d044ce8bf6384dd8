import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTar, type TarLimits, TarProblem, tarEnd, tarHeader, tarPadding } from './index.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fennec-tar-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const generous: TarLimits = { entries: 100, sizeBytes: 1024 * 1024 }

/** The bytes in chunks of a length that fits no block. */
async function* inChunks(bytes: Buffer, lengthBytes = 333): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += lengthBytes) yield bytes.subarray(at, at + lengthBytes)
}

async function read(bytes: Buffer, limits: Partial<TarLimits> = {}) {
  const found: [path: string, kind: string, content: string][] = []
  for await (const { path, kind, content } of readTar(inChunks(bytes), { ...generous, ...limits })) {
    found.push([path, kind, Buffer.concat(await Array.fromAsync(content)).toString()])
  }
  return found
}

/** A tar file of one entry, with changes of its header whose checksum is set again. */
function forged(path: string, change: (header: Buffer) => void, content = ''): Buffer {
  const header = tarHeader({ path, kind: 'file', sizeBytes: content.length, time: 0 })
  change(header)
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, Buffer.from(content), tarPadding(content.length), tarEnd])
}

const entry = (path: string, content = '') =>
  Buffer.concat([
    tarHeader({ path, kind: 'file', sizeBytes: content.length, time: 0 }),
    Buffer.from(content),
    tarPadding(content.length),
  ])

describe('readTar', () => {
  test.each(['ustar', 'gnu', 'posix'])('reads what tar has written as %s', async (format) => {
    const at = mkdtempSync(join(folder, 'source-'))
    const long = join('d'.repeat(90), 'n'.repeat(90))
    mkdirSync(join(at, 'd'.repeat(90)))
    writeFileSync(join(at, long), 'long')
    writeFileSync(join(at, 'empty'), '')
    writeFileSync(join(at, 'file'), 'x'.repeat(1000))
    const bytes = execFileSync('tar', ['-c', `--format=${format}`, '--sort=name', '-C', at, '.'])
    expect(await read(bytes)).toEqual([
      ['', 'directory', ''],
      ['d'.repeat(90), 'directory', ''],
      [long, 'file', 'long'],
      ['empty', 'file', ''],
      ['file', 'file', 'x'.repeat(1000)],
    ])
  })

  test('reads its own files, and passes over contents that are not read', async () => {
    const names = ['dir/ü-日本.txt', 'n'.repeat(239)]
    const bytes = Buffer.concat([...names.map((name) => entry(name, 'y'.repeat(700))), tarEnd])
    const paths: string[] = []
    for await (const { path } of readTar(inChunks(bytes), generous)) paths.push(path)
    expect(paths).toEqual(names)
  })

  test.each([
    ['../outside', 'leads out of it'],
    ['a/../../outside', 'leads out of it'],
    ['/etc/passwd', 'leads out of it'],
    ['a/..', 'leads out of it'],
  ])('refuses the path %s', async (path, problem) => {
    await expect(read(Buffer.concat([entry(path), tarEnd]))).rejects.toThrow(problem)
  })

  test('refuses links and devices', async () => {
    const at = mkdtempSync(join(folder, 'links-'))
    symlinkSync('/etc/passwd', join(at, 'link'))
    const bytes = execFileSync('tar', ['-c', '-C', at, 'link'])
    await expect(read(bytes)).rejects.toThrow('something else than files and folders')
    for (const type of ['1', '2', '3', '4', '6', 'S', 'M']) {
      const other = forged('other', (header) => header.write(type, 156))
      await expect(read(other)).rejects.toThrow('something else than files and folders')
    }
  })

  test('refuses more entries, and more bytes, than its limits', async () => {
    const bytes = Buffer.concat([entry('a', 'x'), entry('b', 'x'), tarEnd])
    await expect(read(bytes, { entries: 1 })).rejects.toThrow('more than 1 files')
    await expect(read(bytes, { sizeBytes: 1024 })).rejects.toThrow('too large')
    const claims = forged('huge', (header) => header.write('77777777777', 124))
    await expect(read(claims)).rejects.toThrow('too large')
    const binary = forged('huge', (header) => header.fill(0xff, 124, 136))
    await expect(read(binary)).rejects.toThrow('damaged')
  })

  test('refuses what is damaged or cut', async () => {
    const whole = Buffer.concat([entry('a', 'x'.repeat(600)), tarEnd])
    await expect(read(whole.subarray(0, 700))).rejects.toThrow('ends too early')
    await expect(read(whole.subarray(0, 300))).rejects.toThrow('ends too early')
    const changed = Buffer.from(whole)
    changed[3] = 1
    await expect(read(changed)).rejects.toThrow(TarProblem)
    await expect(read(Buffer.from('no tar file'.repeat(100)))).rejects.toThrow(TarProblem)
    for (const record of ['9999 path=x\n', 'path=x\n', '-5 a=b\n', '0 a=b\n', '12 nothing\n']) {
      const extended = forged('pax', (header) => header.write('x', 156), record)
      await expect(read(extended)).rejects.toThrow('damaged')
    }
    const endless = forged('pax', (header) => {
      header.write('x', 156)
      header.write('00000777777', 124)
    })
    await expect(read(endless)).rejects.toThrow('damaged')
  })
})
