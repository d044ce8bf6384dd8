import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { minimalExif } from './exif.ts'
import { directory, exif, jpeg, type Layout, pixels, segment, tiff, tiffHeader } from './image-testing.ts'
import { ImageProblem } from './problem.ts'
import { withoutMetadata } from './removal.ts'
import { TiffFile } from './tiff-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fennec-images-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function written(content: Buffer): Promise<string> {
  const path = join(folder, randomBytes(8).toString('hex'))
  await writeFile(path, content)
  return path
}

async function stored(content: Buffer): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of withoutMetadata(await written(content))) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

describe('a JPEG image', () => {
  test.each([1, 3, 6, 8])(
    'keeps pixels, profile, resolution and the orientation %i, and nothing else',
    async (orientation) => {
      for (const little of [true, false]) {
        const { given, left } = jpeg({ orientation, little })
        expect(given.includes('SECRET')).toBe(true)
        expect((await stored(given)).toString('hex')).toBe(left.toString('hex'))
      }
    },
  )

  test('that was stripped before stays as it is', async () => {
    const { left } = jpeg()
    expect((await stored(left)).equals(left)).toBe(true)
  })

  test('may be cut off within its data', async () => {
    const { given, left } = jpeg({ end: Buffer.alloc(0) })
    expect((await stored(given)).equals(left)).toBe(true)
    const open = Buffer.concat([left, Buffer.from([0xff])])
    expect((await stored(open)).subarray(0, left.length).equals(left)).toBe(true)
  })

  test('may be larger than what is held in memory', async () => {
    const scan = Buffer.alloc(3_000_000, Buffer.from([1, 2, 3, 0xff, 0]))
    const { left } = jpeg()
    const large = Buffer.concat([left.subarray(0, -2), scan, left.subarray(-2)])
    expect((await stored(large)).equals(large)).toBe(true)
  })

  test('without EXIF gets none; EXIF that cannot be read is dropped', async () => {
    const image = (application: Buffer) =>
      Buffer.concat([Buffer.from([0xff, 0xd8]), application, pixels, Buffer.from([0xff, 0xd9])])
    const plain = image(Buffer.alloc(0))
    expect((await stored(plain)).equals(plain)).toBe(true)
    for (const data of [
      '',
      'II*\0',
      'MM\0*\0\0\0\u0008\u00ff\u00ff',
      'garbage that is long enough',
      'MM\0*\u00ff\u00ff\u00ff\u00ff',
    ]) {
      expect((await stored(image(segment(0xe1, `Exif\0\0${data}`)))).equals(plain)).toBe(true)
    }
  })

  test.each([
    ['nothing behind its mark', Buffer.from([0xff, 0xd8, 0xff])],
    ['no data', Buffer.concat([Buffer.from([0xff, 0xd8]), segment(0xdb, 'x')])],
    ['text behind its mark', Buffer.from('\u00ff\u00d8\u00ff\u00e0 this is a text about images', 'latin1')],
    ['a segment of one byte', Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, 1, 0])],
    ['a segment beyond its end', Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 0])],
    ['a stuffed byte outside of a scan', Buffer.from([0xff, 0xd8, 0xff, 0x00, 0, 4, 0, 0])],
  ])('with %s is refused', async (_what, content) => {
    await expect(stored(content)).rejects.toBeInstanceOf(ImageProblem)
  })

  test('is read only as far as it goes, and closed', async () => {
    const { given } = jpeg()
    const path = await written(Buffer.concat([given, Buffer.alloc(5_000_000)]))
    const before = (await readdir('/proc/self/fd').catch(() => [])).length
    for (let time = 0; time < 5; time += 1) for await (const _ of withoutMetadata(path));
    await expect.poll(async () => (await readdir('/proc/self/fd').catch(() => [])).length).toBeLessThanOrEqual(before)
  })
})

