import type { Readable } from 'node:stream'

/** The client names its capabilities on the first command; only the lines of a shallow clone come before it. */
const maximumBytes = 1024 * 1024
const NUL = 0x00

/**
 * Watches the beginning of a push for the client's capabilities. Git does not pass them on to its hooks.
 * Call it in the tick in which the input is piped: it makes the stream flow.
 * @returns whether the client has asked for a capability; false while none has been read
 */
export function watchCapabilities(input: Readable): (name: string) => boolean {
  let capabilities: ReadonlySet<string> | null = null
  let beginning = Buffer.alloc(0)
  const onData = (chunk: Buffer) => {
    beginning = Buffer.concat([beginning, chunk])
    capabilities = capabilitiesIn(beginning)
    if (capabilities === null && beginning.length < maximumBytes) return
    input.off('data', onData)
    beginning = Buffer.alloc(0)
  }
  input.on('data', onData)
  return (name) => capabilities?.has(name) ?? false
}

/** The capabilities in the first pkt-line that has any; null when it has not come whole. */
function capabilitiesIn(bytes: Buffer): ReadonlySet<string> | null {
  for (let start = 0; start + 4 <= bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', start, start + 4), 16)
    if (!(length > 4)) return new Set()
    if (start + length > bytes.length) return null
    const line = bytes.subarray(start + 4, start + length)
    const separator = line.indexOf(NUL)
    if (separator >= 0)
      return new Set(
        line
          .toString('utf8', separator + 1)
          .trim()
          .split(' '),
      )
    start += length
  }
  return null
}
