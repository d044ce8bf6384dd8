/** Writes the blocks of a tar file (POSIX ustar, with pax headers for long paths). */

/** Headers, and contents with their padding, are multiples of this. */
export const BLOCK_BYTES = 512
const NAME_BYTES = 100
/** Eleven octal digits. */
const OCTAL_LIMIT = 8 ** 11
const MODES = { file: 0o644, directory: 0o755, extension: 0o644 }
const TYPES = { file: '0', directory: '5', extension: 'x' }
const SIZE_OFFSET = 124
const CHECKSUM_OFFSET = 148

type TarEntry = {
  /** Relative, without a slash at the end. */
  path: string
  kind: 'file' | 'directory'
  sizeBytes: number
  /** Seconds since 1970. */
  time: number
}

/** The header of an entry. A path of more than 100 bytes, or with other than ASCII characters, has an extended header as well. */
export function tarHeader({ path, kind, sizeBytes, time }: TarEntry): Buffer {
  const name = kind === 'directory' ? `${path}/` : path
  if (/^[\x20-\x7e]*$/.test(name) && name.length <= NAME_BYTES) return block(Buffer.from(name), kind, sizeBytes, time)
  const record = paxRecord('path', name)
  const shortened = Buffer.from(name).subarray(0, NAME_BYTES)
  return Buffer.concat([
    block(Buffer.from('pax-header'), 'extension', record.length, time),
    record,
    tarPadding(record.length),
    block(shortened, kind, sizeBytes, time),
  ])
}

/** A record begins with its own length, in decimal digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + String(rest).length
  if (String(length).length !== String(rest).length) length = rest + String(length).length
  return Buffer.from(`${length} ${key}=${value}\n`)
}

function block(name: Buffer, kind: keyof typeof TYPES, sizeBytes: number, time: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES)
  name.copy(header)
  header.write(octal(MODES[kind], 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  writeSize(header, sizeBytes)
  header.write(octal(Math.max(0, time), 11), 136)
  header.write(TYPES[kind], 156)
  header.write('ustar\u000000', 257)
  // The checksum counts its own field as spaces.
  header.fill(' ', CHECKSUM_OFFSET, CHECKSUM_OFFSET + 8)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, CHECKSUM_OFFSET)
  return header
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}

/** Sizes from 8 GiB on are binary, as in GNU tar. */
function writeSize(header: Buffer, sizeBytes: number): void {
  if (sizeBytes < OCTAL_LIMIT) header.write(octal(sizeBytes, 11), SIZE_OFFSET)
  else {
    header.writeBigUInt64BE(BigInt(sizeBytes), SIZE_OFFSET + 4)
    header[SIZE_OFFSET] = 0x80
  }
}

/** The padding of the last block of a content of that length. */
export function tarPadding(sizeBytes: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES)
}

/** Two empty blocks end a tar file. */
export const tarEnd = Buffer.alloc(2 * BLOCK_BYTES)
