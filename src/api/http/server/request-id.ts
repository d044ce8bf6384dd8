const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** All texts of two characters: an id is put together from eight of these. */
const pairs = Array.from(alphabet, (one) => Array.from(alphabet, (other) => one + other)).flat()

function timeText(milliseconds: number): string {
  let time = milliseconds
  let text = ''
  for (let index = 0; index < 10; index += 1) {
    text = alphabet[time % 32] + text
    time = Math.floor(time / 32)
  }
  return text
}

let lastTime = { milliseconds: -1, text: '' }

/**
 * A ULID: 10 characters of time and 16 random ones, sortable as text.
 * @param now moment of the request
 * @param randomBytes returns that many random bytes
 */
export function makeRequestId(now: Date, randomBytes: (count: number) => Uint8Array): string {
  const milliseconds = now.getTime()
  if (lastTime.milliseconds !== milliseconds) lastTime = { milliseconds, text: timeText(milliseconds) }
  const bytes = randomBytes(16)
  let text = lastTime.text
  for (let index = 0; index < 16; index += 2) {
    text += pairs[((bytes[index] as number) % 32) * 32 + ((bytes[index + 1] as number) % 32)]
  }
  return text
}
