/** Images of a few bytes with metadata, and readers of what is left of them. */

const u16 = (value: number) => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

/** A segment of a JPEG image. */
export const segment = (marker: number, payload: string | Buffer) => {
  const bytes = typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload
  return Buffer.concat([Buffer.from([0xff, marker]), u16(bytes.length + 2), bytes])
}

/** An entry of a directory: a number in the entry, or bytes behind the directory. */
type Value = number | Buffer
type Entry = [tag: number, type: number, value: Value]
const typeBytes: Record<number, number> = { 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 13: 4 }

export type Layout = { little?: boolean; big?: boolean }

/** Writes numbers in the order and width of a layout. */
function writer({ little = false, big = false }: Layout) {
  const number = (value: number, size: number) => {
    const bytes = Buffer.alloc(8)
    if (little) bytes.writeBigUInt64LE(BigInt(value))
    else bytes.writeBigUInt64BE(BigInt(value))
    return little ? bytes.subarray(0, size) : bytes.subarray(8 - size)
  }
  return { number, width: big ? 8 : 4, countWidth: big ? 8 : 2 }
}

/** A directory that begins at a position, with its values behind it. */
export function directory(entries: readonly Entry[], at: number, layout: Layout = {}, next = 0): Buffer {
  const { number, width, countWidth } = writer(layout)
  const values: Buffer[] = []
  let place = at + countWidth + entries.length * (4 + 2 * width) + width
  const written = entries.map(([tag, type, value]) => {
    const size = typeBytes[type] ?? 1
    const count = typeof value === 'number' ? 1 : value.length / size
    const head = Buffer.concat([number(tag, 2), number(type, 2), number(count, width)])
    const field = Buffer.alloc(width)
    if (typeof value === 'number') number(value, size).copy(field)
    else if (value.length <= width) value.copy(field)
    else {
      number(place, width).copy(field)
      values.push(value)
      place += value.length
    }
    return Buffer.concat([head, field])
  })
  return Buffer.concat([number(entries.length, countWidth), ...written, number(next, width), ...values])
}

export function tiffHeader(layout: Layout = {}): Buffer {
  const { number, width } = writer(layout)
  const order = Buffer.from(layout.little ? 'II' : 'MM')
  const extra = layout.big ? Buffer.concat([number(8, 2), number(0, 2)]) : Buffer.alloc(0)
  return Buffer.concat([order, number(layout.big ? 43 : 42, 2), extra, number(layout.big ? 16 : 8, width)])
}

const rational = (numerator: number, denominator: number, layout: Layout) => {
  const { number } = writer(layout)
  return Buffer.concat([number(numerator, 4), number(denominator, 4)])
}

/** EXIF data with a camera, a place, a thumbnail and what decides how the image is shown. */
export function exif(orientation = 6, layout: Layout = {}): Buffer {
  const start = 8
  const entries = (gpsAt: number): Entry[] => [
    [271, 2, Buffer.from('SECRET camera\0')],
    [274, 3, orientation],
    [282, 5, rational(300, 1, layout)],
    [283, 5, rational(300, 1, layout)],
    [296, 3, 2],
    [34853, 4, gpsAt],
  ]
  const gpsAt = start + directory(entries(0), start, layout).length
  const gps = directory([[29, 2, Buffer.from('SECRET place\0')]], gpsAt, layout)
  return Buffer.concat([tiffHeader(layout), directory(entries(gpsAt), start, layout), gps])
}

const exifSegment = (data: Buffer) => segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), data]))

/** The parts of a JPEG image that show it: tables, and a scan with stuffed bytes and restarts. */
export const pixels = Buffer.concat([
  segment(0xdb, Buffer.alloc(65, 1)),
  segment(0xc0, Buffer.from([8, 0, 1, 0, 1, 1, 1, 0x11, 0])),
  segment(0xc4, Buffer.concat([Buffer.from([0]), Buffer.alloc(16), Buffer.from('')])),
  segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
  Buffer.from([1, 2, 0xff, 0, 3, 0xff, 0xd0, 4, 0xff, 0, 0xff, 0xd1, 5]),
  segment(0xc4, Buffer.concat([Buffer.from([1]), Buffer.alloc(16)])),
  segment(0xda, Buffer.from([1, 1, 0, 1, 5, 0])),
  Buffer.from([7, 0xff, 0xff, 0, 8]),
])

