import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

const cells = 5
const cellPixels = 16
const border = 8
const size = cells * cellPixels + 2 * border

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)])
}

/** A picture that follows from a name: a symmetrical pattern of five by five squares in two colours, as PNG. */
export function avatarOf(name: string): Buffer {
  const hash = createHash('sha256').update(name).digest()
  const isFilled = (row: number, column: number) => {
    const mirrored = Math.min(column, cells - 1 - column)
    return ((hash[3 + row * 3 + mirrored] ?? 0) & 1) === 1
  }
  const cellAt = (pixel: number) => Math.floor((pixel - border) / cellPixels)
  const rows = Array.from({ length: size }, (_, y) => {
    const pixels = Array.from({ length: size }, (__, x) => {
      const [row, column] = [cellAt(y), cellAt(x)]
      const isInside = row >= 0 && row < cells && column >= 0 && column < cells
      return isInside && isFilled(row, column) ? 1 : 0
    })
    // Each row begins with its filter: none.
    return Buffer.from([0, ...pixels])
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Eight bits for each pixel, which is the number of a colour of the palette.
  header.set([8, 3, 0, 0, 0], 8)
  const shade = (byte = 0) => 60 + (byte % 120)
  const palette = Buffer.from([236, 240, 243, shade(hash[0]), shade(hash[1]), shade(hash[2])])
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
