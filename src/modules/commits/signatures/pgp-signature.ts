/** Limit for a signature; real ones are shorter. */
const longestSignature = 64 * 1024
const armour =
  /^-----BEGIN PGP (?:SIGNATURE|MESSAGE)-----\r?\n(?:[^\r\n]+: [^\r\n]*\r?\n)*\r?\n([A-Za-z0-9+/=\r\n]+)-----END /
const signatureTag = 2
const issuer = 16
const issuerFingerprint = 33

/** The content of the first packet, if it is a signature (RFC 4880, 4.2). */
function signaturePacket(bytes: Buffer): Buffer | null {
  const [head = 0, first = 0, second = 0] = bytes
  if ((head & 0x80) === 0) return null
  const isNew = (head & 0x40) !== 0
  const tag = isNew ? head & 0x3f : (head >> 2) & 0x0f
  if (tag !== signatureTag || bytes.length < 8) return null
  const at = isNew ? newLength(first, second, bytes) : oldLength(head & 0x03, bytes)
  return at && bytes.length >= at.start + at.length ? bytes.subarray(at.start, at.start + at.length) : null
}

function newLength(first: number, second: number, bytes: Buffer): { start: number; length: number } | null {
  if (first < 192) return { start: 2, length: first }
  if (first < 224) return { start: 3, length: ((first - 192) << 8) + second + 192 }
  return first === 255 ? { start: 6, length: bytes.readUInt32BE(2) } : null
}

function oldLength(kind: number, bytes: Buffer): { start: number; length: number } | null {
  if (kind === 0) return { start: 2, length: bytes.readUInt8(1) }
  if (kind === 1) return { start: 3, length: bytes.readUInt16BE(1) }
  return kind === 2 ? { start: 5, length: bytes.readUInt32BE(1) } : null
}

/** The length field at `at`, and its own size in bytes. */
function subpacketLength(part: Buffer, at: number): { width: number; length: number } | null {
  const first = part[at] ?? 0
  if (first < 192) return { width: 1, length: first }
  if (first < 255) return { width: 2, length: ((first - 192) << 8) + (part[at + 1] ?? 0) + 192 }
  return at + 5 > part.length ? null : { width: 5, length: part.readUInt32BE(at + 1) }
}

/** The subpackets of a part of the signature (RFC 4880, 5.2.3.1), without truncated ones. */
function* subpackets(part: Buffer): Generator<{ kind: number; content: Buffer }> {
  for (let at = 0; at < part.length; ) {
    const found = subpacketLength(part, at)
    const start = at + (found?.width ?? 0)
    const end = start + (found?.length ?? 0)
    if (end <= start || end > part.length) return
    yield { kind: (part[start] ?? 0) & 0x7f, content: part.subarray(start + 1, end) }
    at = end
  }
}

function issuerOf(packet: Buffer): Buffer | null {
  if (packet[0] === 3) return packet.length >= 15 ? packet.subarray(7, 15) : null
  if (packet[0] !== 4 || packet.length < 6) return null
  const hashedEnd = 6 + packet.readUInt16BE(4)
  if (hashedEnd + 2 > packet.length) return null
  const otherEnd = hashedEnd + 2 + packet.readUInt16BE(hashedEnd)
  for (const part of [packet.subarray(6, hashedEnd), packet.subarray(hashedEnd + 2, otherEnd)]) {
    for (const { kind, content } of subpackets(part)) {
      if (kind === issuer && content.length === 8) return content
      if (kind === issuerFingerprint && content[0] === 4 && content.length === 21) return content.subarray(13)
    }
  }
  return null
}

/** The key id in an OpenPGP signature, not verified, as 16 upper-case hexadecimal digits; null for none. */
export function pgpKeyId(text: string): string | null {
  const base64 = text.length <= longestSignature ? armour.exec(text)?.[1] : undefined
  // The last line that starts with `=` is a checksum.
  const bytes = Buffer.from(base64?.split(/\n=/)[0] ?? '', 'base64')
  const packet = signaturePacket(bytes)
  return (packet && issuerOf(packet)?.toString('hex').toUpperCase()) ?? null
}
