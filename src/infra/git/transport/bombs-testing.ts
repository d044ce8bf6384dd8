/** Small packs whose objects are huge, for tests of the limits of pushes. */
import { createHash } from 'node:crypto'
import { createDeflate, deflateSync } from 'node:zlib'
import { type Oid, ZERO_SHA1 } from '../model/names.ts'

const COMMIT = 1
const TREE = 2
const BLOB = 3
const OFS_DELTA = 6
/** The largest copy of one instruction (gitformat-pack). */
const LARGEST_COPY = 0xff_ff_ff

type Bomb = { tip: Oid; pack: Buffer }

function objectHeader(type: number, sizeBytes: number): Buffer {
  const bytes: number[] = []
  let rest = Math.floor(sizeBytes / 16)
  bytes.push((type << 4) | (sizeBytes % 16) | (rest > 0 ? 0x80 : 0))
  for (; rest > 0; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | (rest >= 128 ? 0x80 : 0))
  return Buffer.from(bytes)
}

function size(sizeBytes: number): number[] {
  const bytes: number[] = []
  for (let rest = sizeBytes; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) | 0x80)
  }
}

/** The distance to the base of a delta. */
function distance(bytes: number): Buffer {
  const digits = [bytes % 128]
  for (let rest = Math.floor(bytes / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1
    digits.unshift(0x80 | (rest % 128))
  }
  return Buffer.from(digits)
}

/** Instructions that copy the beginning of the base. */
function copies(sizeBytes: number): number[] {
  const instructions: number[] = []
  for (let rest = sizeBytes; rest > 0; rest -= Math.min(rest, LARGEST_COPY)) {
    const length = Math.min(rest, LARGEST_COPY)
    // Only the three bytes of the length; without those of the offset it is 0.
    instructions.push(0x80 | 0x70, length & 0xff, (length >> 8) & 0xff, length >> 16)
  }
  return instructions
}

/** A pack of these entries, and of a commit of an empty tree. */
function packOf(entries: readonly Buffer[]): Bomb {
  const commit = Buffer.from(
    'tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@example.com> 1 +0000\ncommitter A <a@example.com> 1 +0000\n\nx\n',
  )
  const all = [
    Buffer.concat([objectHeader(COMMIT, commit.length), deflateSync(commit)]),
    Buffer.concat([objectHeader(TREE, 0), deflateSync(Buffer.alloc(0))]),
    ...entries,
  ]
  const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1')
  head.writeUInt32BE(all.length, 8)
  const body = Buffer.concat([head, ...all])
  const tip = createHash('sha1').update(`commit ${commit.length}\0`).update(commit).digest('hex') as Oid
  return { tip, pack: Buffer.concat([body, createHash('sha1').update(body).digest()]) }
}

/**
 * A chain of deltas, each of which repeats its base, and further ones of the last size.
 * @param factor how often each repeats a base, the first of which has 1 KiB
 * @param more how many objects of the largest size there are besides
 */
export function deltaBomb({ factor, steps, more = 0 }: { factor: number; steps: number; more?: number }): Bomb {
  const base = Buffer.alloc(1024, 'x')
  const entries = [Buffer.concat([objectHeader(BLOB, base.length), deflateSync(base)])]
  let sizeBytes = base.length
  for (let index = 0; index < steps + more; index += 1) {
    const times = index < steps ? factor : 1
    const once = Buffer.from(copies(sizeBytes))
    // A literal byte at the end makes each object another one.
    const target = sizeBytes * times + 1
    const head = Buffer.from([...size(sizeBytes), ...size(target)])
    const delta = Buffer.concat([head, ...Array.from({ length: times }, () => once), Buffer.from([1, index % 256])])
    const before = entries.at(-1) as Buffer
    const packed = deflateSync(delta, { level: 9 })
    entries.push(Buffer.concat([objectHeader(OFS_DELTA, delta.length), distance(before.length), packed]))
    sizeBytes = target
  }
  return packOf(entries)
}

/** A blob of zeros. */
export async function zerosBomb(sizeBytes: number): Promise<Bomb> {
  const deflate = createDeflate({ level: 9 })
  const packed = deflate.toArray() as Promise<Buffer[]>
  const zeros = Buffer.alloc(1024 * 1024)
  for (let rest = sizeBytes; rest > 0; rest -= zeros.length) {
    const isFull = !deflate.write(rest < zeros.length ? zeros.subarray(0, rest) : zeros)
    if (isFull) await new Promise((resolve) => deflate.once('drain', resolve))
  }
  deflate.end()
  return packOf([Buffer.concat([objectHeader(BLOB, sizeBytes), ...(await packed)])])
}

/** The request of a push of a pack to a new branch. */
export function bombRequest({ tip, pack }: Bomb, branch: string): Buffer {
  const command = `${ZERO_SHA1} ${tip} refs/heads/${branch}\0report-status side-band-64k`
  const line = `${(command.length + 4).toString(16).padStart(4, '0')}${command}0000`
  return Buffer.concat([Buffer.from(line), pack])
}
