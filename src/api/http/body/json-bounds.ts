const maximumDepth = 100
const maximumValues = 100_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** The index of the closing quote of a text that begins before `start`, or the end of the bytes. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    if (bytes[at] === backslash) at += 1
    else if (bytes[at] === quote) return at
  }
  return bytes.length
}

/**
 * Whether a JSON text has at most 100 levels and 100,000 values. Parsing some texts of 10 MiB blocks the event loop for
 * a second; this check takes milliseconds. It does not check that the text is valid JSON.
 */
export function isWithinJsonBounds(bytes: Buffer): boolean {
  let depth = 0
  let values = 1
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) at = endOfText(bytes, at + 1)
    else if (byte === comma) values += 1
    else if (byte === openBracket || byte === openBrace) {
      depth += 1
      values += 1
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1
    if (depth > maximumDepth || values > maximumValues) return false
  }
  return true
}