describe('EXIF', () => {
  test('is reduced to orientation and resolution', () => {
    const reduced = minimalExif(exif(8, { little: true }))
    expect(reduced?.includes('SECRET')).toBe(false)
    expect(reduced && minimalExif(reduced)?.equals(reduced)).toBe(true)
  })

  test('with neither, or with impossible values, is nothing', () => {
    const only = (...entries: Parameters<typeof directory>[0]) =>
      minimalExif(Buffer.concat([tiffHeader(), directory(entries, 8)]))
    expect(only([271, 2, Buffer.from('SECRET camera\0')])).toBeNull()
    expect(only([274, 3, 0])).toBeNull()
    expect(only([274, 3, 9])).toBeNull()
    expect(only([274, 4, 6])).toBeNull()
    expect(only([274, 3, 6], [274, 3, 1])?.readUInt16BE(18)).toBe(6)
  })
})

const layouts: [string, Layout][] = [
  ['big-endian', {}],
  ['little-endian', { little: true }],
  ['big-endian, 64 bits', { big: true }],
  ['little-endian, 64 bits', { little: true, big: true }],
]

describe.each(layouts)('a TIFF image (%s)', (_name, layout) => {
  async function tagsOf(content: Buffer): Promise<number[][]> {
    await using file = await open(await written(content))
    const image = await TiffFile.open(file)
    const pages: number[][] = []
    for (let at = await image.first(); at !== 0; ) {
      const { entries, next } = await image.directory(at)
      pages.push(entries.map(({ tag }) => tag))
      at = next
    }
    return pages
  }

  test('keeps its data where they are, on every page', async () => {
    const { bytes, strip, stripAt } = tiff(layout)
    const left = await stored(bytes)
    expect(bytes.includes('SECRET')).toBe(true)
    expect(left.includes('SEC')).toBe(false)
    expect(left.length).toBe(bytes.length)
    expect(left.subarray(stripAt).equals(strip)).toBe(true)
    const kept = [254, 256, 273, 274, 279, 282, 34675, 50000]
    expect(await tagsOf(left)).toEqual([kept, kept])
    for (const text of ['colour profile', 'an unknown tag']) expect(left.includes(text)).toBe(true)
    expect((await stored(left)).equals(left)).toBe(true)
  })

  test('that ends early or leads nowhere is refused', async () => {
    const { bytes } = tiff(layout)
    const header = tiffHeader(layout)
    for (const content of [
      bytes.subarray(0, 60),
      header,
      header.subarray(0, 4),
      Buffer.concat([header, Buffer.alloc(9, 0xff)]),
    ]) {
      await expect(stored(content)).rejects.toBeInstanceOf(ImageProblem)
    }
  })

  test('whose directories form a circle ends', async () => {
    const first = layout.big ? 16 : 8
    const page = directory(
      [
        [271, 2, Buffer.from('SECRET camera\0')],
        [256, 4, 1],
        [330, 4, first],
        [34665, 4, first],
      ],
      first,
      layout,
      first,
    )
    const left = await stored(Buffer.concat([tiffHeader(layout), page]))
    expect(left.includes('SECRET')).toBe(false)
  })
})

test('directories over each other are refused', async () => {
  // The second directory begins with the second entry of the first one, whose tag is its number of entries.
  const page = directory(
    [
      [271, 2, Buffer.from('SEC\0')],
      [256, 4, 1],
    ],
    8,
    {},
    22,
  )
  const content = Buffer.concat([tiffHeader(), page, Buffer.alloc(4_000)])
  content.writeUInt16BE(271, 48)
  await expect(stored(content)).rejects.toThrow('over each other')
})

test.each([
  ['a PNG image with EXIF', Buffer.from('\u0089PNG\r\n\u001a\neXIfSECRET', 'latin1')],
  ['text in a file called .jpg', Buffer.from('this is no image')],
  ['nothing', Buffer.alloc(0)],
  ['two bytes', Buffer.from([0xff, 0xd8])],
  ['a large file', Buffer.alloc(1_000_000, 'abc')],
])('%s is stored as it is', async (_name, content) => {
  expect((await stored(content)).equals(content)).toBe(true)
})