export const colourProfile = segment(0xe2, `ICC_PROFILE\0\u0001\u0001${'profile'.repeat(20)}`)
const startOfImage = Buffer.from([0xff, 0xd8])
const endOfImage = Buffer.from([0xff, 0xd9])
const jfif = (thumbnail: string) =>
  segment(
    0xe0,
    Buffer.concat([Buffer.from('JFIF\0\u0001\u0002\u0001\u0001\u002c\u0001\u002c', 'latin1'), Buffer.from(thumbnail)]),
  )

/** A JPEG image with everything that is to be removed, and what stays of it. */
export function jpeg({ orientation = 6, little = false, end = endOfImage } = {}) {
  const given = Buffer.concat([
    startOfImage,
    jfif('\u0001\u0001SEC'),
    segment(0xe0, 'JFXX\0SECRET thumbnail'),
    exifSegment(exif(orientation, { little })),
    exifSegment(exif(3)),
    segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>SECRET</x:xmpmeta>'),
    colourProfile,
    segment(0xe2, 'MPF\0SECRET'),
    segment(0xed, 'Photoshop 3.0\0SECRET'),
    segment(0xee, 'Adobe\0d\0\0\0\0\u0001'),
    segment(0xfe, 'SECRET comment'),
    Buffer.from([0xff, 0xff, 0xff]),
    pixels,
    segment(0xe1, 'SECRET between scans'),
    end,
    ...(end.length > 0 ? [Buffer.from('SECRET trailer')] : []),
  ])
  const kept: Entry[] = [
    [274, 3, orientation],
    [282, 5, rational(300, 1, {})],
    [283, 5, rational(300, 1, {})],
    [296, 3, 2],
  ]
  const left = Buffer.concat([
    startOfImage,
    jfif('\0\0'),
    exifSegment(Buffer.concat([tiffHeader(), directory(kept, 8)])),
    colourProfile,
    segment(0xee, 'Adobe\0d\0\0\0\0\u0001'),
    pixels,
    end,
  ])
  return { given, left }
}

/** A TIFF image of two pages with metadata in both, and the data of its strips. */
export function tiff(layout: Layout = {}) {
  const first = layout.big ? 16 : 8
  const strip = Buffer.from('the pixels of the image')
  const page = (exifAt: number, stripAt: number): Entry[] => [
    [254, 4, 0],
    [256, 4, 23],
    [270, 2, Buffer.from('SECRET description\0')],
    [271, 2, Buffer.from('SEC\0')],
    [273, 4, stripAt],
    [274, 3, 6],
    [279, 4, strip.length],
    [282, 5, rational(300, 1, layout)],
    [305, 2, Buffer.from('SECRET software\0')],
    [700, 7, Buffer.from('<x:xmpmeta>SECRET</x:xmpmeta>')],
    [33723, 7, Buffer.from('SECRET IPTC data')],
    [34665, 4, exifAt],
    [34675, 7, Buffer.from('colour profile')],
    [50000, 7, Buffer.from('an unknown tag')],
  ]
  const exifOf = (at: number): Entry[] => [
    [36867, 2, Buffer.from('SECRET time of day\0')],
    [37500, 7, Buffer.from('SECRET notes of the maker')],
    [40965, 4, at],
  ]
  const nested: Entry[] = [[1, 2, Buffer.from('SECRET interoperability\0')]]
  const size = (entries: Entry[]) => directory(entries, 0, layout).length
  const secondAt = first + size(page(0, 0))
  const exifAt = secondAt + size(page(0, 0))
  const nestedAt = exifAt + size(exifOf(0))
  const stripAt = nestedAt + size(nested)
  return {
    stripAt,
    strip,
    bytes: Buffer.concat([
      tiffHeader(layout),
      directory(page(exifAt, stripAt), first, layout, secondAt),
      directory(page(exifAt, stripAt), secondAt, layout),
      directory(exifOf(nestedAt), exifAt, layout),
      directory(nested, nestedAt, layout),
      strip,
    ]),
  }
}
