import { type BufferedBytes, bufferedBytes } from './buffered.ts'
import { minimalExif } from './exif.ts'
import { ImageProblem } from './problem.ts'

const startOfImage = 0xd8
const endOfImage = 0xd9
const startOfScan = 0xda
const comment = 0xfe
const isApplication = (marker: number) => marker >= 0xe0 && marker <= 0xef
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7
const isAlone = (marker: number) => isRestart(marker) || marker === 0x01

const exifMark = 'Exif\0\0'
const jfifMark = 'JFIF\0'
/** Version, unit and densities; what follows is a thumbnail. */
const jfifBytes = 12

/** Application data by marker without which colours would be wrong: profiles, and the transform that Adobe's encoders name. */
const keptMarks: Readonly<Record<number, string>> = { 226: 'ICC_PROFILE\0', 238: 'Adobe' }

function segment(marker: number, payload: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(payload.length + 2, 2)
  return Buffer.concat([head, payload])
}

const begins = (payload: Buffer, mark: string) => payload.toString('latin1', 0, mark.length) === mark

/** What remains of application data; null when it is dropped. */
function keptApplication(marker: number, payload: Buffer, isFirstExif: boolean): Buffer | null {
  if (marker === 0xe0 && begins(payload, jfifMark) && payload.length >= jfifBytes + 2) {
    return segment(marker, Buffer.concat([payload.subarray(0, jfifBytes), Buffer.alloc(2)]))
  }
  if (marker === 0xe1 && begins(payload, exifMark) && isFirstExif) {
    const exif = minimalExif(payload.subarray(exifMark.length))
    return exif && segment(marker, Buffer.concat([Buffer.from(exifMark, 'latin1'), exif]))
  }
  const mark = keptMarks[marker]
  return mark !== undefined && begins(payload, mark) ? segment(marker, payload) : null
}

/** The next marker; bytes 0xff before it are filling. */
async function nextMarker(bytes: BufferedBytes): Promise<number | null> {
  for (;;) {
    const seen = await bytes.peek(2)
    if (seen.length < 2) return null
    if (seen[0] !== 0xff || seen[1] === 0) throw new ImageProblem('no marker where one must be')
    if (seen[1] !== 0xff) return bytes.take(2)[1] as number
    bytes.take(1)
  }
}

async function payloadOf(bytes: BufferedBytes): Promise<Buffer> {
  const size = (await bytes.peek(2)).length < 2 ? 0 : (await bytes.peek(2)).readUInt16BE()
  if (size < 2 || (await bytes.peek(size)).length < size) throw new ImageProblem('a segment without its end')
  return bytes.take(size).subarray(2)
}

/** The compressed data of a scan, up to the next marker or the end of the file. */
async function* scanData(bytes: BufferedBytes): AsyncGenerator<Buffer> {
  for (let seen = await bytes.peek(2); seen.length > 0; seen = await bytes.peek(2)) {
    let at = seen.indexOf(0xff)
    while (at >= 0 && at + 1 < seen.length) {
      const next = seen[at + 1] as number
      if (next !== 0 && next !== 0xff && !isRestart(next)) {
        yield bytes.take(at)
        return
      }
      at = seen.indexOf(0xff, next === 0xff ? at + 1 : at + 2)
    }
    // The last byte may begin a marker whose second byte has not been read.
    const isOpen = at === seen.length - 1 && seen.length > 1
    yield bytes.take(isOpen ? at : seen.length)
  }
}

/**
 * A JPEG image without EXIF, XMP, IPTC, comments, thumbnails and whatever follows its end; orientation, resolution, colour
 * profile and compressed data stay (contract 08, "Metadata removal").
 * @param source the file, which begins with the marker of a JPEG image
 * @throws ImageProblem when it is none
 */
export async function* jpegWithoutMetadata(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const bytes = bufferedBytes(source)
  try {
    yield* imageOf(bytes)
  } finally {
    await bytes.close()
  }
}

async function* imageOf(bytes: BufferedBytes): AsyncGenerator<Buffer> {
  let hasExif = false
  let hasScan = false
  for (;;) {
    const marker = await nextMarker(bytes)
    if (marker === null) {
      // Viewers show what there is of an image that was cut off.
      if (hasScan) return
      throw new ImageProblem('no image data')
    }
    if (marker === startOfImage || marker === endOfImage || isAlone(marker)) {
      yield Buffer.from([0xff, marker])
      if (marker === endOfImage) return
      continue
    }
    const payload = await payloadOf(bytes)
    if (isApplication(marker)) {
      const kept = keptApplication(marker, payload, !hasExif)
      hasExif ||= marker === 0xe1 && begins(payload, exifMark)
      if (kept) yield kept
    } else if (marker !== comment) yield segment(marker, payload)
    if (marker !== startOfScan) continue
    hasScan = true
    yield* scanData(bytes)
  }
}
