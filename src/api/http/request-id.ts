const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * A ULID: 10 characters of time, 16 of randomness, sortable as text.
 * @param now moment of the request
 * @param randomBytes gives that many random bytes
 */
export function makeRequestId(now: Date, randomBytes: (count: number) => Uint8Array): string {
  let time = now.getTime()
  let text = ''
  for (let index = 0; index < 10; index += 1) {
    text = alphabet[time % 32] + text
    time = Math.floor(time / 32)
  }
  for (const byte of randomBytes(16)) text += alphabet[byte % 32]
  return text
}
