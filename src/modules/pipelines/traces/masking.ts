const replacement = Buffer.from('[MASKED]')

/**
 * Overwrites the values of masked variables in a part of a log (contract 03, "Masking in logs"). The number of bytes stays,
 * since runners count them: a longer value is filled up with `*`.
 */
export function maskBytes(bytes: Buffer, values: readonly string[]): Buffer {
  const wanted = values.map((value) => Buffer.from(value)).filter(({ length }) => length >= replacement.length)
  if (!wanted.some((value) => bytes.includes(value))) return bytes
  const masked = Buffer.from(bytes)
  // Longer values first: one may contain another.
  for (const value of wanted.sort((a, b) => b.length - a.length)) {
    for (let at = masked.indexOf(value); at >= 0; at = masked.indexOf(value, at + value.length)) {
      masked.fill('*', at, at + value.length)
      replacement.copy(masked, at)
    }
  }
  return masked
}
